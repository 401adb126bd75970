"""JSON from outside: whatever is wrong with it is one kind of error, and no command ends with a traceback."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest

from guiapp.analysis.bench.history import load_run
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.explain.id_lists import IdsError, parse_ids
from guiapp.cli.main import run
from guiapp.core.text import outside_json
from guiapp.core.text.outside_json import MOST, lines_of_keys, read_as, read_json, without_strings
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
        (LONG, "it has a number of too many digits"),
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
def test_readers_refuse_or_ignore_hostile_json(tmp_path, text):
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


@dataclass(frozen=True)
class Inner:
    name: str
    kind: Literal["a", "b"] = "a"


@dataclass(frozen=True)
class Outer:
    numbers: tuple[int, ...]
    pair: tuple[float, str]
    inner: Inner | None
    by_name: Mapping[str, tuple[Inner, ...]]
    is_on: bool


RIGHT = {"numbers": [1, 2], "pair": [1, "x"], "inner": None, "by_name": {"k": [{"name": "n", "kind": "b"}]}}


def test_values_of_json_become_those_of_a_type():
    assert read_as(Outer, {**RIGHT, "is_on": True, "more": 1}) == Outer(
        (1, 2), (1, "x"), None, {"k": (Inner("n", "b"),)}, True
    )
    assert read_as(tuple[Inner, ...], [{"name": "n"}, {"name": "m", "kind": None}]) == (
        Inner("n"),
        Inner("m"),
    )


@pytest.mark.parametrize(
    "changes",
    [
        *({"numbers": odd} for odd in (1, [1.0], ["1"], [True], [-1], [MOST + 1], {}, None)),
        *({"pair": odd} for odd in ([1], [1, "x", "y"], ["x", 1], [float("nan"), "x"], [10**400, "x"])),
        *({"inner": odd} for odd in ([], {"kind": "a"}, {"name": "n", "kind": "c"}, {"name": 1})),
        *({"by_name": odd} for odd in ([], {"k": {}}, {"k": [1]})),
        {"is_on": 1},
    ],
)
def test_what_is_not_of_the_type_is_refused(changes):
    with pytest.raises(ValueError, match=r"^its “|^it is"):
        read_as(Outer, {**RIGHT, "is_on": True, **changes})


TEXT = '''\
title = "a # b = \\" c"  # d = 1
"about" = """
step = 1 \\"""
[[step]]
"""
'text' = \'\'\'
x = """
\'\'\'
[[step]]
say = "[[step]]"
[[ "step" ]]
say = 'a = 1'
ask = """one""""
n = 3
'''


def test_the_line_of_each_key_is_found():
    assert [set(part) for part in tomllib.loads(TEXT)["step"]] == [{"say"}, {"say", "ask", "n"}]
    assert lines_of_keys(TEXT) == [
        {"": 1, "title": 1, "about": 2, "text": 6, "step": 9},
        {"": 9, "say": 10},
        {"": 11, "say": 12, "ask": 13, "n": 14},
    ]


def test_removing_strings_and_comments_preserves_lines():
    plain = without_strings(TEXT)
    assert plain.split("\n") == [
        *("title =   ", " = ", "", "", "", " = ", "", "", "[[step]]", "say = "),
        *("[[  ]]", "say = ", "ask = ", "n = 3", ""),
    ]
    assert without_strings('a = """never\nends') == "a = \n"
