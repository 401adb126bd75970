"""The best segmentations of Unigram vocabularies, against all there are."""

import pytest
from gguf_builder import CONTROL, NORMAL, UNKNOWN
from hypothesis import given, settings
from hypothesis import strategies as st
from unpaired_vocabularies import vocabulary

import guiapp
from guiapp.core.encode.reference.viterbi import SegmentationLattice, best_joint
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.errors import EncodeError

UNKNOWN_SCORE = -15.0  # 10 below the lowest
SCORES = {"a": -1.0, "b": -1.0, "ab": -2.0, "aa": -1.5, "ba": -2.0, "abc": -5.0, "é": -2.0, "aé": -3.0}


def tokenizer_of(scores, unknown=0):
    tokens = ["<unk>", "<x>", *scores]
    types = [UNKNOWN, CONTROL, *[NORMAL] * len(scores)]
    return Tokenizer(vocabulary(VocabType.UGM, tokens, types, [0.0, 0.0, *scores.values()], unknown=unknown))


TOKENIZER = tokenizer_of(SCORES)


def all_segmentations(text):
    """Score and tokens, spelled, of every way to cut a text; ties as they are documented."""

    def candidates(end):
        if end == 0:
            return [(0.0, ())]
        results = []
        for start in range(end):
            piece = text[start:end]
            if piece in SCORES or len(piece) == 1:
                added = SCORES.get(piece, UNKNOWN_SCORE)
                results += [(score + added, (*tokens, (start, end))) for score, tokens in candidates(start)]
        return sorted(results, key=lambda way: -way[0])  # a stable sort: ties stay as they were met

    return candidates(len(text))


def joined(text, cuts):
    """Spans in bytes; of neighbours that are unknown one."""
    spans, was_unknown = [], False
    for start, end in cuts:
        is_unknown = text[start:end] not in SCORES
        if is_unknown and was_unknown:
            start = spans.pop()[0]
        spans.append((start, end))
        was_unknown = is_unknown
    return [[len(text[:start].encode()), len(text[:end].encode())] for start, end in spans]


@settings(max_examples=60, deadline=None)
@given(text=st.text("aabbcéx", min_size=1, max_size=9), n=st.integers(1, 40))
def test_the_best_of_all_segmentations_come_in_order(text, n):
    expected = all_segmentations(text)[:n]
    results = TOKENIZER.segmentations(text, n)
    assert [each.score for each in results] == [score for score, _ in expected]
    assert [each.encoding.spans.tolist() for each in results] == [joined(text, cuts) for _, cuts in expected]
    for each in results:
        texts = [text.encode()[start:end].decode() for start, end in each.encoding.spans.tolist()]
        ids = each.encoding.token_ids.tolist()
        known = list(SCORES)
        assert ids == [known.index(piece) + 2 if piece in SCORES else 0 for piece in texts]


@settings(max_examples=40, deadline=None)
@given(text=st.one_of(st.text("ab é<x> \n▁ﬁＡ", max_size=40).map(str.encode), st.binary(max_size=30)))
@pytest.mark.parametrize("model", [TOKENIZER, guiapp.open_model("demo:unigram")], ids=["small", "demo"])
def test_the_first_is_what_encode_gives_and_no_two_are_the_same(model, text):
    results = model.segmentations(text, 6)
    encoding = model.encode(text)
    assert results[0].encoding.token_ids.tolist() == encoding.token_ids.tolist()
    assert results[0].encoding.spans.tolist() == encoding.spans.tolist()
    scores = [each.score for each in results]
    assert scores == sorted(scores, reverse=True)
    candidates = [tuple(each.encoding.token_ids.tolist()) for each in results]
    spans = [each.encoding.spans.tobytes() for each in results]
    assert len({*zip(candidates, spans, strict=True)}) == len(results)


def test_segments_between_special_tokens_are_combined():
    results = TOKENIZER.segmentations("aa<x>ab", 10)
    assert [each.score for each in results] == [-3.5, -3.5, -4.0, -4.0]
    assert {tuple(each.encoding.token_ids.tolist()) for each in results} == {
        (5, 1, 4), (5, 1, 2, 3), (2, 2, 1, 4), (2, 2, 1, 2, 3)
    }  # fmt: skip


@given(
    stretches=st.lists(st.lists(st.integers(-9, 0).map(float), min_size=1, max_size=4), max_size=4),
    n=st.integers(1, 30),
)
def test_the_best_sums_are_those_of_all_sums(stretches, n):
    stretches = [sorted(scores, reverse=True) for scores in stretches]
    sums = [0.0]
    for scores in stretches:
        sums = [before + score for before in sums for score in scores]
    best = best_joint(stretches, n)
    assert [score for score, _ in best] == sorted(sums, reverse=True)[:n]
    for score, ranks in best:
        assert score == sum(scores[rank] for scores, rank in zip(stretches, ranks, strict=True))
    assert len({tuple(ranks) for _, ranks in best}) == len(best)


def test_a_text_without_a_way_through_is_unknown_as_a_whole():
    lattice = SegmentationLattice(2, lambda start: [], lambda start: start + 1, 7)
    assert [tokens for _, tokens in lattice.best()] == [[(7, 0, 2)]]


def test_no_text_has_one_segmentation_of_no_tokens():
    (only,) = TOKENIZER.segmentations("", 5)
    assert (only.score, len(only.encoding)) == (0.0, 0)


def test_candidates_with_unknown_characters_need_an_unknown_token():
    tokenizer = tokenizer_of({"a": -1.0, "ab": -2.0}, unknown=None)
    assert [each.encoding.token_ids.tolist() for each in tokenizer.segmentations("ab", 5)] == [[3]]
    with pytest.raises(EncodeError, match="does not cover"):
        tokenizer.segmentations("b", 1)


@pytest.mark.parametrize(
    ("model", "n", "message"), [("demo:bpe", 3, "of the type BPE"), ("demo:unigram", 0, "0 segmentations")]
)
def test_invalid_requests_are_refused(model, n, message):
    with pytest.raises(EncodeError, match=message):
        guiapp.open_model(model).segmentations("x", n)
