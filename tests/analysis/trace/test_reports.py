"""A run as lines and as records, to the letter."""

from __future__ import annotations

import pytest

import guiapp
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import compare_with, debugger_for, log_lines, trace_record
from guiapp.analysis.trace.pseudo_code import OF_ENCODERS, STAGES, WHOLE, code_of
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import Trace
from guiapp.errors import EncodeError

LINES = {
    ("toy", "acb a", "heap"): """
0  piece      Piece 1 of 2: `acb`. Tokens never cross its edges.
1  piece      Piece 2 of 2: `·a`. Tokens never cross its edges.
2  push       `a` + `c` → `ac` could merge: it enters the queue with rank 2.
3  push       `c` + `b` → `cb` could merge: it enters the queue with rank 1.
4  merge      `c` + `b` → `cb`, rank 1: the lowest of 2 candidates.
5  stale      `a` + `c` → `ac` leaves the queue, but one of the two is gone meanwhile: skip it.
6  done       Piece 1 of 2, `acb`, is done: 2 tokens.
7  lost       `·` is no token, and the vocabulary has none for its bytes.
8  done       Piece 2 of 2, `·a`, is done: 1 token.
""",
    ("toy", "acbacb", "backtrack"): """
 0  piece      Piece 1 of 1: `acbacb`. Tokens never cross its edges.
 1  take       `ac` is taken, bytes 0–2.
 2  reject     `b` fits the text but not the token before it: try a shorter one.
 3  back       Nothing can follow `ac`: it is taken back.
 4  take       `a` is taken, bytes 0–1.
 5  take       `cb` is taken, bytes 1–3.
 6  take       `ac` is taken, bytes 3–5.
 7  reject     `b` fits the text but not the token before it: try a shorter one.
 8  back       Nothing can follow `ac`: it is taken back.
 9  take       `a` is taken, bytes 3–4.
10  take       `cb` is taken, bytes 4–6.
11  done       Piece 1 of 1, `acbacb`, is done: 4 tokens.
""",
    ("unigram", "on", None): """
 0  normalise  The text becomes `▁on`: 5 bytes.
 1  piece      Piece 1 of 1: `on`. Tokens never cross its edges.
 2  reach      `·`, bytes 0–0, leads to a score of −2.98: the best way there so far.
 3  reach      `·o`, bytes 0–1, leads to a score of −6.70: the best way there so far.
 4  reach      `·on`, bytes 0–2, leads to a score of −6.23: the best way there so far.
 5  worse      `o`, bytes 0–1, leads to a score of −7.93: not better than what is known.
 6  worse      `on`, bytes 0–2, leads to a score of −9.59: not better than what is known.
 7  worse      `n`, bytes 1–2, leads to a score of −12.10: not better than what is known.
 8  choose     Going back from the end, the best way has `·on` at bytes 0–2.
 9  done       Piece 1 of 1, `on`, is done: 1 token.
10  add        `</s>` is put behind the text, as the file asks.
""",
}


def run(model, text, encoder):
    tokenizer = guiapp.open_model(f"demo:{model}")
    return tokenizer, debugger_for(tokenizer, record(tokenizer, text, encoder))


@pytest.mark.parametrize(("case", "expected"), LINES.items(), ids=[case[0] for case in LINES])
def test_each_step_is_one_line(case, expected):
    _, walk = run(*case)
    lines = list(log_lines(walk))
    assert lines == expected.strip("\n").split("\n")


def test_steps_are_records_with_null_for_what_they_do_not_have():
    _, walk = run("toy", "acb a", "heap")
    nothing = {"right_position": None, "left": None, "right": None, "result": None, "rank": None}
    first = {"index": 0, "stage": "split", "operation": "piece", "piece": 0, "position": 0, "end": 3}
    merge = {"index": 4, "stage": "encode", "operation": "merge", "piece": 0, "position": 1, "end": 3}
    pair = {"right_position": 2, "left": 2, "right": 1, "result": 4, "rank": 1}
    assert trace_record(walk, [4, 0]) == {
        "encoder": "heap",
        "text": "acb a",
        "token_ids": [0, 4, 0],
        "n_steps": 9,
        "steps": [
            merge | pair | {"sentence": "`c` + `b` → `cb`, rank 1: the lowest of 2 candidates."},
            first | nothing | {"sentence": "Piece 1 of 2: `acb`. Tokens never cross its edges."},
        ],
    }


def test_scores_are_numbers_with_fractions():
    _, walk = run("unigram", "on", None)
    (step,) = trace_record(walk, [2])["steps"]
    assert step["rank"] == pytest.approx(-2.98, abs=0.01)


def test_a_breakpoint_compares_with_another_encoder():
    tokenizer, walk = run("toy", "acb", "heap")
    compare_with(walk, tokenizer, "greedy", True, True)
    walk.set_breakpoints([parse_breakpoint("difference greedy")])
    walk.run()
    assert walk.position == 3  # where `cb` is found, which greedy does not take
    with pytest.raises(EncodeError):
        compare_with(walk, tokenizer, "none", True, True)


def test_lines_say_which_operations_they_carry_out():
    told = {
        name: {line: code.operations_of(line) for line in range(len(code.lines)) if code.operations_of(line)}
        for name, code in OF_ENCODERS.items()
    }
    assert told == {
        "heap": {
            0: ("whole",),
            4: ("stale",),
            5: ("merge",),
            6: ("push",),
            7: ("fallback", "lost"),
            8: ("done",),
        },
        "scan": {0: ("whole",), 3: ("merge",), 4: ("fallback", "lost"), 5: ("done",)},
        "viterbi": {
            3: ("reach",),
            4: ("worse",),
            6: ("choose",),
            7: ("join", "fallback"),
            8: ("done",),
        },
        "wordlevel": {2: ("miss",), 3: ("take",), 4: ("done",)},
        "plamo2": {3: ("reach",), 4: ("worse",), 6: ("take",), 7: ("done",)},
        "wordpiece": {2: ("miss",), 3: ("take",), 4: ("give up",), 5: ("too long",), 6: ("done",)},
        "linear": {2: ("fail",), 3: ("take",), 5: ("give up",), 6: ("done",)},
        "rwkv": {2: ("take",), 3: ("done",)},
        "greedy": {0: ("whole",), 3: ("take", "join"), 4: ("done",)},
        "backtrack": {
            0: ("whole",),
            3: ("dead end",),
            4: ("reject",),
            5: ("take", "join"),
            6: ("back",),
            7: ("done",),
        },
        "table": {0: ("whole",), 4: ("reach",), 5: ("reject",), 6: ("choose", "join"), 7: ("done",)},
        "fewest": {
            0: ("whole",),
            3: ("rule out",),
            4: ("reach",),
            5: ("worse",),
            6: ("choose", "join"),
            7: ("done",),
        },
        "words": {1: ("miss",), 2: ("whole", "take"), 3: ("done",)},
        "hash": {1: ("whole",), 2: ("done",)},
    }
    assert STAGES.operations_of(0) == ("special", "text")


@pytest.mark.parametrize(
    ("model", "encoder", "looks"), [("bpe", "heap", True), ("bpe", "greedy", False), ("toy", "scan", False)]
)
def test_a_line_about_whole_pieces_stands_where_some_are_taken_whole(model, encoder, looks, tmp_path):
    _, walk = run(model, "acb", encoder)
    code = code_of(walk.trace)
    assert (WHOLE in code.lines) == looks
    assert code.lines[code.line_of["done"]] == "next piece"
    walk.trace.save(tmp_path / "trace")
    assert code_of(Trace.load(tmp_path / "trace")) == code
