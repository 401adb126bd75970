"""Two prompts side by side in the real window, with real clicks and keys."""

import pytest
from hands import wait_for_results
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton

from guiapp.analysis.chat.messages import conversation_of
from guiapp.pages.chat.compare_view import name_of
from guiapp.pages.chat.counterpart import Counterpart, PromptVariant

Key, Left = Qt.Key, Qt.MouseButton.LeftButton
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How do <|im_end|> lions sleep?\nWell <|im_end|> or not?"},
]


@pytest.fixture
def page(open_page):
    return open_page(messages=MESSAGES)


def position_of(side, token):
    """The middle of a token, in the window."""
    return side.rects_of(token, token + 1)[0].center().toPoint()


def heights_of_turns(side):
    """How far down each message begins in a column."""
    spans = {turn.message: side.bytes_of(turn) for turn in side.prompt.chat.turns}
    return {message: side.rows.position_of(span[0]).y for message, span in spans.items() if span is not None}


def test_a_hint_opens_both_readings_and_escape_ends_them(page, qtbot):
    row = next(row for row in page.hints.rows if row.hint.code == "content_became_control")
    button = next(each for each in row.findChildren(QPushButton) if each.text() == "Side by side")
    qtbot.mouseClick(button, Left)
    wait_for_results(page, qtbot)
    assert page.compare.isVisible()
    assert not page.prompt.isVisible()
    assert page.compare.names[0].text().startswith("As the model reads it")
    assert "only on the right" in page.compare.description.text()
    page.compare.setFocus()
    qtbot.keyClick(page.compare.sides[0], Key.Key_Escape)
    assert page.prompt.isVisible()
    assert not page.compare.isVisible()


