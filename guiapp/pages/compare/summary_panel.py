"""The summary below the columns: any number of models on the text or a folder, to sort, copy and export."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QPointF,
    QRect,
    QRectF,
    Qt,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from guiapp.core.open_model import open_model
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.session.choice import shown_path
from guiapp.kit.session.loader import Load
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.state.background import later
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import Popover, tool_button
from guiapp.kit.widgets.event_filters import SeenWatch
from guiapp.kit.widgets.file_dialogs import MODEL_FILTER, ask_for_folder, ask_to_open_several
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.menu_button import ExportButton, Form, Make, MenuButton, SavingBar
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.painting import LEFT, MARKER_PX, RIGHT, bold, draw_marker, elided, fill, ring, write
from guiapp.kit.widgets.tables import AnyIndex, show_rows
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.compare.summary import SummaryModel, SummaryRow, context_in, price_in
from guiapp.pages.compare.summary_table import BAR_ROLE, ROW_ROLE, Bar, SummaryTable

if TYPE_CHECKING:
    from guiapp.kit.session.model_session import ComparedModels
    from guiapp.kit.widgets.page_base import PageRequests

NAME_LEFT_PX = 20  # after the marker
BAR_PX, BAR_HEIGHT_PX = 30, 4
REMOVE_PX = 20
ADD, REMOVE = "+ column", "×"
ROW_PX = 28
LEAST_NAMES_PX, MOST_NAMES_PX = 180, 340
LEAST_COLUMN_PX = 40
ARROW = "▴ "  # next to the title of the sorted column
SCROLL_BAR_PX = 10
FIT_AFTER_MS = 50  # rows get their values one after another
FIELD_PX = 130
LONGEST_NAME = 32
LEAST_HEIGHT_PX, USUAL_HEIGHT_PX = 96, 200
FORMS = {
    ending: Form(title, ending)
    for ending, title in ((".csv", "Table"), (".md", "Markdown"), (".svg", "Drawing of bars"))
}


class SummaryPanel(QWidget):
    """A line with a description and buttons, and the table below it."""

    def __init__(
        self,
        compared: ComparedModels,
        requests: PageRequests,
        settings: Settings,
        theme_source: ThemeSource,
        load: Load = open_model,
    ) -> None:
        super().__init__()
        self._requests = requests
        self.summary = SummaryModel(compared, settings, load, self)
        self.saving = FileSaving(self)
        self.view = SummaryView(self.summary, theme_source)
        self._note = set_role(FittedLabel(), "dim")
        self._failure = plain_label("bad", wraps=True)
        self._failure.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, UNIT_PX)
        self.add_button = MenuButton(theme_source, "Add to table", role="quiet")
        tip = "Save the counts of all models"
        self.export_button = ExportButton(theme_source, self.saving, "summary", FORMS, self._report, tip)
        set_role(self.export_button, "quiet")
        self.folder_button = tool_button("Folder…", self._ask_for_folder, tip="Count all texts of a folder")
        tip = "Count the open text instead of the folder"
        self.text_button = tool_button("This text", self.summary.count_text, tip=tip)
        self.terms_button = tool_button("Cost…", self._open_terms, tip="Set prices and context length")
        self._fill_menus()
        buttons = self.add_button, self.text_button, self.folder_button, self.terms_button, self.export_button
        parts = heading("Summary"), (self._note, 1), *buttons
        head = in_row(*parts, margins=(MARGIN_PX, UNIT_PX), spacing=GAP_PX)
        saving_bar = SavingBar(self.saving, theme_source)
        rows = in_row((self.view, 1), margins=(GAP_PX, 0))
        in_column(head, self._failure, saving_bar, (rows, 1), on=self, spacing=0)
        self.setFocusProxy(self.view)
        self.setMinimumHeight(LEAST_HEIGHT_PX)
        self.summary.changed.connect(self._refresh)
        SeenWatch(self, self.summary.watch)
        self._refresh()

    @property
    def is_ready(self) -> bool:
        return not self.summary.is_counting

    @property
    def needed_px(self) -> int:
        """The height with all rows visible."""
        above = self.sizeHint().height() - self.view.sizeHint().height()
        lengths = self.view.verticalHeader().length(), self.view.horizontalHeader().height()
        return max(above + sum(lengths) + SCROLL_BAR_PX, LEAST_HEIGHT_PX)

    def stop(self) -> None:
        self.summary.stop()
        self.saving.close()

    def _report(self, ending: str) -> Make:
        data = self.summary.report(ending)
        return lambda _progress: data

    def _fill_menus(self) -> None:
        adding = self.add_button.new_menu()
        adding.addAction("Choose…", self._want_model)
        adding.addAction("Several files…", self._ask_for_models)
        adding.addAction("All on this machine", self.summary.add_installed)
        exporting = self.export_button.menu()
        exporting.addSeparator()
        exporting.addAction("Copy", self.view.copy)
        exporting.addAction("Copy as Markdown", self.view.copy_markdown)

    def _want_model(self) -> None:
        self._requests.model_wanted.emit(self.add_button, self.summary.add)

    def _ask_for_models(self) -> None:
        paths = ask_to_open_several(self, "Add models", MODEL_FILTER)
        self.summary.add_all((str(path), None) for path in paths)

    def _ask_for_folder(self) -> None:
        if folder := ask_for_folder(self, "Count the texts in"):
            self.summary.count_folder(folder)

    def _open_terms(self) -> None:
        selected = self.view.selected_rows()
        row = selected[0] if len(selected) == 1 and selected[0].model is not None else None
        popover = TermsPopover(
            self.summary, row, "" if row is None else quoted(row.title, LONGEST_NAME), self
        )
        popover.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popover.open_under(self.terms_button)
        popover.setFocus()

    def _refresh(self) -> None:
        summary = self.summary
        self.text_button.setVisible(summary.folder is not None or summary.is_listing)
        self.export_button.setEnabled(bool(summary.counted))
        self._failure.setVisible(bool(summary.failure))
        self._failure.setText(summary.failure)
        models = counted(sum(not (row.model is None or row.failure) for row in summary.rows), "model")
        description = f"{models}, {self._texts_description()}{self._busy_description()}"
        first = quoted(summary.titles()[0], LONGEST_NAME)
        about = f"{description} · ratio to {first} · by script: tokens per word"
        self._note.set_texts([about, f"{description} · ratio to {first}", description, models, ""])

    def _texts_description(self) -> str:
        summary = self.summary
        if summary.folder is None or summary.texts is None:
            return "this text"
        others = summary.texts.n_others
        left_out = f", {counted(others, 'other file')} skipped" if others else ""
        return f"{counted(summary.texts.n_texts, 'text')} in {shown_path(summary.folder)}{left_out}"

    def _busy_description(self) -> str:
        summary = self.summary
        if summary.installed.is_looking or summary.is_listing:
            return f" · looking for {'texts' if summary.is_listing else 'models'}"
        n_due = sum(map(summary.is_due, summary.rows))
        return f" · {counted(n_due, 'model')} to count" if n_due > 1 else ""


class TermsPopover(Popover):
    """A price for all models, one for the selected row, a context length; invalid numbers change nothing."""

    def __init__(self, summary: SummaryModel, row: SummaryRow | None, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._terms = summary.terms
        self._row = row
        self.setAccessibleName("Cost and context")
        self.price, self.own, self.context = QLineEdit(), QLineEdit(), QLineEdit()
        form = QFormLayout()
        form.setHorizontalSpacing(MARGIN_PX)
        form.setVerticalSpacing(GAP_PX)
        rows = [("Price per million tokens, in $", self.price), ("Context length", self.context)]
        if row is not None:
            rows.insert(1, (f"Price of {title}", self.own))
        for name, field in rows:
            label = set_role(QLabel(name), "dim")
            label.setTextFormat(Qt.TextFormat.PlainText)
            field.setAccessibleName(name)
            field.setFixedWidth(FIELD_PX)
            form.addRow(label, field)
        self.context.setPlaceholderText("as in the files")
        self.price.setPlaceholderText("none")
        self.own.setPlaceholderText("same as all")
        layout = in_column(heading("Cost and context"), form, on=self, margins=MARGIN_PX)
        if row is None:
            layout.addWidget(set_role(QLabel("To set a price for one model, select its row."), "dim"))
        self._show()
        for field in (self.price, self.own, self.context):
            field.editingFinished.connect(self._take)
        self.setFocusProxy(self.price)

    def _take(self) -> None:
        price, context, own = (field.text().strip() for field in (self.price, self.context, self.own))
        if not price or price_in(price) is not None:
            self._terms.set_price(price_in(price))
        if not context or context_in(context) is not None:
            self._terms.set_context(context_in(context))
        if self._row is not None and (not own or price_in(own) is not None):
            self._terms.set_own_price(self._row.name, price_in(own))
        self._show()

    def _show(self) -> None:
        own = None if self._row is None else self._terms.own_price(self._row.name)
        for field, value in ((self.price, self._terms.chosen.price), (self.own, own)):
            field.setText("" if value is None else f"{value:.12g}")
        context = self._terms.chosen.context
        self.context.setText("" if context is None else f"{context:,}")


class SummaryView(QTableView):
    """The table: rows can be selected, sorted, copied, removed, and made columns."""

    def __init__(self, summary: SummaryModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._summary = summary
        self.table = SummaryTable(summary, self)
        self._kept: list[SummaryRow] = []  # the selection, and the current cell, while rows change
        self._current: tuple[SummaryRow, int, int] | None = None
        self._until_fit = later(self, FIT_AFTER_MS, self._fit)
        self._names = NameDelegate(summary, self.table, theme_source, self)
        self.setModel(self.table)
        self.setItemDelegate(FigureDelegate(summary, theme_source, self))
        self.setItemDelegateForColumn(0, self._names)
        self.setAccessibleName("Summary")
        self._set_style()
        self._link()
        self._fit()

    def _set_style(self) -> None:
        show_rows(self)
        set_role(self, "cells")
        self.setFont(Theme.mono_font(UI_FONT_PX))
        self.verticalHeader().setDefaultSectionSize(ROW_PX)
        self.verticalHeader().setMinimumSectionSize(ROW_PX)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorShown(True)
        header.setFont(Theme.ui_font(SMALL_FONT_PX))

    def copy(self) -> None:
        self._copy(self.table.as_text)

    def copy_markdown(self) -> None:
        self._copy(self.table.markdown)

    def _copy(self, write: Callable[[Iterable[int]], str]) -> None:
        """Copy the selected rows, or all if none is selected."""
        rows = list(map(self.table.rows.index, self.selected_rows() or self.table.rows))
        copy_text(self, write(rows), counted(len(rows), "row"))

    def selected_rows(self) -> list[SummaryRow]:
        numbers = sorted(index.row() for index in self.selectionModel().selectedRows(1))
        return [self.table.rows[number] for number in numbers]

    def remove(self) -> None:
        for row in self.selected_rows():
            self._summary.remove(row)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu()
        menu.exec(event.globalPos())
        menu.deleteLater()

    def menu(self) -> QMenu:
        menu, selected = QMenu(self), self.selected_rows()
        menu.addAction(self._copying)
        menu.addAction("Copy as Markdown", self.copy_markdown)
        menu.addSeparator()
        column = self.currentIndex().column()
        if column > 0:
            title = self.table.columns[column].title.replace("&", "&&")
            menu.addAction(f"Sort by {title}", partial(self._sort_up, column))
        menu.addAction("Sort by model", partial(self._sort_up, 0))
        if len(selected) == 1 and self._summary.can_become_column(selected[0]):
            menu.addAction("Show in a column", self._make_column)
        if any(map(self._summary.can_remove, selected)):
            menu.addAction(self._removing)
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _link(self) -> None:
        self._copying = copy_action(self, "Copy rows", self.copy)
        self._removing = copy_action(self, "Remove", self.remove, QKeySequence.StandardKey.Delete)
        self.addActions([self._copying, self._removing])
        self.horizontalHeader().sortIndicatorChanged.connect(self.table.sort)
        self.table.modelAboutToBeReset.connect(self._keep_selection)
        self.table.modelReset.connect(self._on_model_reset)
        self.table.dataChanged.connect(self._update_column_spans)
        self.table.dataChanged.connect(self._until_fit.start)

    def _sort_up(self, column: int) -> None:
        self.horizontalHeader().setSortIndicator(column, Qt.SortOrder.AscendingOrder)

    def _make_column(self) -> None:
        self._summary.make_column(self.selected_rows()[0])

    def _keep_selection(self) -> None:
        self._kept, current = self.selected_rows(), self.currentIndex()
        cell = current.row(), current.column()
        self._current = (self.table.rows[cell[0]], *cell) if current.isValid() else None

    def _bring_selection_back(self) -> None:
        """Restore the selection and the current cell; if its row is gone, use the row at its position."""
        rows, selection = self.table.rows, self.selectionModel()
        flags = QItemSelectionModel.SelectionFlag
        if self._current is not None and rows:
            row, number, column = self._current
            number = rows.index(row) if row in rows else min(number, len(rows) - 1)
            index = self.table.index(number, min(column, self.table.columnCount() - 1))
            selection.setCurrentIndex(index, flags.NoUpdate)
        for row in self._kept:
            if row in rows:
                selection.select(self.table.index(rows.index(row), 1), flags.Select | flags.Rows)

    def _on_model_reset(self) -> None:
        self._bring_selection_back()
        self._update_column_spans()
        self._fit()

    def _update_column_spans(self) -> None:
        """Let the state of a row without values span all their columns."""
        n_columns = self.table.columnCount() - 1
        for number, row in enumerate(self.table.rows):
            wanted = n_columns if self._summary.state_of(row) else 1
            if self.columnSpan(number, 1) != wanted:
                self.setSpan(number, 1, 1, wanted)

    def _fit(self) -> None:
        """Make the columns as wide as their contents, and distribute the remaining room."""
        wanted = max(map(self._names.width_of, self.table.rows), default=0)
        most = max(LEAST_NAMES_PX, min(MOST_NAMES_PX, self.width() // 3))
        width = min(max(wanted, LEAST_NAMES_PX), most)
        self.setColumnWidth(0, width)
        columns = range(1, self.table.columnCount())
        needed = [self._needed_px(column) for column in columns]
        room = self.width() - width - SCROLL_BAR_PX
        more = max(0, room - sum(needed)) // max(len(needed), 1)
        for column, px in zip(columns, needed, strict=True):
            self.setColumnWidth(column, px + more)

    def _needed_px(self, column: int) -> int:
        title = f"{ARROW}{self.table.columns[column].title}"
        head = self.horizontalHeader().fontMetrics().horizontalAdvance(title)
        character_px = self.fontMetrics().horizontalAdvance("0")  # the font is monospaced
        rows = (at for at, row in enumerate(self.table.rows) if not self._summary.state_of(row))
        indexes = [self.table.index(row, column) for row in rows]
        cells = [character_px * len(index.data()) + bar_px(index) for index in indexes]
        return max([head, LEAST_COLUMN_PX, *cells]) + 2 * GAP_PX


def bar_px(index: AnyIndex) -> int:
    return BAR_PX + GAP_PX if index.data(BAR_ROLE) is not None else 0


class _CellDelegate(QStyledItemDelegate):
    """Draws a cell on the style's background, with a hairline below."""

    def __init__(self, summary: SummaryModel, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._summary = summary
        self._theme_source = theme_source

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        theme, row = self._theme_source.theme, index.data(ROW_ROLE)
        cell_rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRect(cell_rect.left(), cell_rect.bottom(), cell_rect.width(), 1), theme.line)
        self.draw(painter, theme, cell_rect.adjusted(GAP_PX, 0, -GAP_PX, -1), index, row)
        if option.state & QStyle.StateFlag.State_HasFocus:
            ring(painter, cell_rect.adjusted(1, 1, -1, -2), theme.accent, 3)
        painter.restore()

    @abstractmethod
    def draw(self, painter: QPainter, theme: Theme, rect: QRect, index: AnyIndex, row: SummaryRow) -> None:
        """Draw the contents of the cell."""


