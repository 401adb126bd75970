"""Encode long fragments a chunk at a time, so that the scratch space of kernels stays small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens

CHUNK_BYTES = 1 << 18


def encode_in_chunks(
    fragment: NDArray[np.uint8],
    cut_after: Callable[[NDArray[np.uint8], int], int],
    encode_chunk: Callable[[NDArray[np.uint8]], FragmentTokens],
) -> FragmentTokens:
    """The tokens of a fragment from those of its chunks, which begin where `cut_after` allows it."""
    parts = []
    start = 0
    while start < len(fragment):
        end = len(fragment)
        if end - start > CHUNK_BYTES:
            end = cut_after(fragment, start + CHUNK_BYTES)
        tokens = encode_chunk(fragment[start:end])
        parts.append(FragmentTokens(tokens.ids, tokens.starts + start, tokens.ends + start))
        start = end
    if len(parts) == 1:
        return parts[0]
    return FragmentTokens(*map(np.concatenate, zip(*parts, strict=True)))


def tokens_from_steps(tokens: list[tuple[int, int, int]]) -> FragmentTokens:
    """Tokens as columns, from their ids, starts and ends one by one."""
    columns = np.array(tokens, np.int64).reshape(-1, 3).T
    return FragmentTokens(columns[0].astype(np.int32), columns[1].copy(), columns[2].copy())
