"""`tokenloupe hunt`: exit status, what is printed and what is written."""

from __future__ import annotations

import json
from dataclasses import replace

import planted
import pytest

from guiapp.analysis.hunt import engine
from guiapp.cli.main import run


@pytest.fixture(autouse=True)
def few_batches(monkeypatch):
    """So that no test waits for the time to be over."""
    plan = engine.HuntPlan
    monkeypatch.setattr(
        engine, "HuntPlan", lambda *given, **named: plan(*given, **named, most_batches=10, n_workers=1)
    )


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    return list(
        map(str, planted.Plant("", "demo:bpe", "gguf", planted.set_part(pre="qwen2"), ()).write(folder))
    )


def test_finds_are_printed_and_the_status_says_so(pair, tmp_path, capsys):
    report, texts = tmp_path / "report.md", tmp_path / "own.txt"
    texts.write_text("In 1984\nno\n")
    options = ["--seconds", "100", "--seed", "5", "-f", str(texts), "--report", str(report), "--json"]
    assert run(["hunt", *pair, *options]) == 3
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["seed"] == 5
    assert (found["lines"], found["differing_lines"]) == (2, 1)
    digits = next(find for find in found["finds"] if find["subject"] == "digits")
    assert digits["cause"] == "pre-tokenizer"
    assert digits["text"].encode().hex() == digits["bytes_hex"]
    assert digits["share"] == 0.5
    assert "Found " in printed.err
    assert "pre\\-tokenizer: digits" in report.read_text()


@pytest.mark.parametrize(
    ("n_batches", "status", "verdict"), [(30, 0, "No difference"), (3, 1, "Inconclusive")]
)
def test_nothing_found_in_many_texts_is_status_0_and_in_few_1(
    n_batches, status, verdict, monkeypatch, capsys
):
    plan = engine.HuntPlan
    monkeypatch.setattr(
        engine, "HuntPlan", lambda *given, **named: replace(plan(*given, **named), most_batches=n_batches)
    )
    assert run(["hunt", "demo:spm", "demo:spm", "--seconds", "100"]) == status
    assert capsys.readouterr().out.startswith(verdict)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo:none", "demo:bpe"], "demo:none"),
        (["demo:bpe", "demo:bpe", "-f", "no such file"], "no such file"),
        (["llama.cpp", "demo:bpe"], "Give the model file first"),
    ],
)
def test_input_at_fault_is_status_1_and_one_line(arguments, message, capfd):
    assert run(["hunt", *arguments]) == 1
    error = capfd.readouterr().err
    assert message in error
    assert error.count("\n") == 1
