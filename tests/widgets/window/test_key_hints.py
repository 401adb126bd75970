"""Every key that the list of shortcuts tells of is taken by the widget it is said to be for."""

import ast
from itertools import chain
from pathlib import Path

import pytest
from chart_samples import curves_data
from fake_tokenizer import FakeTokenizer
from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication

import guiapp
from guiapp.core.chat.messages import conversation_of
from guiapp.viewmodels.chat.beside import Beside, Way
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.text_session import TextSession
from guiapp.widgets.bench.chips import ContenderChip
from guiapp.widgets.inspect.page import InspectPage
from guiapp.widgets.shared.charts.curves import CurveChart
from guiapp.widgets.shared.theme import ThemeSource
from guiapp.widgets.spans.editor import COMMANDS, PLAIN_KEYS
from guiapp.widgets.spans.moves import KEYS
from guiapp.widgets.steps.lessons import BeginButton
from guiapp.widgets.steps.timeline import Scrubber
from guiapp.widgets.tree.legend import TreeLegend
from guiapp.widgets.window import key_hints
from guiapp.widgets.window.actions import Actions

WIDGETS = Path(key_hints.__file__).parent.parent
OF_CLASS = {
    "SpanEditor": key_hints.text_hints,
    "FindField": key_hints.FIND_FIELD,
    "MainWindow": key_hints.BUTTON,
    "Popover": key_hints.BUTTON,
    "MenuButton": key_hints.MENU_BUTTON,
    "ModelButton": key_hints.MENU_BUTTON,
    "TextPanel": key_hints.FIND_PANEL,
    "TokenStrip": key_hints.IDS,
    "CauseList": key_hints.CAUSES,
    "FindingList": key_hints.FINDINGS,
    "ContentEditor": key_hints.MESSAGE,
    "PromptView": key_hints.PROMPT,
    "SideBySide": key_hints.PROMPTS,
    "TreeView": key_hints.TREE,
    "SearchField": key_hints.TREE_SEARCH,
    "TreeLegend": key_hints.TREE_LEGEND,
    "Chart": key_hints.CHART,
    "EmbeddingsChart": key_hints.EMBEDDINGS,
    "Scrubber": key_hints.TIMELINE,
    "BeginButton": key_hints.LESSONS,
    "ContenderChip": key_hints.CHIP,
    "Presentation": key_hints.PRESENTATION,
    "StartRow": key_hints.START_ROW,
    "StartPage": key_hints.START_PAGE,
    "FilterLine": (),  # the arrow keys of any list
    **dict.fromkeys(("_View", "ZoomBox"), ()),  # parts of charts that take none
}


def ignored_keys(widget, hints):
    """Those of the hints that a widget does not take."""
    ignored = []
    for keys in (keys for hint in hints for keys in hint.keys):
        pressed = QKeySequence(keys)[0]
        text = pressed.key().name.removeprefix("Key_").lower()
        event = QKeyEvent(
            QEvent.Type.KeyPress,
            pressed.key(),
            pressed.keyboardModifiers(),
            text if len(text) == 1 else {"tab": "\t"}.get(text, ""),
        )
        widget.keyPressEvent(event)
        if not event.isAccepted():
            ignored.append(keys)
    return ignored


def keys_of(hints):
    return {keys for hint in hints for keys in hint.keys}


def shortcuts_of(page):
    return {shortcut.key().toString() for shortcut in page.findChildren(QShortcut)}


def test_each_widget_that_takes_keys_is_in_the_list():
    sources = [source.read_text(encoding="utf-8") for source in WIDGETS.rglob("*.py")]
    classes = {
        node.name
        for source in sources
        if "def keyPressEvent" in source
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(part, ast.FunctionDef) and part.name == "keyPressEvent" for part in node.body)
    }
    assert classes == set(OF_CLASS)


