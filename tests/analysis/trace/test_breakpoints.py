"""Breakpoints, found for a whole trace at once, are those that a look at each step finds; walks stop."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.trace.breakpoints import (
    Breakpoint,
    Stops,
    Walk,
    absence,
    hits,
    parse_breakpoint,
)
from guiapp.analysis.trace.conditions import TRACE_SCHEMA, TraceValues
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import Replay
from guiapp.analysis.trace.trace import OPERATIONS, TraceTokens
from guiapp.errors import TokenloupeError

TOKENIZER = guiapp.open_model("demo:spm")
TEXT = "Where do lions sleep? In New York, they say 😍."
TRACE = record(TOKENIZER, TEXT, "heap")
VALUES = TraceValues(TRACE, TOKENIZER.vocabulary)
COLUMNS = TRACE.columns
N_TOKENS = len(TOKENIZER.vocabulary)
RAW = TOKENIZER.vocabulary.raw_text


def hit_steps(text: str) -> list[int]:
    return hits(parse_breakpoint(text), VALUES, {}).tolist()


def walked(meets) -> list[int]:
    return [step for step in range(len(TRACE)) if meets(step)]


def forms(step: int) -> bool:
    return OPERATIONS[COLUMNS.operation[step]].forms


def made(step: int) -> bytes:
    token_id = int(COLUMNS.result[step])
    return RAW(token_id) if 0 <= token_id < len(TOKENIZER.vocabulary) else b"?"


def test_a_token_matches_by_id_text_and_bytes():
    token_id = int(COLUMNS.result[walked(lambda step: TRACE.operation(step) == "merge")[-1]])
    raw = RAW(token_id).decode()
    expected = walked(lambda step: forms(step) and COLUMNS.result[step] == token_id)
    assert expected
    hex_bytes = " ".join(f"0x{byte:02X}" for byte in TOKENIZER.vocabulary.token_bytes(token_id))
    assert (
        hit_steps(f"token {token_id}")
        == hit_steps(f'token "{raw}"')
        == hit_steps(f"token {hex_bytes}")
        == expected
    )


@given(st.data())
def test_breakpoints_match_a_step_by_step_search(data):
    kind = data.draw(st.sampled_from(["rank", "byte", "operation", "pattern", "pair", "piece"]))
    if kind == "rank":
        low, high = sorted(data.draw(st.tuples(st.integers(-500, 900), st.integers(-500, 900))))
        value = f"{low}..{high}"
        expected = walked(lambda step: forms(step) and low <= COLUMNS.rank[step] <= high)
    elif kind == "byte":
        at = data.draw(st.integers(0, 80))
        value = str(at)
        covering = walked(lambda step: COLUMNS.position[step] <= at < COLUMNS.end[step])
        expected = [step for step in covering if forms(step)] or [
            step for step in covering if TRACE.operation(step) == "done"
        ]
    elif kind == "operation":
        value = data.draw(st.sampled_from([operation.name for operation in OPERATIONS]))
        expected = walked(lambda step: TRACE.operation(step) == value)
    elif kind == "pattern":
        value = data.draw(st.sampled_from(["e", "^▁", "[A-Z]", "s$", "▁N|ee"]))
        expected = walked(
            lambda step: forms(step) and bool(re.search(value, made(step).decode("utf-8", "replace")))
        )
    elif kind == "pair":
        step = data.draw(st.sampled_from(walked(lambda step: TRACE.operation(step) == "merge")))
        left, right = int(COLUMNS.left[step]), int(COLUMNS.right[step])
        value = f"{left} {right}"
        expected = walked(
            lambda step: (
                TRACE.operation(step) == "merge"
                and (COLUMNS.left[step], COLUMNS.right[step]) == (left, right)
            )
        )
    else:
        value, expected = "0", [int(TRACE.pieces.first_step[0])]
    assert hit_steps(f"{kind} {value}") == expected
    assert hit_steps(f"{kind} {value} if step > 60") == [step for step in expected if step > 60]
    assert hits(Breakpoint(kind, value, hit_count=3), VALUES, {}).tolist() == expected[2:]


def test_the_first_difference_is_where_tokens_cannot_agree_any_more():
    expected = Replay(TRACE).tokens(len(TRACE))
    split = int(np.flatnonzero(expected.ends - expected.starts > 2)[0])
    halves = TraceTokens(
        np.insert(expected.ids, split, 5),
        np.insert(expected.starts, split + 1, expected.starts[split] + 1),
        np.insert(expected.ends, split, expected.starts[split] + 1),
    )
    (step,) = hits(Breakpoint("difference", "other"), VALUES, {"other": halves}).tolist()
    cut = int(expected.starts[split]) + 1
    crossing = walked(lambda step: forms(step) and COLUMNS.position[step] < cut < COLUMNS.end[step])
    assert step == crossing[0]
    assert hits(Breakpoint("difference", "other"), VALUES, {"other": expected}).tolist() == []


def test_a_run_goes_to_the_next_and_to_the_previous_stop():
    rows = [
        parse_breakpoint("operation merge"),
        parse_breakpoint("operation stale"),
        parse_breakpoint("rank 0.."),
    ]
    rows[2] = Breakpoint("rank", "0..", log="{result} at {position}")
    stops = Stops(rows, VALUES, {})
    expected = walked(lambda step: TRACE.operation(step) in ("merge", "stale"))
    seen, step = [], -1
    while (stop := stops.after(step)) is not None:
        step, index = stop
        assert TRACE.operation(step) == rows[index].value
        seen.append(step)
    assert seen == expected
    back = []
    while (stop := stops.before(step + 1 if not back else step)) is not None:
        step = stop[0]
        back.append(step)
    assert back == expected[::-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"token {N_TOKENS}", f"The model has no token {N_TOKENS}: its last id is {N_TOKENS - 1:,}."),
        ('pair "N" 9999', "The model has no token 9999"),
        ("byte 999", "The text has no byte 999"),
        ("piece 999", "There is no piece 999"),
        ("difference viterbi", "The model has no encoder “viterbi”"),
        (f"token {N_TOKENS - 1}", ""),
        ('token "never"', ""),
        ("byte 0", ""),
        ("difference greedy", ""),
        ("rank < 5", ""),
    ],
)
def test_a_breakpoint_that_cannot_be_hit_has_a_reason(text, message):
    missing = absence(parse_breakpoint(text), VALUES, TOKENIZER.encoders)
    assert missing.startswith(message)
    assert bool(missing) == bool(message)


@pytest.mark.parametrize(
    "text",
    [
        *("token", "byte x", "piece -1", "rank a..b", "score 1..b", "rank ..", "rank", "rank 5.5..1"),
        *("difference nobody", "operation jump", "stage encode", "pattern (", 'pair "a"', 'pair "a" b c'),
        *("byte 3 if colour", "byte 3 hit x", "byte 3 hit 0", "byte 3 log {colour}", "colour == 2", "if"),
    ],
)
def test_nonsense_is_an_error(text):
    with pytest.raises(TokenloupeError):
        parse_breakpoint(text)


READ = {
    "token 5": Breakpoint("token", "5"),
    '  token  "a if b"  if  rank < 5': Breakpoint("token", '"a if b"', "rank < 5"),
    'pair "a" "b"': Breakpoint("pair", '"a" "b"'),
    "pair a b if step": Breakpoint("pair", "a b", "step"),
    "rank < 5": Breakpoint("if", condition="rank < 5"),
    "rank not in (1, 2)": Breakpoint("if", condition="rank not in (1, 2)"),
    "rank ..5": Breakpoint("rank", "..5"),
    "if rank": Breakpoint("if", condition="rank"),
    "if rank - 5 > depth": Breakpoint("if", condition="rank - 5 > depth"),
    "forms": Breakpoint("if", condition="forms"),
    "operation dead end": Breakpoint("operation", "dead end"),
    "byte 3 hit 2 once": Breakpoint("byte", "3", hit_count=2, once=True),
    "byte 3 log once": Breakpoint("byte", "3", log="once"),
    "byte 3 once log {rank} hit 2": Breakpoint("byte", "3", once=True, log="{rank} hit 2"),
    'token " once "': Breakpoint("token", '" once "'),
    r'token "\" once" once': Breakpoint("token", r'"\" once"', once=True),
    "rank < 5 once": Breakpoint("if", condition="rank < 5", once=True),
}


@pytest.mark.parametrize("text", READ)
def test_a_breakpoint_is_read_as_it_is_meant(text):
    assert parse_breakpoint(text) == READ[text]
    assert parse_breakpoint(READ[text].title) == READ[text]


class TenSteps:
    schema = TRACE_SCHEMA
    n_steps = 10

    def column(self, name, steps):
        return np.arange(10.0)[steps]

    def description(self, column, step):
        return f"<{step}>" if column == "result" else None


def at(*steps, **more):
    return Breakpoint("if", condition=" or ".join(f"step == {step}" for step in steps), **more)


ROWS = (at(3, 6), at(6), at(1, 4, 8, log="{result} is {rank}"), at(0, 3, is_enabled=False), at(8, 4, log="x"))


def test_a_run_stops_and_notes_what_it_passed_forwards():
    walk = Walk(TenSteps())
    walk.set_breakpoints(ROWS)
    assert walk.breakpoints == ROWS

    def after(move, *arguments):
        position = move(*arguments)
        assert position == walk.position
        stopped = None if walk.stopped_at is None else ROWS.index(walk.stopped_at)
        return position, stopped, [step for step, _ in walk.log]

    assert after(walk.run) == (3, 0, [1])
    assert after(walk.run) == (6, 0, [4, 4])
    assert after(walk.run) == (10, None, [8, 8])
    assert after(walk.reverse) == (6, 1, [])
    assert after(walk.back_until, 3) == (3, 0, [])
    assert after(walk.reverse) == (0, None, [])
    assert after(walk.until, 1) == (1, None, [1])
    assert after(walk.until, 2) == (2, None, [])
    assert after(walk.until, 3) == (3, 0, [])
    assert after(walk.until, 5) == (5, None, [4, 4])
    assert after(walk.back_until, 4) == (4, None, [])
    assert after(walk.back_until, 3) == (3, 0, [])
    assert after(walk.until, 99) == (6, 0, [4, 4])
    assert after(walk.go_to, 99) == (10, None, [])
    assert after(walk.go_to, -1) == (0, None, [])
    walk.log_limit = 1
    assert after(walk.run) == (3, 0, [1])
    assert after(walk.run) == (6, 0, [4])


@pytest.mark.parametrize(
    ("condition", "operations"),
    [
        ("rank < 100", {"merge"}),
        ("not rank >= 100 and length > 1", {"merge"}),
        ("rank < 100 and forms == 0", {"push", "stale"}),
        ('rank < 100 and operation == "push"', {"push"}),
        ("operation push if rank < 100", {"push"}),
    ],
)
def test_a_rank_condition_means_merges_unless_it_names_operations(condition, operations):
    tokenizer = guiapp.open_model("demo:bpe")
    trace = record(tokenizer, "the lions and the others are here", "heap")
    hit_steps = hits(parse_breakpoint(condition), TraceValues(trace, tokenizer.vocabulary), {})
    assert {trace.operation(step) for step in hit_steps.tolist()} == operations
