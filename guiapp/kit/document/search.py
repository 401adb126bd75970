"""Matches of a search and hidden characters: spans that move with edits and can be stepped through."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.analysis.search.matches import NO_MATCHES, Query, QueryError, TextMatches, find, tokens_named
from guiapp.core.text.visible_text import NOTHING_HIDDEN, HiddenSpans, hidden_spans, without
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.spans.layout import SpanWindow
from guiapp.kit.state.background import Background, LatestJob, Progress, later

PAUSE_MS = 120  # a search starts when typing pauses, in the field or in the text
SMALL_BYTES = 1 << 15  # up to this size, hidden characters are searched for after each key …
HIDDEN_PAUSE_MS = 150  # … and in a longer text when typing has paused
Kind = Literal["text", "bytes", "regex", "token"]


class TextSearch(QObject):
    """Finds a text, bytes, a regular expression or a token everywhere in the document.

    While the text is edited, matches move with it; the edited parts are searched again when typing pauses.
    Stepping to a match selects it.

    is_open  whether a search is active: otherwise there are no matches
    problem  why the search failed
    current  the index of the selected match, from 0

    matches_case  whether the search distinguishes “The” from “the”

    Signals:
        query_changed(): `is_open`, `kind`, `query` or `matches_case` is new.
        found_changed(): the matches, `problem` or `is_searching` are new.
        current_changed(): `current` is new.
    """

    query_changed = Signal()
    found_changed = Signal()
    current_changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._document = session.document
        self.is_open = False
        self.kind: Kind = "text"
        self.query = ""
        self.matches_case = False
        self._found = NO_MATCHES
        self.problem = ""
        self.current: int | None = None
        self._origin = 0  # the offset where a new search begins
        self._step_when_found = 0
        self._is_going = False
        self.job = LatestJob[TextMatches](self, self._take, self._fail)
        self.job.busy_changed.connect(self.found_changed)
        self._pause = later(self, PAUSE_MS, self._search)
        session.document.selection_changed.connect(self._on_caret_moved)
        session.tokens_changed.connect(self._on_tokens_changed)

    # The query

    def open(self, step: int = 0) -> None:
        """Repeat the last search, then select the next match after the selection, or the previous one."""
        start, end = self._document.selection
        self._begin(end if step > 0 else start, step)

    def search_for(self, kind: Kind, query: str, origin: int) -> None:
        """Search at once, then select the first match from `origin` on."""
        self._set(kind, query, self.matches_case)
        self._begin(origin, 1)

    def _begin(self, origin: int, step: int) -> None:
        self._origin, self._step_when_found = origin, step
        self.is_open = True
        self.query_changed.emit()
        self._search()

    def end(self) -> None:
        """End the search; the selection stays."""
        self._pause.stop()
        self.job.cancel()
        self.is_open = False
        self.query_changed.emit()
        self._take(NO_MATCHES)

    def set_query(self, query: str) -> None:
        """Search for something else when typing pauses, then select the first match from the caret on."""
        self._set(self.kind, query, self.matches_case)

    def set_kind(self, kind: Kind) -> None:
        self._set(kind, self.query, self.matches_case)

    def set_matches_case(self, matches_case: bool) -> None:
        self._set(self.kind, self.query, matches_case)

    def _set(self, kind: Kind, query: str, matches_case: bool) -> None:
        if (kind, query, matches_case) == (self.kind, self.query, self.matches_case):
            return
        self.kind, self.query, self.matches_case = kind, query, matches_case
        if self.is_open:
            self._step_when_found = 1
            self._pause.start()
        self.query_changed.emit()

    # Results

    @property
    def n_matches(self) -> int:
        return len(self._found.starts)

    @property
    def has_all(self) -> bool:
        """Whether `n_matches` counts all matches."""
        return self._found.is_all

    @property
    def is_searching(self) -> bool:
        """Whether the matches are not yet those of the current query and text."""
        return self._pause.isActive() or self.job.is_busy

    def matches_in(self, start: int, end: int) -> SpanWindow:
        """The matches that overlap the bytes [start, end)."""
        starts, ends, _ = self._found
        first = int(np.searchsorted(ends, start, "right"))
        last = max(first, int(np.searchsorted(starts, end)))
        none = np.zeros(last - first, np.int32)
        return SpanWindow(first, none, starts[first:last], ends[first:last], none.astype(np.uint8))

    def step(self, by: int) -> None:
        """Select the next match, or the previous one; wraps around."""
        if self.is_searching:
            self._step_when_found = by
            if self._pause.isActive():
                self._search()
            return
        if self.current is not None:
            self._go((self.current + by) % self.n_matches)
        else:
            self._go_from(self._document.selection[0], by)
        self._origin = self._document.selection[0]

    def stop(self) -> None:
        self._pause.stop()
        self.job.wait()

    # Searching

    def _search(self) -> None:
        self._pause.stop()
        if not self.query:
            self.job.cancel()
            self._take(NO_MATCHES)
        elif self.kind == "token":
            self.job.cancel()
            self._find_token()
        else:
            query = Query(self.kind, self.query, self.matches_case)
            self.job.start(partial(find, self._document.text(), query))

    def _find_token(self) -> None:
        """Search at once: tokens change with every edit, and searching them is fast."""
        vocabulary = self._session.vocabulary
        if vocabulary is None:
            self._fail("Open a model first.")
            return
        try:
            tokens = tokens_named(vocabulary, self.query)
        except QueryError as error:
            self._fail(str(error))
        else:
            self._take(TextMatches(*self._session.tokens.spans_of(tokens), True))

    def _fail(self, problem: str) -> None:
        self._take(NO_MATCHES, problem)

    def _take(self, results: TextMatches, problem: str = "") -> None:
        self._found, self.problem = results, problem
        step, self._step_when_found = self._step_when_found, 0
        self._set_current(self._selected_match())
        self.found_changed.emit()
        if step and self.n_matches:
            self._go_from(self._origin, step)

    # Reacting to edits

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        if not (self.is_open and self.query):
            return
        if edit is not None:
            self.job.cancel()
            self._found = _moved(self._found, edit)
            self._set_current(None)
            self._pause.start()
            self.found_changed.emit()
        elif self.kind == "token":
            self._pause.start()

    def _on_caret_moved(self) -> None:
        if not self._is_going:
            self._origin = self._document.selection[0]
            self._set_current(self._selected_match())

    # Going to a match

    def _go_from(self, offset: int, by: int) -> None:
        """Select the first match from an offset on, or the last one before it."""
        if self.n_matches:
            after = int(np.searchsorted(self._found.starts, offset))
            self._go((after if by > 0 else after - 1) % self.n_matches)

    def _go(self, index: int) -> None:
        start, end = int(self._found.starts[index]), int(self._found.ends[index])
        self._is_going = True
        self._session.text.select(start, end)
        self._is_going = False
        self.current = index
        self.current_changed.emit()

    def _selected_match(self) -> int | None:
        start, end = self._document.selection
        index = int(np.searchsorted(self._found.starts, start))
        is_match = (
            index < self.n_matches and self._found.starts[index] == start and self._found.ends[index] == end
        )
        return index if is_match else None

    def _set_current(self, index: int | None) -> None:
        if index != self.current:
            self.current = index
            self.current_changed.emit()


def _moved(results: TextMatches, edit: TextEdit) -> TextMatches:
    """The matches that an edit did not touch, moved; in place if possible, which is faster."""
    starts, ends, is_all = results
    before = int(np.searchsorted(ends, edit.start, "right"))
    after = max(before, int(np.searchsorted(starts, edit.start + edit.removed)))
    starts[after:] += edit.shift
    ends[after:] += edit.shift
    if before == after:
        return results
    touched = slice(before, after)
    return TextMatches(np.delete(starts, touched), np.delete(ends, touched), is_all)


class HiddenCharacters(Background[HiddenSpans]):
    """The positions of hidden characters in the current text.

    In a long text they move with edits, and are searched for again when typing pauses.
    """

    def __init__(self, text: TextSession, parent: QObject | None = None) -> None:
        super().__init__(parent, self._prepare_search, is_watched=True)
        self._text = text
        self._document = text.document
        self._document.edited.connect(self._on_edited)
        self._on_edited()

    @property
    def spans(self) -> HiddenSpans:
        """The positions known so far."""
        return self.value or NOTHING_HIDDEN

    @property
    def n_characters(self) -> int:
        return self.spans.n_characters

    @property
    def n_spans(self) -> int:
        return len(self.spans.starts)

    def within(self, start: int, end: int) -> HiddenSpans:
        """The hidden characters in a part of the text, in bytes from `start`."""
        starts, ends, counts = (column[self._rows(start, end)].copy() for column in self._now())
        starts, ends = np.maximum(starts, start), np.minimum(ends, end)
        for at in {0, len(starts) - 1} if len(starts) else ():  # the part may cut the first and last in two
            counts[at] = n_characters(self._document.slice(int(starts[at]), int(ends[at])))
        return HiddenSpans(starts - start, ends - start, counts)

    def whole_spans(self, start: int, end: int) -> tuple[int, int]:
        """Extend a part of the text until it cuts no hidden run in two."""
        starts, ends, _ = (column[self._rows(start, end)] for column in self._now())
        return min([start, *starts[:1].tolist()]), max([end, *ends[-1:].tolist()])

    def _rows(self, start: int, end: int) -> slice:
        """The hidden runs that overlap a part of the text."""
        starts, ends, _ = self._now()
        return slice(int(np.searchsorted(ends, start, "right")), int(np.searchsorted(starts, end)))

    def step(self, by: int) -> None:
        """Select the next hidden run after the selection, or the previous one; wraps around."""
        first, last = self._document.selection
        self.step_from(last if by > 0 else first, by)

    def step_from(self, offset: int, by: int) -> None:
        """Point out the next hidden run from an offset on, or the previous one before it; wraps around."""
        starts, ends, _ = self._now()
        if len(starts):
            is_on = by > 0
            at = int(np.searchsorted(starts if is_on else ends, offset, "left" if is_on else "right"))
            at = (at if is_on else at - 1) % len(starts)
            self._text.point_out(int(starts[at]), int(ends[at]))

    def remove(self) -> None:
        """Remove all hidden characters in one undo step; the caret keeps its position."""
        self.remove_within(0, self._document.size)

    def remove_within(self, start: int, end: int) -> None:
        """Remove the hidden characters in a part of the text, likewise."""
        spans = self.within(start, end)
        if not spans.n_characters:
            return
        document = self._document
        first, last = int(spans.starts[0]), int(spans.ends[-1])
        moved = HiddenSpans(spans.starts - first, spans.ends - first, spans.counts)
        selection = [_offset_without(spans, start, at) for at in (document.anchor, document.caret)]
        new = without(document.slice(start + first, start + last), moved)
        document.buffer.end_undo_step()
        document.replace(start + first, start + last, new)
        document.select(*selection)

    def text_without(self) -> bytes:
        """The selection without hidden characters; the whole text if nothing visible is selected."""
        start, end = self._document.selection
        selected = without(self._document.slice(start, end), hidden_spans(self._document.slice(start, end)))
        return selected or without(self._document.text(), self._now())

    def _now(self) -> HiddenSpans:
        """All hidden runs of the current text; searches at once if needed."""
        if not self.is_current:
            self.cancel()
            self._set(hidden_spans(self._document.text()))
        return self.spans

    def _on_edited(self, edit: TextEdit | None = None) -> None:
        self.refresh(HIDDEN_PAUSE_MS)
        if self._document.size <= SMALL_BYTES:
            self._now()
        elif edit is not None:
            self.value = _moved_spans(self.spans, edit)
            self.changed.emit()

    def _prepare_search(self) -> Callable[[Progress], HiddenSpans]:
        text = self._document.text()
        return lambda _: hidden_spans(text)


def _moved_spans(spans: HiddenSpans, edit: TextEdit) -> HiddenSpans:
    """The hidden runs that an edit did not touch, moved."""
    starts, ends, counts = spans
    before = int(np.searchsorted(ends, edit.start))
    after = max(before, int(np.searchsorted(starts, edit.start + edit.removed, "right")))
    columns = (starts, edit.shift), (ends, edit.shift), (counts, 0)
    return HiddenSpans(*(np.append(column[:before], column[after:] + shift) for column, shift in columns))


def _offset_without(spans: HiddenSpans, start: int, offset: int) -> int:
    """Where an offset of the text moves to when these runs, counted from `start`, are removed."""
    at = offset - start
    before = np.minimum(spans.ends, at) - np.minimum(spans.starts, at)
    return offset - int(before.sum())
