"""What a hand does to any widget: turns the wheel over it, points at it, and drops something on it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from guiapp.kit.widgets.page_base import Page

NO_BUTTON, NO_KEY = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier


def turn_wheel(widget: QWidget, place: QPoint, angle: int, modifiers=NO_KEY) -> bool:
    """Whether the widget wanted it; a notch is an angle of 120."""
    at, where, phase = QPointF(place), QPointF(widget.mapToGlobal(place)), Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(at, where, QPoint(), QPoint(0, angle), NO_BUTTON, modifiers, phase, False)
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def point_at(widget: QWidget, place: QPoint) -> None:
    """At once, unlike the moves of QTest; a widget is told only where it wants to be."""
    if widget.hasMouseTracking():
        at, where = QPointF(place), QPointF(widget.mapToGlobal(place))
        move = QMouseEvent(QEvent.Type.MouseMove, at, where, NO_BUTTON, NO_BUTTON, NO_KEY)
        QApplication.sendEvent(widget, move)


def drop(widget: QWidget, place: QPoint, mime: QMimeData) -> bool:
    """Whether the widget wanted it."""
    common = Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, NO_KEY
    entered = QDragEnterEvent(place, *common)
    QApplication.sendEvent(widget, entered)
    if entered.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(place), *common))
    return entered.isAccepted()


def files(*paths: Path | str) -> QMimeData:
    """What a file manager drags."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return mime


def settle(page: Page, qtbot: QtBot) -> None:
    """What was begun on a page is shown."""
    qtbot.waitUntil(lambda: page.is_ready)
    QApplication.processEvents()
