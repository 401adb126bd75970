"""What the symbols of a training stand for, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.train.corpus import END_OF_WORD
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.byte_alphabet import unspell


@dataclass(frozen=True)
class Symbols:
    """Of one training; with `spelling` FILE as the file will have them.

    is_byte_level  they are GPT-2's letters for bytes, else text with U+2581 for spaces
    """

    is_byte_level: bool
    spelling: Spelling = Spelling.SIGNS

    def plain(self, symbol: str) -> bytes:
        """The text that a symbol stands for."""
        if self.is_byte_level:
            return unspell(symbol)
        return symbol.removesuffix(END_OF_WORD).replace("▁", " ").encode()

    def write(self, symbol: str) -> str:
        """A symbol as people see it, the textbooks' mark for ends of words included."""
        if self.spelling is Spelling.FILE:
            return visible_text(symbol.encode())
        has_mark = not self.is_byte_level and symbol.endswith(END_OF_WORD)
        return visible_text(self.plain(symbol)) + END_OF_WORD * has_mark
