"""What the marks on the charts of Bench mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen

from guiapp.kit.charts.curves import DASHED
from guiapp.kit.charts.markers import pattern
from guiapp.kit.spans.legend import LegendEntry, characters, line
from guiapp.kit.widgets.theme import Theme


def _hatched(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.setPen(theme.contenders[0])
    painter.setBrush(pattern(theme.contenders[0], True))
    painter.drawRect(box.adjusted(8, 5, -8, -5))


LEGEND = (
    LegendEntry(characters("├───┤"), "95 % confidence interval of the median, as is the band of a curve"),
    LegendEntry(_hatched, "Ids differ from those of the model's own library"),
    LegendEntry(line(lambda theme: QPen(theme.contenders[0], 2, DASHED)), "The same, on a curve"),
    LegendEntry(characters("●  ○"), "On points: all ids are equal; some differ"),
    LegendEntry(characters("≈ 97.2 %"), "Share of tokens equal to those of the model's own library"),
    LegendEntry(characters("once"), "Measured only once: there is no interval"),
    LegendEntry(characters("▲  ▼"), "Clearly faster, clearly slower than in the other run"),
)
