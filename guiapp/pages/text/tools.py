"""At the right of the row of tabs: what the colours of the text tell, and by what else to colour it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QAction, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from guiapp.kit.document.coloured_spans import COLORINGS, ColouredSpans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.layout import FIRST_SHADE
from guiapp.kit.spans.legend import LegendEntry, characters, token, upright
from guiapp.kit.spans.painter import draw_roofed, piece_end
from guiapp.kit.widgets.controls import WalkButtons
from guiapp.kit.widgets.layouts import STRETCH, in_row
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.painting import LEFT, Painted, fill, write
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource, set_role

HEIGHT_PX = 28
BOX_PX = 12
ROOM_FOR_TITLE_PX = 760
BOX_RADIUS_PX = 3


def _piece_end(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.fillRect(piece_end(round(box.right()), round(box.top()), round(box.height())), theme.text)


IN_COLORS = (
    LegendEntry(token("word", _piece_end), "End of a piece of pre-tokenization: no token crosses it"),
    LegendEntry(characters("49", "warning"), "Tokens of a line, amber where they hold few characters"),
    LegendEntry(upright, "End of what fits the token budget"),
)


class ColorLegend(Painted):
    """A title, and a sample of each colour before its meaning."""

    ground = "panel"

    def __init__(self, spans: ColouredSpans, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._spans = spans
        self._is_short = False
        self.setFixedHeight(HEIGHT_PX)
        spans.coloring_changed.connect(self._refresh)
        theme_source.changed.connect(self.update)
        self._refresh()

    def set_short(self, is_short: bool) -> None:
        """Leave out what the samples tell, where room is scarce."""
        if is_short != self._is_short:
            self._is_short = is_short
            self._refresh()

    @property
    def _shown_legend(self) -> tuple[str, dict[str, int]]:
        title, tints = self._spans.legend
        return "" if self._is_short else title, tints

    def sizeHint(self) -> QSize:
        title, tints = self._shown_legend
        metrics = QFontMetrics(Theme.ui_font(SMALL_FONT_PX))
        words = sum(metrics.horizontalAdvance(word) for word in (title, *tints))
        return QSize(words + len(tints) * (BOX_PX + UNIT_PX + GAP_PX + UNIT_PX) + GAP_PX, HEIGHT_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        font, (title, tints) = Theme.ui_font(SMALL_FONT_PX), self._shown_legend
        metrics = QFontMetrics(font)
        write(painter, self.rect(), title, theme.dim, LEFT, font)
        x = metrics.horizontalAdvance(title) + (GAP_PX + UNIT_PX) * bool(title)
        for word, tint in tints.items():
            box = QRectF(x, (HEIGHT_PX - BOX_PX) / 2, BOX_PX, BOX_PX)
            fill(painter, box, theme.shades[tint - FIRST_SHADE], BOX_RADIUS_PX)
            painter.setPen(theme.line)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), BOX_RADIUS_PX, BOX_RADIUS_PX)
            x += BOX_PX + UNIT_PX
            write(painter, QRectF(x, 0, self.width(), HEIGHT_PX), word, theme.dim, LEFT, font)
            x += metrics.horizontalAdvance(word) + GAP_PX + UNIT_PX

    def _refresh(self) -> None:
        title, tints = self._spans.legend
        self.setAccessibleName(f"{title or 'Colours'}: {', '.join(tints)}")
        self.setMinimumWidth(self.sizeHint().width())
        self.setVisible(bool(tints))
        self.update()


class _BracketSample(Painted):
    """A token that differs, as in the text."""

    ground = "panel"

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Bracket above a token")
        self.setFixedSize(2 * BOX_PX, HEIGHT_PX)
        theme_source.changed.connect(self.update)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        draw_roofed(painter, theme, QRectF(0, (HEIGHT_PX - BOX_PX) / 2 + 1, 2 * BOX_PX, BOX_PX))


class InexactWalk(QWidget):
    """`⎴ ‹ 152 differ › F8`, while an approximate encoder is in use; counted when typing pauses."""

    def __init__(self, session: ModelSession, back: QAction, on: QAction, theme_source: ThemeSource) -> None:
        super().__init__()
        self._session = session
        self.walking = WalkButtons(back, on, "Tokens that the exact encoder does not give")
        self.walking.setToolTip("Tokens with a bracket above: the exact encoder does not give them.")
        in_row(_BracketSample(theme_source), self.walking, on=self, spacing=UNIT_PX)
        session.options_changed.connect(self._refresh)
        session.encoder_check.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        algorithm, agreement = self._session.algorithm, self._session.encoder_check.result
        is_approximate = algorithm is not None and not algorithm.exact
        if not is_approximate:
            self.walking.show_text("…", False)
        elif agreement is not None:  # else the last number stays while people type
            self.walking.show_text(f"{agreement.n_differing:,} differ", agreement.n_differing > 0)
        self.setVisible(is_approximate)


class InspectTools(QWidget):
    """`Characters a token ▢ 3 or more …   Colour by cost ⌄`; the actions are those of the window's menu."""

    def __init__(
        self,
        spans: ColouredSpans,
        inexact: InexactWalk,
        colorings: Sequence[QAction],
        switches: Sequence[QAction],
        themes: ThemeSource,
    ) -> None:
        super().__init__()
        self._spans = spans
        self.inexact = inexact
        self.button = set_role(MenuButton(themes), "quiet")
        menu = QMenu(self.button)
        menu.addActions(colorings)
        menu.addSeparator()
        menu.addActions(switches)
        self.button.setMenu(menu)
        self._legend = ColorLegend(spans, themes)
        in_row(STRETCH, inexact, self._legend, self.button, on=self, spacing=GAP_PX)
        spans.coloring_changed.connect(self._refresh)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._legend.set_short(self.width() < ROOM_FOR_TITLE_PX)

    def _refresh(self) -> None:
        self.button.setText(f"Colour by {COLORINGS[self._spans.coloring]}")
