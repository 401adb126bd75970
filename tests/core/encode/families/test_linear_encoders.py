"""Encoders that match tokens: the exact ones against merging, all against their readable twins."""

import random
from itertools import pairwise

import pytest
from benchmarks.growth import growth
from conftest import CORPORA, VOCABS
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import opened
from pair_vocabularies import HEX_TOKENS, byte_level, character_level, sentence_piece
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.errors import EncodeError

REAL = sorted(path.name for path in VOCABS.glob("*.gguf")) if VOCABS.is_dir() else []


TEXTS = st.lists(st.sampled_from(["a", "b", "ab", " ", "c", "é", "▁", "\n", "aaaa"]), max_size=25).map(
    "".join
)
STRAY = st.sampled_from([b"", b"\xc3", b"\xf0 \xe2\x96\x81", b"\xe2\x96", b"\x80"])


@st.composite
def rules(draw, space="Ġ"):
    """Merges in any order, so that low ranks may have to wait for high ones, and some lead to no token."""
    known, made = [space, "a", "b"], []
    for _ in range(draw(st.integers(0, 9))):
        left, right = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        made.append(f"{left} {right}")
        known.append(left + right)
    return draw(st.permutations(list(dict.fromkeys(made))))


@st.composite
def vocabularies(draw):
    kind = draw(st.sampled_from(["bytes", "characters", "scores"]))
    if kind == "bytes":
        return byte_level(draw(rules()))
    merges = draw(rules("▁"))
    texts = [
        text for text in dict.fromkeys(merge.replace(" ", "") for merge in merges) if draw(st.booleans())
    ]
    tokens = ["<unk>", *HEX_TOKENS, "▁", "a", "b", *texts]
    if kind == "characters":
        return character_level(merges, list(dict.fromkeys(tokens)))
    return sentence_piece({token: float(draw(st.integers(-3, 0))) for token in tokens})


def assert_same(actual, expected, story=None):
    assert actual.token_ids.tolist() == expected.token_ids.tolist(), story
    assert actual.spans.tolist() == expected.spans.tolist(), story


@settings(max_examples=30, deadline=None)
@given(vocabulary=vocabularies(), text=TEXTS, stray=STRAY, is_split=st.booleans())
def test_exact_encoders_agree_and_match_their_references(vocabulary, text, stray, is_split):
    tokenizer = Tokenizer(vocabulary) if is_split else Tokenizer(vocabulary).without_splitting()
    data = text.encode() + stray
    merged = tokenizer.encode_readable(data, encoder="scan", add_special=False)
    for encoder in tokenizer.encoders:
        actual = tokenizer.encode(data, encoder=encoder, add_special=False)
        assert_same(actual, tokenizer.encode_readable(data, encoder=encoder, add_special=False), encoder)
        if encoder in tokenizer.exact_encoders:
            assert_same(actual, merged, encoder)


DOUBLED = byte_level(
    [f"{'a' * size} {'a' * size}" for size in (1 << bit for bit in range(11))] + ["b a", "a b"]
)


@settings(max_examples=40, deadline=None)
@given(
    vocabulary=vocabularies() | st.just(DOUBLED),
    stretches=st.lists(st.tuples(TEXTS, st.integers(1, 1500)), min_size=1, max_size=4),
)
def test_what_is_merged_window_by_window_is_as_merged_at_once(vocabulary, stretches):
    tokenizer = Tokenizer(vocabulary).without_splitting()
    text = "".join((unit * count)[: 4 * count] for unit, count in stretches)
    assert_same(tokenizer.encode(text), tokenizer.encode(text, encoder="heap"))


def test_windows_that_disagree_about_a_symbol_are_merged_again():
    letters = [chr(code) for code in range(0x21, 0x7F)]
    chain = [f"{left * 2} {right * 2}" for left, right in pairwise([*letters, letters[0]])]
    vocabulary = byte_level([f"{letter} {letter}" for letter in letters] + chain[::-1])
    tokenizer = Tokenizer(vocabulary).without_splitting()
    text = "".join(letter * 2 for letter in letters) * 12  # each pair is up to the next one, 184 bytes on
    for start in range(0, 40, 3):
        assert_same(tokenizer.encode(text[start:]), tokenizer.encode(text[start:], encoder="heap"))