class FigureDelegate(_CellDelegate):
    """Draws a value at the right, followed by its bar; or the row's state at the left."""

    def draw(self, painter: QPainter, theme: Theme, rect: QRect, index: AnyIndex, row: SummaryRow) -> None:
        if state := self._summary.state_of(row):
            font = Theme.ui_font()
            color = theme.bad if row.failure else theme.dim
            write(painter, rect, elided(state, font, rect.width()), color, LEFT, font)
            return
        bar = index.data(BAR_ROLE)
        figure = rect
        if isinstance(bar, Bar):
            draw_bar(painter, theme, QRectF(rect.right() - BAR_PX, rect.center().y() + 1, BAR_PX, 0), bar)
            figure = rect.adjusted(0, 0, -BAR_PX - GAP_PX, 0)
        is_old = row.session is None and self._summary.is_due(row)
        font = bold(Theme.mono_font(UI_FONT_PX), index.column() == 1)
        write(painter, figure, str(index.data()), theme.dim if is_old else theme.text, RIGHT, font)


def draw_bar(painter: QPainter, theme: Theme, line: QRectF, bar: Bar) -> None:
    """Draw a bar along a line, as long as its share of `most`: grey up to `least`, amber beyond."""
    if bar.most <= 0:
        return
    whole, needed = (line.width() * value / bar.most for value in (bar.value, bar.least))
    top = line.y() - BAR_HEIGHT_PX / 2
    fill(painter, QRectF(line.x(), top, needed, BAR_HEIGHT_PX), theme.faint, 1)
    if whole - needed >= 0.5:
        fill(painter, QRectF(line.x() + needed, top, whole - needed, BAR_HEIGHT_PX), theme.warning, 1)


