"""Tabs lead to pages, and a row below the top bar to those that share one of its tabs."""

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.analysis.sessions.name import PAGES as SESSION_PAGES
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.window.main_window import PageTabs, TabRow
from guiapp.window.pages import PAGES, PageRow, PageStack

PATHS = {
    "text": ("Look", "Text"),
    "pairs": ("Look", "Compare", "Pairs"),
    "hunt": ("Look", "Compare", "Hunt"),
    "tree": ("Tree",),
}


class ToolsPage(Page):
    """With tools of its own."""

    def __init__(self):
        super().__init__()
        self._tools = QLabel("tools")

    @property
    def tools(self):
        return self._tools


@pytest.fixture
def window(qtbot, tmp_path):
    kinds = {"hunt": ToolsPage}
    rows = tuple(
        PageRow(name, name.title(), "Ctrl+1", path, lambda _, name=name: kinds.get(name, Page)())
        for name, path in PATHS.items()
    )
    setting = PageSetting(None, None, Settings(tmp_path / "settings.ini"), None, None, None, None, None)
    window = QWidget()
    window.pages = PageStack(setting, rows)
    actions = {name: QAction(name, window) for name in PATHS}
    actions["pairs"].setShortcut(QKeySequence("Ctrl+5"))
    for name, action in actions.items():
        action.triggered.connect(lambda _, name=name: window.pages.show_page(name))
    window.tabs, window.row = PageTabs(window.pages, actions, 0), TabRow(window.pages, actions)
    in_column(window.tabs, window.row, window.pages, on=window)
    window.pages.show_page("text")
    qtbot.addWidget(window)
    window.show()
    return window


def shown(widget):
    tabs = [tab for part in widget.findChildren(PageTabs) or [widget] for tab in part.tabs.values()]
    return [f"[{tab.text()}]" if tab.isChecked() else tab.text() for tab in tabs if tab.isVisible()]


def press(window, *path):
    tab = next(tab for part in window.findChildren(PageTabs) for p, tab in part.tabs.items() if p == path)
    assert tab.isVisible()
    tab.click()


def test_only_tabs_that_lead_on_from_the_page_are_shown(window):
    assert shown(window.tabs) == ["[Look]", "Tree"]
    assert shown(window.row) == ["[Text]", "Compare"]
    press(window, "Look", "Compare")
    assert shown(window.row) == ["Text", "[Compare]", "[Pairs]", "Hunt"]
    press(window, "Tree")
    assert shown(window.tabs) == ["Look", "[Tree]"]
    assert not window.row.isVisible()


def test_a_tab_leads_to_the_page_behind_it_that_was_shown_last(window):
    press(window, "Look", "Compare")
    press(window, "Look", "Compare", "Hunt")
    press(window, "Look", "Text")
    press(window, "Look", "Compare")
    assert window.pages.current_name == "hunt"
    press(window, "Tree")
    press(window, "Look")
    assert window.pages.current_name == "hunt"
    assert shown(window.row) == ["Text", "[Compare]", "Pairs", "[Hunt]"]


def test_tools_of_a_page_are_in_the_row_while_it_is_shown(window):
    press(window, "Look", "Compare")
    press(window, "Look", "Compare", "Hunt")
    tools = window.pages.current.tools
    assert tools.isVisible()
    assert window.row.isAncestorOf(tools)
    press(window, "Look", "Compare", "Pairs")
    assert not tools.isVisible()


def test_a_tab_says_what_is_behind_it_and_its_keys(window):
    assert window.tabs.tabs["Tree",].toolTip() == "tree"
    tabs = window.row.findChildren(PageTabs)[1].tabs
    assert tabs["Look", "Compare", "Pairs"].toolTip() == "pairs (Ctrl+5)"


def test_sessions_and_screenshots_know_every_page():
    assert {*SESSION_PAGES, "start"} == {row.name for row in PAGES}
