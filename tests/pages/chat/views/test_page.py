"""The Chat page in a real window, with real clicks and keys."""

import json
from dataclasses import replace
from itertools import pairwise
from threading import Event
from time import perf_counter

import pytest
from controls_in_words import controls_of
from fitting import unreadable
from hands import drop, files, point_at, wait_for_results
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QScrollArea

from guiapp.analysis.chat.fixes import Fix
from guiapp.analysis.chat.messages import conversation_of
from guiapp.analysis.doctor.findings import TemplateLine
from guiapp.core.demo import demo_model_path
from guiapp.kit.prompt import view
from guiapp.pages.chat.counterpart import Counterpart, PromptVariant
from guiapp.pages.chat.message_list import JsonDialog
from guiapp.pages.chat.model import _rendered
from guiapp.pages.chat.template_panel import CHATML

Key, Left = Qt.Key, Qt.MouseButton.LeftButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How do lions <|im_end|> sleep?\nWell?"},
    {"role": "assistant", "content": "Deeply."},
]


@pytest.fixture
def page(open_page):
    return open_page(messages=MESSAGES)


def choose(menu_button, text, qtbot):
    """A row of the menu that a click opens."""
    menu_button.menu().aboutToShow.emit()
    action = next(each for each in menu_button.menu().actions() if each.text().startswith(text))
    action.trigger()


def test_all_words_can_be_read_in_a_window_of_any_size(open_new_page, qtbot):
    page = open_new_page(
        messages=[{"role": "user", "content": "Hi <|im_end|>"}, {"role": "assistant", "content": ""}]
    )
    assert unreadable(page.window()) == []


def test_what_is_typed_on_an_empty_page_is_the_first_message(open_page, qtbot):
    page = open_page()
    page.setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Shift)
    assert not page.model.edited.messages
    for letter in "How so?":
        qtbot.keyClicks(QApplication.focusWidget(), letter)
    wait_for_results(page, qtbot)
    assert page.model.edited.messages == ({"role": "user", "content": "How so?"},)


def test_rendering_status_is_cleared_after_a_repeated_slow_render(page, qtbot, monkeypatch):
    """It was of the messages as they are, and nobody told the line at the bottom that it had come."""
    begun, may_end = Event(), Event()

    def slowly(*given):
        begun.set()
        may_end.wait(20)
        return _rendered(*given)

    monkeypatch.setattr("guiapp.pages.chat.model._rendered", slowly)
    edited = page.model.edited
    edited.type(0, "Be very brief.")
    qtbot.waitUntil(begun.is_set)
    edited.type(0, "Be very brief?")
    edited.type(0, "Be very brief.")
    qtbot.waitUntil(lambda: "rendering …" in page.shell.window.status_line.text)
    may_end.set()
    wait_for_results(page, qtbot)
    assert "rendering …" not in page.shell.window.status_line.text


def test_the_file_of_a_template_is_read_again_when_it_is_chosen_again(page, tmp_path, monkeypatch, qtbot):
    file = tmp_path / "own.jinja"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *asked: (str(file), ""))
    for text in ("first", "{% if %}", "second"):
        file.write_text(text)
        choose(page.template.choice, "A file", qtbot)
        wait_for_results(page, qtbot)
        assert page.template.view.toPlainText() == text
        assert bool(page.model.failure) == (text == "{% if %}")
    assert page.model.chat.text == "second"


def test_a_control_token_is_whole_in_one_row_also_once_content_becomes_one(page, qtbot):
    def broken(start, end, width_px):
        page.prompt.setFixedSize(width_px, 400)
        blocks = page.prompt.rows.visible()
        edges = [
            each.start + each.layout.row_span(row)[0] for each in blocks for row in range(each.layout.n_rows)
        ]
        return [edge for edge in edges if start < edge < end]

    page.model.choose(replace(page.model.settings, as_text=True, template=CHATML))
    wait_for_results(page, qtbot)
    start = page.model.chat.text.encode().find(b"<|im_end|> sleep")
    width_px = next(width for width in range(300, 500, 7) if broken(start, start + 10, width))
    assert not [span for span in page.spans.controls if broken(*span, width_px)]
    page.model.choose(replace(page.model.settings, as_text=False))
    wait_for_results(page, qtbot)
    assert start in page.spans.controls[:, 0]
    assert not broken(start, start + 10, width_px)


