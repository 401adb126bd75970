"""What scanning looks at: the neighbours in the order of the text, the lower the bar, the better the rank."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from guiapp.core.trace.candidates import Candidate
from guiapp.widgets.shared.painting import fill
from guiapp.widgets.shared.shaped_texts import MonoTexts
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import SMALL_FONT_PX, UI_FONT_PX, Theme

NARROWEST_PX = 46
WIDEST_PX = 64
LABEL_PX = 20
LEAST_BAR_PX = 4

Entry = tuple[Candidate, str]


def shown_pairs(entries: list[Entry], present: tuple[float, ...], width: float) -> list[Entry]:
    """The pairs in the order of the text, those around the present one where there is no room for all."""
    ordered = sorted(entries, key=lambda entry: entry[0].position)
    n_shown = max(1, int(width // NARROWEST_PX))
    at = next((index for index, entry in enumerate(ordered) if entry[0][:7] == present), 0)
    first = max(0, min(at - n_shown // 2, len(ordered) - n_shown))
    return ordered[first : first + n_shown]


def paint_pairs(
    painter: QPainter,
    theme: Theme,
    area: QRectF,
    entries: list[Entry],
    present: tuple[float, ...],
    texts: MonoTexts,
) -> None:
    """A bar for each pair that has a rule, with what it would make below and its rank above."""
    shown = shown_pairs(entries, present, area.width())
    column = min(WIDEST_PX, area.width() / len(shown))
    base = area.bottom() - LABEL_PX - 2
    room = base - area.top() - LABEL_PX
    worst = max(1.0, *(math.log1p(max(0.0, candidate.rank)) for candidate, _ in shown))
    for number, (candidate, made) in enumerate(shown):
        is_now = candidate[:7] == present
        left = area.left() + number * column
        height = max(LEAST_BAR_PX, room * math.log1p(max(0.0, candidate.rank)) / worst)
        fill(
            painter,
            QRectF(left + 5, base - height, column - 10, height),
            theme.accent if is_now else blend(theme.raised, theme.dim, 0.35),
            4,
        )
        painter.setPen(theme.text)
        large = texts.of(UI_FONT_PX, is_bold=is_now)
        below = QRectF(left, base + 2, column, LABEL_PX)
        large.draw(painter, below, large.elided(made, column - 2))
        painter.setPen(theme.accent if is_now else theme.dim)
        above = QRectF(left - 6, base - height - LABEL_PX, column + 12, LABEL_PX)
        texts.of(SMALL_FONT_PX - 1).draw(painter, above, f"{candidate.rank:,.0f}")
    painter.setPen(QPen(theme.line, 1))
    painter.drawLine(QPointF(area.left(), base + 1), QPointF(area.right(), base + 1))
