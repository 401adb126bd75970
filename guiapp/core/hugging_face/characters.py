"""The character sets that the components of Hugging Face's `tokenizers` 0.23 distinguish.

Parts of the library use different versions of Unicode: lower case and numbers (from Rust) 17.0, regular
expressions 16.0, normal forms 9.0, punctuation and accents 8.0.  The sets in characters/ were obtained from
the library itself; see resources/make_characters.py.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.aligned import AlignedText, Edits, Offsets, edited
from guiapp.core.text.normalized import common_ends
from guiapp.core.text.normalizers import ALONE_RANGES
from guiapp.core.text.unicode_tables import N_CODES, WHITESPACE_RANGES, Range, ranges_of
from guiapp.native.checkpoint import stoppable

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
LONG = 64  # characters of a segment; for longer ones, Python's own sorting takes too long
FOLDER = Path(__file__).with_name("characters")
DOTTED_CAPITAL_I = 0x130  # the only character whose lower case is two characters: i and a dot above

CharacterSet = Literal[
    "punctuation", "control", "combining", "nonspacing", "numeric", "word",
    "NFC", "NFD", "NFKC", "NFKD", "joins",
    "extending", "prepending", "breaking", "pictographic", "between_pictures",
    "consonants", "linkers", "linking",
]  # fmt: skip


@cache
def members(name: CharacterSet) -> NDArray[np.bool_]:
    """bool[0x110000]: which code points are in a set."""
    return np.cumsum(np.bincount(_data(name), minlength=N_CODES + 1))[:N_CODES] % 2 > 0


@cache
def ranges(name: CharacterSet) -> tuple[Range, ...]:
    """A set as ranges, both ends included."""
    edges = _data(name).tolist()
    return tuple((first, after - 1) for first, after in zip(edges[::2], edges[1::2], strict=True))


@cache
def lower_targets() -> NDArray[np.int32]:
    """int32[0x110000]: the lower case of each code point; U+0130 is unchanged."""
    targets = np.arange(N_CODES, dtype=np.int32)
    source, target = _data("lower")
    targets[source] = target
    return targets


@cache
def whitespace_members() -> NDArray[np.bool_]:
    return of_ranges(WHITESPACE_RANGES)


@cache
def ideographs() -> NDArray[np.bool_]:
    """The Chinese characters around which BERT adds spaces."""
    return of_ranges(ALONE_RANGES)


@cache
def scripts() -> NDArray[np.uint8]:
    """uint8[0x110000]: a number for the script of each code point; 0 is compatible with any script."""
    starts, numbers = _data("scripts")
    return np.repeat(numbers, np.diff(starts, append=N_CODES)).astype(np.uint8)


def of_ranges(included: tuple[Range, ...]) -> NDArray[np.bool_]:
    """bool[0x110000]: which code points are in one of the ranges."""
    result = np.zeros(N_CODES, np.bool_)
    for first, last in included:
        result[first : last + 1] = True
    return result


def _data(name: str) -> NDArray[np.int32]:
    table: NDArray[np.int32] = np.load(FOLDER / f"{name}.npy")
    return table


@dataclass(frozen=True)
class UnicodeForm:
    """One of the four normal forms."""

    form: Form

    def apply(self, text: AlignedText) -> AlignedText:
        if text.is_ascii:
            return text
        codes = text.codes()
        joins = self._joining()[codes]
        is_suspect = members(self.form)[codes] | joins
        if not is_suspect.any():
            return text
        segment_of = np.cumsum(~joins) - (0 if joins[0] else 1)
        starts = np.append(np.flatnonzero(~joins | (np.arange(len(joins)) == 0)), len(codes))
        suspects = np.unique(segment_of[is_suspect])
        first, stops = starts[suspects], starts[suspects + 1]
        return edited(text, self._edits(text, codes, first, stops))

    def _joining(self) -> NDArray[np.bool_]:
        """Which code points may change the characters before them."""
        return members("joins")

    def _edits(self, text: AlignedText, codes: NDArray[np.uint32], first: Offsets, stops: Offsets) -> Edits:
        """The edits for the segments of `codes` with these starts and stops."""
        known = dict[str, list[tuple[int, int, int]]]()  # starts and ends in a segment, and replacements
        replacements, chosen, starts, ends = list[bytes](), list[int](), list[int](), list[int]()
        characters = codes.tobytes().decode("utf-32-le")
        for start, end in stoppable(zip(first.tolist(), stops.tolist(), strict=True)):
            segment = characters[start:end]
            if segment not in known:
                changes = self._changes(segment)
                known[segment] = [(a, b, len(replacements) + n) for n, (a, b, _) in enumerate(changes)]
                replacements += [new.encode() for *_, new in changes]
            for inner_start, inner_end, number in known[segment]:
                chosen.append(number)
                starts.append(start + inner_start)
                ends.append(start + inner_end)
        offsets = text.character_starts()
        return Edits(offsets[starts], offsets[ends], np.array(chosen, np.int64), replacements)

    def _changes(self, segment: str) -> list[tuple[int, int, str]]:
        """Start, end and replacement of each change; single characters if they change independently."""
        new, alone = self._normalized(segment), list(map(self._normalized, segment))
        if new == "".join(alone):
            return [(at, at + 1, alone[at]) for at, own in enumerate(segment) if own != alone[at]]
        before, after = common_ends(segment, new)
        return [(before, len(segment) - after, new[before : len(new) - after])]

    def _normalized(self, segment: str) -> str:
        """Normalize a segment; only its first character may be newer than Unicode 9.0."""
        first = segment[0]
        is_old = members("NFKD")[ord(first)] or members("joins")[ord(first)]
        if not is_old and (unicodedata.combining(first) or unicodedata.normalize("NFKD", first) != first):
            return first + self._normalized(segment[1:]) if len(segment) > 1 else first
        if len(segment) > LONG:
            segment = _in_order(segment, "NFD" if self.form in ("NFC", "NFD") else "NFKD")
        return unicodedata.normalize(self.form, segment)


class PythonForm(UnicodeForm):
    """A normal form in Python's version of Unicode, for models whose own code is Python."""

    def _joining(self) -> NDArray[np.bool_]:
        return _joining_or_marks()

    def _normalized(self, segment: str) -> str:
        return unicodedata.normalize(self.form, _in_order(segment, "NFD") if len(segment) > LONG else segment)


@cache
def _joining_or_marks() -> NDArray[np.bool_]:
    return members("joins") | of_ranges(ranges_of("M"))


def _in_order(segment: str, form: Literal["NFD", "NFKD"]) -> str:
    """Decompose and sort a segment; Python's own normalization is quadratic in combining characters."""
    parts = {each: unicodedata.normalize(form, each) for each in set(segment)}
    decomposed = "".join(map(parts.__getitem__, segment))
    own_class = {each: unicodedata.combining(each) for each in set(decomposed)}
    classes = np.fromiter(map(own_class.__getitem__, decomposed), np.int64, len(decomposed))
    order = np.lexsort([classes, np.cumsum(classes == 0)])
    codes = np.frombuffer(decomposed.encode("utf-32-le"), np.uint32)
    return codes[order].tobytes().decode("utf-32-le")
