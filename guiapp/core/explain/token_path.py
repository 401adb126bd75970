"""Where a token stands in the token tree: the tokens it starts with, and those that start with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocab.vocabulary import Attribute, Vocabulary

KEY_BYTES = 8
NOT_IN_TREE = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.UNUSED | Attribute.BYTE


@dataclass(frozen=True)
class TokenPath:
    """The neighbours of one token in the token tree.

    prefixes         ids of the tokens that are a proper prefix of it, the shortest first
    continuations    ids of some tokens that begin with it, in the order of the vocabulary
    n_continuations  how many of those there are
    """

    prefixes: tuple[int, ...]
    continuations: tuple[int, ...]
    n_continuations: int


class PrefixTable:
    """The first eight bytes of every token as one number, so that prefixes are found by comparing columns.

    Byte, control, unknown and unused tokens are left out: ordinary text does not lead to them.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        data, offsets = vocabulary.token_bytes_table
        lengths = np.diff(offsets)
        in_tree = ((vocabulary.attributes & NOT_IN_TREE) == 0) & (lengths > 0)
        self._ids = np.flatnonzero(in_tree).astype(np.int32)
        self._lengths = lengths[self._ids]
        self._keys = _first_bytes(data, offsets[self._ids], self._lengths)
        self._masks = np.array([_mask(n_bytes) for n_bytes in range(KEY_BYTES + 1)], np.uint64)

    def path(self, token_id: int, n_shown: int = 8) -> TokenPath:
        """The path of one token; of its continuations the first `n_shown`."""
        token = self._vocabulary.token_bytes(token_id)
        if not token:
            return TokenPath((), (), 0)
        continuations = self._continuations(token)
        return TokenPath(self._prefixes(token), tuple(continuations[:n_shown]), len(continuations))

    def _prefixes(self, token: bytes) -> tuple[int, ...]:
        own_key = _key(token) & self._masks[np.minimum(self._lengths, KEY_BYTES)]
        found = np.flatnonzero((self._lengths < len(token)) & (own_key == self._keys))
        by_length: dict[int, int] = {}
        for row in found[np.argsort(self._lengths[found], kind="stable")].tolist():
            if self._lengths[row] <= KEY_BYTES or token.startswith(self._bytes(row)):
                by_length.setdefault(int(self._lengths[row]), int(self._ids[row]))
        return tuple(by_length.values())

    def _continuations(self, token: bytes) -> list[int]:
        shared = self._keys & self._masks[min(len(token), KEY_BYTES)]
        found = np.flatnonzero((self._lengths > len(token)) & (shared == _key(token)))
        if len(token) > KEY_BYTES:
            return [int(self._ids[row]) for row in found.tolist() if self._bytes(row).startswith(token)]
        ids: list[int] = self._ids[found].tolist()
        return ids

    def _bytes(self, row: int) -> bytes:
        return self._vocabulary.token_bytes(int(self._ids[row]))


def _first_bytes(
    data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.uint64]:
    keys = np.zeros(len(starts), np.uint64)
    for at in range(KEY_BYTES):
        rows = np.flatnonzero(lengths > at)
        keys[rows] |= data[starts[rows] + at].astype(np.uint64) << np.uint64(8 * (KEY_BYTES - 1 - at))
    return keys


def _key(token: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(token[:KEY_BYTES].ljust(KEY_BYTES, b"\0"), "big"))


def _mask(n_bytes: int) -> int:
    return (1 << 64) - (1 << 8 * (KEY_BYTES - n_bytes))