def test_no_key_of_the_editor_is_forgotten(qapp):
    moves = {move for _, *pair in key_hints.MOVES for move in pair}
    erasing = {command for _, *pair in key_hints.ERASING for command in pair}
    commands = {command for _, command in COMMANDS} | set(PLAIN_KEYS.values())
    assert moves == {move for _, move, _ in KEYS}
    assert erasing == {command for command in commands if command.__name__.startswith("erase")}
    told = [hint.keys for hint in key_hints.text_hints()]
    assert all(all(keys) for keys in told)
    assert len({*chain(*told)}) == sum(map(len, told)), "each does one thing"


@pytest.fixture
def inspect_page(qtbot, tmp_path):
    session = ModelSession(TextSession(b"one two three"), load=lambda *asked: FakeTokenizer())
    settings, themes = Settings(tmp_path / "settings.json"), ThemeSource(QApplication.instance(), "dark")
    page = InspectPage(session, settings, Actions(session), themes)
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("fake.gguf")
    yield page
    page.stop()
    session.close()


def test_the_text_the_search_and_the_ids_take_their_keys(inspect_page):
    panel = inspect_page.text_panel
    assert ignored_keys(inspect_page.editor, key_hints.text_hints()) == []
    panel.search.open()
    assert ignored_keys(panel.find_bar.field, key_hints.FIND_FIELD) == []
    assert ignored_keys(panel, key_hints.FIND_PANEL) == []
    assert ignored_keys(panel, key_hints.FIND_PANEL) == ["Esc"]  # nothing is open any more
    assert ignored_keys(inspect_page.ids_panel.strip, key_hints.IDS) == []


def test_the_tree_page_takes_its_keys(tree_page, qtbot):
    qtbot.keySequence(tree_page.view, "Ctrl+F")
    assert tree_page.bar.query.hasFocus()
    assert keys_of(key_hints.TREE_PAGE) == shortcuts_of(tree_page)
    tree_page.model.choose(5)
    assert ignored_keys(tree_page.view, key_hints.TREE) == []
    assert ignored_keys(tree_page.bar.query, key_hints.TREE_SEARCH) == []
    assert ignored_keys(tree_page.findChild(TreeLegend), key_hints.TREE_LEGEND) == []


def test_the_steps_page_takes_its_keys(make_steps_page):
    page = make_steps_page()
    assert ignored_keys(page.findChild(Scrubber), key_hints.TIMELINE) == []
    assert ignored_keys(BeginButton("Begin"), key_hints.LESSONS) == []
    assert keys_of(key_hints.BREAKPOINTS) == shortcuts_of(page)
    page.present()
    assert ignored_keys(page.presentation, key_hints.PRESENTATION) == []


def test_the_chat_page_takes_its_keys(make_shell, qtbot):
    shell = make_shell(b"text", "demo:bpe", lambda name, pre, progress: guiapp.open_model(name))
    page = shell.window.pages.show_page("chat")
    page.model.edited.take(conversation_of([{"role": "user", "content": "a <|im_end|> b"}]))
    qtbot.waitUntil(lambda: page.is_ready)
    assert ignored_keys(page.prompt, key_hints.PROMPT) == []
    page.beside.choose(Beside(Way.AS_TEXT))
    qtbot.waitUntil(lambda: page.is_ready and page.compare.columns.compared is not None)
    assert ignored_keys(page.compare.columns, key_hints.PROMPTS) == []
    assert ignored_keys(page.messages.cards[0].editor, key_hints.MESSAGE) == []


def test_charts_take_their_keys(qtbot):
    chart = CurveChart(ThemeSource(QApplication.instance(), "dark"), "Times")
    qtbot.addWidget(chart)
    chart.show_data(curves_data())
    chart.emphasize("fast")
    assert ignored_keys(chart, key_hints.CHART) == []


def test_the_chart_of_embeddings_takes_its_keys(make_shell):
    shell = make_shell(b"text", "demo:bpe", lambda name, pre, progress: guiapp.open_model(name))
    page = shell.window.pages.show_page("vocabulary")
    assert ignored_keys(page.embeddings_panel.chart, key_hints.EMBEDDINGS) == []


def test_a_contender_takes_its_keys(qtbot):
    chip = ContenderChip("fast", ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(chip)
    assert ignored_keys(chip, key_hints.CHIP) == []
