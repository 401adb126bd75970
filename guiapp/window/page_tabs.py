"""The tabs of the pages: those of the top bar, and below it a row for pages that share one of them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QToolButton, QWidget

from guiapp.kit.state.later import later
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX
from guiapp.window.actions import Actions
from guiapp.window.pages import PageStack

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
    """What leads from page to page behind one tab of the top bar, and at the right tools of the page.

    Where the window is too narrow for both, tools stand below.
    """

    def __init__(self, pages: PageStack, actions: Actions) -> None:
        super().__init__()
        set_role(self, "bar")
        self._pages = pages
        self._right = QWidget()
        self._tools = in_row(on=self._right)  # of the present page; those of others take no room from tabs
        self._shown: QWidget | None = None
        self._row_of_tools = -1  # the grid is not asked: PySide keeps an item of it that Qt deletes
        self._left, self._middle = PageTabs(pages, actions, 1), PageTabs(pages, actions, 2, "quiet")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(MARGIN_PX - UNIT_PX, 0, MARGIN_PX - UNIT_PX, 0)
        self._grid.setHorizontalSpacing(GAP_PX)
        self._grid.setVerticalSpacing(0)
        sides = Qt.AlignmentFlag
        self._grid.addWidget(self._left, 0, 0, sides.AlignLeft | sides.AlignVCenter)
        self._grid.addWidget(self._middle, 0, 1, sides.AlignCenter)
        for column in (0, 2):
            self._grid.setColumnStretch(column, 1)  # tabs stand still
        self._until_fit = later(self, 0, self._fit)
        self._fit()
        for each in (self._right, pages):
            each.installEventFilter(self)
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
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):  # tools may need more room
            self._until_fit.start()  # the layout may be at work, and must not change meanwhile
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        margins, sides = self._grid.contentsMargins(), Qt.AlignmentFlag
        parts = self._left, self._middle, self._right
        needed = sum(part.sizeHint().width() for part in parts) + 2 * GAP_PX
        row = int(needed > self.width() - margins.left() - margins.right())
        if row == self._row_of_tools:
            return
        self._row_of_tools = row
        self._grid.addWidget(
            self._right, row, 2 * (1 - row), 1, 1 + 2 * row, sides.AlignRight | sides.AlignVCenter
        )
        self._grid.setRowMinimumHeight(1, ROW_HEIGHT_PX * row)
        self.setFixedHeight(ROW_HEIGHT_PX * (1 + row))
