"""What pictures show is told at each step of each encoder."""

import pytest

import guiapp
from guiapp.analysis.trace.debugger import debugger_for
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
    worth_name,
)

LONGEST = 190  # two lines in a narrow card


@pytest.mark.parametrize("name", ["bpe", "spm", "wordpiece", "unigram", "rwkv"])
def test_each_step_has_its_own_caption(name):
    tokenizer = guiapp.open_model(f"demo:{name}")
    for encoder in tokenizer.encoders:
        debugger = debugger_for(tokenizer, record(tokenizer, "lions unbel é", encoder))
        passes = {}
        for position in range(debugger.n_steps + 1):
            debugger.go_to(position)
            caption_text, piece = caption(debugger), debugger.trace.piece_at(position)
            assert len(caption_text) <= LONGEST
            assert caption_text != OTHERWISE
            assert (caption_text == STAGES) is (piece < 0)
            assert (OF_RANKS in explanation(debugger)) is (piece >= 0 and worth_name(debugger) == "rank")
            if piece >= 0 and debugger.trace.reference_name in PASSES:
                passes.setdefault(piece, []).append(is_second_pass(debugger))
        assert all(each == sorted(each) for each in passes.values()), "one pass after the other"
        assert worth_name(debugger) == WORTHS.get(debugger.trace.reference_name, "")
    assert worth_name(None) == ""
