"""Columns and operations that an algorithm does not have are never hit, and it is told that they are not."""

import numpy as np
import pytest

import guiapp
from guiapp.analysis.trace.breakpoints import absence, hits, note, parse_breakpoint
from guiapp.analysis.trace.conditions import TWINS_WITH, TraceValues
from guiapp.analysis.trace.pseudo_code import STAGES, code_of
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import OPERATIONS

TEXT = "How do lions sleep in New York? 😍"
CASES = [
    (name, encoder)
    for name in ("bpe", "spm", "wordpiece", "unigram", "rwkv")
    for encoder in guiapp.open_model(f"demo:{name}").encoders
]


@pytest.fixture(params=CASES, ids="-".join)
def lookup(request):
    """What a breakpoint finds, and what it lacks, with each encoder of each demo model."""
    tokenizer = guiapp.open_model(f"demo:{request.param[0]}")
    values = TraceValues(record(tokenizer, TEXT, request.param[1]), tokenizer.vocabulary)

    def look(text):
        parsed = parse_breakpoint(text)
        return hits(parsed, values, {}), absence(parsed, values, tokenizer.encoders)

    return values.trace, values, look


def test_a_column_has_values_where_it_should_and_a_message_elsewhere(lookup):
    trace, values, look = lookup
    for name, twins in TWINS_WITH.items():
        is_there = not np.isnan(values.column(name, slice(0, len(trace)))).all()
        assert is_there == (trace.reference_name in twins)
        for text in (f"{name} < 1e9", f"length > 0 and not {name} > 1e9 and {name} == {name}"):
            found, lacks = look(text)
            assert bool(len(found)) == is_there
            assert bool(lacks) != is_there
    for kind in ("rank", "score"):
        found, lacks = look(f"{kind} -1e9..1e9")
        assert bool(len(found)) == (trace.reference_name in TWINS_WITH[kind]) != bool(lacks)


def test_an_operation_is_there_or_there_is_a_message(lookup):
    trace, _, look = lookup
    known = {*STAGES.line_of, *code_of(trace).line_of}
    for operation in OPERATIONS:
        found, lacks = look(f"operation {operation.name}")
        assert bool(lacks) == (operation.name not in known)
        assert not (lacks and len(found))


def test_ranks_are_told_apart_from_scores():
    unigram = guiapp.open_model("demo:unigram")
    values = TraceValues(record(unigram, TEXT, "viterbi"), unigram.vocabulary)
    rank = parse_breakpoint("rank < 200")
    assert len(hits(rank, values, {})) == 0
    told = absence(rank, values, unigram.encoders)
    assert told == "viterbi has no ranks. What its ways are worth is the score."
    scored = hits(parse_breakpoint("score -8.5.."), values, {})
    assert len(scored)
    assert (values.trace.columns.rank[scored] >= -8.5).all()
    step = int(np.flatnonzero(values.trace.columns.rank < 0)[0])
    assert note(parse_breakpoint("length > 0 log {rank} {score}"), values, step).startswith("– -")
