"""Contenders of one's own as people write them, and as files that others wrote say them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from guiapp import open_model
from guiapp.analysis.bench.engine import contenders_of
from guiapp.analysis.bench.operations import N_SINGLE, encode_all
from guiapp.analysis.bench.plan import Plan, plan_from
from guiapp.analysis.bench.report import command_line
from guiapp.analysis.bench.worker import Worker
from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.custom import (
    CustomContender,
    CustomError,
    ids_in,
    make_custom,
    open_custom,
    parse_custom,
    read_custom,
)
from guiapp.core.processes import command_of, environment

LENGTHS = """
import sys
while line := sys.stdin.buffer.readline():
    text = sys.stdin.buffer.read(int(line))
    print(len(text), text.count(b"\\n"), flush=True)
    if text == b"enough":
        sys.exit("I am tired")
"""
MODULE = """
class Letters:
    def __init__(self, text):
        self.ids = [ord(letter) for letter in text]
class inside:
    encode = Letters
number = 5
seen = []
def remember(text):
    seen.append(text)
    return [len(seen)]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The present one, with a module, a program and a file."""
    (tmp_path / "own_module.py").write_text(MODULE)
    (tmp_path / "tok").write_text("#!/bin/sh\n")
    (tmp_path / "tok").chmod(0o755)
    (tmp_path / "env").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="programs are found otherwise")
@pytest.mark.parametrize(
    ("written", "kind", "target"),
    [
        ("a=command:./tok --x ./env x=1", "command", "HERE/tok --x HERE/env x=1"),
        ("a b=stream:sh -c 'a  b'", "stream", "/SH -c 'a  b'"),
        ("a=python:json:dumps", "python", "json:dumps"),
        ("a=python:own_module:inside.encode", "python", "HERE/own_module:inside.encode"),
        ("a=python:./own_module.py:number", "python", "HERE/own_module:number"),
    ],
)
def test_a_parsed_library_has_absolute_paths_and_round_trips(folder, written, kind, target):
    own = parse_custom(written)
    target = target.replace("HERE", str(folder)).replace("/SH", subprocess.getoutput("command -v sh"))
    assert own.kind == kind
    assert own.target in (target, target.replace(".py:", ":"))
    assert parse_custom(str(own)) == own
    assert read_custom(json.loads(json.dumps([own.record()]))) == (own,)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("tok", "“tok” does not describe an encoder. Write NAME=command:WORDS, "),
        ("=command:sh", "“” cannot be a name"),
        ("a,b=command:sh", "“a,b” cannot be a name"),
        ("a\x1b=command:sh", r"“a\\x1b” cannot be a name"),
        (f"{'a' * 41}=command:sh", "cannot be a name"),
        ("fast (unsplit)=command:sh", "this ending marks encoders"),
        ("a=command:", "The command is missing"),
        ("a=command:sh 'x", "cannot be split into words: No closing quotation"),
        ("a=command:no-such-program-anywhere x", "There is no program “no-such-program-anywhere”"),
        ("a=python:json", "“json” is not a function. Write it as module:function"),
        ("a=python::x", "“:x” is not a function"),
        ("a=python:json:", "“json:” is not a function"),
        ("a=python:json:dumps@env", "“json:dumps@env” is not a function"),
        ("a=tiktoken@env", "“a=tiktoken@env” does not describe an encoder"),
    ],
)
def test_an_invalid_custom_library_is_refused(written, message):
    with pytest.raises(CustomError, match=message):
        parse_custom(written)


@pytest.mark.parametrize(
    "record",
    [{}, {"name": "a"},
     {"name": 1, "kind": "command", "target": "x"}, {"name": "a", "kind": "x", "target": "x"},
     {"name": "a", "kind": "command", "target": ""}, {"name": "a", "kind": "command", "target": ["rm"]},
     {"kind": "command", "target": "x"}, "abc", 5],
)  # fmt: skip
def test_an_invalid_record_of_a_custom_library_is_refused(record):
    with pytest.raises(CustomError):
        read_custom([record])


def test_custom_libraries_join_the_others_and_the_saved_plan():
    own = CustomContender("mine", "command", "sh -c 'x y'")
    plan = Plan("demo:bpe", contenders=("fast", "mine"), own=(own, replace(own, name="yours")))
    tokenizer = open_model("demo:bpe")
    assert contenders_of(plan, tokenizer) == ["fast", "mine", "yours"]
    assert contenders_of(replace(plan, contenders=()), tokenizer)[-2:] == ["mine", "yours"]
    assert plan_from(json.loads(json.dumps(plan.record()))) == plan
    words = shlex.split(command_line(plan))
    assert [words[at + 1] for at, word in enumerate(words) if word == "--own"] == list(map(str, plan.own))
    for name in ("fast", "tiktoken"):
        with pytest.raises(CustomError, match="already"):
            contenders_of(replace(plan, own=(replace(own, name=name),)), tokenizer)


def test_plans_of_earlier_versions_leave_out_contenders_in_other_pythons():
    mine = {"name": "mine", "kind": "command", "target": "x", "python": ""}
    others = [
        {"name": "old", "kind": "library", "target": "tiktoken", "python": "/env"},
        {"name": "f", "kind": "python", "target": "json:dumps", "python": "/env"},
    ]
    plan = plan_from({"model": "m", "contenders": ["fast", "old", "f", "mine"], "own": [*others, mine]})
    assert plan == Plan("m", contenders=("fast", "mine"), own=(CustomContender("mine", "command", "x"),))


def test_the_command_to_confirm_hides_no_characters():
    own = CustomContender("a", "command", "rm -rf x")
    assert own.shown == "rm -rf x"
    for hidden in ("\u202e", "\n", "\x1b[2K", "\0", "\udc80"):
        with pytest.raises(CustomError, match=r"“.*\\.*” contains what cannot be shown"):
            read_custom([replace(own, target=f"rm {hidden} x").record()])


def test_a_plan_from_a_file_runs_no_program_unless_allowed(tmp_path):
    trace = tmp_path / "trace"
    own = make_custom("a", "command", f'{shlex.quote(sys.executable)} -c \'open("{trace}", "w"); print(1)\'')
    plan = Plan(
        "demo:bpe", ("sample:welcome",), ("fast",), False, ("throughput",), own=(own,), time_budget_s=0.1
    )

    def events(*options: str) -> list[dict]:
        command = [*command_of("guiapp.analysis.bench"), *options]
        asked = json.dumps(plan.record()) + "\n"
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
        )
        process.stdin.write(asked)
        process.stdin.flush()
        with process:
            return [json.loads(line) for line in process.stdout]

    (event,) = events()
    assert event["event"] == "failed"
    assert own.shown in event["message"]
    assert not trace.exists()
    assert events("--run-own")[-1]["complete"]
    assert trace.exists()


def test_a_function_gives_a_list_or_an_object_with_ids(folder):
    own = parse_custom("a=python:own_module:inside.encode")
    assert encode_all(open_custom(own), [b"ab", "ä".encode()]).ids.tolist() == [97, 98, 228]
    with pytest.raises(UnavailableError, match="is not a function"):
        open_custom(parse_custom("a=python:own_module:number"))


@pytest.mark.parametrize("answer", [b"1 2\n3", b" [1, 2, 3] \n", b"1,2,3", b"1\n2\r\n3\n"])
def test_a_command_writes_ids_as_it_likes(answer):
    assert ids_in(answer).ids.tolist() == [1, 2, 3]
    assert ids_in(answer).ids.dtype == np.int32
    assert ids_in(b"[]\n").ids.tolist() == ids_in(b"").ids.tolist() == []


@pytest.mark.parametrize("answer", [b"1 x", b"1.5", b"-1", b"99999999999", b"9" * 30, b"\xff", b"[[1]]"])
def test_invalid_ids_are_refused(answer):
    with pytest.raises(UnavailableError, match=r"an id"):
        ids_in(answer)


def test_a_command_that_runs_once_answers_each_text_with_a_line(tmp_path):
    script = tmp_path / "lengths.py"
    script.write_text(LENGTHS)
    contender = open_custom(make_custom("a", "stream", shlex.join([sys.executable, str(script)])))
    texts = [b"", b"a\nb\n", b"c" * 1000]
    assert encode_all(contender, texts).ids.tolist() == [0, 0, 4, 2, 1000, 0]
    assert contender.encode(b"enough") == b"6 0\n"
    with pytest.raises(UnavailableError, match=r"^It ended with status 1: I am tired\.$"):
        contender.encode(b"more")


def test_single_calls_of_a_function_find_its_module_as_if_just_loaded(folder):
    function = parse_custom("a=python:own_module:remember")
    worker = Worker("demo:bpe", "a", None, function)
    worker.load()
    worker.prepare("encode singly", (b"a", b"b"), 1)
    assert len(worker.sample("encode singly").calls_s) == N_SINGLE
    first, again = open_custom(function), open_custom(function)
    assert [encode_all(each, [b"a"]).ids.tolist() for each in (first, again, again)] == [[1], [1], [2]]
