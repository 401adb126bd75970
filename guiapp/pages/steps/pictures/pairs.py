"""The pairs that could merge: as a list, the best first, and as bars in the order of the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from guiapp.analysis.trace.replay import Candidate
from guiapp.kit.widgets.painting import RoundedBoxes, fill
from guiapp.kit.widgets.scales import (
    SCALE_PX,
    BarScale,
    left_scale_width,
    paint_scale_below,
    paint_scale_left,
)
from guiapp.kit.widgets.shaped_texts import LEFT, RIGHT, MonoTexts
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, Theme
from guiapp.pages.steps.pictures.standing import BADGE_PX, CandidateStatus, paint_badge

ROW_PX = 28
BOX_PX = ROW_PX - 3
BAR_PX = 2
PADDING_PX = 10
TEXT_LEFT_PX = PADDING_PX + BADGE_PX + 4
NARROWEST_PX = 46
WIDEST_PX = 64
LABEL_PX = 20
LEAST_BAR_PX = 4
RANKS = "rank, logarithmic"

Entry = tuple[Candidate, CandidateStatus]


class NodeTools(NamedTuple):
    """What nodes are painted with; `ratio` is how many pixels of the screen a unit takes.

    `made` says what a candidate would make.
    """

    texts: MonoTexts
    boxes: RoundedBoxes
    ratio: float
    made: Callable[[Candidate], str]


def standings(candidates: Sequence[Candidate], present: tuple[float, ...]) -> list[Entry]:
    """The first that can still merge wins; `present` is what the step is about."""
    winner = next((at for at, candidate in enumerate(candidates) if not candidate.is_stale), -1)
    found = []
    for at, candidate in enumerate(candidates):
        standing = CandidateStatus.OUT if candidate.is_stale else CandidateStatus.OTHER
        if candidate[:7] == present:
            standing = CandidateStatus.NOW
        found.append((candidate, CandidateStatus.WINNER if at == winner else standing))
    return found


def paint_candidates(
    painter: QPainter,
    theme: Theme,
    area: QRectF,
    entries: Sequence[Entry],
    tools: NodeTools,
    pair_of: Callable[[Candidate], str],
) -> None:
    """A row for each as far as there is room, with a bar as long as its rank is high; their scale below."""
    scale = _scale(entries)
    shown = entries[: max(0, int((area.height() - SCALE_PX) // ROW_PX))]
    if not shown:
        return
    kinds: dict[tuple[CandidateStatus, bool], list[tuple[float, Candidate]]] = {}
    for row, (candidate, standing) in enumerate(shown):
        top = area.top() + row * ROW_PX
        box = QRectF(area.left(), top, area.width(), BOX_PX)
        if standing in (CandidateStatus.WINNER, CandidateStatus.NOW):
            tools.boxes.draw(painter, box, standing.box_style(theme), tools.ratio)
        length = round(area.width() * scale.share(candidate.rank))
        painter.fillRect(QRectF(area.left(), box.bottom() - BAR_PX - 1, length, BAR_PX), standing.bar(theme))
        if standing is CandidateStatus.WINNER:
            paint_badge(
                painter, theme, QPointF(area.left() + PADDING_PX + BADGE_PX / 2, box.center().y() - 1)
            )
        kinds.setdefault((standing, candidate.is_stale), []).append((top + BOX_PX / 2 - 1, candidate))
    left, right = area.left() + TEXT_LEFT_PX, area.width() - PADDING_PX
    for (standing, is_struck), rows in kinds.items():
        written = tools.texts.of(UI_FONT_PX, is_bold=standing.is_bold, is_struck=is_struck)
        painter.setPen(standing.text(theme))
        written.draw_all(painter, [(left, right, middle, pair_of(entry)) for middle, entry in rows], LEFT)
        painter.setPen(standing.figure(theme))
        ranks = [(area.left(), right, middle, f"{entry.rank:,.0f}") for middle, entry in rows]
        written.draw_all(painter, ranks, RIGHT)
    below = QRectF(area.left(), area.top() + len(shown) * ROW_PX, area.width(), SCALE_PX)
    paint_scale_below(painter, theme, below, scale, tools.texts, RANKS)


def _scale(entries: Sequence[Entry]) -> BarScale:
    return BarScale(max(1.0, *(candidate.rank for candidate, _ in entries)), is_log=True)


def shown_pairs(entries: Sequence[Entry], width: float) -> list[Entry]:
    """The pairs in the order of the text, those around the winner where there is no room for all."""
    ordered = sorted(entries, key=lambda entry: entry[0].position)
    n_shown = max(1, int(width // NARROWEST_PX))
    at = next((index for index, (_, standing) in enumerate(ordered) if standing is CandidateStatus.WINNER), 0)
    first = max(0, min(at - n_shown // 2, len(ordered) - n_shown))
    return ordered[first : first + n_shown]


def paint_pairs(
    painter: QPainter,
    theme: Theme,
    area: QRectF,
    entries: Sequence[Entry],
    tools: NodeTools,
) -> None:
    """A bar for each pair that has a rule, its rank above, what it would make below, and the scale beside."""
    scale, texts = _scale(entries), tools.texts
    margin = left_scale_width(scale, texts)
    shown = shown_pairs(entries, area.width() - margin)
    scale = _scale(shown)
    column = min(WIDEST_PX, (area.width() - margin) / len(shown))
    base = area.bottom() - LABEL_PX - 2
    room = base - area.top() - 2 * LABEL_PX - BADGE_PX
    bars = QRectF(area.left() + margin, base - room, area.width() - margin, room)
    small = texts.of(SMALL_FONT_PX - 1)
    if room > LABEL_PX:
        paint_scale_left(painter, theme, bars, scale, texts)
        painter.setPen(theme.dim)
        small.draw_in(painter, area.left(), area.width(), area.top() + LABEL_PX / 2, RANKS, LEFT)
    for number, (candidate, standing) in enumerate(shown):
        left = bars.left() + number * column
        height = max(LEAST_BAR_PX, room * scale.share(candidate.rank))
        bar = QRectF(left + 5, base - height, column - 10, height)
        fill(painter, bar, standing.bar(theme), 4)
        large = texts.of(UI_FONT_PX, is_bold=standing.is_bold)
        painter.setPen(standing.text(theme))
        below = QRectF(left, base + 2, column, LABEL_PX)
        large.draw(painter, below, large.elided(tools.made(candidate), column - 2))
        painter.setPen(standing.figure(theme))
        above = QRectF(left - 6, bar.top() - LABEL_PX, column + 12, LABEL_PX)
        small.draw(painter, above, f"{candidate.rank:,.0f}")
        if standing is CandidateStatus.WINNER:
            paint_badge(painter, theme, QPointF(bar.center().x(), above.top() - BADGE_PX / 2 + 2))
