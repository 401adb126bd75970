"""Ids and detokenised bytes equal llama.cpp's own, for every real vocabulary.

To replay a failing text, pass the seed and index in the message to `random_texts.text_of`; see `fuzzing`.
With every pre-tokenizer name (`test_pre_tokenizers`) and the small vocabularies of the other types
(`test_unpaired_against_llama_cpp`), `-m exhaustive` compares more than 100,000 texts.
"""

import os

import pytest
from conftest import VOCABS
from fuzzing import rounds
from llama_equality import check, llama_oracle
from model_files import opened

pytestmark = [pytest.mark.real_vocabs, pytest.mark.slow]

NAMES = sorted(path.stem.removeprefix("ggml-vocab-") for path in VOCABS.glob("*.gguf"))
WITH_VECTORS = [name for name in NAMES if (VOCABS / f"ggml-vocab-{name}.gguf.inp").exists()]


@pytest.fixture(scope="module")
def oracle_of():
    with llama_oracle() as loaded:
        yield lambda path: loaded.load(os.fspath(path))


def path_of(name):
    return VOCABS / f"ggml-vocab-{name}.gguf"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # read_vectors closes late
@pytest.mark.parametrize("name", WITH_VECTORS)
def test_llama_cpps_own_vectors_pass(name):
    read_vectors = pytest.importorskip("llama_oracle").read_vectors
    tokenizer = opened(path_of(name))
    vectors = read_vectors(path_of(name))
    assert len(vectors) >= 46
    for text, expected in vectors:
        for encoder in tokenizer.exact_encoders:
            native = tokenizer.encode(text, False, False, encoder)
            readable = tokenizer.encode_readable(text, False, False, encoder)
            assert native.token_ids.tolist() == readable.token_ids.tolist() == expected, (encoder, text)
            assert native.spans.tolist() == readable.spans.tolist(), (encoder, text)


@rounds(usual=1_000, exhaustive=5_000)
@pytest.mark.parametrize("name", NAMES)
def test_random_texts_give_the_same_ids_and_come_back_to_the_same_bytes(name, count, oracle_of):
    check(opened(path_of(name)), oracle_of(path_of(name)), count)
