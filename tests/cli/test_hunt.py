"""`tokenloupe hunt`: exit status, what is printed and what is written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

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


def test_mismatches_are_printed_and_set_the_exit_status(pair, tmp_path, capsys):
    report, texts = tmp_path / "report.md", tmp_path / "own.txt"
    texts.write_text("In 1984\nno\n")
    options = ["--seconds", "100", "--seed", "5", "-f", str(texts), "--report", str(report), "--json"]
    assert run(["hunt", *pair, *options]) == 3
    printed = capsys.readouterr()
    result = json.loads(printed.out)
    assert result["seed"] == 5
    assert (result["lines"], result["differing_lines"]) == (2, 1)
    digits = next(find for find in result["finds"] if find["subject"] == "digits")
    assert digits["cause"] == "pre-tokenizer"
    assert digits["text"].encode().hex() == digits["bytes_hex"]
    assert digits["share"] == 0.5
    assert "Found " in printed.err
    assert "pre\\-tokenizer: digits" in report.read_text()


@pytest.mark.parametrize(
    ("n_batches", "status", "verdict"), [(30, 0, "No difference"), (3, 1, "Inconclusive")]
)
def test_no_mismatch_is_status_0_for_many_texts_and_1_for_few(
    n_batches, status, verdict, monkeypatch, capsys
):
    plan = engine.HuntPlan
    monkeypatch.setattr(
        engine, "HuntPlan", lambda *given, **named: replace(plan(*given, **named), most_batches=n_batches)
    )
    assert run(["hunt", "demo:spm", "demo:spm", "--seconds", "100"]) == status
    assert capsys.readouterr().out.startswith(verdict)


def test_so_many_texts_are_the_same_ones_every_time(pair, monkeypatch, capsys):
    monkeypatch.undo()
    result = []
    for _ in range(2):
        assert run(["hunt", *pair, "--texts", "4321", "--seed", "3", "--json"]) == 3
        result.append(json.loads(capsys.readouterr().out) | {"seconds": 0})
    assert result[0]["tried"] == 4321
    assert result[0] == result[1]
    with pytest.raises(SystemExit):
        run(["hunt", *pair, "--texts", "9", "--seconds", "1"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems start other processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("is_command", [False, True])
def test_no_folder_is_left_however_a_hunt_ends(number, is_command, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import guiapp\nif __name__ == '__main__':\n    guiapp.hunt('demo:bpe', 'demo:bpe')\n")
    command = ["-m", "guiapp", "hunt", "demo:bpe", "demo:bpe"] if is_command else [str(script)]
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # where a socket may be
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen([sys.executable, *command], env=environment, stderr=subprocess.DEVNULL) as process:
        time.sleep(2)
        process.send_signal(number)
    ended_s = time.monotonic()
    while list(folder.rglob("pymp-*")) and time.monotonic() < ended_s + 5:
        time.sleep(0.05)
    assert not list(folder.rglob("pymp-*"))
    assert number == signal.SIGKILL or not list(folder.iterdir())
    shutil.rmtree(folder)


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
