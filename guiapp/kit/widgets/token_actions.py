"""Actions that several token panels offer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


def copy_action(
    widget: QWidget,
    text: str,
    copy: Callable[[], None],
    shortcut: QKeySequence.StandardKey = QKeySequence.StandardKey.Copy,
) -> QAction:
    """An action of one widget, whose shortcut acts where the widget has the focus."""
    action = QAction(text, widget)
    action.setShortcut(QKeySequence(shortcut))
    action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    action.triggered.connect(copy)
    return action


def offer_copying(widget: QWidget, text: str, copy: Callable[[], None]) -> None:
    """Copy by the usual keys, and by a menu at the right mouse button."""
    widget.addAction(copy_action(widget, text, copy))
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
