"""What the doctor finds, as values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from guiapp.core.text.numbers_in_words import capitalized, quoted

ERROR, WARNING, HINT = "error", "warning", "hint"
SEVERITIES = (ERROR, WARNING, HINT)
CONVERT = "Convert the model again from its original files, with a newer converter."
DOWNLOAD = "Download the file again, or fix it by hand."
CAPITALS = re.compile(r"\b(bos|eog)\b")
TITLES = {
    "bos_twice": "BOS is added twice",
    "byte_misnamed": "Byte token with a wrong name",
    "byte_not_marked": "Byte token not marked as a byte",
    "bytes_missing": "Byte tokens missing",
    "clean_up": "Decoding drops spaces",
    "control_by_its_text": "Control token marked as text",
    "control_marked_normal": "Likely control token marked as text",
    "embedding_rows": "Embeddings do not match the tokens",
    "end_of_turn_goes_on": "Generation does not stop at the end of a turn",
    "ends_differ": "Files name different EOS tokens",
    "eos_behind_prompts": "EOS is added after each prompt",
    "kind_out_of_range": "Token kind out of range",
    "kinds_missing": "Token kinds missing",
    "marker_is_text": "Template marker is ordinary text",
    "merge_of_no_token": "Merge rule without a token",
    "merge_twice": "Merge rule listed twice",
    "no_end": "No token ends a generation",
    "original_id": "Token id differs from the original",
    "original_ids": "Token ids differ from the original",
    "original_kind": "Token kind differs from the original",
    "original_merges": "Merge rules differ from the original",
    "original_remark": "Note about the original",
    "original_role": "Special token differs from the original",
    "original_rule": "Rule differs from the original",
    "original_score": "Token score differs from the original",
    "original_special_tokens": "Special tokens differ from the usual ones",
    "original_tokens": "Tokens differ from the original",
    "padded": "Padding tokens",
    "pattern_is_text": "Pattern marked as literal text",
    "pre_missing": "Pre-tokenizer missing",
    "pre_of_other_family": "Wrong pre-tokenizer",
    "pre_undecided": "Pre-tokenizer uncertain",
    "pre_unknown": "Unknown pre-tokenizer",
    "role_is_text": "BOS, EOS or another special token is ordinary text",
    "role_missing": "Special token missing",
    "score_not_finite": "Score is not a finite number",
    "special_blank": "Special token begins or ends with a space",
    "special_invisible": "Invisible character in a special token",
    "special_look_alike": "Special tokens look alike",
    "template_invisible": "Invisible character in a template",
    "template_look_alike": "Look-alike letter in a template",
    "template_reads_words": "Template writes something else for a certain word",
    "template_role_missing": "Template writes a missing special token",
    "text_grows": "Normalizer makes texts too long",
    "token_never_made": "Token that no merge rule makes",
    "token_not_utf8": "Token is not UTF-8",
    "unknown_marked_twice": "Several unknown tokens",
    "unknown_missing": "Unknown token missing",
    "vocabulary_size": "Wrong vocabulary size",
    "word_marked_control": "Word marked as control token",
}
"""What people read of findings, by their code; others are called by their code in words."""
MOST_IN_SUBJECT = 4
MOST_NAMED = 100  # tokens that a finding names


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
    tokens    that it is about, the first MOST_NAMED of them
    pre       the name of a pre-tokenizer to try instead
    line      of a chat template that it is about
    """

    code: str
    severity: str
    what: str
    remedy: str = CONVERT
    changes: TokenizationChange | None = None
    tokens: tuple[int, ...] = ()
    pre: str = ""
    line: TemplateLine | None = None

    @property
    def title(self) -> str:
        """What it is called, as `Wrong pre-tokenizer`."""
        words = CAPITALS.sub(lambda match: match[0].upper(), self.code.replace("_", " "))
        return TITLES.get(self.code) or capitalized(words)

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
