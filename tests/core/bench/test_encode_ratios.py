"""The benchmark against other tokenizers: what it compares, not how fast anything is."""

from __future__ import annotations

import pytest
from benchmarks.encode_ratios import Ratio
from conftest import CORPORA, VOCABS

from guiapp import open_model
from guiapp.core.bench.sentencepiece_model import sentencepiece_model


def ratio(speed: float, first_difference: int | None = None, contender: str = "tiktoken") -> Ratio:
    return Ratio("llama-bpe", "English", "warm", contender, speed, 100.0, first_difference)


def test_a_promise_is_kept_by_speed_and_equal_ids():
    assert ratio(10.0).keeps_promise
    assert not ratio(11.0).keeps_promise
    assert not ratio(1.0, first_difference=7).keeps_promise


def test_where_nothing_is_promised_any_speed_will_do():
    assert ratio(99.0, contender="llama.cpp").keeps_promise


@pytest.mark.real_vocabs
def test_sentencepiece_itself_gives_the_ids_of_the_written_model():
    sentencepiece = pytest.importorskip("sentencepiece")
    tokenizer = open_model(VOCABS / "ggml-vocab-llama-spm.gguf")
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(tokenizer.vocabulary))
    text = (CORPORA / "shakespeare.txt").read_text("utf-8")[:20_000]
    assert tokenizer.encode(text, add_special=False).token_ids.tolist() == processor.encode(text)
