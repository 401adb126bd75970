"""Many texts at once: the same ids as one by one, in order, cut and filled to one width."""

from __future__ import annotations

import numpy as np
import pytest

import guiapp
from guiapp.core.batches import encode_rows
from guiapp.core.errors import EncodeError

SENTENCE = "The quick brown fox jumps over the lazy dog, again and again. "
MODELS = ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"]


@pytest.mark.parametrize("model", MODELS)
def test_threads_give_the_same_ids_in_order(model):
    tokenizer = guiapp.open_model(model)
    texts = [f"{index} {SENTENCE * 50}".encode() for index in range(40)]
    one_by_one = [tokenizer.encode(text).token_ids for text in texts]
    rows = encode_rows(lambda text: tokenizer.encode(text).token_ids, texts, 4)
    assert all(map(np.array_equal, rows, one_by_one))
    ids, mask = tokenizer.encode_batch(texts)
    assert [row[: used.sum()].tolist() for row, used in zip(ids, mask, strict=True)] == [
        row.tolist() for row in one_by_one
    ]


def test_an_error_on_a_thread_reaches_the_caller():
    def refuse(text):
        raise EncodeError(f"no token for {text[:1].decode()}")

    with pytest.raises(EncodeError, match="no token for a"):
        encode_rows(refuse, [b"a" * 40_000, b"b" * 40_000], 2)


def test_rows_are_cut_within_the_text():
    tokenizer = guiapp.open_model("demo:wordpiece")
    special = tokenizer.vocabulary.special_ids
    whole = tokenizer.encode(SENTENCE).token_ids.tolist()
    ids, mask = tokenizer.encode_batch([SENTENCE, "fox"], truncate=6)
    assert ids[0].tolist() == [*whole[:5], special.sep]
    assert ids[1, 0] == special.bos
    assert mask.sum(axis=1).tolist() == [6, len(tokenizer.encode("fox"))]
    with pytest.raises(EncodeError, match="at least 1"):
        tokenizer.encode_batch([SENTENCE], truncate=0)


@pytest.mark.parametrize("model", MODELS)
def test_padding_stands_at_the_end_and_the_mask_tells_it(model):
    tokenizer = guiapp.open_model(model)
    ids, mask = tokenizer.encode_batch(["fox", SENTENCE, ""], pad=64)
    lengths = [len(tokenizer.encode(text)) for text in ("fox", SENTENCE, "")]
    assert ids.shape == mask.shape == (3, 64)
    assert mask.tolist() == [[1] * length + [0] * (64 - length) for length in lengths]
    assert len(set(ids[mask == 0].tolist())) == 1


def test_no_texts_make_no_rows():
    ids, mask = guiapp.open_model("demo:bpe").encode_batch([])
    assert ids.shape == mask.shape == (0, 0)
