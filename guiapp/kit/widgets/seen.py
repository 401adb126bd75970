"""Work that is done only while somebody sees what comes of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget


class SeenWatch(QObject):
    """Tells, each time that changes, whether a widget is shown; lives as long as the widget."""

    def __init__(self, widget: QWidget, notify: Callable[[bool], object]) -> None:
        super().__init__(widget)
        self._notify = notify
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._notify(event.type() == QEvent.Type.Show)
        return False
