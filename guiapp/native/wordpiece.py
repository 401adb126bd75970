"""WordPiece."""

from __future__ import annotations

import numpy as np

from guiapp.native.binding import Bytes, Handle, TokenColumns, WideInts, function, long_function, tokens_by
from guiapp.native.normalized import CodeTable, Normalized, normalized
from guiapp.native.token_tree import TokenTreeHandle

_wordpiece_new = long_function("wordpiece_new(structure, bytes, wide_ints, handle, int) -> handle")
_wordpiece_words = function("wordpiece_words(handle, bytes, >wide_ints, >wide_ints) -> handle")
_wordpiece_encode = function("wordpiece_encode(handle, bytes, wide_ints, flag, >tokens)")
_wordpiece_break = function("wordpiece_break(handle, bytes, wide_int, flag)")


class WordPieceHandle(Handle, free="wordpiece_free"):
    """Encodes words by the longest of all tokens; token i is data[offsets[i] : offsets[i + 1]].

    actions  int32[0x110000]  what becomes of each code point: what to add to it, times 4, plus an `Action`
    unknown  in the place of words of which some part is no token; may be -1
    """

    def __init__(self, actions: CodeTable, data: Bytes, offsets: WideInts, unknown: int) -> None:
        tree = TokenTreeHandle.of(data, offsets)
        super().__init__(_wordpiece_new(actions, data, offsets, tree, unknown), actions, tree)

    def words(self, text: Bytes) -> tuple[Normalized, WideInts]:
        """The words of a text side by side, and where each ends."""
        ends, count = np.empty(len(text), np.int64), np.empty(1, np.int64)
        words = normalized(_wordpiece_words(self, text, ends, count))
        return words, ends[: count[0]]

    def encode(self, words: Bytes, ends: WideInts, is_linked: bool) -> TokenColumns:
        """The tokens of normalised words: in one walk by failure links, or always the longest one."""
        return tokens_by(_wordpiece_encode, self, words, ends, is_linked, room=len(words))

    def word_break(self, text: Bytes, position: int, is_before: bool) -> int:
        """Where a word ends whatever stands beyond `position`: the last such place up to there, or 0.

        Or, not `is_before`, the first one from there on, or the end of the text.
        """
        return int(_wordpiece_break(self, text, position, is_before))
