"""What is seen of widgets: pictures that can be compared part by part."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget


class Picture(NamedTuple):
    """A widget as it looks, and where which of its parts is."""

    image: QImage
    parts: list[tuple[str, QRect]]

    def differences(self, other: Picture) -> list[str]:
        """The parts without parts of their own that look or stand otherwise; empty if all is the same."""
        if self.image == other.image and self.parts == other.parts:
            return []
        pairs = list(zip(self.parts, other.parts, strict=False))
        moved = [f"{one} ≠ {two}" for one, two in pairs if one != two]
        painted = [name for name, place in self.parts if self.image.copy(place) != other.image.copy(place)]
        return moved + painted[-5:] or ["something"]


def settle() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()


def picture_of(widget: QWidget) -> Picture:
    """With nothing in focus, as carets blink."""
    if focus := QApplication.focusWidget():
        focus.clearFocus()
    settle()
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    shown = [part for part in widget.findChildren(QWidget) if part.isVisibleTo(widget)]
    return Picture(image, [(_name(part), QRect(part.mapTo(widget, QPoint()), part.size())) for part in shown])


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"
