"""JSON from outside: whatever is wrong with it is one kind of error, and no command ends with a traceback."""

import json

import pytest

from guiapp.analysis.bench.history import load_run
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.explain.id_lists import IdsError, parse_ids
from guiapp.cli.main import run
from guiapp.core.system import outside_json
from guiapp.core.system.outside_json import read_json
from guiapp.pages.steps.model import Remembered, recall

DEEP = "[" * 100_000
LONG = "1" * 5_000
HOSTILE = [DEEP, LONG, '{"a": ' * 50_000, f'{{"token_ids": [1, {LONG}]}}', "{", '{"a": \ud800']


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_every_fault_is_a_value_error_that_can_be_shown(text):
    with pytest.raises(ValueError, match=r"deep|digits|Expecting"):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (DEEP, "it is nested too deeply"),
        (LONG, "it holds a number of too many digits"),
        (" " * (3 << 20) + "1", "it is longer than 3 MB"),
    ],
    ids=["deep", "digits", "long"],
)
def test_reasons_can_be_shown(text, reason, monkeypatch):
    monkeypatch.setattr(outside_json, "MOST_CHARACTERS", 3 << 20)
    with pytest.raises(ValueError, match=f"^{reason}$"):
        read_json(text)
    assert read_json(" " * ((3 << 20) - 1) + "1") == 1


def test_bytes_are_read_too():
    assert read_json(b'{"a": [1, "\xc3\xa9"]}') == {"a": [1, "é"]}
    with pytest.raises(UnicodeDecodeError):
        read_json(b'"\xff"')
    with pytest.raises(json.JSONDecodeError):
        read_json("{")


@pytest.mark.parametrize("text", HOSTILE[:4], ids=range(4))
def test_what_reads_it_says_so_or_goes_without(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(BenchError):
        load_run(path)
    assert recall(text) == Remembered()
    if text.startswith("{"):
        with pytest.raises(IdsError):
            parse_ids(text, 100)


@pytest.mark.parametrize("text", HOSTILE[1:4], ids=range(3))
def test_commands_end_with_a_line(tmp_path, capsys, text):
    path = tmp_path / "in.json"
    path.write_text(text)
    assert run(["detokenize", "demo:toy", "-f", str(path)]) == 1
    assert run(["bench", "demo:toy", "--compare", str(path)]) == 1
    assert capsys.readouterr().err.count("tokenloupe: ") == 2
