"""The Special tokens page in the real window, by clicks and keys."""

import json

import pytest
from fitting import unreadable
from gguf_builder import CONTROL, UNKNOWN, UNUSED, write_vocab
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog

import guiapp
from guiapp.pages.vocabulary import special_page as listing
from guiapp.pages.vocabulary.special_page import NO_MODEL

KEY, LEFT, CTRL = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
TEXT = b"<|im_start|>user\nHi<|im_end|>"


@pytest.fixture
def open_page(open_in_shared):
    """Shows the page of a model in the real window, as if it had just been opened."""

    def make(name="demo:bpe", text=TEXT):
        page = open_in_shared(
            "special_tokens", name, text, lambda model, pre, progress: guiapp.open_model(model)
        )
        page.model.end()
        page.model.show_group("all")
        page.list.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        page.list.view.clearSelection()
        page.list.view.setFocus()
        QApplication.processEvents()
        return page

    return make


def click_row(page, qtbot, row, modifier=Qt.KeyboardModifier.NoModifier):
    place = page.list.view.visualRect(page.list.table.index(row, 1)).center()
    qtbot.mouseClick(page.list.view.viewport(), LEFT, modifier, place)


def shown(page):
    return [page.list.table.index(row, 1).data() for row in range(page.list.table.rowCount())]


def choose_form(page, title):
    menu = page.list.export.menu()
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == title).trigger()


def test_all_words_can_be_read_in_a_window_of_any_size(open_page, qtbot):
    page = open_page()
    click_row(page, qtbot, 3)
    assert unreadable(page.window()) == []


def test_tabs_lead_there_and_the_list_has_the_keys(open_page, qtbot):
    page = open_page()
    assert page.shell.window.pages.current_name == "special_tokens"
    assert page.list.view.hasFocus()
    assert len(shown(page)) == 11
    qtbot.keyClick(page.list.view, KEY.Key_Down)
    assert page.model.chosen is not None


def test_insert_puts_it_into_the_text(open_page, qtbot):
    page = open_page()
    document = page.shell.session.document
    document.set_caret(document.size)
    click_row(page, qtbot, 0)
    qtbot.mouseClick(page.details.insert, LEFT)
    assert document.text() == TEXT + b"<|begin_of_text|>"
    assert page.details.facts.values["in this text"].toPlainText() == "2 times"


def test_next_in_text_shows_it_selected_on_inspect_and_the_tree_shows_it_too(open_page, qtbot):
    page = open_page()
    window = page.shell.window
    click_row(page, qtbot, 3)
    qtbot.mouseClick(page.details.next, LEFT)
    assert window.pages.current_name == "inspect"
    session = page.shell.session
    assert session.tokens.ids(session.selected_token, session.selected_token + 1)[0] == 2552
    window.actions_table["special_tokens"].trigger()
    click_row(page, qtbot, 4)
    assert not page.details.next.isEnabled()
    qtbot.mouseClick(page.details.tree, LEFT)
    assert window.pages.current_name == "tree"


def test_typing_filters_and_escape_ends_it(open_page, qtbot):
    page = open_page()
    qtbot.keyClick(page.list.view, KEY.Key_F, CTRL)
    qtbot.keyClicks(page.list.search, "fim")
    assert len(shown(page)) == 3
    qtbot.keyClick(page.list.search, KEY.Key_Return)
    assert page.model.chosen.name == "<|fim_prefix|>"
    qtbot.keyClicks(page.list.search, "x")
    assert not page.list.view.isVisible()
    qtbot.keyClick(page.list.search, KEY.Key_Escape)
    assert len(shown(page)) == 11


def test_a_click_on_a_group_or_a_title_lists_and_sorts(open_page, qtbot):
    page = open_page()
    qtbot.mouseClick(page.list.groups["ends"], LEFT)
    assert shown(page) == ["<|end_of_text|>", "<|im_end|>"]
    header = page.list.view.horizontalHeader()
    place = header.viewport().rect().topLeft()
    place.setX(header.sectionViewportPosition(1) + 20)
    place.setY(10)
    for first in ("<|end_of_text|>", "<|im_end|>"):
        qtbot.mouseClick(header.viewport(), LEFT, pos=place)
        assert shown(page)[0] == first
    assert not page.list.groups["unused"].isVisible()


def test_lists_are_copied_of_what_is_shown_or_of_several_selected_rows(open_page, qtbot):
    page = open_page()
    clipboard = QGuiApplication.clipboard()
    qtbot.mouseClick(page.list.groups["ends"], LEFT)
    choose_form(page, "Copy: JSON list of texts")
    assert json.loads(clipboard.text()) == ["<|end_of_text|>", "<|im_end|>"]
    choose_form(page, "Copy: Python list")
    found = {}
    exec(clipboard.text(), found)
    assert found["special_tokens"] == [(2550, "<|end_of_text|>"), (2552, "<|im_end|>")]
    qtbot.mouseClick(page.list.groups["all"], LEFT)
    click_row(page, qtbot, 1)
    choose_form(page, "Copy: Ids and texts")
    assert len(clipboard.text().splitlines()) == 11
    click_row(page, qtbot, 2, CTRL)
    choose_form(page, "Copy: Ids and texts")
    assert clipboard.text() == "2550\t<|end_of_text|>\n2551\t<|im_start|>\n"


def test_they_are_saved_in_each_form(open_page, qtbot, tmp_path, monkeypatch):
    page = open_page()
    for number, (title, ending, write) in enumerate(listing.FORMS):
        path = tmp_path / f"{number}{ending}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, path=path, **more: (str(path), ""))
        choose_form(page, f"Save: {title}…")
        qtbot.waitUntil(lambda path=path: page.saving.saved == path)
        assert path.read_text() == write(page.model.shown)


def test_a_model_without_any_and_no_model_say_so(open_page, make_shell, qtbot):
    page = open_page("demo:toy", b"ab")
    assert page.contents.message.text() == "This model has no special tokens: its 9 tokens are text."
    assert not page.open.isVisible()
    shell = make_shell(b"", None)
    shell.window.actions_table["special_tokens"].trigger()
    empty = shell.window.pages.current
    assert empty.contents.message.text() == NO_MODEL
    asked = []
    shell.window.requests.model_wanted.disconnect()
    shell.window.requests.model_wanted.connect(lambda widget, take: asked.append(widget))
    qtbot.mouseClick(empty.open, LEFT)
    assert asked == [empty.open]


def test_the_page_goes_on_with_a_model_of_many_and_of_odd_ones(open_page, qtbot, tmp_path):
    odd = ["<unk>", "\x1b[31m\u202e", "a" * 5000, "<b>&amp;", "<unused0>"]
    tokens = odd + [f"<|x{number}|>" for number in range(3_000)]
    types = [UNKNOWN, *[CONTROL] * 3, UNUSED, *[CONTROL] * 3_000]
    path = write_vocab(tmp_path / "m.gguf", tokens=tokens, scores=[0.0] * len(tokens), types=types)
    page = open_page(str(path))
    assert len(shown(page)) == len(tokens)
    for row in range(5):
        click_row(page, qtbot, row)
        assert page.model.chosen.token_id == row
    assert not page.details.insert.isVisible()
    qtbot.keyClicks(page.list.search, "x2999")
    assert shown(page) == ["<|x2999|>"]
