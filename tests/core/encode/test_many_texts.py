"""Many texts at once: the ids of each by itself, whatever they are, on any number of threads."""

import os
import random
import threading
from itertools import product

import numpy as np
import pytest
from arrays import as_array, as_lists
from gguf_builder import CONTROL, NORMAL, USER_DEFINED, write_vocab
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import ALL_MODELS, opened, special_texts
from pair_vocabularies import BYTE_TOKENS
from random_texts import random_texts

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode import many_texts
from guiapp.core.encode import tokenizer as tokenizers
from guiapp.core.encode.many_texts import encode_in_parts, share_out
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


def assert_same_rows(actual, expected, texts):
    assert [ids.tolist() for ids in actual] == [ids.tolist() for ids in expected], texts
    assert {ids.dtype for ids in actual} <= {np.dtype(np.int32)}


@pytest.mark.parametrize("model", ALL_MODELS)
def test_many_texts_have_the_ids_of_each(model):
    tokenizer, rng = opened(model), random.Random(SEED)
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
    monkeypatch.setattr(many_texts, "LEAST_LONG_BYTES", 200_000)
    tokenizer = opened(model)
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


TOKENIZERS = {model.name: guiapp.open_model(f"demo:{model.name}") for model in DEMO_MODELS}
WORDS = [
    b"the ",
    b" ",
    b"\n\n",
    b"fox's",
    b" 2024",
    b"def f(x):\n    ",
    "中文。".encode(),
    b"a" * 9,
    b"\xe2a",
]
SNIPPETS = [*WORDS, "é▁".encode(), b"\xf0\x9f", b"<s>", "🤔".encode(), b"abc", b"\xff", b"\r\n"]
TEXTS = st.lists(st.sampled_from(SNIPPETS), min_size=1, max_size=60).map(b"".join)


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(deadline=None, max_examples=60)
@given(text=TEXTS, after_special=st.booleans())
def test_parts_give_the_tokens_of_the_whole(name, text, after_special):
    tokenizer = TOKENIZERS[name]
    fragment = as_array(text)
    for encoder in tokenizer.exact_encoders:
        whole = outcome(tokenizer.pipeline.encode, fragment, after_special, encoder)
        parts = outcome(
            lambda *given: encode_in_parts(tokenizer.pipeline, *given, n_threads=2, n_parts=6),
            fragment,
            after_special,
            encoder,
        )
        assert parts == whole


def columns_of(tokenizer, *arguments):
    encoding = tokenizer.encode(*arguments)
    return encoding.token_ids, encoding.spans


def outcome(encode, *arguments):
    """The tokens, or what is said where the vocabulary cannot express the text."""
    try:
        return as_lists(encode(*arguments))
    except EncodeError as error:
        return str(error)


@pytest.mark.parametrize("n_threads", [-1, 0, 1 << 40])
def test_any_number_of_threads_will_do(monkeypatch, n_threads):
    monkeypatch.setattr(tokenizers, "LEAST_LONG_BYTES", 1000)
    monkeypatch.setattr(tokenizers, "LEAST_PART", 1000)
    text = "Many words, some of them numbers like 1234. " * 100
    for tokenizer in TOKENIZERS.values():
        on_threads = tokenizer.with_threads(n_threads)
        assert 1 <= on_threads.n_threads <= 64
        actual = on_threads.encode(text)
        assert actual.token_ids.tolist() == tokenizer.with_threads(1).encode(text).token_ids.tolist()


def test_parts_of_a_long_text_end_at_no_special_token(monkeypatch):
    monkeypatch.setattr(tokenizers, "LEAST_LONG_BYTES", 200)
    monkeypatch.setattr(tokenizers, "LEAST_PART", 50)
    dice = random.Random(7)
    for tokenizer in TOKENIZERS.values():
        special = special_texts(tokenizer, 20) or [b"<s>"]
        words = [
            b" a",
            b"word",
            b"  ",
            b"\n",
            "\u6c49\U0001f642".encode(),
            b"\xff",
            *special,
            special[0][:-1],
        ]
        for _ in range(10):
            text = b"".join(dice.choices(words, k=dice.choice([60, 300])))
            for options in product((False, True), (False, True)):
                one, two = (outcome(columns_of, tokenizer.with_threads(n), text, *options) for n in (1, 2))
                assert one == two, (tokenizer, text, options)


