"""Mouse actions on any widget: turn the wheel, point at it, and drop files on it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from guiapp.kit.widgets.page_base import Page

NO_BUTTON, NO_KEY = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier


def turn_wheel(widget: QWidget, place: QPoint, angle: int, modifiers=NO_KEY) -> bool:
    """Send a wheel event; return whether the widget accepted it. A notch is an angle of 120."""
    at, where, phase = QPointF(place), QPointF(widget.mapToGlobal(place)), Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(at, where, QPoint(), QPoint(0, angle), NO_BUTTON, modifiers, phase, False)
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def point_at(widget: QWidget, place: QPoint) -> None:
    """Move the pointer at once, unlike QTest; only a widget with mouse tracking gets the event."""
    if widget.hasMouseTracking():
        at, where = QPointF(place), QPointF(widget.mapToGlobal(place))
        move = QMouseEvent(QEvent.Type.MouseMove, at, where, NO_BUTTON, NO_BUTTON, NO_KEY)
        QApplication.sendEvent(widget, move)


def drop(widget: QWidget, place: QPoint, mime: QMimeData) -> bool:
    """Drop on a widget; return whether it accepted the drag."""
    common = Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, NO_KEY
    entered = QDragEnterEvent(place, *common)
    QApplication.sendEvent(widget, entered)
    if entered.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(place), *common))
    return entered.isAccepted()


def files(*paths: Path | str) -> QMimeData:
    """The data that a file manager drags."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return mime


def wait_for_results(page: Page, qtbot: QtBot) -> None:
    """Wait until the page shows the results of its work."""
    qtbot.waitUntil(lambda: page.is_ready)
    QApplication.processEvents()
