"""Why a token is there: what is told is what the encoder does, and each line is a step of the debugger."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from time import perf_counter

import numpy as np
import pytest
from conftest import SHARED, VOCABS
from format_samples import SAMPLES
from random_texts import random_texts
from random_tokenizers import random_tokenizer

from guiapp import EncodeError, open_model
from guiapp.analysis.explain.spelling import without_marks
from guiapp.analysis.explain.why.excerpt import REACH_BYTES, Switches, excerpt_of, tokens_near
from guiapp.analysis.explain.why.explanation import MOST_RECORDED, TokenWhy
from guiapp.analysis.explain.why.why import SHOWN_BYTES, why, why_of
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import step_at
from guiapp.core.encode.encoding import as_bytes
from guiapp.core.encode.tokenizer import Tokenizer

pytestmark = pytest.mark.slow


DEMOS = ("bpe", "spm", "wordpiece", "unigram", "rwkv", "toy")
TEXT = (
    "  New Yorké's 1234 tokenization\n<|im_end|>\tx ﬁ½ 🦄!! [INST] <extra_id_0>漢字 a\u0301\u200b\U000e0041"
)
REAL = ("llama-bpe", "llama-spm", "gemma-4", "deepseek-coder", "bert-bge", "qwen2")
FILES = ("claude-2.tokenizer.json", "deepseek-v4.tokenizer.json", "bpe_simple_vocab_16e6.txt.gz",
         "mistral-v1.tokenizer.model", "j2-unigram.tokenizer.model", "cl100k_base.tiktoken",
         "rwkv_vocab_v20230424.txt")  # fmt: skip


def check(tokenizer: Tokenizer, text: str | bytes, encoder: str | None = None, parse: bool = True) -> None:
    """That all that is told of the tokens of a text holds."""
    data = as_bytes(text)
    encoding = tokenizer.encode(data, True, parse, encoder)
    assert (np.diff(encoding.spans, axis=0) >= 0).all()
    trace = record(tokenizer, data, encoder, True, parse)
    explained = {
        each.index: each for each in why(tokenizer, data, 0, max(len(data), 1), True, parse, encoder)
    }
    for each in why(tokenizer, data, 0, 0, True, parse, encoder):
        explained[each.index] = each
    for index, each in explained.items():
        assert each.token_id == encoding.token_ids[index]
        assert [each.start, each.end] == encoding.spans[index].tolist()
        check_merges(tokenizer, each)
        hexadecimal = each.stages[0].lines[0].text.strip("`")
        if 0 < each.end - each.start <= SHOWN_BYTES:
            assert bytes.fromhex(hexadecimal) == data[each.start : each.end]
        for stage in each.stages:
            assert stage.lines
            for line in stage.lines:
                assert line.text
                step = step_at(trace, line.step_key)
                assert step is not None, (line, each)
                if line.merged is not None:
                    assert trace.operation(step) == "merge"
                    assert trace.columns.result[step] == line.merged.result
                    assert trace.columns.position[step] == line.merged.start
    with_text = {index for index, (start, end) in enumerate(encoding.spans.tolist()) if start < end}
    assert with_text <= explained.keys()


def check_merges(tokenizer: Tokenizer, each: TokenWhy) -> None:
    """Replayed in their order, they make the token of symbols, and what lost has no better rank."""
    made: list[tuple[int, int, int]] = []
    for line in each.merges:
        merge, rules = line.merged, tokenizer.merging.rules
        assert rules[merge.left, merge.right].made == merge.result
        assert rules[merge.left, merge.right].rank == merge.rank
        for part in ((merge.left, merge.start, merge.middle), (merge.right, merge.middle, merge.end)):
            if part in made:
                made.remove(part)
        made.append((merge.result, merge.start, merge.end))
        if (lost := line.lost) is not None:
            assert rules[lost.left, lost.right].rank == lost.rank >= merge.rank
            assert (lost.start, lost.left, lost.right) != (merge.start, merge.left, merge.right)
    if made and [stage.lines[-1].step_key.operation for stage in each.stages if stage.name == "token"] == [
        "merge"
    ]:
        assert made == [(each.token_id, each.start, each.end)]


@pytest.mark.parametrize("name", DEMOS)
def test_explanations_of_tokens_hold_for_each_encoder(name):
    tokenizer = open_model(f"demo:{name}")
    text = TEXT if name != "toy" else "abacbbacbcab"
    for encoder in tokenizer.encoders:
        for parse in (True, False):
            check(tokenizer, text, encoder, parse)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_explanations_hold_for_each_format(sample, tmp_path):
    path = tmp_path / sample.name
    sample.write(path)
    check(open_model(path, "gpt-2" if sample.is_silent else None), sample.text)


@pytest.mark.parametrize("seed", [116, 118, 120, 134, 1038, 1039, 5006, 5037])
def test_explanations_hold_for_components_of_all_kinds(seed, tmp_path):
    """Among them spaces in front of broken text, bytes as characters, and tokens alike without text."""
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(random_tokenizer(random.Random(seed))))
    tokenizer = open_model(path)
    for text in random_texts(seed=seed, count=3):
        for parse in (True, False):
            try:
                tokenizer.encode(text[:18], True, parse)
            except EncodeError:  # this vocabulary cannot express the text
                continue
            check(tokenizer, text[:18], None, parse)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", [*REAL, *FILES])
def test_explanations_hold_for_random_texts(name):
    path = VOCABS / f"ggml-vocab-{name}.gguf" if name in REAL else SHARED / "formats" / name
    tokenizer = open_model(path, "cl100k_base" if name.startswith("cl100k") else None)
    n_checked = 0
    check(tokenizer, "a \ud7ff\U000f2c9a b".encode() if tokenizer.vocabulary.special_ids.unk else "a b")
    for text in random_texts(seed=29, count=4):
        try:
            check(tokenizer, text[:20])
        except EncodeError:
            continue
        n_checked += 1
    assert n_checked


@pytest.mark.parametrize("text", ["{}", "a </s>{}", "{} </s>a", "{}\ufdfa"])
def test_a_token_without_text_is_explained_next_to_a_huge_token(text):
    tokenizer = open_model("demo:unigram")
    text = text.format("\U0010fffd" * (REACH_BYTES // 4 + 1)).encode()
    encoding = tokenizer.encode(text, False)
    for index in np.flatnonzero(encoding.spans[:, 0] == encoding.spans[:, 1]).tolist():
        explained = why_of(tokenizer, excerpt_of(encoding, index), Switches("fast", add_special=False))
        assert explained.token_id == encoding.token_ids[index]
        assert "It has no text of its own." in stage_of(explained, "bytes")


@pytest.mark.parametrize("index", [0, 1])  # that of a blank before the text, and that of the text
def test_explaining_a_token_as_long_as_a_book_is_refused(index):
    tokenizer = open_model("demo:unigram")
    encoding = tokenizer.encode("\U0010fffd" * (MOST_RECORDED // 4 + 1), False)
    with pytest.raises(EncodeError, match="too far away to be examined"):
        why_of(tokenizer, excerpt_of(encoding, index), Switches("fast", add_special=False))


def stage_of(each: TokenWhy, name: str) -> str:
    """All that is told of a stage, as people read it."""
    (stage,) = (stage for stage in each.stages if stage.name == name)
    return " ".join(without_marks(f"{line.text} {line.note}") for line in stage.lines)


@pytest.mark.parametrize(
    ("model", "text", "at", "stage", "words"),
    [
        ("bpe", "x's", 1, "split", "a contraction such as 's or 'll"),
        ("bpe", "a 12345", 3, "split", r"up to three digits. \p{N}{1,3}, alternative 3 of 7"),
        ("bpe", b"\xc3\xa9\xff", 2, "normalise", "Bytes that are not UTF-8 become U+FFFD"),
        ("bpe", "Hello", 0, "encode", "ignore_merges"),
        (
            "bpe",
            "a<|im_end|>",
            3,
            "partition",
            "<|im_end|>, a special token. It is split off before anything else",
        ),
        ("bpe", "a<think>", 3, "partition", "in any case"),
        ("spm", "Hi", 0, "normalise", "add_space_prefix adds a space in front"),
        ("spm", "\x07", 0, "encode", "stands for it"),
        ("wordpiece", "ÉTÉ", 0, "normalise", "strip_accents"),
        ("wordpiece", "ÉTÉ", 0, "normalise", "lowercase"),
        ("wordpiece", "unbelievable", 0, "encode", "unbelieva is not a token: try a shorter one."),
        ("unigram", "ﬁn", 0, "normalise", "The character map of the file"),
        ("unigram", " New York", 1, "encode", "·New instead of ·N e w, the best segmentation without it."),
        ("unigram", "a ** b", 2, "bytes", "The token stands for 20 2A"),
        ("rwkv", " New", 0, "encode", "Shorter tokens would also fit"),
        ("toy", "abacbb", 0, "encode", "a + b → ab"),
    ],
)
def test_the_deciding_stage_has_the_explanation(model, text, at, stage, words):
    (explained,) = why(open_model(f"demo:{model}"), text, at)
    assert words in stage_of(explained, stage)


def test_a_space_of_the_text_is_not_reported_as_added():
    explained = why(open_model("demo:unigram"), "one two  three", 0, 14)
    assert {each.start for each in explained if "add_space_prefix" in stage_of(each, "normalise")} == {0}


@pytest.mark.parametrize("text", ["a \U0001f996", "a \U000e0067 b"])  # no token holds one of these whole
@pytest.mark.parametrize("model", ["bpe", "spm", "rwkv"])
def test_a_part_of_a_character_is_not_invalid_text(model, text):
    for explained in why(open_model(f"demo:{model}"), text, 0, len(text.encode())):
        assert not any(
            stage.name == "normalise" and "U+FFFD" in stage_of(explained, "normalise")
            for stage in explained.stages
        )


def test_an_unparsed_special_token_is_explained_as_text():
    (explained,) = why(open_model("demo:bpe"), "a<|im_end|>", 3, parse_special=False)
    assert "it matches <|im_end|>, but special tokens are not parsed" in stage_of(explained, "partition")


def test_a_place_outside_of_the_text_is_refused():
    tokenizer = open_model("demo:bpe")
    for start, end in ((5, None), (-1, None), (3, 2), (0, 6)):
        with pytest.raises(EncodeError, match=f"Bytes {start}–"):
            why(tokenizer, "Hello", start, end)
    assert why(tokenizer, "", 0, 0)[0].stages[0].name == "bytes"


@pytest.mark.parametrize("model", ["bpe", "spm", "unigram", "wordpiece", "rwkv"])
@pytest.mark.parametrize(
    "text", ["a" * 30_000, " " * 30_000, "\u0301" * 5_000, "ab " * 10_000, b"\xff" * 5_000]
)
def test_tokens_of_huge_texts_are_explained_in_time_or_refused(model, text):
    tokenizer = open_model(f"demo:{model}")
    encoding = tokenizer.encode(text)
    excerpt = excerpt_of(encoding, len(encoding) // 2)
    started = perf_counter()
    with suppress(EncodeError):
        assert why_of(tokenizer, excerpt, Switches(encoding.encoder)).index == len(encoding) // 2
    assert perf_counter() - started < 60


SPANS = np.array([(0, 0), (0, 9), (9, 18), (18, 18), (18, 18), (18, 27), (27, 36), (36, 36)])


@pytest.mark.parametrize(
    ("index", "reach", "expected"),
    [
        (2, 0, slice(2, 5)),
        (2, 8, slice(2, 5)),
        (2, 9, slice(0, 6)),
        (5, 0, slice(3, 6)),
        (0, 0, slice(0, 2)),
        (3, 0, slice(2, 6)),
        (4, 0, slice(2, 6)),
        (4, 9, slice(2, 6)),
        (4, 18, slice(0, 8)),
        (7, 0, slice(6, 8)),
    ],
)
def test_whole_tokens_within_reach_are_near_and_of_one_without_text_some_on_both_sides(
    index, reach, expected
):
    assert tokens_near(*SPANS.T, index, reach) == expected
