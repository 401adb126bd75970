"""Findings of the doctor, as values."""

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
    """The ids of a text, and the byte span of the text that each comes from."""

    ids: tuple[int, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()

    @classmethod
    def whole(cls, text: str, token_id: int) -> Tokenization:
        """A text that is one token."""
        return cls((token_id,), ((0, len(text.encode("utf-8", "replace"))),))


class TokenizationChange(NamedTuple):
    """The tokens of a text before and after the fix; `after` is None if only a new conversion can show it."""

    text: str
    before: Tokenization
    after: Tokenization | None = None


class TemplateLine(NamedTuple):
    """A line of a chat template, by the template's name and the line's number, from 1.

    first, context  the number of the first line of the context, and the lines of the context
    """

    template: str
    number: int
    first: int
    context: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """A problem or an oddity of a tokenizer.

    code      of the kind, the same in all versions of the program
    severity  ERROR: texts get other ids than the model learned, or none; WARNING: some may; HINT: odd
    what      sentences, with values of the file quoted
    remedy    the fix: a command, a key, or a sentence
    changes   None if no single text shows the problem
    tokens    that the finding is about; a finding to show has only the first MOST_NAMED
    pre       the name of a pre-tokenizer to try instead
    line      of a chat template that the finding is about
    key       of the file's metadata that the finding is about, or ""
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
        """The title in the manual, such as `Wrong pre-tokenizer`; else the code in words."""
        return _titles().get(self.code) or capitalized(self.code.replace("_", " "))

    @property
    def subject(self) -> str:
        """The subject in a few words: a line of a template, tokens, or a text; "" for the whole file."""
        if self.line is not None:
            return f"Line {self.line.number} of template “{quoted(self.line.template)}”"
        if self.tokens:
            first = ", ".join(map(str, self.tokens[:MOST_IN_SUBJECT]))
            more = ", …" if len(self.tokens) > MOST_IN_SUBJECT else ""
            return f"{'id' if len(self.tokens) == 1 else 'ids'} {first}{more}"
        return "" if self.changes is None else f"In the text “{quoted(self.changes.text)}”"
