"""New files in the place of old ones."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from full_disk import full_disk
from toy_vocabulary import toy_vocabulary

from guiapp import open_model
from guiapp.core.demo import demo_model_path
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources import files
from guiapp.core.sources.files import (
    InputTooLongError,
    NotAFileError,
    file_hash,
    open_input,
    read_input,
    replace_file,
    replacement,
)
from guiapp.core.sources.locate import hash_of, is_another
from guiapp.errors import VocabError

needs_modes = pytest.mark.skipif(os.name != "posix", reason="files have no such permissions")

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="it needs named pipes, signals or locks")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@needs_modes
def test_a_new_file_is_as_public_as_the_user_wants_unless_it_is_private(tmp_path):
    mask = os.umask(0o027)
    try:
        replace_file(tmp_path / "public", b"1")
        replace_file(tmp_path / "private", b"2", is_private=True)
    finally:
        os.umask(mask)
    assert mode_of(tmp_path / "public") == 0o640
    assert mode_of(tmp_path / "private") == 0o600


@needs_modes
def test_permissions_and_links_are_preserved(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    replace_file(link, b"new", waits_for_disk=True)
    assert link.is_symlink()
    assert (path.read_bytes(), mode_of(path)) == (b"new", 0o640)


def test_a_file_is_written_where_others_find_it(tmp_path):
    path, meanwhile = tmp_path / "file", tmp_path / "file.part"
    with replacement(path, written_at=meanwhile) as new:
        assert new == meanwhile
        new.write_bytes(b"1")
        assert not path.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    for content in (None, b"2"):
        with suppress(InterruptedError), replacement(path, written_at=meanwhile) as new:
            if content is not None:
                new.write_bytes(content)
            raise InterruptedError
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"1")]


def test_what_cannot_be_written_changes_nothing(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(path, b"new")
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "missing" / "file", b"new")
    assert list(tmp_path.iterdir()) == [path]


@needs_modes
def test_a_disk_that_is_full_changes_nothing(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with full_disk(1000), pytest.raises(OSError, match="too large"):
        replace_file(path, b"x" * 100_000)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@posix_only
@needs_modes
def test_a_pipe_is_written_to_as_it_is(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    replace_file(path, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert path.is_fifo()


@pytest.fixture
def named_pipe(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE_S", 0.05)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@posix_only
@pytest.mark.parametrize("takes_pipes", [True, False])
def test_a_regular_file_is_read_whole_or_refused_for_its_size(takes_pipes, tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"ten bytes.")
    with open_input(path, takes_pipes) as file:
        assert file.read() == b"ten bytes."
    assert read_input(path, 10) == b"ten bytes."
    with pytest.raises(InputTooLongError, match="more than 9 bytes"):
        read_input(path, 9)


@posix_only
def test_a_pipe_is_accepted_only_if_allowed_and_written_to(named_pipe):
    for options, what in (((), "not a regular file"), ((True,), "received no data")):
        with pytest.raises(NotAFileError, match=what):
            open_input(named_pipe, *options)
    keeper = os.open(named_pipe, os.O_RDWR)
    os.write(keeper, b"words")
    with open_input(named_pipe, takes_pipes=True) as file:
        assert file.read(5) == b"words"
        assert os.get_blocking(file.fileno())
    os.close(keeper)


@posix_only
def test_an_unnamed_pipe_opens_without_waiting_for_data(monkeypatch):
    monkeypatch.setattr(files, "PATIENCE_S", 30)
    reading, writing = os.pipe()
    began_s = time.monotonic()
    with open_input(f"/dev/fd/{reading}", takes_pipes=True):
        assert time.monotonic() - began_s < 10
    os.close(reading)
    os.close(writing)


@posix_only
@pytest.mark.parametrize("takes_pipes", [True, False])
@pytest.mark.parametrize("name", ["/dev/zero", "/"])
def test_devices_and_folders_are_refused(name, takes_pipes):
    with pytest.raises(NotAFileError) as error:
        open_input(Path(name), takes_pipes)
    assert error.value.filename == name
    assert read_input(Path(os.devnull)) == b""


LEAVES_TEXT = """
import multiprocessing.util, os, sys, tempfile
from guiapp.core.sources.files import begin_scratch

end = begin_scratch()
multiprocessing.util.get_temp_dir()
with open(os.path.join(tempfile.mkdtemp(prefix="tokenloupe-"), "text-1"), "w") as file:
    file.write("secret")
print(tempfile.gettempdir(), flush=True)
sys.stdin.read()
end()
"""


@pytest.fixture
def started(tmp_path):
    """Starts a program; gives it, and the folder of its temporary files."""
    programs = []

    def start(*command):
        given = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
        pipe = subprocess.PIPE
        programs.append(
            subprocess.Popen([sys.executable, *command], stdin=pipe, stdout=pipe, text=True, env=given)
        )
        return programs[-1], programs[-1].stdout.readline().strip()

    yield start
    for program in programs:
        program.kill()
        program.communicate()


@posix_only
def test_the_next_start_removes_what_was_killed_and_nothing_else(started, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    (tmp_path / "tokenloupe-tmp-link").symlink_to(elsewhere)
    (tmp_path / "tokenloupe-tmp-file").touch()
    others = {*tmp_path.iterdir()}
    living, own = started("-c", LEAVES_TEXT)
    killed, left = started("-c", LEAVES_TEXT)
    (text,) = (path for path in tmp_path.glob("*/*/text-1") if str(path).startswith(left))
    assert text.parents[1].stat().st_mode & 0o077 == 0
    killed.kill()
    killed.wait()
    assert len(os.listdir(left)) == 2, "a text, and what multiprocessing keeps"
    started("-m", "guiapp", "chat", "--help")[0].communicate()
    assert {str(path) for path in {*tmp_path.iterdir()} - others} == {own}
    assert len(os.listdir(own)) == 2
    assert (elsewhere / "file").exists()
    living.communicate()
    assert {*tmp_path.iterdir()} == others


def test_a_file_has_the_hash_that_other_programs_give_it(tmp_path):
    path = tmp_path / "a"
    for data in (b"", b"a" * 10, b"b" * (9 << 20)):
        path.write_bytes(data)
        assert file_hash(path) == hashlib.sha256(data).hexdigest()


def test_a_file_that_cannot_be_read_is_reported(tmp_path):
    with pytest.raises(VocabError, match=r"^none cannot be read: No such file or directory\.$"):
        file_hash(tmp_path / "none")


def test_a_model_is_another_one_where_both_hashes_are_known_and_differ():
    toy = open_model("demo:toy")
    own = file_hash(demo_model_path("toy"))
    assert hash_of(toy, "demo:toy") == own
    for model, sha256, is_other in (
        *(("demo:toy", own, False), ("demo:toy", own.upper(), False), ("demo:toy", "", False)),
        *(("demo:toy", "ab", True), ("hf:a/b", "ab", False), ("https://a.b/c", "ab", False)),
    ):
        assert is_another(toy, model, sha256) == is_other
    in_memory = Tokenizer(toy_vocabulary({"a": 0.0}))
    assert hash_of(in_memory, "a") == ""
    assert not is_another(in_memory, "a", "ab")
