"""Where texts may be cut, and where special tokens forbid it."""

import pytest
from arrays import as_array
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.encode.counting.certain_cuts import CertainCuts
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute

LETTERS = dict.fromkeys([*"abcdefgh<>|", "▁"], -1.0)


def cuts_of(special, parse_special=True):
    tokens = {"<unk>": Attribute.UNKNOWN, **special, **LETTERS}
    return CertainCuts(Tokenizer(toy_vocabulary(tokens)), parse_special)


PLAIN = cuts_of({"<ab>": Attribute.CONTROL, "b><": Attribute.CONTROL})
TAKING = cuts_of({"<ab>": Attribute.CONTROL | Attribute.LSTRIP, "<c>": Attribute.CONTROL | Attribute.RSTRIP})


def rows_of(clusters):
    columns = clusters.starts, clusters.ends, clusters.is_single
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize(
    ("cuts", "text", "clusters"),
    [
        (PLAIN, b"", []),
        (PLAIN, b"abc", []),
        (PLAIN, b"<ab>", [(0, 4, True)]),
        (PLAIN, b"a<ab>c<ab>", [(1, 5, True), (6, 10, True)]),
        (PLAIN, b"<ab><ab>", [(0, 8, False)]),
        (PLAIN, b"<ab> <ab>", [(0, 4, True), (5, 9, True)]),
        (TAKING, b"<ab><ab>", [(0, 4, True), (4, 8, True)]),
        (TAKING, b"a <ab>b", [(1, 6, False)]),
        (TAKING, b"<c>\n <ab>b<c>", [(0, 9, False), (10, 13, True)]),
    ],
)
def test_special_tokens_that_overlap_are_one_cluster(cuts, text, clusters):
    assert rows_of(cuts.clusters(as_array(text))) == clusters


@pytest.mark.parametrize(
    ("cuts", "text", "start", "end"),
    [
        (PLAIN, b"", 0, 0),
        (PLAIN, b"ab", 2, 1),
        (PLAIN, b"aaaaaa", 4, 6),
        (PLAIN, b"aaaa<a", 4, 4),
        (PLAIN, b"aaab<aa", 4, 3),
        (PLAIN, b"<aaaaa", 4, 6),
        (TAKING, b"aaa  aa", 5, 7),
        (TAKING, b"aaaa  <", 6, 4),
        (TAKING, b"   aa ", 4, 5),
    ],
)
def test_bytes_at_the_edges_may_belong_to_special_tokens_beyond(cuts, text, start, end):
    assert cuts.open_start(as_array(text)) == start
    assert cuts.open_end(as_array(text)) == end


@pytest.mark.parametrize(
    ("text", "start", "end", "first", "last"),
    [
        (b"one two three", 0, 13, 3, 7),
        (b"one two three", 4, 13, 7, 7),
        (b"one two three", 0, 7, 3, 3),
        (b"one", 0, 3, 3, 0),
        (b"one<|im_start|>two", 0, 18, 3, 3),
        (b"<|im_start|>a<|im_start|>", 0, 25, 13, 13),
        (b"", 0, 0, 0, 0),
    ],
)
def test_cuts_lie_before_words_and_next_to_special_tokens(text, start, end, first, last):
    cuts = CertainCuts(guiapp.open_model("demo:bpe"), True)
    data = as_array(text)
    clusters = cuts.clusters(data)
    assert cuts.first(data, clusters, start, end) == first
    assert cuts.last(data, clusters, start, end) == last
