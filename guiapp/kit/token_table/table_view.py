"""The token table: its Qt model, its view, and the widget with filter, columns, export and count."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QPainter,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from guiapp.analysis.vocabulary_list.listing import (
    ListColumn,
    Write,
    csv_lines,
    exported,
    json_lines,
    markdown_lines,
    text_lines,
)
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.token_menu import offer_copying
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.token_table.list_model import TokenListModel
from guiapp.kit.widgets.controls import FILTER_HINT, FILTER_TIP, SEARCH_PX, SearchField, tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, Part, WrappingRow, in_column, in_row
from guiapp.kit.widgets.menu_button import Form, MenuButton, SavingBar, add_choice, ask_and_save
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.painting import elided, width_of
from guiapp.kit.widgets.tables import (
    LEFT,
    NO_INDEX,
    RIGHT,
    AnyIndex,
    Column,
    RowTable,
    draw_chip,
    shared_out,
    show_rows,
)
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    ThemeSource,
    plain_label,
    set_role,
)

MOST_COPIED = 20_000  # rows in a file format on the clipboard; longer lists can only be saved
FIGURE_SHARE = 0.05  # used as `ListColumn.share` for numbers, which more width makes no easier to read
GAPS_PX, NARROW_PX = 20, 640  # around the text of a cell; a narrower table hides columns that yield
LEAST_PX = 220
NOT_FOUND = "No matches."
MOST_SHOWN = 400  # characters of a cell; no cell has room for more
MIDDLE = Qt.TextElideMode.ElideMiddle  # many tokens differ by a number at the end
CELLS = """
QTableView::item { padding: 0 5px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: 0; height: 0; }
"""  # padding as in the titles, which have their own sort arrows


class ListForm(NamedTuple):
    """A format in which a list is copied and saved.

    can_be_copied  False if it contains more than the listed rows
    """

    title: str
    ending: str
    write: Write
    can_be_copied: bool = True


CSV, JSON, MARKDOWN, TEXT = FORMS = (
    ListForm("CSV", ".csv", csv_lines),
    ListForm("JSON", ".json", json_lines),
    ListForm("Markdown", ".md", markdown_lines),
    ListForm("Text", ".txt", text_lines),
)


class TokenTableModel(RowTable[int]):
    """The Qt model of the listed rows; stores nothing per row.

    Rows in their original order are inserted and removed at the end, so that an edit of a text costs the same
    for any number of tokens.

    is_shrinking  rows are being removed; a view then changes the current row without the user's doing
    """

    columns: Sequence[Column[int]] = ()

    def __init__(self, model: TokenListModel[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.is_shrinking = False
        self._shown, self.shown_columns = model.shown, list[ListColumn[Any]]()
        model.shown_changed.connect(self._show)
        model.columns_changed.connect(self._show)
        model.spelling.changed.connect(self.notify_all_changed)
        self._show()

    @property
    def n_rows(self) -> int:
        return len(self._shown.rows)

    @property
    def order(self) -> tuple[str, bool]:
        request, titles = self._shown.request, {each.name: each.title for each in self.shown_columns}
        return titles.get(request.sort, ""), request.is_descending

    def row(self, index: int) -> int | None:
        rows, source = self._shown.rows, self._shown.source
        if source is None or not 0 <= index < len(rows):
            return None
        return row if (row := int(rows[index])) < len(source) else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and orientation is Qt.Orientation.Horizontal:
            return self.shown_columns[section].about
        return super().headerData(section, orientation, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Request sorting by a column; no sorting for -1."""
        name = self.shown_columns[column].name if 0 <= column < len(self.columns) else ""
        self._model.sort_by(name, bool(name) and order is Qt.SortOrder.DescendingOrder)

    def cells(self, row: int) -> Iterable[object]:
        """As in a file: unmodified texts, numbers without thousands separators."""
        source, spelling = self._shown.source, self._model.spelling.now
        return () if source is None else (each.cell(source, row, spelling) for each in self.shown_columns)

    def mark_of(self, index: int) -> tuple[Attribute, int | None]:
        """The attributes of a row's token, and the number of its colour in the text; None if not there."""
        source, row = self._shown.source, self.row(index)
        if source is None or row is None:
            return Attribute(0), None
        attributes = source.figures.vocabulary.effective_attributes[source.token(row)]
        tint = getattr(source, "tint", None)
        return Attribute(int(attributes)), None if tint is None else tint(row)

    def _show(self) -> None:
        shown, columns = self._model.shown, self._model.shown_columns
        before, rows = self._shown.rows, shown.rows
        if columns != self.shown_columns or not (isinstance(before, range) and isinstance(rows, range)):
            self.beginResetModel()
            self._shown, self.shown_columns = shown, columns
            self.columns = [
                Column(each.title, RIGHT if each.is_figure else LEFT, partial(self._text, each))
                for each in columns
            ]
            self.endResetModel()
            return
        if len(rows) > len(before):
            self.beginInsertRows(NO_INDEX, len(before), len(rows) - 1)
            self._shown = shown
            self.endInsertRows()
        elif len(rows) < len(before):
            self.is_shrinking = True
            self.beginRemoveRows(NO_INDEX, len(rows), len(before) - 1)
            self._shown = shown
            self.endRemoveRows()
            self.is_shrinking = False
        self._shown = shown
        self.notify_all_changed()

    def last_text(self, column: ListColumn[Any]) -> str:
        return "" if self._shown.source is None else column.last_text(self._shown.source)

    def _text(self, column: ListColumn[Any], row: int) -> str:
        given = self._shown.source, row, self._model.spelling.now
        text = column.text(*given)
        return column.whole_text(*given)[:MOST_SHOWN] if text.endswith("…") else text  # the view elides it


