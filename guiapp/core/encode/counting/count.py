"""Counting without encoding more than the answer takes."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from guiapp.core.encode.counting.blocks import blocks_from
from guiapp.core.encode.counting.growing import AppendEncoder

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer


def count_tokens(
    tokenizer: Tokenizer, text: bytes, limit: int | None, add_special: bool, parse_special: bool
) -> int | None:
    """The number of tokens; None as soon as it is sure to be more than `limit`."""
    return count_blocks(tokenizer, blocks_from(BytesIO(text).read), limit, add_special, parse_special)


def count_blocks(
    tokenizer: Tokenizer, blocks: Iterable[bytes], limit: int | None, add_special: bool, parse_special: bool
) -> int | None:
    """The same for a text that comes in blocks; those behind a sure answer are not asked for."""
    encoder = AppendEncoder(tokenizer, add_special, parse_special)
    for block in blocks:
        encoder.append(block)
        if limit is not None and encoder.least_count > limit:
            return None
    n_tokens = encoder.count
    return None if limit is not None and n_tokens > limit else n_tokens
