"""How a token is written for people: the one choice of the whole program."""

from __future__ import annotations

from enum import Enum

from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import Vocabulary

LIMIT = 200


class Spelling(Enum):
    """What stands for the bytes of tokens that have no picture of their own.

    SIGNS  the same for all models: `·the`, `↵`, `<E2 82>`
    FILE   the letters of the model's file: `Ġthe`, `▁the`, `<0x0A>`.  A file that holds bytes (ranks of
           tiktoken and Mistral) or escapes them (RWKV) has none: its tokens are written as with SIGNS.
    """

    SIGNS = "signs"
    FILE = "file"

    def token(self, vocabulary: Vocabulary, token_id: int, limit: int = LIMIT) -> str:
        """A token, on one visible line of at most about `limit` characters."""
        return visible_text(self.token_data(vocabulary, token_id), limit)

    def token_data(self, vocabulary: Vocabulary, token_id: int) -> bytes:
        """What of a token is to be made visible; a token that stands for nothing has its name."""
        has_letters = self is Spelling.FILE and vocabulary.has_letters
        data = b"" if has_letters else vocabulary.token_bytes(token_id)
        return data or vocabulary.raw_text(token_id)

    def part(self, vocabulary: Vocabulary, data: bytes, limit: int = LIMIT) -> str:
        """Some bytes that tokens stand for, such as what one adds to its parent in the tree."""
        return visible_text(self.part_data(vocabulary, data), limit)

    def part_data(self, vocabulary: Vocabulary, data: bytes) -> bytes:
        return vocabulary.spell(data) if self is Spelling.FILE and vocabulary.has_letters else data
