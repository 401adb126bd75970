"""What commands print on a terminal, or into a file, that takes ASCII only."""

from __future__ import annotations

import io
import json
import sys

import pytest

from guiapp.cli.main import run


def printed(command, monkeypatch) -> bytes:
    """What a command writes to standard output that is in ASCII."""
    written = io.BytesIO()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
        assert run(command) == 0
        return written.getvalue()


@pytest.mark.parametrize(
    "command",
    [
        ["info", "demo:bpe", "--json"],
        ["tokenize", "demo:bpe", "中", "--format", "json"],
        ["tokenize", "demo:unigram", "中", "--best", "2", "--format", "json"],
        ["step", "demo:bpe", "中", "--json"],
        ["chunk", "demo:bpe", "中", "--max-tokens", "9", "--json"],
        ["tree", "demo:bpe", "中", "--json"],
        ["compare", "demo:bpe", "demo:spm", "--text", "中", "--json"],
        ["special", "demo:wordpiece", "--json"],
    ],
    ids=" ".join,
)
def test_json_is_utf8_whatever_the_encoding(command, monkeypatch):
    assert json.loads(printed(command, monkeypatch).decode("utf-8"))


def test_what_becomes_a_file_is_utf8_too(monkeypatch):
    command = ["compare", "--vocab", "demo:bpe", "demo:unigram", "--csv"]
    assert not printed(command, monkeypatch).decode("utf-8").isascii()


def test_training_is_told_too(tmp_path, monkeypatch):
    (tmp_path / "text").write_text("a b a b")
    files = ["-f", str(tmp_path / "text"), "-o", str(tmp_path / "out.gguf")]
    assert b"?" in printed(["train", "bpe", *files, "--vocab-size", "258", "--log"], monkeypatch)


@pytest.mark.parametrize(
    "command",
    [
        ["info", "demo:bpe"],
        ["tree", "demo:bpe", "中"],
        ["compare", "demo:bpe", "demo:wordpiece", "--text", "中"],
        ["chunk", "demo:bpe", "中", "--max-tokens", "9"],
        ["tokenize", "demo:bpe", "中", "--format", "table"],
        ["tokenize", "demo:bpe", "中", "--format", "color"],
        ["tokenize", "demo:bpe", "中", "--format", "log"],
    ],
    ids=" ".join,
)
def test_what_people_read_is_printed_as_well_as_can_be(command, monkeypatch):
    assert b"?" in printed(command, monkeypatch)


def test_sessions_are_told_as_well_as_can_be(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("step\nquit\n"))
    assert b"?" in printed(["step", "demo:bpe", "中"], monkeypatch)
