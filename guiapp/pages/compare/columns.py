"""The columns side by side, each a head above the text in tokens of its model; they scroll together."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QStackedWidget, QWidget

from guiapp.core.encode.catalogue import encoder_label
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.session.choice import joined, summary
from guiapp.kit.session.loader import can_choose, file_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import hover_text
from guiapp.kit.side_by_side.head import NameButton, SideHead
from guiapp.kit.side_by_side.linked import LinkedViews, MapBar, pointed_out
from guiapp.kit.spans.editor import WIDTH_PX, EditorLink, LineCost, LineMargin, SpanEditor
from guiapp.kit.spans.token_menu import TokenMenu
from guiapp.kit.widgets.choice_list import PrePicker
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import SeenWatch, plain_tip
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.menu_button import ButtonMenu
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import Marker, ShareBar
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    READABLE,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    plain_label,
    set_role,
)
from guiapp.pages.compare.models import ComparedFigures, ComparedSpans, ModelsComparison

SIDE_PX = 16  # left and right of the text
HEAD_PX, TWO_ROWS_PX = 80, 64  # height of the head, and minimum height of the text
LEAST_TEXT_PX = 232
LEAST_COLUMN_PX = LEAST_TEXT_PX + 2 * SIDE_PX + WIDTH_PX
FRAME_MS = 5.0  # a frame, for new rows of the text, in each column
LINKING_ROUNDS = 3
BAR_PX = 10
LINE_PX = 1


class ColumnsArea(QWidget):
    """A `ModelColumn` for each session, all of the same width, so that their lines wrap alike.

    Signals:
        editors_changed(): `columns` is new.
    """

    editors_changed = Signal()

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
        self._names: list[str] = []  # as shown in the heads
        self._linked: list[SpanEditor] = []  # the visible ones at the last scrolling
        self.columns: list[ModelColumn] = []
        self.bar = MapBar(theme_source)
        self._corner = set_role(QFrame(self), "bar")
        self.bar.setParent(self)
        self.setMinimumHeight(HEAD_PX + TWO_ROWS_PX)
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

    def point_out(self, byte_span: tuple[int, int] | None) -> None:
        """Mark a span and its line in all columns; None removes the mark."""
        target = None if byte_span is None else pointed_out(self._comparison.document, *byte_span)
        for column in self.columns:
            column.editor.point_out(target)
            column.margin.point_out(target)

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
        menu.again.triggered.connect(partial(self._add_again, spans))
        menu.remove.triggered.connect(partial(compared.remove, session))
        editor = column.editor
        self.links.add(editor, FRAME_MS)
        TokenMenu(editor, session, self._requests if session is compared.sessions[0] else None)
        editor.set_token_tip(partial(hover_text, session, None))
        editor.moved.connect(partial(self._on_scrolled, editor))
        column.setParent(self)
        column.show()
        return column

    def _add_again(self, spans: ComparedSpans) -> None:
        """Add a column with the same model and the same encode options."""
        model = spans.session.loader.model
        if model is not None and self._comparison.compared.can_add:
            pre = model.tokenizer.vocabulary.chosen_pre or None
            session = self._comparison.compared.add(model.name, pre)
            options = spans.session.options
            session.set_add_special(options.add_special)
            session.set_parse_special(options.parse_special)

    def _on_comparison_changed(self) -> None:
        around = [column.column.session.n_affixes for column in self.columns]
        before, after = (any(pair[side] for pair in around) for side in (0, 1))
        names = [*self._comparison.names.values()]
        for column in self.columns:
            column.editor.keep_rows_for_added(before, after)
            refresh = column.head.show_figures if names == self._names else column.head.refresh
            refresh()
        self._names = names
        focused = (column.editor for column in self.columns if column.editor.hasFocus())
        self._on_scrolled(next(focused, self.columns[0].editor))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), self._theme_source.theme.line)  # shows between columns

    def _arrange(self) -> None:
        """Arrange columns of the same width, with a hairline between them."""
        count, width, height = len(self.columns), self.width() - BAR_PX, self.height()
        size = (width - LINE_PX * (count - 1)) // count
        for number, column in enumerate(self.columns):
            column.setGeometry(number * (size + LINE_PX), 0, size, height)
        self.bar.setGeometry(width, HEAD_PX, BAR_PX, height - HEAD_PX)
        self._corner.setGeometry(width, 0, BAR_PX, HEAD_PX)
        self._sync_bar()

    # Scrolling

    def _scroll(self, value: int) -> None:
        self.columns[0].editor.verticalScrollBar().setValue(value)

    def _on_scrolled(self, moved: SpanEditor, moved_px: int = 0) -> None:
        if (
            self._is_linking or self.links.is_linking or self._comparison.is_telling
        ):  # during an edit that other columns have not followed
            return
        self._is_linking = True
        editors = [column.editor for column in self.columns if column.editor.isVisible()]
        led = [editor for editor in editors if editor in self._linked]
        leader = moved if moved in led or not led else led[0]  # not one that has just become visible
        for _ in range(LINKING_ROUNDS):
            for editor in editors:
                editor.show_from(leader.rows.top)
            other = next((each for each in editors if each.rows.top != leader.rows.top), None)
            if other is None:
                break
            leader = other  # it has laid out more rows, so its end of the text is more accurate
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
        self.bar.show_ticks(rows.shares_of(figures.dear_lines), figures.dearness)


class ColumnNotice(QFrame):
    """Shown instead of the text: why there are no tokens, and what to do."""

    def __init__(self, state: ColumnState, menu: ColumnMenu) -> None:
        super().__init__()
        set_role(self, "panel")
        self._state = state
        self._message = plain_label(wraps=True)
        self._message.setTextInteractionFlags(READABLE)
        self._progress = ShareBar("Progress of opening")
        self._pre = push_button("Choose pre-tokenizer…", menu.choose_pre, role="primary")
        self._other = push_button("Choose a model…", menu.choose_model)
        buttons = in_column(self._pre, self._other, spacing=GAP_PX)  # side by side they may not fit
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
    """A head above an editor; the head shows whether the editor has focus."""

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
        self._body.setMinimumHeight(TWO_ROWS_PX)  # the notice's is larger, and would clip the head
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
        is_own = self.head.number == 0  # the window's: its text can be edited without a model, too
        self._body.setCurrentIndex(0 if is_own or self.state.has_model else 1)
        self.editor.setAccessibleName(f"Text with the tokens of {self.state.name}")


class LineCounts(LineMargin):
    """The number of tokens of each line, at its first row; amber with a bar if another model needs fewer."""

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
        n_tokens = self.figures.in_line(start, end)[row]
        is_end = start == end == self._column.document.size  # below the last line break
        return None if is_end and not n_tokens else LineCost(n_tokens, more > 0, f"+{more:,}", share)


# The head of a column: its model, the progress of opening, the cost of the text, and a menu


class ColumnHead(SideHead):
    """Marker, name, kind, number of tokens, how many more than the fewest, and both as a bar."""

    height_px = HEAD_PX
    bar_tip = "Tokens of this model. Amber: more than the model with the fewest."
    number = 0  # of the column, from the left

    def __init__(self, state: ColumnState, figures: ComparedFigures, theme_source: ThemeSource) -> None:
        self._state, self._figures, self._theme_source = state, figures, theme_source
        self.name_button = NameButton(theme_source)
        self._marker, self._cost = Marker(theme_source, 0), set_role(QLabel(), "more")
        self._cost.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.is_focused = False
        title = in_row(self._marker, self.name_button, (STRETCH, 1), spacing=UNIT_PX)
        super().__init__(theme_source, framed(title), self._cost)
        self._more.hide()  # `_cost` shows it
        state.changed.connect(self.refresh)
        figures.lines_changed.connect(self.show_figures)

    def refresh(self) -> None:
        state, name = self._state, self._state.name
        problem = state.problem if state.has_model else ""  # otherwise the notice below shows it
        self._marker.show_number(self.number)
        self.name_button.set_name(name)
        self.name_button.setAccessibleName(f"Model {self.number + 1}: {name}")
        self.name_button.setToolTip(plain_tip(state.tip))
        parts = state.kind.split(" · ")
        texts = [problem] if problem else [" · ".join(parts[:n]) for n in range(len(parts), 0, -1)]
        self.show_size(*texts, role="bad" if problem else "dim")
        self.show_figures()

    def show_figures(self) -> None:
        """Update what changes with each keystroke."""
        figures, cost = self._figures, self._figures.cost(self._state.column)
        words = "" if cost is None or not figures.is_comparing else cost.words
        if words != self._cost.text():
            self._cost.setText(words)
            set_role(self._cost, "more" if cost is not None and (cost.more or cost.unknown_share) else "good")
        n_tokens, more = (0, 0) if cost is None else (cost.n_tokens, cost.more)
        most, more_shown = max(figures.most_tokens, n_tokens), more if words else 0
        self.show_counts(n_tokens, more_shown, n_tokens - more, most, is_known=cost is not None)
        name = self.name_button.accessibleName()
        self.setAccessibleName(f"{name}: {counted(n_tokens, 'token')}, {words}" if cost else name)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_focused:
            QPainter(self).fillRect(0, 0, self.width(), 2, self._theme_source.theme.accent)


class ColumnState(QObject):
    """Name and kind of the model of a column, or why there is none.

    problem  why the model that was requested last did not open, or the text was not encoded; "" for none

    Signals:
        changed(): any property is new.
    """

    changed = Signal()

    def __init__(self, column: ComparedSpans) -> None:
        super().__init__()
        self.column = column
        self.session = column.session
        self._not_encoded = ""
        loader = self.session.loader
        of_loader = loader.loading_changed, loader.progress_changed, loader.refused_changed, loader.failed
        for signal in (*of_loader, self.session.options_changed, self.session.vocabulary_changed):
            signal.connect(self.changed)
        self.session.spans.failed.connect(self._fail_to_encode)
        self.session.spans.encoded.connect(self._encode)

    @property
    def problem(self) -> str:
        return self.session.loader.failure or self._not_encoded

    @property
    def has_model(self) -> bool:
        return self.session.tokenizer is not None

    @property
    def needs_pre(self) -> bool:
        return self.session.loader.refused is not None

    @property
    def progress(self) -> float | None:
        """Progress of opening, from 0 to 1; None if nothing is being opened."""
        loader = self.session.loader
        return None if loader.loading_name is None else loader.job.progress

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def kind(self) -> str:
        """`BPE · llama-bpe · 128,256`, preceded by options that differ from the defaults."""
        loader, options = self.session.loader, self.session.options
        if loader.loading_name is not None:
            return f"Opening… {self.progress or 0:.0%}"
        if loader.model is None:
            return ""
        switches = [
            "" if options.encoder is None else options.encoder,
            "" if options.add_special else "none added",
            "" if options.parse_special else "special as text",
        ]
        return joined(*switches, summary(loader.model))

    @property
    def tip(self) -> str:
        model = self.session.loader.model
        return joined(self.name, "" if model is None else file_of(model), self.kind, self.problem)

    @property
    def message(self) -> str:
        """The message shown instead of the text, "" if the text can be shown."""
        loader = self.session.loader
        if loader.model is not None:
            return ""
        if loader.loading_name is not None:
            return f"Opening {self.name} …"
        return loader.problem or self._not_encoded or "No model is open."

    def _encode(self) -> None:
        self._fail_to_encode("")

    def _fail_to_encode(self, message: str) -> None:
        self._not_encoded = message
        self.changed.emit()


class ColumnMenu(ButtonMenu):
    """The menu of a column's session; the area of columns connects `again` and `remove`."""

    def __init__(
        self, session: ModelSession, is_first: bool, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # not that of its button
        self._session = session
        self._requests = requests
        self._theme_source = theme_source
        self._pre_picker: PrePicker | None = None
        self._add("Other model…", self.choose_model)
        self._encoders = self.addMenu("Encoder")
        self._pre = self._add("Pre-tokenizer…", self.choose_pre)
        self._add_special = self._add("Add special tokens", session.set_add_special, is_checkable=True)
        self._parse_special = self._add("Parse special tokens", session.set_parse_special, is_checkable=True)
        self.addSeparator()
        self.again = self.addAction("The same model again")
        self.remove = QAction("Remove", self)
        if not is_first:
            self.addAction(self.remove)
        self.can_add = True
        self.aboutToShow.connect(self._refresh)

    def choose_model(self) -> None:
        self._requests.model_wanted.emit(self._button, self._session.loader.open)

    def choose_pre(self) -> None:
        """Ask for the pre-tokenizer of the model that needs one, or else of the open model."""
        if self._pre_picker is None:
            self._pre_picker = PrePicker(self._session.loader, self._theme_source, self._button)
            self._pre_picker.chosen.connect(self._session.loader.use_pre)
        self._pre_picker.open_under(self._button)

    @property
    def _button(self) -> QWidget:
        button = self.parentWidget()
        assert button is not None
        return button

    def _add(self, text: str, slot: object, is_checkable: bool = False) -> QAction:
        action = self.addAction(text)
        action.setCheckable(is_checkable)
        action.triggered.connect(slot)
        return action

    def _refresh(self) -> None:
        session = self._session
        self._encoders.clear()
        for algorithm in session.encoders.values():
            mark = "exact" if algorithm.exact else "approximate"
            action = self._encoders.addAction(f"{encoder_label(algorithm.name)}: {algorithm.title} ({mark})")
            action.setCheckable(True)
            action.setChecked(session.algorithm is algorithm)
            action.triggered.connect(partial(session.set_encoder, algorithm.name))
        self._encoders.setEnabled(bool(session.encoders))
        self._pre.setEnabled(can_choose(session.loader))
        self._add_special.setChecked(session.options.add_special)
        self._parse_special.setChecked(session.options.parse_special)
        self.again.setEnabled(self.can_add and session.loader.model is not None)
