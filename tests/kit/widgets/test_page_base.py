"""Pages are made when they are first shown, and keep their layout."""

import sys
import threading
from importlib.util import find_spec

import pytest
from PySide6.QtWidgets import QLineEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.window.actions import ROWS
from guiapp.window.pages import PAGES, PageRow, PageStack


class SplitPage(Page):
    """Two halves, and a note of whether it was stopped."""

    def __init__(self):
        super().__init__()
        self.is_stopped = False
        self.splitter = QSplitter(self)
        for _ in range(2):
            self.splitter.addWidget(QWidget(minimumWidth=10))
        self.splitter.resize(500, 100)

    @property
    def splitters(self):
        return {"split": self.splitter}

    def set_text_size(self, size_px):
        self.text_px = size_px

    def stop(self):
        self.is_stopped = True


class ProxyPage(Page):
    """A button, and below it the field to begin with."""

    def __init__(self):
        super().__init__()
        self.field = QLineEdit()
        layout = QVBoxLayout(self)
        layout.addWidget(QPushButton("Go"))
        layout.addWidget(self.field)
        self.setFocusProxy(self.field)


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


class MadeRow(PageRow):
    """Of a page that needs no module."""

    def make(self, setting):
        return self.module()


@pytest.fixture
def make_stack(qtbot, settings):
    def make():
        setting = PageSetting(None, None, settings, None, None, None, None, None)
        rows = (
            MadeRow("plain", "Plain", "Ctrl+1", "Plain", "", Page),
            MadeRow("split", "Split", "Ctrl+2", "Split", "", SplitPage),
            MadeRow("first", "First", "Ctrl+3", "First", "", ProxyPage),
            MadeRow("second", "Second", "Ctrl+4", "Second", "", ProxyPage),
        )
        stack = PageStack(setting, rows)
        qtbot.addWidget(stack)
        return stack

    return make


def test_a_page_is_made_when_it_is_first_shown_and_only_then(make_stack):
    stack = make_stack()
    stack.show_page("plain")
    assert list(stack.pages) == ["plain"]
    made = stack.show_page("split")
    stack.show_page("plain")
    assert stack.show_page("split") is made


def test_a_page_is_made_with_the_size_of_text_that_was_chosen(make_stack, settings):
    assert make_stack().show_page("split").text_px == TEXT_FONT_PX
    settings.font_px = 21
    assert make_stack().show_page("split").text_px == 21


def test_changing_the_page_emits_a_signal(make_stack, qtbot):
    stack = make_stack()
    stack.show_page("plain")
    with qtbot.waitSignal(stack.page_changed):
        stack.show_page("split")
    assert stack.current_name == "split"


def test_a_page_restores_its_layout(make_stack):
    stack = make_stack()
    stack.show_page("split").splitter.setSizes([100, 400])
    sizes = stack.pages["split"].splitter.sizes()
    stack.keep_layouts()
    other_stack = make_stack()
    assert other_stack.show_page("split").splitter.sizes() == sizes


def test_typing_goes_to_the_panel_that_a_page_begins_with(make_stack, qtbot):
    stack = make_stack()
    first = stack.show_page("first")
    stack.show()
    stack.activateWindow()
    qtbot.waitUntil(first.field.hasFocus)
    second = stack.show_page("second")
    assert second.field.hasFocus()
    stack.show_page("first")
    assert first.field.hasFocus()


def test_each_page_has_an_action():
    shortcuts = {row.name: row.keys for row in ROWS if row.group == "page"}
    assert shortcuts == {page.name: (page.keys,) if page.keys else () for page in PAGES}


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of one that notes in which thread it was imported."""
    (tmp_path / "of_a_page.py").write_text("import threading\nthread = threading.get_ident()\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "of_a_page"
    sys.modules.pop("of_a_page", None)


def test_classes_of_pages_are_made_in_the_thread_that_paints(  # in others, PySide 6.11 crashes at times
    qtbot, settings, module, monkeypatch
):
    monkeypatch.setattr("guiapp.window.pages.IMPORT_AFTER_MS", 0)
    rows = (PageRow("plain", "Plain", "Ctrl+1", "Plain", "", module),)
    stack = PageStack(PageSetting(None, None, settings, None, None, None, None, None), rows)
    qtbot.addWidget(stack)
    with qtbot.waitSignal(stack.imported):
        stack.import_soon()
    assert sys.modules[module].thread == threading.get_ident()
    stack.stop()


def test_pages_are_imported_where_libraries_of_the_extras_are_not_installed(
    qtbot, settings, module, monkeypatch
):
    monkeypatch.setattr("guiapp.window.pages.IMPORT_AFTER_MS", 0)
    for name in ("xllamacpp", "tiktoken", "tokenizers", "sentencepiece", "transformers", "ray"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "guiapp.analysis.chat.llama_process", raising=False)
    rows = (PageRow("plain", "Plain", "Ctrl+1", "Plain", "", module),)
    stack = PageStack(PageSetting(None, None, settings, None, None, None, None, None), rows)
    qtbot.addWidget(stack)
    with qtbot.waitSignal(stack.imported):
        stack.import_soon()
    stack.stop()


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
def test_the_pages_of_the_window_name_modules_that_exist(row):
    assert find_spec(row.module) is not None
