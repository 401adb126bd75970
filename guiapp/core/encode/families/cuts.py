"""Where a text may be cut so that both sides can be encoded on their own.

A cut between two bytes is safe where no token can hold these two bytes next to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens

CHUNK_BYTES = 1 << 18
FIRST_WINDOW = 256

CutTable = NDArray[np.bool_]
"""bool[256, 256]: whether it is safe to cut between two bytes."""


def cut_before(data: NDArray[np.uint8], position: int, is_cut: CutTable) -> int:
    """The last safe cut between two of the bytes before `position`; 0 if there is none."""
    end, window = position, FIRST_WINDOW
    while end > 1:
        first = max(1, end - window)
        cuts = np.flatnonzero(is_cut[data[first - 1 : end - 1], data[first:end]])
        if len(cuts):
            return first + int(cuts[-1])
        end, window = first, 2 * window
    return 0


def cut_after(data: NDArray[np.uint8], position: int, is_cut: CutTable) -> int:
    """The first safe cut between two of the bytes from `position` on; the length if there is none."""
    first, window = position + 1, FIRST_WINDOW
    while first < len(data):
        end = min(len(data), first + window)
        cuts = np.flatnonzero(is_cut[data[first - 1 : end - 1], data[first:end]])
        if len(cuts):
            return first + int(cuts[0])
        first, window = end, 2 * window
    return len(data)


def byte_pairs(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], ids: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """bool[256, 256]: which pairs of neighbouring bytes occur in the tokens `ids`."""
    pairs = np.zeros((256, 256), np.bool_)
    is_inner = np.zeros(len(data), np.bool_)
    selected = np.zeros(len(offsets) - 1, np.bool_)
    selected[ids] = True
    is_inner[:] = np.repeat(selected, np.diff(offsets))
    is_inner[offsets[:-1][np.diff(offsets) > 0]] = False
    inner = np.flatnonzero(is_inner)
    pairs[data[inner - 1], data[inner]] = True
    return pairs


# Encode long fragments a chunk at a time, so that little scratch space is enough


def chunks_of(
    fragment: NDArray[np.uint8], cut_after: Callable[[NDArray[np.uint8], int], int]
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Chunks, which begin where `cut_after` allows it, and where each begins."""
    start = 0
    while start < len(fragment):
        end = len(fragment)
        if end - start > CHUNK_BYTES:
            end = cut_after(fragment, start + CHUNK_BYTES)
        yield start, fragment[start:end]
        start = end


def join_chunks(chunks: Iterable[tuple[int, FragmentTokens]]) -> FragmentTokens:
    """The tokens of a fragment from where its chunks begin and their tokens."""
    return join_tokens([tokens.moved(start) for start, tokens in chunks])


def tokens_from_steps(tokens: list[tuple[int, int, int]]) -> FragmentTokens:
    """Tokens as columns, from their ids, starts and ends one by one."""
    columns = np.array(tokens, np.int64).reshape(len(tokens), 3).T
    return FragmentTokens(columns[0].astype(np.int32), columns[1].copy(), columns[2].copy())
