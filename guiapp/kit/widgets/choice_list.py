"""A list of models, commands or keys with a filter field, and a pre-tokenizer picker."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from guiapp.core.formats.ranks import RANK_PATTERNS, patterns_of
from guiapp.core.pretokenize import splitter
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.text.numbers_in_words import printable, quoted
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.session.choice import Choice, matching
from guiapp.kit.session.loader import ModelLoader
from guiapp.kit.widgets.controls import Popover
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.layouts import AS_AROUND, in_column
from guiapp.kit.widgets.painting import CENTER, LEFT, bold, fill, icon, ring, write
from guiapp.kit.widgets.tables import NO_INDEX, AnyIndex
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    RADIUS_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    plain_label,
    set_role,
)

LIST_SIZE = QSize(520, 380)  # of pre-tokenizers
EXAMPLE = "We'll pay 12345 €!\n\n  it日本".encode()
BETWEEN_PIECES = " ┆ "
AS_THE_FILE_SAYS = ""
CHOICE_ROLE = Qt.ItemDataRole.UserRole  # the Choice of a row
ROW_PX, LINE_PX = 44, 32
SECTION_PX, CAP_PX = 26, 22
LIT = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver
ON_CAPS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓", "Return": "Enter"}
Match = Callable[[Iterable[Choice], str], Iterable[Choice]]
"""Returns the choices that match the filter, in the order to list them."""

LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class FilterLine(QLineEdit):
    """A filter field whose arrow keys move in a list."""

    def __init__(self, title: str, rows: QListView) -> None:
        super().__init__(placeholderText=title, clearButtonEnabled=True)
        self.setAccessibleName(title)
        self._rows = rows

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in LIST_KEYS:
            self._rows.keyPressEvent(event)
        else:
            super().keyPressEvent(event)


class ChoiceList(QWidget):
    """The choices that match the filter, grouped by section.

    Signals:
        chosen(str): the name of an available choice.
    """

    chosen = Signal(str)

    def __init__(
        self,
        title: str,
        theme_source: ThemeSource,
        *,
        hint: str = "",
        match: Match = matching,
        in_lines: bool = False,
        nothing: str = "",
    ) -> None:
        """`in_lines` uses one line for each choice; `nothing` is shown if none matches."""
        super().__init__()
        self._match, self._nothing = match, nothing
        self._choices: list[Choice] = []
        self._table = _ChoiceTable(self)
        self.rows = QListView()
        self.rows.setModel(self._table)
        self.rows.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.rows.setAccessibleName(title)
        self.rows.setItemDelegate((LineDelegate if in_lines else ChoiceDelegate)(theme_source, self.rows))
        self.rows.setMouseTracking(True)
        self.rows.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.filter = FilterLine(hint or f"Filter {title.lower()}", self.rows)
        in_column(self.filter, (self.rows, 1), on=self, spacing=AS_AROUND)
        self.setFocusProxy(self.filter)
        self.filter.textChanged.connect(self._fill)
        self.filter.returnPressed.connect(self._choose_current)
        self.rows.clicked.connect(self._choose)
        self.rows.activated.connect(self._choose)

    @property
    def shown(self) -> list[Choice]:
        """The choices that match the filter."""
        return [row for row in self._table.rows if isinstance(row, Choice)]

    def show_choices(self, choices: Iterable[Choice]) -> None:
        self._choices = list(choices)
        self._fill()

    def renew_choices(self, choices: Iterable[Choice]) -> None:
        """Replace the choices; keep the current row and the scroll position."""
        current, scrolled = self.rows.currentIndex().data(CHOICE_ROLE), self.rows.verticalScrollBar().value()
        self.show_choices(choices)
        self._point_at(
            lambda row: (
                row.is_there
                and isinstance(current, Choice)
                and (row.section, row.name) == (current.section, current.name)
            )
        )
        self.rows.verticalScrollBar().setValue(scrolled)

    def _fill(self) -> None:
        self._table.fill(self._match(self._choices, self.filter.text()), self._nothing)
        self._point_at(lambda row: row.is_there)
        self.rows.scrollToTop()

    def _point_at(self, is_match: Callable[[Choice], bool]) -> None:
        """Make the first matching choice current, for Return."""
        for at, row in enumerate(self._table.rows):
            if isinstance(row, Choice) and is_match(row):
                self.rows.setCurrentIndex(self._table.index(at, 0))
                return

    def _choose_current(self) -> None:
        self._choose(self.rows.currentIndex())

    def _choose(self, index: QModelIndex) -> None:
        choice = index.data(CHOICE_ROLE)
        if isinstance(choice, Choice) and choice.is_there:
            self.chosen.emit(choice.name)


class _ChoiceTable(QAbstractListModel):
    """Section titles, each followed by its choices."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Choice | str] = []

    def fill(self, choices: Iterable[Choice], otherwise: str) -> None:
        self.beginResetModel()
        self.rows, section = [], ""
        for choice in choices:
            if choice.section != section:
                section = choice.section
                self.rows.append(section if os.sep in section else section.upper())
            self.rows.append(choice)
        if otherwise and not self.rows:
            self.rows.append(otherwise)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if isinstance(row, str):
            return row if role == Qt.ItemDataRole.DisplayRole else None
        if role == CHOICE_ROLE:
            return row
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.title, row.detail, row.location, shown_keys(row.keys))))
        if role == Qt.ItemDataRole.ToolTipRole and not row.keys:
            return plain_tip(printable("\n".join(filter(None, (row.name, row.location)))))
        return row.title if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        row = self.rows[index.row()]
        can_be_chosen = isinstance(row, Choice) and row.is_there
        chosen = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return chosen if can_be_chosen else Qt.ItemFlag.NoItemFlags


