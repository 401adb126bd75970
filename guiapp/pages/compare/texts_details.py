"""The side panel of two texts: their common prefix, the current change, and a list of all changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLabel, QTableView

from guiapp.analysis.compare.id_changes import TOO_LONG, notes, tokens_in_words
from guiapp.analysis.export.tables import NONE
from guiapp.core.text.numbers_in_words import counted, elided, percent, quoted
from guiapp.core.text.visible_text import isolate
from guiapp.kit.side_by_side.details import ItemDetails, row_of
from guiapp.kit.side_by_side.grid import GridRow
from guiapp.kit.side_by_side.linked import MarkedSpans
from guiapp.kit.spans.legend import QUIET, RINGED, LegendEntry, LegendList, upright
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.labels import Span
from guiapp.kit.widgets.layouts import STRETCH, card, in_row
from guiapp.kit.widgets.tables import LEFT, Column, RowTable, show_rows
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource, heading, set_role
from guiapp.pages.compare.texts import ComparedTexts

WITHOUT_TEXT = (
    "Type or paste another text on the right, drop or open a file, or copy the left text and change it.\n\n"
    "You see the tokens of both, what changed, and how much of the text a prefix cache can use.\n\n"
    "The right text stays until you close the window. It is not saved."
)
WITHOUT_IDS = (
    "Paste the ids that a server or a library gave for the left text, in any form: with commas, in brackets, "
    "as JSON.\n\nTheir tokens are compared with the tokens of the text: some are missing, some too many.\n\n"
    "The list stays until you close the window. It is not saved."
)
LONGEST_ERROR = 300
LONGEST_SHOWN = 10  # characters of one side of a change in the list
LEGEND = (
    LegendEntry(QUIET, "In both texts"),
    LegendEntry(RINGED, "Only in this text"),
    LegendEntry(upright, "The texts differ from here on"),
)
TITLE_FONT_PX = 15
LEAST_PX, LIST_PX, ROW_PX = 260, 78, 26
PUT_OFF_MS = 60  # while the user types


class ChangeRows(RowTable[int]):
    """All changes, one a row; described only when visible."""

    columns: Sequence[Column[int]] = ()
    n_rows = 0

    def __init__(self, compared: ComparedTexts) -> None:
        super().__init__()
        self._compared = compared
        self.columns = [Column("change", LEFT, lambda index: isolate(in_a_line(compared, index)))]

    def renew(self) -> None:
        self.beginResetModel()
        self.n_rows = self._compared.n_changes
        self.endResetModel()

    def row(self, index: int) -> int | None:
        return index if index < len(self._compared.outcome.rows) else None


class TextsDetails(ItemDetails):
    """Describes the changes, and goes to one on a click."""

    def __init__(self, compared: ComparedTexts, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Changes in the text", LEAST_PX)
        self._compared = compared
        self._beginning_title = set_role(QLabel(), "strong")
        self._beginning_title.setFont(Theme.ui_font(TITLE_FONT_PX))
        go = partial(compared.walk.go_to, 0)
        self.go_to_first_difference = push_button("Go to it", go, tip="Show the first difference")
        self._list_title = heading("Changes")
        self._rows = ChangeRows(compared)
        self.list = QTableView()  # a QListView would query the size of each of perhaps many rows
        self.list.setModel(self._rows)
        show_rows(self.list)
        self.list.horizontalHeader().hide()
        self.list.verticalHeader().setDefaultSectionSize(ROW_PX)
        self.list.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.list.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.list.setMinimumHeight(LIST_PX)
        self.list.setAccessibleName("Changes")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        title = in_row((self._beginning_title, 1), self.go_to_first_difference)
        self._card = card(self.grid)
        legend = heading("Legend"), LegendList(LEGEND, theme_source)
        self._heading = heading("Common prefix")
        above = self._heading, card(title, self.reason), self.head, self._card
        self.arrange(*above, self._list_title, (self.list, 1), STRETCH, *legend)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self._soon = later(self, PUT_OFF_MS, self._refresh)
        compared.changed.connect(self._put_off)
        compared.report_changed.connect(self._on_report_changed)
        compared.walk.moved.connect(self._on_current_changed)
        compared.first.spelling.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    @property
    def is_outdated(self) -> bool:
        """Whether the panel may show the text before the last keystrokes."""
        return self._soon.isActive()

    def _put_off(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _refresh(self) -> None:
        self._rows.renew()
        self._on_report_changed()
        self._on_current_changed()

    def _on_report_changed(self) -> None:
        opening = beginning(self._compared)
        self._beginning_title.setText(opening.title)
        text = "\n".join(filter(None, (*opening.lines, opening.first_difference)))
        self.show_reason([Span(text, self._theme_source.theme.text)])
        self.reason.setVisible(bool(text))
        self.go_to_first_difference.setVisible(bool(opening.first_difference))
        self._heading.setVisible(bool(opening.first_difference))

    def _on_current_changed(self) -> None:
        compared = self._compared
        n_changes = compared.n_changes
        for widget in (self.title, self._card, self._list_title, self.list):
            widget.setVisible(n_changes > 0)
        if not n_changes:
            return
        current = compared.walk.current
        at = current or 0
        self.title.set_texts([where(compared, at).upper()])
        self._list_title.setText(counts(compared).upper())
        self.list.setMaximumHeight(max(LIST_PX, ROW_PX * n_changes + UNIT_PX))  # the legend follows
        self.grid.show_rows(list(grid_rows(compared, at)))
        if current is None:
            self.list.clearSelection()
        else:
            self.list.setCurrentIndex(self._rows.index(current, 0))

    def _choose(self, index: QModelIndex) -> None:
        self._compared.walk.go_to(index.row())


class Beginning(NamedTuple):
    """The first part of the panel.

    title             in a few words
    lines             sentences below it
    first_difference  where the texts begin to differ; "" for nowhere
    """

    title: str
    lines: tuple[str, ...]
    first_difference: str = ""


def beginning(compared: ComparedTexts) -> Beginning:
    outcome = compared.outcome
    if compared.first.tokenizer is None:
        return Beginning("No model", ("Open a model to see tokens.",))
    if not compared.has_second:
        to_do = WITHOUT_IDS if compared.takes_ids else WITHOUT_TEXT
        return Beginning("Nothing to compare yet", (to_do,))
    if compared.is_outdated:
        return Beginning("Encoding …", ())
    lines = tuple(_notes(compared))
    if not len(outcome.rows):
        return Beginning(f"The same {counted(len(outcome.first), 'token')}", lines)
    share = percent(outcome.n_common / len(outcome.second)) if len(outcome.second) else "0 %"
    whose = "the list" if compared.takes_ids else "the right text"
    kept = f"A prefix cache can use {share} of {whose}."
    title = f"{counted(outcome.n_common, 'token')} in common"
    return Beginning(title, (*lines, kept), _first_difference(compared))


def _notes(compared: ComparedTexts) -> Iterator[str]:
    read = compared.ids.read
    if compared.takes_ids and read is not None and read.error:
        yield quoted(read.error, LONGEST_ERROR)
        yield f"Compared: the {counted(len(read.token_ids), 'id')} before it."
    if (report := compared.report) is None:
        return
    yield from notes(report)
    if compared.takes_ids and report.is_same_text and len(compared.outcome.rows):
        yield "The ids decode to the same text, but cut it differently."
    if not report.outcome.is_whole:
        yield TOO_LONG


def _first_difference(compared: ComparedTexts) -> str:
    outcome, left = compared.outcome, compared.left
    line = left.document.line_of(left.common_end) + 1
    firsts = (ids[outcome.n_common : outcome.n_common + 1] for ids in (outcome.first, outcome.second))
    one, other = (_shown(compared, ids) if len(ids) else "the end" for ids in firsts)
    location = f"in line {line:,}, at token {outcome.n_common + 1:,}"
    return f"First difference {location}: {one} on the left, {other} on the right."


def counts(compared: ComparedTexts) -> str:
    outcome = compared.outcome
    removed, inserted = side_names(compared)
    tokens = f"{outcome.n_removed:,} {removed}, {outcome.n_inserted:,} {inserted}"
    return f"{counted(len(outcome.rows), 'change')}: {tokens}"


def side_names(compared: ComparedTexts) -> tuple[str, str]:
    """The names of tokens that only the left or only the right side has."""
    return ("missing", "too many") if compared.takes_ids else ("removed", "inserted")


def where(compared: ComparedTexts, index: int) -> str:
    """The number of a change, and its line in the left text."""
    start, _ = compared.left.byte_span(compared.change(index))
    n_changes = len(compared.outcome.rows)
    return f"Change {index + 1:,} of {n_changes:,} · line {compared.left.document.line_of(start) + 1:,}"


def in_a_line(compared: ComparedTexts, index: int) -> str:
    removed, inserted = changed = changed_ids(compared, index)
    texts = [_in_short(compared, ids) for ids in changed]
    if len(removed) and len(inserted):
        return " → ".join(texts)
    at = int(not len(removed))
    return f"{side_names(compared)[at]} {texts[at]}"


def changed_ids(compared: ComparedTexts, index: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    outcome, change = compared.outcome, compared.change(index)
    return (
        outcome.first[change.first_start : change.first_end],
        outcome.second[change.second_start : change.second_end],
    )


def grid_rows(compared: ComparedTexts, index: int) -> Iterator[GridRow]:
    """The removed and the inserted tokens of a change; a side without a token is left out."""
    change = compared.change(index)
    for side, name in zip(compared.sides, side_names(compared), strict=True):
        first, last = change[2 * side.side : 2 * side.side + 2]
        if first < last:
            yield row_of(side, name, side.side, (first, last))


def size(side: MarkedSpans) -> str:
    document = side.document
    return f"{counted(document.n_characters, 'character')} · {counted(document.size, 'byte')}"


def _in_short(compared: ComparedTexts, ids: NDArray[np.int32]) -> str:
    """The tokens; if these are long, the first ones and their number."""
    shown = _shown(compared, ids)
    is_short = len(ids) < 2 or len(shown) <= LONGEST_SHOWN
    return shown if is_short else f"{elided(shown, LONGEST_SHOWN)} ({len(ids):,})"


def _shown(compared: ComparedTexts, ids: NDArray[np.int32]) -> str:
    vocabulary = compared.first.vocabulary
    return NONE if vocabulary is None else tokens_in_words(vocabulary, ids, compared.first.spelling.now)
