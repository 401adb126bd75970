"""The tabs of the pages: those of the top bar, and below it a row for pages that share one of them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QHBoxLayout, QToolButton, QWidget

from guiapp.widgets.shared.layouts import in_row
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, UNIT_PX
from guiapp.widgets.window.actions import Actions
from guiapp.widgets.window.pages import PageStack

ROW_HEIGHT_PX = 44


class PageTabs(QWidget):
    """The tabs at one place of the pages' paths; those that do not lead on from the present page are hidden.

    A click shows the page behind the tab that was shown last.
    """

    def __init__(self, pages: PageStack, actions: Actions, depth: int, role: str = "tab") -> None:
        super().__init__()
        self._pages = pages
        self._actions = actions
        self._depth = depth
        self._group = QButtonGroup(self)
        paths = dict.fromkeys(row.path[: depth + 1] for row in pages.rows.values() if len(row.path) > depth)
        self.tabs = {path: self._tab(path, role) for path in paths}
        in_row(*self.tabs.values(), on=self, spacing=UNIT_PX if depth else GAP_PX)
        pages.page_changed.connect(self._follow)

    def _tab(self, path: tuple[str, ...], role: str) -> QToolButton:
        tab = set_role(QToolButton(), role)
        tab.setText(path[-1])
        tab.setCheckable(True)
        tab.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        action = self._actions[self._pages.last_behind(*path)]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        tab.setToolTip(f"{action.text()} ({keys})" if keys else action.text())
        tab.clicked.connect(partial(self._show, path))
        self._group.addButton(tab)
        return tab

    def _show(self, path: tuple[str, ...]) -> None:
        self._actions[self._pages.last_behind(*path)].trigger()

    def _follow(self) -> None:
        current = self._pages.rows[self._pages.current_name].path
        self._group.setExclusive(bool(current))  # else one would have to be checked
        around = [path for path in self.tabs if path[:-1] == current[: self._depth]]
        for path, tab in self.tabs.items():
            tab.setVisible(path in around and len(around) > 1)
            tab.setChecked(path == current[: self._depth + 1])


class TabRow(QFrame):
    """What leads from page to page behind one tab of the top bar, and at the right tools of the page."""

    def __init__(self, pages: PageStack, actions: Actions) -> None:
        super().__init__()
        set_role(self, "bar")
        self.setFixedHeight(ROW_HEIGHT_PX)
        self._pages = pages
        right = QWidget()
        self._tools = QHBoxLayout(right)  # of the present page; those of others take no room from tabs
        self._tools.setContentsMargins(0, 0, 0, 0)
        self._shown: QWidget | None = None
        layout = QGridLayout(self)
        layout.setContentsMargins(MARGIN_PX - UNIT_PX, 0, MARGIN_PX - UNIT_PX, 0)
        layout.setHorizontalSpacing(GAP_PX)
        sides = Qt.AlignmentFlag
        layout.addWidget(PageTabs(pages, actions, 1), 0, 0, sides.AlignLeft | sides.AlignVCenter)
        layout.addWidget(PageTabs(pages, actions, 2, "quiet"), 0, 1, sides.AlignCenter)
        layout.addWidget(right, 0, 2, sides.AlignRight | sides.AlignVCenter)
        for column in (0, 2):
            layout.setColumnStretch(column, 1)  # tabs stand still
        pages.page_changed.connect(self._follow)

    def _follow(self) -> None:
        first = self._pages.rows[self._pages.current_name].path[:1]
        self.setVisible(sum(row.path[:1] == first for row in self._pages.rows.values()) > 1)
        tools = self._pages.current.tools
        if self._shown is not None:
            self._tools.removeWidget(self._shown)
            self._shown.hide()
        if tools is not None:
            self._tools.addWidget(tools)
            tools.show()
        self._shown = tools
