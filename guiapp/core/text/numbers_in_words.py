"""How numbers, and texts from untrusted files, are written for the user."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """`1 token`, `2,000 tokens`."""
    return f"1 {thing}" if number == 1 else f"{number:,} {thing}s"


def times(number: int) -> str:
    """`never`, `once`, `2 times`."""
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")


def percent(share: float, n_decimals: int = 0) -> str:
    """`95 %` of 0.95, `95.0 %` with a decimal."""
    return f"{100 * share:.{n_decimals}f} %"


def three_digits(number: float) -> str:
    """`1,234`, `99.9`, `9.88`, `0.01`: about three digits, at most two decimals."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def in_bytes(size_bytes: int) -> str:
    """`512 B`, `1.2 kB`, `4.7 GB`: 1 kB is 1000 bytes."""
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if size_bytes >= 1000**power:
            return f"{size_bytes / 1000**power:.1f} {unit}"
    return f"{size_bytes} B"


def short_number(value: float) -> str:
    """At most three digits and a prefix: 1.24 M, 2 M."""
    scaled, prefix = _with_prefix(value)
    return f"{scaled:.3g}{prefix}"


def with_prefix(value: float) -> str:
    """Three digits and a prefix, with trailing zeros, for values measured alike: 1.24 M, 2.00 M."""
    scaled, prefix = _with_prefix(value)
    return f"{scaled:#.3g}".rstrip(".") + prefix


def _with_prefix(value: float) -> tuple[float, str]:
    for factor, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return value / factor, prefix
    return value, ""


def quoted(text: str | bytes, longest: int = 60) -> str:
    """`text` with everything unprintable escaped (also changes of direction), cut if long."""
    if isinstance(text, bytes):
        text = text[: 4 * longest].decode("utf-8", "surrogateescape")
    text = text[: 4 * longest]
    return elided(text if text.isprintable() else "".join(map(_escaped, text)), longest)


def elided(text: str, longest: int) -> str:
    """The text, cut with an ellipsis if it is longer."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def capitalized(text: str) -> str:
    """The text with its first letter as a capital, and the others unchanged."""
    return text[:1].upper() + text[1:]


def printable(text: str) -> str:
    """`text` with everything unprintable but line ends escaped: terminals and titles would obey it."""
    return "".join(character if character == "\n" else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
