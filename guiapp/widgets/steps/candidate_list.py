"""The pairs that could merge, the best first: what each would make, and by which rank."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from guiapp.core.trace.candidates import Candidate
from guiapp.widgets.shared.painting import fill
from guiapp.widgets.shared.shaped_texts import LEFT, RIGHT, MonoTexts
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import UI_FONT_PX, Theme

ROW_PX = 28
BOX_PX = ROW_PX - 3
BAR_PX = 2
PADDING_PX = 10


def paint_candidates(
    painter: QPainter,
    theme: Theme,
    area: QRectF,
    candidates: list[Candidate],
    present: tuple[float, ...],
    texts: MonoTexts,
    pair_of: Callable[[Candidate], str],
) -> None:
    """A row for each as far as there is room, with a bar as long as its rank is high."""
    highest = max(1.0, *(candidate.rank for candidate in candidates))
    kinds: dict[tuple[bool, bool], list[tuple[float, Candidate]]] = {}
    for row, candidate in enumerate(candidates[: max(0, int(area.height() // ROW_PX))]):
        is_now, top = candidate[:7] == present, area.top() + row * ROW_PX
        if is_now:
            fill(
                painter,
                QRectF(area.left(), top, area.width(), BOX_PX),
                blend(theme.raised, theme.accent, 0.28),
                5,
            )
        share = min(1.0, math.log1p(max(0.0, candidate.rank)) / max(1.0, math.log1p(highest)))
        bar = QRectF(area.left(), top + BOX_PX - BAR_PX - 1, round(area.width() * share), BAR_PX)
        painter.fillRect(bar, theme.accent if is_now else theme.line)
        kinds.setdefault((is_now, candidate.is_stale), []).append((top + BOX_PX / 2 - 1, candidate))
    left, room = area.left() + PADDING_PX, area.width() - 2 * PADDING_PX
    for (is_now, is_stale), rows in kinds.items():
        written = texts.of(UI_FONT_PX, is_bold=is_now, is_struck=is_stale)
        painter.setPen(theme.faint if is_stale else theme.text)
        written.draw_all(painter, [(left, room, middle, pair_of(entry)) for middle, entry in rows], LEFT)
        painter.setPen(theme.faint if is_stale else theme.accent if is_now else theme.dim)
        ranks = [(left, room, middle, f"{entry.rank:,.0f}") for middle, entry in rows]
        written.draw_all(painter, ranks, RIGHT)
