"""BPE and SPM on the published test vectors, by every encoder and its readable twin."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import CORPORA, VOCABS

from guiapp import open_model

NAMES = ("deepseek-coder", "gemma-4", "gpt-2", "llama-bpe", "llama-spm", "qwen2", "starcoder")

pytestmark = pytest.mark.real_vocabs


@pytest.mark.filterwarnings("ignore:.*unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", NAMES)
def test_all_vectors_have_the_published_ids(name):
    from llama_oracle import read_vectors

    path = VOCABS / f"ggml-vocab-{name}.gguf"
    tokenizer = open_model(path)
    for text, ids in read_vectors(path):
        for encoder in tokenizer.exact_encoders:
            native = tokenizer.encode(text, False, False, encoder)
            readable = tokenizer.encode_readable(text, False, False, encoder)
            assert native.token_ids.tolist() == readable.token_ids.tolist() == ids, (encoder, text)
            assert native.spans.tolist() == readable.spans.tolist()


@pytest.mark.parametrize("name", ["llama-bpe", "gemma-4", "llama-spm"])
@pytest.mark.parametrize("corpus", ["shakespeare.txt", "soseki.txt"])
def test_a_book_is_the_same_cold_warm_and_without_a_cache(name, corpus):
    tokenizer = open_model(VOCABS / f"ggml-vocab-{name}.gguf")
    text = (CORPORA / corpus).read_bytes()
    expected = tokenizer.encode(text, encoder="heap")
    for _ in range(2):
        found = tokenizer.encode(text, encoder="fast")
        assert np.array_equal(found.token_ids, expected.token_ids)
        assert np.array_equal(found.spans, expected.spans)
