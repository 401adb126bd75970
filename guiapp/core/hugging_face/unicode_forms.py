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

from guiapp.core.hugging_face.aligned import AlignedText, Edits, Offsets, edited
from guiapp.core.hugging_face.characters import members
from guiapp.core.text.common_ends import common_ends
from guiapp.native.checkpoint import stoppable

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
        """What becomes something else."""
        known = dict[str, list[tuple[int, int, int]]]()  # starts and ends in a stretch, and replacements
        replacements, chosen, starts, ends = list[bytes](), list[int](), list[int](), list[int]()
        characters = codes.tobytes().decode("utf-32-le")
        for start, end in stoppable(zip(first.tolist(), behind.tolist(), strict=True)):
            stretch = characters[start:end]
            if stretch not in known:
                changes = self._changes(stretch)
                known[stretch] = [(a, b, len(replacements) + n) for n, (a, b, _) in enumerate(changes)]
                replacements += [new.encode() for *_, new in changes]
            for inner_start, inner_end, number in known[stretch]:
                chosen.append(number)
                starts.append(start + inner_start)
                ends.append(start + inner_end)
        places = text.character_starts()
        return Edits(places[starts], places[ends], np.array(chosen, np.int64), replacements)

    def _changes(self, stretch: str) -> list[tuple[int, int, str]]:
        """Starts and ends of what changes, and what it becomes: characters by themselves, if that is all."""
        new, alone = self._normalized(stretch), list(map(self._normalized, stretch))
        if new == "".join(alone):
            return [(at, at + 1, alone[at]) for at, own in enumerate(stretch) if own != alone[at]]
        before, after = common_ends(stretch, new)
        return [(before, len(stretch) - after, new[before : len(new) - after])]

    def _normalized(self, stretch: str) -> str:
        """Of a stretch of which only the first character may be later than Unicode 9.0."""
        first = stretch[0]
        is_old = members("NFKD")[ord(first)] or members("joins")[ord(first)]
        if not is_old and (unicodedata.combining(first) or unicodedata.normalize("NFKD", first) != first):
            return first + self._normalized(stretch[1:]) if len(stretch) > 1 else first
        if len(stretch) > LONG:
            stretch = _in_order(stretch, "NFD" if self.form in ("NFC", "NFD") else "NFKD")
        return unicodedata.normalize(self.form, stretch)


def _in_order(stretch: str, form: Literal["NFD", "NFKD"]) -> str:
    """Decomposed and sorted; Python would take the square of the number of combining characters for it."""
    parts = {each: unicodedata.normalize(form, each) for each in set(stretch)}
    decomposed = "".join(map(parts.__getitem__, stretch))
    own_class = {each: unicodedata.combining(each) for each in set(decomposed)}
    classes = np.fromiter(map(own_class.__getitem__, decomposed), np.int64, len(decomposed))
    order = np.lexsort([classes, np.cumsum(classes == 0)])
    codes = np.frombuffer(decomposed.encode("utf-32-le"), np.uint32)
    return codes[order].tobytes().decode("utf-32-le")
