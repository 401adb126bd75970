"""Lessons in the real window: what people have open is left alone, whatever becomes of the lesson."""

import subprocess
import sys

import pytest
from main_window_driver import CTRL, SHIFT, drop, press
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton

import guiapp
from guiapp.kit.widgets.notices import SaveAnswer

pytestmark = pytest.mark.slow


ENCODING, TRAINING, MODELS = "4-encoding-by-merges", "3-training-by-hand", "5-why-greedy-is-not-exact"
LEFT = Qt.MouseButton.LeftButton


def open_for_real(name, pre, progress):
    return guiapp.open_model(name, pre)


@pytest.fixture
def at_work(make_shell, qtbot, tmp_path):
    """A window in which somebody is in the middle of something, on the Steps page."""
    path = tmp_path / "own words.txt"
    path.write_bytes(b"How do lions sleep?")
    shell = make_shell(b"sample", None, open_for_real)
    begin_work(shell, qtbot, path)
    return shell


def begin_work(shell, qtbot, path):
    shell.session.loader.open("demo:bpe", "gpt-2")
    qtbot.waitUntil(lambda: shell.session.loader.loading_name is None)
    shell.window.questions.text = path
    with qtbot.waitSignal(shell.session.text.file_changed):
        shell.window.actions_table["open_text"].trigger()
    shell.window.inspect_page.editor.setFocus()
    press(qtbot, shell, Qt.Key.Key_End, CTRL)
    qtbot.keyClicks(QApplication.focusWidget(), " Well")
    press(qtbot, shell, Qt.Key.Key_Left)
    qtbot.keyClicks(QApplication.focusWidget(), "XYZ")
    press(qtbot, shell, Qt.Key.Key_Z, CTRL)
    press(qtbot, shell, Qt.Key.Key_Left, CTRL | SHIFT)
    press(qtbot, shell, Qt.Key.Key_8, CTRL)
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready and page.model.n_steps > 0, timeout=20_000)
    page.model.breakpoints.add("operation merge")
    page.model.breakpoints.add('token "eep"')
    page.trace.timeline.setFocus()
    press(qtbot, shell, Qt.Key.Key_Z, CTRL)
    press(qtbot, shell, Qt.Key.Key_F5)
    press(qtbot, shell, Qt.Key.Key_F5)
    shell.window.autosave.keep()
    shell.window.autosaved_texts.finish()


def state(shell):
    """All that belongs to the person in front of the window."""
    session, document = shell.session, shell.session.document
    steps = shell.window.pages.pages["steps"].model
    return {
        "text": document.text(),
        "selection": (document.anchor, document.caret),
        "file": (session.text.path, session.text.is_modified),
        "title": (shell.window.windowTitle(), shell.window.isWindowModified()),
        "history": (document.can_undo, document.can_redo),
        "model": (session.loader.model.name, session.tokenizer.vocabulary.chosen_pre),
        "options": session.options,
        "last model": shell.settings.last_model,
        "breakpoints": steps.breakpoints.rows,
        "remembered": shell.settings.debugger,
        "place": (steps.debugger.trace.text, steps.position, steps.stopped_at),
        "kept": autosaved_files(shell),
    }


def autosaved_files(shell):
    shell.window.autosaved_texts.finish()
    places = (shell.settings.folder / "texts").iterdir()
    return {place: place.read_bytes() for place in places if place.suffix in (".text", ".edits")}


def choose_mode(page, qtbot, word):
    button = next(button for button in page.modes.findChildren(QToolButton) if button.text() == word)
    qtbot.mouseClick(button, LEFT)


def begin_lesson(shell, qtbot, name):
    """Two clicks: the list, and the lesson."""
    page = shell.window.pages.current
    choose_mode(page, qtbot, "Lessons")
    qtbot.mouseClick(page.lessons.buttons[name], LEFT)
    qtbot.waitUntil(lambda: page.is_ready, timeout=20_000)
    assert page.player.lesson.name == name
    return page


def go_to_end(shell, qtbot, page):
    while page.player.lesson is not None:
        qtbot.waitUntil(lambda: page.is_ready, timeout=20_000)
        yield
        press(qtbot, shell, Qt.Key.Key_PageDown, CTRL)


def check_history(shell, qtbot):
    """Keys take back and make again what was typed, and Ctrl+S writes to the file that was opened."""
    document, path = shell.session.document, shell.session.text.path
    press(qtbot, shell, Qt.Key.Key_1, CTRL)
    shell.window.inspect_page.editor.setFocus()
    texts = [document.text()]
    for key in (CTRL | SHIFT, CTRL, CTRL):
        press(qtbot, shell, Qt.Key.Key_Z, key)
        texts.append(document.text())
    assert texts == [f"How do lions sleep?{end}".encode() for end in (" Well", " WelXYZl", " Well", " ")]
    press(qtbot, shell, Qt.Key.Key_Z, CTRL | SHIFT)
    press(qtbot, shell, Qt.Key.Key_S, CTRL)
    assert path.read_bytes() == b"How do lions sleep? Well"
    assert not shell.window.isWindowModified()


