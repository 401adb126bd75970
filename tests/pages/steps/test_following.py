"""A Steps page that follows a change of theme, size or model looks as one that was made after the change."""

import pytest
from hands import point_at, turn_wheel
from pictures import badly_placed, picture_of, settle
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtWidgets import QApplication

from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.theme import TEXT_FONT_PX

TEXT = b"How do lions sleep in New York?"


def to_the_middle(page, qtbot):
    page.model.breakpoints.add("operation merge")
    page.model.add_watch("step")
    page.model.go_to(page.model.n_steps // 2)


def race(page, qtbot):
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.is_ready)


def train(page, qtbot, kind="bpe"):
    page.begin_training(f"{kind}:300:20")
    qtbot.waitUntil(lambda: page.is_ready and page.training.model.record is not None)


def lesson(page, qtbot, number=2):
    page.begin("", f"4-encoding-by-merges:{number}")
    qtbot.waitUntil(lambda: page.is_ready)


def lessons(page, qtbot):
    page.modes.choose(2)


CASES = {
    "heap": ("bpe", "heap", to_the_middle),
    "backtrack": ("bpe", "backtrack", to_the_middle),
    "unigram": ("unigram", None, to_the_middle),
    "wordpiece": ("wordpiece", None, to_the_middle),
    "race": ("bpe", "heap", race),
    "training": ("bpe", None, train),
    "lesson": ("bpe", None, lesson),
    "lessons": ("bpe", None, lessons),
}


@pytest.mark.parametrize("case", CASES)
def test_another_theme_and_size_reach_everything(make_steps_page, qtbot, tmp_path, case):
    name, encoder, go_on = CASES[case]
    pictures = []
    for follows in (False, True):
        (tmp_path / "settings.ini").unlink(missing_ok=True)
        page = make_steps_page(name, TEXT, encoder, "dark" if follows else "light")
        page.set_text_size(TEXT_FONT_PX if follows else 2 * TEXT_FONT_PX)
        go_on(page, qtbot)
        picture_of(page)
        page._drawing.theme_source.choose("light")
        page.set_text_size(2 * TEXT_FONT_PX)
        pictures.append(picture_of(page))
    assert pictures[0].differences(pictures[1]) == []


@pytest.mark.parametrize("case", CASES)
def test_all_texts_and_shapes_have_room_of_their_own(make_steps_page, qtbot, case):
    name, encoder, go_on = CASES[case]
    page = make_steps_page(name, TEXT, encoder)
    page.window().resize(1280, 1100)
    go_on(page, qtbot)
    settle()
    painted = [view for view in page.findChildren(Painted) if view.isVisible()]
    assert "\n".join(fault for view in painted for fault in badly_placed(view)) == ""


@pytest.mark.parametrize("case", ["heap", "training"])
def test_larger_text_and_back_leaves_no_trace(make_steps_page, qtbot, case):
    name, encoder, go_on = CASES[case]
    page = make_steps_page(name, TEXT, encoder)
    page.window().resize(1600, 1100)
    go_on(page, qtbot)
    pictures = []
    for factor in (1, 2, 1):
        page.set_text_size(factor * TEXT_FONT_PX)
        pictures.append(picture_of(page))
    assert pictures[0].differences(pictures[2]) == []


def assert_repainted(page, when):
    """That what is on the screen is what all parts would paint now."""
    window = page.window()
    if focus := QApplication.focusWidget():
        focus.clearFocus()  # carets blink
    settle()
    seen = window.screen().grabWindow(window.winId()).toImage()
    assert seen == window.grab().toImage().convertToFormat(seen.format()), when


@pytest.mark.parametrize("name", ["heap", "scan", "backtrack", "unigram"])
def test_every_change_is_seen_at_once(make_steps_page, qtbot, name):
    page = make_steps_page(
        "unigram" if name == "unigram" else "toy", b"abacb abacb", None if name == "unigram" else name
    )
    page.window().resize(1280, 1000)
    model, trace = page.model, page.trace
    flow, code, breakpoints = trace.flow, trace.code, model.breakpoints
    for position in range(model.n_steps + 1):
        model.go_to(position)
        assert_repainted(page, position)
    model.go_to(3)
    gutter = QPoint(5, round(flow.gutter_rows[0].middle))
    line = next(n for n in range(9) if code.present()[0].operations_of(n))
    changes = {
        "hover a row": lambda: point_at(flow, gutter),
        "leave it": lambda: QApplication.sendEvent(flow, QEvent(QEvent.Type.Leave)),
        "hover a line": lambda: point_at(code, code.line_rect(line).center().toPoint()),
        "leave the line": lambda: QApplication.sendEvent(code, QEvent(QEvent.Type.Leave)),
        "byte": lambda: breakpoints.add("byte 0"),
        "operation": lambda: breakpoints.add("operation done"),
        "off": lambda: breakpoints.enable(0, False),
        "logs": lambda: breakpoints.add("step > 1 log {step}"),
        "run": lambda: model.run(),
        "notes": lambda: model.forget_notes(),
        "removed": lambda: breakpoints.remove(0),
        "watch": lambda: model.add_watch("step"),
        "larger": lambda: page.set_text_size(20),
        "light": lambda: page._drawing.theme_source.choose("light"),
        "race": lambda: model.race.choose(model.race.encoders[0]),
        "raced": lambda: qtbot.waitUntil(lambda: page.is_ready),
        "back": lambda: model.back(),
        "text": lambda: page.kept_session.text.show(b"acb " * 200),
        "recorded": lambda: qtbot.waitUntil(lambda: page.is_ready),
        "end": lambda: model.to_end(),
        "wheel": lambda: turn_wheel(flow, QPoint(200, 30), -120),
        "nothing": lambda: model.show(None),
    }
    for when, change in changes.items():
        change()
        assert_repainted(page, when)


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_every_step_of_a_training_is_seen_at_once(make_steps_page, qtbot, kind):
    page = make_steps_page(text=TEXT * 3)
    train(page, qtbot, kind)
    model = page.training.model
    for position in (0, 1, 2, 3, model.n_steps):
        model.go_to(position)
        assert_repainted(page, position)
    model.breakpoints.add("step == 3")
    assert_repainted(page, "breakpoint")
    page.kept_session.text.show(b"abc")
    qtbot.waitUntil(lambda: page.is_ready)
    assert_repainted(page, "other text")
    train(page, qtbot, kind)
    assert_repainted(page, "trained anew")
    page.begin("", "3-training-by-hand:2")
    qtbot.waitUntil(lambda: page.is_ready)
    assert_repainted(page, "lesson")
    page.player.go_on()
    assert_repainted(page, "next")
