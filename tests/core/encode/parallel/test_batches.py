"""Many texts at once: the same ids as one by one, in order, cut and filled to one width."""

import os

import numpy as np
import pytest
from gguf_builder import write_vocab

import guiapp
from guiapp.core.encode import many_texts as batches
from guiapp.errors import EncodeError

SENTENCE = "The quick brown fox jumps over the lazy dog, again and again. "
MODELS = ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"]


@pytest.mark.parametrize("model", MODELS)
def test_rows_are_the_ids_of_each_text_in_order(model):
    tokenizer = guiapp.open_model(model)
    texts = [f"{index} {SENTENCE * (index % 50)}" for index in range(300)]
    ids, mask = tokenizer.encode_batch(
        text.encode() if index % 2 else text for index, text in enumerate(texts)
    )
    rows = [row[: used.sum()].tolist() for row, used in zip(ids, mask, strict=True)]
    assert rows == [tokenizer.encode(text).token_ids.tolist() for text in texts]


def test_an_error_on_a_thread_reaches_the_caller(tmp_path):
    words = {"tokens": ["▁a", "▁b"], "bos_token_id": 0, "seperator_token_id": 1}
    path = write_vocab(tmp_path / "model.gguf", model="bert", **words, unknown_token_id=99)
    tokenizer = guiapp.open_model(path).with_threads(2)
    assert tokenizer.encode_batch(["a b"])[0].tolist() == [[0, 0, 1, 1]]
    for place in (0, 500, 999):
        texts = ["a b " * 100] * 1000
        texts[place] = "a c"
        with pytest.raises(EncodeError, match="A word is not covered"):
            tokenizer.encode_batch(texts)


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
    with pytest.raises(EncodeError):
        tokenizer.encode_batch(["fox", SENTENCE], pad=None)


def test_no_texts_make_no_rows():
    ids, mask = guiapp.open_model("demo:bpe").encode_batch([])
    assert ids.shape == mask.shape == (0, 0)


def test_all_that_is_left_out_by_truncating_is_text():
    tokenizer = guiapp.open_model("demo:wordpiece")
    special = tokenizer.vocabulary.special_ids
    assert tokenizer.encode_batch([SENTENCE, ""], truncate=1)[0].tolist() == [[special.sep]] * 2
    assert tokenizer.encode_batch([SENTENCE, ""], truncate=2)[0].tolist() == [[special.bos, special.sep]] * 2


@pytest.mark.parametrize("pad", ["x", -1, 2.5, b"longest", [3]])
def test_what_is_no_padding_is_refused_before_anything_is_encoded(pad):
    with pytest.raises(EncodeError, match="is no padding"):
        guiapp.open_model("demo:bpe").encode_batch([], pad=pad)


@pytest.mark.parametrize("truncate", ["x", 2.5, [3]])
def test_what_is_no_number_of_tokens_is_refused(truncate):
    with pytest.raises(EncodeError, match="cannot be cut"):
        guiapp.open_model("demo:bpe").encode_batch(["fox"], truncate=truncate)


def test_a_width_may_be_any_whole_number():
    tokenizer = guiapp.open_model("demo:bpe")
    assert tokenizer.encode_batch(["fox"], pad=np.int64(9))[0].shape == (1, 9)
    assert tokenizer.encode_batch([], pad=0)[0].shape == (0, 0)


def test_str_with_lone_surrogates_and_broken_bytes_stand_side_by_side():
    tokenizer = guiapp.open_model("demo:bpe")
    texts = ["a\ud83d", b"\xed\xa0\xbd\xff", "é", bytearray(b"\xe2\x82"), memoryview(b"abc"), ""]
    expected = [tokenizer.encode(bytes_of(text)).token_ids.tolist() for text in texts]
    assert [ids.tolist() for ids in tokenizer.encode_each(texts)] == expected


def bytes_of(text):
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)


@pytest.mark.parametrize("text", [3, None, ["a"], 1.5])
def test_what_is_no_text_is_refused(text):
    tokenizer = guiapp.open_model("demo:bpe")
    for call in (tokenizer.encode_batch, tokenizer.encode_each):
        with pytest.raises(TypeError):
            call(["fine", text])
    with pytest.raises(TypeError):
        tokenizer.encode(text)


def test_one_text_is_not_many():
    for call in (guiapp.open_model("demo:bpe").encode_batch, guiapp.open_model("demo:bpe").encode_each):
        with pytest.raises(TypeError, match="many texts"):
            call("one text")


def test_rows_that_no_memory_holds_are_refused_in_a_sentence(monkeypatch):
    tokenizer = guiapp.open_model("demo:bpe")
    with pytest.raises(EncodeError, match="more memory than there is"):
        tokenizer.encode_batch(["fox"], pad=1 << 50)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(os, "sysconf_names", {})
        assert tokenizer.encode_batch(["fox"], pad=1 << 20)[0].shape == (1, 1 << 20)
    monkeypatch.setattr(batches, "_memory_bytes", lambda: 40_000)
    long_among_short = ["fox " * 1000, *["fox"] * 9]
    with pytest.raises(EncodeError, match=r"10 rows of [\d,]+ tokens need"):
        tokenizer.encode_batch(long_among_short)
    assert tokenizer.encode_batch(long_among_short, truncate=500)[0].shape == (10, 500)


@pytest.mark.parametrize("n_threads", [-1, 0, 1, 3, 1 << 40])
def test_any_number_of_threads_gives_the_same_rows(n_threads):
    tokenizer = guiapp.open_model("demo:spm")
    texts = [SENTENCE * 20] * 300
    ids, mask = tokenizer.with_threads(n_threads).encode_batch(texts)
    assert ids.tolist() == [tokenizer.encode(texts[0]).token_ids.tolist()] * 300
    assert mask.all()
