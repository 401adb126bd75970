"""`tokenloupe bench field`: what it writes, and what it says about bad input."""

from __future__ import annotations

import pytest
from field_runs import field

from guiapp.analysis.bench.field.record import json_of
from guiapp.cli.bench_field import _plan, add_options, command_line
from guiapp.cli.main import run


def test_a_page_is_made_of_records_without_measuring(tmp_path, capsys):
    record, out = tmp_path / "field.json", tmp_path / "report.html"
    record.write_text(json_of(field()))
    assert (
        run(["bench", "field", "--from", str(record), "-o", str(out), "--json", str(tmp_path / "again.json")])
        == 0
    )
    assert "3 give correct ids" in out.read_text()
    assert (tmp_path / "again.json").read_text() == record.read_text()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Name a file for the report"),
        (["-o", "nowhere/report.html"], "cannot be written"),
        (["-o", "report.html"], "no vocabulary to measure with"),
        (["-o", "report.html", "--vocabularies", "gpt5", "demo:bpe"], "no known vocabulary “gpt5”"),
        (["-o", "report.html", "--contenders", "fastest", "demo:bpe"], "not a known library"),
        (["-o", "report.html", "--from", "none.json"], "cannot be read"),
        (["-o", "report.html", "none.gguf"], "none.gguf"),
    ],
)
def test_what_cannot_be_is_one_line_before_anything_is_measured(
    words, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run(["bench", "field", *words]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "report.html").exists()


def test_the_command_line_repeats_the_plan():
    import argparse
    import shlex

    parser = argparse.ArgumentParser()
    add_options(parser)
    words = [
        "demo:bpe",
        "--contenders",
        "tiktoken",
        "--text",
        "Prose=my book.txt",
        "--time-budget",
        "3",
        "--seed",
        "2",
    ]
    options = parser.parse_args([*words, "-o", "x.html"])
    again = parser.parse_args(shlex.split(command_line(options))[3:])
    assert _plan(again) == _plan(options)