class TokenTableView(QTableView):
    """A view to navigate, sort by column titles, and copy rows.

    Signals:
        looked_at(int): the user made this row current and selected it.
        hovered(int | None): the row under the mouse, if mouse tracking is on.
        shown(): the view has become visible.
    """

    looked_at = Signal(int)
    hovered = Signal(object)
    shown = Signal()

    def __init__(self, table: TokenTableModel, name: str, zoom: TextZoom | None = None) -> None:
        super().__init__()
        self._table, self._zoom = table, zoom or TextZoom(self)
        self._fitted: list[int] = []
        self._is_going = False
        self.setModel(table)
        self.setStyleSheet(CELLS)
        self.setTextElideMode(MIDDLE)
        show_rows(self)
        self.horizontalHeader().setStretchLastSection(False)  # would change with the scroll bar
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.horizontalHeader().setMinimumSectionSize(3 * UNIT_PX)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.setAccessibleName(name)
        self._on_zoom_changed()
        offer_copying(self, "Copy rows", self.copy)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.selectionModel().selectionChanged.connect(self._on_current_changed)
        self.entered.connect(self._on_entered)
        self._zoom.changed.connect(self._on_zoom_changed)

    def _selected(self) -> Iterator[int]:
        """Yield the selected rows in order, without a list, because there may be millions."""
        selection = self.selectionModel().selection()
        parts = [selection.at(number) for number in range(selection.count())]
        return heapq.merge(*(range(part.top(), part.bottom() + 1) for part in parts))

    @property
    def selected_rows(self) -> list[int]:
        return list(self._selected())

    def copy(self) -> None:
        """Copy the selected rows as tab-separated lines."""
        copy_text(self, self._table.as_text(self._selected()), counted(len(self.selected_rows), "row"))

    def go_to(self, row: int | None) -> None:
        """Select only this row, unless it is current and selected already; no row for None."""
        selection, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        if row is None:
            selection.clearSelection()
        elif row != self.currentIndex().row() or not selection.isRowSelected(row):
            index = self._table.index(row, 0)
            is_in_sight = self.viewport().rect().intersects(self.visualRect(index))
            self._is_going = True
            selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self._is_going = False
            if not is_in_sight:  # Qt has scrolled only to the edge
                self.scrollTo(index, QTableView.ScrollHint.PositionAtCenter)

    def fit_columns(self) -> None:
        """Distribute the width without the scroll bar to the columns; if it is too small, scroll.

        Widths that the user dragged stay until the calculated widths change.
        """
        room = self.contentsRect().width() - self.verticalScrollBar().sizeHint().width()
        metrics, cells = self.horizontalHeader().fontMetrics(), self.fontMetrics()
        shares, least = [], []
        for column, each in zip(self._table.columns, self._table.shown_columns, strict=True):
            is_left_out = each.yields and room < NARROW_PX
            last = self._table.last_text(each) if each.is_figure else ""
            title_px = metrics.horizontalAdvance(self._table.heading(column))
            least_px = max(title_px, *map(cells.horizontalAdvance, (each.widest, last))) + GAPS_PX
            shares.append(0 if is_left_out else FIGURE_SHARE if each.is_figure else each.share)
            least.append(0 if is_left_out else least_px)
        widths = shared_out(room, shares, least)
        if widths != self._fitted:
            self._fitted = widths
            for number, width in enumerate(widths):
                self.setColumnHidden(number, width == 0)
                self.setColumnWidth(number, width)

    def _on_zoom_changed(self) -> None:
        self.setFont(self._zoom.mono_font(SMALL_FONT_PX))
        self.horizontalHeader().setFont(self._zoom.ui_font(UI_FONT_PX))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2 * UNIT_PX)
        self.fit_columns()

    def _on_entered(self, index: QModelIndex) -> None:
        self.hovered.emit(index.row())

    def _on_current_changed(self) -> None:
        current = self.currentIndex()
        is_chosen = current.isValid() and self.selectionModel().isSelected(current)
        if is_chosen and not self._is_going and not self._table.is_shrinking:
            self.looked_at.emit(current.row())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._zoom.take(event):
            super().wheelEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)


