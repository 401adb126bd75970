"""What may be opened as a file: what has an end, and what somebody writes to."""

import os
import sys
import time
from pathlib import Path

import pytest

from guiapp.core.sources import files as input_files
from guiapp.core.sources.files import InputTooLongError, NotAFileError, open_input, read_input

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")


@pytest.fixture
def named_pipe(tmp_path, monkeypatch):
    monkeypatch.setattr(input_files, "PATIENCE_S", 0.05)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("takes_pipes", [True, False])
def test_a_regular_file_is_read_whole_or_refused_for_its_size(takes_pipes, tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"ten bytes.")
    with open_input(path, takes_pipes) as file:
        assert file.read() == b"ten bytes."
    assert read_input(path, 10) == b"ten bytes."
    with pytest.raises(InputTooLongError, match="more than 9 bytes"):
        read_input(path, 9)


def test_a_pipe_is_no_file_unless_pipes_are_taken_and_somebody_writes(named_pipe):
    for options, what in (((), "not a regular file"), ((True,), "nobody has written")):
        with pytest.raises(NotAFileError, match=what):
            open_input(named_pipe, *options)
    keeper = os.open(named_pipe, os.O_RDWR)
    os.write(keeper, b"words")
    with open_input(named_pipe, takes_pipes=True) as file:
        assert file.read(5) == b"words"
        assert os.get_blocking(file.fileno())
    os.close(keeper)


def test_nobody_waits_for_the_first_byte_of_a_pipe_without_a_name(monkeypatch):
    monkeypatch.setattr(input_files, "PATIENCE_S", 30)
    reading, writing = os.pipe()
    began_s = time.monotonic()
    with open_input(f"/dev/fd/{reading}", takes_pipes=True):
        assert time.monotonic() - began_s < 10
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("takes_pipes", [True, False])
@pytest.mark.parametrize("name", ["/dev/zero", "/"])
def test_devices_and_folders_are_refused(name, takes_pipes):
    with pytest.raises(NotAFileError) as error:
        open_input(Path(name), takes_pipes)
    assert error.value.filename == name
    assert read_input(Path(os.devnull)) == b""