@pytest.mark.parametrize(
    ("text", "messages"),
    [('{"messages": [{"role": "system", "content": "J"}]}', ["J"]), ("no JSON", ["no JSON"])],
)
@pytest.mark.parametrize("panel", ["messages", "prompt"])
def test_what_is_pasted_on_an_empty_page_is_taken(open_page, qtbot, panel, text, messages):
    page = open_page()
    QGuiApplication.clipboard().setText(text)
    (page if panel == "messages" else page.prompt).setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_V, CTRL)
    wait_for_results(page, qtbot)
    assert contents(page) == messages


def test_tab_leads_on_from_the_last_message_to_what_stands_below_it(page, qtbot):
    messages = page.messages
    messages.cards[-1].editor.setFocus()
    for part in (messages.add, messages.tools, messages.variables, messages.generation):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
        assert QApplication.focusWidget() is part


def position_of(page, index):
    """The middle of a token in the prompt."""
    return page.prompt.rects_of(index, index + 1)[0].center().toPoint()


def token_with(page, text):
    at = page.model.chat.text.index(text)
    return page.model.chat.tokens_at(at, at + len(text))[0]


def contents(page):
    return [message["content"] for message in page.model.edited.messages]


# Messages


def test_messages_are_added_and_typed_by_keys_alone(open_page, qtbot):
    page = open_page()
    assert QApplication.focusWidget() is page.messages.add
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Space)
    for letter in "Hi":
        qtbot.keyClick(QApplication.focusWidget(), letter)
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return, CTRL)
    qtbot.keyClick(QApplication.focusWidget(), "o")
    wait_for_results(page, qtbot)
    assert page.model.edited.messages == (
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "o"},
    )
    assert page.model.chat.conversation.messages == page.model.edited.messages
    assert page.messages.cards[0].count.text() == str(page.model.chat.budget.by_message[0])


def test_undo_is_the_pages_by_keys_and_menu(page, qtbot):
    editor = page.messages.cards[0].editor
    qtbot.mouseClick(editor.viewport(), Left)
    qtbot.keyClick(editor, Key.Key_End, CTRL)
    qtbot.keyClick(editor, "!")
    assert contents(page)[0] == "Be brief.!"
    qtbot.keyClick(editor, Key.Key_Z, CTRL)
    assert contents(page)[0] == "Be brief." == editor.text
    qtbot.keyClick(editor, Key.Key_Z, CTRL | SHIFT)
    assert contents(page)[0] == "Be brief.!"
    page.shell.window.actions_table["undo"].trigger()
    assert contents(page)[0] == "Be brief." == editor.text
    page.copy.setFocus()  # above the page
    qtbot.keyClick(page.copy, Key.Key_Z, CTRL | SHIFT)
    assert contents(page)[0] == "Be brief.!"
    assert page.shell.session.document.text() == b"text"


def test_roles_are_chosen_and_messages_moved_and_deleted(page, qtbot):
    choose(page.messages.cards[1].role, "tool", qtbot)
    assert page.model.edited.messages[1]["role"] == "tool"
    choose(page.messages.cards[2].more, "Move up", qtbot)
    assert contents(page) == ["Be brief.", "Deeply.", MESSAGES[1]["content"]]
    choose(page.messages.cards[0].more, "Delete", qtbot)
    assert contents(page) == ["Deeply.", MESSAGES[1]["content"]]
    assert [card.editor.text for card in page.messages.cards] == contents(page)