class ChipDelegate(QStyledItemDelegate):
    """Paints cells as badges that show the attributes of their tokens, and their colour in the text."""

    def __init__(self, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme_source = theme_source

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        table, theme = index.model(), self._theme_source.theme
        assert isinstance(table, TokenTableModel)
        attributes, tint = table.mark_of(index.row())
        room = QRectF(option.rect).adjusted(UNIT_PX + 0.5, 2.5, -UNIT_PX - 0.5, -2.5)
        text = elided(str(index.data()), option.font, room.width() - 2 * UNIT_PX, MIDDLE)
        width = min(width_of(text, option.font) + 2 * UNIT_PX, room.width())
        is_right = table.columns[index.column()].alignment is RIGHT
        chip = QRectF(room.right() - width if is_right else room.left(), room.top(), width, room.height())
        color: QColor = theme.raised if tint is None else theme.tint_color(tint)
        painter.save()
        painter.setFont(option.font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_chip(painter, theme, chip, text, attributes, color)
        painter.restore()


class TokenTable(QWidget):
    """A table view with the number of rows above it, and the progress of saving.

    field    the filter; with the menu buttons `columns` and `export` it follows the widgets `bar` above the
             rows if `bar` is given, else the page arranges them
    saving   writes files
    """

    def __init__(
        self,
        model: TokenListModel[Any],
        theme_source: ThemeSource,
        name: str,
        file_name: str,
        *,
        bar: Sequence[QWidget] | None = None,
        forms: Sequence[ListForm] = FORMS,
        hint: str = FILTER_HINT,
        tip: str = FILTER_TIP,
        field_px: int | None = SEARCH_PX,
        chips: str = "",
        zoom: TextZoom | None = None,
        counts: bool = True,
    ) -> None:
        """`name` is for screen readers, `file_name` has no suffix, `chips` is the column with badges.

        counts  whether the number of rows and the note have a line of their own above the rows
        """
        super().__init__()
        self._model, self._file_name, self._forms, self._chips = model, file_name, forms, chips
        self._shown = model.request  # of the rows listed last
        self.saving = FileSaving(self)
        self.table = TokenTableModel(model, self)
        self.view = TokenTableView(self.table, name, zoom)
        self._chip_delegate = ChipDelegate(theme_source, self.view)
        self.field = SearchField(model, hint, tip, field_px)
        self.field.setAccessibleName(f"Filter {model.noun}s")
        self.columns = MenuButton(theme_source, "Columns", tip="Choose the columns")
        self.columns.fill_on_open(self._list_columns)
        self.export = MenuButton(theme_source, "Export", tip="Export the selected rows, or all listed rows")
        self.export.fill_on_open(self._list_forms)
        self.count, self.note = plain_label("dim"), set_role(FittedLabel(elides=True), "dim")
        self.wider = tool_button("", self._widen, role="figure", tip="Filter in any case")
        self.state = plain_label("dim", wraps=True)  # the note in an empty view, which has room for all of it
        in_column(self.state, STRETCH, on=self.view.viewport(), margins=MARGIN_PX)
        parts = list[Part]()
        if bar is not None:
            row = WrappingRow([*bar, self.field, self.columns, self.export], None if counts else self.count)
            parts.append(in_column(row, margins=(MARGIN_PX, GAP_PX, MARGIN_PX, UNIT_PX)))
        if counts:
            head = self.count, self.wider, (self.note, 1)
            parts.append(in_row(*head, margins=(MARGIN_PX, UNIT_PX), spacing=MARGIN_PX))
        else:
            parts.append(in_row(self.wider, STRETCH))
        in_column(*parts, SavingBar(self.saving, theme_source), (self.view, 1), STRETCH, on=self, spacing=0)
        self.setMinimumWidth(LEAST_PX)
        if any(column.name == "id" for column in model.column_table):
            self.copy_ids = self.view.addAction("Copy ids", self._copy_ids)
        self.view.addActions([self._sub_menu("Export", self.export), self._sub_menu("Columns", self.columns)])
        header = self.view.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_columns)
        self.view.looked_at.connect(self._choose)
        self.view.shown.connect(self._on_chosen_changed)
        self.table.modelReset.connect(self._on_model_reset)
        self.table.dataChanged.connect(self._on_rows_changed)
        model.request_changed.connect(self._on_request_changed)
        model.shown_changed.connect(self.show_state)
        model.chosen_changed.connect(self._on_chosen_changed)
        self._on_model_reset()
        self._on_request_changed()
        self.show_state()

    @property
    def selected(self) -> list[int]:
        """The selected rows, as numbers in the source."""
        rows = self._model.shown.rows
        return [int(rows[position]) for position in self.view.selected_rows if position < len(rows)]

    def show_state(self) -> None:
        shown = self._model.shown
        n_shown, n_all = len(shown.rows), 0 if shown.source is None else len(shown.source)
        all_of_them = "" if shown.source is None else counted(n_all, self._model.noun)
        self.count.setText(all_of_them if n_shown == n_all else f"{n_shown:,} of {all_of_them}")
        self.wider.setText(f"In any case: {shown.wider[1]:,}" if shown.wider else "")
        self.wider.setVisible(shown.wider is not None)
        nothing = "" if n_shown else self._model.note or (NOT_FOUND if shown.source is not None else "")
        self.note.set_texts([self._model.note if n_shown else ""])
        self.state.setText(nothing)
        self.state.setVisible(bool(nothing))
        self.export.setEnabled(shown.source is not None)
        self.columns.setEnabled(shown.source is not None)

    def _widen(self) -> None:
        if self._model.shown.wider is not None:
            self._model.set_query(self._model.shown.wider[0])

    # Rows

    def _choose(self, position: int) -> None:
        if (row := self.table.row(position)) is not None and row != self._model.chosen:
            self._model.choose(row)

    def _on_request_changed(self) -> None:
        self.field.show_query(self._model.query)

    def _on_model_reset(self) -> None:
        """Show which column sorts, and select the chosen row if it is still listed."""
        request, titles = self._model.shown.request, [column.name for column in self.table.shown_columns]
        header, orders = self.view.horizontalHeader(), Qt.SortOrder
        with QSignalBlocker(header):
            header.setSortIndicator(
                titles.index(request.sort) if request.sort in titles else -1,
                orders.DescendingOrder if request.is_descending else orders.AscendingOrder,
            )
        for number, title in enumerate(titles):
            delegate = self._chip_delegate if title == self._chips else self.view.itemDelegate()
            self.view.setItemDelegateForColumn(number, delegate)
        self._on_rows_changed()
        if request != self._shown:
            self._shown = request
            self.view.scrollToTop()  # the best matches are there

    def _on_rows_changed(self) -> None:
        self.view.fit_columns()
        self._on_chosen_changed()

    def _on_chosen_changed(self) -> None:
        if self.view.isVisible():  # finding a row takes time proportional to the number of rows
            position = self._model.position_of(self._model.chosen)
            if position is None or position < self.table.n_rows:  # else the table is not updated yet
                self.view.go_to(position)

    # Menus

    def _sub_menu(self, title: str, button: MenuButton) -> QAction:
        action = QAction(title, self.view)
        action.setMenu(button.menu())
        return action

    def _open_columns(self, point: QPoint) -> None:
        self.columns.menu().popup(self.view.horizontalHeader().mapToGlobal(point))

    def _list_columns(self, menu: QMenu) -> None:
        for column in self._model.choices:
            is_shown = column.name in self._model.columns
            show = partial(self._model.show_column, column.name, not is_shown)
            title = f"{column.name}: {column.about}" if column.about else column.name
            add_choice(menu, title, is_shown, show)

    def _list_forms(self, menu: QMenu) -> None:
        selected = self.view.selected_rows
        positions = selected if len(selected) > 1 else None
        n_rows = self.table.n_rows if positions is None else len(positions)
        menu.addAction(
            f"{'All' if positions is None else 'The'} {n_rows:,} "
            f"{'listed' if positions is None else 'selected'}"
        )
        menu.actions()[0].setEnabled(False)
        for form in self._forms:
            if form.can_be_copied:
                copy = menu.addAction(f"Copy: {form.title}", partial(self._copy, form, positions))
                copy.setEnabled(0 < n_rows <= MOST_COPIED)
        menu.addSeparator()
        for form in self._forms:
            save = menu.addAction(f"Save: {form.title}…", partial(self._save, form, positions))
            save.setEnabled(n_rows > 0 or not form.can_be_copied)

    def _copy(self, form: ListForm, positions: Sequence[int] | None) -> None:
        rows = self._model.token_list(positions)
        text = exported(rows, form.write, lambda share: None)
        copy_text(self, text, f"{counted(len(rows.ids), 'row')} as {form.title}")

    def _save(self, form: ListForm, positions: Sequence[int] | None) -> None:
        make = self._model.export(form.write, positions)  # now, because the list may change during the dialog
        ask_and_save(self, self.saving, self._file_name, Form(form.title, form.ending), make)

    def _copy_ids(self) -> None:
        column = next(each for each in self._model.column_table if each.name == "id")
        source, spelling = self._model.shown.source, self._model.spelling.now
        ids = [column.text(source, row, spelling) for row in self.selected]
        copy_text(self, ", ".join(ids), counted(len(ids), "id"))
