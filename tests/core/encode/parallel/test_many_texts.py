"""Many texts at once: the ids of each by itself, whatever they are, on any number of threads."""

import random

import numpy as np
import pytest
from gguf_builder import CONTROL, NORMAL, USER_DEFINED, write_vocab
from model_files import ALL_MODELS, special_texts
from pair_vocabularies import BYTE_TOKENS
from random_texts import random_texts

import guiapp
from guiapp.core.encode import many_texts
from guiapp.core.encode import many_texts as long_texts
from guiapp.errors import EncodeError

SEED = 20261122
ENCODED_TOGETHER = ["demo:bpe", "demo:spm", "demo:wordpiece"]


@pytest.fixture(autouse=True)
def threads_for_little(monkeypatch):
    monkeypatch.setattr(many_texts, "LEAST_BYTES", 0)
    monkeypatch.setattr(many_texts, "LEAST_BYTES_PER_TEXT", 0)
    monkeypatch.setattr(many_texts, "LEAST_GROUP", 1000)


def with_special_tokens(tokenizer, texts, rng):
    """Every third text with some of the special tokens, and every seventh empty."""
    tokens = [*special_texts(tokenizer), b""]
    for index, text in enumerate(texts):
        if index % 3 == 0:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + b" ".join(rng.choices(tokens, k=3)) + rng.choice([b"", b" "]) + text[at:]
        yield text if index % 7 else b""


def assert_same_rows(found, expected, texts):
    assert [ids.tolist() for ids in found] == [ids.tolist() for ids in expected], texts
    assert {ids.dtype for ids in found} <= {np.dtype(np.int32)}


@pytest.mark.parametrize("model", ALL_MODELS)
def test_many_texts_have_the_ids_of_each(model):
    tokenizer, rng = guiapp.open_model(model), random.Random(SEED)
    texts = list(with_special_tokens(tokenizer, random_texts(SEED, 300), rng))
    for add_special, parse_special in [(True, True), (False, True), (True, False)]:
        switches = {"add_special": add_special, "parse_special": parse_special}
        each = [tokenizer.encode(text, **switches).token_ids for text in texts]
        for n_threads in (1, 2, 5):
            together = tokenizer.with_threads(n_threads).encode_each(texts, **switches)
            assert_same_rows(together, each, switches)


@pytest.mark.parametrize("encoder", ["heap", "greedy", "words"])
def test_every_encoder_takes_many_texts(encoder):
    tokenizer = guiapp.open_model("demo:bpe").with_threads(3)
    texts = list(random_texts(SEED, 60))
    expected = [tokenizer.encode(text, encoder=encoder).token_ids for text in texts]
    assert_same_rows(tokenizer.encode_each(texts, encoder=encoder), expected, encoder)
    with pytest.raises(EncodeError, match="has no encoder “slow”"):
        tokenizer.encode_each(texts, encoder="slow")


def test_texts_that_are_not_split_are_pieces_of_their_own():
    tokenizer = guiapp.open_model("demo:bpe").without_splitting()
    texts = [b"two words", b" and", b"", b" more, \xe2"]
    assert_same_rows(
        tokenizer.encode_each(texts), [tokenizer.encode(text).token_ids for text in texts], texts
    )


@pytest.mark.parametrize("model", [*ENCODED_TOGETHER, "demo:unigram"])
def test_long_texts_among_short_ones_have_their_ids(model, monkeypatch):
    monkeypatch.setattr(long_texts, "LEAST_LONG_BYTES", 200_000)
    tokenizer = guiapp.open_model(model)
    long_text = b"The quick brown fox jumps over the lazy dog. " * 5_000
    texts = [*[b"a short one"] * 100, long_text, long_text[:150_000], *[b"", b"another"] * 100]
    expected = [tokenizer.encode(text).token_ids for text in texts]
    assert_same_rows(tokenizer.with_threads(2).encode_each(texts), expected, model)


def test_special_tokens_do_not_reach_into_the_next_text(tmp_path):
    tokenizer = guiapp.open_model(model_with(tmp_path, [b"<a><b>", b"<a>", b"b><", b"\xff"]))
    texts = [b"<a>", b"<b>x", b"<a><b>", b"", b"<a", b"><b><", b"a>", b"\xff\0", b"\0<a>\0\0", b"b", b"><"]
    expected = [tokenizer.encode(text).token_ids for text in texts]
    assert_same_rows(tokenizer.encode_each(texts), expected, texts)


def model_with(folder, special_texts):
    """A vocabulary of bytes and these special tokens."""
    types = [NORMAL] * 256 + [USER_DEFINED, CONTROL] * len(special_texts)
    texts = [text.decode("latin-1") if text.isascii() else text for text in special_texts]
    return write_vocab(
        folder / "model.gguf",
        model="gpt2",
        pre="gpt-2",
        tokens=[*BYTE_TOKENS, *texts],
        types=types[: 256 + len(texts)],
        merges=[],
    )
