"""Every key that the list of shortcuts tells of is taken by the widget it is said to be for."""

import ast
from pathlib import Path

import pytest
from chart_samples import curves_data
from fake_tokenizer import FakeTokenizer
from instant_recorder import load_once
from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication

import guiapp
from guiapp.analysis.chat.messages import conversation_of
from guiapp.kit.charts.curves import CurveChart
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.spans.editor import COMMANDS, PLAIN_KEYS
from guiapp.kit.spans.moves import KEYS
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.bench.bar import ContenderChip
from guiapp.pages.chat.counterpart import Counterpart, PromptVariant
from guiapp.pages.steps.lessons import BeginButton
from guiapp.pages.steps.timeline import Scrubber
from guiapp.pages.text.page import InspectPage
from guiapp.pages.tree.legend import TreeLegend
from guiapp.window.actions import ActionTable
from guiapp.window.help import KEY_HINTS

PACKAGE = Path(guiapp.__file__).parent
OF_CLASS = {
    "SpanEditor": "In the text",
    "MainWindow": "On a button",
    "Popover": "On a button",
    "Rail": "In the list of pages",
    "RailEntry": "",  # only the space bar, which any button takes
    "MenuButton": "On a button with an arrow",
    "TextPanel": "In the search bar",
    "TokenStrip": "In the ids",
    "CauseList": "In the causes of a hunt",
    "PaintedRows": "In a list of findings",
    "ContentEditor": "In a message",
    "PromptView": "In a prompt",
    "TreeView": "In the tree",
    "SearchField": "In the token search",
    "TreeLegend": "In the tree's legend",
    "Chart": "In charts",
    "EmbeddingsChart": "In the chart of embeddings",
    "Scrubber": "On the timeline",
    "BeginButton": "In the list of lessons",
    "BenchPage": "",
    "ContenderChip": "On an encoder in Bench",
    "StartRow": "On the start page",
    "StartPage": "On the start page",
    "FilterLine": "",  # the arrow keys of any list
    **dict.fromkeys(("_View", "ZoomBox"), ""),  # parts of charts that take none
}


def ignored_keys(widget, hints):
    """Those of the hints that a widget does not take."""
    ignored = []
    for name in (key for _, keys in hints for key in keys):
        pressed = QKeySequence(name)[0]
        text = pressed.key().name.removeprefix("Key_").lower()
        event = QKeyEvent(
            QEvent.Type.KeyPress,
            pressed.key(),
            pressed.keyboardModifiers(),
            text if len(text) == 1 else {"tab": "\t"}.get(text, ""),
        )
        widget.keyPressEvent(event)
        if not event.isAccepted():
            ignored.append(name)
    return ignored


def keys_of(hints):
    return {key for _, keys in hints for key in keys}


def shortcuts_of(page):
    return {shortcut.key().toString() for shortcut in page.findChildren(QShortcut)}


def test_each_widget_that_takes_keys_is_in_the_list():
    sources = [source.read_text(encoding="utf-8") for source in PACKAGE.rglob("*.py")]
    classes = {
        node.name
        for source in sources
        if "def keyPressEvent" in source
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "keyPressEvent" for part in node.body)
    }
    assert classes == set(OF_CLASS)
    assert set(OF_CLASS.values()) - {""} <= set(KEY_HINTS)


def test_no_key_of_the_editor_is_forgotten(qapp):
    erasing = [key for key, command in COMMANDS if command.__name__.startswith("erase")]
    taken = {QKeySequence(key).toString() for key in (*(key for key, _, _ in KEYS), *erasing, *PLAIN_KEYS)}
    listed = [QKeySequence(key).toString() for _, keys in KEY_HINTS["In the text"] for key in keys]
    assert taken - {"Return", "Enter", ""} == set(listed) - {""}
    assert len(set(listed)) == len(listed), "each does one thing"


@pytest.fixture
def inspect_page(qtbot, tmp_path):
    session = ModelSession(TextSession(b"one two three"), load=lambda *asked: FakeTokenizer())
    settings, themes = Settings(tmp_path / "settings.ini"), ThemeSource(QApplication.instance(), "dark")
    page = InspectPage(session, settings, ActionTable(session), themes)
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("fake.gguf")
    yield page
    page.stop()
    session.close()


