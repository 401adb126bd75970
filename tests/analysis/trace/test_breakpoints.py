"""Breakpoints are found for the whole trace at once; here each is compared with a walk over its steps."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.breakpoints import (
    KINDS,
    Breakpoint,
    BreakpointError,
    Stops,
    absence,
    check,
    first_different_byte,
    hits,
    note,
    number_range,
    parse_breakpoint,
    without_once,
)
from guiapp.analysis.trace.conditions import COLUMNS as COLUMN_NAMES
from guiapp.analysis.trace.conditions import TraceValues
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import Replay
from guiapp.analysis.trace.trace import NUMBERS, OPERATIONS, TraceTokens
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.errors import TokenloupeError

TOKENIZER = guiapp.open_model("demo:spm")
TEXT = "Where do lions sleep? In New York, they say 😍."
TRACE = record(TOKENIZER, TEXT, "heap")
VALUES = TraceValues(TRACE, TOKENIZER.vocabulary)
COLUMNS = TRACE.columns
N_TOKENS = len(TOKENIZER.vocabulary)
RAW = TOKENIZER.vocabulary.raw_text
SHOWN = partial(Spelling.SIGNS.token, TOKENIZER.vocabulary)


def found(text: str) -> list[int]:
    return hits(parse_breakpoint(text), VALUES, {}).tolist()


def walked(meets) -> list[int]:
    return [step for step in range(len(TRACE)) if meets(step)]


def forms(step: int) -> bool:
    return OPERATIONS[COLUMNS.operation[step]].forms


def made(step: int) -> bytes:
    token_id = int(COLUMNS.result[step])
    return RAW(token_id) if 0 <= token_id < len(TOKENIZER.vocabulary) else b"?"


def test_a_token_is_found_by_id_text_and_bytes():
    token_id = int(COLUMNS.result[walked(lambda step: TRACE.operation(step) == "merge")[-1]])
    raw = RAW(token_id).decode()
    expected = walked(lambda step: forms(step) and COLUMNS.result[step] == token_id)
    assert expected
    spelled = " ".join(f"0x{byte:02X}" for byte in TOKENIZER.vocabulary.token_bytes(token_id))
    assert found(f"token {token_id}") == found(f'token "{raw}"') == found(f"token {spelled}") == expected


@given(st.data())
def test_found_at_once_or_one_by_one_is_the_same(data):
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
    assert found(f"{kind} {value}") == expected
    assert found(f"{kind} {value} if step > 60") == [step for step in expected if step > 60]
    assert hits(Breakpoint(kind, value, hit_count=3), VALUES, {}).tolist() == expected[2:]


def test_a_piece_is_found_where_it_begins():
    tokenizer = guiapp.open_model("demo:bpe")
    trace = record(tokenizer, "How do lions sleep", "heap")
    values, firsts = TraceValues(trace, tokenizer.vocabulary), trace.pieces.first_step.tolist()
    stops = [hits(parse_breakpoint(f"piece {piece}"), values, {}).tolist() for piece in range(5)]
    assert stops == [[first] for first in firsts] + [[]]


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


def test_log_points_note_what_they_pass():
    merge = found("operation merge")[0]
    row = Breakpoint("operation", "merge", log="{left}+{right} at {position}")
    left, right = (SHOWN(int(column[merge])) for column in (COLUMNS.left, COLUMNS.right))
    logged = list(Stops([row], VALUES, {}).logged(0, merge + 1))
    assert logged == [(merge, f"{left}+{right} at {COLUMNS.position[merge]}")]
    stops = Stops([row, Breakpoint("rank", "0..", log="{rank}")], VALUES, {})
    everything = list(stops.logged(0, len(TRACE)))
    assert [step for step, _ in everything] == sorted(step for step, _ in everything)
    assert list(stops.logged(0, len(TRACE), 3)) == everything[-3:]


def test_a_breakpoint_may_be_off_or_stop_once():
    assert Stops([Breakpoint("operation", "merge", is_enabled=False)], VALUES, {}).after(-1) is None
    assert not without_once(Breakpoint("byte", "3", once=True)).is_enabled
    assert without_once(Breakpoint("byte", "3")).is_enabled


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"token {N_TOKENS}", f"The model has no token {N_TOKENS}: its last one is {N_TOKENS - 1:,}."),
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
def test_it_is_told_what_a_breakpoint_lacks(text, told):
    missing = absence(parse_breakpoint(text), VALUES, TOKENIZER.encoders)
    assert missing.startswith(told)
    assert bool(missing) == bool(told)


def test_a_byte_whose_symbol_stays_alone_is_reached_where_its_piece_ends():
    bpe = guiapp.open_model("demo:bpe")
    trace = record(bpe, "Welcome", "heap")
    (step,) = hits(parse_breakpoint("byte 0"), TraceValues(trace, bpe.vocabulary), {}).tolist()
    assert trace.operation(step) == "done"
    assert trace.made.ends[0] == 1  # nothing merges with its first letter


def test_what_the_model_lacks_is_never_hit():
    assert found("token 99999999") == found('token "no such token"') == found("piece 77") == []


NUMBER = "Write a whole number, such as 12."
RANGE = "Write one such as 0..500, ..500 or -8.5.."
NONSENSE = {
    "token": "What should it stop at? Write an id, a text in quotes, or bytes such as 0x20.",
    "byte x": f"“x” is not a number. {NUMBER}",
    "piece -1": f"“-1” is not a number. {NUMBER}",
    "rank a..b": f"“a..b” is no range. {RANGE}",
    "score 1..b": f"“1..b” is no range. {RANGE}",
    "rank ..": "A range needs at least one end, such as ..500.",
    "rank": "A range needs at least one end, such as ..500.",
    "rank 5.5..1": "Nothing is from 5.5 to 1. Write the lower end first.",
    "difference nobody": f"“nobody” is no encoder. There are: {', '.join(ALGORITHMS)}.",
    "operation jump": f"“jump” is no operation. There are: {', '.join(NUMBERS)}.",
    "stage encode": "This makes no sense near “encode”.",
    "pattern (": "The pattern is not valid: missing ): (.",
    'pair "a"': 'A pair is two tokens, such as " " "Y".',
    'pair "a" b c': 'A pair is two tokens, such as " " "Y".',
    "byte 3 if colour": f"There is no column “colour”. There are: {', '.join(COLUMN_NAMES)}.",
    "byte 3 hit x": "“x” is not a number of hits.",
    "byte 3 hit 0": "The first hit is number 1.",
    "byte 3 log {colour}": f"There is no column “colour”. There are: {', '.join(COLUMN_NAMES)}.",
    "colour == 2": f"There is no column “colour”. There are: {', '.join(COLUMN_NAMES)}.",
    "if": "The condition ends too early.",
}


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_told(text):
    with pytest.raises(TokenloupeError) as caught:
        parse_breakpoint(text)
    assert str(caught.value) == NONSENSE[text]


def test_a_kind_that_is_none_is_told():
    with pytest.raises(BreakpointError) as caught:
        check(Breakpoint("jump"))
    assert str(caught.value) == f"“jump” is no kind of breakpoint. Use: {', '.join(KINDS)}."


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


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("3..500", (3, 500)),
        ("..5", (-np.inf, 5)),
        ("-2.5..", (-2.5, np.inf)),
        ("7", (7, 7)),
        ("0..0", (0, 0)),
    ],
)
def test_a_range_has_two_ends(text, ends):
    assert number_range(text) == ends


def test_messages_of_log_points_are_filled_in():
    merge = found("operation merge")[0]
    row = Breakpoint("byte", "0", log="{operation} {stage} {left} {step * 1000} {score} {rank / 3} {forms}!")
    left = SHOWN(int(COLUMNS.left[merge]))
    rank = f"{COLUMNS.rank[merge] / 3:,g}"
    assert note(row, VALUES, merge) == f"merge encode {left} {merge * 1000:,g} – {rank} 1!"


@pytest.mark.parametrize(
    ("theirs", "byte"),
    [
        ([(1, 0, 2), (2, 2, 5), (3, 5, 6)], None),
        ([(1, 0, 2), (2, 2, 5)], 5),
        ([(1, 0, 2), (2, 2, 5), (3, 5, 6), (4, 6, 8)], 6),
        ([(1, 0, 2), (7, 2, 5), (3, 5, 6)], 2),
        ([(1, 0, 2), (2, 2, 4), (3, 4, 6)], 2),
        ([(1, 1, 2), (2, 2, 5), (3, 5, 6)], None),
        ([(9, 1, 3)], 0),
        ([], 0),
    ],
)
def test_where_two_encodings_begin_to_differ(theirs, byte):
    ours, others = (
        TraceTokens(*np.array(rows, np.int32).reshape(-1, 3).T)
        for rows in ([(1, 0, 2), (2, 2, 5), (3, 5, 6)], theirs)
    )
    assert first_different_byte(ours, others) == first_different_byte(others, ours) == byte


def test_tokens_that_end_more_often_differ_where_their_piece_is_done():
    result = TRACE.result
    joined = TraceTokens(
        np.append(result.ids[:3], 5),
        np.append(result.starts[:3], result.starts[3]),
        np.append(result.ends[:3], result.ends[-1]),
    )
    done = [step for step in range(len(TRACE)) if TRACE.operation(step) == "done"]
    assert hits(Breakpoint("difference", '"heap"'), VALUES, {"heap": joined}).tolist() == done
    assert hits(Breakpoint("difference", "fast"), VALUES, {"heap": joined}).tolist() == []


def test_log_messages_name_columns():
    with pytest.raises(TokenloupeError, match="no column “colour”"):
        check(Breakpoint("byte", "3", log="{colour}"))


@pytest.mark.parametrize(
    "text",
    [
        'token "▁New" if rank < 5',
        "rank 0..5",
        "step > 3 and rank < 8",
        "byte 3",
        "byte 3 hit 2 once log at {position}",
        'token " log " if rank < 5 once',
    ],
)
def test_a_breakpoint_reads_back_as_it_is_written(text):
    assert parse_breakpoint(text).title == text
