"""Reading a text no further than the answer takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

FIRST_BLOCK_BYTES = 1 << 12
LARGEST_BLOCK_BYTES = 1 << 18


def blocks_from(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """What a function reads when asked for so many bytes, to the end; small blocks first, then large ones."""
    size = FIRST_BLOCK_BYTES
    while block := read(size):
        yield block
        size = min(2 * size, LARGEST_BLOCK_BYTES)