def test_the_last_word_of_a_card_that_is_taken_away_goes_nowhere(page):
    editor = page.messages.cards[-1].editor
    page.model.edited.take(conversation_of(MESSAGES[:1]))
    editor.insertPlainText("late")
    assert contents(page) == ["Be brief."]


def test_characters_that_cannot_be_typed_are_preserved(page, qtbot):
    expected = ["a\r\nb\rc", "d"]
    page.model.edited.take(conversation_of([{"role": "user", "content": each} for each in expected]))
    for _ in range(3):  # each time both are shown anew
        qtbot.keyClick(page.messages.cards[1].editor, "e")
        qtbot.keyClick(page.messages.cards[0].editor, "e")
        assert page.messages.cards[0].editor.text == "a\nb\nc"
        assert contents(page)[0] == expected[0]
    assert contents(page)[1].count("e") == 3


def dialog(page):
    return next(each for each in page.findChildren(JsonDialog) if each.isVisible())


def test_json_is_pasted_and_its_errors_are_reported(page, qtbot):
    QGuiApplication.clipboard().setText('[{"role": "user", "content": "pasted"}]')
    qtbot.mouseClick(page.messages.paste, Left)
    asked = dialog(page)
    assert "pasted" in asked.editor.toPlainText()
    qtbot.keyClick(asked.editor, Key.Key_Tab)
    assert asked.focusWidget() is asked.use_button
    asked.editor.setPlainText('[{"role": "user", "content": [{"type": "image_url"}]}]')
    qtbot.mouseClick(asked.use_button, Left)
    assert "Only text is supported" in asked.problem.text()
    assert len(page.messages.cards) == 3
    asked.editor.setPlainText('[{"role": "user", "content": "typed"}]')
    qtbot.keyClick(asked.use_button, Key.Key_Return)
    assert contents(page) == ["typed"]


def test_a_dropped_file_is_read_or_its_error_is_reported(page, qtbot, tmp_path):
    path = tmp_path / "messages.json"
    for text, expected in (
        ('[{"role": "user", "content": "x"}]', ""),
        ("{", "The messages are not valid JSON"),
    ):
        path.write_text(text)
        assert drop(page.messages, QPoint(20, 300), files(path))
        qtbot.waitUntil(lambda: not page.model.reading.is_busy)
        assert expected in "\n".join(controls_of(page.messages))
        assert contents(page) == ["x"]


def test_the_sample_is_one_click_away_while_there_is_no_message_and_one_undo(open_page, qtbot):
    page = open_page()
    qtbot.mouseClick(page.messages.sample, Left)
    wait_for_results(page, qtbot)
    assert "content_became_control" in {row.hint.code for row in page.hints.rows}
    assert not page.messages.sample.isVisible()
    assert page.messages.cards[-1].editor.hasFocus()
    qtbot.keyClick(page.messages.cards[-1].editor, Key.Key_Z, CTRL)
    assert not contents(page)
    assert page.messages.sample.isVisible()


def test_a_long_conversation_shows_some_cards_at_first(page, qtbot):
    page.model.edited.take(conversation_of([{"role": "user", "content": str(n)} for n in range(500)]))
    wait_for_results(page, qtbot)
    assert len(page.messages.cards) < 100
    n_cards = len(page.messages.cards)
    page.messages.findChild(QScrollArea).ensureWidgetVisible(page.messages.further)
    qtbot.mouseClick(page.messages.further, Left)
    assert len(page.messages.cards) == 2 * n_cards


# The prompt


def test_a_clicked_token_shows_its_origin(page, qtbot):
    index = token_with(page, "lions")
    qtbot.mouseClick(page.prompt.viewport(), Left, pos=position_of(page, index))
    assert page.model.selected_token == index
    start = MESSAGES[1]["content"].index("lions") - 1
    assert page.token_line.where.whole_text.startswith(f"message 2, user · characters {start}–")
    assert page.token_line.id.text() == str(int(page.model.encoding.token_ids[index]))
    assert page.template.view.lit_line == page.model.origins[index].line > 0


