"""Unicode's normal forms as they were in Unicode 9.0, whatever version Python knows.

A text is taken apart before every character that cannot meet the one before it; only those stretches that may
change are given to Python.  Characters that have come since 9.0 stay as they are.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from guiapp.core.components.aligned import AlignedText, Edits, Offsets, edited
from guiapp.core.components.characters import members
from guiapp.core.system.checkpoint import stoppable

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
LONG = 64  # characters of a stretch from which on Python's way of sorting takes too long


@dataclass(frozen=True)
class UnicodeForm:
    """One of the four normal forms."""

    form: Form

    def apply(self, text: AlignedText) -> AlignedText:
        if text.is_ascii:
            return text
        codes = text.codes()
        joins = members("joins")[codes]
        is_suspect = members(self.form)[codes] | joins
        if not is_suspect.any():
            return text
        stretch_of = np.cumsum(~joins) - (0 if joins[0] else 1)
        starts = np.append(np.flatnonzero(~joins | (np.arange(len(joins)) == 0)), len(codes))
        suspects = np.unique(stretch_of[is_suspect])
        first, behind = starts[suspects], starts[suspects + 1]
        return edited(text, self._edits(text, codes, first, behind))

    def _edits(self, text: AlignedText, codes: NDArray[np.uint32], first: Offsets, behind: Offsets) -> Edits:
        """What becomes something else, without what stays as it is on both sides of it."""
        known = dict[str, tuple[int, int, int] | None]()  # the replacement, and how much stays on both sides
        replacements, chosen, starts, ends = list[bytes](), list[int](), list[int](), list[int]()
        characters = codes.tobytes().decode("utf-32-le")
        for start, end in stoppable(zip(first.tolist(), behind.tolist(), strict=True)):
            stretch = characters[start:end]
            if stretch not in known:
                new = self._normalized(stretch)
                before = _length_in_common(stretch, new)
                after = _length_in_common(stretch[before:][::-1], new[before:][::-1])
                known[stretch] = None if new == stretch else (len(replacements), before, after)
                replacements.append(new[before : len(new) - after].encode())
            if (found := known[stretch]) is not None:
                number, before, after = found
                chosen.append(number)
                starts.append(start + before)
                ends.append(end - after)
        places = text.character_starts()
        return Edits(places[starts], places[ends], np.array(chosen, np.int64), replacements)

    def _normalized(self, stretch: str) -> str:
        """Of a stretch of which only the first character may be later than Unicode 9.0."""
        first = stretch[0]
        is_old = members("NFKD")[ord(first)] or members("joins")[ord(first)]
        if not is_old and (unicodedata.combining(first) or unicodedata.normalize("NFKD", first) != first):
            return first + self._normalized(stretch[1:]) if len(stretch) > 1 else first
        if len(stretch) > LONG:
            stretch = _in_order(stretch, "NFD" if self.form in ("NFC", "NFD") else "NFKD")
        return unicodedata.normalize(self.form, stretch)


def _length_in_common(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _in_order(stretch: str, form: Literal["NFD", "NFKD"]) -> str:
    """Decomposed and sorted; Python would take the square of the number of combining characters for it."""
    parts = {each: unicodedata.normalize(form, each) for each in set(stretch)}
    decomposed = "".join(map(parts.__getitem__, stretch))
    own_class = {each: unicodedata.combining(each) for each in set(decomposed)}
    classes = np.fromiter(map(own_class.__getitem__, decomposed), np.int64, len(decomposed))
    order = np.lexsort([classes, np.cumsum(classes == 0)])
    codes = np.frombuffer(decomposed.encode("utf-32-le"), np.uint32)
    return codes[order].tobytes().decode("utf-32-le")
