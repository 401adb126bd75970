"""What commands have in common: how they write, and what they take for a size, a scale, a list."""

import argparse
import io
import json
import os
import re
import sys
from pathlib import Path

import pytest

from guiapp.cli import files
from guiapp.cli.files import (
    InputError,
    file_path,
    need_no_display,
    picture_size,
    positive_number,
    print_json,
    seed_number,
    write,
)
from guiapp.cli.main import run
from guiapp.core.sources import files as input_files


def printed(monkeypatch, act):
    """The bytes that went to standard output."""
    written = io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
        act()
        sys.stdout.flush()
        return written.getvalue()


@pytest.mark.parametrize(
    ("record", "indent", "lines"),
    [
        ({"é": ["a", 1]}, None, '{"é": ["a", 1]}\n'),
        ({"é": ["a"]}, 2, '{\n  "é": [\n    "a"\n  ]\n}\n'),
        ("\x7f\u202e汉\u2028", None, '"\\u007f\\u202e汉\\u2028"\n'),
    ],
)
def test_records_are_printed_for_eyes_and_programs(record, indent, lines, monkeypatch):
    output = printed(monkeypatch, lambda: print_json(record, indent)).decode()
    assert output == lines
    assert json.loads(output) == record


def test_results_go_to_a_file_or_to_standard_output(tmp_path, monkeypatch):
    assert printed(monkeypatch, lambda: write("-", b"\xff")) == b"\xff"
    assert not Path("-").exists()
    assert printed(monkeypatch, lambda: write(str(tmp_path / "+"), b"\xff")) == b""
    assert (tmp_path / "+").read_bytes() == b"\xff"
    with pytest.raises(InputError, match=r"/no/a cannot be written: No such file or directory\.$"):
        write(str(tmp_path / "no" / "a"), b"")


def test_pictures_are_made_without_a_display(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    need_no_display()
    import os

    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (file_path, "a", Path("a")),
        (file_path, "", None),
        (picture_size, "10x16000", (10, 16_000)),
        (picture_size, "16000x10", (16_000, 10)),
        (picture_size, "16001x10", None),
        (picture_size, "10x16001", None),
        (picture_size, "9x10", None),
        (picture_size, "640x480x3", None),
        (positive_number, "0.5", 0.5),
        (positive_number, "1", 1.0),
        (positive_number, "0", None),
        (positive_number, "-1", None),
        (positive_number, "inf", None),
        (positive_number, "nan", None),
        (positive_number, "x", None),
        (seed_number, "0", 0),
        (seed_number, "7", 7),
        (seed_number, "-1", None),
    ],
)
def test_arguments_are_understood_or_refused(parse, text, value):
    if value is None:
        with pytest.raises(argparse.ArgumentTypeError):
            parse(text)
    else:
        assert parse(text) == value


TEXT_COMMANDS = [
    ["tokenize", "demo:bpe", "-f"],
    ["count", "demo:bpe", "-f"],
    ["why", "demo:bpe", "-f"],
    ["step", "demo:bpe", "--json", "-f"],
    ["chunk", "demo:bpe", "--max-tokens", "9", "-f"],
    ["detokenize", "demo:bpe", "-f"],
    ["compare", "demo:bpe", "demo:wordpiece", "-f"],
    ["compare", "demo:bpe", "--text", "a", "--against"],
    ["chat", "demo:bpe"],
    ["train", "bpe", "--vocab-size", "300", "-o", "out.gguf", "-f"],
    ["hunt", "demo:bpe", "demo:wordpiece", "--seconds", "1", "-f"],
    ["bench", "demo:bpe", "-f"],
    ["bench", "demo:bpe", "--compare"],
    ["info"],
    ["doctor", "demo:bpe", "--original"],
]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
@pytest.mark.parametrize("words", TEXT_COMMANDS, ids=" ".join)
def test_what_has_no_end_is_refused_at_once(words, tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    monkeypatch.setattr(input_files, "PATIENCE_S", 0.01)
    for name in ("/dev/zero", "pipe"):
        assert run([*words, name]) == 1
        assert re.fullmatch("tokenloupe: .{9,200}\n", capfd.readouterr().err), name


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/fd")
@pytest.mark.parametrize("is_named", [True, False])
def test_a_pipe_is_read_up_to_a_limit(is_named, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    for text, status in ((b"ten bytes.", 0), (b"eleven bytes", 1)):
        reading, writing = os.pipe()
        os.write(writing, text)
        os.close(writing)
        with open(reading) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            words = ["-f", f"/dev/fd/{reading}"] if is_named else []
            assert run(["tokenize", "demo:bpe", "--round-trip", *words]) == status
        assert ("more than 10 bytes" in capsys.readouterr().err) == bool(status)
