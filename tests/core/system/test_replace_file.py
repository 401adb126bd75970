"""New files in the place of old ones."""

import os
import stat
from contextlib import suppress

import pytest
from full_disk import full_disk

from guiapp.core.sources.files import replace_file, replacement

needs_modes = pytest.mark.skipif(os.name != "posix", reason="files have no such permissions")


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
def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    replace_file(link, b"new", waits_for_disk=True)
    assert link.is_symlink()
    assert (path.read_bytes(), mode_of(path)) == (b"new", 0o640)


@needs_modes
def test_a_file_that_was_public_stays_so(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o644)
    replace_file(path, b"new", is_private=True)
    assert mode_of(path) == 0o644


@needs_modes
def test_the_mask_of_the_process_stays(tmp_path):
    mask = os.umask(0o037)
    try:
        replace_file(tmp_path / "file", b"1")
        assert os.umask(0o037) == 0o037
    finally:
        os.umask(mask)
    assert mode_of(tmp_path / "file") == 0o640


def test_the_disk_is_waited_for_where_that_is_asked(tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(os, "fsync", lambda handle: sizes.append(os.fstat(handle).st_size))
    replace_file(tmp_path / "file", b"at once")
    assert sizes == []
    replace_file(tmp_path / "file", b"safe", waits_for_disk=True)
    assert sizes == [4]
    with replacement(tmp_path / "file") as new:
        new.write_bytes(b"")
    assert sizes == [4]


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


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are not listed there")
def test_no_file_stays_open(tmp_path):
    before = os.listdir("/proc/self/fd")
    replace_file(tmp_path / "file", b"1", waits_for_disk=True)
    assert os.listdir("/proc/self/fd") == before


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


@needs_modes
def test_a_pipe_is_written_to_as_it_is(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    replace_file(path, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert path.is_fifo()
