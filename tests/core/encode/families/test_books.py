"""BPE and SPM on whole books."""

import numpy as np
import pytest
from conftest import CORPORA, VOCABS

from guiapp import open_model

pytestmark = pytest.mark.real_vocabs


@pytest.mark.parametrize("name", ["llama-bpe", "gemma-4", "llama-spm"])
@pytest.mark.parametrize("corpus", ["shakespeare.txt", "soseki.txt"])
def test_a_book_is_the_same_cold_warm_and_without_a_cache(name, corpus):
    tokenizer = open_model(VOCABS / f"ggml-vocab-{name}.gguf")
    text = (CORPORA / corpus).read_bytes()
    expected = tokenizer.encode(text, encoder="heap")
    for _ in range(2):
        actual = tokenizer.encode(text, encoder="fast")
        assert np.array_equal(actual.token_ids, expected.token_ids)
        assert np.array_equal(actual.spans, expected.spans)


def test_a_text_of_more_words_than_the_cache_holds_is_the_same():
    tokenizer = open_model(VOCABS / "ggml-vocab-gpt-2.gguf")
    text = "".join(f" {chr(97 + number % 26)}{number:x}" for number in range(300_000)).encode()
    expected = tokenizer.encode(text, encoder="heap").token_ids
    for _ in range(2):
        assert np.array_equal(tokenizer.encode(text, encoder="fast").token_ids, expected)
