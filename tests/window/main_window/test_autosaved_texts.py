"""Texts that were not saved are there when the real window opens again."""

import subprocess
import sys

import pytest

from guiapp.kit.document.autosaved_texts import AutosavedTexts

pytestmark = pytest.mark.slow


def keep(shell):
    """At once, rather than after a pause."""
    shell.window.autosave.keep()


def reopen(make_shell, *shells):
    for shell in shells:
        assert shell.window.close()
        shell.stop()
    again = make_shell(b"sample")
    again.window.take_text()
    return again


def test_typed_text_without_a_file_is_there_at_the_next_start(make_shell, qtbot):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    again = reopen(make_shell, shell)
    assert again.session.document.text() == b"typed one two three"
    assert reopen(make_shell, again).session.document.text() == b"typed one two three"


def test_typed_text_that_was_deleted_is_gone(make_shell, qtbot):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    keep(shell)
    shell.session.document.replace(0, shell.session.document.size, b"")
    assert reopen(make_shell, shell).session.document.text() == b"sample"


def test_the_file_of_the_text_is_open_again_at_the_next_start(make_shell, qtbot, tmp_path):
    shell, path = make_shell(), tmp_path / "text.txt"
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    assert shell.session.text.save(path)
    path.write_bytes(b"as it is by now")
    text = reopen(make_shell, shell).session.text
    qtbot.waitUntil(lambda: text.document.text() == b"as it is by now")
    assert (text.path, text.is_modified) == (path, False)


def test_a_file_missing_at_the_next_start_is_reported(make_shell, qtbot, tmp_path):
    shell, path = make_shell(), tmp_path / "text.txt"
    assert shell.session.text.save(path)
    path.unlink()
    again = reopen(make_shell, shell)
    with qtbot.waitSignal(again.session.text.failed):
        pass
    assert again.session.document.text() == b"sample"
    assert reopen(make_shell, again).session.text.path is None


def test_text_that_another_one_replaced_is_there_at_the_next_start(make_shell, qtbot, tmp_path):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    shell.window.actions_table["sample:english"].trigger()
    assert reopen(make_shell, shell).session.document.text() == b"typed one two three"


def test_a_window_with_a_file_does_not_change_autosaved_text(make_shell, qtbot, tmp_path):
    first = make_shell()
    qtbot.keyClicks(first.window.inspect_page.editor, "typed ")
    assert first.window.close()
    first.stop()
    second = make_shell()
    (tmp_path / "words.txt").write_bytes(b"from a file")
    with qtbot.waitSignal(second.session.text.file_changed):
        second.session.text.open(tmp_path / "words.txt")
    third = reopen(make_shell, second)
    qtbot.waitUntil(lambda: third.session.document.text() == b"from a file")
    third.session.text.show(b"in no file")
    assert reopen(make_shell, third).session.document.text() == b"typed one two three"


def test_two_windows_keep_a_text_each(make_shell, qtbot):
    one, other = make_shell(b" by one"), make_shell(b" by other")
    for shell in (one, other):
        qtbot.keyClicks(shell.window.inspect_page.editor, "typed")
        keep(shell)
    other.window.autosaved_texts.finish()
    assert AutosavedTexts(other.settings.folder / "texts").take() is None  # both run
    first = reopen(make_shell, one, other)
    second = make_shell(b"sample")
    second.window.autosave.take()
    texts = {shell.session.document.text() for shell in (first, second)}
    assert texts == {b"typed by one", b"typed by other"}


def test_changes_to_a_file_survive_a_program_that_is_killed(make_shell, qtbot, tmp_path):
    path = tmp_path / "words.txt"
    shell = make_shell()
    assert shell.session.text.save(path)
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    keep(shell)
    shell.window.autosaved_texts.leave()  # as if the process were gone
    shell.window.autosaved_texts.finish()
    again = make_shell(b"sample")
    again.window.autosave.take()
    assert again.session.document.text() == b"typed one two three"
    assert (again.session.text.path, again.session.text.is_modified) == (path, True)
    assert path.read_bytes() == b"one two three"


TYPING = """
import os, sys, time
from pathlib import Path
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from guiapp.window import app
from guiapp.kit.state.settings import Settings

folder, text, typed = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes(), sys.argv[3]
application = app.make_application()
shell = app.build(application, Settings(folder / "settings.ini"), text)
shell.window.autosave.take()
shell.window.show()
editor = shell.window.inspect_page.editor
shell.session.document.set_caret(shell.session.document.size // 2)
for sign in typed:
    QTest.keyClick(editor, Qt.Key.Key_Backspace if sign == "<" else sign)
last = time.monotonic()
QTimer.singleShot(400, lambda: print("now", time.monotonic() - last, flush=True))
application.exec()
"""


def typed_and_killed(folder, text, typed) -> None:
    """Type into the window of a process, and kill that 0.4 seconds later."""
    (folder / "sample.txt").write_bytes(text)
    command = [sys.executable, "-c", TYPING, str(folder), str(folder / "sample.txt"), typed]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().startswith("now")
        process.kill()


