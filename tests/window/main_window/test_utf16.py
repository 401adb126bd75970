"""A text in UTF-16 in the real window: told, kept byte for byte, and converted by one click."""

import pytest
from main_window_driver import CTRL, press
from PySide6.QtCore import Qt

pytestmark = pytest.mark.slow


TEXT = "two words, 世界 😀\n"


@pytest.fixture
def shell(share_shell):
    return share_shell()


@pytest.fixture
def open_file(shell, qtbot, tmp_path):
    def open_file(name, data):
        (tmp_path / name).write_bytes(data)
        with qtbot.waitSignal(shell.session.text.file_changed):
            shell.session.text.open(tmp_path / name)

    return open_file


def messages(shell):
    return [notice.message for notice in shell.window.notices.notices]


def convert(shell, qtbot):
    [notice] = shell.window.notices.notices
    with qtbot.waitSignal(shell.session.document.edited):
        qtbot.mouseClick(notice.remedy_button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be"])
def test_a_click_converts_it_and_undo_brings_the_bytes_back(shell, qtbot, open_file, codec):
    open_file("wide.txt", TEXT.encode(codec))
    convert(shell, qtbot)
    assert shell.session.document.text() == TEXT.encode()
    assert shell.session.text.is_modified
    assert shell.session.text.path.name == "wide.txt"
    assert messages(shell) == []
    shell.window.inspect_page.editor.setFocus()
    press(qtbot, shell, Qt.Key.Key_Z, CTRL)
    assert shell.session.document.text() == TEXT.encode(codec)
    assert len(messages(shell)) == 1


def test_a_window_that_starts_with_utf16_text_shows_a_notice(make_shell):
    assert len(messages(make_shell(TEXT.encode("utf-16")))) == 1
    assert messages(make_shell(TEXT.encode())) == []


def test_the_command_is_there_for_such_texts_only(shell, qtbot, open_file):
    action = shell.window.actions_table["from_utf16"]
    assert not action.isEnabled()
    open_file("wide.txt", TEXT.encode("utf-16"))
    assert action.isEnabled()
    with qtbot.waitSignal(shell.session.document.edited):
        action.trigger()
    assert not action.isEnabled()


def test_a_closed_notice_reappears_only_for_another_utf16_file(shell, qtbot, open_file):
    open_file("wide.txt", TEXT.encode("utf-16"))
    shell.window.notices.notices[0].close_button.click()
    press(qtbot, shell, Qt.Key.Key_End, CTRL)
    qtbot.keyClicks(shell.window.inspect_page.editor, "x")
    assert messages(shell) == []
    open_file("other.txt", TEXT.encode("utf-16"))
    assert messages(shell)[0].startswith("other.txt is UTF-16")


@pytest.mark.parametrize("text", [TEXT, TEXT.upper() * 50, "世界"])
def test_typing_in_front_of_the_mark_brings_a_closed_notice_not_back(shell, qtbot, open_file, text):
    open_file("wide.txt", text.encode("utf-16"))
    shell.window.notices.notices[0].close_button.click()
    for _ in range(4):
        qtbot.keyClicks(shell.window.inspect_page.editor, "x")
        assert messages(shell) == []
    for _ in range(4):
        press(qtbot, shell, Qt.Key.Key_Backspace)
        assert messages(shell) == []
    open_file("other.txt", text.encode("utf-16"))
    assert len(messages(shell)) == 1


def test_an_open_notice_goes_while_it_is_not_true_and_is_there_only_once(shell, qtbot, open_file):
    open_file("wide.txt", "世界".encode("utf-16"))
    qtbot.keyClicks(shell.window.inspect_page.editor, "x")
    assert messages(shell) == []
    press(qtbot, shell, Qt.Key.Key_Backspace)
    assert len(messages(shell)) == 1


def test_what_is_typed_while_a_text_is_converted_is_not_lost(shell, qtbot, open_file):
    open_file("wide.txt", TEXT.encode("utf-16"))
    shell.window.notices.notices[0].remedy_button.click()
    qtbot.keyClicks(shell.window.inspect_page.editor, "x")
    qtbot.wait(50)
    assert shell.session.document.text() == b"x" + TEXT.encode("utf-16")
