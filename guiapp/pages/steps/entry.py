"""A line to type breakpoints and watches into, and rows that are made anew."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from guiapp.analysis.trace.breakpoints import column_help
from guiapp.analysis.trace.conditions import TRACE_SCHEMA, ConditionError, Schema
from guiapp.errors import TokenloupeError
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.style_sheet import plain_label
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UNIT_PX
from guiapp.pages.steps.drawing import Drawing


class EntryField(QWidget):
    """A line to type an entry into, with what is wrong about it below.

    Signals:
        entered(str): Return was pressed.
    """

    entered = Signal(str)

    def __init__(self, placeholder: str, drawing: Drawing, schema: Schema = TRACE_SCHEMA) -> None:
        super().__init__()
        _, self._zoom, _ = drawing
        self.line = QLineEdit()
        self.line.setPlaceholderText(placeholder)
        self.line.setToolTip(column_help(schema))
        self.line.returnPressed.connect(self._enter)
        self.line.textEdited.connect(self.clear_error)
        self.error = plain_label("bad", wraps=True)
        self.error.setMinimumWidth(1)  # a long word is cut off rather than all beside it
        self.error.hide()
        in_column(self.line, self.error, on=self, spacing=UNIT_PX)
        self._zoom.changed.connect(self._follow_zoom)
        self._follow_zoom()

    def show_error(self, error: TokenloupeError) -> None:
        """Say what is wrong, and put the cursor there."""
        self.error.setText(str(error))
        self.error.show()
        if isinstance(error, ConditionError):
            start = max(0, self.line.text().find(error.condition))
            self.line.setCursorPosition(start + error.position)

    def clear_error(self) -> None:
        self.error.hide()

    def _follow_zoom(self) -> None:
        self.line.setFont(self._zoom.mono_font(SMALL_FONT_PX + 1))
        self.error.setFont(self._zoom.ui_font(SMALL_FONT_PX))

    def _enter(self) -> None:
        self.entered.emit(self.line.text())
