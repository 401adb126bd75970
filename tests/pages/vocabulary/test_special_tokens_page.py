"""The Special tokens page in the real window, by clicks and keys."""

import json

import pytest
from fitting import unreadable
from gguf_builder import CONTROL, UNKNOWN, UNUSED, write_vocab
from hands import wait_for_results
from instant_recorder import load_once
from menus import take
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QFrame

from guiapp.cli.main import run
from guiapp.kit.widgets.labels import StyledText
from guiapp.pages.vocabulary.special_page import FORMS, NO_MODEL

KEY, LEFT, CTRL = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
TEXT = b"<|im_start|>user\nHi<|im_end|>"


@pytest.fixture
def open_page(open_in_shared, qtbot):
    """Shows the page of a model in the real window, as if it had just been opened."""

    def make(name="demo:bpe", text=TEXT):
        page = open_in_shared("special_tokens", name, text, load_once)
        page.model.end()
        page.model.show_group("all")
        page.model.sort_by("", False)
        page.list.view.clearSelection()
        page.list.view.setFocus()
        wait_for_results(page, qtbot)
        return page

    return make


def click_row(page, qtbot, row, modifier=Qt.KeyboardModifier.NoModifier):
    place = page.list.view.visualRect(page.list.table.index(row, 1)).center()
    qtbot.mouseClick(page.list.view.viewport(), LEFT, modifier, place)


def shown(page):
    return [page.list.table.index(row, 1).data() for row in range(page.list.table.rowCount())]


def output(page):
    return {each.accessibleName(): each.toPlainText() for each in page.card.findChildren(StyledText)}


def choose_form(page, title):
    take(page.list.export.menu(), title)


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
    qtbot.mouseClick(page.insert, LEFT)
    assert document.text() == TEXT + b"<|begin_of_text|>"
    assert any(each.accessibleName().startswith("Inserted") for each in page.window().findChildren(QFrame))
    assert output(page)["in this text"] == "2 times"


def test_next_in_text_shows_it_selected_on_inspect_and_the_tree_shows_it_too(open_page, qtbot):
    page = open_page()
    window = page.shell.window
    click_row(page, qtbot, 3)
    qtbot.mouseClick(page.next, LEFT)
    assert window.pages.current_name == "inspect"
    session = page.shell.session
    assert session.tokens.ids(session.selected_token, session.selected_token + 1)[0] == 2552
    window.actions_table["special_tokens"].trigger()
    click_row(page, qtbot, 4)
    assert not page.next.isEnabled()
    qtbot.mouseClick(page.tree, LEFT)
    assert window.pages.current_name == "tree"


def test_typing_filters_and_escape_ends_it(open_page, qtbot):
    page = open_page()
    qtbot.keyClick(page.list.view, KEY.Key_F, CTRL)
    qtbot.keyClicks(page.list.field, "fim")
    wait_for_results(page, qtbot)
    assert len(shown(page)) == 3
    qtbot.keyClick(page.list.field, KEY.Key_Return)
    assert page.model.chosen_token.name == "<|fim_prefix|>"
    qtbot.keyClicks(page.list.field, "x")
    wait_for_results(page, qtbot)
    assert (shown(page), page.list.state.text()) == ([], "No matches.")
    qtbot.keyClick(page.list.field, KEY.Key_Escape)
    wait_for_results(page, qtbot)
    assert len(shown(page)) == 11


def test_a_click_on_a_group_or_a_title_lists_and_sorts(open_page, qtbot):
    page = open_page()
    qtbot.mouseClick(page.groups["ends"], LEFT)
    wait_for_results(page, qtbot)
    assert shown(page) == ["<|end_of_text|>", "<|im_end|>"]
    header = page.list.view.horizontalHeader()
    place = header.viewport().rect().topLeft()
    place.setX(header.sectionViewportPosition(1) + 20)
    place.setY(10)
    for first in ("<|end_of_text|>", "<|im_end|>"):
        qtbot.mouseClick(header.viewport(), LEFT, pos=place)
        wait_for_results(page, qtbot)
        assert shown(page)[0] == first
    assert not page.groups["unused"].isVisible()


def test_lists_are_copied_of_what_is_shown_or_of_several_selected_rows(open_page, qtbot):
    page = open_page()
    clipboard = QGuiApplication.clipboard()
    qtbot.mouseClick(page.groups["ends"], LEFT)
    wait_for_results(page, qtbot)
    choose_form(page, "Copy: JSON list of texts")
    assert json.loads(clipboard.text()) == ["<|end_of_text|>", "<|im_end|>"]
    choose_form(page, "Copy: Python list")
    namespace = {}
    exec(clipboard.text(), namespace)
    assert namespace["special_tokens"] == [(2550, "<|end_of_text|>"), (2552, "<|im_end|>")]
    qtbot.mouseClick(page.groups["all"], LEFT)
    wait_for_results(page, qtbot)
    click_row(page, qtbot, 1)
    choose_form(page, "Copy: Ids and texts")
    assert len(clipboard.text().splitlines()) == 11
    click_row(page, qtbot, 2, CTRL)
    choose_form(page, "Copy: Ids and texts")
    assert clipboard.text() == "2550\t<|end_of_text|>\n2551\t<|im_start|>\n"


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.title)
def test_they_are_saved_in_each_form(open_page, qtbot, tmp_path, monkeypatch, form):
    page, path = open_page(), tmp_path / f"saved{form.ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, **more: (str(path), ""))
    choose_form(page, f"Save: {form.title}")
    qtbot.waitUntil(lambda: page.saving.saved == path)
    assert path.read_text() == "".join(form.write(page.model.token_list()))


def test_json_and_csv_are_those_of_the_command_line(open_page, qtbot, capsys):
    page = open_page()
    for title, form in (("JSON with all details", "--json"), ("CSV", "--csv")):
        choose_form(page, f"Copy: {title}")
        assert run(["special", "demo:bpe", form]) == 0
        output = capsys.readouterr().out
        copied = QGuiApplication.clipboard().text()
        assert (json.loads(copied) == json.loads(output)) if form == "--json" else copied == output


def test_a_model_without_special_tokens_or_no_model_is_reported(open_page, make_shell, qtbot):
    page = open_page("demo:toy", b"ab")
    assert page.contents.message.text() == "This model has no special tokens: all its 9 tokens are text."
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
        assert page.model.chosen_token.token_id == row
    assert not page.insert.isVisible()
    qtbot.keyClicks(page.list.field, "x2999")
    wait_for_results(page, qtbot)
    assert shown(page) == ["<|x2999|>"]
