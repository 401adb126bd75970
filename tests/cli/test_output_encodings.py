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
