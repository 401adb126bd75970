"""How SentencePiece changes a text before it searches for pieces.

Native version: native/piece_text.cpp.
Source: https://github.com/google/sentencepiece, src/normalizer.cc of version 0.2.3.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.charsmap import PLAIN, lead_kinds, longest_match, open_charsmap, stable_characters
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText
from guiapp.core.text.normalizers import SPACE_SYMBOL, symbol_length
from guiapp.core.text.utf8 import REPLACEMENT, encode, is_text
from guiapp.core.vocabulary.parts import TextRules
from guiapp.native import normalized as native

SPACE = b" "
MARK = ord("▁")
SURROGATES = slice(0xD800, 0xE000)


class PieceText:
    """Changes text as a model asks; threads may share it.

    Dropped text belongs to the character before it, but spaces at both ends of a text to none.
    """

    def __init__(
        self, rules: TextRules, user_defined: Sequence[bytes] = (), is_compact: bool = False
    ) -> None:
        """`user_defined` pieces are not changed; `is_compact`: one byte stands for U+2581.

        Raises ValueError for a broken character map, with the fault as the end of a sentence.
        """
        self.rules = rules
        self._is_compact = is_compact and rules.marks_spaces
        self._charsmap = open_charsmap(rules.charsmap)
        self._user_defined = frozenset(user_defined)
        self._longest = max(map(len, user_defined), default=0)
        ever = (text for text in user_defined if not (rules.marks_spaces and SPACE in text))
        self._marked_texts = frozenset(map(self._spell, ever))

    def check(self, most_growth: int) -> None:
        """Raise ValueError for a character map that must not be used, as `__init__` does."""
        charsmap = self._charsmap
        if charsmap.damage:
            raise ValueError(charsmap.damage)
        if not charsmap.is_whole:
            raise ValueError("makes text that is not UTF-8")
        if charsmap.growth > most_growth:
            raise ValueError(f"makes of a text {int(charsmap.growth):,} times as many characters")

    @cached_property
    def _kinds(self) -> NDArray[np.uint8]:
        return lead_kinds(self._charsmap, sorted(self._user_defined))

    @cached_property
    def _is_stable(self) -> NDArray[np.bool_]:
        is_stable = stable_characters(self._charsmap)
        is_stable[SURROGATES] = False
        is_stable[MARK] = False
        return is_stable

    @cached_property
    def native(self) -> native.PieceTextHandle:
        spaces = native.MARKED if self.rules.marks_spaces else native.AS_THEY_ARE
        return native.PieceTextHandle(
            {
                "units": self._charsmap.units,
                "replacements": self._charsmap.replacements,
                "kinds": self._kinds,
                "is_settled": self._is_stable,
            },
            (sorted(self._user_defined), sorted(self._marked_texts)),
            native.COMPACT if self._is_compact else spaces,
            {
                "adds_space": self.rules.adds_space,
                "adds_at_end": self.rules.adds_at_end,
                "removes_spaces": self.rules.removes_spaces,
                "keeps_space": bool(self._charsmap.spaces[SPACE[0]])
                and not any(text.startswith(SPACE) for text in self._user_defined),
            },
        )

    @cached_property
    def spaces(self) -> NDArray[np.bool_]:
        """bool[256]: bytes that become a space wherever they occur."""
        used = np.frombuffer(b"".join(self._user_defined), np.uint8)
        result = self._charsmap.spaces.copy()
        result[used] = False
        return result

    @property
    def has_words(self) -> bool:
        """Whether the text between such bytes normalises the same by itself, unless it contains U+2581."""
        rules = self.rules
        takes_spaces = (
            rules.adds_space and rules.removes_spaces and rules.marks_spaces and not rules.adds_at_end
        )
        makes_mark = SPACE_SYMBOL in self._charsmap.replacements.tobytes()
        return takes_spaces and not makes_mark and bool(self.spaces[SPACE[0]])

    @property
    def changes_nothing(self) -> bool:
        """Whether valid text is unchanged, except for spaces around it and the spelling of spaces."""
        return len(self._charsmap.units) == 0 and not self.rules.removes_spaces

    def leaves_alone(self, text: NDArray[np.uint8]) -> tuple[bool, bool]:
        """Whether nothing changes except the space around a text, and whether each byte stands for itself.

        A false answer may be wrong, a true one is certain.
        """
        return self.native.leaves_alone(text)

    def normalize(self, text: NDArray[np.uint8], begins: bool = True) -> NormalizedText:
        """The normalised form of a text that `begins` a document, or follows something other than a space."""
        return NormalizedText(*self.native.normalize(text, begins))

    def piece_ends(self, data: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The ends of user-defined pieces, and of the text between them, in normalised text."""
        if not self._marked_texts:
            return np.array([len(data)])
        edges = self.native.user_defined(data)
        return np.unique(np.append(edges[edges > 0], len(data)))

    def normalize_readable(self, text: bytes, begins: bool = True) -> NormalizedText:
        """The same as `normalize`, step by step."""
        rules, at, builder = self.rules, 0, NormalizedBuilder()
        while begins and rules.removes_spaces and at < len(text):
            output, length = self._next(text, at)
            if output != SPACE:
                break
            at += length
        if at == len(text):
            return builder.build()
        if begins and rules.adds_space and not rules.adds_at_end:
            builder.append(self._spell(SPACE), at, at)
        was_space = begins and rules.removes_spaces
        while at < len(text):
            output, length = self._next(text, at)
            output = output.lstrip(SPACE) if was_space else output
            if output:
                stays = output == text[at : at + length]
                cut = len(output.decode()[:-1].encode()) if stays else 0  # as SentencePiece aligns a piece
                builder.append(self._spell(output[:cut]), at, at)
                builder.append(self._spell(output[cut:]), at, at + length)
                was_space = rules.removes_spaces and output.endswith(SPACE)
            else:
                builder.extend(at + length)
            at += length
        first = builder.start if len(builder) else len(text)
        while rules.removes_spaces and builder.drop_last(self._spell(SPACE)):
            pass
        if rules.adds_space and rules.adds_at_end:
            end = builder.end if len(builder) else first
            builder.append(self._spell(SPACE), end, end)
        return builder.build()

    def piece_ends_readable(self, data: bytes) -> list[int]:
        """The same as `piece_ends`, step by step."""
        ends, at = {len(data)}, 0
        while at < len(data):
            if length := self._match(data, at, self._marked_texts):
                ends |= {at, at + length}
            at += length or symbol_length(data[at])
        return sorted(ends - {0}) or [0]

    def is_independent(self, text: NDArray[np.uint8], cut: int) -> bool:
        """Whether both sides of a cut are changed the same, whatever text is farther away.

        Both characters at the cut are unchanged, and no key of the character map has the second one after
        another; nor the character after it, with which the second could become something else.
        """
        before, after = character_before(text, cut), character_at(text, cut)
        follows = character_at(text, cut + len(after))
        if self.rules.adds_space and self.rules.adds_at_end:
            return False
        if self.rules.removes_spaces and before in (SPACE, SPACE_SYMBOL):
            return False
        return (
            self._is_unchanged(before)
            and self._is_unchanged(after)
            and (self._maps_nothing or self._is_unchanged(follows))
        )

    @property
    def _maps_nothing(self) -> bool:
        return len(self._charsmap.units) == 0

    def _is_unchanged(self, character: bytes) -> bool:
        if not is_text(character) or len(character) == 0:
            return False
        if self._maps_nothing:
            return True
        if len(character) > 1:
            code = ord(character.decode())
            return code < len(self._is_stable) and bool(self._is_stable[code])
        byte = character[0]
        if self._charsmap.later[byte]:
            return False
        return bool(self._charsmap.spaces[byte]) if byte == SPACE[0] else bool(self._kinds[byte] == PLAIN)

    def _next(self, text: bytes, at: int) -> tuple[bytes, int]:
        """The replacement of the text at a position, and the number of bytes that it covers."""
        if length := self._match(text, at, self._user_defined):
            return text[at : at + length], length
        if match := longest_match(self._charsmap, text, at):
            return match
        character = text[at : at + symbol_length(text[at])]
        return (character, len(character)) if is_text(character) else (encode(REPLACEMENT), 1)

    def _match(self, text: bytes, at: int, texts: Collection[bytes]) -> int:
        """The length of the longest of some texts at a position, 0 for none."""
        longest = min(self._longest, len(text) - at)
        return next((size for size in range(longest, 0, -1) if text[at : at + size] in texts), 0)

    def _spell(self, text: bytes) -> bytes:
        if not self.rules.marks_spaces:
            return text
        if self._is_compact:
            return text.replace(SPACE_SYMBOL, SPACE)
        return text.replace(SPACE, SPACE_SYMBOL)


def character_at(text: NDArray[np.uint8], at: int) -> bytes:
    """The character at an offset; empty at the end."""
    return text[at : at + symbol_length(int(text[at]))].tobytes() if at < len(text) else b""


def character_before(text: NDArray[np.uint8], end: int) -> bytes:
    """The character that ends at an offset."""
    start = end - 1
    while start > 0 and text[start] & 0xC0 == 0x80:
        start -= 1
    return text[start:end].tobytes()
