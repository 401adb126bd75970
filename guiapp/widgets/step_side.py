"""Beside the steps: breakpoints and watches to set and change, and what was made so far."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from guiapp.core.errors import TokenloupeError
from guiapp.core.explain.visible_text import isolate
from guiapp.core.trace.breakpoints import column_help
from guiapp.core.trace.condition_syntax import ConditionError
from guiapp.viewmodels.step_pictures import Made, made_so_far
from guiapp.viewmodels.steps_model import StepsModel
from guiapp.widgets.style_sheet import heading, set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

TEMPLATES = {
    "A token is formed": 'token "…"',
    "A token matches a pattern": "pattern ^Ġ[A-Z]",
    "A pair merges": 'pair "…" "…"',
    "A rank or score range": "rank 0..500",
    "A token over a byte": "byte 0",
    "A piece begins": "piece 0",
    "An operation": "operation stale",
    "First difference from an encoder": "difference greedy",
    "A condition": "rank < 500 and length > 3",
    "A condition, with a message instead of a stop": "operation merge log {left} + {right}, rank {rank}",
}


class SidePanel(QScrollArea):
    """Breakpoints, watches, history, one below the other."""

    def __init__(self, model: StepsModel, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.breakpoints = BreakpointList(model, theme_source)
        self.watches = WatchList(model, theme_source)
        self.history = History(model, theme_source)
        content = QFrame()
        set_role(content, "panel")
        layout = QVBoxLayout(content)
        layout.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        layout.setSpacing(MARGIN_PX + UNIT_PX)
        made = QVBoxLayout()
        made.setSpacing(GAP_PX)
        made.addWidget(heading("Made so far"))
        made.addWidget(self.history)
        layout.addWidget(self.breakpoints)
        layout.addWidget(self.watches)
        layout.addLayout(made)
        layout.addStretch()
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(240)


class EntryField(QWidget):
    """A line to type an entry into, with what is wrong about it below.

    Signals:
        entered(str): Return was pressed.
    """

    entered = Signal(str)

    def __init__(self, placeholder: str, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme_source = theme_source
        self.line = QLineEdit()
        self.line.setPlaceholderText(placeholder)
        self.line.setFont(Theme.mono_font(SMALL_FONT_PX + 1))
        self.line.setToolTip(column_help())
        self.line.returnPressed.connect(self._enter)
        self.line.textEdited.connect(self.clear_error)
        self.error = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.error.setFont(Theme.ui_font(SMALL_FONT_PX))
        self.error.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT_PX)
        layout.addWidget(self.line)
        layout.addWidget(self.error)
        theme_source.changed.connect(self._color)
        self._color()

    def show_error(self, error: TokenloupeError) -> None:
        """Say what is wrong, and put the cursor there."""
        self.error.setText(str(error))
        self.error.show()
        if isinstance(error, ConditionError):
            start = max(0, self.line.text().find(error.condition))
            self.line.setCursorPosition(start + error.position)

    def clear_error(self) -> None:
        self.error.hide()

    def _enter(self) -> None:
        self.entered.emit(self.line.text())

    def _color(self) -> None:
        self.error.setStyleSheet(f"color: {self._theme_source.theme.bad.name()}")


def clear(layout: QVBoxLayout) -> None:
    """Take all widgets out of a layout and delete them."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


