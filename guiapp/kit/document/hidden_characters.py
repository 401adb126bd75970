"""What hides in the text: counted while people type, walked through, taken out."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.text.visible_text import NOTHING_HIDDEN, HiddenPlaces, hidden_places, without
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.background import LatestJob, Working, later

SMALL_BYTES = 1 << 15  # looked through at each key
PAUSE_MS = 150  # a longer text once typing has paused


class HiddenCharacters(Working):
    """The places of a text where characters hide, at this moment.

    Of a long text they move along with edits, and are looked for again when typing pauses.

    places  as far as they are known

    Signals:
        changed(): `places` is new.
    """

    changed = Signal()

    def __init__(self, text: TextSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._document = text.document
        self.places = NOTHING_HIDDEN
        self._is_known = False
        self.job = LatestJob[HiddenPlaces](self, self._take)
        self._pause = later(self, PAUSE_MS, self._search)
        self._document.edited.connect(self._on_edited)
        self._search_soon()

    @property
    def n_characters(self) -> int:
        return self.places.n_characters

    @property
    def n_places(self) -> int:
        return len(self.places.starts)

    def within(self, start: int, end: int) -> HiddenPlaces:
        """What hides in a part of the text, in bytes counted from `start`."""
        places = self._now()
        first, last = (
            int(np.searchsorted(places.ends, start, "right")),
            int(np.searchsorted(places.starts, end)),
        )
        starts, ends, counts = (column[first:last].copy() for column in places)
        starts, ends = np.maximum(starts, start), np.minimum(ends, end)
        for at in {0, len(starts) - 1} if len(starts) else ():  # those that the part may cut in two
            counts[at] = n_characters(self._document.slice(int(starts[at]), int(ends[at])))
        return HiddenPlaces(starts - start, ends - start, counts)

    def whole_places(self, start: int, end: int) -> tuple[int, int]:
        """A part of the text, made longer until it cuts no place in two."""
        starts, ends, _ = self._now()
        first, last = int(np.searchsorted(ends, start, "right")), int(np.searchsorted(starts, end))
        if first >= last:
            return start, end
        return min(start, int(starts[first])), max(end, int(ends[last - 1]))

    def step(self, by: int) -> None:
        """Select the next place behind the selection, or the one before; behind the last comes the first."""
        first, last = self._document.selection
        self.step_from(last if by > 0 else first, by)

    def step_from(self, offset: int, by: int) -> None:
        """The same of the next place from a byte of the text on, or the last one before it."""
        starts, ends, _ = self._now()
        if len(starts):
            is_on = by > 0
            at = int(np.searchsorted(starts if is_on else ends, offset, "left" if is_on else "right"))
            at = (at if is_on else at - 1) % len(starts)
            self._text.point_out(int(starts[at]), int(ends[at]))

    def remove(self) -> None:
        """Take all of them out of the text, as one step of undo; the caret stays where it is."""
        self.remove_within(0, self._document.size)

    def remove_within(self, start: int, end: int) -> None:
        """The same in a part of the text."""
        places = self.within(start, end)
        if not places.n_characters:
            return
        document = self._document
        first, last = int(places.starts[0]), int(places.ends[-1])
        moved = HiddenPlaces(places.starts - first, places.ends - first, places.counts)
        selection = [_offset_without(places, start, at) for at in (document.anchor, document.caret)]
        new = without(document.slice(start + first, start + last), moved)
        document.buffer.end_undo_step()
        document.replace(start + first, start + last, new)
        document.select(*selection)

    def text_without(self) -> bytes:
        """What is selected, or the whole text where that is nothing that can be seen, without them."""
        start, end = self._document.selection
        selected = without(self._document.slice(start, end), hidden_places(self._document.slice(start, end)))
        return selected or without(self._document.text(), self._now())

    def _now(self) -> HiddenPlaces:
        """All of the present text, at once."""
        if not self._is_known:
            self._pause.stop()
            self.job.cancel()
            self._take(hidden_places(self._document.text()))
        return self.places

    def _on_edited(self, edit: TextEdit) -> None:
        self._is_known = False
        self.job.cancel()
        if self._document.size > SMALL_BYTES:
            self._set(_moved(self.places, edit))
        self._search_soon()

    def _search_soon(self) -> None:
        if self._document.size <= SMALL_BYTES:
            self._pause.stop()
            self._take(hidden_places(self._document.text()))
        else:
            self._pause.start()

    def _search(self) -> None:
        text = self._document.text()
        self.job.start(lambda _: hidden_places(text))

    def _take(self, places: HiddenPlaces) -> None:
        self._is_known = True
        self._set(places)

    def _set(self, places: HiddenPlaces) -> None:
        is_same = all(map(np.array_equal, places, self.places))
        self.places = places
        if not is_same:
            self.changed.emit()


def _moved(places: HiddenPlaces, edit: TextEdit) -> HiddenPlaces:
    """The places that an edit left alone, where they are now."""
    starts, ends, counts = places
    before = int(np.searchsorted(ends, edit.start))
    behind = max(before, int(np.searchsorted(starts, edit.start + edit.removed, "right")))
    columns = (starts, edit.shift), (ends, edit.shift), (counts, 0)
    return HiddenPlaces(*(np.append(column[:before], column[behind:] + shift) for column, shift in columns))


def _offset_without(places: HiddenPlaces, start: int, offset: int) -> int:
    """Where a byte of the text is once these places, counted from `start`, are taken out."""
    at = offset - start
    before = np.minimum(places.ends, at) - np.minimum(places.starts, at)
    return offset - int(before.sum())
