"""A text between normalizers and pre-tokenizers: its present bytes, and the origin of each byte.

A component returns its changes as `Edits`; one routine applies them to the text, its alignment and the ends
of its pieces.  The alignment follows the rule in text/normalized.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.normalized import NormalizedText
from guiapp.core.vocabulary.byte_alphabet import CODE_POINTS
from guiapp.errors import EncodeError

IS_WIDE = CODE_POINTS >= 0x80
FIRST = np.where(IS_WIDE, 0xC0 | CODE_POINTS >> 6, CODE_POINTS).astype(np.uint8)
SECOND = (0x80 | CODE_POINTS & 0x3F).astype(np.uint8)
Offsets = NDArray[np.int64]
Spans = tuple[Offsets, Offsets]
"""Starts and ends."""


def most_grown(size: int) -> int:
    """The maximum size of a text of `size` bytes after all changes; Unicode's rules make at most 11 of one.

    Each byte takes about 80 bytes of memory while a text is changed.
    """
    return min(32 * size + 256, 4 * size + (1 << 20))


class Edits(NamedTuple):
    """Disjoint spans of a text, in order, and their replacements.

    starts, ends  int64[k]; start == end means an insertion
    chosen        int64[k]  the index of the replacement
    replacements  each may be used for many spans
    takes_last    in the library, a replacement has the origin of the last byte of its span (or of the byte
                  before an insertion) instead of the first; this affects `n_first`
    """

    starts: Offsets
    ends: Offsets
    chosen: Offsets
    replacements: Sequence[bytes]
    takes_last: bool | NDArray[np.bool_] = False

    @classmethod
    def alike(
        cls, starts: Offsets, ends: Offsets, content: str, takes_last: bool | NDArray[np.bool_] = False
    ) -> Edits:
        """The same replacement for each span."""
        return cls(starts, ends, np.zeros(len(starts), np.int64), [content.encode()], takes_last)


@dataclass(frozen=True, eq=False)
class AlignedText:
    """A text, and the origin of each of its bytes in a fragment.

    data      uint8[m], well-formed UTF-8
    spans     returns starts and ends in the fragment, int64[m] each; None: the bytes are unchanged
    n_first   the number of leading bytes that, to the library, come from the first character of the text
    most      the maximum number of bytes to which it may grow
    """

    data: NDArray[np.uint8]
    spans: Callable[[], Spans] | None = None
    n_first: int = 0
    most: int = 0

    @property
    def is_ascii(self) -> bool:
        return len(self.data) == 0 or int(self.data.max()) < 0x80

    @property
    def normalized(self) -> NormalizedText:
        return NormalizedText(self.data, *self.both_spans())

    def part(self, start: int, end: int) -> AlignedText:
        """The bytes from `start` to `end`; their spans still refer to the whole fragment."""
        n_first = min(max(self.n_first - start, 0), end - start)
        most = self.most * (end - start) // max(len(self.data), 1)
        return AlignedText(self.data[start:end], lambda: self.both_spans(start, end), n_first, most)

    def codes(self) -> NDArray[np.uint32]:
        """The code points."""
        return np.frombuffer(self.text().encode("utf-32-le"), np.uint32)

    def text(self) -> str:
        return self.data.tobytes().decode()

    def character_starts(self) -> Offsets:
        """The start of each character, and the size: int64[n + 1]."""
        if self.is_ascii:
            return np.arange(len(self.data) + 1)
        return np.append(np.flatnonzero(self.data & 0xC0 != 0x80), len(self.data))

    def keep(self, is_selected: NDArray[np.bool_]) -> AlignedText:
        """The text with only the selected bytes."""

        def spans() -> Spans:
            starts, ends = self.both_spans()
            return starts[is_selected], ends[is_selected]

        n_first = int(np.count_nonzero(is_selected[: self.n_first]))
        return AlignedText(self.data[is_selected], spans, n_first, self.most)

    def check_growth(self, size: int) -> None:
        """Raise EncodeError if the text would get too many bytes; call before allocating memory for it."""
        if size > max(self.most, len(self.data)):
            raise EncodeError(
                f"This tokenizer's rules make at least {size:,} bytes of this text, "
                "so it was not encoded. Choose another model, or a shorter text."
            )

    def both_spans(self, start: int = 0, end: int | None = None) -> Spans:
        """Starts and ends in the fragment for the bytes from `start` to `end`; by default for all."""
        if self.spans is not None:
            starts, ends = self._made_spans
            return starts[start:end], ends[start:end]
        starts = np.arange(start, len(self.data) if end is None else end)
        return starts, starts + 1

    @cached_property
    def _made_spans(self) -> Spans:
        assert self.spans is not None
        return self.spans()


def aligned(fragment: bytes, is_first: bool) -> AlignedText:
    """An unchanged fragment; `is_first`: it is the beginning of the whole text."""
    data = np.frombuffer(fragment, np.uint8)
    n_first = 0
    if is_first and len(data):
        n_first = 1 + int(data[0] >= 0xC0) + int(data[0] >= 0xE0) + int(data[0] >= 0xF0)
    return AlignedText(data, None, n_first, most_grown(len(data)))


def with_whole_characters(text: AlignedText, fragment: NDArray[np.uint8]) -> AlignedText:
    """The text with spans that do not divide characters of the fragment.

    A partly dropped character belongs as a whole to the rest of it; a character that became several belongs
    to the first one.
    """
    return text if text.spans is None else replace(text, spans=lambda: _whole_spans(text, fragment))


def _whole_spans(text: AlignedText, fragment: NDArray[np.uint8]) -> Spans:
    starts, ends = text.both_spans()
    is_inside = np.append(fragment & 0xC0 == 0x80, False)
    ends_before, starts_behind = np.append(0, ends[:-1]), np.append(starts[1:], len(fragment))
    late = np.flatnonzero((ends_before < starts) & is_inside[starts])
    early = np.flatnonzero((ends < starts_behind) & is_inside[ends])
    cut = np.flatnonzero(is_inside[starts] & (text.data & 0xC0 != 0x80))
    if len(late) + len(early) + len(cut) == 0:
        return starts, ends
    borders = np.flatnonzero(~is_inside)
    starts, ends = starts.copy(), ends.copy()
    before = borders[np.searchsorted(borders, starts[late]) - 1]
    next_borders = borders[np.searchsorted(borders, ends[early])]
    starts[late] = np.maximum(before, ends_before[late])
    ends[early] = np.minimum(next_borders, starts_behind[early])
    limits = np.zeros(len(starts) + 1, np.int64)
    limits[cut] = borders[np.searchsorted(borders, starts[cut])]
    limits = np.maximum.accumulate(limits)
    return np.maximum(starts, limits[:-1]), np.maximum(ends, limits[1:])


def edited(text: AlignedText, edits: Edits) -> AlignedText:
    """The text with spans replaced.  Raises EncodeError if it would become far too long."""
    return edited_pieces(text, edits, np.zeros(0, np.int64))[0]


def edited_pieces(text: AlignedText, edits: Edits, piece_ends: Offsets) -> tuple[AlignedText, Offsets]:
    """Like `edited`, also with the new piece ends; an insertion between two pieces belongs to the second."""
    if len(edits.starts) == 0:
        return text, piece_ends
    sizes = np.array([len(each) for each in edits.replacements], np.int64)[edits.chosen]
    lengths = edits.ends - edits.starts
    size = len(text.data) + int(sizes.sum()) - int(lengths.sum())
    text.check_growth(size)
    # The new text is gap, replacement, gap, …, gap; `is_selected` marks the bytes of gaps.
    growth = np.cumsum(sizes - lengths)
    new_starts = edits.starts + growth - sizes + lengths
    inner = _counted_up(sizes)
    indexes = np.repeat(new_starts, sizes) + inner
    is_selected = np.ones(size, np.bool_)
    is_selected[indexes] = False
    is_old = np.ones(len(text.data), np.bool_)
    is_old[np.repeat(edits.starts, lengths) + _counted_up(lengths)] = False
    data = np.empty(size, np.uint8)
    data[is_selected] = text.data[is_old]
    data[indexes] = _replacement_bytes(edits, sizes, inner)
    moved = piece_ends + np.append(0, growth)[np.searchsorted(edits.starts, piece_ends)]
    where = is_selected, is_old, indexes
    new = AlignedText(data, lambda: _new_spans(text, edits, sizes, inner, where))
    return replace(new, n_first=_new_first(text, edits, sizes), most=text.most), moved


def _new_spans(
    text: AlignedText,
    edits: Edits,
    sizes: Offsets,
    inner: Offsets,
    where: tuple[NDArray[np.bool_], NDArray[np.bool_], Offsets],
) -> Spans:
    """Map each byte of a replacement to a byte of its span, the last one to the rest of the span."""
    is_selected, is_old, indexes = where
    old_starts, old_ends = text.both_spans()
    starts, ends = np.empty(len(is_selected), np.int64), np.empty(len(is_selected), np.int64)
    starts[is_selected], ends[is_selected] = old_starts[is_old], old_ends[is_old]
    if len(text.data) == 0:
        starts[indexes] = ends[indexes] = 0
        return starts, ends
    last = len(text.data) - 1
    is_insertion = (edits.starts == edits.ends) & (edits.starts <= last)
    limits = np.where(
        is_insertion, old_starts[np.minimum(edits.starts, last)], old_ends[np.maximum(edits.ends, 1) - 1]
    )
    source, limit = np.repeat(edits.starts, sizes) + inner, np.repeat(limits, sizes)
    has_source = source < np.repeat(edits.ends, sizes)
    has_next = has_source & (inner < np.repeat(sizes, sizes) - 1)
    source = np.minimum(source, last)
    starts[indexes] = np.where(has_source, old_starts[source], limit)
    ends[indexes] = np.where(has_next, old_ends[source], limit)
    return starts, ends


def _new_first(text: AlignedText, edits: Edits, sizes: Offsets) -> int:
    """`n_first` after the edits."""
    if text.n_first == 0:
        return 0
    near = slice(int(np.searchsorted(edits.starts, text.n_first, "right")))
    starts, ends = edits.starts[near], edits.ends[near]
    takes_last = np.broadcast_to(edits.takes_last, edits.starts.shape)[near]
    sources = np.where(takes_last, np.where(starts == ends, starts, ends) - 1, starts)
    n_replaced = int((np.minimum(ends, text.n_first) - starts).sum())
    return text.n_first - n_replaced + int(sizes[near][sources < text.n_first].sum())


def _replacement_bytes(edits: Edits, sizes: Offsets, inner: Offsets) -> NDArray[np.uint8]:
    if len(edits.replacements) == 1:
        own = np.frombuffer(edits.replacements[0], np.uint8)
        return np.tile(own, len(edits.starts))
    pool = np.frombuffer(b"".join(edits.replacements), np.uint8)
    offsets = np.cumsum([0, *map(len, edits.replacements)])[edits.chosen]
    return pool[np.repeat(offsets, sizes) + inner]


def _counted_up(sizes: Offsets) -> Offsets:
    """0, 1, …, size - 1 for each size in turn."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - sizes, sizes)