def real_texts(rng, vocabulary, n_texts):
    corpora = [path.read_bytes() for path in sorted(CORPORA.iterdir())]
    for _ in range(n_texts):
        corpus = rng.choice(corpora)
        start = rng.randrange(len(corpus))
        yield corpus[start : start + rng.randrange(2000)]
        yield rng.randbytes(rng.randrange(60))
        yield b"".join(
            vocabulary.token_bytes(rng.randrange(len(vocabulary))) for _ in range(rng.randrange(30))
        )
        unit = rng.choice([b" ", b"a", b"\n", b"=", b"ab", b".:", "\u2581".encode(), "\u3000".encode()])
        yield unit * rng.randrange(300) + rng.choice([b"", b"\xc3", b" x", b"\xf0 \xe2\x96\x81"])


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", REAL)
def test_exact_encoders_agree_on_real_vocabularies(name):
    tokenizer = opened(VOCABS / name)
    whole = tokenizer.without_splitting()
    rng = random.Random(7)
    for text in real_texts(rng, tokenizer.vocabulary, 12):
        for model in (tokenizer, whole):
            expected = model.encode(text, encoder=model.exact_encoders[-1], parse_special=False)
            for encoder in model.exact_encoders:
                assert_same(
                    model.encode(text, encoder=encoder, parse_special=False), expected, (encoder, text)
                )


@pytest.mark.parametrize("encoder", ["backtrack", "table"])
@pytest.mark.parametrize("unit", [b"a", b" ", b"ab", "あ".encode()])
def test_time_grows_with_the_length_of_an_unsplit_text(encoder, unit):
    assert (
        growth(guiapp.open_model("demo:bpe"), unit, encoder, 20_000, 200_000) < 20
    )  # 100 if it were quadratic


def test_greedy_takes_the_longest_token_and_fewest_the_fewest():
    vocabulary = byte_level(["a b", "b c", "a bc"], [*"abc", "ab", "bc", "abc", "bcbc"])
    tokenizer = Tokenizer(vocabulary)
    texts = {
        name: [
            vocabulary.raw_text(token).decode() for token in tokenizer.encode("abcbc", encoder=name).token_ids
        ]
        for name in ("greedy", "fewest")
    }
    assert texts == {"greedy": ["abc", "bc"], "fewest": ["a", "bcbc"]}


def test_dropout_gives_other_tokens_of_the_same_text_and_the_same_for_the_same_seed():
    tokenizer = guiapp.open_model("demo:bpe")
    text = "Tokenization of unbelievable sentences is what this is about. " * 3
    actual = [tokenizer.with_dropout(0.3, seed).encode(text, encoder="fewest") for seed in (1, 1, 2)]
    assert actual[0].token_ids.tolist() == actual[1].token_ids.tolist() != actual[2].token_ids.tolist()
    assert len(actual[0]) > len(tokenizer.encode(text, encoder="fewest"))
    assert tokenizer.decode(actual[0].token_ids, remove_special=True) == text
    readable = tokenizer.with_dropout(0.3, 1).encode_readable(text, encoder="fewest")
    assert_same(actual[0], readable)


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_an_impossible_dropout_is_refused(share):
    with pytest.raises(EncodeError, match="dropout"):
        guiapp.open_model("demo:bpe").with_dropout(share)


def test_words_are_looked_up_with_the_space_before_them():
    vocabulary = sentence_piece({"<unk>": 0, "▁ab": 0, "ab": 0, "b": 0})
    tokenizer = Tokenizer(vocabulary)
    encoding = tokenizer.encode(" ab\tab b ba", encoder="words", add_special=False)
    assert encoding.token_ids.tolist() == [1, 2, 3, 0]
    assert encoding.spans.tolist() == [[0, 3], [4, 6], [7, 8], [9, 11]]


def test_unknown_words_are_left_out_where_there_is_no_unknown_token():
    tokenizer = Tokenizer(byte_level(["a b"]))
    assert tokenizer.encode("ab ba", encoder="words").spans.tolist() == [[0, 2]]


def test_an_encoder_that_does_not_apply_is_refused_with_a_reason():
    tokenizer = guiapp.open_model("demo:bpe")
    assert set(tokenizer.refused_encoders) == {
        "wordpiece", "linear", "wordlevel", "viterbi", "rwkv", "plamo2", "hash"
    }  # fmt: skip
    assert "BPE" in tokenizer.refused_encoders["viterbi"]


def test_a_token_that_ends_within_a_character_leaves_only_merging_and_approximations():
    tokenizer = Tokenizer(toy_vocabulary({"a": 0.0, b"\xc3": 0.0}))
    assert tokenizer.exact_encoders == ("fast", "heap", "scan")
    assert "within a character" in tokenizer.refused_encoders["backtrack"]


def test_very_long_tokens_leave_only_merging_and_approximations():
    tokenizer = Tokenizer(toy_vocabulary({"a": 0.0, "a" * 5_000: 0.0}))
    assert tokenizer.exact_encoders == ("fast", "heap", "scan")
    assert "5,000 bytes" in tokenizer.refused_encoders["backtrack"]
