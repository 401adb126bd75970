"""The encoder `fast` of WPM and UGM vocabularies gives the tokens of the exact one, or is not offered."""

import random
from itertools import pairwise

import numpy as np
import pytest
from arrays import as_array, as_lists
from gguf_builder import NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Raw, write_vocab
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import random_texts
from unpaired_vocabularies import vocabulary

import guiapp
from guiapp.core.encode.families.unigram_llama_cpp import UnigramPipeline
from guiapp.core.encode.families.word_piece import WordPiecePipeline
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.vocabulary import Rules, VocabType
from guiapp.errors import EncodeError
from guiapp.native.special_tokens import CallOptions

SEED = 20261122
BERT = Rules(lowercase=True, strip_accents=True)
CASED = Rules(lowercase=False, strip_accents=False)
T5 = Rules(add_space_prefix=True, remove_extra_whitespaces=True, escape_spaces=True)
UNCHANGED_SPACES = Rules(escape_spaces=True)
PREFIXED = Rules(add_space_prefix=True, escape_spaces=True)
MAP = {
    "ﬁ": "fi",
    "\n": " ",
    "\t": " ",
    "\r\n": " ",
    "\u3000": " ",
    "Ａ": "A",
    "e\u0301": "é",
    "ﷺ": "a b",
    "か\u3099": "が",
}
CHARSMAP = build_charsmap({**MAP, "\u200b": ""})
LETTERS = "aaabbbccc   ..\n\tée\u0301中か\u3099▁ﬁＡﷺ\u3000\u200b\ufeff\x00<x"
BROKEN = [b"\xe2", b"\x96", b"\x81", b"\xc3", b"\xf0\x9f", b"\xe3\x81", b"\xff", b"\xe0\x80\xaf", b" "]
WORDS = st.text(LETTERS, min_size=1, max_size=12).map(str.encode)
TEXTS = st.lists(st.one_of(WORDS, st.sampled_from(BROKEN)), min_size=1, max_size=12).map(b"".join)
SCORES = st.sampled_from([-1.0, -2.0, -3.0, -2.5, -0.5, 0.0])
USER_DEFINED_SETS = st.sampled_from([(), ("<x>",), ("<x a>",), ("é<",)])


def assert_same(pipeline, text, exact):
    """Twice, because the second time all is looked up; and step by step."""
    expected = as_lists(pipeline.encode(as_array(text), True, exact))
    for _ in range(2):
        assert as_lists(pipeline.encode(as_array(text), True, "fast")) == expected, text
    assert as_lists(pipeline.encode_readable(text, True, "fast")) == expected, text


def wordpiece(tokens, rules=BERT, unknown=0):
    return WordPiecePipeline(vocabulary(VocabType.WPM, tokens, rules=rules, unknown=unknown))


def assert_encoded(pipeline, texts, exact):
    """All at once, twice, the same as one by one."""
    if not getattr(pipeline, "encodes_many_texts", False):
        return
    expected = [pipeline.encode(as_array(text), True, exact).ids.tolist() for text in texts]
    for _ in range(2):
        ids, counts = pipeline.encode_each(texts, CallOptions(), None)
        bounds = [0, *np.cumsum(counts).tolist()]
        assert [ids[start:end].tolist() for start, end in pairwise(bounds)] == expected


def unigram(scores, rules=T5, charsmap=CHARSMAP, user_defined=(), unknown=0):
    tokens = ["<unk>", *scores, *user_defined]
    types = [UNKNOWN, *[NORMAL] * len(scores), *[USER_DEFINED] * len(user_defined)]
    values = [0.0, *scores.values(), *[0.0] * len(user_defined)]
    return UnigramPipeline(vocabulary(VocabType.UGM, tokens, types, values, rules, unknown, charsmap))


@settings(max_examples=60)
@given(
    st.lists(st.text("aabc.é中▁", min_size=1, max_size=4), max_size=25, unique=True),
    st.sampled_from([BERT, CASED]),
    st.lists(TEXTS, min_size=1, max_size=5),
)
def test_words_of_wordpiece_vocabularies(tokens, rules, texts):
    pipeline = wordpiece(list(dict.fromkeys(["▁ab", *tokens])), rules)  # the unknown token is one like others
    for text in texts:
        assert_same(pipeline, text, "wordpiece")
    assert_encoded(pipeline, texts, "wordpiece")


@settings(max_examples=100)
@given(
    st.dictionaries(st.text("aabc.é中▁<が", min_size=1, max_size=4), SCORES, max_size=25),
    st.sampled_from([T5, UNCHANGED_SPACES, PREFIXED]),
    st.sampled_from([CHARSMAP, b""]),
    USER_DEFINED_SETS,
    st.lists(TEXTS, min_size=1, max_size=5),
)
def test_words_of_unigram_vocabularies(scores, rules, charsmap, user_defined, texts):
    scores = {
        text: score for text, score in scores.items() if "▁" not in text[1:] and text not in user_defined
    }
    pipeline = unigram({"▁": -4.0, **scores}, rules, charsmap, user_defined)
    assert user_defined or "fast" in pipeline.encoders
    for text in texts:
        if "fast" in pipeline.encoders:
            assert_same(pipeline, text, "viterbi")
    assert_encoded(pipeline, texts, "viterbi")


