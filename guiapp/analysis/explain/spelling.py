"""How the whole program spells tokens, and code in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import Vocabulary

CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
BACKTICKS = re.compile("`+")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
LIMIT = 200


class Spelling(Enum):
    """How to spell bytes of tokens that are not visible characters.

    SIGNS  the same for all models: `·the`, `↵`, `<E2 82>`
    FILE   the letters of the model's file: `Ġthe`, `▁the`, `<0x0A>`.  A file of bytes (ranks of tiktoken and
           Mistral) or escapes (RWKV) has no letters: its tokens are spelled as with SIGNS.
    """

    SIGNS = "signs"
    FILE = "file"

    def token(self, vocabulary: Vocabulary, token_id: int, limit: int = LIMIT) -> str:
        """A token, on one visible line of at most about `limit` characters."""
        return visible_text(self.token_data(vocabulary, token_id), limit)

    def token_data(self, vocabulary: Vocabulary, token_id: int) -> bytes:
        """The bytes of a token to spell; the name of a token that stands for nothing."""
        has_letters = self is Spelling.FILE and vocabulary.has_letters
        data = b"" if has_letters else vocabulary.token_bytes(token_id)
        return data or vocabulary.raw_text(token_id)

    def part(self, vocabulary: Vocabulary, data: bytes, limit: int = LIMIT) -> str:
        """Bytes that are part of a token, such as those that it adds to its parent in the tree."""
        return visible_text(self.part_data(vocabulary, data), limit)

    def part_data(self, vocabulary: Vocabulary, data: bytes) -> bytes:
        return vocabulary.spell(data) if self is Spelling.FILE and vocabulary.has_letters else data


# Code in a sentence, between backticks as in Markdown: “`ĠN` is a token.”


class MarkedPart(NamedTuple):
    """A part of a sentence without its backticks."""

    text: str
    is_code: bool


def code(text: str) -> str:
    """The text between backticks, more of them than it contains in a row."""
    longest = max(map(len, BACKTICKS.findall(text)), default=0)
    marks = "`" * (longest + 1)
    needs_room = not text or longest or text[0] == text[-1] == " "
    return f"{marks} {text} {marks}" if needs_room else f"{marks}{text}{marks}"


def in_markdown(text: str) -> str:
    """The text with special characters of Markdown escaped."""
    return SPECIAL.sub(r"\\\1", text)


def parts(sentence: str) -> Iterator[MarkedPart]:
    """The parts of a sentence: text, and code between backticks; unmatched backticks are text."""
    end = 0
    for match in CODE.finditer(sentence):
        if match.start() > end:
            yield MarkedPart(sentence[end : match.start()], False)
        inner = match[2]
        if len(inner) > 1 and inner[0] == inner[-1] == " ":  # padding that `code` adds
            inner = inner[1:-1]
        yield MarkedPart(inner, True)
        end = match.end()
    if end < len(sentence):
        yield MarkedPart(sentence[end:], False)


def without_marks(sentence: str) -> str:
    """The sentence without the backticks of code."""
    return "".join(part.text for part in parts(sentence))
