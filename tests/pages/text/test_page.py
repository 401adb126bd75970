"""The Inspect page: what its parts tell each other, the hint, the margin, and what is most expensive."""

import numpy as np
import pytest
from controls_in_words import controls_of
from instant_recorder import load_once
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from guiapp import open_model
from guiapp.core.encode.counting.cost import line_costs
from guiapp.pages.text.decode_dialog import DecodeDialog

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(shell):
    return shell.window.inspect_page


def test_f6_goes_through_the_text_the_ids_and_the_card(page, qtbot):
    assert page.panels == [page.editor, page.ids_panel.strip, page.card]
    page.ids_panel.strip.hide()
    assert page.panels == [page.editor, page.ids_panel.table.view, page.card]
    assert page.focusProxy() is page.editor


@pytest.mark.parametrize(("title", "text"), [("Insert into text", b"two one"), ("Replace text", b"two")])
def test_decoded_ids_go_into_the_text(make_shell, qtbot, title, text):
    shell = make_shell(b" one")
    page = shell.window.inspect_page
    shell.session.document.set_caret(0)
    QGuiApplication.clipboard().setText("7")
    page.show_decoder()
    dialog = page.findChild(DecodeDialog)
    button = next(each for each in dialog.findChildren(QPushButton) if each.text() == title)
    qtbot.waitUntil(button.isEnabled)
    qtbot.mouseClick(button, LEFT)
    assert shell.session.document.text() == text
    QGuiApplication.clipboard().setText("no ids")
    page.show_decoder()
    assert page.findChildren(DecodeDialog) == [dialog]
    assert dialog.isVisible()
    dialog.close()


def test_a_token_chosen_in_one_panel_shows_in_the_others(page, shell, qtbot):
    strip = page.ids_panel.strip
    qtbot.mouseClick(strip.viewport(), LEFT, pos=strip.chip_rect(2).center())
    assert shell.session.selected_token == 2
    assert shell.session.document.caret == 3
    shell.session.document.set_caret(9)
    assert strip.selected_range == (3, 4)
    qtbot.mouseMove(strip.viewport(), strip.chip_rect(1).center() + QPoint(1, 1))
    qtbot.waitUntil(lambda: shell.session.hovered_token == 1)


def test_optional_parts_of_the_page_are_saved_once_chosen(make_shell):
    def opened():
        return make_shell(b"one", "demo:bpe", load_once)

    def shown(shell):
        page = shell.window.inspect_page
        return page.text_panel.margin.isVisible(), page.spans.note_at(0) != "", page.budget_bar.isVisible()

    names, shell = ("line_tokens", "pieces", "budget"), opened()
    assert shown(shell) == (False, False, False)
    assert [shell.settings.store.value(f"shows_{name}") for name in names] == [None] * 3
    for name in names:
        shell.window.actions_table[name].trigger()
    shell.settings.save()
    other = opened()
    assert shown(shell) == shown(other) == (True, True, True)
    assert all(other.window.actions_table[name].isChecked() for name in names)


def open_demo(name, pre, progress):
    return open_model(name)


def test_a_doubled_token_is_a_hint_of_its_page_and_left_out_by_one_click(make_shell, qtbot):
    shell = make_shell(b"<|begin_of_text|>Hello", "demo:bpe", open_demo)
    window, area = shell.window, shell.window.inspect_page.notices
    qtbot.waitUntil(lambda: len(area.notices) == 1)
    (hint,) = area.notices
    assert (hint.isVisible(), hint.copy_button.isVisible()) == (True, False)
    assert "the model adds another one" in hint.message
    assert window.notices.notices == []
    window.actions_table["tree"].trigger()
    assert not hint.isVisible()
    window.actions_table["inspect"].trigger()
    with qtbot.waitSignal(shell.session.spans.encoded):
        hint.remedy_button.click()
    assert (hint.remedy_button.text(), area.notices) == ("Remove it", [])
    assert not window.actions_table["add_special"].isChecked()
    with qtbot.waitSignal(shell.session.spans.encoded):
        window.actions_table["add_special"].trigger()
    (hint,) = area.notices
    hint.close_button.click()
    n_tokens = len(shell.session.tokens)
    shell.session.document.replace(22, 22, b" x")
    qtbot.waitUntil(lambda: len(shell.session.tokens) > n_tokens)
    assert area.notices == []  # it was read


