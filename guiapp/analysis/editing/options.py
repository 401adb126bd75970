"""How a text is encoded: what people can switch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """See `Tokenizer.encode`."""

    add_special: bool = True
    parse_special: bool = True
    encoder: str | None = None
