"""What the program does for people who write lessons."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QPushButton

from guiapp.analysis.lessons.lesson import KEYS, check, load
from guiapp.core.demo import demo_model_path
from guiapp.errors import VocabError
from guiapp.pages.steps.lessons import template
from guiapp.pages.steps.page import LESSONS

LEFT = Qt.MouseButton.LeftButton
OWN = 'title = "t"\nsummary = "s"\n[[step]]\nsay = "one"\ntext = "ab"\n'


@pytest.fixture
def page(make_steps_page):
    return make_steps_page()


@pytest.fixture
def author(page, qtbot):
    """The dialog, opened by a click in the list of lessons."""
    page.modes.choose(LESSONS)
    buttons = page.lessons.findChildren(QPushButton)
    qtbot.mouseClick(next(each for each in buttons if each.text() == "Write a lesson…"), LEFT)
    qtbot.waitUntil(page.lessons.author.isVisible)
    return page.lessons.author


def test_the_template_is_true_and_shows_every_entry(tmp_path):
    path = tmp_path / "lesson.toml"
    path.write_bytes(template())
    assert check(path) == []
    words = template().decode()
    assert [key for key in KEYS if f"\n{key} =" not in words and f"\n# {key} =" not in words] == ["page"]


def test_a_lesson_begins_as_the_template_is_checked_and_played(page, author, qtbot, tmp_path, monkeypatch):
    path, edited = tmp_path / "own.toml", []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (str(path.with_suffix("")), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *given: (given[2], ""))
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: edited.append(url.toLocalFile()))
    assert not author.play_button.isEnabled()
    qtbot.mouseClick(author.save_button, LEFT)
    assert path.read_bytes() == template()
    qtbot.mouseClick(author.edit_button, LEFT)
    assert edited == [str(path)]
    qtbot.mouseClick(author.check_button, LEFT)
    qtbot.waitUntil(lambda: author.status.text() == "own.toml: all claims are correct.")
    path.write_text(path.read_text().replace('now = ["ab", "a", "cb"]', 'now = ["<b>"]'))
    qtbot.mouseClick(author.check_button, LEFT)
    qtbot.waitUntil(lambda: author.status.text() == "own.toml: 1 fault")
    line = path.read_text().split('now = ["<b>"]')[0].count("\n") + 1
    assert author.found.toPlainText().startswith(f"line {line}: step 3: “now” must be [")
    qtbot.mouseClick(author.play_button, LEFT)
    assert page.player.lesson.path == path
    assert not author.isVisible()


def test_a_step_is_added_to_a_lesson_played_and_taken_back(page, qtbot, tmp_path, monkeypatch):
    path, entered = tmp_path / "own.toml", iter(["The *first*.", 'say "two"\n\x7f', ""])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, **more: (str(tmp_path / "own"), ""))
    monkeypatch.setattr(QInputDialog, "exec", lambda dialog: dialog.setTextValue(next(entered)) or 1)
    page.model.go_to(7)
    qtbot.mouseClick(page.add_button, LEFT)
    page.model.to_end()
    first = path.read_bytes()
    page.actions_["lesson_add"].trigger()
    steps = load(path).steps
    assert [step.say for step in steps] == ["The *first*.", 'say "two"\n\x7f']
    assert [(step.model, step.encoder) for step in steps] == [("demo:bpe", "fast")] * 2
    assert steps[1].stop_at == "end"
    assert check(path) == []
    qtbot.mouseClick(page.added.undo, LEFT)
    assert path.read_bytes() == first
    page.model.go_to(7)
    qtbot.mouseClick(page.add_button, LEFT)
    qtbot.mouseClick(page.added.play, LEFT)
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert (page.player.lesson.path, page.player.number) == (path, 1)
    assert page.player.steps.position == 7
    assert not page.added.isVisible()


def test_an_invalid_lesson_file_is_reported_and_not_changed(page, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "own.toml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, **more: (str(path), ""))
    monkeypatch.setattr(QInputDialog, "exec", lambda dialog: dialog.setTextValue("one") or 1)
    for content in (
        "a = [",
        OWN.replace("[[step]]", "") + "x = 1",
        f"{OWN.partition('[[')[0]}step = [{{say='a'}}]",
    ):
        path.write_text(content)
        qtbot.mouseClick(page.add_button, LEFT)
        assert path.read_text() == content
        assert page.added.message.text()
        assert not page.added.play.isVisible()
    path.write_text(OWN)
    qtbot.mouseClick(page.add_button, LEFT)
    changed = path.read_text() + "# mine"
    path.write_text(changed)
    qtbot.mouseClick(page.added.undo, LEFT)
    assert "changed since" in page.added.message.text()
    assert path.read_text() == changed


def test_a_template_that_cannot_be_written_is_reported(author, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "none" / "own.toml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (str(path), ""))
    qtbot.mouseClick(author.save_button, LEFT)
    assert "cannot be written" in author.status.text()
    assert not author.play_button.isEnabled()


def test_a_model_with_another_checksum_only_shows_a_note(make_steps_page, qtbot, tmp_path):
    page, path, model = make_steps_page(), tmp_path / "own.toml", tmp_path / "own.gguf"
    model.write_bytes(demo_model_path("toy").read_bytes())
    known = "0" * 64
    path.write_text(
        f'{OWN}model = "own.gguf"\nsha256 = "{known}"\n[[step]]\nsay = "two"\nmodel = "demo:toy"\n'
    )
    page.lessons.open(path)
    qtbot.waitUntil(lambda: page.player.is_ready and page.player.note.startswith("own.gguf is not the file"))
    assert page.lesson_bar.note.isVisible()
    assert page.lesson_bar.narration.isVisible()
    page.player.go_on()
    assert not page.lesson_bar.note.isVisible()


@pytest.mark.parametrize("model", ["hf:a/b", "https://a.b/c.gguf"])
def test_nothing_is_downloaded_for_a_lesson_without_consent(
    make_steps_page, qtbot, tmp_path, monkeypatch, model
):
    page, path, status, opened = make_steps_page(), tmp_path / "own.toml", [], []

    def load_noting(name, pre, progress):
        opened.append(name)
        raise VocabError("This is no model.")

    page.player.session.loader.load = load_noting
    path.write_text(f'{OWN}model = "{model}"\n')

    def answer(box, button):
        status.append(box.text())
        monkeypatch.setattr(QMessageBox, "clickedButton", lambda box: button(box))

    monkeypatch.setattr(QMessageBox, "exec", lambda box: answer(box, lambda box: None))
    page.lessons.open(path)
    assert status == [f"This lesson uses models from the web: {model}\n\nDownload its tokenizer?"]
    assert (page.player.lesson, opened) == (None, [])
    page.player.open(path, lambda models: False)
    assert page.player.lesson is None
    page.player.lessons.append(load(path))  # by whatever way: no server is asked
    page.player.begin(str(path))
    qtbot.waitUntil(lambda: opened == [f"kept:{model}"])
    monkeypatch.setattr(QMessageBox, "exec", lambda box: answer(box, lambda box: box.buttons()[0]))
    page.lessons.open(path)
    qtbot.waitUntil(lambda: opened[-1] == model)