def test_keys_go_from_token_to_token_and_from_turn_to_turn(page, qtbot):
    page.prompt.setFocus()
    assert page.model.selected_token is None
    qtbot.keyClick(page.prompt, Key.Key_Down)
    assert page.model.selected_token == 0
    qtbot.keyClick(page.prompt, Key.Key_End)
    qtbot.keyClick(page.prompt, Key.Key_Home)
    assert page.model.selected_token == 0
    qtbot.keyClick(page.prompt, Key.Key_Right)
    assert page.model.selected_token == 1
    seen = []
    while page.model.selected_token not in seen:
        seen.append(page.model.selected_token)
        qtbot.keyClick(page.prompt, Key.Key_Down)
    assert {page.model.origins[index].message for index in seen} >= {0, 1, 2}
    qtbot.keyClick(page.prompt, Key.Key_End)
    assert page.model.selected_token == len(page.model.encoding) - 1


def test_the_tooltip_shows_the_origin_of_a_token(page):
    place = position_of(page, token_with(page, "lions"))
    point_at(page.prompt.viewport(), place)
    assert "message 2, user" in page.prompt.tip(place.toPointF())


def test_nothing_is_lit_in_a_template_that_did_not_write_the_prompt(page, qtbot, tmp_path):
    page.model.select_token(token_with(page, "lions"))
    assert page.template.view.lit_line
    path = tmp_path / "bad.jinja"
    path.write_text("fine\n" * 30 + "{{ messages[9].content.x }}\n")
    page.model.choose(replace(page.model.settings, template=str(path)))
    wait_for_results(page, qtbot)
    page.model.select_token(token_with(page, "sleep"))
    assert page.model.chat.template.text != path.read_text()
    assert not page.template.view.lit_line
    assert [each.cursor.blockNumber() for each in page.template.view.extraSelections()] == [30]  # that fails


def test_the_template_is_lit_where_it_wrote_the_token_under_the_mouse(page):
    def lit():
        return [each.cursor.selectedText() for each in page.template.view.extraSelections()]

    index = token_with(page, "lions")
    point_at(page.prompt.viewport(), position_of(page, index))
    line, part = lit()
    assert page.model.origins[index].line == page.template.view.extraSelections()[0].cursor.blockNumber() + 1
    assert "content" in part
    assert part in line
    assert page.model.selected_token is None
    point_at(page.prompt.viewport(), QPoint(2, page.prompt.height() - 4))
    assert lit() == []


def test_typing_does_not_scroll_the_template_back_to_the_part_that_is_lit(page, qtbot):
    page.model.select_token(token_with(page, "lions"))
    cursor = page.template.view.textCursor()
    cursor.movePosition(cursor.MoveOperation.End)
    page.template.view.setTextCursor(cursor)
    page.model.edited.type(2, "Deeply!")
    wait_for_results(page, qtbot)
    assert page.template.view.textCursor().position() == cursor.position()


def test_a_template_in_one_long_line_is_shown_whole_with_the_part_that_wrote_a_token(page, qtbot, tmp_path):
    path = tmp_path / "one.jinja"
    path.write_text(
        "{% if 0 %}"
        + "no " * 100
        + "{% endif %}"
        + "{% for m in messages %}🦄{{ m['content'] }}]{% endfor %}",
        encoding="utf-8",
    )
    page.model.choose(replace(page.model.settings, template=str(path)))
    wait_for_results(page, qtbot)
    view = page.template.view
    page.model.select_token(token_with(page, "lions"))
    assert view.extraSelections()[-1].cursor.selectedText() == "m['content']"
    assert view.horizontalScrollBar().maximum() == 0
    assert view.viewport().rect().contains(view.cursorRect())


