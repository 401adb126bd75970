"""Files that people open as text."""

import os

import pytest

from guiapp.kit.state import saving as text_files
from guiapp.kit.state.saving import TextFileError, binary_type, is_model_file, read_text, write_text


def test_bytes_come_back_as_they_were_written(tmp_path):
    path = tmp_path / "text.txt"
    write_text(path, b"a\r\n\xff\x00")
    assert read_text(path) == b"a\r\n\xff\x00"
    assert [entry.name for entry in tmp_path.iterdir()] == ["text.txt"]


def test_a_folder_is_no_text(tmp_path):
    with pytest.raises(TextFileError, match="is a folder"):
        read_text(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_without_a_writer_does_not_block(tmp_path):
    path = tmp_path / "pipe.gguf"
    os.mkfifo(path)
    with pytest.raises(TextFileError, match="not a regular file"):
        read_text(path)
    assert is_model_file(path)  # by its name, so that people read what is wrong with the model


def test_an_empty_model_file_does_not_become_an_empty_text(tmp_path):
    path = tmp_path / "cut.gguf"
    path.touch()
    assert is_model_file(path)


def test_a_text_too_large_to_show_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "LARGEST_TEXT_BYTES", 3)
    path = tmp_path / "text.txt"
    path.write_bytes(b"1234")
    with pytest.raises(TextFileError, match="4 bytes; the limit is 3"):
        read_text(path)


def test_a_failed_save_leaves_the_old_file(tmp_path):
    folder = tmp_path / "taken"
    folder.mkdir()
    with pytest.raises(TextFileError, match="taken cannot be saved"):
        write_text(folder, b"new")
    assert folder.is_dir()
    assert [entry.name for entry in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize(
    ("name", "head", "is_model"),
    [
        *(("a.txt", b"GGUF\3\0\0\0", True), ("a.gguf", b"text", False), ("a.txt", b"", False)),
        *(("a.txt", b"IQ== 0\nIg== 1\n", True), ("a.txt", b"1 '\\x00' 1\n", True)),
        *(("a.txt", b'{"vocab": [{"token_bytes": "', True), ("a.tiktoken", b"text", False)),
    ],
)
def test_model_files_are_known_by_their_first_bytes(tmp_path, name, head, is_model):
    path = tmp_path / name
    path.write_bytes(head)
    assert is_model_file(path) is is_model


def test_a_file_named_like_a_partial_one_is_not_removed(tmp_path):
    other = tmp_path / "text.txt.part"
    other.write_bytes(b"half a download")
    write_text(tmp_path / "text.txt", b"text")
    assert other.read_bytes() == b"half a download"
    assert {path.name for path in tmp_path.iterdir()} == {"text.txt", "text.txt.part"}


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
        (b"%PDF-1.7\n1 0 obj", "a PDF document"),
        (b"PK\x03\x04\x14\0\0\0", "a ZIP archive"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "a WebP picture"),
        (b"\x7fELF\2\1\1\0", "a program (ELF)"),
        (b"a.txt" + bytes(252) + b"ustar", "a tar archive"),
        (b"\1\2\3\0\xff", "binary data"),
        (b"", ""),
        (b"BM is short for benchmark, MZ for nothing.", ""),
        ("汉".encode() * 3000, ""),
        (b"Latin-1: caf\xe9", ""),
        ("\ufeffUTF-16".encode("utf-16-le"), ""),
    ],
)
def test_what_is_no_text_is_known_by_its_first_bytes(head, what):
    assert binary_type(head) == what
