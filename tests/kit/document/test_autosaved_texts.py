"""Texts that outlive the program."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from guiapp.analysis.editing.text_buffer import JournalEdit
from guiapp.kit.document import autosaved_texts
from guiapp.kit.document.autosaved_texts import AutosavedText, AutosavedTexts

pytestmark = pytest.mark.usefixtures("qapp")
DATA = b"\x00\xff line\r\n\n\xe4\xb8\x96"
KILLED = """
import os, sys
from pathlib import Path
from guiapp.analysis.editing.text_buffer import JournalEdit
from guiapp.kit.document.autosaved_texts import AutosavedTexts
kept = AutosavedTexts(Path(sys.argv[1]))
kept.keep(b"abc", Path("/a/file"))
kept.keep_edits([JournalEdit(3, 0, b"d"), JournalEdit(0, 1, b"")])
kept.keep_edits([JournalEdit(3, 0, b"e")])
kept.finish()
os._exit(9)
"""


def keep(folder, data, path=None):
    texts = AutosavedTexts(folder)
    texts.keep(data, path)
    texts.leave()
    texts.finish()


@pytest.mark.parametrize("path", [None, Path("/folder/a file\n.txt")])
def test_a_text_is_saved_byte_for_byte(tmp_path, path):
    keep(tmp_path, DATA, path)
    assert AutosavedTexts(tmp_path).take() == AutosavedText(DATA, path)


def test_the_newest_unclaimed_text_is_taken(tmp_path):
    for age, data in enumerate((b"new", b"old", b"oldest")):
        keep(tmp_path, data)
        for place in tmp_path.glob("*.text"):
            if place.read_bytes().endswith(b"\n" + data):
                os.utime(place, (1e9 - age, 1e9 - age))
    windows = [AutosavedTexts(tmp_path) for _ in range(4)]
    taken = [window.take() for window in windows]
    assert [autosaved and autosaved.data for autosaved in taken] == [b"new", b"old", b"oldest", None]


def test_the_text_of_a_process_that_was_killed_is_there_again_with_its_edits_and_goes_on(tmp_path):
    process = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert process.returncode == 9
    texts = AutosavedTexts(tmp_path)
    (head,) = texts.others()
    assert (head.size_bytes, head.beginning, head.path) == (4, b"bcde", Path("/a/file"))
    assert texts.read(head) == texts.take() == AutosavedText(b"bcde", Path("/a/file"))
    texts.keep_edits([JournalEdit(4, 0, b"f")])
    texts.finish()
    assert texts.read(head) == AutosavedText(b"bcdef", Path("/a/file"))


def test_files_of_earlier_versions_are_read(tmp_path):
    (tmp_path / "1.text").write_bytes(b'{"path": "/a", "number": "12"}\nabc')
    assert AutosavedTexts(tmp_path).take() == AutosavedText(b"abc", Path("/a"))


@pytest.mark.parametrize("content", [b"", b"no JSON\ntext", b"[]\ntext", b"{}\ntext", b"[" * 100_000 + b"\n"])
def test_a_corrupt_file_is_left_in_place(tmp_path, content):
    (tmp_path / "spoiled.text").write_bytes(content)
    texts = AutosavedTexts(tmp_path)
    assert texts.take() is None
    texts.finish()
    assert [path.name for path in tmp_path.iterdir()] == ["spoiled.text"]
    assert (tmp_path / "spoiled.text").read_bytes() == content


def test_an_unwritable_folder_is_reported_once(tmp_path, qtbot):
    (tmp_path / "file").touch()
    texts, failures = AutosavedTexts(tmp_path / "file"), []
    texts.failed.connect(failures.append)
    texts.keep(DATA, None)
    texts.keep(DATA, None)
    assert not texts.is_on_disk()
    assert len(failures) == 1
    assert "cannot be autosaved" in failures[0]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts the open files of this process")
def test_a_hundred_texts_set_aside_hold_few_files_open(tmp_path):
    autosaved = AutosavedTexts(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(100):
        autosaved.keep(b"%d" % number, None)
        autosaved.set_aside()
    autosaved.finish()
    assert len(os.listdir("/proc/self/fd")) <= before + 25
    assert len(autosaved.others()) == 100
    autosaved.leave()
    autosaved.finish()


def test_edits_are_journaled_with_their_text(tmp_path):
    texts = AutosavedTexts(tmp_path)
    texts.keep_edits([JournalEdit(0, 0, b"lost")])  # there is no text yet that it could follow
    assert not texts.is_autosaving
    texts.keep(b"abc", None)
    assert texts.is_autosaving
    texts.keep_edits([JournalEdit(3, 0, b"d")])
    texts.keep_edits([JournalEdit(0, 1, b""), JournalEdit(1, 1, b"X")])
    assert texts.is_on_disk()
    (journal,) = tmp_path.glob("*.edits")
    texts.keep(b"new", None)  # which edits of the text before do not follow
    texts.finish()
    (place,) = tmp_path.glob("*.text")
    assert journal.exists()
    texts.keep_edits([JournalEdit(0, 0, b"a ")])
    texts.leave()
    texts.finish()
    assert not journal.exists(), "its edits are part of the text now"
    assert place.read_bytes().endswith(b"\na new")
    assert AutosavedTexts(tmp_path).take() == AutosavedText(b"a new", None)


@pytest.mark.parametrize("way", ["forget", "delete", "leave", "set_aside"])
def test_a_text_is_not_taken_before_its_last_change_is_written(tmp_path, monkeypatch, way):
    monkeypatch.setattr(autosaved_texts, "MOST_ASIDE", 0 if way == "set_aside" else 1)
    texts, other, gate = AutosavedTexts(tmp_path), AutosavedTexts(tmp_path), threading.Event()
    texts.keep(b"abc", None)
    if way == "delete":
        texts.set_aside()
    given = [texts.others()] if way == "delete" else []
    texts._writer.submit(gate.wait)
    getattr(texts, way)(*given)
    too_early = other.take()
    gate.set()
    texts.finish()
    assert too_early is None
    assert (other.take() is None) == (way in ("forget", "delete"))


def test_texts_that_no_window_shows_are_listed_and_deleted(tmp_path):
    keep(tmp_path, b"left", Path("/a/file"))
    texts = AutosavedTexts(tmp_path)
    texts.keep(b"mine", None)
    (head,) = texts.others()
    assert (head.size_bytes, head.beginning, head.path) == (4, b"left", Path("/a/file"))
    texts.set_aside()
    texts.keep(b"next", None)
    assert {each.beginning for each in texts.others()} == {b"left", b"mine"}
    elsewhere = AutosavedTexts(tmp_path)
    assert [each.beginning for each in elsewhere.others()] == [b"left"], "the other may come back by undo"
    elsewhere.delete(texts.others())
    elsewhere.finish()
    assert {each.beginning for each in texts.others()} == {b"mine"}
    texts.delete(texts.others())
    assert texts.others() == []
    assert texts.read(head) is None
    texts.forget()
    texts.finish()
    assert list(tmp_path.glob("*.text")) == list(tmp_path.glob("*.edits")) == []
    assert not texts.is_autosaving


def test_the_list_shows_the_newest_first_and_only_beginnings(tmp_path, monkeypatch):
    monkeypatch.setattr(autosaved_texts, "HEAD_BYTES", 3)
    for age, data in enumerate((b"new text", b"old text")):
        keep(tmp_path, data)
        place = next(place for place in tmp_path.glob("*.text") if place.read_bytes().endswith(data))
        os.utime(place, (1e9 - age, 1e9 - age))
    (tmp_path / "odd.text").write_bytes(b"odd")
    (tmp_path / "gone meanwhile.text").symlink_to("nowhere")
    heads = AutosavedTexts(tmp_path).others()
    assert [(head.beginning, head.size_bytes, head.time_s) for head in heads] == [
        *[(b"new", 8, 1e9), (b"old", 8, 1e9 - 1)],
    ]


def test_saved_texts_are_private_to_the_user(tmp_path):
    texts = AutosavedTexts(tmp_path)
    texts.keep(b"one", None)
    texts.keep_edits([JournalEdit(0, 0, b"x")])
    texts.finish()
    files = [*tmp_path.glob("*.text"), *tmp_path.glob("*.edits")]
    assert [path.stat().st_mode & 0o077 for path in files] == [0, 0]