def mapped_characters(
    text: AlignedText, changes: NDArray[np.bool_], target: Callable[[int], bytes]
) -> AlignedText:
    """Replace each character that is marked in `changes` (bool[0x110000]) by its target."""
    codes = text.codes()
    which = np.flatnonzero(changes[codes])
    if len(which) == 0:
        return text
    starts = text.character_starts()
    distinct_codes, chosen = np.unique(codes[which], return_inverse=True)
    replacements = [target(code) for code in distinct_codes.tolist()]
    return edited(text, Edits(starts[which], starts[which + 1], chosen.astype(np.int64), replacements))


# Spell each byte of a text as its character in GPT-2's alphabet


def as_characters(text: AlignedText, piece_ends: Offsets) -> tuple[AlignedText, Offsets]:
    """The text in GPT-2's alphabet, and its piece ends; the second byte of a character has an empty span."""
    is_wide = IS_WIDE[text.data]
    text.check_growth(len(is_wide) + int(np.count_nonzero(is_wide)))
    offsets_after = np.cumsum(is_wide + 1)
    size = int(offsets_after[-1]) if len(offsets_after) else 0
    data = np.empty(size, np.uint8)
    first, second = offsets_after - 1 - is_wide, offsets_after[is_wide] - 1
    data[first], data[second] = FIRST[text.data], SECOND[text.data[is_wide]]

    def spans() -> Spans:
        starts, ends = np.empty(size, np.int64), np.empty(size, np.int64)
        old_starts, old_ends = text.both_spans()
        starts[first], ends[first] = old_starts, old_ends
        starts[second] = ends[second] = old_ends[is_wide]
        return starts, ends

    moved = np.append(0, offsets_after)
    return AlignedText(data, spans, int(moved[text.n_first]), text.most), moved[piece_ends]