def test_keys_walk_through_differences_and_tokens(page, qtbot):
    page.counterpart.choose(Counterpart(PromptVariant.AS_TEXT))
    wait_for_results(page, qtbot)
    left, right = page.compare.sides
    place = page.compare.walking.index_label
    left.setFocus()
    assert place.text() == "2 differences"
    seen = []
    for text in ("1 of 2", "2 of 2", "1 of 2"):
        qtbot.keyClick(left, Key.Key_F8)
        assert place.text() == text
        seen.append(left.prompt.selected_token)
    assert seen[0] == seen[2] < seen[1]
    qtbot.keyClick(left, Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert place.text() == "2 of 2"
    token = left.prompt.selected_token
    assert token == page.model.selected_token
    qtbot.keyClick(left, Key.Key_Right)
    assert left.prompt.selected_token == page.model.selected_token == token + 1
    assert left.accessibleDescription()
    first = page.compare.outcome.changes[0]
    qtbot.mouseClick(right.viewport(), Left, pos=position_of(right, first.second_start - 1))
    assert left.prompt.selected_token is None
    qtbot.keyClick(right, Key.Key_F8)
    assert place.text() == "1 of 2", "from the token that was clicked"


def test_keys_work_as_soon_as_the_menu_starts_a_comparison(page, qtbot):
    page.compare.menu.chosen.emit(Counterpart(PromptVariant.AS_TEXT))
    wait_for_results(page, qtbot)
    page.compare.menu.setFocus()  # as a menu that closes gives it back
    qtbot.keyClick(page.compare.menu, Key.Key_F8)
    assert page.compare.walking.index_label.text() == "1 of 2"
    qtbot.keyClick(page.compare.menu, Key.Key_Escape)
    assert page.prompt.isVisible()


def test_a_clicked_token_is_described_and_selected_on_the_page(page, qtbot):
    page.counterpart.choose(Counterpart(PromptVariant.NO_PROMPT))
    wait_for_results(page, qtbot)
    left, right = page.compare.sides
    last = len(page.model.encoding) - 1
    left.go_to(last)
    qtbot.mouseClick(left.viewport(), Left, pos=position_of(left, last - 2))
    assert left.prompt.selected_token == page.model.selected_token == last - 2
    assert page.compare.shared.text() == "only here"
    qtbot.mouseClick(right.viewport(), Left, pos=position_of(right, 3))
    assert page.compare.shared.text() == "in both"
    assert [line.tree.isVisible() for line in page.compare.lines] == [False, True]


@pytest.mark.parametrize("size", [(1100, 700), (1800, 900)])
def test_turns_of_the_same_message_are_aligned(page, qtbot, size):
    page.window().resize(*size)
    template = "{% for m in messages if m.role != 'system' %}{{ m.content }}{{ m.content }}\n{% endfor %}"
    for counterpart in (Counterpart(PromptVariant.AS_TEXT), Counterpart(PromptVariant.TEMPLATE, template)):
        page.counterpart.choose(counterpart)
        wait_for_results(page, qtbot)
        qtbot.waitUntil(lambda: page.is_ready)
        first, second = map(heights_of_turns, page.compare.sides)
        common = first.keys() & second.keys()
        assert len(common) >= 1
        assert [first[each] for each in common] == [second[each] for each in common]
    assert len(second) < len(first)
    page.compare.sides[0].verticalScrollBar().setValue(40)
    bars = [side.verticalScrollBar() for side in page.compare.sides]
    assert bars[1].value() == min(bars[0].value(), bars[1].maximum())


def test_what_opens_begins_at_the_top_and_scrolls_by_what_the_picture_moves(page, qtbot):
    page.window().resize(1100, 560)
    messages = [{"role": role, "content": "Why? " * 60} for role in ("system", "user", "assistant")]
    page.model.edited.take(conversation_of(messages))
    wait_for_results(page, qtbot)
    template = "{% for m in messages[1:] %}{{ m.content }}\n{% endfor %}"
    page.counterpart.choose(Counterpart(PromptVariant.TEMPLATE, template))
    wait_for_results(page, qtbot)
    for side in page.compare.sides:
        bar, moved = side.verticalScrollBar(), []
        assert bar.value() == 0 < bar.maximum()
        side.moved.connect(moved.append)
        for y in (13, 30, 60, 70, 95, 60, 0):  # over rows that are free where the other side has a turn
            qtbot.waitUntil(lambda: page.is_ready)
            before = bar.value()
            bar.setValue(y)
            assert moved.pop() in (before - y, 0)  # 0: all is painted again


def test_an_added_token_that_is_chosen_is_brought_into_sight(page, qtbot):
    page.window().resize(900, 560)
    page.model.edited.take(conversation_of([{"role": "user", "content": "Why? " * 200}]))
    wait_for_results(page, qtbot)
    page.counterpart.choose(Counterpart(PromptVariant.MODEL, "demo:spm"))
    wait_for_results(page, qtbot)
    for side in page.compare.sides:
        side.verticalScrollBar().setValue(100)  # the first row of text is near
        qtbot.keyClick(side, Key.Key_Home)
        assert side.prompt.selected_token == 0
        assert side.viewport().rect().contains(position_of(side, 0))


def test_the_other_model_is_named_and_a_failure_is_reported(page, qtbot):
    page.counterpart.choose(Counterpart(PromptVariant.MODEL, "demo:unigram"))
    wait_for_results(page, qtbot)
    assert page.compare.menu.text() == "With: demo:unigram"
    right = page.compare.sides[1]
    tokenizer = right.prompt.chat.tokenizer
    assert tokenizer is not page.model.session.tokenizer
    right.go_to(2)
    assert tokenizer.vocabulary is right.spans.vocabulary
    assert not any(line.tree.isVisible() for line in page.compare.lines)
    page.counterpart.choose(Counterpart(PromptVariant.TEMPLATE, "{% if %}"))
    wait_for_results(page, qtbot)
    assert right.accessibleDescription().startswith("The template has a syntax error")
    assert right.spans.document.size == 0
    page.compare.close_button.click()
    assert page.prompt.isVisible()


@pytest.mark.parametrize("is_first", [True, False])
def test_the_prompt_is_shown_when_the_other_template_fails(page, qtbot, tmp_path, is_first):
    """Both columns went, and one line was left that did not name the template."""
    refuses = "{% if messages[0].role == 'system' %}{{ raise_exception('No system role') }}{% endif %}x"
    file = tmp_path / "other.jinja"
    file.write_text(refuses)
    left, right = page.compare.sides
    if not is_first:
        page.model.edited.take(conversation_of(MESSAGES[1:]))
    page.counterpart.choose(Counterpart(PromptVariant.TEMPLATE, str(file)))
    wait_for_results(page, qtbot)
    assert (right.spans.document.size > 0) == (not is_first)
    page.model.edited.take(conversation_of(MESSAGES))
    wait_for_results(page, qtbot)
    assert left.isVisible()
    assert right.isVisible()
    assert left.spans.document.text().decode() == page.model.chat.text
    assert right.spans.document.size == 0
    assert page.compare.names[1].text() == "Template other.jinja"
    assert "No system role" in right.accessibleDescription()
    qtbot.mouseClick(left.viewport(), Left, pos=position_of(left, 4))
    assert page.model.selected_token == 4
    assert page.compare.shared.text() == ""
    page.compare.walk.step(1)
    page.model.edited.remove(0)
    wait_for_results(page, qtbot)
    assert right.spans.document.text() == b"x"
    assert right.accessibleDescription() == ""


SHORT = [{"role": "user", "content": "Hi<|im_end|>"}]


def test_the_menu_lists_what_can_be_compared(page, qtbot, monkeypatch):
    menu, rows = page.compare.menu, ["Content as text", "Without generation prompt", "llama.cpp's own prompt"]
    further = ["", "A template file…", "Another model…"]

    def listed():
        menu.menu().aboutToShow.emit()
        return [("✓ " if each.isChecked() else "") + each.text() for each in menu.menu().actions()]

    assert listed() == [*rows, *further]
    assert menu.text() == "Compare…"
    variants = (
        Counterpart(PromptVariant.AS_TEXT),
        Counterpart(PromptVariant.NO_PROMPT),
        Counterpart(PromptVariant.LLAMA_CPP),
    )
    for at, way in enumerate(variants):
        listed()
        menu.menu().actions()[at].trigger()
        assert page.counterpart.counterpart == way
        assert listed() == [*rows[:at], f"✓ {rows[at]}", *rows[at + 1 :], *further, "", "Nothing"]
        assert menu.text() == f"With: {name_of(way)}"
    menu.menu().actions()[-1].trigger()
    assert page.counterpart.counterpart is None
    for name in ("", "/a/b.jinja"):
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *asked, name=name: (name, ""))
        listed()
        menu.menu().actions()[-2].trigger()
        assert page.counterpart.counterpart == (Counterpart(PromptVariant.TEMPLATE, name) if name else None)
    asked = []
    page.shell.window.requests.model_wanted.connect(lambda widget, take: asked.append((widget, take)))
    listed()
    next(each for each in menu.menu().actions() if each.text() == "Another model…").trigger()
    [(widget, take)] = asked
    assert widget is menu
    take("demo:unigram", "gpt2")
    assert page.counterpart.counterpart == Counterpart(PromptVariant.MODEL, "demo:unigram", "gpt2")
    wait_for_results(page, qtbot)


def test_a_token_of_the_windows_model_is_shown_in_its_tree(page, qtbot):
    page.model.edited.take(conversation_of(SHORT))
    page.counterpart.choose(Counterpart(PromptVariant.NO_PROMPT))
    wait_for_results(page, qtbot)
    requested = []
    page.shell.window.requests.token_wanted.connect(requested.append)
    page.compare.sides[1].go_to(5)
    qtbot.mouseClick(page.compare.lines[1].tree, Left)
    assert requested == [39]
