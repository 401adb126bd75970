"""The stages of encoding: run one after the other they give what encoding gives."""

import numpy as np
import pytest

from guiapp import open_model
from guiapp.core.bench.engine import cells_of
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.stages import STAGES, WHOLE, stage_calls, stage_names
from guiapp.core.demo import sample_text

MODELS = (
    ("bpe", True),
    ("bpe", False),
    ("spm", True),
    ("wordpiece", True),
    ("unigram", True),
    ("rwkv", True),
)
TEXT = sample_text("languages")[:3_000] + b"\xff a\xe2\x96\x81b \xf0\x9f\x99"


@pytest.mark.parametrize(("model", "is_split"), MODELS)
def test_the_stages_one_after_the_other_give_the_tokens(model, is_split):
    tokenizer = open_model(f"demo:{model}")
    tokenizer = tokenizer if is_split else tokenizer.without_splitting()
    for encoder in tokenizer.encoders:
        calls = stage_calls(tokenizer, encoder, TEXT)
        parts = list(calls.values())[-1]()
        assert tuple(calls) == stage_names(tokenizer, encoder)
        assert set(calls) <= set(STAGES)
        encoding = tokenizer.encode(TEXT, add_special=False, parse_special=False, encoder=encoder)
        assert np.concatenate([part.ids for part in parts]).tolist() == encoding.token_ids.tolist()
        if len(parts) == 1:
            assert parts[0].starts.tolist() == encoding.spans[:, 0].tolist()


def test_long_texts_go_through_the_stages_chunk_by_chunk():
    tokenizer = open_model("demo:unigram").with_threads(1)
    text = sample_text("english") * 150
    (tokens,) = list(stage_calls(tokenizer, "viterbi", text).values())[-1]()
    assert len(text) > 1 << 18
    assert tokens.ids.tolist() == tokenizer.encode(text, False, False).token_ids.tolist()


def test_who_splits_and_encodes_in_one_pass_has_one_stage_for_both():
    tokenizer = open_model("demo:bpe")
    assert stage_names(tokenizer, "fast") == ("partition", "normalise", "split and encode pieces")
    assert stage_names(tokenizer, "heap") == ("partition", "normalise", "split", "encode pieces")
    assert stage_names(tokenizer, "words") == ("partition", "split and encode pieces")
    assert stage_names(tokenizer.without_splitting(), "heap") == ("partition", "normalise", "encode pieces")


def test_a_cell_of_a_stage_is_for_those_who_have_it():
    contenders = ("fast", "heap", "heap (unsplit)", "tiktoken")
    plan = Plan("demo:bpe", ("sample:welcome",), contenders, scenarios=("stages",))
    (cell,) = cells_of(plan, open_model("demo:bpe"))
    assert [name for name in contenders if cell.is_for(name, "split")] == ["heap"]
    assert [name for name in contenders if cell.is_for(name, "encode pieces")] == ["heap", "heap (unsplit)"]
    assert all(cell.is_for(name, WHOLE) for name in contenders)
    assert "normalise and split" not in cell.operations
