"""The token tree of a vocabulary: every token under its longest proper prefix that is itself a token.

One structure for matching the longest token (`greedy`), for the next shorter one (`backtrack`), and for
the picture.  Tokens stand in it by the bytes they stand for:

- the stand-ins of byte-level BPE are undone, U+2581 is a space where the vocabulary uses it as one, and
  byte tokens such as `<0x0A>` are their byte;
- control and unknown tokens stand there by their text, as leaves: no plain text leads to them;
- of several tokens for the same bytes one is matched, the lowest id or, if there is one, the lowest that is
  no byte token; the others are leaves beside it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.native import token_tree as native
from guiapp.native.token_tree import TreeColumns

if TYPE_CHECKING:
    from guiapp.core.vocabulary.vocabulary import Vocabulary

NOT_MATCHED = Attribute.CONTROL | Attribute.UNKNOWN
FIRST_ESCAPED_BYTE, LAST_ESCAPED_BYTE = "\udc80", "\udcff"  # what "surrogateescape" makes of stray bytes


@dataclass(frozen=True, eq=False)
class TokenTree:
    """Tokens by their bytes: token i stands for data[offsets[i] : offsets[i + 1]].

    native  the tree itself, for encoders
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    native: native.TokenTreeHandle

    def __len__(self) -> int:
        """How many tokens are in the tree."""
        return len(self.order)

    @property
    def is_matched(self) -> NDArray[np.bool_]:
        """bool[n]: whether `longest_match` can find a token."""
        return self.native.is_matched

    @property
    def parents(self) -> NDArray[np.int32]:
        """int32[n]: the longest proper prefix of a token that is one and matches, or -1."""
        return self.native.parents

    @property
    def order(self) -> NDArray[np.int32]:
        """int32[k]: the tokens in the tree sorted by their bytes, parents first."""
        return self.native.order

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n]: how many bytes each token has."""
        return np.diff(self.offsets).astype(np.int32)

    @cached_property
    def columns(self) -> TreeColumns:
        """Depths, sizes, children …"""
        return self.native.columns()

    def token_bytes(self, token_id: int) -> bytes:
        return self.data[self.offsets[token_id] : self.offsets[token_id + 1]].tobytes()

    def added_bytes(self, token_id: int) -> bytes:
        """What a token adds to its parent."""
        return self.data[self.added_start(token_id) : self.offsets[token_id + 1]].tobytes()

    def added_start(self, token_id: int) -> int:
        """Where in `data` the bytes begin that a token adds to its parent."""
        parent = self.parent(token_id)
        return int(self.offsets[token_id]) + (0 if parent is None else int(self.lengths[parent]))

    def shown_bytes(self, token_id: int) -> bytes:
        """What a token adds to its parent; where that completes a character, the whole character."""
        own = self.token_bytes(token_id)
        start = self.added_start(token_id) - int(self.offsets[token_id])
        for lead in range(start - 1, max(0, start - 3) - 1, -1):
            if own[lead] >= 0xC0 and not _begins_with_character(own[lead:start]):
                return own[lead:] if _begins_with_character(own[lead:]) else own[start:]
        return own[start:]

    def parent(self, token_id: int) -> int | None:
        """The longest proper prefix of a token that is one, too."""
        parent = int(self.parents[token_id])
        return None if parent < 0 else parent

    def path(self, token_id: int) -> list[int]:
        """The ids from the root to a token, itself included."""
        path, parent = [token_id], self.parent(token_id)
        while parent is not None:
            path.append(parent)
            parent = self.parent(parent)
        return path[::-1]

    def children(self, token_id: int | None) -> NDArray[np.int32]:
        """The children of a token, or of the root, sorted by their bytes."""
        row = len(self.parents) if token_id is None else token_id
        start, end = self.columns.child_offsets[row : row + 2]
        return self.columns.children[start:end]

    def subtree(self, token_id: int) -> NDArray[np.int32]:
        """A token and everything below it, sorted by bytes."""
        place = int(self.columns.places[token_id])
        return self.order[place : place + int(self.columns.sizes[token_id])]

    def starting_with(self, prefix: bytes) -> NDArray[np.int32]:
        """All tokens whose bytes begin with `prefix`, sorted by bytes."""
        order = self.order

        def head(place: int) -> bytes:
            start, end = self.offsets[order[place] : order[place] + 2]
            return self.data[start : min(end, start + len(prefix))].tobytes()

        first = bisect_left(range(len(order)), prefix, key=head)
        last = bisect_left(range(len(order)), True, lo=first, key=lambda place: head(place) > prefix)
        return order[first:last]

    def longest_match(self, text: bytes, start: int = 0) -> int | None:
        """The longest token that text[start:] begins with; the shorter ones are its ancestors."""
        return self.longest_match_in(np.frombuffer(bytearray(text), np.uint8), start)

    def longest_match_in(self, data: NDArray[np.uint8], start: int) -> int | None:
        """The same for a text that is an array."""
        result = self.native.longest_match(data, start)
        return None if result < 0 else result


def _begins_with_character(data: bytes) -> bool:
    first = data.decode("utf-8", "surrogateescape")[:1]
    return not FIRST_ESCAPED_BYTE <= first <= LAST_ESCAPED_BYTE


def token_tree(vocabulary: Vocabulary) -> TokenTree:
    """The tree of all tokens of a vocabulary."""
    data, offsets = vocabulary.token_bytes_table
    is_byte = (vocabulary.attributes & Attribute.BYTE) > 0
    is_text = ((vocabulary.attributes & NOT_MATCHED) == 0) & (np.diff(offsets) > 0)
    is_worse = (~is_text & is_byte, ~is_text & ~is_byte, is_text & is_byte, is_text & ~is_byte)
    worst_first = np.concatenate([np.flatnonzero(part)[::-1] for part in is_worse]).astype(np.int32)
    return tree_of(data, offsets, worst_first, is_text)


def tree_of(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], ids: NDArray[np.int32], may_match: NDArray[np.bool_]
) -> TokenTree:
    """The tree of the tokens `ids`; of those with the same bytes the last one that may match is matched."""
    return TokenTree(data, offsets, native.TokenTreeHandle(data, offsets, ids, may_match))