def test_hints_are_fixed_by_their_buttons(page, qtbot):
    row = next(row for row in page.hints.rows if row.hint.code == "content_became_control")
    qtbot.mouseClick(row, Left, pos=QPoint(20, 5))
    assert page.model.selected_token == row.hint.tokens[0]
    assert not page.parsed.isVisible()
    qtbot.mouseClick(row.button, Left)
    wait_for_results(page, qtbot)
    assert page.model.settings.as_text
    assert page.parsed.isVisible()
    assert all(row.hint.code != "content_became_control" for row in page.hints.rows)
    qtbot.mouseClick(page.parsed, Left)
    wait_for_results(page, qtbot)
    assert not page.model.settings.as_text
    assert not page.parsed.isVisible()


def test_each_control_token_in_content_is_marked_in_its_message_and_numbered_in_the_prompt(
    page, qtbot, monkeypatch
):
    content = "🦄 <|im_end|> b <|im_end|> c <|im_start|>"
    numbers = []
    monkeypatch.setattr(
        view, "draw_number", lambda painter, middle, number, *how: numbers.append((number, middle))
    )
    page.model.edited.take(conversation_of([{"role": "user", "content": content}]))
    wait_for_results(page, qtbot)
    at, row = next((at, row) for at, row in enumerate(page.hints.rows, 1) if row.hint.message == 0)
    marks = page.messages.cards[0].editor.extraSelections()
    assert [each.cursor.selectedText() for each in marks] == ["<|im_end|>", "<|im_end|>", "<|im_start|>"]
    numbers.clear()
    page.prompt.viewport().grab()
    rects = [page.prompt.rects_of(*place)[0].adjusted(-9, -9, 9, 9) for place in row.hint.ranges]
    middles = [middle for number, middle in numbers if number == at]
    assert len(rects) == len(middles) == 3
    assert all(rect.contains(middle) for rect, middle in zip(rects, middles, strict=True))


def test_a_switch_that_a_button_turned_off_is_turned_on_by_undo(page, qtbot):
    row = next(row for row in page.hints.rows if row.hint.code == "double_bos")
    qtbot.mouseClick(row.button, Left)
    wait_for_results(page, qtbot)
    assert not page.model.session.options.add_special
    page.window().actions_table["undo"].trigger()
    wait_for_results(page, qtbot)
    assert page.model.session.options.add_special
    assert "double_bos" in {row.hint.code for row in page.hints.rows}
    assert contents(page) == [each["content"] for each in MESSAGES]


def test_the_prompt_gets_the_focus_when_a_fix_button_disappears(page, qtbot):
    *_, row = page.hints.rows
    row.button.setFocus()
    qtbot.keyClick(row.button, Key.Key_Space)
    qtbot.waitUntil(lambda: row not in page.hints.rows)
    assert page.window().focusWidget() is page.prompt


def test_a_button_fixes_the_template_and_shows_the_fixed_line(page, qtbot, tmp_path):
    path = tmp_path / "near.jinja"
    path.write_text("{% for m in messages %}\n<|im_start|>{{ m.content }}\n. <| im_end |>\n{% endfor %}")
    page.model.choose(replace(page.model.settings, template=str(path)))
    wait_for_results(page, qtbot)
    row = next(row for row in page.hints.rows if "<| im_end |>" in row.hint.what)
    assert "does not change" in row.button.toolTip()
    qtbot.mouseClick(row.button, Left)
    wait_for_results(page, qtbot)
    assert "<| im_end |>" not in "".join(row.hint.what for row in page.hints.rows)
    assert page.template.view.asked_line == 3
    assert page.template.view.toPlainText() == path.read_text().replace("<| im_end |>", "<|im_end|>")