@pytest.mark.parametrize(("name", "is_finished"), [(MODELS, False), (TRAINING, True), (ENCODING, True)])
def test_a_lesson_leaves_all_that_is_open_as_it_is(at_work, qtbot, name, is_finished):
    before = state(at_work)
    assert before["history"] == (True, True)
    assert before["place"][1] > 0
    page = begin_lesson(at_work, qtbot, name)
    for number, _ in enumerate(go_to_end(at_work, qtbot, page)):
        assert state(at_work) == before
        press(qtbot, at_work, Qt.Key.Key_F9)  # a breakpoint of the lesson
        press(qtbot, at_work, Qt.Key.Key_F10)
        if number == 2 and not is_finished:
            qtbot.mouseClick(page.lesson_bar.buttons["lesson_leave"], LEFT)
            break
    assert page.player.lesson is None
    assert state(at_work) == before
    choose_mode(page, qtbot, "Encode")
    qtbot.waitUntil(lambda: page.is_ready)
    assert state(at_work) == before
    check_history(at_work, qtbot)


def test_ctrl_z_in_a_lesson_takes_back_its_own_breakpoints(at_work, qtbot):
    before = state(at_work)
    page = begin_lesson(at_work, qtbot, ENCODING)
    press(qtbot, at_work, Qt.Key.Key_F5)
    assert page.player.steps.position == 1  # nothing happens before the question is answered
    press(qtbot, at_work, Qt.Key.Key_Return, CTRL)
    press(qtbot, at_work, Qt.Key.Key_F5)
    assert page.model.position == before["place"][1]
    lesson = page.player.steps
    assert (lesson.position, lesson.breakpoints.rows) == (lesson.n_steps, ())
    press(qtbot, at_work, Qt.Key.Key_Home)
    press(qtbot, at_work, Qt.Key.Key_F9)
    assert len(lesson.breakpoints.rows) == 1
    press(qtbot, at_work, Qt.Key.Key_Z, CTRL)
    assert lesson.breakpoints.rows == ()
    press(qtbot, at_work, Qt.Key.Key_Z, CTRL | SHIFT)
    assert len(lesson.breakpoints.rows) == 1
    assert state(at_work) == before
    page.player.leave()
    begin_lesson(at_work, qtbot, MODELS)
    press(qtbot, at_work, Qt.Key.Key_Z, CTRL)
    assert lesson.breakpoints.rows == ()


def test_ctrl_s_in_a_lesson_saves_what_was_typed(at_work, qtbot):
    path = at_work.session.text.path
    begin_lesson(at_work, qtbot, MODELS)
    press(qtbot, at_work, Qt.Key.Key_S, CTRL)
    assert path.read_bytes() == b"How do lions sleep? Well"
    assert at_work.window.windowTitle().startswith("own words.txt[*] – ")
    assert not at_work.window.isWindowModified()


def open_by_menu(shell, path):
    shell.window.questions.text = path
    shell.window.actions_table["open_text"].trigger()


def drop_on_window(shell, path):
    drop(shell.window, [path])


@pytest.mark.parametrize("opening", [drop_on_window, open_by_menu])
def test_a_text_opened_in_a_lesson_takes_its_place_and_undo_brings_the_own_one_back(
    at_work, qtbot, tmp_path, opening
):
    other = tmp_path / "other.txt"
    other.write_bytes(b"Other words")
    page = begin_lesson(at_work, qtbot, MODELS)
    with qtbot.waitSignal(at_work.session.text.file_changed):
        opening(at_work, other)
    qtbot.waitUntil(lambda: page.is_ready and page.model.debugger.trace.text == b"Other words")
    assert page.player.lesson is None
    assert page.trace.isVisible()
    assert at_work.session.text.path == other
    at_work.window.inspect_page.editor.undo()
    assert at_work.session.document.text() == b"How do lions sleep? Well"
    assert at_work.session.text.path == tmp_path / "own words.txt"


def test_a_model_opened_in_a_lesson_is_the_one_that_is_shown(at_work, qtbot):
    page = begin_lesson(at_work, qtbot, MODELS)
    at_work.window.actions_table["demo:wordpiece"].trigger()
    assert page.player.lesson is None
    qtbot.waitUntil(lambda: page.is_ready and page.model.debugger.trace.reference_name == "wordpiece")
    assert page.model.debugger.trace.text == b"How do lions sleep? Well"
    assert at_work.session.loader.model.name == "demo:wordpiece"


