"""Tooltips that are made when somebody asks, of the place that the mouse is at."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget


class TipWatch(QObject):
    """Shows what a widget tells of a place, "" for nothing; lives as long as the widget."""

    def __init__(self, widget: QWidget, tip: Callable[[QPoint], str]) -> None:
        super().__init__(widget)
        self._widget, self._tip = widget, tip
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self._widget)
            return True
        return False


def plain_tip(text: str) -> str:
    """A tooltip that shows all of a text as it is."""
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>' if "<" in text else text


def wrapped_tip(text: str) -> str:
    """The same for sentences, in lines of a readable length."""
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>'