def test_typed_text_survives_a_program_that_is_killed_soon_after(make_shell, tmp_path):
    text = b"words of a long text\n" * 250_000
    typed_and_killed(tmp_path, text, "ab c<d")
    half = len(text) // 2
    once = text[:half] + b"ab d" + text[half:]
    typed_and_killed(tmp_path, b"sample", "<xyz")
    half = len(once) // 2
    twice = once[: half - 1] + b"xyz" + once[half:]
    again = make_shell(b"sample")
    again.window.autosave.take()
    assert again.session.document.text() == twice
    assert reopen(make_shell, again).session.document.text() == twice
    assert not list((tmp_path / "texts").glob("*.edits"))


def test_only_what_was_typed_is_written(make_shell, qtbot, tmp_path):
    shell = make_shell(b"x" * 1_000_000)
    for number in range(5):
        qtbot.keyClicks(shell.window.inspect_page.editor, "ab")
        keep(shell)
        shell.window.autosaved_texts.finish()
        (edits,) = (tmp_path / "texts").glob("*.edits")
        assert edits.stat().st_size < 20 + 60 * (number + 1)
        (place,) = (tmp_path / "texts").glob("*.text")
        assert place.stat().st_size < 1_000_100
    shell.window.autosaved_texts.leave()  # as if the process were gone
    shell.window.autosaved_texts.finish()
    again = make_shell(b"sample")
    again.window.autosave.take()
    assert again.session.document.text() == b"ab" * 5 + b"x" * 1_000_000


def listed(shell):
    """What the menu shows of kept texts, without their times."""
    menu = shell.window.actions_table.menus["File/Autosaved texts"]
    menu.aboutToShow.emit()
    titles = [action.text().rpartition(" (")[0] or action.text() for action in menu.actions()]
    assert titles[-2:] == ["", "Delete autosaved texts…"]
    return titles[:-2]


def choose(shell, at):
    shell.window.actions_table.menus["File/Autosaved texts"].actions()[at].trigger()


def test_a_changed_file_that_another_one_was_dropped_over_can_be_chosen_again(make_shell, qtbot, tmp_path):
    path, other = tmp_path / "words.txt", tmp_path / "other.txt"
    other.write_bytes(b"two two")
    shell = make_shell()
    assert listed(shell) == ["None"]
    assert shell.session.text.save(path)
    qtbot.keyClicks(shell.window.inspect_page.editor, "more & ")
    with qtbot.waitSignal(shell.session.text.file_changed):
        shell.commands.files.open_files([other])
    assert shell.session.document.text() == b"two two"
    assert listed(shell) == ["words.txt: more && one two three"]
    choose(shell, 0)
    assert shell.session.document.text() == b"more & one two three"
    assert (shell.session.text.path, shell.session.text.is_modified) == (path, True)
    assert path.read_bytes() == b"one two three"
    assert listed(shell) == ["words.txt: more && one two three"]
    assert shell.window.actions_table.menus["File/Autosaved texts"].actions()[0].isChecked()
    shell.session.document.undo()
    assert (shell.session.document.text(), shell.session.text.path) == (b"two two", other)


def test_a_text_is_autosaved_when_it_is_replaced(make_shell, qtbot):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    shell.window.actions_table["sample:english"].trigger()
    assert listed(shell) == ["typed one two three"]


def test_texts_of_other_windows_are_listed_once_they_are_closed(make_shell, qtbot):
    shell, other = make_shell(), make_shell()
    qtbot.keyClicks(other.window.inspect_page.editor, "typed ")
    keep(other)
    other.window.autosaved_texts.finish()
    assert listed(shell) == ["None"]
    assert other.window.close()
    other.stop()
    assert listed(shell) == ["typed one two three"]


def test_autosaved_texts_are_deleted_only_after_confirmation(shell, qtbot):
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    shell.window.actions_table["sample:english"].trigger()
    shell.window.actions_table["delete_kept"].trigger()
    assert listed(shell) == ["typed one two three"]
    shell.window.questions.deletes = True
    shell.window.actions_table["delete_kept"].trigger()
    assert listed(shell) == ["None"]
    shell.session.document.undo()
    assert shell.session.document.text() == b"typed one two three"


def test_a_text_that_undo_can_bring_back_is_not_given_to_another_window(make_shell, qtbot):
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    shell.window.actions_table["sample:english"].trigger()
    other = make_shell()
    other.window.autosave.take()
    assert b"typed" not in other.session.document.text()
    shell.session.document.undo()
    assert shell.session.document.text().startswith(b"typed ")


@pytest.mark.parametrize("spoiled", [False, True])
def test_the_page_that_was_shown_is_shown_at_the_next_start(make_shell, spoiled):
    shell = make_shell()
    shell.window.actions_table["tree"].trigger()
    shell.window.close()
    if spoiled:
        shell.settings.last_page = "no such page"
    shell.stop()
    again = make_shell()
    again.greet()
    assert again.window.pages.current_name == ("inspect" if spoiled else "tree")
