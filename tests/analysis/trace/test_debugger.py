"""Walking through traces: sizes of steps, runs both ways, what competes, and how it is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened

import guiapp
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import Granularity, debugger_for, trace_record
from guiapp.analysis.trace.pseudo_code import OF_ENCODERS, pseudo_code
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import NUMBERS

BPE = guiapp.open_model("demo:bpe")
TEXT = "How do lions sleep in New York?"


def debugger(model=BPE, text=TEXT, encoder="heap"):
    return debugger_for(model, record(model, text, encoder))


LANDMARKS = {  # special, text, normalise, piece, push, merge, done, then the same for the rest, and add
    Granularity.DECISION: list(range(21)),
    Granularity.PIECE: [0, 1, 2, 3, 4, 7, 8, 9, 10, 19, 20],
    Granularity.STAGE: [0, 2, 3, 4, 7, 8, 9, 10, 19, 20],
}


@pytest.mark.parametrize("size", Granularity)
@pytest.mark.parametrize("count", [1, 2, -1, -3])
def test_steps_go_from_landmark_to_landmark(size, count):
    walk = debugger(guiapp.open_model("demo:spm"), "a<s>b ab")
    landmarks = LANDMARKS[size]
    assert walk.landmarks[size].tolist() == landmarks
    for position in range(walk.n_steps + 1):
        walk.go_to(position)
        ahead = [each for each in landmarks if each > position] or [walk.n_steps]
        earlier = [each for each in landmarks if each < position][::-1] or [0]
        way = ahead if count > 0 else earlier
        assert walk.step(size, count) == walk.position == way[: abs(count)][-1]


@given(st.lists(st.sampled_from([*Granularity]), max_size=20))
def test_steps_back_undo_steps_from_any_landmark(sizes):
    walk = debugger()
    for size in sizes:
        before = walk.position
        walk.step(size)
        if walk.position < walk.n_steps and before in walk.landmarks[size]:
            walk.step(size, -1)
            assert walk.position == before
            walk.step(size)


@pytest.mark.parametrize(
    ("offset", "move"),
    [
        (-1, lambda walk: walk.step(Granularity.PIECE)),
        (-1, lambda walk: walk.out()),
        (1, lambda walk: walk.step(Granularity.PIECE, -1)),
    ],
    ids=["over", "out", "back"],
)
def test_a_breakpoint_stops_a_long_step_on_its_way(offset, move):
    walk = debugger()
    merges = np.flatnonzero(walk.trace.columns.operation == NUMBERS["merge"])
    walk.set_breakpoints([parse_breakpoint("operation merge")])
    walk.go_to(int(merges[0]) + offset)
    move(walk)
    assert walk.position == merges[0]
    assert walk.stopped_at is walk.breakpoints[0]


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:toy"])
def test_queue_and_scan_see_the_same_candidates(model):
    """At each merge the live entries of the queue are the pairs that a look at all neighbours finds."""
    tokenizer = opened(model)
    by_heap, by_scan = (debugger(tokenizer, "abacbb How do lions sleep?", name) for name in ("heap", "scan"))
    merges = [
        [step for step in range(len(walk.trace)) if walk.trace.operation(step) == "merge"]
        for walk in (by_heap, by_scan)
    ]
    assert len(merges[0]) == len(merges[1]) > 3
    for heap_step, scan_step in zip(*merges, strict=True):
        by_heap.go_to(heap_step)
        by_scan.go_to(scan_step)
        live = [entry for entry in by_heap.waiting().candidates if not entry.is_stale]
        assert live == by_scan.waiting().candidates
        assert by_heap.waiting().n_live == by_scan.waiting().n_live
        assert by_heap.sentence() == by_scan.sentence()
        assert live[0].result == by_heap.trace.columns.result[heap_step]


def test_every_operation_of_every_encoder_has_a_sentence_and_a_line_of_code():
    seen = set()
    for name in ("bpe", "spm", "wordpiece", "unigram", "rwkv", "toy"):
        tokenizer = guiapp.open_model(f"demo:{name}")
        for encoder in tokenizer.encoders:
            assert tokenizer.reference_encoder(encoder) in OF_ENCODERS
            walk = debugger(tokenizer, "New York 😍<|end_of_text|>[SEP]</s> unbelievable", encoder)
            for step in range(walk.n_steps):
                walk.go_to(step)
                code, line = pseudo_code(walk.trace, step)
                assert 0 <= line < len(code.lines)
                assert walk.sentence().endswith(".")
                seen.add(walk.trace.operation(step))
    assert {"special", "text", "piece", "push", "merge", "stale", "reach", "choose", "miss", "take"} <= seen


def run(model, text, encoder):
    tokenizer = guiapp.open_model(f"demo:{model}")
    return tokenizer, debugger_for(tokenizer, record(tokenizer, text, encoder))


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
