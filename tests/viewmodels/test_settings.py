"""What is remembered, and what a spoiled file does."""

import errno
import json
import os
import threading
from pathlib import Path

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer
from PySide6.QtCore import QByteArray

from guiapp.viewmodels.recent import KEPT, RecentFiles
from guiapp.viewmodels.settings import Settings

pytestmark = pytest.mark.usefixtures("qapp")


def refuse(file):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "settings.json"


def test_a_new_file_has_the_defaults(path):
    settings = Settings(path)
    assert (settings.theme, settings.font_px, settings.shows_whitespace) == ("system", None, True)
    assert (settings.add_special, settings.parse_special, settings.encoder) == (True, True, None)
    assert settings.layout("window").isEmpty()


def test_everything_is_there_at_the_next_start(path):
    settings = Settings(path)
    settings.theme = "dark"
    settings.font_px = 20
    settings.shows_whitespace = False
    settings.set_options(False, True, "heap")
    settings.set_layout("window", QByteArray(b"\x00\xff state"))
    settings.save()
    again = Settings(path)
    assert (again.theme, again.font_px, again.shows_whitespace) == ("dark", 20, False)
    assert (again.add_special, again.parse_special, again.encoder) == (False, True, "heap")
    assert again.layout("window") == QByteArray(b"\x00\xff state")


def test_spoiled_values_count_as_not_set(path):
    values = {"theme": "pink", "font_px": "large", "shows_whitespace": ["perhaps"], "recent_files": "[{"}
    path.write_text(json.dumps({**values, "layout/window": {"base64": "?"}, "layout/other": {"base64": 3}}))
    settings = Settings(path)
    assert settings.layout("window").isEmpty()
    assert settings.layout("other").isEmpty()
    assert (settings.theme, settings.font_px, settings.shows_whitespace) == ("system", None, True)
    assert RecentFiles(settings).files == ()


@pytest.mark.parametrize(
    "rows", ["[" * 100_000, '[{"path": "", "name": "", "type": "", "pre": "", "n_tokens": Infinity}]']
)
def test_values_that_only_look_well_count_as_not_set(path, rows):
    path.write_text(json.dumps({"font_px": "9" * 5000, "recent_files": rows}))
    settings = Settings(path)
    assert settings.font_px is None
    assert RecentFiles(settings).files == ()


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[1, 2]", b"{" * 10_000, b"[" * 100_000, b'{"theme": "dark"']
)
def test_a_spoiled_file_counts_as_empty_and_is_replaced(path, content):
    path.write_bytes(content)
    settings = Settings(path)
    assert settings.theme == "system"
    assert settings.store.set_aside.read_bytes() == content
    settings.theme = "light"
    settings.save()
    again = Settings(path)
    assert (again.theme, again.store.set_aside) == ("light", None)


def test_two_programs_keep_what_each_of_them_changed(path):
    one, other = Settings(path), Settings(path)
    one.theme = "dark"
    one.save()
    other.font_px = 20
    other.save()
    kept = Settings(path)
    assert (kept.theme, kept.font_px) == ("dark", 20)


def test_nobody_waits_for_the_disk(path, monkeypatch):
    may_end = threading.Event()
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (may_end.wait(PATIENCE_S), fsync(file)))
    settings = Settings(path)
    settings.theme = "dark"
    settings.font_px = 20
    assert (settings.theme, settings.font_px, path.exists()) == ("dark", 20, False)
    may_end.set()
    settings.save()
    kept = Settings(path)
    assert (kept.theme, kept.font_px) == ("dark", 20)


def test_a_place_that_cannot_be_written_is_told(tmp_path, qtbot):
    (tmp_path / "file").touch()
    settings = Settings(tmp_path / "file" / "settings.json")
    with qtbot.waitSignal(settings.store.failed) as failed:
        settings.theme = "dark"
    assert "cannot be written" in failed.args[0]
    assert settings.theme == "dark"


def test_a_full_disk_leaves_the_old_file_and_nothing_else(path, qtbot, monkeypatch):
    settings = Settings(path)
    settings.theme = "dark"
    settings.save()
    monkeypatch.setattr(os, "fsync", refuse)
    with qtbot.waitSignal(settings.store.failed):
        settings.theme = "light"
    assert Settings(path).theme == "dark"
    assert list(path.parent.iterdir()) == [path]


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
