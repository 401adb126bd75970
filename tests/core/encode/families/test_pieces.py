"""SentencePiece's models, whatever they ask for: tokens as its own, and cuts of texts for those of pairs."""

from __future__ import annotations

import random
from functools import cache

import pytest
import sentencepiece
from arrays import as_array, as_lists
from conftest import SHARED
from fuzzing import SEED, rounds
from piece_equality import check
from piece_models import trained
from random_texts import text_of

import guiapp
from guiapp.core.text.utf8 import is_text

MODELS = {
    "as llama's": {
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "byte_fallback": True,
    },
    "with a map": {"normalization_rule_name": "nmt_nfkc", "byte_fallback": True},
    "of unknown": {"normalization_rule_name": "nfkc_cf", "remove_extra_whitespaces": False},
    "without spaces": {"normalization_rule_name": "identity", "byte_fallback": False},
    "with own pieces": {
        "normalization_rule_name": "nmt_nfkc",
        "user_defined_symbols": ["ab", "abc", "\u2581\u2581", "e\u0301", "\n"],
        "add_dummy_prefix": False,
    },
}
PARTS = [
    "a",
    "ab",
    "abc ",
    " ",
    "  ",
    "\n",
    "e",
    "\u0301",
    "\ufb01",
    "\uff76\uff9e",
    "\u4e2d",
    "\u2581",
    "\x01",
    "the",
    ". ",
]
NAMES = pytest.mark.parametrize("name", MODELS)
REAL = (
    "nerdstash.model",
    "mistral-v1.tokenizer.model",
    "j2-unigram.tokenizer.model",
    "claude-2.tokenizer.json",
    "../vocabs/ggml-vocab-llama-spm.gguf",
    "../vocabs/ggml-vocab-nomic-bert-moe.gguf",
)
MARKED = [
    *(part for part in PARTS if part != "\x01"),
    *["\u2581", " ", "  "] * 4,
    '"',
    "\u00e9",
    "\u3361",
    "\u3300",
    "\U0001f9a9",
]


@cache
def tokenizer_of(name, folder):
    path = folder / f"{name}.model"
    path.write_bytes(trained(model_type="bpe", **MODELS[name]))
    return guiapp.open_model(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


def some_text(dice):
    if dice.random() < 0.5:
        return text_of(SEED, dice.randrange(1 << 30))[:120]
    return "".join(dice.choices(PARTS, k=dice.randrange(1, 20))).encode()


def encoded(pipeline, text, begins):
    return as_lists(pipeline.encode(as_array(text), begins, pipeline.encoders[0])) if text else [[], [], []]


def assert_cut(pipeline, text, cut):
    left, right = encoded(pipeline, text[:cut], True), encoded(pipeline, text[cut:], cut == 0)
    right[1:] = [[edge + cut for edge in edges] for edges in right[1:]]
    assert [a + b for a, b in zip(left, right, strict=True)] == encoded(pipeline, text, True), (text, cut)


@NAMES
@rounds(usual=150, exhaustive=5_000)
def test_both_sides_of_a_cut_can_be_encoded_alone_whatever_stands_on_the_far_side(folder, name, count):
    pipeline, n_cuts = tokenizer_of(name, folder).pipeline, 0
    for index in range(count):
        dice = random.Random(f"{SEED} {index}")
        text, other = some_text(dice), some_text(dice)
        position = dice.randrange(len(text) + 1)
        before, after = (cut(as_array(text), position) for cut in (pipeline.cut_before, pipeline.cut_after))
        assert 0 <= before <= position <= after <= len(text)
        for cut, whole in ((before, text), (before, text[:position] + other), (after, text)):
            assert_cut(pipeline, whole, cut)
        if after < len(text):
            assert_cut(pipeline, other + text[position:], len(other) + after - position)
        n_cuts += (before > 0) + (after < len(text))
    assert n_cuts > count / 20


@NAMES
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_tokens_are_those_of_sentencepiece(tmp_path, name, kind):
    (path := tmp_path / "own.model").write_bytes(data := trained(model_type=kind, **MODELS[name]))
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    dice = random.Random(SEED)
    texts = [b"", b" ", b"  ", b" \n a  b ", *(some_text(dice) for _ in range(40))]
    check(guiapp.open_model(path), library, texts)


@NAMES
def test_long_texts_with_reset_score_sums_match_sentencepiece(tmp_path, name):
    (path := tmp_path / "own.model").write_bytes(data := trained(model_type="unigram", **MODELS[name]))
    library, tokenizer = sentencepiece.SentencePieceProcessor(model_proto=data), guiapp.open_model(path)
    dice = random.Random(SEED)
    words = [*PARTS, "\u4e02", "\u4e03" * 50, " of", " and", "\u3361" * 9]
    for weights in ([9] * 15 + [1] * 5, [1] * 15 + [9, 9, 60, 60, 9], [0, 0, 0, 30] + [0] * 14 + [9, 9]):
        text = "".join(dice.choices(words, weights, k=12_000))
        for each in (text, text, text[1000:]):
            assert tokenizer.encode(each, False, False).token_ids.tolist() == library.encode(each)


@pytest.mark.parametrize(
    "file",
    [
        *("demo:spm", "demo:unigram"),
        *(pytest.param(SHARED / "formats" / name, id=name, marks=pytest.mark.real_vocabs) for name in REAL),
    ],
)
def test_spans_tile_the_text_and_cut_no_character_but_into_bytes(file):
    tokenizer, dice = guiapp.open_model(file), random.Random(SEED)
    drops_spaces = any(name in str(file) for name in ("demo:unigram", "nomic"))
    for _ in range(150):
        data = (text := "".join(dice.choices(MARKED, k=dice.randrange(1, 12)))).encode()
        edges = {len(text[:end].encode()) for end in range(len(text) + 1)}
        encoding = tokenizer.encode(data, add_special=False, encoder=dice.choice(tokenizer.exact_encoders))
        spans, ids = encoding.spans.tolist(), encoding.token_ids.tolist()
        for token, span in zip(ids, spans, strict=True):
            is_whole = is_text(tokenizer.vocabulary.token_bytes(token))
            assert edges.issuperset(span) or not is_whole, (text, spans)
        gaps = zip([0, *(end for _, end in spans)], [*(start for start, _ in spans), len(data)], strict=True)
        left_out = "".join(data[end:start].decode() for end, start in gaps)
        assert left_out == "" or (drops_spaces and not left_out.strip(" \u2581\n")), (text, spans)


@pytest.mark.real_vocabs
def test_a_user_defined_piece_that_is_several_tokens_has_the_spans_of_the_library():
    path, text = SHARED / "formats" / "nerdstash.model", ' \u2581"'
    library = sentencepiece.SentencePieceProcessor(str(path))
    check(guiapp.open_model(path), library, [text.encode()])
    assert guiapp.open_model(path).encode(text, add_special=False).spans.tolist() == [[0, 1], [1, 5]]


@NAMES
def test_ordinary_text_has_cuts_nearby(folder, name):
    pipeline, text = tokenizer_of(name, folder).pipeline, as_array(b"some words, and others. " * 50)
    assert pipeline.cut_before(text, 400) > 300
    assert pipeline.cut_after(text, 400) < 500
