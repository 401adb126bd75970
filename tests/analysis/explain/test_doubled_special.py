"""BOS and EOS that a text brings along although they are added."""

import pytest

import guiapp
from guiapp.analysis.explain.reports import doubled_special

BOS = 2549  # of demo:bpe
BEGINS = "The text begins with {}, and the model adds another one."
ENDS = "The text ends with {}, and the model adds another one."


@pytest.mark.parametrize(
    ("model", "text", "said"),
    [
        ("demo:bpe", "<|begin_of_text|>hi", BEGINS.format("<|begin_of_text|>")),
        ("demo:bpe", "hi<|begin_of_text|>", None),
        ("demo:bpe", "", None),
        ("demo:wordpiece", "hi [SEP]", ENDS.format("[SEP]")),
        ("demo:wordpiece", "[CLS] hi [SEP]", f"{BEGINS.format('[CLS]')} {ENDS.format('[SEP]')}"),
        ("demo:rwkv", "hi", None),
    ],
)
def test_a_special_token_twice_is_told(model, text, said):
    tokenizer = guiapp.open_model(model)
    ids = tokenizer.encode(text).token_ids.tolist()
    assert doubled_special(tokenizer, ids[:2], ids[-2:]) == said


@pytest.mark.parametrize(
    "ids", [[], [BOS], [64, BOS], [BOS, 64], [64, 64], [BOS + 1, BOS], [BOS + 1, BOS + 1]]
)
def test_the_special_token_once_or_another_one_twice_is_all_right(ids):
    assert doubled_special(guiapp.open_model("demo:bpe"), ids, ids) is None
