"""One text in tokens of several models, from Python."""

import pytest

import guiapp
from guiapp.analysis.compare.comparison import ModelSide, compare_text
from guiapp.analysis.compare.spans import compare_spans

TEXT = "Hello worlds, naïve 汉字 don't"
MODELS = ("demo:bpe", "demo:spm", "demo:wordpiece")


def test_a_comparison_holds_what_each_model_gives():
    tokenizer = guiapp.open_model("demo:spm")
    found = guiapp.compare(["demo:bpe", tokenizer, "demo:wordpiece"], TEXT)
    assert [side.name for side in found.sides] == ["demo:bpe", tokenizer.vocabulary.name, "demo:wordpiece"]
    for name, encoding in zip(MODELS, found.encodings, strict=True):
        alone = guiapp.open_model(name).encode(TEXT)
        assert encoding.token_ids.tolist() == alone.token_ids.tolist()
    assert found.text_bytes == TEXT.encode()
    assert [counts.whole.n_tokens for counts in found.counts] == [len(each) for each in found.encodings]


def test_a_difference_has_the_ids_of_each_model_in_it():
    found = guiapp.compare(MODELS, TEXT)
    assert len(found.spans.differences) > 3
    for row, (start, end) in enumerate(found.spans.differences.tolist()):
        for encoding, ids in zip(found.encodings, found.difference_ids(row), strict=True):
            inside = (encoding.spans[:, 0] >= start) & (encoding.spans[:, 1] <= end)
            empty = encoding.spans[:, 0] == encoding.spans[:, 1]
            expected = encoding.token_ids[inside & (empty == (start == end))]
            assert ids == expected.tolist()


def test_sides_may_be_one_model_in_several_ways():
    tokenizer = guiapp.open_model("demo:bpe")
    sides = [
        ModelSide("exact", tokenizer),
        ModelSide("greedy", tokenizer, "greedy"),
        ModelSide("bare", tokenizer, None, add_special=False),
        ModelSide("as text", tokenizer, None, parse_special=False),
    ]
    found = compare_text(sides, "<|im_end|> unbelievable")
    assert [len(each) for each in found.encodings] == [
        len(tokenizer.encode("<|im_end|> unbelievable", *switches))
        for switches in ((), (True, True, "greedy"), (False,), (True, False))
    ]
    assert found.spans.differences[0].tolist() == [0, 0]  # no BOS


def test_switches_of_all_models_and_text_that_is_no_utf_8():
    text = b"\xff <|im_end|>"
    found = guiapp.compare(["demo:bpe", "demo:rwkv"], text, add_special=False, parse_special=False)
    assert found.text_bytes == text
    for side, encoding in zip(found.sides, found.encodings, strict=True):
        assert encoding.token_ids.tolist() == side.tokenizer.encode(text, False, False).token_ids.tolist()


@pytest.mark.parametrize("count", [0, 256])
def test_no_models_and_too_many_are_refused_in_a_sentence(count):
    with pytest.raises(guiapp.EncodeError, match=f"{count} models cannot be compared"):
        guiapp.compare([guiapp.open_model("demo:toy")] * count, "")


def test_an_empty_text_is_compared():
    found = guiapp.compare(["demo:bpe", "demo:rwkv"], "")
    assert found.spans.differences.tolist() == [[0, 0]]
    assert compare_spans([]).shares == ()
