"""What the doctor finds, as values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from guiapp.core.manual import chapter_text
from guiapp.core.text.numbers_in_words import capitalized, quoted

ERROR, WARNING, HINT = "error", "warning", "hint"
SEVERITIES = (ERROR, WARNING, HINT)
CONVERT = "Convert the model again from its original files, with a newer converter."
DOWNLOAD = "Download the file again, or fix it by hand."
TITLE = re.compile(r"^- `(\w+)` \*\*(.+?)\.?\*\*", re.MULTILINE)  # of a finding, in the manual
MOST_IN_SUBJECT = 4
MOST_NAMED = 100  # tokens that a finding names


@cache
def _titles() -> dict[str, str]:
    return {code: title.replace("`", "") for code, title in TITLE.findall(chapter_text("doctor"))}


class Tokenization(NamedTuple):
    """The ids of a text, and the bytes of it that each of them came from."""

    ids: tuple[int, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()

    @classmethod
    def whole(cls, text: str, token_id: int) -> Tokenization:
        """All of the text is one token."""
        return cls((token_id,), ((0, len(text.encode("utf-8", "replace"))),))


class TokenizationChange(NamedTuple):
    """A text, and how it is cut before and after the fix; None where only a conversion can tell."""

    text: str
    before: Tokenization
    after: Tokenization | None = None


class TemplateLine(NamedTuple):
    """A line of a chat template by the template's name and its number, from 1.

    first, context  the number of the first of some lines, and these: the line and those before and behind it
    """

    template: str
    number: int
    first: int
    context: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a tokenizer, or odd.

    code      the same for all of a kind, and in all versions
    severity  ERROR: texts get other ids than the model learned, or none; WARNING: some may; HINT: odd
    what      sentences, with what the file says quoted
    remedy    what mends it: a command, a key, or a sentence
    changes   None where there is no one text to show
    tokens    that it is about; of what is shown, the first MOST_NAMED of them
    pre       the name of a pre-tokenizer to try instead
    line      of a chat template that it is about
    key       of the file's metadata that it is about, "" for none
    """

    code: str
    severity: str
    what: str
    remedy: str = CONVERT
    changes: TokenizationChange | None = None
    tokens: tuple[int, ...] = ()
    pre: str = ""
    line: TemplateLine | None = None
    key: str = ""

    @property
    def title(self) -> str:
        """What the manual calls it, as `Wrong pre-tokenizer`; else its code in words."""
        return _titles().get(self.code) or capitalized(self.code.replace("_", " "))

    @property
    def subject(self) -> str:
        """Where to look, in a few words: a line of a template, tokens, or a text; "" for the whole file."""
        if self.line is not None:
            return f"Line {self.line.number} of template “{quoted(self.line.template)}”"
        if self.tokens:
            first = ", ".join(map(str, self.tokens[:MOST_IN_SUBJECT]))
            more = ", …" if len(self.tokens) > MOST_IN_SUBJECT else ""
            return f"{'id' if len(self.tokens) == 1 else 'ids'} {first}{more}"
        return "" if self.changes is None else f"In the text “{quoted(self.changes.text)}”"
