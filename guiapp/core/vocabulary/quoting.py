"""Texts from strangers' files as they may be shown in a sentence: one line, no control characters."""

from __future__ import annotations


def quoted(text: str | bytes, longest: int = 60) -> str:
    """`text` with everything unprintable escaped (also what turns writing direction), cut if long."""
    if isinstance(text, bytes):
        text = text[: 4 * longest].decode("utf-8", "surrogateescape")
    return elided("".join(map(_escaped, text[: 4 * longest])), longest)


def elided(text: str, longest: int) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def printable(text: str) -> str:
    """All of `text`, everything unprintable but line ends escaped: terminals and titles obey what is not."""
    return "".join(character if character == "\n" else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
