"""The smallest text of which something still holds: first parts go, then characters become simpler.

Source: Zeller & Hildebrandt 2002, Simplifying and Isolating Failure-Inducing Input, https://doi.org/10.1109/32.988498.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

MOST_TRIES = 600
SIMPLE = "a1. "  # the simplest first


def shrunk(text: bytes, holds: Callable[[bytes], bool], most_tries: int = MOST_TRIES) -> bytes:
    """A text from which no character can be left out, and none made simpler; `holds(text)` is true.

    A byte that is no UTF-8 counts as a character.  After `most_tries` it may not be the smallest.
    """
    still = _limited(holds, most_tries)
    characters = text.decode("utf-8", "surrogateescape")
    while (smaller := _simpler(_shorter(characters, still), still)) != characters:
        characters = smaller
    return _bytes(characters)


def shortened(text: bytes, holds: Callable[[bytes], bool]) -> bytes:
    """The same with no character made simpler."""
    still = _limited(holds, MOST_TRIES)
    return _bytes(_shorter(text.decode("utf-8", "surrogateescape"), still))


def _limited(holds: Callable[[bytes], bool], most_tries: int) -> Callable[[str], bool]:
    """Whether something holds, "no" after so many questions."""
    tries = iter(range(most_tries))
    return lambda characters: next(tries, None) is not None and holds(_bytes(characters))


def _bytes(characters: str) -> bytes:
    return characters.encode("utf-8", "surrogateescape")


def _shorter(text: str, still: Callable[[str], bool]) -> str:
    """Without all parts that can go: halves first, single characters last."""
    size = max(len(text) // 2, 1)
    while True:
        at, is_shorter = 0, False
        while at < len(text):
            less = text[:at] + text[at + size :]
            if still(less):
                text, is_shorter = less, True
            else:
                at += size
        if size == 1 and not is_shorter:
            return text
        size = max(min(size // 2, len(text) // 2), 1)


def _simpler(text: str, still: Callable[[str], bool]) -> str:
    for at in range(len(text)):
        for character in _simpler_characters(text[at]):
            other = text[:at] + character + text[at + 1 :]
            if still(other):
                text = other
                break
    return text


def _simpler_characters(character: str) -> Iterator[str]:
    if character not in SIMPLE:
        yield from SIMPLE
        base = unicodedata.normalize("NFD", character)[0]
        for other in (base.lower(), base, character.lower()):
            if other != character and len(other) == 1 and other not in SIMPLE:
                yield other
