"""What is remembered, and what a spoiled file does."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_tokenizer import FakeTokenizer
from PySide6.QtCore import QByteArray

from guiapp.viewmodels.recent_files import KEPT, RecentFiles
from guiapp.viewmodels.settings import LONGEST_UNSAVED_TEXT, Settings

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "settings.ini"


def test_a_new_file_has_the_defaults(path):
    settings = Settings(path)
    assert (settings.theme, settings.font_px, settings.shows_whitespace) == ("system", None, True)
    assert (settings.add_special, settings.parse_special, settings.encoder) == (True, True, None)
    assert settings.layout("window").isEmpty()


def test_everything_is_there_at_the_next_start(path):
    settings = Settings(path)
    settings.set_theme("dark")
    settings.set_font_px(20)
    settings.set_shows_whitespace(False)
    settings.set_options(False, True, "heap")
    settings.set_layout("window", QByteArray(b"\x00\xff state"))
    settings.save()
    again = Settings(path)
    assert (again.theme, again.font_px, again.shows_whitespace) == ("dark", 20, False)
    assert (again.add_special, again.parse_special, again.encoder) == (False, True, "heap")
    assert again.layout("window") == QByteArray(b"\x00\xff state")


def test_spoiled_values_count_as_not_set(path):
    path.write_text("[General]\ntheme=pink\nfont_px=large\nshows_whitespace=perhaps\nrecent_files=[{\n")
    settings = Settings(path)
    assert (settings.theme, settings.font_px, settings.shows_whitespace) == ("system", None, True)
    assert RecentFiles(settings).files == ()


def test_recent_files_are_kept_newest_first_and_once(path):
    settings = Settings(path)
    recent = RecentFiles(settings)
    for name in ("a.gguf", "b.gguf", "a.gguf"):
        recent.add(Path("/models") / name, FakeTokenizer(name).vocabulary)
    settings.save()
    kept = RecentFiles(Settings(path)).files
    assert [file.path for file in kept] == ["/models/a.gguf", "/models/b.gguf"]
    assert (kept[0].type, kept[0].n_tokens) == ("SPM", 9)


def test_the_oldest_files_are_forgotten(path):
    recent = RecentFiles(Settings(path))
    vocabulary = FakeTokenizer().vocabulary
    for number in range(KEPT + 3):
        recent.add(Path(f"/models/{number}.gguf"), vocabulary)
    assert [file.path for file in recent.files][-1] == "/models/3.gguf"


def test_forgetting_is_told(path, qtbot):
    recent = RecentFiles(Settings(path))
    recent.add(Path("/models/a.gguf"), FakeTokenizer().vocabulary)
    with qtbot.waitSignal(recent.changed):
        recent.clear()
    assert recent.files == ()


def test_unsaved_text_is_kept_byte_for_byte_unless_it_is_too_long(path):
    settings = Settings(path)
    assert settings.unsaved_text == b""
    settings.set_unsaved_text(b"\x00\xff line\r\n\xe4\xb8\x96")
    settings.save()
    assert Settings(path).unsaved_text == b"\x00\xff line\r\n\xe4\xb8\x96"
    settings.set_unsaved_text(b"x" * (LONGEST_UNSAVED_TEXT + 1))
    assert settings.unsaved_text == b""
