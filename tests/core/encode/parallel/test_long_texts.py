"""Long texts on several threads: the same ids and spans as on one."""

import pytest
from arrays import as_array, as_lists
from hypothesis import given, settings
from hypothesis import strategies as st

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode import tokenizer as tokenizers
from guiapp.core.encode.many_texts import encode_in_parts
from guiapp.errors import EncodeError

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


def outcome(encode, *arguments):
    """The tokens, or what is said where the vocabulary cannot express the text."""
    try:
        return as_lists(encode(*arguments))
    except EncodeError as error:
        return str(error)


def test_only_long_texts_use_threads_and_only_where_they_may(monkeypatch):
    used = []
    monkeypatch.setattr(tokenizers, "LEAST_LONG_BYTES", 1000)
    monkeypatch.setattr(tokenizers, "LEAST_PART", 100)
    monkeypatch.setattr(
        tokenizers, "encode_in_parts", lambda *given: used.append(given[3:5]) or encode_in_parts(*given)
    )
    two_threads = TOKENIZERS["bpe"].with_threads(2)
    text = "Many words, some of them numbers like 1234. " * 100
    expected = TOKENIZERS["bpe"].with_threads(1).encode(text)
    assert used == []
    found = two_threads.encode(text)
    assert found.token_ids.tolist() == expected.token_ids.tolist()
    assert found.spans.tolist() == expected.spans.tolist()
    two_threads.encode(text[:999])
    two_threads.encode(text, encoder="greedy")  # parts are not what a longest match would choose
    assert used == [("fast", 2)]


@pytest.mark.parametrize("n_threads", [-1, 0, 1 << 40])
def test_any_number_of_threads_will_do(monkeypatch, n_threads):
    monkeypatch.setattr(tokenizers, "LEAST_LONG_BYTES", 1000)
    monkeypatch.setattr(tokenizers, "LEAST_PART", 1000)
    text = "Many words, some of them numbers like 1234. " * 100
    for tokenizer in TOKENIZERS.values():
        on_threads = tokenizer.with_threads(n_threads)
        assert 1 <= on_threads.n_threads <= 64
        found = on_threads.encode(text)
        assert found.token_ids.tolist() == tokenizer.with_threads(1).encode(text).token_ids.tolist()


def test_without_further_threads_long_texts_are_encoded_on_the_calling_one(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("guiapp.core.encode.many_texts.start_new_thread", refuse)
    monkeypatch.setattr("threading._start_new_thread", refuse)
    monkeypatch.setattr(tokenizers, "LEAST_LONG_BYTES", 1000)
    monkeypatch.setattr(tokenizers, "LEAST_PART", 100)
    text = "Many words, some of them numbers like 1234. " * 100
    found = TOKENIZERS["bpe"].with_threads(2).encode(text)
    assert found.token_ids.tolist() == TOKENIZERS["bpe"].with_threads(1).encode(text).token_ids.tolist()
