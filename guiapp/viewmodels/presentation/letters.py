"""A text as the letters that are shown each in a cell of its own, and the order in which they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from PySide6.QtCore import QTextBoundaryFinder

from guiapp.viewmodels.text.flags import with_untorn_flags

CHIP = re.compile(r"<(?:U\+[0-9A-F]{4,6}|0x[0-9A-F]{2}|[0-9A-F]{2}(?: [0-9A-F]{2})*|/w)>")
# Arabic, Syriac, N'Ko, Mongolian and the like: how a letter looks depends on its neighbours.
JOINED = re.compile(
    "[\u0600-\u07ff\u0840-\u086f\u0870-\u08ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufeff\U00010d00-\U00010d3f]+"
)
UNITS = re.compile(f"{CHIP.pattern}|{JOINED.pattern}")
PAIR = re.compile(rb"(?s:.)[\xd8-\xdb](?s:.)[\xdc-\xdf]")  # of surrogates, in UTF-16-LE
STAND_INS = "·↵→␍ĠĊĉ▁"  # signs for one byte of white space
TURNED = ("R", "AL")


class Letter(NamedTuple):
    """What stands in a cell: a grapheme; a word that is written joined; a sign made of several characters.

    place  in bytes of the text, about: motion knows a letter again by it
    """

    text: str
    place: float
    is_sign: bool = False


def letters_of(text: str, start: float, end: float) -> tuple[Letter, ...]:
    """The letters of what is written for the bytes [start, end)."""
    units = list(_units(text))
    sizes = [_n_bytes(unit, is_sign) for unit, is_sign in units]
    if sum(sizes) != end - start:  # such as stand-ins for bytes: as if all were alike
        sizes = [(end - start) / max(1, len(units))] * len(units)
    letters, at = [], start
    for (unit, is_sign), size in zip(units, sizes, strict=True):
        letters.append(Letter(unit, at, is_sign))
        at += size
    return tuple(letters)


def _units(text: str) -> Iterator[tuple[str, bool]]:
    """What has a cell, and whether it is a sign."""
    at = 0
    for match in UNITS.finditer(text):
        yield from ((grapheme, False) for grapheme in _graphemes(text[at : match.start()]))
        yield match[0], match[0][0] == "<"
        at = match.end()
    yield from ((grapheme, False) for grapheme in _graphemes(text[at:]))


def _graphemes(text: str) -> Iterator[str]:
    """At Qt's bounds, but for those within a character, such as one behind U+0F71 that is unassigned."""
    if text.isascii():
        yield from text
        return
    units = text.encode("utf-16-le", "surrogatepass")
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, with_untorn_flags(text))
    at = 0
    while (bound := finder.toNextBoundary()) >= 0:
        if not PAIR.match(units, 2 * bound - 2):
            yield units[2 * at : 2 * bound].decode("utf-16-le", "surrogatepass")
            at = bound


def _n_bytes(unit: str, is_sign: bool) -> float:
    """How many bytes it stands for, as far as can be told."""
    if not is_sign:
        return 1 if unit in STAND_INS else len(unit.encode("utf-8", "surrogatepass"))
    digits = unit.strip("<>").removeprefix("0x").replace(" ", "")
    if digits.startswith("U+"):
        return len(chr(int(digits[2:], 16)).encode("utf-8", "surrogatepass"))
    return len(digits) / 2 if digits.isalnum() else 1


def side_of(text: str) -> str:
    """`L` or `R`, from where a text is read: by its first letter; "" where it has none."""
    kinds = map(unicodedata.bidirectional, text)
    return next(("R" if kind in TURNED else "L" for kind in kinds if kind in ("L", *TURNED)), "")


def visual_order(sides: Sequence[str], base: str) -> list[tuple[int, bool]]:
    """Stretches of text from left to right as they are seen, each with whether it is read from the right.

    What has no side goes with its neighbours where these agree, else with the base.
    """
    known = _resolved(sides, base)
    order: list[int] = []
    for side, run in groupby(range(len(known)), key=known.__getitem__):
        stretch = list(run)
        order += stretch if side == base else stretch[::-1]
    return [(at, known[at] == "R") for at in (order if base == "L" else order[::-1])]


def _resolved(sides: Sequence[str], base: str) -> list[str]:
    known = list(sides)
    before = base
    for at, side in enumerate(sides):
        if side:
            before = side
        else:
            behind = next((other for other in sides[at:] if other), base)
            known[at] = before if before == behind else base
    return known
