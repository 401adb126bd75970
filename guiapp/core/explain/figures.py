"""How figures are written for people."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """`1 token`, `2,000 tokens`."""
    return f"1 {thing}" if number == 1 else f"{number:,} {thing}s"


def percent(share: float, n_decimals: int = 0) -> str:
    """`95 %` of 0.95, `95.0 %` with a decimal."""
    return f"{100 * share:.{n_decimals}f} %"


def in_bytes(size_bytes: int) -> str:
    """`512 B`, `1.2 kB`, `4.7 GB`: kB are thousands."""
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if size_bytes >= 1000**power:
            return f"{size_bytes / 1000**power:.1f} {unit}"
    return f"{size_bytes} B"