def test_the_card_of_a_token_that_is_gone_takes_another_size(make_shell, qtbot):
    """Details come later than a text that has fewer tokens; people may zoom meanwhile."""
    shell = make_shell(b"one two three four", "demo:bpe", open_demo)
    session, page = shell.session, shell.window.inspect_page
    qtbot.waitUntil(lambda: len(session.tokens) > 4)
    session.select_token(len(session.tokens) - 1)
    qtbot.waitUntil(lambda: page.is_ready)
    for size in range(session.document.size, -1, -1):
        session.document.replace(0, session.document.size, b"x"[:size])
        page.editor.zoom(1 if size % 2 else -1)
        qtbot.wait(1)
        page.editor.zoom(-1 if size % 2 else 1)


TEXT = b"A line of words.\n\nkey 4f9c1e7a-2b60-4d8e\nand more (of) it"


@pytest.mark.parametrize("model", ["demo:bpe", "demo:wordpiece"])
def test_the_margin_counts_tokens_per_line_and_marks_expensive_ones(make_shell, qtbot, model):
    shell = make_shell(TEXT, model, open_demo)
    margin, action = shell.window.inspect_page.text_panel.margin, shell.window.actions_table["line_tokens"]
    assert not margin.isVisible()
    action.trigger()
    assert (margin.isVisible(), shell.settings.shows_line_tokens) == (True, True)
    encoding = shell.session.tokenizer.encode(TEXT)
    starts, ends = encoding.spans.T
    expected = line_costs(np.frombuffer(TEXT, np.uint8), starts, ends)
    costs = [
        margin.cost_of(int(start), int(end))
        for start, end in zip(expected.starts, expected.ends, strict=True)
    ]
    assert (
        [cost.is_expensive for cost in costs] == [False, False, True, False] == (expected.steps >= 2).tolist()
    )
    assert costs[2].share == 1.0
    shell.session.document.set_caret(0)
    qtbot.keyClick(shell.window.inspect_page.editor, Qt.Key.Key_X)
    assert margin.cost_of(0, 18).n_tokens >= 1
    action.trigger()
    assert not margin.isVisible()


def test_a_binary_file_is_named_until_another_text_comes(shell, tmp_path, qtbot):
    path, page = tmp_path / "picture.txt", shell.window.inspect_page
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with qtbot.waitSignal(shell.session.text.reading.done):
        shell.session.text.open(path)
    assert ["picture.txt is a PNG picture" in notice.message for notice in page.notices.notices] == [True]
    shell.session.text.show(b"a text")
    assert page.notices.notices == []


def test_line_numbers_are_shown_where_people_want_them(shell, qtbot):
    numbers, document = shell.window.inspect_page.text_panel.line_numbers, shell.session.document
    document.set_text(b"a\n\nb")
    assert not numbers.isVisible()
    shell.window.actions_table["line_numbers"].trigger()
    assert (numbers.isVisible(), shell.settings.shows_line_numbers) == (True, True)
    shown = [numbers.cost_of(*document.line_span(line)).n_tokens for line in range(document.n_lines)]
    assert shown == [1, 2, 3]


@pytest.mark.parametrize("panel", ["Why", "Most expensive"])
def test_a_side_panel_marks_or_clears_results_of_an_earlier_text(make_shell, qtbot, panel):
    shell = make_shell(TEXT, "demo:bpe", open_demo)
    page, document = shell.window.inspect_page, shell.session.document
    page.side.turn_to(panel)
    value = {"Why": page._why, "Most expensive": page._most_expensive}[panel]
    document.set_text(b"antidisestablishmentarianism and more")
    qtbot.waitUntil(lambda: value.is_current)
    assert value.value is not None
    assert not any("updating" in line for line in controls_of(page.side))
    shown_texts = []
    value.changed.connect(lambda: shown_texts.append("".join(controls_of(page.side))))
    document.set_caret(document.size)
    document.insert(b" and more of it")
    assert value.value is not None, "of almost the same text"
    qtbot.waitUntil(lambda: value.is_current)
    assert any("updating" in words for words in shown_texts)
    document.replace(0, document.size, b"floccinaucinihilipilification")
    assert value.value is None
    assert "antidisestablishmentarianism" not in "".join(controls_of(page.side))
