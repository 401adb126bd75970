"""The page alone on the whole screen, with real keys: everything is as it was before when it ends."""

import pytest
from instant_recorder import load_once
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from guiapp.pages.steps.page import LESSONS, TRAIN

pytestmark = pytest.mark.slow


Key = Qt.Key
ALT, SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def shell(make_shell):
    shell = make_shell(b"abacb", "demo:toy", load_once)
    shell.window.resize(1200, 760)
    return shell


@pytest.fixture
def steps(shell, qtbot):
    page = shell.commands._pages.steps()
    qtbot.waitUntil(lambda: page.is_ready)
    page.model.restart()
    return page


def press(qtbot, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget() or QApplication.activeWindow(), key, modifier)


def bars(window):
    return window.top_bar, window.rail, window.status_line


def layout_of(window):
    """What a presentation changes."""
    page = window.pages.current
    return (
        (window.geometry(), window.windowState(), window.menuBar().height()),
        [bar.isVisible() for bar in bars(window)],
        [splitter.sizes() for splitter in page.splitters.values()],
        window.inspect_page.editor.font_px,
    )


@pytest.mark.parametrize("page", ["inspect", "compare", "chat", "vocabulary", "tree", "steps"])
@pytest.mark.parametrize("end", [(Key.Key_Escape,), (Key.Key_Return, ALT)])
def test_it_begins_by_a_key_on_each_page_and_leaves_everything_as_it_was(shell, qtbot, page, end):
    window = shell.window
    window.actions_table[page].trigger()
    for splitter in window.pages.current.splitters.values():
        splitter.setSizes([300, 500])
    qtbot.waitUntil(lambda: window.pages.current.is_ready)
    before, saved = layout_of(window), shell.settings.font_px
    press(qtbot, Key.Key_Return, ALT)
    assert window.isFullScreen()
    assert not any(bar.isVisible() for bar in bars(window))
    assert window.menuBar().height() == 0
    assert shell.settings.font_px == saved, "only what people choose is kept"
    qtbot.waitUntil(lambda: window.size() == window.screen().size())
    assert window.inspect_page.editor.font_px == 21, "as large as the screen allows"
    press(qtbot, *end)
    qtbot.waitUntil(lambda: window.size() == QSize(1200, 760))
    QApplication.processEvents()
    assert layout_of(window) == before
    assert shell.settings.font_px == saved
    assert shell.session.document.text() == b"abacb"


def test_keys_step_through_a_run(steps, shell, qtbot):
    model = steps.model
    press(qtbot, Key.Key_Return, ALT)
    assert not steps.trace.side.isVisible()
    assert not steps.modes.isVisible()
    assert steps.trace.sentence.isVisible()
    for key in (Key.Key_Space, Key.Key_Right, Key.Key_PageDown, Key.Key_Return, Key.Key_F10):
        position = model.position
        press(qtbot, key)
        assert model.position == position + 1
    for key in ((Key.Key_Backspace,), (Key.Key_Left,), (Key.Key_PageUp,), (Key.Key_F10, SHIFT)):
        position = model.position
        press(qtbot, *key)
        assert model.position == position - 1
    press(qtbot, Key.Key_End)
    assert model.position == model.n_steps
    press(qtbot, Key.Key_Home)
    assert model.position == 0
    press(qtbot, Key.Key_P)
    assert model.clock.is_playing
    press(qtbot, Key.Key_Escape)
    assert not model.clock.is_playing
    assert steps.trace.side.isVisible()
    assert steps.modes.isVisible()
    press(qtbot, Key.Key_Backspace)
    assert model.position == 0, "these keys are those of presentations"


def test_keys_that_are_held_down_do_not_run_through_everything(steps, qtbot):
    press(qtbot, Key.Key_Return, ALT)
    for key, moves in ((Key.Key_Space, 1), (Key.Key_Right, 4)):
        before = steps.model.position
        press(qtbot, key)
        for _ in range(3):
            held = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "", True)
            QApplication.sendEvent(QApplication.focusWidget(), held)
        assert steps.model.position - before in (moves, 1)


def test_a_lesson_is_walked_through_with_its_questions_and_ends_the_presentation(steps, shell, qtbot):
    steps.modes.choose(LESSONS)
    press(qtbot, Key.Key_Return, ALT)
    player = steps.player
    assert player.lesson is player.suggested, "the one that comes next"
    for lesson in player.lessons[2::3]:  # one of them about training
        player.begin(lesson.name, 0)
        for number, step in enumerate(lesson.steps):
            qtbot.waitUntil(lambda: player.is_ready)
            assert player.number == number
            assert steps.lesson_bar.narration.isVisible()
            if step.ask:
                assert player.is_covered <= (not steps.lesson_trace.flow.isVisible())
                press(qtbot, Key.Key_Space)
                assert player.is_revealed
            press(qtbot, Key.Key_Space)
        assert player.number == len(lesson.steps) - 1, "the last one stays"
        press(qtbot, Key.Key_Left)
        assert player.number == len(lesson.steps) - 2
    assert shell.window.is_presented
    player.leave()
    assert not shell.window.is_presented


def test_a_training_is_presented_without_its_form(steps, shell, qtbot):
    steps.modes.choose(TRAIN)
    training = steps.training
    press(qtbot, Key.Key_Return, ALT)
    assert training.form.isVisible(), "there is nothing else yet"
    press(qtbot, Key.Key_Escape)
    shell.session.text.show(b"This is insane! This is impossible")
    steps.begin_training("bpe:300:1")
    qtbot.waitUntil(lambda: not training.model.is_busy)
    press(qtbot, Key.Key_Return, ALT)
    assert not training.form.isVisible()
    assert training.stage.isVisible()
    position = training.model.position
    press(qtbot, Key.Key_Space)
    assert training.model.position == position + 1
    press(qtbot, Key.Key_Escape)
    assert training.form.isVisible()


def test_text_is_typed_in_a_presentation_and_zoomed_until_it_ends(shell, qtbot):
    editor, actions = shell.window.inspect_page.editor, shell.window.actions_table
    before = editor.font_px
    press(qtbot, Key.Key_Return, ALT)
    qtbot.keyClick(editor, Key.Key_Space)
    assert b" " in shell.session.document.text()
    large = editor.font_px
    actions["zoom_in"].trigger()
    assert editor.font_px > large
    actions["steps"].trigger()  # made meanwhile
    page = shell.window.pages.current
    assert not page.trace.side.isVisible()
    press(qtbot, Key.Key_Escape)
    assert editor.font_px == before


def test_a_window_closed_in_a_presentation_opens_as_it_was_before(shell, qtbot):
    window = shell.window
    press(qtbot, Key.Key_Return, ALT)
    window.close()
    assert not window.is_presented
    assert not window.isFullScreen()
    assert shell.settings.font_px is None
