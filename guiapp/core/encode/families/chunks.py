"""Encode long fragments a chunk at a time, so that little scratch space is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens

CHUNK_BYTES = 1 << 18


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
