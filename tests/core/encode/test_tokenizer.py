"""The whole pipeline on the demo models: twins agree, spans tile the text, ids come back to it."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.analysis.trace.recorder import record
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode import tokenizer as tokenizer_module
from guiapp.core.encode.counting.chunks import chunk_text
from guiapp.core.encode.detokenizing import readable_clean_spaces
from guiapp.core.encode.many_texts import LEAST_LONG_BYTES, share_out
from guiapp.core.formats import table
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.native.binding import SHORT_TEXT

TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="ab AB12.,'’\n\t éß汉字🚀\u0301<|>[]s/\u2581", max_size=60),
).map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=30)


@pytest.fixture(scope="module", params=[model.name for model in DEMO_MODELS])
def tokenizer(request):
    return guiapp.open_model(f"demo:{request.param}")


@given(text=TEXTS, add_special=st.booleans(), parse_special=st.booleans())
def test_native_and_reference_implementations_agree(tokenizer, text, add_special, parse_special):
    for encoder in tokenizer.encoders:
        native = tokenizer.encode(text, add_special, parse_special, encoder)
        readable = tokenizer.encode_readable(text, add_special, parse_special, encoder)
        assert native.token_ids.tolist() == readable.token_ids.tolist()
        assert native.spans.tolist() == readable.spans.tolist()


@given(
    text=st.text(st.characters() | st.sampled_from("ab <|>[]s/\u2581\ud800é字"), max_size=30),
    n_bytes=st.sampled_from([0, SHORT_TEXT]),
    add_special=st.booleans(),
)
@example("字", SHORT_TEXT, False)
def test_a_str_gives_what_its_bytes_give(tokenizer, text, n_bytes, add_special):
    text *= 1 + n_bytes // max(len(text), 1)
    data = text.encode("utf-8", "surrogatepass")
    whole, *others = (tokenizer.encode(given, add_special) for given in (text, data, bytearray(data)))
    others.append(tokenizer.encode(data, add_special, encoder=tokenizer.exact_encoders[-1]))
    for other in others:
        assert whole.text_bytes == other.text_bytes == data
        assert np.array_equal(whole.token_ids, other.token_ids)
        assert np.array_equal(whole.spans, other.spans)


def test_a_long_str_is_shared_out_by_its_bytes(monkeypatch):
    n_parts = []
    monkeypatch.setattr(
        tokenizer_module,
        "share_out",
        lambda encode, parts, n_threads: n_parts.append(len(parts)) or share_out(encode, parts, n_threads),
    )
    text, tokenizer = "Ж " * (1 + LEAST_LONG_BYTES // 3), guiapp.open_model("demo:bpe").with_threads(2)
    ids = tokenizer.encode(text).token_ids
    assert n_parts == [8]
    assert np.array_equal(ids, tokenizer.with_threads(1).encode(text).token_ids)
    assert len(n_parts) == 1


@given(text=TEXTS)
def test_spans_are_in_text_order_and_never_overlap(tokenizer, text):
    spans = tokenizer.encode(text).spans
    edges = spans.reshape(-1)
    assert (np.diff(edges) >= 0).all()
    assert edges.min(initial=0) >= 0
    assert edges.max(initial=0) <= len(text)
    has_all_bytes = len(tokenizer.vocabulary) > 256  # others drop what they have no token for
    if has_all_bytes and tokenizer.vocabulary.type in (VocabType.BPE, VocabType.SPM, VocabType.RWKV):
        assert b"".join(text[start:end] for start, end in spans.tolist()) == text


@given(text=st.text(max_size=60))
@example(" ?")
def test_byte_level_tokens_decode_to_the_text(text):
    tokenizer = guiapp.open_model("demo:bpe")
    encoding = tokenizer.encode(text, add_special=False, parse_special=False)
    tokens = b"".join(map(tokenizer.vocabulary.token_bytes, encoding.token_ids.tolist()))
    assert tokens == text.encode()
    assert tokenizer.decode_bytes(encoding.token_ids) == readable_clean_spaces(tokens)


def test_special_tokens_are_added_to_an_empty_text():
    encoding = guiapp.open_model("demo:spm").encode("")
    assert len(encoding) == 1
    assert encoding.spans.tolist() == [[0, 0]]


def test_an_unknown_encoder_is_refused_with_the_names_that_exist(tokenizer):
    with pytest.raises(guiapp.EncodeError, match=next(iter(tokenizer.encoders))):
        tokenizer.encode("x", encoder="quantum")


@pytest.mark.parametrize("name", [model.name for model in DEMO_MODELS])
def test_an_unreferenced_model_is_freed_at_once(name, monkeypatch):
    monkeypatch.setattr(table, "LAST", table.LastVocabulary())
    monkeypatch.setattr(table.LAST, "put", lambda *_: None)
    gc.disable()  # which comes when nobody works, minutes later: until then each model opened would stay
    try:
        tokenizer = guiapp.open_model(f"demo:{name}")
        vocabulary = weakref.ref(tokenizer.vocabulary)
        for encoder in tokenizer.encoders:
            assert tokenizer.encode("abc abc", encoder=encoder).spans.shape[1] == 2
            record(tokenizer, "abc abc", encoder)
        Explainer(tokenizer.vocabulary).merge_tree(0)
        assert chunk_text(tokenizer, "abc abc", 100)
        del tokenizer
        assert vocabulary() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("text", [5, None, ["a"], {"a"}, np.array([1, 2]), np.array([0.5])])
def test_what_is_no_text_is_refused_rather_than_encoded_as_its_memory(text):
    tokenizer = guiapp.open_model("demo:bpe")
    for encode in (tokenizer.encode, tokenizer.count, lambda each: tokenizer.encode_batch([each])):
        with pytest.raises(TypeError, match="A text is a str or bytes, not"):
            encode(text)


def test_an_array_of_bytes_is_a_text():
    tokenizer = guiapp.open_model("demo:bpe")
    given = np.frombuffer(b"one text", np.uint8)
    assert tokenizer.encode(given).token_ids.tolist() == tokenizer.encode("one text").token_ids.tolist()