def test_a_lesson_waits_while_something_is_opened_on_another_page(at_work, qtbot):
    page = begin_lesson(at_work, qtbot, MODELS)
    press(qtbot, at_work, Qt.Key.Key_1, CTRL)
    at_work.window.actions_table["sample:english"].trigger()
    press(qtbot, at_work, Qt.Key.Key_PageDown, CTRL)
    assert (page.player.lesson.name, page.player.number) == (MODELS, 0)
    press(qtbot, at_work, Qt.Key.Key_8, CTRL)
    assert QApplication.focusWidget() is page.lesson_bar.buttons["lesson_reveal"]
    press(qtbot, at_work, Qt.Key.Key_Return, CTRL)
    assert QApplication.focusWidget() is page.lesson_trace.timeline


def test_a_run_that_plays_waits_while_a_lesson_is_in_sight(at_work, qtbot):
    page = at_work.window.pages.current
    page.model.restart()
    page.model.play()
    begin_lesson(at_work, qtbot, MODELS)
    assert not page.model.clock.is_playing


def test_lessons_left_and_begun_in_a_hurry_end_with_the_last_one(at_work, qtbot):
    before = state(at_work)
    page = at_work.window.pages.current
    choose_mode(page, qtbot, "Lessons")
    lessons = page.player.lessons
    for n_turns, lesson in enumerate([*lessons, *lessons[::-1], *lessons[::2]]):
        qtbot.mouseClick(page.lessons.buttons[lesson.name], LEFT)
        for _ in range(n_turns % 8):  # models are opened and texts recorded meanwhile, or not yet
            qtbot.wait(10)
        qtbot.mouseClick(page.lesson_bar.buttons["lesson_leave"], LEFT)
        assert page.lessons.isVisible()
    begin_lesson(at_work, qtbot, MODELS)
    step, trace = page.player.step, page.player.steps.debugger.trace
    assert (trace.text, trace.encoder) == (step.text.encode(), step.encoder)
    assert page.lesson_trace.isVisible()
    assert state(at_work) == before


def test_lessons_in_menu_and_palette_begin_and_are_ticked_once_they_are_finished(make_shell, qtbot):
    shell = make_shell(b"text", "demo:toy", open_for_real)
    actions, menu = shell.window.actions_table, shell.window.actions_table.menus["Help/Lessons"]
    press(qtbot, shell, Qt.Key.Key_P, CTRL | SHIFT)
    qtbot.keyClicks(shell.commands.palette.choices.filter, "what a token")
    qtbot.keyClick(shell.commands.palette.choices.filter, Qt.Key.Key_Return)
    page = shell.window.pages.current
    assert page.player.lesson.title == "What a token is"
    while page.player.lesson is not None:
        qtbot.mouseClick(page.lesson_bar.buttons["lesson_next"], LEFT)
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["What a token is"]
    actions[f"lesson:{TRAINING}"].trigger()
    assert page.player.lesson.name == TRAINING
    assert not actions[f"lesson:{TRAINING}"].isChecked()
    shell.window.actions_table["inspect"].trigger()
    actions["palette"].trigger()
    shell.commands.palette.choices.filter.setText("lesson what")
    assert shell.commands.palette.choices.rows.currentIndex().data() == "✓ What a token is"
    shell.commands.palette.close()


def test_a_lesson_file_is_asked_for_on_its_page(make_shell, monkeypatch, tmp_path):
    shell, path = make_shell(b"text", "demo:toy", open_for_real), tmp_path / "own.toml"
    path.write_text('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nmodel = "demo:toy"\n')
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *given: (str(path), ""))
    shell.window.actions_table["open_lesson"].trigger()
    assert shell.window.pages.current.player.lesson.path == path


def play_training(shell, qtbot, page):
    page.begin_training("bpe:300")
    qtbot.waitUntil(lambda: page.is_ready)
    return page.training.model


def play_lesson(shell, qtbot, page):
    begin_lesson(shell, qtbot, TRAINING)
    page.player.reveal()
    return page.player.training


@pytest.mark.parametrize("begin", [play_training, play_lesson])
@pytest.mark.parametrize("is_page_left", [True, False])
def test_a_training_that_plays_waits_while_it_is_out_of_sight(at_work, qtbot, begin, is_page_left):
    page = at_work.window.pages.current
    training = begin(at_work, qtbot, page)
    training.restart()
    at_work.window.actions_table["debug_play"].trigger()
    assert training.clock.is_playing
    if is_page_left:
        press(qtbot, at_work, Qt.Key.Key_1, CTRL)
    else:
        choose_mode(page, qtbot, "Encode")
    assert not training.clock.is_playing


