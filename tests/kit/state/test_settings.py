"""What is remembered, and what a spoiled file does."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from guiapp.kit.state.recent import RecentFiles
from guiapp.kit.state.settings import Settings

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "settings.ini"


def test_a_new_file_has_the_defaults(path):
    settings = Settings(path)
    assert (settings.theme, settings.font_px, settings.shows_whitespace) == ("system", None, True)
    assert (settings.add_special, settings.parse_special, settings.encoder) == (True, True, None)
    assert settings.layout("window").isEmpty()


def in_another_program(path, code):
    """What `code` prints, which has `settings`; in this process Qt would share what it has read."""
    start = "from pathlib import Path; from guiapp.kit.state.settings import Settings"
    program = f"{start}\nsettings = Settings(Path({str(path)!r}))\n{code}\nsettings.save()"
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def read_again(path):
    """What is in a file, by another name: of one name Qt would share what it has read."""
    return Settings(Path(shutil.copy(path, path.with_name("again.ini"))))


def test_everything_is_there_at_the_next_start(path):
    text = ' @String(a)\r\n\t"ü", 😀;\\x41 %41=\0'
    settings = Settings(path)
    settings.theme = "dark"
    settings.font_px = 20
    settings.shows_whitespace = False
    settings.recent_texts = text
    settings.set_options(False, True, "heap")
    settings.set_layout("window", QByteArray(b"\x00\xff state"))
    settings.save()
    names = ["theme", "font_px", "shows_whitespace", "recent_texts", "add_special", "encoder"]
    again = read_again(path)
    assert [getattr(again, name) for name in names] == ["dark", 20, False, text, False, "heap"]
    assert again.layout("window") == QByteArray(b"\x00\xff state")


def test_settings_of_earlier_versions_are_read_once(path):
    state = {"base64": "AP8="}
    values = {
        "theme": "dark",
        "budget": "ü\n@",
        "layout/window": state,
        "layout/other": {"base64": 3},
        "x": [1],
    }
    path.with_suffix(".json").write_text(json.dumps(values))
    settings = Settings(path)
    assert not settings.is_new
    assert (settings.theme, settings.budget) == ("dark", "ü\n@")
    assert settings.layout("window") == QByteArray(b"\x00\xff")
    assert settings.layout("other").isEmpty()
    settings.save()
    path.with_suffix(".json").write_text('{"theme": "light"}')
    assert Settings(path).theme == "dark"


@pytest.mark.parametrize("content", [b"\xff", b"[1, 2]", b"[" * 100_000, b'{"theme": "dark"', b"3"])
def test_corrupt_settings_of_earlier_versions_are_left_in_place(path, content):
    older = path.with_suffix(".json")
    older.write_bytes(content)
    settings = Settings(path)
    assert (settings.theme, settings.unreadable, older.read_bytes()) == ("system", older, content)


def test_spoiled_values_count_as_not_set(path):
    values = ["theme=pink", "font_px=large", "shows_whitespace=perhaps, not", "recent_files=[{"]
    path.write_text("\n".join(["[General]", *values, "[layout]", "window=3"]))
    settings = Settings(path)
    assert settings.layout("window").isEmpty()
    assert (settings.theme, settings.font_px, settings.shows_whitespace) == ("system", None, True)
    assert RecentFiles(settings).files == ()


@pytest.mark.parametrize(
    "rows", ["[" * 100_000, '[{"path": "", "name": "", "type": "", "pre": "", "n_tokens": Infinity}]']
)
def test_invalid_values_count_as_not_set(path, rows):
    settings = Settings(path)
    settings.set_value("font_px", "9" * 5000)
    settings.recent_files = rows
    assert settings.font_px is None
    assert RecentFiles(settings).files == ()


@pytest.mark.parametrize(
    "content", [b"\xff", b"\0" * 5000, b"{" * 10_000, b"[" * 100_000, b'{"theme": "dark"', b"[General]\nthem"]
)
def test_a_spoiled_file_is_set_aside_and_replaced(path, content):
    path.write_bytes(content)
    settings = Settings(path)
    assert settings.theme == "system"
    assert settings.unreadable.read_bytes() == content
    settings.theme = "light"
    settings.save()
    again = read_again(path)
    assert (again.theme, again.unreadable) == ("light", None)


def test_a_folder_in_the_place_of_the_file_is_set_aside(path):
    path.mkdir()
    settings = Settings(path)
    assert settings.unreadable.is_dir()
    settings.theme = "light"
    settings.save()
    assert path.is_file()


def test_two_programs_keep_what_each_of_them_changed(path):
    settings = Settings(path)
    settings.theme = "dark"
    settings.save()
    in_another_program(path, "settings.font_px = 20")
    settings.budget = "7"
    settings.save()
    shown = in_another_program(path, "print(settings.theme, settings.font_px, settings.budget)")
    assert shown.strip() == "dark 20 7"


def test_a_change_is_soon_in_the_file_which_is_for_its_owner_only(path, qtbot):
    settings = Settings(path)
    settings.theme = "dark"
    qtbot.waitUntil(lambda: path.exists() and path.stat().st_mode & 0o077 == 0)
    assert read_again(path).theme == "dark"


def test_an_unwritable_folder_is_reported_and_retried(tmp_path, qtbot):
    (tmp_path / "file").touch()
    settings = Settings(tmp_path / "file" / "settings.ini")
    with qtbot.waitSignal(settings.failed) as failed:
        settings.theme = "dark"
    assert "could not be saved" in failed.args[0]
    assert settings.theme == "dark"
    (tmp_path / "file").unlink()
    with qtbot.assertNotEmitted(settings.failed):
        settings.font_px = 20
        settings.save()
    assert read_again(tmp_path / "file" / "settings.ini").theme == "dark"
