"""WPM, UGM, RWKV, PLAMO2 and TEST: spans, safe cuts, missing unknown tokens, and both twins."""

import time

import pytest
from arrays import as_array, as_lists
from hypothesis import given, settings
from hypothesis import strategies as st
from unpaired_pipelines import PIPELINES, plamo2, unigram, wordpiece
from unpaired_vocabularies import vocabulary

from guiapp.core.encode.families.rwkv import RwkvPipeline
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.errors import EncodeError, VocabError
from guiapp.native.special_tokens import CallOptions

ALPHABET = "aaabbbccc   ...\n\tée\u0301中▁ﬁＡ\u3000\ufeff\x00<x"
TEXTS = st.one_of(
    st.text(ALPHABET, min_size=1, max_size=40).map(str.encode),
    st.lists(
        st.sampled_from(
            [b"a", b" ", b"b", b"\xe2", b"\x96", b"\xc3", b"\xf0\x9f", b"\xf5\x80\x80\x80", b"\xef"]
        )
    )
    .map(b"".join)
    .filter(len),
)


def encoded(pipeline, text):
    """Ids, starts and ends; nothing for no text."""
    return as_lists(pipeline.encode(as_array(text), True, pipeline.encoders[0])) if text else [[], [], []]


def tokens(pipeline, text):
    """Id and source text of each token."""
    ids, starts, ends = encoded(pipeline, text.encode())
    spans = zip(starts, ends, strict=True)
    return list(zip(ids, [text.encode()[a:b].decode() for a, b in spans], strict=True))


@pytest.fixture(params=PIPELINES)
def pipeline(request):
    return PIPELINES[request.param]


@settings(deadline=None)
@given(text=TEXTS, name=st.sampled_from([*PIPELINES]))
def test_native_and_reference_implementations_agree(name, text):
    pipeline = PIPELINES[name]
    for encoder in pipeline.encoders:
        native = pipeline.encode(as_array(text), True, encoder)
        assert as_lists(native) == as_lists(pipeline.encode_readable(text, True, encoder))


@settings(deadline=None)
@given(text=TEXTS, name=st.sampled_from([*PIPELINES]))
def test_spans_do_not_overlap(name, text):
    _, starts, ends = encoded(PIPELINES[name], text)
    edges = [0, *(edge for span in zip(starts, ends, strict=True) for edge in span), len(text)]
    assert edges == sorted(edges)


@settings(deadline=None, max_examples=300)
@given(text=TEXTS, other=TEXTS, position=st.integers(0, 60), name=st.sampled_from([*PIPELINES]))
def test_both_sides_of_a_cut_can_be_encoded_alone_whatever_stands_on_the_far_side(
    name, text, other, position
):
    pipeline = PIPELINES[name]
    position = min(position, len(text))
    before = pipeline.cut_before(as_array(text), position)
    after = pipeline.cut_after(as_array(text), position)
    assert 0 <= before <= position <= after <= len(text)
    for cut, whole in ((before, text), (before, text[:position] + other), (after, text)):
        _assert_cut(pipeline, whole, cut)
    if after < len(text) and name != "hash":
        _assert_cut(pipeline, other + text[position:], len(other) + after - position)


def _assert_cut(pipeline, text, cut):
    left, right = encoded(pipeline, text[:cut]), encoded(pipeline, text[cut:])
    right[1:] = [[edge + cut for edge in edges] for edges in right[1:]]
    assert [a + b for a, b in zip(left, right, strict=True)] == encoded(pipeline, text)


@pytest.mark.parametrize(
    ("name", "text", "before", "after"),
    [
        ("wordpiece", "aa bb cc", 6, 5),
        ("wordpiece", "aaa中aaaa", 3, 10),
        ("unigram", "aa b cc c", 4, 7),
        ("unigram without cuts", "aa bb cc", 0, 8),
        ("rwkv", "aabcabc", 4, 7),
        ("hash", "aabbccddee", 5, 10),
    ],
)
def test_the_nearest_cut_on_either_side_is_returned(name, text, before, after):
    data = as_array(text.encode())
    assert (PIPELINES[name].cut_before(data, 6), PIPELINES[name].cut_after(data, 5)) == (before, after)


@pytest.mark.parametrize("text", [b"ab abc.\n" * 70_000, b"b" * 300_000], ids=["words", "one word"])
def test_a_long_text_is_its_parts(pipeline, text):
    ids, starts, ends = encoded(pipeline, text)
    assert len(ids) > 1000
    last = next(index for index in range(len(ids)) if starts[index] >= 40_000)
    few = encoded(pipeline, text[:80_000])
    assert [ids[:last], starts[:last], ends[:last]] == [column[:last] for column in few]


