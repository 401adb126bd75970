"""Ids and detokenised bytes equal llama.cpp's own, for every real vocabulary and every pre-tokenizer name.

A failing text can be replayed: the message names seed and index for `random_texts.text_of`, see `fuzzing`.
With the small vocabularies of the other types (`test_unpaired_against_llama_cpp`), `-m exhaustive` compares
more than 100,000 texts.
"""

import os
import random

import pytest
from conftest import VOCABS
from fuzzing import SEED, rounds
from gguf_builder import entry
from model_files import special_texts
from random_texts import text_of

import guiapp
from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS

pytestmark = pytest.mark.real_vocabs

NAMES = sorted(path.stem.removeprefix("ggml-vocab-") for path in VOCABS.glob("*.gguf"))
WITH_VECTORS = [name for name in NAMES if (VOCABS / f"ggml-vocab-{name}.gguf.inp").exists()]
REWRITTEN = "gpt-2"  # the vocabulary that is given every pre-tokenizer name
PRE_OF_REWRITTEN = "gpt-2"


@pytest.fixture(scope="module")
def oracle_of():
    llama_oracle = pytest.importorskip("llama_oracle")
    loaded = llama_oracle.LlamaOracle()
    yield lambda path: loaded.load(os.fspath(path))
    loaded.close()


def path_of(name):
    return VOCABS / f"ggml-vocab-{name}.gguf"


def check(tokenizer, oracle, count):
    extra = special_texts(tokenizer, 200)
    for index in range(count):
        text = text_of(SEED, index, extra)
        rng = random.Random(f"{SEED} {index} switches")
        add, parse, remove, unparse = (rng.random() < 0.5 for _ in range(4))
        story = f"seed {SEED}, index {index}: {text!r}, add_special={add}, parse_special={parse}"
        expected = oracle.tokenize(text, add, parse)
        encoder = rng.choice(tokenizer.exact_encoders)
        assert tokenizer.encode(text, add, parse).token_ids.tolist() == expected, story
        chosen = tokenizer.encode(text, add, parse, encoder)
        assert chosen.token_ids.tolist() == expected, f"{encoder}: {story}"
        decoded = tokenizer.decode_bytes(expected, remove, unparse)
        assert decoded == oracle.detokenize(expected, remove, unparse), f"{expected}, {remove=}, {unparse=}"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # read_vectors closes late
@pytest.mark.parametrize("name", WITH_VECTORS)
def test_llama_cpps_own_vectors_pass(name):
    read_vectors = pytest.importorskip("llama_oracle").read_vectors
    tokenizer = guiapp.open_model(path_of(name))
    vectors = read_vectors(path_of(name))
    assert len(vectors) >= 46
    for text, expected in vectors:
        for encoder in tokenizer.exact_encoders:
            native = tokenizer.encode(text, False, False, encoder)
            readable = tokenizer.encode_readable(text, False, False, encoder)
            assert native.token_ids.tolist() == readable.token_ids.tolist() == expected, (encoder, text)
            assert native.spans.tolist() == readable.spans.tolist(), (encoder, text)


@rounds(usual=2_000, exhaustive=5_000)
@pytest.mark.parametrize("name", NAMES)
def test_random_texts_give_the_same_ids_and_come_back_to_the_same_bytes(name, count, oracle_of):
    check(guiapp.open_model(path_of(name)), oracle_of(path_of(name)), count)


@rounds(usual=150, exhaustive=500)
@pytest.mark.parametrize("pre", [pre for pre in PRE_TOKENIZERS if pre != "whitespace"])
def test_every_pre_tokenizer_splits_as_llama_cpp_does(pre, count, oracle_of, tmp_path):
    path = tmp_path / "rewritten.gguf"
    rewrite_pre(path_of(REWRITTEN), path, pre)
    check(guiapp.open_model(path), oracle_of(path), count)


def rewrite_pre(source, target, pre):
    """Copy a vocabulary file, which has no tensors to be aligned, with another `tokenizer.ggml.pre`."""
    key = "tokenizer.ggml.pre"
    before, former, behind = source.read_bytes().partition(entry(key, PRE_OF_REWRITTEN))
    assert former
    target.write_bytes(before + entry(key, pre) + behind)
