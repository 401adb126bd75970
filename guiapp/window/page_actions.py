"""Actions that belong to one page: their keys act only there, and their names in menus lead there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction

from guiapp.window.actions import Actions
from guiapp.window.pages import PageStack

TICK_MS = 50


class PageActions(QObject):
    """Shows the page of an action before it acts.

    To be made before anybody else connects to the actions: they are told in the order of their connecting.
    Several pages may use the same keys.
    """

    def __init__(self, pages: PageStack, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._pages = pages
        self._actions = actions
        self._due: tuple[str, QAction] | None = None
        self._ticks = QTimer(self, interval=TICK_MS)
        self._ticks.timeout.connect(self._act_if_ready)
        for row, action in actions:
            if row.page:
                action.triggered.connect(partial(self._go, row.page, action))
        pages.page_changed.connect(self._follow)
        self._follow()

    def stop(self) -> None:
        """Wait for no page any more."""
        self._ticks.stop()

    def _go(self, page: str, action: QAction) -> None:
        """A page that is new has not been told of the action, and may have nothing yet to act on."""
        is_new = page not in self._pages.pages
        if page != self._pages.current_name:
            self._actions[page].trigger()
        if is_new:
            self._due = page, action
            self._ticks.start()

    def _act_if_ready(self) -> None:
        assert self._due is not None
        page, action = self._due
        is_left = page != self._pages.current_name
        if is_left or self._pages.current.is_ready:
            self._ticks.stop()
        if not is_left and self._pages.current.is_ready:
            action.trigger()

    def _follow(self) -> None:
        """Elsewhere the keys would have to be pressed in the menu bar itself."""
        current, contexts = self._pages.current_name, Qt.ShortcutContext
        for row, action in self._actions:
            if row.page:
                is_here = row.page == current
                action.setShortcutContext(contexts.WindowShortcut if is_here else contexts.WidgetShortcut)
