"""What is recorded of small texts, whole; how much of a long one at first."""

from __future__ import annotations

import json

import pytest

import guiapp
from guiapp.analysis.trace.pseudo_code import pseudo_code
from guiapp.analysis.trace.recorder import (
    estimate,
    must_ask,
    n_first_bytes,
    record,
)
from guiapp.analysis.trace.replay import Replay
from guiapp.analysis.trace.sentences import StepDescriber

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


@pytest.mark.parametrize("is_one_piece", [True, False])
@pytest.mark.parametrize("encoder", ["heap", "scan", "viterbi"])
def test_what_is_recorded_at_first_never_takes_long(encoder, is_one_piece):
    for size in (0, 1, 3000, 20_000, 100_000, 10_000_000):
        n_bytes = n_first_bytes(encoder, is_one_piece, size)
        assert n_bytes == size or 1000 <= n_bytes <= 20_000
        assert not must_ask(estimate(encoder, is_one_piece, n_bytes), n_bytes)


BYTES = [[f"<0x{byte:02X}>", -9.0] for byte in range(256)]
MODELS = {
    "wordpiece": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "vocab": {text: row for row, text in enumerate(["[UNK]", "un", "##able", "##a", "a"])},
        "max_input_chars_per_word": 8,
    },
    "viterbi": {
        "type": "Unigram",
        "unk_id": 0,
        "byte_fallback": True,
        "vocab": [["<unk>", 0.0], ["un", -2.0], ["able", -3.0], ["a", -1.0], *BYTES],
    },
    "wordlevel": {
        "type": "WordLevel",
        "unk_token": "[UNK]",
        "vocab": {"[UNK]": 0, "a": 1, "unable": 2},
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_each_step_is_described_and_the_last_one_has_the_tokens(tmp_path, name):
    path = tmp_path / "tokenizer.json"
    content = {"pre_tokenizer": {"type": "WhitespaceSplit"}, "model": MODELS[name], "added_tokens": []}
    path.write_text(json.dumps(content))
    tokenizer = guiapp.open_model(path)
    text = "unable a é unablex aaaaaaaaaa"
    trace = record(tokenizer, text, name)
    expected = tokenizer.encode(text, encoder=name).token_ids.tolist()
    assert Replay(trace).tokens(len(trace)).ids.tolist() == expected
    describer = StepDescriber(trace, tokenizer.vocabulary)
    described = [describer.sentence(step) for step in range(len(trace))]
    assert all(described)
    assert any("try a shorter one" in sentence for sentence in described) == (name == "wordpiece")
    for step in range(len(trace)):
        code, line = pseudo_code(trace, step)
        assert code.lines[line]
