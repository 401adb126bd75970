"""What two texts have in common, the change that is looked at, and all others, in words and in a column."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QTableView

from guiapp.analysis.compare.id_changes import notes
from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.text.numbers_in_words import counted, percent, quoted
from guiapp.core.text.visible_text import isolate
from guiapp.kit.side_by_side.grid import GridRow, SpanGrid
from guiapp.kit.side_by_side.linked import MarkedSpans
from guiapp.kit.spans.legend import QUIET, RINGED, LegendEntry, LegendList, upright
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, card, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.tables import AnyIndex, show_rows
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    Theme,
    ThemeSource,
    heading,
    set_role,
)
from guiapp.pages.compare.texts import ComparedTexts

WITHOUT_TEXT = (
    "Type or paste another text at the right, drop or open a file, or copy the left text and change it.\n\n"
    "Both are shown in tokens of the model, with what a prefix cache would keep and what changed.\n\n"
    "What is at the right stays there until the window closes, and is written to no file."
)
WITHOUT_IDS = (
    "Paste the ids that a server or a library gave for the left text, in any form: with commas, in brackets, "
    "as JSON.\n\nTheir tokens are compared with those of the text: what is missing, and what is too much.\n\n"
    "The list stays there until the window closes, and is written to no file."
)
LONGEST_ERROR = 300
LONGEST_LIST = 20  # tokens
LONGEST_SHOWN = 40  # characters
LEGEND = (
    LegendEntry(QUIET, "In both texts"),
    LegendEntry(RINGED, "Only in this text"),
    LegendEntry(upright, "From here on the texts differ"),
)
TITLE_FONT_PX = 15
LONGEST_CHANGE = 60  # tokens that are shown
LONGEST_BYTES = 1 << 12
LIST_PX, ROW_PX = 78, 26
PUT_OFF_MS = 60  # while somebody types


class ChangeRows(QAbstractListModel):
    """All changes, a row each; made into words when they are seen."""

    def __init__(self, compared: ComparedTexts) -> None:
        super().__init__()
        self._compared = compared
        self._n_rows = 0

    def renew(self) -> None:
        self.beginResetModel()
        self._n_rows = self._compared.n_changes
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else self._n_rows

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and index.row() < len(self._compared.outcome.rows):
            return isolate(in_a_line(self._compared, index.row()))
        return None


class TextsDetails(QScrollArea):
    """Says what is found, and goes to it."""

    def __init__(self, compared: ComparedTexts, theme_source: ThemeSource) -> None:
        super().__init__()
        self._compared = compared
        self._theme_source = theme_source
        self._title = set_role(QLabel(), "strong")
        self._title.setFont(Theme.ui_font(TITLE_FONT_PX))
        self._opening_text = StyledText(Theme.ui_font(), 14)
        go = partial(compared.walk.go_to, 0)
        self.go_to_first_difference = push_button("Go there", go, tip="Show where both part")
        self._change_title = heading("Change")
        self._grid = SpanGrid(theme_source)
        self._change = card(self._grid)
        self._list_title = heading("Changes")
        self._rows = ChangeRows(compared)
        self.list = QTableView()  # a QListView would ask for the size of each row, of which there may be many
        self.list.setModel(self._rows)
        show_rows(self.list)
        self.list.horizontalHeader().hide()
        self.list.verticalHeader().setDefaultSectionSize(ROW_PX)
        self.list.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.list.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.list.setMinimumHeight(LIST_PX)
        self.list.setAccessibleName("Changes")
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        title = in_row((self._title, 1), self.go_to_first_difference)
        self._beginning = card(title, self._opening_text)
        of_changes = self._change_title, self._change, self._list_title
        legend = heading("Legend"), LegendList(LEGEND, theme_source)
        parts = heading("From the start"), self._beginning, *of_changes, (self.list, 1), STRETCH, *legend
        scroll_down(self, framed(in_column(*parts, margins=MARGIN_PX, spacing=GAP_PX), "panel"))
        self.setMinimumWidth(260)
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
        """Whether what is shown may be of the text before the last keys."""
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
        self._title.setText(opening.title)
        text = "\n".join(filter(None, (*opening.lines, opening.first_difference)))
        self._opening_text.set_spans([Span(text, self._theme_source.theme.text)])
        self._opening_text.setVisible(bool(text))
        self.go_to_first_difference.setVisible(bool(opening.first_difference))

    def _on_current_changed(self) -> None:
        compared = self._compared
        n_changes = compared.n_changes
        for widget in (self._change_title, self._change, self._list_title, self.list):
            widget.setVisible(n_changes > 0)
        if not n_changes:
            return
        current = compared.walk.current
        at = current or 0
        self._change_title.setText(where(compared, at).upper())
        self._list_title.setText(counts(compared).upper())
        self._grid.show_rows(list(grid_rows(compared, at)))
        if current is None:
            self.list.clearSelection()
        else:
            self.list.setCurrentIndex(self._rows.index(current))

    def _choose(self, index: QModelIndex) -> None:
        self._compared.walk.go_to(index.row())


class Beginning(NamedTuple):
    """What is told first.

    title    in a few words
    lines    sentences below it
    first_difference  where both part; "" where nothing is to be gone to
    """

    title: str
    lines: tuple[str, ...]
    first_difference: str = ""


def beginning(compared: ComparedTexts) -> Beginning:
    outcome = compared.outcome
    if compared.first.tokenizer is None:
        return Beginning("No model", ("Open a model: tokens are its own.",))
    if not compared.has_second:
        to_do = WITHOUT_IDS if compared.takes_ids else WITHOUT_TEXT
        return Beginning("Nothing to compare with yet", (to_do,))
    if compared.is_outdated:
        return Beginning("Encoding …", ())
    lines = tuple(_notes(compared))
    if not len(outcome.rows):
        return Beginning(f"The same {counted(len(outcome.first), 'token')}", lines)
    share = percent(outcome.n_common / len(outcome.second)) if len(outcome.second) else "0 %"
    whose = "the list" if compared.takes_ids else "the right text"
    kept = f"{share} of {whose}: what a cache of prefixes keeps."
    title = f"{counted(outcome.n_common, 'token')} in common"
    return Beginning(title, (*lines, kept), _first_difference(compared))


def _notes(compared: ComparedTexts) -> Iterator[str]:
    read = compared.ids.read
    if compared.takes_ids and read is not None and read.error:
        yield quoted(read.error, LONGEST_ERROR)
        yield f"Compared is what stands before that: {counted(len(read.token_ids), 'id')}."
    if (report := compared.report) is None:
        return
    yield from notes(report)
    if compared.takes_ids and report.is_same_text and len(compared.outcome.rows):
        yield "The list stands for the same text, cut in another way."
    if not report.outcome.is_whole:
        yield "A stretch is too long to be compared token by token: it is shown as changed whole."


def _first_difference(compared: ComparedTexts) -> str:
    outcome, left = compared.outcome, compared.left
    line = left.document.line_of(left.common_end) + 1
    firsts = (ids[outcome.n_common : outcome.n_common + 1] for ids in (outcome.first, outcome.second))
    one, other = (_shown(compared, ids) if len(ids) else "the end" for ids in firsts)
    place = f"in line {line:,}, at token {outcome.n_common + 1:,}"
    return f"They part {place}: {one} at the left, {other} at the right."


def counts(compared: ComparedTexts) -> str:
    outcome = compared.outcome
    removed, inserted = ("missing", "too many") if compared.takes_ids else ("removed", "inserted")
    tokens = f"{outcome.n_removed:,} {removed}, {outcome.n_inserted:,} {inserted}"
    return f"{counted(len(outcome.rows), 'change')}: {tokens}"


def where(compared: ComparedTexts, index: int) -> str:
    """Which change it is, and in which line of the left text."""
    start, _ = compared.left.byte_span(compared.change(index))
    n_changes = len(compared.outcome.rows)
    return f"Change {index + 1:,} of {n_changes:,} · line {compared.left.document.line_of(start) + 1:,}"


def in_a_line(compared: ComparedTexts, index: int) -> str:
    removed, inserted = (_shown(compared, ids) for ids in changed_ids(compared, index))
    return f"{removed} → {inserted}"


def changed_ids(compared: ComparedTexts, index: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    outcome, change = compared.outcome, compared.change(index)
    return (
        outcome.first[change.first_start : change.first_end],
        outcome.second[change.second_start : change.second_end],
    )


def grid_rows(compared: ComparedTexts, index: int) -> Iterator[GridRow]:
    """What a change took away and put there: sides without a token are left out."""
    names = ("missing", "too many") if compared.takes_ids else ("removed", "inserted")
    change = compared.change(index)
    for side, name in zip(compared.sides, names, strict=True):
        first, end = change[2 * side.side : 2 * side.side + 2]
        ids, starts, ends, tints = side.tokens.between(first, min(end, first + LONGEST_CHANGE))
        if len(ids):
            start, stop = int(starts[0]), min(int(ends[-1]), int(starts[0]) + LONGEST_BYTES)
            spans = tuple(zip((starts - start).tolist(), (ends - start).tolist(), strict=True))
            labels = [side.label_of(token_id) for token_id in ids.tolist()]
            text = side.document.slice(start, stop)
            is_spelled = side.spelling.now is Spelling.FILE
            yield GridRow(name, side.side, text, ids.tolist(), spans, tints.tolist(), labels, is_spelled)


def size(side: MarkedSpans) -> str:
    document = side.document
    return f"{counted(document.n_characters, 'character')} · {counted(document.size, 'byte')}"


def _shown(compared: ComparedTexts, ids: NDArray[np.int32]) -> str:
    """The texts of tokens, cut where they are many; the id of a single one."""
    vocabulary = compared.first.vocabulary
    if vocabulary is None or not len(ids):
        return "–"
    spelling = compared.first.spelling.now
    texts = [spelling.token(vocabulary, token_id) for token_id in ids[:LONGEST_LIST].tolist()]
    if len(ids) == 1:
        return f"{shortened(texts[0])} ({ids[0]})"
    return shortened("|".join(texts)) if len(ids) <= LONGEST_LIST else f"{shortened('|'.join(texts))} …"


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
