"""The list of lessons: its cards and buttons, and lessons from files of people's own."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox, QPushButton

from guiapp.analysis.lessons.lesson import lessons_folder
from guiapp.pages.steps.flow import ElementRole
from guiapp.pages.steps.page import LESSONS
from guiapp.pages.steps.trace_view import HINT


@pytest.fixture
def page(make_steps_page):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    return page


def test_buttons_show_the_progress_of_each_lesson(page):
    lesson = page.player.lessons[0]
    button, n_steps = page.lessons.buttons[lesson.name], len(lesson.steps)
    page.player.begin(lesson.name, 1)
    page.player.leave()
    assert button.text() == f"Resume at 2 of {n_steps}"
    assert button.accessibleName() == f"{lesson.title}: Resume at 2 of {n_steps}"
    page.player.begin(lesson.name, n_steps - 1)
    page.player.go_on()
    page.player.reveal()
    page.player.go_on()
    assert page.player.is_finished(lesson)
    if page.player.lesson is not None:
        page.player.leave()
    assert button.text().startswith("✓ ")


OWN = (
    'title = "<b>Own</b>"\nsummary = "s"\n[[step]]\nsay = "one"\nmodel = "demo:toy"\ntext = "ab"\n'
    '[[step]]\nsay = "two"\nbreak = "end"\n'
)


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    return path


@pytest.fixture
def complaints(monkeypatch):
    reported = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: reported.append(box.text()))
    return reported


def button(page, text):
    return next(each for each in page.lessons.findChildren(QPushButton) if each.text() == text)


def test_an_opened_file_is_added_to_the_list(make_steps_page, qtbot, own, monkeypatch):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *given: (str(own), ""))
    qtbot.mouseClick(button(page, "Open lesson file…"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert page.player.step.say == "one"
    page.player.go_on()
    page.player.leave()
    assert list(page.lessons.buttons)[-1] == str(own)
    titles = [label for label in page.lessons.findChildren(QLabel) if "Own" in label.text()]
    assert [label.textFormat() for label in titles] == [Qt.TextFormat.PlainText]
    assert QApplication.focusWidget() is not page.lessons.buttons[str(own)]  # finished: the next one
    own.write_text(OWN.replace("one", "another"))
    page.lessons.buttons[str(own)].click()
    assert page.player.step.say == "another"


def test_the_list_of_the_next_start_has_files_that_are_still_there(make_steps_page, own, tmp_path):
    page = make_steps_page()
    gone = tmp_path / "gone.toml"
    gone.write_text(OWN)
    for path in (own, gone):
        page.lessons.open(path)
    page.kept_settings.save()
    gone.unlink()
    again = make_steps_page()
    again.modes.choose(LESSONS)
    assert [name for name in again.lessons.buttons if name.startswith("/")] == [str(own)]


def test_a_dozen_files_are_remembered(make_steps_page, tmp_path):
    page = make_steps_page()
    for number in range(14):
        path = tmp_path / f"{number}.toml"
        path.write_text(OWN)
        page.lessons.open(path)
    known = list(json.loads(page.kept_settings.lessons))
    assert known == [str(tmp_path / f"{number}.toml") for number in range(2, 14)]


def test_a_file_with_an_error_is_reported_and_not_started(make_steps_page, own, complaints):
    page = make_steps_page()
    own.write_text(OWN + "colour = 1")
    page.lessons.open(own)
    assert complaints[0].startswith("own.toml, line 10: step 2 has an unknown entry “colour”.")
    assert page.player.lesson is None


@pytest.mark.parametrize(
    ("entry", "reported"),
    [
        ('encoder = "viterbi"', "This model has no encoder “viterbi”. It has: "),
        ('break = "1 / depth > 0"', "Division by zero"),
        ('model = "none.gguf"', "none.gguf"),
    ],
)
def test_errors_of_a_step_are_shown_in_the_lesson(make_steps_page, qtbot, own, entry, reported):
    page = make_steps_page()
    own.write_text(
        OWN.replace('text = "ab"', f'text = "ab"\n{entry}').replace(
            'model = "demo:toy"\n', "", "none" in entry
        )
    )
    page.lessons.open(own)
    qtbot.waitUntil(lambda: reported in page.player.failure)
    assert page.lesson_bar.question.isVisible()


def test_copies_and_pages_are_saved(make_steps_page, qtbot, tmp_path, monkeypatch, complaints):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    lesson = page.player.lessons[6]
    for name in ("copy.toml", "page.html", "none/copy.toml"):
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *given, name=name: (str(tmp_path / name), "")
        )
        page.lessons.ask_and_save(lesson)
        qtbot.waitUntil(lambda name=name: (tmp_path / name).exists() or bool(complaints))
    ours = (lessons_folder() / "7-wordpiece.toml").read_bytes()
    assert (tmp_path / "copy.toml").read_bytes() == ours
    assert "<title>WordPiece</title>" in (tmp_path / "page.html").read_text()
    assert "cannot be written" in complaints[0]


def test_a_copy_of_the_lesson_is_saved_by_its_action(make_steps_page, qtbot, tmp_path, monkeypatch):
    page = make_steps_page("toy", b"abacb", "scan")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (str(tmp_path / "copy.toml"), ""))
    page.actions_["lesson_copy"].trigger()  # there is no lesson
    page.player.begin("5-why-greedy-is-not-exact")
    page.actions_["lesson_copy"].trigger()
    qtbot.waitUntil((tmp_path / "copy.toml").exists)


def test_what_is_covered_has_the_tokens_there_and_moves_nowhere(make_steps_page, qtbot):
    page = make_steps_page()
    page.player.begin("4-encoding-by-merges")
    qtbot.waitUntil(lambda: page.player.is_ready)
    trace = page.lesson_trace
    shown = trace.cover.accessibleDescription()
    assert shown == "· l i o n s"
    assert {box.element.role for box in trace.cover.boxes} == {ElementRole.NONE}
    assert not trace.side.isVisible()
    page.actions_["debug_step"].trigger()
    assert trace.cover.accessibleDescription() == shown
    page.player.reveal()
    assert trace.side.isVisible()
    assert not trace.cover.isVisible()
    page.player.begin("3-training-by-hand", 0)
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert not page.lesson_training.cards.isVisible()
    page.player.reveal()
    assert page.lesson_training.cards.isVisible()


def test_a_clicked_card_starts_its_lesson_and_early_keys_give_a_hint(page, qtbot):
    lesson = page.player.lessons[0]
    qtbot.mouseClick(page.lessons.buttons[lesson.name].parentWidget(), Qt.MouseButton.LeftButton)
    assert page.player.lesson is lesson
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert page.player.is_covered
    page._actions["debug_step"].trigger()
    assert HINT in {each.text() for each in page.window().findChildren(QLabel) if each.isVisible()}


def test_only_lessons_that_name_their_encoder_show_its_code(page, qtbot):
    for name, has_code in (("1-what-a-token-is", False), ("4-encoding-by-merges", True)):
        page.player.begin(name, 1)
        qtbot.waitUntil(lambda: page.player.is_ready)
        trace = page.lesson_trace
        assert (trace.code_card.isVisible(), trace.side.isVisible()) == (has_code, has_code)
    assert not trace.side.breakpoints.isVisible()
    page.player.steps.breakpoints.add("operation merge")
    assert trace.side.breakpoints.isVisible()