def test_what_a_word_drops_belongs_to_the_token_before_it():
    assert tokens(PIPELINES["wordpiece"], " e\u0301 É ") == [(10, "e\u0301"), (10, "É")]
    assert tokens(PIPELINES["wordpiece"], "\u0301Ab\0ba\u200d") == [(2, "Ab\0"), (4, "ba\u200d")]


def test_unigram_spans_refer_to_the_text_before_the_map():
    pipeline = unigram({"▁": -3, "▁f": -1, "i": -1, "n": -1, "▁fin": -0.5})
    assert encoded(pipeline, "  ﬁn\u3000 ﬁ ".encode()) == [[5, 2, 3], [2, 10, 13], [6, 13, 13]]


def test_rwkv_takes_bytes_that_only_begin_tokens_as_unknown():
    assert tokens(PIPELINES["rwkv"], "xyzxyabc\n\n") == [
        (8, "xyz"),
        (0, "x"),
        (0, "y"),
        (3, "abc"),
        (7, "\n\n"),
    ]


@pytest.mark.parametrize(
    ("pipeline", "text"),
    [
        (wordpiece("▁a", unknown=None), "b"),
        (unigram({"▁": -1, "a": -1}, unknown=None), "aб"),
        (RwkvPipeline(vocabulary(VocabType.RWKV, ["a"], unknown=None)), "ab"),
    ],
)
def test_text_that_needs_a_missing_unknown_token_is_refused(pipeline, text):
    for encode in (
        lambda: encoded(pipeline, text.encode()),
        lambda: pipeline.encode_readable(text.encode(), True, ""),
    ):
        with pytest.raises(EncodeError, match="unknown_token_id"):
            encode()


def test_scores_that_are_not_numbers_leave_one_unknown_token():
    assert tokens(unigram({"▁": float("nan"), "a": float("nan")}), "aa") == [(0, "aa")]


def test_a_map_that_makes_too_much_of_a_text_is_an_error():
    pipeline = unigram({"▁": -1, "y": -1}, charsmap=build_charsmap({"x": "y" * 127}))
    with pytest.raises(EncodeError, match="256 MB"):
        pipeline.encode(as_array(b"x" * 2_120_000), True, "viterbi")


def test_unigram_tokens_too_long_for_single_lookups_are_matched():
    long = "ab" * 300
    pipeline = unigram({"▁": -3, "a": -1, "b": -1, "ba": -1.5, long: -2, "▁" + long: -2})
    assert pipeline.encoders == ("viterbi",)
    for text in (long, long[1:] + long, f"a{long[:-1]} {long}b{long} Д{long[:300]}"):
        data = text.encode()
        expected = as_lists(pipeline.encode_readable(data, True, "viterbi"))
        assert as_lists(pipeline.encode(as_array(data), True, "viterbi")) == expected


def test_plamo2_refuses_what_would_fill_the_memory():
    with pytest.raises(VocabError, match="20,000 bytes"):
        plamo2({"ab": -1000, "x" * 20_000: -1})


def test_a_huge_token_takes_no_longer_than_reading_it():
    started = time.process_time()
    pipeline = plamo2({"a": -1, "a" * 4_000_000: -2})
    assert encoded(pipeline, b"aaaa")[0] == [257] * 4
    assert encoded(pipeline, b"a" * 4_000_001)[0] == [258, 257]
    assert time.process_time() - started < 10


def test_a_plamo2_vocabulary_whose_suffixes_would_fill_the_memory_is_refused():
    long = "a" * 20_000
    assert plamo2({long: -1}).encoders
    with pytest.raises(VocabError, match="up to 20,000 bytes"):
        plamo2({long: -1, "b": -1000})


@settings(deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=5), name=st.sampled_from([*PIPELINES]))
def test_many_texts_at_once_have_the_ids_of_each(texts, name):
    pipeline = PIPELINES[name]
    if pipeline.encodes_many_texts:
        rows = pipeline.encode_each(texts, CallOptions(), None)
        each = [encoded(pipeline, text)[0] for text in texts]
        assert rows.counts.tolist() == [len(ids) for ids in each]
        assert rows.ids.tolist() == [token for ids in each for token in ids]


def test_a_map_that_was_made_to_do_harm_is_refused_whatever_is_asked():
    harmful = unigram({"a": -1, "b": -1}, charsmap=build_charsmap({"x": "ab" * 70}))
    text = b"x" * 1000
    for work in (
        lambda: harmful.encode(as_array(text), True, "fast"),
        lambda: harmful.encode(as_array(text), True, "viterbi"),
        lambda: harmful.encode_readable(text, True, "viterbi"),
        lambda: harmful.encode_each([b"b", text], CallOptions(), None),
        lambda: harmful.segmentations(as_array(text), 2),
    ):
        with pytest.raises(EncodeError, match="more than 128 times"):
            work()
