"""A difference is told by the least text that shows it, and by what people chose for a model."""

import pytest
from conftest import VOCABS
from model_files import opened
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.compare.comparison import ModelSide, compare_text
from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.compare.texts import compare_texts, differing_span, reasons_of
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Rules, VocabType


def difference_in(sides, text, span_text):
    """As the window makes one: a stretch of the text that differs, with the tokens of each side in it."""
    data = text.encode()
    comparison = compare_text(sides, data)
    at = data.index(span_text.encode())
    span = [at, at + len(span_text.encode())]
    row = comparison.spans.differences.tolist().index(span)
    places = zip(comparison.encodings, comparison.spans.tokens[row].tolist(), strict=True)
    tokens = [(each.token_ids[first:last], *each.spans[first:last].T) for each, (first, last) in places]
    return differing_span(lambda start, end: data[start:end], len(data), tuple(span), tokens)


def reasons_for_difference(sides, text, span_text):
    return [
        (side_reason.other, side_reason.alike, side_reason.reason)
        for side_reason in reasons_of(sides, difference_in(sides, text, span_text))
    ]


@pytest.fixture(scope="module")
def three():
    names = ("llama-bpe", "qwen2", "gemma-4")
    return [ModelSide(name, opened(VOCABS / f"ggml-vocab-{name}.gguf")) for name in names]


TEXT = "total = 1024 and Straßenbahn.\nnext"


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    ("span_text", "expected"),
    [
        ("102", [(1, (2,), Cause.PIECES, "digits")]),
        (".\n", [(2, (), Cause.PIECES, "line ends")]),
        (" Straßen", [(1, (2,), Cause.TOKEN, "only in the second")]),
    ],
)
def test_models_of_three_part_where_their_stages_do(three, span_text, expected):
    actual = [
        (other, alike, *reason.kind)
        for other, alike, reason in reasons_for_difference(three, TEXT, span_text)
    ]
    assert actual == expected


def test_the_chosen_encoder_is_the_reason_where_it_gives_other_tokens():
    tokenizer = guiapp.open_model("demo:bpe")
    sides = [ModelSide("A", tokenizer), ModelSide("B", tokenizer, "words")]
    text = "New York is unbelievable"
    start, end = compare_text(sides, text).spans.differences[0].tolist()
    ((_, _, reason),) = reasons_for_difference(sides, text, text[start:end])
    assert reason.kind == (Cause.ENCODER, "words")
    assert reason.sentence == "B is encoded with `words`, which does not give the exact tokens here."


def test_switches_are_the_reason_where_they_make_the_difference():
    tokenizer = guiapp.open_model("demo:bpe")
    special = tokenizer.vocabulary.raw_text(tokenizer.vocabulary.special_ids.eos or 0).decode()
    sides = [ModelSide("A", tokenizer), ModelSide("B", tokenizer, parse_special=False)]
    ((_, _, reason),) = reasons_for_difference(sides, special, special)
    assert reason.kind == (Cause.SPECIAL, "switch")
    bos = guiapp.open_model("demo:spm")
    sides = [ModelSide("A", bos), ModelSide("B", bos, add_special=False)]
    ((_, _, reason),) = reasons_for_difference(sides, "one", "")
    assert reason.kind == (Cause.AROUND, "switch")
    assert reason.sentence == "B adds no special tokens: you turned them off."


def test_added_tokens_are_the_reason_at_the_ends_of_a_text():
    sides = [ModelSide(name, guiapp.open_model(f"demo:{name}")) for name in ("bpe", "rwkv")]
    ((_, _, reason),) = reasons_for_difference(sides, "one", "")
    assert reason.cause is Cause.AROUND


def test_models_that_add_equally_many_tokens_count_as_alike():
    rwkv, spm = guiapp.open_model("demo:rwkv"), guiapp.open_model("demo:spm")
    sides = [ModelSide("A", rwkv), ModelSide("B", rwkv), ModelSide("C", spm), ModelSide("D", spm)]
    ((other, alike, reason),) = reasons_for_difference(sides, "one", "")
    assert (other, alike, reason.cause) == (2, (3,), Cause.AROUND)


def test_a_switch_is_no_reason_for_a_model_that_adds_nothing_anyway():
    sides = [
        ModelSide("A", guiapp.open_model("demo:rwkv"), add_special=False),
        ModelSide("B", guiapp.open_model("demo:spm")),
    ]
    ((_, _, reason),) = reasons_for_difference(sides, "one", "")
    assert reason.kind == (Cause.AROUND, "each text")


LETTERS = dict.fromkeys(["a", "b", "c", "Ġ", "Ċ", "Ã", "©"], 0.0)


def side(name, tokens=(), merges=()):
    tokens = LETTERS | dict.fromkeys(tokens, 0.0)
    vocabulary = toy_vocabulary(tokens, VocabType.BPE, merges, Rules(byte_encoding=True))
    return ModelSide(name, Tokenizer(vocabulary))


def reasons(sides, text):
    return [
        (
            each.start,
            each.end,
            [(side_reason.other, side_reason.alike, side_reason.reason) for side_reason in each.reasons],
        )
        for each in compare_texts(sides, [("", text)]).differences
    ]
