"""Counting without encoding more than the answer takes."""

from __future__ import annotations

from guiapp.core.counting.append import AppendEncoder
from guiapp.core.tokenizer import Tokenizer

FIRST_BLOCK_BYTES = 1 << 12
LARGEST_BLOCK_BYTES = 1 << 18


def count_tokens(
    tokenizer: Tokenizer, text: bytes, limit: int | None, add_special: bool, parse_special: bool
) -> int | None:
    """The number of tokens; None as soon as it is sure to be more than `limit`.

    The text is encoded in blocks that end at certain cuts, the first ones small.
    """
    encoder = AppendEncoder(tokenizer, add_special, parse_special)
    start, size = 0, FIRST_BLOCK_BYTES
    while start < len(text):
        encoder.append(text[start : start + size])
        if limit is not None and encoder.least_count > limit:
            return None
        start, size = start + size, min(2 * size, LARGEST_BLOCK_BYTES)
    n_tokens = encoder.count
    return None if limit is not None and n_tokens > limit else n_tokens