def test_an_end_of_turn_is_added_to_the_template_by_a_button(page, qtbot):
    template = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}\n{% endfor %}"
    page.model.choose(replace(page.model.settings, template=template))
    wait_for_results(page, qtbot)
    row = next(row for row in page.hints.rows if row.hint.code == "missing_eos")
    assert row.button.text() == "Add <|im_end|>"
    qtbot.mouseClick(row.button, Left)
    wait_for_results(page, qtbot)
    assert "Deeply.<|im_end|>" in page.model.chat.text
    assert "missing_eos" not in {row.hint.code for row in page.hints.rows}


def test_the_fix_for_the_file_is_copied(page, qtbot):
    row = page.hints.rows[0]
    row.show_hint(1, replace(row.hint, fix=Fix("Copy the fix for the file", remedy="mend it")))
    before = page.model.settings
    qtbot.mouseClick(row.button, Left)
    assert QGuiApplication.clipboard().text() == "mend it"
    assert page.model.settings == before


def test_without_generation_prompt_the_last_turn_is_gone(page, qtbot):
    n_turns = len(page.model.chat.turns)
    qtbot.mouseClick(page.messages.generation, Left, pos=QPoint(8, page.messages.generation.height() // 2))
    wait_for_results(page, qtbot)
    assert len(page.model.chat.turns) == n_turns - 1


# The template


def test_the_failing_line_of_the_template_is_reported_and_marked(page, qtbot, tmp_path):
    path = tmp_path / "bad.jinja"
    path.write_text("fine\n{{ messages[9].content.x }}\n")
    page.model.choose(replace(page.model.settings, template=str(path)))
    wait_for_results(page, qtbot)
    assert "line 2" in page.model.failure
    assert page.template.view.failed_line == 2
    assert page.template.choice.text() == "bad.jinja"
    choose(page.template.choice, "The model's default", qtbot)
    wait_for_results(page, qtbot)
    assert not page.model.failure


def test_a_model_without_a_template_offers_an_example(open_page, qtbot):
    page = open_page("demo:toy", MESSAGES)
    assert "no chat template" in page.model.failure
    qtbot.mouseClick(page.example, Left)
    wait_for_results(page, qtbot)
    assert page.model.chat is not None
    assert not page.model.failure


def test_a_model_without_a_template_leaves_no_counts_of_the_one_before(page, qtbot):
    assert all(card.count.text() for card in page.messages.cards)
    with qtbot.waitSignal(page.model.session.vocabulary_changed):
        page.model.session.loader.open("demo:toy")
    wait_for_results(page, qtbot)
    assert page.model.failure
    assert not any(card.count.text() or card.count.accessibleName() for card in page.messages.cards)


@pytest.mark.parametrize("has_tool_use", [False, True])
def test_the_menu_lists_each_template_once(open_page, qtbot, tmp_path, has_tool_use):
    model, folder = tmp_path / "tokenizer.gguf", tmp_path / "additional_chat_templates"
    model.write_bytes(demo_model_path("bpe").read_bytes())
    folder.mkdir()
    if has_tool_use:
        (folder / "tool_use.jinja").write_text("x")
    page = open_page(str(model), MESSAGES)

    def chosen():
        page.template.choice.menu().aboutToShow.emit()
        rows = [each for each in page.template.choice.menu().actions() if each.isCheckable()]
        return [row.isChecked() for row in rows]

    one = [True, False]  # and the example
    assert chosen() == ([True, False, False, False] if has_tool_use else one)
    page.model.choose(replace(page.model.settings, template="default"))
    wait_for_results(page, qtbot)
    assert chosen() == ([False, True, False, False] if has_tool_use else one)


def test_a_line_of_a_named_template_is_scrolled_to(open_page, qtbot, tmp_path):
    model = tmp_path / "tokenizer.gguf"
    model.write_bytes(demo_model_path("bpe").read_bytes())
    folder = tmp_path / "additional_chat_templates"
    folder.mkdir()
    (folder / "other.jinja").write_text("a\n" * 300 + "{{ messages[0].content }}")
    page = open_page(str(model), MESSAGES)
    page.counterpart.choose(Counterpart(PromptVariant.AS_TEXT))
    page.show_template(False)
    page.shell.window.requests.template_wanted.emit(TemplateLine("other", 301, 1, ()))
    wait_for_results(page, qtbot)
    view = page.template.view
    assert view.isVisible()
    assert view.asked_line == 301 == view.textCursor().blockNumber() + 1
    assert view.cursorRect().top() < view.viewport().height()
    assert page.model.result.template.name == "other"
    page.model.select_token(5)
    assert view.asked_line == 0


HOSTILE = {  # more of them in tests/analysis/chat/test_rendering.py
    "loops": "{% for i in range(99999) %}{% for j in range(99999) %}{{ i }}{% endfor %}{% endfor %}",
    "repeated": "{{ 'x' * 10**10 }}",
    "attributes": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_fails_without_blocking_the_window(page, qtbot, tmp_path, name):
    path = tmp_path / "hostile.jinja"
    path.write_text(HOSTILE[name])
    beats = [perf_counter()]
    timer = QTimer(page, interval=10)
    timer.timeout.connect(lambda: beats.append(perf_counter()))
    timer.start()
    page.model.choose(replace(page.model.settings, template=str(path)))
    qtbot.waitUntil(lambda: bool(page.model.failure), timeout=10_000)
    assert page.model.failure.startswith("The template")
    assert page.model.chat is not None
    assert max(after - before for before, after in pairwise(beats)) < 0.5
    qtbot.keyClick(page.messages.cards[0].editor, "!")
    assert "!" in contents(page)[0]


# What is copied and kept


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Prompt", "<|im_start|>"),
        ("Token ids", "["),
        ("Template", "{% for message in messages %}"),
        ("Messages", "Be brief."),
        ("Python", "Be brief."),
    ],
)
def test_each_form_is_copied(page, qtbot, title, expected):
    choose(page.copy, title, qtbot)
    copied = QGuiApplication.clipboard().text()
    assert expected in copied
    if title == "Token ids":
        assert json.loads(copied) == page.model.encoding.token_ids.tolist()
    if title == "Python":
        compile(copied, "copied", "exec")
    if title == "Messages":
        assert conversation_of(copied).messages == page.model.edited.messages


def test_the_conversation_is_there_again_in_the_next_window(open_new_page, qtbot):
    first = open_new_page(messages=MESSAGES)
    chosen = replace(first.model.settings, template=CHATML, add_generation_prompt=False, variables={"a": [1]})
    first.model.choose(chosen)
    first.shell.stop()
    second = open_new_page()
    assert second.model.edited.messages == tuple(MESSAGES)
    assert second.model.settings == chosen
    assert not second.messages.generation.isChecked()
    assert second.messages.variables.text() == "1 variable"
    assert second.template.choice.text() == "ChatML, an example"


def test_the_context_menu_leads_to_the_tree(page, qtbot):
    index = token_with(page, "lions")
    page.prompt.customContextMenuRequested.emit(position_of(page, index))
    menu = next(each for each in page.prompt.findChildren(QMenu) if each.isVisible())
    next(each for each in menu.actions() if each.text() == "Show in tree").trigger()
    assert page.shell.window.pages.current_name == "tree"
    menu.close()


def test_the_token_line_describes_the_token_and_opens_the_tree(page, qtbot):
    assert controls_of(page.token_line) == ["Selected token", "Select a token to see its origin."]
    at = page.model.chat.text.index("lions")
    page.model.select_token(page.model.chat.tokens_at(at, at + 5)[0])
    tree = "Show in tree | Show this token in the token tree | Show this token in the token tree"
    assert controls_of(page.token_line) == [
        *("Selected token", "·l", "280", "message 2, user · characters 6–8 of its text"),
        *("written by line 2", tree),
    ]
    requested = []
    page.shell.window.requests.token_wanted.connect(requested.append)
    qtbot.mouseClick(page.token_line.tree, Left)
    assert requested == [280]


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ('{"a": [1]}', ""),
        ("", ""),
        ("[1]", 'Variables must be an object, such as {"enable_thinking": false}.'),
        ("{", "This is not valid JSON: "),
    ],
)
def test_variables_are_typed_as_json(page, qtbot, text, failure):
    qtbot.mouseClick(page.messages.variables, Left)
    asked = dialog(page)
    assert asked.editor.toPlainText() == "{}"
    asked.editor.setPlainText(text)
    qtbot.mouseClick(asked.use_button, Left)
    left = [each for each in page.findChildren(JsonDialog) if each.isVisible()]
    assert left == ([asked] if failure else [])
    assert not failure or asked.problem.text().startswith(failure)
    assert page.model.settings.variables == ({"a": [1]} if text == '{"a": [1]}' else {})
    wait_for_results(page, qtbot)
    assert page.messages.variables.text() == ("1 variable" if "a" in text else "+ Variables")
    for each in left:
        each.close()