def test_a_window_closes_while_a_lesson_trains(at_work, qtbot):
    page = at_work.window.pages.current
    choose_mode(page, qtbot, "Lessons")
    qtbot.mouseClick(page.lessons.buttons[TRAINING], LEFT)
    assert page.player.training.is_busy
    at_work.window.questions.closing = SaveAnswer.DISCARD
    assert at_work.window.close()
    assert not page.player.training.is_busy


def test_keys_move_nothing_in_the_list_of_lessons(at_work, qtbot):
    before = state(at_work)
    page = at_work.window.pages.current
    choose_mode(page, qtbot, "Lessons")
    for key in (Qt.Key.Key_F10, Qt.Key.Key_F5, Qt.Key.Key_F9):
        press(qtbot, at_work, key)
    assert state(at_work) == before


def start_again(make_shell, qtbot, model="demo:bpe"):
    again = make_shell(b"sample", model, open_for_real)
    again.window.autosave.take()
    press(qtbot, again, Qt.Key.Key_8, CTRL)
    return again


def test_a_window_closed_in_a_lesson_comes_back_with_what_was_open(at_work, make_shell, qtbot):
    before = state(at_work)
    page = begin_lesson(at_work, qtbot, MODELS)
    press(qtbot, at_work, Qt.Key.Key_PageDown, CTRL)
    at_work.window.questions.closing = SaveAnswer.SAVE
    assert at_work.window.close()
    at_work.stop()
    assert page.player.lesson is not None
    assert before["file"][0].read_bytes() == b"How do lions sleep? Well"
    again = start_again(make_shell, qtbot)
    steps = again.window.pages.current.model
    assert steps.breakpoints.rows == before["breakpoints"]
    assert again.settings.last_model == before["last model"]


KILLED = """
import sys
from pathlib import Path
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from guiapp.window.app import build, make_application
from guiapp.kit.state.settings import Settings

folder, moment = Path(sys.argv[1]), sys.argv[2]

def wait(holds):
    while not holds():
        QTest.qWait(20)

shell = build(make_application(), Settings(folder / "settings.ini"), b"sample")
shell.window.show()
shell.start("demo:bpe", folder / "own words.txt")
wait(lambda: shell.session.loader.model and shell.session.text.path)
shell.window.inspect_page.editor.setFocus()
QTest.keyClick(shell.window.inspect_page.editor, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
QTest.keyClicks(shell.window.inspect_page.editor, " Well")
QTest.qWait(400)  # longer than the text waits to be kept
shell.window.actions_table["steps"].trigger()
page = shell.window.pages.current
wait(lambda: page.is_ready)
page.model.breakpoints.add("operation merge")
page.player.begin("5-why-greedy-is-not-exact", 0)
if moment != "begun":
    wait(lambda: page.is_ready)
    page.player.go_on()
    page.player.go_on()
    wait(lambda: page.is_ready)
    QTest.qWait(400)
shell.settings.save()
shell.window.autosaved_texts.finish()
print("now", flush=True)
wait(lambda: False)
"""


@pytest.mark.parametrize("moment", ["begun", "under way"])
def test_a_program_killed_in_a_lesson_comes_back_with_what_was_open(make_shell, qtbot, tmp_path, moment):
    path = tmp_path / "own words.txt"
    path.write_bytes(b"How do lions sleep?")
    arguments = [sys.executable, "-c", KILLED, str(tmp_path), moment]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as program:
        assert program.stdout.readline() == b"now\n"
        program.kill()
    again = start_again(make_shell, qtbot)
    assert again.session.document.text() == b"How do lions sleep? Well"
    assert (again.session.text.path, again.session.text.is_modified) == (path, True)
    assert again.window.windowTitle().startswith("own words.txt[*] – ")
    assert again.settings.last_model == "demo:bpe"
    steps = again.window.pages.current.model
    assert [row.title for row in steps.breakpoints.rows] == ["operation merge"]
    press(qtbot, again, Qt.Key.Key_S, CTRL)
    assert path.read_bytes() == b"How do lions sleep? Well"


def test_a_dropped_lesson_is_begun_and_other_toml_is_text(at_work, qtbot, tmp_path):
    before = state(at_work)
    page = at_work.window.pages.current
    lesson, other = tmp_path / "own.toml", tmp_path / "other.toml"
    lesson.write_text('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nmodel = "demo:toy"\n')
    other.write_bytes(b"[tool]")
    press(qtbot, at_work, Qt.Key.Key_1, CTRL)
    drop(at_work.window, [lesson])
    qtbot.waitUntil(lambda: at_work.window.pages.current is page and page.player.lesson is not None)
    assert page.player.lesson.path == lesson
    assert page.lesson_bar.isVisible()
    assert state(at_work) == before
    drop(at_work.window, [other])
    qtbot.waitUntil(lambda: at_work.session.document.text() == b"[tool]")
    assert page.player.lesson is None
