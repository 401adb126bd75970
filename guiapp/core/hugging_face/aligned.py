"""A text on its way through normalizers and pre-tokenizers: what it is by now, and where each byte came from.

A component says what it changes as `Edits`; one routine applies them to the text, to its alignment and to the
ends of its pieces.  The alignment follows the rule of text/normalized.py.
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
    """How long a text of `size` may become in all; Unicode's own rules make 11 bytes of one at most.

    Each byte takes some 80 while a text is changed.
    """
    return min(32 * size + 256, 4 * size + (1 << 20))


class Edits(NamedTuple):
    """Stretches of a text, in order and apart from each other, and what takes their place.

    starts, ends  int64[k]; equal ones mean inserted text
    chosen        int64[k]  which of the replacements
    replacements  each may be used by many stretches
    takes_last    to the library, a replacement comes from where the last byte of its stretch did, or the byte
                  before inserted text, not from where the first one did; that matters for `n_first`
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
        """The same in place of each stretch."""
        return cls(starts, ends, np.zeros(len(starts), np.int64), [content.encode()], takes_last)


@dataclass(frozen=True, eq=False)
class AlignedText:
    """A text, and where in a fragment each of its bytes came from.

    data      uint8[m], well-formed UTF-8
    spans     makes starts and ends in the fragment, int64[m] each, when asked; None: of the very same bytes
    n_first   so many bytes in front come from the first character of the whole text, as the library sees it
    most      bytes that it may grow to
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
        """The bytes from `start` to `end`; their spans are still those of the whole fragment."""
        n_first = min(max(self.n_first - start, 0), end - start)
        most = self.most * (end - start) // max(len(self.data), 1)
        return AlignedText(self.data[start:end], lambda: self.both_spans(start, end), n_first, most)

    def codes(self) -> NDArray[np.uint32]:
        """The code points."""
        return np.frombuffer(self.text().encode("utf-32-le"), np.uint32)

    def text(self) -> str:
        return self.data.tobytes().decode()

    def character_starts(self) -> Offsets:
        """Where each character begins, and the size: int64[n + 1]."""
        if self.is_ascii:
            return np.arange(len(self.data) + 1)
        return np.append(np.flatnonzero(self.data & 0xC0 != 0x80), len(self.data))

    def keep(self, is_selected: NDArray[np.bool_]) -> AlignedText:
        """Without some bytes."""

        def spans() -> Spans:
            starts, ends = self.both_spans()
            return starts[is_selected], ends[is_selected]

        n_first = int(np.count_nonzero(is_selected[: self.n_first]))
        return AlignedText(self.data[is_selected], spans, n_first, self.most)

    def check_growth(self, size: int) -> None:
        """Raise EncodeError, before memory is taken for it, where the text is to have too many bytes."""
        if size > max(self.most, len(self.data)):
            raise EncodeError(
                f"This tokenizer's rules make at least {size:,} bytes of this text, "
                "so it was not encoded. Choose another model, or a shorter text."
            )

    def both_spans(self, start: int = 0, end: int | None = None) -> Spans:
        """Starts and ends in the fragment of the bytes from `start` to `end`; by default of all."""
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
    """A fragment, unchanged; `is_first`: the whole text begins with it."""
    data = np.frombuffer(fragment, np.uint8)
    n_first = 0
    if is_first and len(data):
        n_first = 1 + int(data[0] >= 0xC0) + int(data[0] >= 0xE0) + int(data[0] >= 0xF0)
    return AlignedText(data, None, n_first, most_grown(len(data)))


def with_whole_characters(text: AlignedText, fragment: NDArray[np.uint8]) -> AlignedText:
    """The same, but no character of the fragment is cut in two.

    Where a part of one was dropped, it goes whole to what stays of it; where it became several characters, to
    the first of them.
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
    """The text with stretches replaced.  Raises EncodeError where it would become far too long."""
    return edited_pieces(text, edits, np.zeros(0, np.int64))[0]


def edited_pieces(text: AlignedText, edits: Edits, piece_ends: Offsets) -> tuple[AlignedText, Offsets]:
    """The same, and the new ends of pieces; what is inserted where pieces meet belongs to the later one."""
    if len(edits.starts) == 0:
        return text, piece_ends
    sizes = np.array([len(each) for each in edits.replacements], np.int64)[edits.chosen]
    lengths = edits.ends - edits.starts
    size = len(text.data) + int(sizes.sum()) - int(lengths.sum())
    text.check_growth(size)
    # The new text is gap, replacement, gap, …, gap; `kept` are the bytes of gaps.
    growth = np.cumsum(sizes - lengths)
    new_starts = edits.starts + growth - sizes + lengths
    inner = _counted_up(sizes)
    places = np.repeat(new_starts, sizes) + inner
    is_selected = np.ones(size, np.bool_)
    is_selected[places] = False
    is_old = np.ones(len(text.data), np.bool_)
    is_old[np.repeat(edits.starts, lengths) + _counted_up(lengths)] = False
    data = np.empty(size, np.uint8)
    data[is_selected] = text.data[is_old]
    data[places] = _replacement_bytes(edits, sizes, inner)
    moved = piece_ends + np.append(0, growth)[np.searchsorted(edits.starts, piece_ends)]
    where = is_selected, is_old, places
    new = AlignedText(data, lambda: _new_spans(text, edits, sizes, inner, where))
    return replace(new, n_first=_new_first(text, edits, sizes), most=text.most), moved


def _new_spans(
    text: AlignedText,
    edits: Edits,
    sizes: Offsets,
    inner: Offsets,
    where: tuple[NDArray[np.bool_], NDArray[np.bool_], Offsets],
) -> Spans:
    """Each byte of a replacement takes a byte of its stretch, the last one all that is left of it."""
    is_selected, is_old, places = where
    old_starts, old_ends = text.both_spans()
    starts, ends = np.empty(len(is_selected), np.int64), np.empty(len(is_selected), np.int64)
    starts[is_selected], ends[is_selected] = old_starts[is_old], old_ends[is_old]
    if len(text.data) == 0:
        starts[places] = ends[places] = 0
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
    starts[places] = np.where(has_source, old_starts[source], limit)
    ends[places] = np.where(has_next, old_ends[source], limit)
    return starts, ends


def _new_first(text: AlignedText, edits: Edits, sizes: Offsets) -> int:
    """`n_first` behind the edits."""
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
    """Each character that `changes` (bool[0x110000]) marks replaced by its target."""
    codes = text.codes()
    which = np.flatnonzero(changes[codes])
    if len(which) == 0:
        return text
    starts = text.character_starts()
    distinct_codes, chosen = np.unique(codes[which], return_inverse=True)
    replacements = [target(code) for code in distinct_codes.tolist()]
    return edited(text, Edits(starts[which], starts[which + 1], chosen.astype(np.int64), replacements))


# Spell each byte of a text as the character that GPT-2 writes for it


def as_characters(text: AlignedText, piece_ends: Offsets) -> tuple[AlignedText, Offsets]:
    """The text so spelled, and where its pieces end; the second byte of a character comes from nowhere."""
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