def test_threads_work_side_by_side():
    meeting = threading.Barrier(3, timeout=60)
    threads = share_out(lambda _: (meeting.wait(), threading.get_ident())[1], range(3), 3)
    assert len(set(threads)) == 3
    assert threading.get_ident() in threads


@pytest.mark.parametrize("n_given", [0, 1])
def test_threads_that_are_refused_leave_the_work_to_the_others(monkeypatch, n_given):
    left, workers = [None] * n_given, set()

    def start(work, arguments):
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        threading.Thread(target=work, args=arguments).start()

    monkeypatch.setattr("guiapp.core.encode.many_texts.start_new_thread", start)
    meeting = threading.Barrier(n_given + 1, timeout=60)

    def double(item):
        if item <= n_given:  # all who work begin before anybody goes on
            meeting.wait()
        workers.add(threading.get_ident())
        return item * 2

    assert share_out(double, range(50), 4) == list(range(0, 100, 2))
    assert len(workers) == n_given + 1


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_is_raised_once_nothing_runs_any_more(n_threads):
    begun = []

    def fail_at_three(item):
        begun.append(item)
        if item == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        share_out(fail_at_three, range(1_000_000), n_threads)
    assert len(begun) < 1_000_000


SENTENCE = "The quick brown fox jumps over the lazy dog, again and again. "
MODELS = ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"]


@pytest.mark.parametrize("model", MODELS)
def test_rows_are_the_ids_of_each_text_in_order(model):
    tokenizer = opened(model)
    texts = [f"{index} {SENTENCE * (index % 50)}" for index in range(300)]
    ids, mask = tokenizer.encode_batch(
        text.encode() if index % 2 else text for index, text in enumerate(texts)
    )
    rows = [row[: used.sum()].tolist() for row, used in zip(ids, mask, strict=True)]
    assert rows == [tokenizer.encode(text).token_ids.tolist() for text in texts]


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
def test_padding_is_at_the_end_and_masked_out(model):
    tokenizer = opened(model)
    ids, mask = tokenizer.encode_batch(["fox", SENTENCE, ""], pad=64)
    lengths = [len(tokenizer.encode(text)) for text in ("fox", SENTENCE, "")]
    assert ids.shape == mask.shape == (3, 64)
    assert mask.tolist() == [[1] * length + [0] * (64 - length) for length in lengths]
    assert len(set(ids[mask == 0].tolist())) == 1
    with pytest.raises(EncodeError):
        tokenizer.encode_batch(["fox", SENTENCE], pad=None)


@pytest.mark.parametrize("pad", ["x", -1, 2.5, b"longest", [3]])
def test_what_is_no_padding_is_refused_before_anything_is_encoded(pad):
    with pytest.raises(EncodeError, match="is not a padding"):
        guiapp.open_model("demo:bpe").encode_batch([], pad=pad)


@pytest.mark.parametrize("truncate", ["x", 2.5, [3]])
def test_what_is_no_number_of_tokens_is_refused(truncate):
    with pytest.raises(EncodeError, match="cannot be truncated"):
        guiapp.open_model("demo:bpe").encode_batch(["fox"], truncate=truncate)


def test_lone_surrogates_and_broken_bytes_encode_in_one_batch():
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


def test_rows_that_no_memory_holds_are_refused_in_a_sentence(monkeypatch):
    tokenizer = guiapp.open_model("demo:bpe")
    with pytest.raises(EncodeError, match="more memory than is available"):
        tokenizer.encode_batch(["fox"], pad=1 << 50)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(os, "sysconf_names", {})
        assert tokenizer.encode_batch(["fox"], pad=1 << 20)[0].shape == (1, 1 << 20)
    monkeypatch.setattr(many_texts, "_memory_bytes", lambda: 40_000)
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
