"""What pictures show, and what steps do, is told at each step of each encoder."""

import pytest

import guiapp
from guiapp.analysis.explain.spelling import without_marks
from guiapp.analysis.trace.debugger import Granularity, debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.pages.steps.flow import (
    OF_RANKS,
    OTHERWISE,
    PASSES,
    STAGES,
    WORTHS,
    caption,
    explanation,
    is_second_pass,
    step_back,
    step_on,
    worth_name,
)

LONGEST = 190  # two lines in a narrow card


@pytest.mark.parametrize("name", ["bpe", "spm", "wordpiece", "unigram", "rwkv"])
def test_each_step_says_what_there_is_to_see_and_where_it_leads(name):
    tokenizer = guiapp.open_model(f"demo:{name}")
    for encoder in tokenizer.encoders:
        debugger = debugger_for(tokenizer, record(tokenizer, "lions unbel é", encoder))
        passes = {}
        for position in range(debugger.n_steps + 1):
            debugger.go_to(position)
            told, piece = caption(debugger), debugger.trace.piece_at(position)
            assert len(told) <= LONGEST
            assert told != OTHERWISE
            assert (told == STAGES) is (piece < 0)
            assert (OF_RANKS in explanation(debugger)) is (piece >= 0 and worth_name(debugger) == "rank")
            if piece >= 0 and debugger.trace.reference_name in PASSES:
                passes.setdefault(piece, []).append(is_second_pass(debugger))
            on, back = (each(debugger, Granularity.DECISION) for each in (step_on, step_back))
            if position < debugger.n_steps:
                assert on.endswith(without_marks(debugger.sentence()))
            if position:
                assert back.endswith(without_marks(debugger.describer.sentence(position - 1)))
            for size in (Granularity.PIECE, Granularity.STAGE):
                assert size.value in step_on(debugger, size) or position == debugger.n_steps
                assert size.value in step_back(debugger, size) or position == 0
        assert "no more steps" in on
        debugger.go_to(0)
        assert "nothing is done" in step_back(debugger, Granularity.DECISION)
        assert all(each == sorted(each) for each in passes.values()), "one pass after the other"
        assert worth_name(debugger) == WORTHS.get(debugger.trace.reference_name, "")
    assert worth_name(None) == ""