class ChoiceDelegate(QStyledItemDelegate):
    """Paints section titles, and choices in two lines each, highlighted if selected or hovered."""

    row_px, title_px = ROW_PX, SECTION_PX

    def __init__(self, theme_source: ThemeSource, parent: QObject) -> None:
        super().__init__(parent)
        self._theme_source = theme_source

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]
        return QSize(0, self.row_px if index.data(CHOICE_ROLE) else self.title_px)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:  # type: ignore[override]
        theme, choice = self._theme_source.theme, index.data(CHOICE_ROLE)
        rect: QRect = option.rect
        inner = rect.adjusted(GAP_PX, 0, -GAP_PX, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if choice is None:
            write(painter, inner, str(index.data()), theme.dim, LEFT, bold(Theme.ui_font(SMALL_FONT_PX)))
        else:
            if option.state & LIT:
                fill(painter, rect.adjusted(0, 1, 0, -1), blend(theme.raised, theme.accent, 0.24), RADIUS_PX)
            self.paint_row(painter, theme, inner, choice)
        painter.restore()

    def paint_row(self, painter: QPainter, theme: Theme, rect: QRect, choice: Choice) -> None:
        half = rect.height() // 2
        upper, lower = rect.adjusted(0, 4, 0, -half), rect.adjusted(0, half, 0, -4)
        painter.setFont(Theme.ui_font())
        if choice.is_current:
            tick = QRect(upper.topRight() - QPoint(16, -2), QSize(16, 16))
            icon("check", theme.accent).paint(painter, tick)
        painter.setPen(theme.text if choice.is_there else theme.faint)
        _draw_elided(painter, upper.adjusted(0, 0, -24, 0), choice.title)
        painter.setFont(Theme.ui_font(SMALL_FONT_PX))
        painter.setPen(theme.dim if choice.is_there else theme.faint)
        used_px = _draw_elided(painter, lower, f"{choice.detail}{' · ' if choice.location else ''}")
        _draw_elided(painter, lower.adjusted(used_px, 0, 0, 0), choice.location, Qt.TextElideMode.ElideMiddle)


class LineDelegate(ChoiceDelegate):
    """A choice and its detail in one line, and its keys as caps on the right."""

    row_px, title_px = LINE_PX, LINE_PX

    def paint_row(self, painter: QPainter, theme: Theme, rect: QRect, choice: Choice) -> None:
        right = self._paint_keys(painter, theme, QRectF(rect), choice.keys)
        rect = rect.adjusted(0, 0, round(right) - rect.right() - GAP_PX, 0)
        painter.setFont(Theme.ui_font())
        painter.setPen(theme.text if choice.is_there else theme.dim)
        used_px = _draw_elided(painter, rect, choice.title)
        painter.setFont(Theme.ui_font(SMALL_FONT_PX))
        painter.setPen(theme.dim)
        _draw_elided(painter, rect.adjusted(used_px + 3 * UNIT_PX, 0, 0, 0), choice.detail)

    def _paint_keys(self, painter: QPainter, theme: Theme, rect: QRectF, keys: tuple[str, ...]) -> float:
        """Paint key caps from right to left, with “or” between alternatives; return their left edge."""
        font = Theme.ui_font(SMALL_FONT_PX)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        right, top = rect.right(), rect.center().y() - CAP_PX / 2
        for n_behind, each in enumerate(reversed(keys)):
            if n_behind:
                width = metrics.horizontalAdvance("or") + 2 * UNIT_PX
                write(painter, QRectF(right - width, top, width, CAP_PX), "or", theme.dim, CENTER)
                right -= width + UNIT_PX
            for name in reversed(caps(each)):
                width = max(CAP_PX, metrics.horizontalAdvance(name) + 3 * UNIT_PX)
                cap = QRectF(right - width, top, width, CAP_PX)
                fill(painter, cap, theme.background, 5)
                ring(painter, cap, theme.line, 5)
                write(painter, cap, name, theme.text, CENTER)
                right -= width + UNIT_PX
        return right


def shown_keys(keys: Iterable[str]) -> str:
    return ", ".join("+".join(caps(each)) for each in keys)


def caps(keys: str) -> list[str]:
    """The keys of a chord, as labelled on key caps: ["Ctrl", "Shift", "→"]."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    names = native.replace("++", "+Plus").split("+") if native != "+" else [native]
    return [ON_CAPS.get(name, "+" if name == "Plus" else name) for name in names]


def _draw_elided(
    painter: QPainter, rect: QRect, text: str, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> int:
    """Draw elided text; return its width."""
    elided = painter.fontMetrics().elidedText(text, mode, max(0, rect.width()))
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, elided)
    return painter.fontMetrics().horizontalAdvance(elided)


def pre_choices(loader: ModelLoader) -> list[Choice]:
    """The pre-tokenizer in the file, likely names, and all names."""
    named, chosen = _names(loader)
    if (readings := _readings(loader)) is not None:
        as_is = Choice("In the file", AS_THE_FILE_SAYS, "as in the file", "", is_current=not chosen)
        others = (Choice("Read it as", *row, is_current=row[0] == chosen) for row in readings)
        return [as_is, *others]
    likely = () if loader.refused is None else loader.refused.likely
    rows = [Choice("Likely", name, name, example_split(name)) for name in likely]
    rows += [
        Choice("All", name, name, example_split(name), is_current=name == chosen)
        for name in sorted({*PRE_TOKENIZERS, *(RANK_PATTERNS if _has_ranks(loader) else ())})
    ]
    if patterns_of(named) is not None:
        title, is_in_use = f"{named}, as in the file", chosen == AS_THE_FILE_SAYS
        row = Choice("In the file", AS_THE_FILE_SAYS, title, example_split(named), is_current=is_in_use)
        rows.insert(0, row)
    return rows


def question(loader: ModelLoader) -> str:
    """The question to show above the list."""
    named, _ = _names(loader)
    if _readings(loader) is not None:
        return "Libraries do not agree on how to read this file. Choose one."
    if not named:
        return "The file does not specify a pre-tokenizer. Choose one."
    if patterns_of(named) is not None:
        return f"The file specifies “{named}”. Choose another one to replace it."
    return f"The file specifies “{quoted(named)}”, which Tokenloupe does not know. Choose one."


@cache
def example_split(name: str) -> str:
    """The pieces of a short example text with all kinds of characters."""
    ends = splitter.split(patterns_of(name) or (), EXAMPLE)
    starts = [0, *ends]
    return BETWEEN_PIECES.join(
        visible_text(EXAMPLE[start:end]) for start, end in zip(starts, ends, strict=False)
    )


def _has_ranks(loader: ModelLoader) -> bool:
    """Whether the file is a list of ranks."""
    if loader.refused is not None:
        return not {*loader.refused.likely}.isdisjoint(RANK_PATTERNS)
    return loader.model is not None and loader.model.tokenizer.vocabulary.model == "tiktoken"


def _readings(loader: ModelLoader) -> list[tuple[str, str, str]] | None:
    """Other readings of the open model: key, title and detail; None if its file names a pre-tokenizer."""
    vocabulary = None if loader.model is None else loader.model.tokenizer.vocabulary
    if loader.refused is not None or vocabulary is None or not (vocabulary.readings or vocabulary.parts):
        return None
    return [(name, name, why) for name, why in vocabulary.readings.items()]


def _names(loader: ModelLoader) -> tuple[str, str]:
    """The name in the file, and the name chosen instead, if any."""
    if loader.refused is not None:
        return loader.refused.pre, AS_THE_FILE_SAYS
    if loader.model is None:
        return "", AS_THE_FILE_SAYS
    vocabulary = loader.model.tokenizer.vocabulary
    return vocabulary.pre, vocabulary.chosen_pre or AS_THE_FILE_SAYS


class PrePicker(Popover):
    """All known pre-tokenizers, likely ones first, each with the pieces of an example text.

    Signals:
        chosen(str): use this pre-tokenizer; "" for the one in the file.
    """

    chosen = Signal(str)

    def __init__(self, loader: ModelLoader, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._loader = loader
        self.setAccessibleName("Choose a pre-tokenizer")
        self._question = plain_label(wraps=True)
        example = QLabel(f"Each row shows how it splits {visible_text(EXAMPLE)}", wordWrap=True)
        set_role(example, "dim")
        self.choices = ChoiceList("Pre-tokenizers", theme_source)
        self.choices.rows.setFixedSize(LIST_SIZE)
        in_column(heading("Pre-tokenizer"), self._question, example, self.choices, on=self, margins=MARGIN_PX)
        self.choices.chosen.connect(self._choose)

    def open_under(self, widget: QWidget) -> None:
        self._question.setText(question(self._loader))
        self.choices.filter.clear()
        self.choices.show_choices(pre_choices(self._loader))
        super().open_under(widget)
        self.choices.setFocus()

    def _choose(self, name: str) -> None:
        self.close()
        self.chosen.emit(name)
