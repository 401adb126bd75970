"""Files in the real window: dropped, opened, saved."""

import json
import sys
import threading

import pytest
from conftest import PATIENCE_S
from main_window_driver import CTRL, SHIFT, drop, load, press
from PySide6.QtCore import QProcess, Qt

import guiapp
from guiapp.kit.state import saving

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


def open_any(name, pre, progress):
    """Demo models as they are: fakes know no steps."""
    return guiapp.open_model(name, pre) if name.startswith("demo:") else load(name, pre, progress)


@pytest.fixture
def at_work(make_shell, monkeypatch):
    monkeypatch.setattr("guiapp.pages.steps.lessons.LessonList._complain", lambda *given: None)
    shell = make_shell(b"one two three", "demo:bpe", open_any)
    shell.window.actions_table["tree"].trigger()
    return shell


MESSAGES = [{"role": "user", "content": "Hello"}]
STEPS = {"encoder": "words", "text": "two three", "token_ids": [], "steps": []}
DROPPED = {
    "model.bin": (b"GGUF\3\0\0\0", "tree"),  # which depends on the model
    "text.txt": (b"two two", "inspect"),
    "data.json": (b'{"a": 1}', "inspect"),
    "broken.json": (b'{"a": ', "inspect"),
    "run.json": (json.dumps({"environment": {}, "results": []}).encode(), "bench"),
    "messages.json": (json.dumps(MESSAGES).encode(), "chat"),
    "request.json": (json.dumps({"messages": MESSAGES}).encode(), "chat"),
    "chat.jinja": (b"{{ messages }}", "chat"),
    "steps.json": (json.dumps(STEPS).encode(), "steps"),
    "own.toml": (b"[[step]]", "steps"),
}


@pytest.mark.parametrize(("name", "holds", "page"), [(name, *of) for name, of in DROPPED.items()])
def test_what_is_dropped_leads_to_its_page(at_work, qtbot, tmp_path, name, holds, page):
    shell = at_work
    (tmp_path / name).write_bytes(holds)
    with qtbot.waitSignal(shell.commands.files._sorting.done):
        drop(shell.window, [tmp_path / name])
    qtbot.waitUntil(lambda: shell.window.pages.current_name == page)
    if name == "steps.json":
        assert shell.session.document.text() == b"two three"
    elif name == "chat.jinja":
        assert shell.window.pages.current.model.settings.template == str(tmp_path / name)


def test_saved_steps_are_opened_by_a_command(at_work, qtbot, tmp_path):
    shell = at_work
    shell.window.questions.steps = tmp_path / "steps.json"
    shell.window.questions.steps.write_text(json.dumps(STEPS))
    shell.window.actions_table["debug_open"].trigger()
    qtbot.waitUntil(lambda: shell.session.document.text() == b"two three")
    assert shell.window.pages.current_name == "steps"


@pytest.mark.parametrize("n_texts", [2, 3])
@pytest.mark.parametrize("is_folder", [False, True])
def test_several_texts_are_compared(shell, qtbot, tmp_path, n_texts, is_folder):
    (folder := tmp_path / "texts").mkdir()
    files = [folder / f"{number}.txt" for number in range(n_texts)]
    for file in files:
        file.write_bytes(b"two " + file.stem.encode())
    drop(shell.window, [folder] if is_folder else files)
    qtbot.waitUntil(lambda: shell.window.pages.current_name == "compare_texts")
    texts = shell.session, shell.window.pages.current.compared.second
    qtbot.waitUntil(lambda: [text.document.text() for text in texts] == [b"two 0", b"two 1"])
    compared = shell.window.pages.current.compared
    assert sorted(compared.files) == files, "the others are listed to be chosen"


@pytest.mark.parametrize("page", ["inspect", "compare", "compare_texts"])
def test_a_dropped_text_opens_on_the_current_page(shell, qtbot, tmp_path, page):
    (tmp_path / "text.txt").write_bytes(b"two two")
    shell.window.actions_table[page].trigger()
    with qtbot.waitSignal(shell.session.text.reading.done):
        drop(shell.window, [tmp_path / "text.txt"])
    assert shell.window.pages.current_name == page


def test_new_text_and_samples_take_the_place_of_a_text_that_undo_brings_back(shell, qtbot):
    for action in ("new_text", "sample:code"):
        shell.window.actions_table["bench"].trigger()
        shell.window.actions_table[action].trigger()
        assert shell.window.pages.current_name == "inspect"
        assert shell.session.document.text() != b"one two three"
        press(qtbot, shell, Qt.Key.Key_Z, CTRL)
        assert shell.session.document.text() == b"one two three"


def test_close_closes_and_new_window_starts_the_program_once_more(shell, qtbot, monkeypatch):
    started = []
    monkeypatch.setattr(QProcess, "startDetached", lambda *command: started.append(command) or (True, 1))
    press(qtbot, shell, Qt.Key.Key_N, CTRL | SHIFT)
    assert started == [(sys.executable, ["-m", "guiapp"])]
    press(qtbot, shell, Qt.Key.Key_W, CTRL)
    assert not shell.window.isVisible()


def test_a_dropped_file_on_a_slow_disk_does_not_block_typing(shell, qtbot, tmp_path, monkeypatch):
    may_answer = threading.Event()
    monkeypatch.setattr(saving, "is_model_file", lambda path: not may_answer.wait(PATIENCE_S))
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
