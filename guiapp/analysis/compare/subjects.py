"""What a difference between two texts, or a cut in one, is about, in a word or two."""

from __future__ import annotations

import re
import unicodedata

NEAR = 3  # characters: as long as a contraction


def _without_marks(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return "".join(character for character in apart if unicodedata.category(character)[0] != "M")


def what_differs(mine: str, other: str) -> str:
    """What two normalised texts differ in."""
    return next((name for name, alike in ALIKE if alike(mine) == alike(other)), "characters")


ALIKE = (
    ("the space in front", lambda text: text.lstrip(" ")),
    ("spaces", lambda text: "".join(text.split())),
    ("case", str.lower),
    ("composed characters", lambda text: unicodedata.normalize("NFC", text)),
    ("compatible characters", lambda text: unicodedata.normalize("NFKC", text)),
    ("accents", _without_marks),
    ("accents and case", lambda text: _without_marks(text).lower()),
)
"""What texts differ in that are equal by the function; the first one counts."""

CONTRACTION = re.compile("['’](?:[stmd]|re|ve|ll)", re.IGNORECASE)


def what_is_cut(before: str, after: str) -> str:
    """What a cut is about, by the text on both sides of it."""
    first, second = before[-1:], after[:1]
    near = before[-NEAR:] + after[:NEAR]
    if any(
        match.start() < len(before[-NEAR:]) + 1 and match.end() >= len(before[-NEAR:])
        for match in CONTRACTION.finditer(near)
    ):
        return "contractions"
    kinds = {_kind(each) for each in (first, second) if each}
    return next((name for name in ORDER if name in kinds), "the end of the text")


def _kind(character: str) -> str:
    if character in "\r\n":
        return "line ends"
    if character.isspace():
        return "spaces"
    return {"N": "digits", "M": "accents", "L": "letters"}.get(unicodedata.category(character)[0], "signs")


ORDER = ("digits", "line ends", "spaces", "accents", "signs", "letters")
