"""How A, B and what is in both look on the Vocabularies page: a colour and a sign each."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from guiapp.widgets.shared.painting import fill
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import Theme

MARKERS = "●▲■◆"  # by columns
BOTH, ONLY_A, ONLY_B = range(3)
GROUNDS = 0.3  # of a colour below its hatching
PARTS = ("in both", "only in A", "only in B")


def side_color(theme: Theme, column: int) -> QColor:
    """That of a compared model, by its column."""
    return theme.contenders[column % len(theme.contenders)]


def paint_part(painter: QPainter, theme: Theme, place: QRectF, part: int, column_of_b: int) -> None:
    """A stretch of a bar: grey for BOTH, full for ONLY_A, hatched for ONLY_B."""
    if part == BOTH:
        fill(painter, place, theme.faint, 1)
    elif part == ONLY_A:
        fill(painter, place, side_color(theme, 0), 1)
    else:
        color = side_color(theme, column_of_b)
        fill(painter, place, blend(theme.panel, color, GROUNDS), 1)
        fill(painter, place, QBrush(color, Qt.BrushStyle.BDiagPattern), 1)
