"""The beginning of the text twice: as the trained vocabulary cuts it, and as the open model does."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame

from guiapp.core.explain.visible_text import isolate
from guiapp.viewmodels.steps.training_beside import Side, TrainingBeside
from guiapp.widgets.shared.layouts import in_column, in_row
from guiapp.widgets.shared.painting import CENTER, width_of, write
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, UI_FONT_PX, Theme
from guiapp.widgets.steps.drawing import Drawing, ZoomedView
from guiapp.widgets.steps.lines import title_line

CHIP_PX = 28
ROW_GAP_PX = 6
GAP_BETWEEN_PX = 2
PADDING_PX = 5


class CutText(ZoomedView):
    """Tokens in rows; those that begin and end where the other side has a token, too, are dimmer."""

    def __init__(self, name: str, drawing: Drawing) -> None:
        super().__init__(name, drawing)
        self._side: Side | None = None
        self._message = ""
        self._shared: frozenset[tuple[int, int]] = frozenset()

    def sizeHint(self) -> QSize:
        return QSize(300, 5 * (CHIP_PX + ROW_GAP_PX))

    def show_side(self, side: Side | None, other: Side | None, message: str) -> None:
        """Show a side, or a message where there is none."""
        self._side, self._message = side, message
        if side is not None and other is not None:
            self._shared = frozenset(token[2:] for token in side.tokens) & {
                token[2:] for token in other.tokens
            }
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if self._side is None:
            write(painter, self.rect(), self._message, theme.dim, CENTER | Qt.TextFlag.TextWordWrap)
            return
        zoom = self._zoom.factor
        painter.scale(zoom, zoom)
        right, bottom = self.width() / zoom, self.height() / zoom
        font = Theme.mono_font(UI_FONT_PX + 1)
        painter.setFont(font)
        x, y = 0.0, 0.0
        for number, (text, _, start, end) in enumerate(self._side.tokens):
            width = max(14.0, width_of(text, font) + 2 * PADDING_PX)
            if x > 0 and x + width > right:
                x, y = 0.0, y + CHIP_PX + ROW_GAP_PX
            if y + CHIP_PX > bottom:
                return
            chip = QRectF(x, y, width, CHIP_PX)
            differs = (start, end) not in self._shared
            painter.setPen(theme.accent if differs else Qt.PenStyle.NoPen)
            painter.setBrush(theme.span_color(number))
            painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            write(painter, chip, isolate(text), theme.span_text, CENTER)
            x += width + GAP_BETWEEN_PX


class BesideCard(QFrame):
    """Two columns; tokens that the other one does not have are ringed."""

    def __init__(self, beside: TrainingBeside, drawing: Drawing) -> None:
        super().__init__()
        self._beside = beside
        set_role(self, "card")
        self.titles = title_line(drawing), title_line(drawing)
        self.texts = CutText("Trained", drawing), CutText("Open model", drawing)
        sides = zip(self.titles, self.texts, strict=True)
        columns = [(in_column(title, (text, 1), spacing=GAP_PX), 1) for title, text in sides]
        margins = MARGIN_PX - 2, MARGIN_PX - 4
        in_row(*columns, on=self, margins=margins, spacing=2 * MARGIN_PX)
        beside.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        result = self._beside.result
        message = self._beside.failure or "Encoding …"
        sides = (None, None) if result is None else (result.trained, result.real)
        for title, text, side, other in zip(self.titles, self.texts, sides, sides[::-1], strict=True):
            text.show_side(side, other, message)
            title.show_text("" if side is None else _title(side))


def _title(side: Side) -> str:
    n_tokens = len(side.tokens)
    return f"{side.name.upper()} · {side.n_vocabulary:,} · {n_tokens:,} TOKENS"
