"""The number of a hint, which stands in the list of hints and on the first token that it is about."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from guiapp.analysis.chat.hints import Hint
from guiapp.kit.widgets.painting import CENTER, bold, fill, write
from guiapp.kit.widgets.theme import Theme

BADGE_PX = 16
NUMBER_PX = 10
BECAME_CONTROL, DOUBLE_BOS, NEAR_MISS = "content_became_control", "double_bos", "near_miss"


def color_of(hint: Hint, theme: Theme) -> QColor:
    """Red where content has a power that it should not have, else amber."""
    return theme.bad if hint.code == BECAME_CONTROL else theme.warning


def draw_number(painter: QPainter, middle: QPointF, number: int, color: QColor, theme: Theme) -> None:
    """The number in a disc."""
    half = BADGE_PX / 2
    place = QRectF(middle.x() - half, middle.y() - half, BADGE_PX, BADGE_PX)
    fill(painter, place, color, half)
    write(painter, place, str(number), theme.background, CENTER, bold(Theme.ui_font(NUMBER_PX)))