class NameDelegate(_CellDelegate):
    """Draws marker and name; its column, or a button to make it one; a cross to remove the row."""

    def __init__(
        self, summary: SummaryModel, table: SummaryTable, theme_source: ThemeSource, parent: QWidget
    ) -> None:
        super().__init__(summary, theme_source, parent)
        self._table = table
        self._font, self._small = Theme.ui_font(), Theme.ui_font(SMALL_FONT_PX)

    def width_of(self, row: SummaryRow) -> int:
        title, note = _width(self._font, self._table.title_of(row)), self._note_px(row)
        return 2 * GAP_PX + NAME_LEFT_PX + title + GAP_PX + note + GAP_PX + REMOVE_PX

    def note_of(self, row: SummaryRow) -> str:
        if row.session is not None:
            return f"column {self._table.number_of(row) + 1}"
        return ADD if self._summary.can_become_column(row) else ""

    def part_rects(self, rect: QRect, row: SummaryRow) -> tuple[QRect, QRect]:
        """The rectangles of the note, and of the cross that removes the row."""
        cross = QRect(rect.right() - REMOVE_PX + 1, rect.top(), REMOVE_PX, rect.height())
        width = self._note_px(row)
        title = _width(self._font, self._table.title_of(row))
        left = min(rect.left() + NAME_LEFT_PX + title + GAP_PX, cross.left() - width)
        return QRect(left, rect.top(), width, rect.height()), cross

    def draw(self, painter: QPainter, theme: Theme, rect: QRect, index: AnyIndex, row: SummaryRow) -> None:
        note, cross = self.part_rects(rect, row)
        center = QPointF(rect.left() + MARKER_PX / 2 + 1, rect.center().y() + 1)
        draw_marker(painter, center, self._table.number_of(row), theme)
        left = rect.left() + NAME_LEFT_PX
        room = QRect(left, rect.top(), note.left() - GAP_PX - left + 1, rect.height())
        title = elided(self._table.title_of(row), self._font, room.width(), Qt.TextElideMode.ElideMiddle)
        write(painter, room.adjusted(0, 0, GAP_PX, 0), title, theme.text, LEFT, self._font)
        color = theme.text if row.session is None else theme.dim
        write(painter, note, self.note_of(row), color, LEFT, self._small)
        if self._summary.can_remove(row):
            write(painter, cross, REMOVE, theme.dim, Qt.AlignmentFlag.AlignCenter, self._font)

    def _note_px(self, row: SummaryRow) -> int:
        return _width(self._small, self.note_of(row))

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """Handle a click on the note or the cross."""
        if event.type() != QEvent.Type.MouseButtonRelease or not isinstance(event, QMouseEvent):
            return False
        if event.button() is not Qt.MouseButton.LeftButton:
            return False
        row: SummaryRow = index.data(ROW_ROLE)
        note, cross = self.part_rects(option.rect.adjusted(GAP_PX, 0, -GAP_PX, -1), row)
        at = event.position().toPoint()
        if cross.contains(at) and self._summary.can_remove(row):
            self._summary.remove(row)
            return True
        if note.contains(at) and self._summary.can_become_column(row):
            self._summary.make_column(row)
            return True
        return False


def _width(font: QFont, text: str) -> int:
    return QFontMetrics(font).horizontalAdvance(text) + 1
