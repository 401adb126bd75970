"""Qt counts characters in UTF-16 units."""

from __future__ import annotations


def n_units(text: str) -> int:
    """How many a text has for Qt: two for each character beyond U+FFFF."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
