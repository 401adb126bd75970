"""Files in the real window: dropped, opened, saved."""

import threading

import pytest
from conftest import PATIENCE_S
from main_window_driver import CTRL, drop, press
from PySide6.QtCore import Qt

from guiapp.window import file_commands

pytestmark = pytest.mark.slow


def test_files_dropped_anywhere_are_opened_by_what_they_are(shell, qtbot, tmp_path):
    model, text = tmp_path / "model.bin", tmp_path / "text.gguf"
    model.write_bytes(b"GGUF\3\0\0\0")
    text.write_bytes(b"two two")
    with qtbot.waitSignals([shell.session.vocabulary_changed, shell.session.text.file_changed]):
        drop(shell.window, [model, text])
    assert shell.session.vocabulary.name == "model.bin"
    qtbot.waitUntil(lambda: shell.session.document.text() == b"two two")


def test_a_dropped_folder_is_opened_as_a_model(shell, qtbot, tmp_path):
    (tmp_path / "snapshot").mkdir()
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        drop(shell.window, [tmp_path / "snapshot"])
    assert shell.session.vocabulary.name == "snapshot"


def test_a_dropped_file_on_a_disk_that_does_not_answer_keeps_nobody_waiting(
    shell, qtbot, tmp_path, monkeypatch
):
    may_answer = threading.Event()
    monkeypatch.setattr(file_commands, "is_model_file", lambda path: not may_answer.wait(PATIENCE_S))
    (tmp_path / "text.txt").write_bytes(b"two two")
    drop(shell.window, [tmp_path / "text.txt"])
    qtbot.keyClicks(shell.window.inspect_page.editor, "x")
    assert shell.session.document.text() == b"xone two three"
    may_answer.set()
    qtbot.waitUntil(lambda: shell.session.document.text() == b"two two")


def test_a_text_that_was_opened_has_the_keys(shell, qtbot, tmp_path):
    (tmp_path / "words.txt").write_bytes(b"one")
    shell.window.top_bar.exactness.setFocus()
    with qtbot.waitSignal(shell.session.text.reading.done):
        shell.session.text.open(tmp_path / "words.txt")
    assert shell.window.inspect_page.editor.hasFocus()


def test_a_text_is_opened_edited_and_saved(shell, qtbot, tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"one")
    shell.window.questions.text = path
    with qtbot.waitSignal(
        shell.session.text.file_changed, check_params_cb=lambda: not shell.window.isWindowModified()
    ):
        shell.window.actions_table["open_text"].trigger()
    qtbot.waitUntil(lambda: shell.window.windowTitle() == "words.txt[*] – fake.gguf – Tokenloupe")
    qtbot.keyClicks(shell.window.inspect_page.editor, "two ")
    assert shell.window.isWindowModified()
    press(qtbot, shell, Qt.Key.Key_S, CTRL)
    assert path.read_bytes() == b"two one"
    assert not shell.window.isWindowModified()


def test_a_notice_that_was_closed_gives_way_to_the_next_one_about_the_same(shell, qtbot, tmp_path):
    (tmp_path / "words.txt").write_bytes(b"one")
    with qtbot.waitSignal(shell.session.text.failed):
        shell.session.text.open(tmp_path / "missing.txt")
    [notice] = shell.window.notices.notices
    with qtbot.waitSignal(notice.destroyed):
        qtbot.mouseClick(notice.close_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(shell.session.text.file_changed):
        shell.session.text.open(tmp_path / "words.txt")
    assert shell.window.notices.notices == []
