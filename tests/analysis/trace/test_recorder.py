"""Traces of small texts, whole: every column of every step, every piece, cell and token."""

from __future__ import annotations

import pytest

import guiapp
from guiapp.analysis.trace.recorder import estimate, record

TRACES = {
    ("toy", "heap", "acb a"): """
piece: 0 0 3 . . . . . . . 0 . .
piece: 1 3 5 . . . . . . . 0 . .
push: 0 0 2 1 0 2 5 2 0 1 0 0 .
push: 0 1 3 2 2 1 4 1 1 2 0 1 .
merge: 0 1 3 2 2 1 4 1 1 2 0 2 3
stale: 0 0 3 1 0 2 5 2 0 1 0 0 2
done: 0 0 3 . . . . . . . 2 . .
lost: 1 3 4 . . . . . . 0 0 . .
done: 1 3 5 . . . . . . . 1 . .
pieces: 0 0 3 2 6 0 0 0, 0 3 5 7 8 3 2 3
cells: 0 0 1, 2 1 2, 1 2 3, . 3 4, 0 4 5
made: 0 0 1, 4 1 3, 0 4 5
result: 0 0 1, 4 1 3, 0 4 5
""",
    ("spm", "heap", "a<s>b ☃"): """
special: . 1 4 . . . 1 . . . 0 . .
text: . 0 1 . . . . . . . 0 . .
normalise: . 0 1 . . . . . . . 0 . .
piece: 0 0 1 . . . . . . . 0 . .
push: 0 0 1 0 2284 2287 263 2 0 1 0 0 .
merge: 0 0 1 0 2284 2287 263 2 0 1 0 1 4
done: 0 0 1 . . . . . . . 1 . .
text: . 4 9 . . . . . . . 0 . .
normalise: . 4 9 . . . . . . . 0 . .
piece: 1 4 9 . . . . . . . 0 . .
push: 1 4 5 4 2284 2306 282 21 0 1 0 0 .
merge: 1 4 5 4 2284 2306 282 21 0 1 0 1 10
fallback: 1 6 7 . . . 231 . . 3 0 . .
fallback: 1 7 8 . . . 157 . . 3 0 . .
fallback: 1 8 9 . . . 136 . . 3 0 . .
done: 1 4 9 . . . . . . . 5 . .
add: . 0 0 . . . 1 . 0 . 0 . .
pieces: 0 0 1 4 6 0 0 0, 2 4 9 10 15 2 1 4
cells: 2284 0 0, 2287 0 1, 2284 4 4, 2306 4 5, 2284 5 6, . 6 9
made: 263 0 1, 282 4 5, 2284 5 6, 231 6 7, 157 7 8, 136 8 9
result: 1 0 0, 263 0 1, 1 1 4, 282 4 5, 2284 5 6, 231 6 7, 157 7 8, 136 8 9
""",
    ("bpe", "scan", " on<|im_start|>"): """
special: . 3 15 . . . 2551 . . . 0 . .
text: . 0 3 . . . . . . . 0 . .
piece: 0 0 3 . . . . . . . 0 . .
whole: 0 0 3 . . . 325 . 0 0 1 . .
done: 0 0 3 . . . . . . . 1 . .
add: . 0 0 . . . 2549 . 0 . 0 . .
pieces: 0 0 3 3 4 0 0 0
cells: . 0 1, . 1 2, . 2 3, . 3 3
made: 325 0 3
result: 2549 0 0, 325 0 3, 2551 3 15
""",
    ("unigram", "viterbi", "a  ☃☂"): """
normalise: . 0 9 . . . . . . . 0 . .
piece: 0 0 9 . . . . . . . 0 . .
reach: 0 0 0 . . . 7 -2.9789 3 0 0 . .
reach: 0 0 1 . . . 11 -4.4133 4 0 0 . .
worse: 0 0 1 . . . 12 -7.6033 4 3 0 . .
reach: 0 3 3 . . . 7 -7.3922 7 4 0 . .
reach: 0 3 6 . . . 2 -30.2881 10 7 0 . .
reach: 0 6 9 . . . 2 -53.184 13 10 0 . .
choose: 0 6 9 . . . 2 . 0 10 1 . .
join: 0 3 9 . . . 2 . 0 7 1 . .
choose: 0 3 3 . . . 7 . 1 4 2 . .
choose: 0 0 1 . . . 11 . 2 0 3 . .
done: 0 0 9 . . . . . . . 3 . .
add: . 9 9 . . . 1 . 1 . 0 . .
pieces: 0 0 9 2 12 0 0 0
cells: . 0 0, . 0 0, . 0 0, . 0 1, . 3 3, . 3 3, . 3 3, . 3 4, . 4 5, . 5 6, . 6 7, . 7 8, . 8 9, . 9 9
made: 11 0 1, 7 3 3, 2 3 9
result: 11 0 1, 7 3 3, 2 3 9, 1 9 9
""",
    ("wordpiece", "wordpiece", "É xq☃"): """
normalise: . 0 8 . . . . . . . 0 . .
piece: 0 0 2 . . . . . . . 0 . .
piece: 1 3 8 . . . . . . . 0 . .
take: 0 0 2 . . . 445 . 0 0 1 . .
done: 0 0 2 . . . . . . . 1 . .
miss: 1 3 8 . . . . . . . 0 . .
miss: 1 3 5 . . . . . . . 0 . .
take: 1 3 4 . . . 464 . 0 0 1 . .
miss: 1 4 8 . . . . . . . 1 . .
take: 1 4 5 . . . 31 . 1 4 2 . .
miss: 1 5 8 . . . . . . . 2 . .
give up: 1 3 8 . . . 1 . 0 0 1 . .
done: 1 3 8 . . . . . . . 1 . .
add: . 0 0 . . . 2 . 0 . 0 . .
add: . 8 8 . . . 3 . 1 . 0 . .
pieces: 0 0 2 3 4 0 0 0, 0 3 8 5 12 5 1 4
cells: . 0 0, . 0 0, . 0 0, . 0 2, . 2 2, . 3 3, . 3 3, . 3 3, . 3 4, . 4 5, . 5 6, . 6 7, . 7 8, . 8 8
made: 445 0 2, 1 3 8
result: 2 0 0, 445 0 2, 1 3 8, 3 8 8
""",
    ("toy", "backtrack", "acb"): """
piece: 0 0 3 . . . . . . . 0 . .
take: 0 0 2 . . . 5 . 0 0 1 . .
reject: 0 2 3 . . . 1 . . . 1 . .
back: 0 0 2 . . . 5 . 0 . 0 . .
take: 0 0 1 . . . 0 . 0 0 1 . .
take: 0 1 3 . . . 4 . 1 1 2 . .
done: 0 0 3 . . . . . . . 2 . .
pieces: 0 0 3 1 6 0 0 0
cells: . 0 1, . 1 2, . 2 3, . 3 3
made: 0 0 1, 4 1 3
result: 0 0 1, 4 1 3
""",
    ("toy", "fewest", "ab"): """
piece: 0 0 2 . . . . . . . 0 . .
reach: 0 0 2 . . . 3 1 2 0 0 . .
reach: 0 0 1 . . . 0 1 1 0 0 . .
worse: 0 1 2 . . . 1 2 2 1 0 . .
choose: 0 0 2 . . . 3 . 0 0 1 . .
done: 0 0 2 . . . . . . . 1 . .
pieces: 0 0 2 1 5 0 0 0
cells: . 0 1, . 1 2, . 2 2
made: 3 0 2
result: 3 0 2
""",
}
"""The columns of a step in the order of `Columns`, with a point where there is nothing."""