@pytest.mark.parametrize("beginning", ["", "   ", "\u200b \u200b ", "\ufeffﷺ", "▁", " " * 300])
def test_a_prefix_of_the_first_word_only_leaves_the_others_alike(beginning):
    pipeline = unigram({"▁": -1.0, "▁a": -1.0, "a": -1.5, "b": -2.0}, PREFIXED)
    assert pipeline.encoders == ("fast", "viterbi")
    for rest in ("", "ab a", "\n a b", "Д Дa"):
        if text := (beginning + rest).encode():
            assert_same(pipeline, text, "viterbi")


@pytest.mark.parametrize("last", ["a▁", "a\udce2", "a\udce2\udc96"])
def test_tokens_that_end_within_a_space_forbid_words(last):
    assert "fast" not in unigram({"▁": -1, last: -1}).encoders


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf"), 3e38])
def test_scores_beyond_all_sums_leave_no_cut(score):
    pipeline, text = unigram({"▁": -1, "a": score}), as_array(b"a a a")
    assert pipeline.cut_before(text, 4) == 0
    assert pipeline.cut_after(text, 1) == len(text)


@pytest.mark.parametrize("name", ["wordpiece", "unigram"])
def test_greedy_and_fewest_are_refused_with_a_reason_and_so_is_dropout(name):
    tokenizer = guiapp.open_model(f"demo:{name}")
    assert tokenizer.refused_encoders["greedy"] != tokenizer.refused_encoders["fewest"]
    with pytest.raises(EncodeError, match="does not have"):
        tokenizer.with_dropout(0.1)


def fine_scores():
    """Sums are exact up to 2**22, and the longest text that is sure to stay below has 4,000 characters."""
    tiny = 1.5 * 2.0**-9
    return unigram({"▁": -1.0, "z": -1000.0, "a": -tiny, "b": -tiny, "ab": -(2 * tiny + 2.0**-31)})


def test_where_the_text_before_decides_a_tie_by_rounding_words_are_not_encoded_alone():
    pipeline = fine_scores()
    before, word = b"z" * 6000 + b" ", b"ab"
    as_part = as_lists(pipeline.encode(as_array(before + word), True, "viterbi"))[0][-2:]
    alone = as_lists(pipeline.encode(as_array(word), True, "viterbi"))[0][-2:]
    assert as_part != alone
    assert pipeline._fast.encode(as_array(before + word), CallOptions())[-2:].tolist() == alone
    assert_same(pipeline, before + word, "viterbi")


@pytest.mark.parametrize("text", [b"ab a b" * 3000, "aД ".encode() * 2000, b"z a " * 5000])
def test_longer_texts_whose_sums_are_exact_after_all_are_the_same(text):
    pipeline = fine_scores()
    assert len(text) > pipeline._words.longest_exact
    for _ in range(2):
        assert as_lists(pipeline.encode(as_array(text), True, "fast")) == as_lists(
            pipeline.encode(as_array(text), True, "viterbi")
        )


@pytest.mark.parametrize(
    ("pipeline", "text"),
    [
        (wordpiece(["?", "\udce2", "\udc96", "\udc81", "."]), b"." * 20_000),
        (wordpiece(["?", "▁", "a"]), b"a" * 20_000 + b" " + b"a" * 2_000),
        (unigram({"▁": -1, "y": -1}, charsmap=build_charsmap({"x": "y" * 100})), b"y x" * 3000),
        (unigram({"▁": -1, "y": -1}, charsmap=build_charsmap({"x": "y" * 100})), b"x" * 1000),
        (unigram({"▁": -1, "a": -1}), "aДa ".encode() * 9_000),
    ],
)
def test_more_tokens_than_there_was_room_for(pipeline, text):
    exact = pipeline.encoders[1]
    for _ in range(2):
        assert as_lists(pipeline.encode(as_array(text), True, "fast")) == as_lists(
            pipeline.encode(as_array(text), True, exact)
        )
    assert_encoded(pipeline, [text, text[:-1], b" ", text[7:]], exact)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("removes", [True, False])
def test_unigram_vocabularies_with_words_give_llama_cpps_ids(tmp_path, removes):
    llama_oracle = pytest.importorskip("llama_oracle")
    rng = random.Random(SEED)
    alphabet = "aabbcdeé中か.,ﬁ<"
    words = {"".join(rng.choices(alphabet, k=rng.randint(1, 4))) for _ in range(400)}
    words |= {"▁" + "".join(rng.choices(alphabet, k=rng.randint(1, 3))) for _ in range(300)}
    tokens = ["<pad>", "</s>", "<unk>", "▁", "<x>", "un", *sorted(words - {"<x>", "un"})]
    types = [3, 3, UNKNOWN, NORMAL, USER_DEFINED, UNUSED, *[NORMAL] * (len(tokens) - 6)]
    path = write_vocab(
        tmp_path / "u.gguf",
        model="t5",
        tokens=tokens,
        types=types,
        scores=[rng.choice((-1.0, -2.0, -2.5, -3.25, -rng.random() * 9)) for _ in tokens],
        add_space_prefix=removes,
        remove_extra_whitespaces=removes,
        precompiled_charsmap=Raw("array:u8", list(CHARSMAP)),
    )
    tokenizer, oracle = guiapp.open_model(path), llama_oracle.LlamaOracle().load(str(path))
    pieces = [text.replace("▁", " ").encode() for text in tokens] + BROKEN
    texts = [b"".join(rng.choices(pieces, k=rng.randint(1, 40))) for _ in range(1500)]
    for text in [*texts, *random_texts(SEED, 500, pieces)]:
        expected = oracle.tokenize(text, False, False)
        assert tokenizer.encode(text, False, False, "fast").token_ids.tolist() == expected, text
