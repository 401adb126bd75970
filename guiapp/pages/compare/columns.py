"""All columns side by side, or below each other where they would be too narrow; they scroll as one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from guiapp.kit.session.token_details import hover_text
from guiapp.kit.side_by_side.linked import LinkedViews, MapBar, pointed_out
from guiapp.kit.spans.editor import WIDTH_PX, EditorLink, LineCost, LineMargin, SpanEditor
from guiapp.kit.spans.token_menu import TokenMenu
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import SeenWatch
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import ShareBar
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, READABLE, ThemeSource, plain_label, set_role
from guiapp.pages.compare.column_head import HEIGHT_PX, ColumnHead, ColumnMenu, ColumnState
from guiapp.pages.compare.models import ComparedFigures, ComparedSpans, ModelsComparison

SIDE_PX = 16  # beside the text
TWO_ROWS_PX = 64  # the least height of the text
LEAST_TEXT_PX = 232
LEAST_COLUMN_HEIGHT_PX = HEIGHT_PX + TWO_ROWS_PX
LEAST_COLUMN_PX = LEAST_TEXT_PX + 2 * SIDE_PX + WIDTH_PX
FRAME_MS = 5.0  # for rows of the text that are new, in each column
LINKING_ROUNDS = 3
BAR_PX = 10
LINE_PX = 1


class ColumnsArea(QWidget):
    """One `ModelColumn` for each session, all of one width, so that their lines wrap alike.

    Signals:
        editors_changed(): `columns` is new.
        room_changed(): `has_room_below` may be new.
    """

    editors_changed = Signal()
    room_changed = Signal()

    def __init__(
        self,
        comparison: ModelsComparison,
        figures: ComparedFigures,
        requests: PageRequests,
        theme_source: ThemeSource,
        whitespace: QAction,
    ) -> None:
        super().__init__()
        self._comparison, self.figures = comparison, figures
        self._requests, self._theme_source = requests, theme_source
        self.links = LinkedViews(whitespace, parent=self)
        self._is_linking = False
        self._linked: list[SpanEditor] = []  # those that showed when they were scrolled last
        self.columns: list[ModelColumn] = []
        self.bar = MapBar(theme_source)
        self._corner = set_role(QFrame(self), "bar")
        self.bar.setParent(self)
        self.setMinimumHeight(LEAST_COLUMN_HEIGHT_PX)
        self.bar.valueChanged.connect(self._scroll)
        comparison.columns_changed.connect(self._on_columns_changed)
        comparison.changed.connect(self._on_comparison_changed)
        figures.lines_changed.connect(self._map_lines)
        SeenWatch(self, comparison.watch)
        self._on_columns_changed()

    @property
    def is_painted(self) -> bool:
        return all(column.editor.is_painted for column in self.columns)

    @property
    def needed_px(self) -> int:
        return LEAST_COLUMN_PX * len(self.columns) + LINE_PX * (len(self.columns) - 1) + BAR_PX

    @property
    def has_room_below(self) -> bool:
        """Whether columns that are too narrow side by side can stand below each other."""
        return (LEAST_COLUMN_HEIGHT_PX + LINE_PX) * len(self.columns) - LINE_PX <= self.height()

    def point_out(self, byte_span: tuple[int, int] | None) -> None:
        """Mark a stretch and its line in all columns; None ends that."""
        place = None if byte_span is None else pointed_out(self._comparison.document, *byte_span)
        for column in self.columns:
            column.editor.point_out(place)
            column.margin.point_out(place)

    def reveal(self, start: int, end: int) -> None:
        self.columns[0].editor.reveal(start, end)

    # One column for each session

    def _on_columns_changed(self) -> None:
        kept = {column.column: column for column in self.columns}
        for spans, column in kept.items():
            if spans not in self._comparison.columns:
                self.links.views.remove(column.editor)
                column.menu.close()
                column.hide()
                column.deleteLater()
        self.columns = [kept.get(spans) or self._new_column(spans) for spans in self._comparison.columns]
        for number, column in enumerate(self.columns):
            column.set_number(number)
            column.menu.can_add = self._comparison.compared.can_add
        self._arrange()
        self._on_comparison_changed()
        self.editors_changed.emit()

    def _new_column(self, spans: ComparedSpans) -> ModelColumn:
        session, compared = spans.session, self._comparison.compared
        menu = ColumnMenu(session, session is compared.sessions[0], self._requests, self._theme_source)
        column = ModelColumn(spans, self.figures, menu, self._theme_source)
        menu.again_wanted.connect(partial(self._add_again, spans))
        menu.removal_wanted.connect(partial(compared.remove, session))
        editor = column.editor
        self.links.add(editor, FRAME_MS)
        TokenMenu(editor, session, self._requests if session is compared.sessions[0] else None)
        editor.set_token_tip(partial(hover_text, session, None))
        editor.moved.connect(partial(self._on_scrolled, editor))
        column.setParent(self)
        column.show()
        return column

    def _add_again(self, spans: ComparedSpans) -> None:
        """The same model in one more column, encoded the same way so far."""
        model = spans.session.loader.model
        if model is not None and self._comparison.compared.can_add:
            pre = model.tokenizer.vocabulary.chosen_pre or None
            session = self._comparison.compared.add(model.name, pre)
            options = spans.session.options
            session.set_add_special(options.add_special)
            session.set_parse_special(options.parse_special)

    def _on_comparison_changed(self) -> None:
        around = [column.column.session.n_affixes for column in self.columns]
        before, behind = (any(pair[side] for pair in around) for side in (0, 1))
        for column in self.columns:
            column.editor.keep_rows_for_added(before, behind)
            column.head.refresh()
        focused = (column.editor for column in self.columns if column.editor.hasFocus())
        self._on_scrolled(next(focused, self.columns[0].editor))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()
        if event.size().height() != event.oldSize().height():
            self.room_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), self._theme_source.theme.line)  # what is between columns

    def _arrange(self) -> None:
        """Columns of one width, or rows of one height; a hairline between them."""
        count, width, height = len(self.columns), self.width() - BAR_PX, self.height()
        beside = width + BAR_PX >= self.needed_px or not self.has_room_below
        for number, column in enumerate(self.columns):
            if beside:
                size = (width - LINE_PX * (count - 1)) // count
                place = QRect(number * (size + LINE_PX), 0, size, height)
            else:
                size = (height - LINE_PX * (count - 1)) // count
                place = QRect(0, number * (size + LINE_PX), width, size)
            column.setGeometry(place)
        top = HEIGHT_PX if beside else 0
        self.bar.setGeometry(width, top, BAR_PX, height - top)
        self._corner.setGeometry(width, 0, BAR_PX, top)
        self._sync_bar()

    # Scrolling

    def _scroll(self, value: int) -> None:
        self.columns[0].editor.verticalScrollBar().setValue(value)

    def _on_scrolled(self, moved: SpanEditor, moved_px: int = 0) -> None:
        if (
            self._is_linking or self.links.is_linking or self._comparison.is_telling
        ):  # an edit that others have not followed
            return
        self._is_linking = True
        editors = [column.editor for column in self.columns if column.editor.isVisible()]
        led = [editor for editor in editors if editor in self._linked]
        leader = moved if moved in led or not led else led[0]  # not one that shows only now
        for _ in range(LINKING_ROUNDS):
            for editor in editors:
                editor.show_from(leader.rows.top)
            other = next((each for each in editors if each.rows.top != leader.rows.top), None)
            if other is None:
                break
            leader = other  # it has laid out more, and knows better where the text ends
        self._linked = editors
        self._is_linking = False
        self._sync_bar()

    def _sync_bar(self) -> None:
        source = self.columns[0].editor.verticalScrollBar()
        with QSignalBlocker(self.bar):
            self.bar.setRange(source.minimum(), source.maximum())
            self.bar.setPageStep(source.pageStep())
            self.bar.setSingleStep(source.singleStep())
            self.bar.setEnabled(source.maximum() > 0)
            self.bar.setValue(source.value())

    def _map_lines(self) -> None:
        figures, rows = self.figures, self.columns[0].editor.rows
        self.bar.show_places(rows.shares_of(figures.dear_lines), figures.dearness)


class ColumnNotice(QFrame):
    """In place of the text: why there are no tokens, and what to do."""

    def __init__(self, state: ColumnState, menu: ColumnMenu) -> None:
        super().__init__()
        set_role(self, "panel")
        self._state = state
        self._message = plain_label(wraps=True)
        self._message.setTextInteractionFlags(READABLE)
        self._progress = ShareBar("Progress of opening")
        self._pre = push_button("Choose pre-tokenizer…", menu.choose_pre, role="primary")
        self._other = push_button("Choose a model…", menu.choose_model)
        buttons = in_column(self._pre, self._other, spacing=GAP_PX)  # beside each other they may not fit
        for button in (self._pre, self._other):
            buttons.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        in_column(self._message, self._progress, buttons, STRETCH, on=self, margins=MARGIN_PX, spacing=GAP_PX)
        state.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        progress = self._state.progress
        self._message.setText(self._state.message)
        self._progress.setVisible(progress is not None)
        self._progress.show_share(progress or 0)
        self._pre.setVisible(self._state.needs_pre)
        self._other.setVisible(progress is None)


class ModelColumn(QFrame):
    """A head over an editor; `focus_changed` of the editor shows in the head."""

    def __init__(
        self, column: ComparedSpans, figures: ComparedFigures, menu: ColumnMenu, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        set_role(self, "column")
        self.column, self.menu = column, menu
        state = self.state = ColumnState(column)
        state.setParent(self)
        session = column.session
        self.head = ColumnHead(state, figures, theme_source)
        self.head.name_button.setMenu(menu)
        menu.setParent(self.head.name_button, menu.windowFlags())
        self.editor = SpanEditor(session.document, column, theme_source, SIDE_PX)
        self.editor.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.margin = LineCounts(column, figures, self.editor, theme_source)
        EditorLink(self.editor, session)
        text = framed(in_row((self.editor, 1), self.margin, spacing=0))
        self.notice = ColumnNotice(state, menu)
        self._body = QStackedWidget()
        for part in (text, self.notice):
            self._body.addWidget(part)
        self._body.setMinimumHeight(TWO_ROWS_PX)  # else the notice's, and the head would be cut off
        in_column(self.head, (self._body, 1), on=self, spacing=0)
        self.editor.installEventFilter(self)
        self.setFocusProxy(self.editor)
        state.changed.connect(self._refresh)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.head.is_focused = event.type() is QEvent.Type.FocusIn
            self.head.update()
        return False

    def set_number(self, number: int) -> None:
        self.head.number = number
        self.head.refresh()
        self._refresh()

    def _refresh(self) -> None:
        is_own = self.head.number == 0  # the window's: without a model its text is edited all the same
        self._body.setCurrentIndex(0 if is_own or self.state.has_model else 1)
        self.editor.setAccessibleName(f"Text with the tokens of {self.state.name}")


class LineCounts(LineMargin):
    """Numbers at the first row of each line; amber with a bar where another model needs fewer."""

    def __init__(
        self, column: ComparedSpans, figures: ComparedFigures, editor: SpanEditor, theme_source: ThemeSource
    ) -> None:
        super().__init__(column.session.document, editor, theme_source)
        self._column = column
        self.figures = figures
        figures.lines_changed.connect(self.update)
        column.tokens_changed.connect(self.update)

    def n_before(self) -> int:
        return self._column.session.n_affixes[0]

    def cost_of(self, start: int, end: int) -> LineCost | None:
        row = self.figures.row_of(self._column)
        if row < 0:
            return None
        more = self.figures.more_in_line(row, start, end)
        share = more / max(self.figures.most_more, more, 1)
        return LineCost(self.figures.in_line(start, end)[row], more > 0, f"+{more:,}", share)
