"""Texts and lists of ids in UTF-16: told, converted where that is asked for, exact bytes otherwise."""

import gzip
import io
import sys

import pytest

from guiapp.cli.main import run

TEXT = "Größe 10 μm, 世界 😀\n" * 500  # more than the first block of a stream
COMMANDS = [("tokenize",), ("count",), ("chunk", "--max-tokens", "50")]


def result_of(capfd, command, *arguments):
    status = run([command[0], "demo:bpe", *command[1:], *arguments])
    out, err = capfd.readouterr()
    return status, out, err


@pytest.fixture
def files(tmp_path):
    """The same text in UTF-16 and in UTF-8."""
    wide, narrow = tmp_path / "wide.txt", tmp_path / "narrow.txt"
    wide.write_bytes(TEXT.encode("utf-16"))
    narrow.write_bytes(TEXT.encode())
    return str(wide), str(narrow)


@pytest.mark.parametrize("command", COMMANDS)
def test_utf_16_text_is_reported_and_read_as_bytes(capfd, files, command):
    wide, narrow = files
    status, out, err = result_of(capfd, command, "-f", wide)
    assert status == 0
    assert err == f"tokenloupe: {wide} is UTF-16, and its bytes are read as they are. Convert with --utf16.\n"
    assert out != result_of(capfd, command, "-f", narrow)[1]


def test_a_compressed_text_is_counted_as_it_is_with_a_warning(capfd, tmp_path):
    (packed := tmp_path / "text.txt.gz").write_bytes(gzip.compress(b"some text"))
    status, out, err = result_of(capfd, ["count"], "-f", str(packed))
    assert (status, out.strip().isdecimal()) == (0, True)
    assert f"{packed} is compressed (gzip)" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_converted_where_that_is_asked_for(capfd, files, command):
    wide, narrow = files
    converted = result_of(capfd, command, "-f", wide, "--utf16")
    assert converted == (0, result_of(capfd, command, "-f", narrow)[1], "")


def test_standard_input_may_be_utf_16_without_a_mark(capfd, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("世界".encode("utf-16-le"))))
    piped = result_of(capfd, ("tokenize",), "--utf16")
    assert piped == result_of(capfd, ("tokenize",), "世界")


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_ids_that_a_shell_wrote_as_utf_16_are_read(capfd, tmp_path, codec):
    ids = tmp_path / "ids.txt"
    ids.write_bytes("1489 1171\n".encode(codec))
    assert result_of(capfd, ("detokenize",), "-f", str(ids)) == (0, "Hello world", "")
