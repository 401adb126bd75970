"""The rows of the menu over a token, and what each of them does."""

import pytest
from editor_hands import place_of_byte
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication
from span_fakes import FakeSpans
from toy_source import ToySource
from vocabulary_pairs import bpe

from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.spans.token_menu import Kind, TokenMenu
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.theme import ThemeSource

TOKENS = "a", "b", "c", "ab", "bc", "Ġab", "Ġa", "<s>", "</s>", "&", "Ġ", "A", "B", "abcabcabc"
TOKENIZER = bpe(TOKENS, ("a b",))
IDS = [3, 6, 5, 9, 2, 6, 9, 13]  # "ab", " a", " ab", "&", "c", " a", "&", "abcabcabc"


class Search:
    def __init__(self):
        self.looked_for = []

    def search_for(self, *asked):
        self.looked_for.append(asked)


@pytest.fixture
def make_menu(qtbot):
    """The menu of an editor with a text in the tokens above, and where it sends people."""

    def make(ids=IDS, has_requests=True, has_search=True, kind=Kind.STEPPED):
        source = ToySource(TOKENIZER.vocabulary, ids)
        source.tokenizer = TOKENIZER
        spans = FakeSpans(source.document)
        spans.adds_special = False
        editor = SpanEditor(source.document, spans, ThemeSource(QApplication.instance(), "dark"))
        qtbot.addWidget(editor)
        editor.resize(600, 200)
        editor.show()
        spans.tokenize()
        for action in editor.actions():
            editor.removeAction(action)
        editor.addAction(QAction("Paste", editor))
        requests = PageRequests()
        search = Search() if has_search else None
        made = TokenMenu(editor, source, requests if has_requests else None, search, kind)
        made.editor, made.source, made.requests, made.search = editor, source, requests, search
        return made

    return make


def titles(menu):
    rows = menu.actions()
    return [row.text() + (" off" if row.text() and not row.isEnabled() else "") for row in rows]


def over(made, offset):
    return made.menu_at(place_of_byte(made.editor, offset))


def choose(menu, text):
    next(action for action in menu.actions() if action.text() == text).trigger()


COPIES = ["·a   6 off", "", "Copy id 6", "Copy bytes 20 61", "Copy text", ""]
REQUESTS = ["Why this token", "Show in tree", "How it is built", "Break when it is formed"]
VARIANTS, REST = "Variants of “a”", ["", "Paste"]


def test_each_kind_of_text_has_its_rows(make_menu):
    others = "Find 1 other in this text"
    assert titles(over(make_menu(), 2)) == [*COPIES, others, *REQUESTS, VARIANTS, *REST]
    other = make_menu(kind=Kind.OTHER)
    assert titles(over(other, 2)) == [*COPIES, others, *REQUESTS[1:3], VARIANTS, *REST]
    assert titles(over(make_menu(kind=Kind.IDS), 2)) == [*COPIES, others, *REQUESTS[1:3], *REST]
    assert titles(over(make_menu(has_requests=False), 2)) == [*COPIES, others, VARIANTS, *REST]
    assert titles(over(make_menu(has_search=False), 2)) == [*COPIES, *REQUESTS, VARIANTS, *REST]
    assert titles(other.menu_at(QPoint(500, 150))) == ["Paste"]
    assert titles(over(make_menu(), 0))[6] == "No others in this text off"


def test_without_a_vocabulary_there_is_only_what_editors_can_do(make_menu):
    made = make_menu()
    made.source.vocabulary = None
    assert titles(over(made, 2)) == REST
    for action in made.editor.actions():
        made.editor.removeAction(action)
    assert titles(over(made, 2)) == []
    made.editor.customContextMenuRequested.emit(QPoint(20, 20))
    assert QApplication.activePopupWidget() is None
    made.source.vocabulary = TOKENIZER.vocabulary
    made.editor.customContextMenuRequested.emit(place_of_byte(made.editor, 2))
    menu = QApplication.activePopupWidget()
    assert titles(menu)[:6] == COPIES
    menu.close()


LONG = "61 62 63 61 62 63 61 62"


@pytest.mark.parametrize(
    ("offset", "copied"),
    [(2, ["6", "20 61", " a"]), (7, ["9", "26", "&"]), (12, ["13", f"{LONG} 63", "abcabcabc"])],
)
def test_ids_bytes_and_texts_are_copied(make_menu, offset, copied):
    menu = over(make_menu(), offset)
    clipboard_texts = []
    for action in menu.actions()[2:5]:
        action.trigger()
        clipboard_texts.append(QGuiApplication.clipboard().text())
    assert clipboard_texts == copied
    rows = titles(menu)
    assert rows[3] == "Copy bytes " + (f"{LONG} …" if offset == 12 else copied[1])
    assert rows[0].startswith("&&   9" if offset == 7 else copied[2].replace(" ", "·"))


def test_of_ids_the_tokens_own_text_is_copied(make_menu):
    made = make_menu(kind=Kind.IDS)
    made.source.document.insert(b"zzzz")
    choose(over(made, 5), "Copy text")
    assert QGuiApplication.clipboard().text() in map(bytes.decode, map(TOKENIZER.vocabulary.token_bytes, IDS))


def test_menu_rows_emit_their_requests(make_menu):
    made = make_menu()
    asked = []
    for name in ("why_wanted", "token_wanted", "building_wanted", "stop_wanted"):
        getattr(made.requests, name).connect(lambda *given, name=name: asked.append((name, *given)))
    menu = over(made, 2)
    for text in (*REQUESTS, "Find 1 other in this text"):
        choose(menu, text)
    assert asked == [("why_wanted", 1), ("token_wanted", 6), ("building_wanted", 6), ("stop_wanted", 6, 2)]
    assert made.search.looked_for == [("token", "6", 4)]


def test_variants_of_a_word_are_listed_once_the_menu_opens(make_menu):
    made = make_menu()
    menu = next(action.menu() for action in over(made, 2).actions() if action.menu())
    assert titles(menu) == []
    for _ in range(2):
        menu.aboutToShow.emit()
        assert titles(menu) == [
            "a\t0", "·a\t10 0", "A\t11", "·A\t10 11", "\u2068↵a\u2069\t0", "",
            "Copy logit_bias that bans the one-token variants (OpenAI)",
            "Copy logit_bias that bans the one-token variants (llama.cpp)",
        ]  # fmt: skip
    copied = []
    for action in menu.actions():
        if not action.isSeparator():
            action.trigger()
            copied.append(QGuiApplication.clipboard().text())
    biases = [
        '"logit_bias": {"0": -100, "11": -100}',
        '"logit_bias": [[0, false], [11, false]]',
    ]
    assert copied == ["0", "10 0", "11", "10 11", "0", *biases]


def test_where_no_word_begins_there_are_no_variants(make_menu):
    assert not [each for each in titles(over(make_menu(ids=[10, 10]), 0)) if each.startswith("Variants")]
    made = make_menu()
    made.source.tokenizer = None
    menu = next(action.menu() for action in over(made, 2).actions() if action.menu())
    menu.aboutToShow.emit()
    assert titles(menu) == []