def test_one_message_is_taken_from_json_where_it_is_one(page, qtbot):
    page.messages.cards[1].json_wanted.emit(1)
    asked = dialog(page)
    assert json.loads(asked.editor.toPlainText()) == MESSAGES[1]
    asked.editor.setPlainText(json.dumps(MESSAGES[:2]))
    qtbot.mouseClick(asked.use_button, Left)
    assert asked.problem.text() == "There are 2 messages here. Keep only one."
    asked.editor.setPlainText(json.dumps([{"role": "tool", "content": "x"}]))
    qtbot.mouseClick(asked.use_button, Left)
    assert page.model.edited.messages[1] == {"role": "tool", "content": "x"}
    page.messages.cards[2].json_wanted.emit(2)
    page.model.edited.take(conversation_of(MESSAGES[:1]))
    qtbot.mouseClick(dialog(page).use_button, Left)
    assert page.model.edited.messages == tuple(MESSAGES[:1])


def test_tools_are_an_example_at_first_and_none_where_nothing_is_typed(page, qtbot):
    qtbot.mouseClick(page.messages.tools, Left)
    qtbot.mouseClick(dialog(page).use_button, Left)
    (tool,) = page.model.edited.conversation.tools
    qtbot.mouseClick(page.messages.tools, Left)
    assert json.loads(dialog(page).editor.toPlainText()) == [tool]
    dialog(page).editor.setPlainText(" ")
    qtbot.mouseClick(dialog(page).use_button, Left)
    assert page.model.edited.conversation.tools is None
    assert page.messages.tools.text() == "+ Tools"
    wait_for_results(page, qtbot)