def test_the_text_the_search_and_the_ids_take_their_keys(inspect_page):
    panel = inspect_page.text_panel
    assert ignored_keys(inspect_page.editor, KEY_HINTS["In the text"]) == []
    panel.search.open()
    assert ignored_keys(panel.find_bar.field, KEY_HINTS["In the search bar"][:2]) == []
    assert ignored_keys(panel, KEY_HINTS["In the search bar"][2:]) == []
    assert ignored_keys(panel, KEY_HINTS["In the search bar"][2:]) == ["Esc"]  # nothing is open any more
    assert ignored_keys(inspect_page.ids_panel.strip, KEY_HINTS["In the ids"]) == []


def test_the_rail_takes_its_keys(shell):
    assert ignored_keys(shell.window.rail, KEY_HINTS["In the list of pages"][:2]) == []
    entry = shell.window.rail.entries["Text"]
    assert ignored_keys(entry, KEY_HINTS["In the list of pages"][2:]) == ["Return"], "the window takes it"


def test_the_tree_page_takes_its_keys(tree_page, qtbot):
    qtbot.keySequence(tree_page.view, "Ctrl+F")
    assert tree_page.bar.query.hasFocus()
    assert keys_of(KEY_HINTS["On the Tree page"]) == shortcuts_of(tree_page)
    tree_page.model.choose(5)
    assert ignored_keys(tree_page.view, KEY_HINTS["In the tree"]) == []
    assert ignored_keys(tree_page.bar.query, KEY_HINTS["In the token search"]) == []
    assert ignored_keys(tree_page.findChild(TreeLegend), KEY_HINTS["In the tree's legend"]) == []


def test_the_steps_page_takes_its_keys(make_steps_page):
    page = make_steps_page()
    assert ignored_keys(page.findChild(Scrubber), KEY_HINTS["On the timeline"]) == []
    assert ignored_keys(BeginButton("Begin"), KEY_HINTS["In the list of lessons"]) == []
    own = keys_of(KEY_HINTS["In the list of breakpoints"]) | keys_of(KEY_HINTS["While Steps is full screen"])
    of_window = {"F10", "Shift+F10", "Ctrl+Z", "Ctrl+Shift+Z"}
    assert shortcuts_of(page) - {"Enter"} == own - of_window


def test_the_chat_page_takes_its_keys(make_shell, qtbot):
    shell = make_shell(b"text", "demo:bpe", load_once)
    page = shell.window.pages.show_page("chat")
    page.model.edited.take(conversation_of([{"role": "user", "content": "a <|im_end|> b"}]))
    qtbot.waitUntil(lambda: page.is_ready)
    assert ignored_keys(page.prompt, KEY_HINTS["In a prompt"]) == []
    page.counterpart.choose(Counterpart(PromptVariant.AS_TEXT))
    qtbot.waitUntil(lambda: page.is_ready and page.compare.is_shown)
    assert ignored_keys(page.compare.sides[0], KEY_HINTS["In a prompt"]) == []
    assert ignored_keys(page.messages.cards[0].editor, KEY_HINTS["In a message"]) == []


def test_charts_take_their_keys(qtbot):
    chart = CurveChart(ThemeSource(QApplication.instance(), "dark"), "Times")
    qtbot.addWidget(chart)
    chart.show_data(curves_data())
    chart.emphasize("fast")
    assert ignored_keys(chart, KEY_HINTS["In charts"]) == []


def test_the_chart_of_embeddings_takes_its_keys(make_shell):
    shell = make_shell(b"text", "demo:bpe", load_once)
    page = shell.window.pages.show_page("vocabulary")
    assert ignored_keys(page.embeddings_panel.chart, KEY_HINTS["In the chart of embeddings"]) == []


def test_a_contender_takes_its_keys(qtbot):
    chip = ContenderChip("fast", ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(chip)
    assert ignored_keys(chip, KEY_HINTS["On an encoder in Bench"]) == []
