"""The algorithm in a few lines, the present one marked, and what its variables are."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from guiapp.core.explain.visible_text import isolate
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.pseudo_code import STAGES, PseudoCode, pseudo_code
from guiapp.core.trace.sentences import label
from guiapp.viewmodels.steps_model import StepsModel
from guiapp.widgets.step_cards import enlargement
from guiapp.widgets.style_sheet import blend
from guiapp.widgets.theme import UI_FONT_PX, Theme, ThemeSource

LINE_PX = 22
SMALLEST = 0.8
INDENT_PX = 12
N_LINES = 16  # room for any code with its variables: all are shown in the same size
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class CodeView(QWidget):
    """Follows the model's debugger."""

    def __init__(self, model: StepsModel, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme_source = theme_source
        self.setAccessibleName("Pseudo-code")
        self.setMinimumHeight(8 * LINE_PX)
        theme_source.changed.connect(self.update)
        model.position_changed.connect(self._follow)
        model.trace_changed.connect(self._follow)

    def sizeHint(self) -> QSize:
        return QSize(420, 15 * LINE_PX)

    def present(self) -> tuple[PseudoCode, int]:
        """The lines and the one that is carried out, -1 for none."""
        debugger = self._model.debugger
        if debugger is None or debugger.position >= debugger.n_steps:
            return STAGES, -1
        return pseudo_code(debugger.trace, debugger.position)

    def _follow(self) -> None:
        code, line = self.present()
        self.setAccessibleDescription(code.lines[line].strip() if line >= 0 else "done")
        metrics = QFontMetrics(Theme.mono_font(UI_FONT_PX))
        self.setMinimumWidth(2 * INDENT_PX + max(map(metrics.horizontalAdvance, code.lines)))
        self.update()

    def _scale(self, n_lines: int) -> float:
        """Larger where there is room for any code, smaller where there is none for this one."""
        larger = enlargement(self.size(), QSize(self.minimumWidth(), N_LINES * LINE_PX))
        return larger if larger > 1 else max(SMALLEST, min(1.0, self.height() / (n_lines * LINE_PX)))

    def paintEvent(self, event: QPaintEvent) -> None:
        debugger = self._model.debugger
        if debugger is None:
            return
        painter = QPainter(self)
        theme = self._theme_source.theme
        painter.setFont(Theme.mono_font(UI_FONT_PX))
        code, present = self.present()
        lines = len(code.lines) + 1 + len(variables(debugger))
        scale = self._scale(lines)
        painter.scale(scale, scale)
        width = self.width() / scale
        for number, line in enumerate(code.lines):
            row = QRectF(0, number * LINE_PX, width, LINE_PX)
            if number == present:
                painter.fillRect(row, blend(theme.raised, theme.accent, 0.26))
                painter.fillRect(QRectF(0, row.top(), 3, LINE_PX), theme.accent)
            painter.setPen(theme.text if number == present else theme.dim)
            painter.drawText(row.adjusted(INDENT_PX, 0, 0, 0), LEFT, line)
        top = (len(code.lines) + 0.6) * LINE_PX
        painter.setPen(theme.dim)
        for number, (name, value, place) in enumerate(variables(debugger)):
            row = QRectF(INDENT_PX, top + number * LINE_PX, width - INDENT_PX, LINE_PX)
            painter.setPen(theme.dim)
            painter.drawText(row, LEFT, name)
            painter.drawText(row.adjusted(232, 0, 0, 0), LEFT, place)
            painter.setPen(theme.text)
            painter.drawText(row.adjusted(84, 0, 0, 0), LEFT, value)


def variables(debugger: Debugger) -> list[tuple[str, str, str]]:
    """Name, value and place of what the present step works with."""
    if debugger.position >= debugger.n_steps:
        return []
    columns, step = debugger.trace.columns, debugger.position
    start, end = int(columns.position[step]), int(columns.end[step])
    middle = int(columns.right_position[step])
    places = {"left": (start, middle), "right": (middle, end), "result": (start, end)}
    found = []
    for name, (first, last) in places.items():
        token_id = int(getattr(columns, name)[step])
        if token_id >= 0 or (name != "result" and middle >= 0):
            text = isolate(label(debugger.trace, debugger.vocabulary, token_id, first, last))
            number = f" ({token_id})" if 0 <= token_id < len(debugger.vocabulary) else ""
            found.append((name, f"{text}{number}", f"bytes {first:,}–{last:,}"))
    if (worth := debugger.teller.worth(step)) != "nan":
        found.append(("rank" if debugger.trace.twin in ("heap", "scan") else "score", worth, ""))
    return found
