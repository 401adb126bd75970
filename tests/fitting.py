"""Finds unreadable parts of a window: words that are cut off, and widgets that overlap."""

from __future__ import annotations

from itertools import combinations

from pictures import Canvas, process_events
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QAbstractButton, QGraphicsView, QLabel, QWidget

SIZES = (860, 480), (960, 510), (1000, 760), (1600, 950)  # the minimum, a quarter of a screen, usual sizes


def unreadable(window: QWidget) -> list[str]:
    """The problems as sentences; elided words are allowed if the tip contains the whole text."""
    problems = []
    for size in SIZES:
        window.resize(*size)
        process_events()
        assert window.size().toTuple() == size
        shown = [part for part in window.findChildren(QWidget) if part.isVisible()]
        words = [part for part in shown if isinstance(part, QLabel | QAbstractButton) and part.text()]
        lines = [*map(_cut_short, words), *(line for part in shown for line in _covering(part))]
        problems += [f"{size}: {line}" for line in lines if line]
    return problems


def _cut_short(part: QLabel | QAbstractButton) -> str:
    canvas = Canvas(part)
    with QPainter(canvas) as painter:
        part.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
    written = canvas.paintings.written
    edges = QRectF(part.rect()).adjusted(-2, -2, 2, 2)
    is_elided_or_in_tip = "…" in part.text() or part.text() in part.toolTip()
    if not is_elided_or_in_tip and "…" in "".join(mark.text for mark in written):
        return f"{part.text()} is written as {[mark.text for mark in written]}"
    if any((edges | mark.place) != edges for mark in written):
        return f"{part.text()} has more than {part.size().toTuple()}: {[mark.place for mark in written]}"
    return ""


def _covering(parent: QWidget) -> list[str]:
    layout = parent.layout()
    if layout is None:
        return []
    children = parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown = [part for part in children if part.isVisible() and layout.indexOf(part) >= 0]
    parts = [part for part in shown if not isinstance(part, QGraphicsView)]  # plots have buttons on them
    return [
        f"{type(one).__name__} and {type(other).__name__} of {type(parent).__name__} have the same place"
        for one, other in combinations(parts, 2)
        if one.geometry().intersects(other.geometry())
    ]
