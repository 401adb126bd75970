"""The front of a file: read as far as it is needed, with its progress, and within a limit of memory."""

import io
from pathlib import Path

import pytest

from guiapp.core.formats import file_bytes as header_bytes
from guiapp.core.formats.file_bytes import FileState, HeaderBytes, file_state, open_regular, state_of
from guiapp.errors import VocabError

DATA = bytes(range(100))


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A file of 100 bytes, read in chunks of 8; and the shares that were reported."""
    monkeypatch.setattr(header_bytes, "CHUNK_BYTES", 8)
    monkeypatch.setattr(header_bytes, "FIRST_ROOM_BYTES", 10)
    monkeypatch.setattr(header_bytes, "USUAL_HEADER_BYTES", 40)
    path, shares = tmp_path / "model.gguf", []
    path.write_bytes(DATA)
    source = HeaderBytes(path, shares.append)
    yield source, shares
    source.close()


def test_no_more_is_read_than_is_needed_and_each_chunk_is_reported(opened):
    source, shares = opened
    rooms = []
    for end, available in ((0, 0), (1, 8), (8, 8), (9, 10), (11, 18), (60, 66), (100, 100)):
        source.need(end, "the header")
        assert source.read.tobytes() == DATA[:available]
        assert source.available == available
        rooms.append(len(source.data))
    assert rooms == [10, 10, 10, 10, 20, 68, 100]
    starts = [0, 8, 10, 18, 26, 34, 42, 50, 58, 66, 74, 82, 90, 98]
    assert shares == [min(1.0, start / 40) for start in starts]
    assert source.size == 100


def test_a_file_smaller_than_a_usual_header_is_reported_by_its_own_size(tmp_path, monkeypatch):
    monkeypatch.setattr(header_bytes, "CHUNK_BYTES", 30)
    path, shares = tmp_path / "model.gguf", []
    path.write_bytes(DATA)
    source = HeaderBytes(path, shares.append)
    source.need(100, "the header")
    source.close()
    assert shares == [0.0, 0.3, 0.6, 0.9]


def refusal(ask) -> str:
    with pytest.raises(VocabError) as caught:
        ask()
    return str(caught.value)


def test_what_is_missing_or_too_large_is_refused(opened, monkeypatch):
    source, _ = opened
    assert refusal(lambda: source.need(101, "the list")) == (
        "model.gguf ends in the middle of the list: it is 100 bytes long and byte 101 is missing. "
        "It was not copied completely; download it again."
    )
    monkeypatch.setattr(header_bytes, "MEMORY_LIMIT_BYTES", 60)
    source.need(8, "the header")
    source.reserve(30, "strings")
    source.reserve(10, "strings")
    too_much = (
        "model.gguf wants more than 0 MiB of memory for strings. "
        "No known tokenizer is that large; choose another file."
    )
    assert refusal(lambda: source.reserve(13, "strings")) == too_much
    assert refusal(lambda: source.need(21, "strings")) == too_much
    source.reserve(12, "strings")
    source.need(8, "what is there")
    monkeypatch.setattr(header_bytes, "MEMORY_LIMIT_BYTES", 3 << 20)
    assert "more than 3 MiB" in refusal(lambda: source.reserve(3 << 20, "strings"))


def test_as_much_as_the_limit_is_read(opened, monkeypatch):
    source, _ = opened
    monkeypatch.setattr(header_bytes, "MEMORY_LIMIT_BYTES", 60)
    source.reserve(40, "strings")
    source.need(20, "the rest")
    assert source.available >= 20


class BrokenDisk(io.BytesIO):
    def readinto(self, _):
        raise OSError(5, "Input/output error")


def test_a_file_that_cannot_be_read_is_refused(opened):
    source, _ = opened
    source.close()
    source._file = BrokenDisk()
    assert refusal(lambda: source.need(1, "the header")) == (
        "model.gguf cannot be read: Input/output error. Check the disk or copy the file."
    )


def test_the_state_tells_whether_a_file_is_still_the_same(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"abc")
    status = path.stat()
    with open_regular(path) as file:
        assert state_of(file) == FileState(status.st_dev, status.st_ino, 3, status.st_mtime_ns)
    assert file_state(path) == FileState(status.st_dev, status.st_ino, 3, status.st_mtime_ns)
    assert [file_state(tmp_path / name) for name in ("none", "a\0b")] == [None, None]


def test_folders_and_odd_files_are_told(tmp_path):
    assert (
        refusal(lambda: open_regular(tmp_path))
        == f"{tmp_path.name} is a folder. Choose a tokenizer file in it."
    )
    assert refusal(lambda: open_regular(Path("/"))) == "/ is a folder. Choose a tokenizer file in it."
    assert refusal(lambda: open_regular(tmp_path / "none")) == (
        "none cannot be opened: No such file or directory. Check its path and permissions."
    )
    assert refusal(lambda: open_regular(Path("a\0b"))) == (
        r"a\x00b cannot be opened: embedded null byte. Check its path and permissions."
    )
