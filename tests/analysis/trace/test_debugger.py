"""Walking through traces: sizes of steps, runs both ways, what competes, and how it is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.conditions import StepExpression
from guiapp.analysis.trace.debugger import Granularity, compare_with, debugger_for, trace_record
from guiapp.analysis.trace.pseudo_code import OF_ENCODERS, WHOLE, code_of, pseudo_code
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import Waiting
from guiapp.analysis.trace.trace import NUMBERS, Trace
from guiapp.errors import EncodeError, TokenloupeError

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
        behind = [each for each in landmarks if each < position][::-1] or [0]
        way = ahead if count > 0 else behind
        assert walk.step(size, count) == walk.position == way[: abs(count)][-1]


def test_a_walk_goes_out_of_pieces_and_stages_and_begins_where_something_merges():
    walk = debugger(guiapp.open_model("demo:spm"), "a<s>b ab")
    out = []
    for position in range(walk.n_steps + 1):
        walk.go_to(position)
        out.append(walk.out())
    assert out == [2, 2, 3, 4, 6, 6, 7, 8, 9, 10, *[18] * 8, 19, 20, 20]
    assert walk.begin() == walk.position == 5
    assert debugger(text=" York").begin() == 1
    assert debugger(text="").begin() == 0
    far = debugger(guiapp.open_model("demo:toy"), "x" * 2000 + "ab", "scan")
    assert far.begin() == 1


def test_a_debugger_goes_to_the_steps_that_form_a_byte_one_after_the_other():
    walk = debugger(guiapp.open_model("demo:spm"), "a<s>b ab")

    def reached(position, byte):
        walk.go_to(position)
        return walk.to_byte(byte)

    assert [reached(position, 5) for position in (0, 12, 13, 16, 17, 20)] == [13, 13, 17, 17, 13, 17]
    assert [reached(position, 0) for position in (0, 5, 20)] == [5, 5, 5]
    assert [reached(position, 99) for position in (0, 7)] == [0, 7]


def test_watched_values_of_a_merge_are_told():
    walk = debugger(guiapp.open_model("demo:spm"), "a<s>b ab")
    walk.go_to(5)
    columns = ("step", "operation", "stage", "piece", "rank", "score", "left", "right", "result", "forms")
    assert [walk.description(StepExpression(name)) for name in columns] == [
        "5", "merge", "encode", "0", "2", "–", "id 2284 ·", "id 2287 a", "id 263 ·a", "1",
    ]  # fmt: skip
    assert walk.description(StepExpression("result * 1000 / 7")) == "37,571.42857"
    assert walk.description(StepExpression("rank == rank")) == "1"
    assert walk.sentence() == "`·` + `a` → `·a`, rank 2: the only candidate."
    walk.go_to(20)
    assert (walk.description(StepExpression("stage")), walk.sentence()) == ("–", "That is all: 5 tokens.")
    assert walk.waiting() == Waiting([], 0, 0)


def test_pairs_are_shown_as_many_as_wished():
    for encoder in ("heap", "scan"):
        walk = debugger(guiapp.open_model("demo:toy"), "acbab", encoder)
        walk.go_to(int(np.flatnonzero(walk.trace.columns.operation == NUMBERS["merge"])[0]))
        everything = walk.waiting()
        rows = [(row.left, row.right, row.result, row.rank, *row[4:]) for row in everything.candidates]
        assert rows == [
            (0, 1, 3, 0, 3, 4, 5, False),
            (2, 1, 4, 1, 1, 2, 3, False),
            (0, 2, 5, 2, 0, 1, 2, False),
        ]
        assert (everything.n_live, everything.n_stale) == (3, 0)
        assert walk.waiting(2) == Waiting(everything.candidates[:2], 3, 0)
        walk.go_to(walk.position + 2)
        left_over = [everything.candidates[2]._replace(is_stale=True)] if encoder == "heap" else []
        assert walk.waiting() == Waiting(left_over, 0, len(left_over))


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
    ("beside", "move"),
    [
        (-1, lambda walk: walk.step(Granularity.PIECE)),
        (-1, lambda walk: walk.out()),
        (1, lambda walk: walk.step(Granularity.PIECE, -1)),
    ],
    ids=["over", "out", "back"],
)
def test_a_breakpoint_stops_a_long_step_on_its_way(beside, move):
    walk = debugger()
    merges = np.flatnonzero(walk.trace.columns.operation == NUMBERS["merge"])
    walk.set_breakpoints([parse_breakpoint("operation merge")])
    walk.go_to(int(merges[0]) + beside)
    move(walk)
    assert walk.position == merges[0]
    assert walk.stopped_at is walk.breakpoints[0]


def test_a_run_stops_at_breakpoints_both_ways():
    walk = debugger()
    walk.set_breakpoints([parse_breakpoint('token "ĠNew"')])
    walk.run()
    assert walk.stopped_at is not None
    assert walk.sentence() == "The piece `·New` is taken as `·New`: nothing to merge."
    there = walk.position
    walk.run()
    assert (walk.position, walk.stopped_at) == (walk.n_steps, None)
    walk.reverse()
    assert walk.position == there
    walk.reverse()
    assert walk.position == 0


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:toy"])
def test_queue_and_scan_see_the_same_candidates(model):
    """At each merge the live entries of the queue are the pairs that a look at all neighbours finds."""
    tokenizer = guiapp.open_model(model)
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


def test_a_broken_breakpoint_leaves_the_others_in_place():
    walk = debugger()
    walk.set_breakpoints([parse_breakpoint("operation merge")])
    with pytest.raises(TokenloupeError, match="divides by zero"):
        walk.set_breakpoints([parse_breakpoint("1 / depth > 2")])
    assert [row.title for row in walk.breakpoints] == ["operation merge"]


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


@pytest.fixture
def rwkv_debugger():
    """On a file that escapes every letter beyond ASCII."""
    tokenizer = guiapp.open_model("demo:rwkv")
    text = "Größe ا 漢 🦁"
    assert b"\\x" in b"".join(map(tokenizer.vocabulary.raw_text, tokenizer.encode(text).token_ids.tolist()))
    return debugger_for(tokenizer, record(tokenizer, text))


def test_escaped_letters_are_read_and_bytes_that_are_none_stay_hexadecimal(rwkv_debugger):
    debugger = rwkv_debugger
    written = []
    for step in range(debugger.n_steps):
        debugger.go_to(step)
        assert "\\x" not in debugger.sentence()
        written.append(debugger.values.description("result", step))
    assert any("ö" in text for text in written)
    assert any("<" in text for text in written)


def test_a_token_is_found_as_it_is_shown():
    tokenizer = guiapp.open_model("demo:rwkv")
    debugger = debugger_for(tokenizer, record(tokenizer, "in the sun"))
    shown = {debugger.values.description("result", step) for step in range(debugger.n_steps)}
    debugger.set_breakpoints([parse_breakpoint(f'token "{text}"') for text in shown if "·" in text])
    assert debugger.breakpoints
    assert all(len(found) for found in debugger.stops.hits)


def test_a_token_is_found_by_its_letters_and_as_the_file_spells_it(rwkv_debugger):
    vocabulary = rwkv_debugger.vocabulary
    token = next(
        int(token)
        for token in rwkv_debugger.trace.result.ids
        if "ö" in vocabulary.token_bytes(int(token)).decode(errors="replace")
    )
    letters = vocabulary.token_bytes(token).decode()
    raw = vocabulary.raw_text(token).decode().replace("\\", "\\\\")
    rwkv_debugger.set_breakpoints([parse_breakpoint(f'token "{text}"') for text in (letters, raw)])
    hits = [found.tolist() for found in rwkv_debugger.stops.hits]
    assert hits[0] == hits[1] != []