class BreakpointList(QWidget):
    """One line for each: on or off, what it is, how often it is hit; a click on it edits it."""

    def __init__(self, model: StepsModel, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme_source = theme_source
        self._edited: int | None = None
        self._shown: list[BreakpointRow] = []
        self.add_button = QToolButton()
        self.add_button.setText("+ add")
        self.add_button.setAccessibleName("Add a breakpoint")
        set_role(self.add_button, "quiet")
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        for title, template in TEMPLATES.items():
            action = QAction(title, menu)
            action.triggered.connect(partial(self.begin, template))
            menu.addAction(action)
        self.add_button.setMenu(menu)
        self.field = EntryField("rank < 500, token 42, operation stale …", theme_source)
        self.field.entered.connect(self._enter)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        head = QHBoxLayout()
        head.addWidget(heading("Breakpoints"))
        head.addStretch()
        head.addWidget(self.add_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_PX)
        layout.addLayout(head)
        layout.addLayout(self._rows)
        layout.addWidget(self.field)
        model.breakpoints_changed.connect(self._follow)
        model.position_changed.connect(self._follow_stop)
        theme_source.changed.connect(self._follow)
        self._follow()

    @property
    def row_widgets(self) -> list[BreakpointRow]:
        """What is shown, in order."""
        return self._shown

    def begin(self, template: str) -> None:
        """Put a template into the line, ready to be changed."""
        self._edited = None
        self.field.line.setText(template)
        self.field.line.setFocus()
        if "…" in template:
            self.field.line.setSelection(template.index("…"), 1)

    def edit(self, index: int) -> None:
        """Put a breakpoint into the line to change it."""
        self.begin(self._model.breakpoints[index].title)
        self._edited = index

    def _enter(self, text: str) -> None:
        try:
            if self._edited is None:
                self._model.add_breakpoint(text)
            else:
                self._model.change_breakpoint(self._edited, text)
        except TokenloupeError as error:
            self.field.show_error(error)
            return
        self._edited = None
        self.field.line.clear()
        self.field.clear_error()

    def _follow(self) -> None:
        clear(self._rows)
        self._shown = []
        counts = self._model.hit_counts()
        for index in range(len(self._model.breakpoints)):
            row = BreakpointRow(self._model, index, counts[index], self._theme_source)
            row.edit_requested.connect(self.edit)
            self._rows.addWidget(row)
            self._shown.append(row)
        self._follow_stop()

    def _follow_stop(self) -> None:
        debugger = self._model.debugger
        stopped_at = None if debugger is None else debugger.stopped_at
        for row, breakpoint_ in zip(self.row_widgets, self._model.breakpoints, strict=True):
            row.set_stopped(stopped_at is not None and stopped_at.title == breakpoint_.title)


class BreakpointRow(QWidget):
    """One breakpoint.

    Signals:
        edit_requested(int): a click asked to change the breakpoint of this index.
    """

    edit_requested = Signal(int)

    def __init__(self, model: StepsModel, index: int, n_hits: int, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._index = index
        breakpoint_, theme = model.breakpoints[index], theme_source.theme
        self.switch = QToolButton()
        self.switch.setText("●" if breakpoint_.is_enabled else "○")
        color = theme.warning if breakpoint_.log else theme.bad
        self.switch.setStyleSheet(f"color: {color.name()}; padding: 2px 0px")
        self.switch.setAccessibleName("Switch off" if breakpoint_.is_enabled else "Switch on")
        self.switch.clicked.connect(self._switch)
        self.label = QToolButton()
        self.label.setText(
            QFontMetrics(Theme.mono_font(SMALL_FONT_PX + 1)).elidedText(breakpoint_.title, ELIDE, 150)
        )
        self.label.setToolTip(f"{breakpoint_.title}\nClick to change it.")
        self.label.setFont(Theme.mono_font(SMALL_FONT_PX + 1))
        self.label.setMinimumWidth(0)
        self.label.clicked.connect(self._edit)
        self.hits = QLabel("off" if not breakpoint_.is_enabled else f"{n_hits:,}")
        self.hits.setToolTip("how often it is hit in this trace")
        set_role(self.hits, "dim")
        self.remove = QToolButton()
        self.remove.setText("×")
        self.remove.setAccessibleName("Remove the breakpoint")
        self.remove.clicked.connect(self._remove)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT_PX)
        for button in (self.switch, self.label, self.remove):
            set_role(button, "quiet")
        color = theme.text if breakpoint_.is_enabled else theme.faint
        self.label.setStyleSheet(f"color: {color.name()}; padding: 5px 2px")
        layout.addWidget(self.switch)
        layout.addWidget(self.label)
        layout.addStretch()
        layout.addWidget(self.hits)
        layout.addWidget(self.remove)

    def set_stopped(self, is_stopped: bool) -> None:
        """Whether the last run ended at it."""
        font = self.label.font()
        font.setBold(is_stopped)
        self.label.setFont(font)

    def _switch(self) -> None:
        self._model.enable_breakpoint(self._index, not self._model.breakpoints[self._index].is_enabled)

    def _edit(self) -> None:
        self.edit_requested.emit(self._index)

    def _remove(self) -> None:
        self._model.remove_breakpoint(self._index)


VCENTER = Qt.AlignmentFlag.AlignVCenter
ELIDE = Qt.TextElideMode.ElideRight


class WatchList(QWidget):
    """Expressions with their values at this step."""

    def __init__(self, model: StepsModel, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.field = EntryField("rank, end - position …", theme_source)
        self.field.entered.connect(self._enter)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        self._values: list[QLabel] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_PX)
        layout.addWidget(heading("Watch"))
        layout.addLayout(self._rows)
        layout.addWidget(self.field)
        model.watches_changed.connect(self._rebuild)
        model.position_changed.connect(self._follow)
        model.trace_changed.connect(self._follow)
        self._rebuild()

    @property
    def shown_values(self) -> list[str]:
        """The values as they are read."""
        return [label.text() for label in self._values]

    def _enter(self, text: str) -> None:
        try:
            self._model.add_watch(text)
        except TokenloupeError as error:
            self.field.show_error(error)
            return
        self.field.line.clear()
        self.field.clear_error()

    def _rebuild(self) -> None:
        clear(self._rows)
        self._values = []
        for index, text in enumerate(self._model.watches):
            self._rows.addWidget(self._row(index, text))
        self._follow()

    def _row(self, index: int, text: str) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        name, value, remove = QLabel(text), QLabel(), QToolButton()
        name.setFont(Theme.mono_font(SMALL_FONT_PX + 1))
        value.setFont(Theme.mono_font(SMALL_FONT_PX + 1))
        set_role(name, "dim")
        remove.setText("×")
        remove.setAccessibleName(f"Forget {text}")
        remove.clicked.connect(partial(self._model.remove_watch, index))
        set_role(remove, "quiet")
        self._values.append(value)
        layout.addWidget(name)
        layout.addStretch()
        layout.addWidget(value)
        layout.addWidget(remove)
        return row

    def _follow(self) -> None:
        for label, value in zip(self._values, self._model.watch_values(), strict=True):
            label.setText(value)


class History(QWidget):
    """What the last steps made; a click goes there."""

    N_ROWS = 10
    ROW_PX = 24

    def __init__(self, model: StepsModel, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme_source = theme_source
        self._made: list[Made] = []
        self.setFixedHeight(self.N_ROWS * self.ROW_PX)
        self.setAccessibleName("Made so far")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme_source.changed.connect(self.update)
        model.position_changed.connect(self._follow)
        model.trace_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        debugger = self._model.debugger
        self._made = [] if debugger is None else made_so_far(debugger, self.N_ROWS)
        self.setAccessibleDescription("; ".join(entry.text for entry in self._made))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._theme_source.theme
        painter.setFont(Theme.mono_font(SMALL_FONT_PX + 1))
        metrics = painter.fontMetrics()
        number_width = metrics.horizontalAdvance(f"{self._model.n_steps:,}") + GAP_PX
        for index, entry in enumerate(self._made):
            row = QRectF(0, index * self.ROW_PX, self.width(), self.ROW_PX)
            worth_width = metrics.horizontalAdvance(entry.worth) + GAP_PX
            painter.setPen(theme.faint)
            painter.drawText(row, VCENTER | Qt.AlignmentFlag.AlignLeft, f"{entry.step:,}")
            painter.setPen(theme.dim)
            painter.drawText(row, VCENTER | Qt.AlignmentFlag.AlignRight, entry.worth)
            painter.setPen(theme.text if index == len(self._made) - 1 else theme.dim)
            inner = row.adjusted(number_width, 0, -worth_width, 0)
            text = metrics.elidedText(isolate(entry.text), ELIDE, int(inner.width()))
            painter.drawText(inner, VCENTER | Qt.AlignmentFlag.AlignLeft, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = int(event.position().y() // self.ROW_PX)
        if 0 <= index < len(self._made):
            self._model.go_to(self._made[index].step)