@pytest.mark.parametrize("is_chosen", [True, False])
def test_messages_are_opened_from_a_file(page, qtbot, monkeypatch, tmp_path, is_chosen):
    path = tmp_path / "some.json"
    path.write_text(json.dumps(MESSAGES[:1]))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *asked: (str(path) if is_chosen else "", ""))
    qtbot.mouseClick(page.messages.open, Left)
    qtbot.waitUntil(lambda: not page.model.reading.is_busy)
    assert page.model.edited.messages == tuple(MESSAGES[:1] if is_chosen else MESSAGES)
    wait_for_results(page, qtbot)


def test_where_it_is_narrow_the_template_takes_the_place_of_the_messages(open_new_page, qtbot):
    page = open_new_page(messages=MESSAGES)
    page.shell.window.resize(900, 560)
    qtbot.waitUntil(lambda: page.template.isHidden())
    for is_template_shown in (True, False):
        qtbot.mouseClick(page.unfold, Qt.MouseButton.LeftButton)
        assert (page.template.isVisible(), page.messages.isVisible()) == (
            is_template_shown,
            not is_template_shown,
        )
        assert all(panel.isVisible() for panel in page.panels)
    page.shell.window.resize(1280, 800)
    qtbot.waitUntil(page.messages.isVisible)
