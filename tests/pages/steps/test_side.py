"""The lists beside the steps: breakpoints, watches, and what was made."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton

from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.train.record import TRAINING_DIALECT
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.pages.steps.side import EXAMPLES, TEMPLATES, TRAINING_TEMPLATES


def test_watches_are_added_updated_and_removed(show_steps_page, qtbot):
    page = show_steps_page("toy", b"abacb", "heap")
    watches, model = page.trace.side.watches, page.model
    line, error = watches.field.line, watches.field.error
    for text in ("length +", "length", "rank", "position +"):
        line.setText(text)
        qtbot.keyClick(line, Qt.Key.Key_Return)
        assert error.isVisible() is text.endswith("+")
        assert line.text() == (text if text.endswith("+") else "")
    for position in range(model.n_steps + 1):
        model.go_to(position)
        assert watches.shown_values == [model.watch_value(each) for each in model.watches]
    buttons = {button.accessibleName(): button for button in watches.findChildren(QToolButton)}
    assert list(buttons) == ["Forget length", "Forget rank"]
    qtbot.mouseClick(buttons["Forget length"], Qt.MouseButton.LeftButton)
    assert model.watches == ("rank",)
    qtbot.waitUntil(lambda: len(watches.findChildren(QToolButton)) == 1)
    assert [label.whole_text for label in watches.findChildren(FittedLabel)] == [
        "rank",
        *watches.shown_values,
    ]
    assert len(watches.shown_values) == 1
    model.go_to(2)
    page.kept_session.text.show(b"acb")
    qtbot.waitUntil(lambda: page.is_ready)
    assert watches.shown_values == [model.watch_value(each) for each in model.watches]


LEFT = Qt.MouseButton.LeftButton


@pytest.mark.parametrize("mode", [0, 1])
def test_each_template_is_put_into_the_line_to_be_changed(make_steps_page, qtbot, mode):
    page = make_steps_page()
    page.modes.choose(mode)
    listed = page.training.breakpoints if mode else page.trace.side.breakpoints
    line = listed.field.line
    templates = TRAINING_TEMPLATES if mode else TEMPLATES
    actions = listed.add_button.menu().actions()
    assert [action.text() for action in actions] == list(templates)
    assert listed.add_button.accessibleName() == "Add a breakpoint"
    for action, template in zip(actions, templates.values(), strict=True):
        page.modes.setFocus()
        action.trigger()
        assert line.text() == template
        assert QApplication.focusWidget() is line
        assert line.selectedText() == ("…" if "…" in template else "")
        if "…" not in template:
            qtbot.keyClick(line, Qt.Key.Key_Return)
            assert listed.row_widgets[-1].label.accessibleName() == template
            assert line.text() == ""
    assert "count" in line.toolTip() if mode else "candidates" in line.toolTip()
    assert line.placeholderText()
    assert ("count" in line.placeholderText()) is bool(mode)


def test_a_row_shows_its_state_its_hits_and_the_current_stop(show_steps_page, qtbot):
    page = show_steps_page("toy", b"abacb")
    model, listed = page.model, page.trace.side.breakpoints
    for text in ("operation merge", "operation push log {rank}", "token 8"):
        model.breakpoints.add(text)
    rows = listed.row_widgets
    assert [(row.switch.text(), row.hits.text()) for row in rows] == [("●", "2"), ("●", "3"), ("●", "0")]
    for move, stopped in ((model.run, [True, False, False]), (model.restart, [False] * 3)):
        model.restart()
        move()
        assert [row.label.font().bold() for row in listed.row_widgets] == stopped
    for is_on in (False, True):
        qtbot.mouseClick(listed.row_widgets[1].switch, LEFT)
        row = listed.row_widgets[1]
        assert row.switch.text() == ("●" if is_on else "○")
        assert row.switch.accessibleName() == ("Turn off" if is_on else "Turn on")
        assert row.hits.text() == ("3" if is_on else "off")


def test_an_error_is_shown_until_the_line_changes(show_steps_page, qtbot):
    page = show_steps_page()
    field = page.trace.side.breakpoints.field
    page.model.breakpoints.add("operation merge")
    for text in ("rank <", "operation merge"):
        field.line.setText(text)
        qtbot.keyClick(field.line, Qt.Key.Key_Return)
        assert field.error.isVisible() is (text == "rank <")
    field.line.setText("rank <")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert field.error.isVisible()
    assert field.line.text() == "rank <"
    assert field.error.property("role") == "bad"
    qtbot.keyClicks(field.line, " 5")
    assert not field.error.isVisible()
    qtbot.mouseClick(page.trace.side.breakpoints.row_widgets[0].label, LEFT)
    field.line.setText("rank >")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    field.line.setText("operation stale")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert "operation stale" in [row.title for row in page.model.breakpoints.rows]
    assert not field.error.isVisible()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_the_lines_can_be_entered(name):
    is_of_training = name in ("unigram", "bpe", "wordpiece")
    for example in EXAMPLES[name].removesuffix(" …").split(", "):
        parse_breakpoint(example, TRAINING_DIALECT if is_of_training else None)


def test_examples_are_of_what_is_stepped_through_or_trained(show_steps_page):
    page = show_steps_page("unigram", b"lions", "viterbi")
    assert page.trace.side.breakpoints.field.line.placeholderText() == EXAMPLES["score"]
    assert page.trace.side.watches.field.line.placeholderText().startswith("score")
    page.modes.choose(1)
    page.training.form.choose("unigram", 200)
    assert page.training.breakpoints.field.line.placeholderText() == EXAMPLES["unigram"]


def test_the_first_visible_step_shows_how_many_steps_precede_it(show_steps_page):
    page = show_steps_page("bpe", b"How do lions sleep?", "heap")
    first = page.model.position
    assert first > 0
    assert f"{first} steps" in page.trace.number.whole_text
    page.model.step()
    assert "steps" not in page.trace.number.whole_text