def shown(value: float) -> str:
    return "." if value == -1 or value != value else f"{value:g}"


@pytest.mark.parametrize(("model", "encoder", "text"), TRACES)
def test_all_that_is_recorded(model, encoder, text):
    trace = record(guiapp.open_model(f"demo:{model}"), text, encoder)
    lines = []
    for step in range(len(trace)):
        _, *values = (column[step].item() for column in trace.columns)
        lines.append(f"{trace.operation(step)}: {' '.join(map(shown, values))}")
    for part in ("pieces", "cells", "made", "result"):
        rows = zip(*(column.tolist() for column in getattr(trace, part)), strict=True)
        lines.append(f"{part}: {', '.join(' '.join(map(shown, row)) for row in rows)}")
    assert lines == TRACES[model, encoder, text].strip().split("\n")
    assert (trace.text, trace.encoder, trace.reference_name) == (text.encode(), encoder, encoder)


def test_bytes_are_kept_as_the_algorithm_sees_them():
    def works(model, text):
        trace = record(guiapp.open_model(f"demo:{model}"), text)
        return [trace.piece_work(piece).decode() for piece in range(trace.n_pieces)]

    assert works("spm", "a<s>b ☃") == ["▁a", "▁b▁☃"]
    assert works("bpe", "Größe ist 12") == ["Größe", " ist", " ", "12"]
    assert works("wordpiece", "É xq") == ["▁e", "▁xq"]


def test_tokens_around_the_text_and_special_ones_are_left_to_the_caller():
    model = guiapp.open_model("demo:bpe")

    def tokens(add_special, parse_special):
        trace = record(model, "<|im_start|>a", None, add_special, parse_special)
        added = [trace.columns.cell[step] for step in range(len(trace)) if trace.operation(step) == "add"]
        return trace.encoder, trace.result.ids.tolist(), added

    for add_special in (False, True):
        for parse_special in (False, True):
            ids = model.encode("<|im_start|>a", add_special, parse_special).token_ids.tolist()
            assert tokens(add_special, parse_special) == ("fast", ids, [0] * add_special)


def test_progress_is_told_every_4096_steps_and_never_beyond_the_end():
    shares = []
    model, text = guiapp.open_model("demo:spm"), "lions and sheep " * 400
    trace = record(model, text, "heap", progress=shares.append)
    expected = estimate("heap", False, len(text)).n_steps
    n_told = len(trace) // 4096
    assert n_told > 2
    assert shares == [min(1.0, 4096 * number / expected) for number in range(1, n_told + 1)]
    many = []
    record(model, "\u2603" * 6000, "heap", progress=many.append)
    assert all(0 < share <= 1 for share in many)
