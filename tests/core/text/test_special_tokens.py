"""Cutting special tokens out of a text: native and readable twin, order of claims, white space."""

import json
import random

import numpy as np
import pytest
from arrays import as_array
from gguf_builder import write_vocab
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from toy_vocabulary import toy_vocabulary

from guiapp import open_model
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.text.special_tokens import NO_LIMIT, SpecialTokens, join_segments
from guiapp.core.vocabulary.attributes import Attribute

TEXTS = ["<a>", "<a><b>", "b><", "aa", "aaaa", "ab", "ba", "<", "<|x|>", "|x", ">", "~"]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4
KINDS = [CONTROL, USER_DEFINED, USER_DEFINED, USER_DEFINED, CONTROL, USER_DEFINED, CONTROL]


@pytest.fixture(scope="module")
def special_tokens(tmp_path_factory):
    path = tmp_path_factory.mktemp("vocab") / "special.gguf"
    types = [KINDS[index % len(KINDS)] for index in range(len(TEXTS))]
    write_vocab(path, model="gpt2", pre="gpt-2", tokens=TEXTS, types=types, merges=[])
    return SpecialTokens(load_vocabulary(path))


def parts(partition):
    return [
        column.tolist()
        for column in (
            partition.ids,
            partition.starts,
            partition.ends,
            partition.raw_starts,
            partition.raw_ends,
        )
    ]


@pytest.mark.parametrize("parse_special", [True, False])
@given(text=st.text(alphabet="ab<>|x ").map(str.encode))
def test_native_and_reference_implementations_agree(special_tokens, parse_special, text):
    array = as_array(text)
    result = special_tokens.partition(array, parse_special)
    expected = special_tokens.partition_readable(text, parse_special)
    assert parts(result) == parts(expected)


@pytest.mark.parametrize("parse_special", [True, False])
def test_the_bytes_that_they_begin_with_are_known(special_tokens, parse_special):
    begins = special_tokens.may_begin(parse_special)
    sought = [TEXTS[token_id] for token_id in special_tokens.searched_for(parse_special).tolist()]
    assert {chr(byte) for byte in np.flatnonzero(begins)} == {text[0] for text in sought}
    longest = max(sought, key=len)
    assert special_tokens.longest(parse_special) == len(longest)
    for text in sought:
        assert special_tokens.may_be_in(f"…{text}…".encode(), parse_special)
    assert not special_tokens.may_be_in(b"...", parse_special)


def test_dna_models_find_special_tokens_without_the_mark_of_their_groups(tmp_path):
    tokens = ["<c>\ue000", "<dna>", "</dna>", "<oov>", "<a>\ue000", "<b>\ue000\ue000", "\ue000", "<a>"]
    types = [CONTROL, NORMAL, NORMAL, NORMAL, CONTROL, USER_DEFINED, USER_DEFINED, CONTROL]
    path = tmp_path / "dna.gguf"
    write_vocab(path, model="hybriddna", pre="gpt-2", tokens=tokens, types=types, merges=[])
    special_tokens = SpecialTokens(load_vocabulary(path))
    text = "<a>\ue000<b>\ue000<b><c>".encode()
    result = special_tokens.partition(as_array(text), True)
    assert result.ids.tolist() == [4, 6, 5]
    assert parts(result) == parts(special_tokens.partition_readable(text, True))


def test_the_longest_token_wins_even_where_a_shorter_one_begins_earlier(special_tokens):
    partition = special_tokens.partition_readable(b"x<a><b>y", True)
    assert [TEXTS[token_id] for token_id in partition.ids] == ["<a><b>"]


def test_control_tokens_are_text_unless_parsed(special_tokens):
    assert parts(special_tokens.partition_readable(b"<a>", False))[0] != [0]
    assert parts(special_tokens.partition_readable(b"<a>", True))[0] == [0]


def test_many_nested_candidates_are_matched_correctly(special_tokens):
    text = b"a" * 100_001
    partition = special_tokens.partition(as_array(text), True)
    assert len(partition.ids) == 25_000
    assert set(partition.ids.tolist()) == {TEXTS.index("aaaa")}


@pytest.mark.parametrize("parse_special", [True, False])
@given(text=st.text(alphabet="ab<>|x ", max_size=30).map(str.encode), padding=st.sampled_from([0, 500]))
def test_queries_without_partitioning_match_the_occurrences(special_tokens, parse_special, text, padding):
    searched = [TEXTS[token_id].encode() for token_id in special_tokens.searched_for(parse_special)]
    begins = special_tokens.may_begin(parse_special)
    assert {bytes([byte]) for byte in np.flatnonzero(begins)} == {token[:1] for token in searched}
    assert special_tokens.longest(parse_special) == max(map(len, searched))
    places = [
        (at, at + len(token)) for token in searched for at in range(len(text)) if text.startswith(token, at)
    ]
    starts, ends = special_tokens.occurrences(as_array(text), parse_special)
    farthest = {start: max(end for first, end in places if first == start) for start, _ in places}
    assert dict(zip(starts.tolist(), ends.tolist(), strict=True)) == farthest
    for position in range(len(text) + 1):
        across = [(start, end) for start, end in farthest.items() if start < position < end]
        reach = (min(start for start, _ in across), max(end for _, end in across)) if across else None
        assert special_tokens.reach_across(as_array(text), position, parse_special) == reach
    assert special_tokens.may_be_in(text + b"." * padding, parse_special) or not places
    assert not special_tokens.may_be_in(b"." * (padding + 1), parse_special)


@pytest.mark.parametrize("strips", [Attribute.LSTRIP, Attribute.RSTRIP, Attribute.LSTRIP | Attribute.RSTRIP])
@given(text=st.text(alphabet="<a>b \n", max_size=20).map(str.encode))
def test_lstrip_and_rstrip_take_white_space_next_to_a_token(strips, text):
    vocabulary = toy_vocabulary({"<a>": Attribute.CONTROL | strips, "b": Attribute.CONTROL, " ": 0.0})
    special_tokens = SpecialTokens(vocabulary)
    assert special_tokens.drops_white_space
    result, raw = special_tokens.partition(as_array(text), True), []
    for each in (result, special_tokens.partition_readable(text, True)):  # where nothing is left may differ
        raw.append([text[start:end] for start, end in zip(each.raw_starts, each.raw_ends, strict=True)])
        assert parts(each)[:3] == parts(result)[:3]
    assert raw[0] == raw[1]
    for token_id, before, after in zip(result.ids.tolist(), raw[0], raw[0][1:], strict=False):
        if token_id == 0 and strips & Attribute.LSTRIP:
            assert before == before.rstrip()
        if token_id == 0 and strips & Attribute.RSTRIP:
            assert after == after.lstrip()


@pytest.mark.parametrize("text", [b"", b"xy", b"<a>", b"x<a><b>y", b"ab~x", b"<a>  <a>"])
def test_what_is_between_special_tokens_is_encoded_and_moved_to_its_place(special_tokens, text):
    def by_bytes(start, end):
        places = np.arange(end - start)
        return FragmentTokens(as_array(text[start:end]).astype(np.int32) + 1000, places, places + 1)

    partition = special_tokens.partition(as_array(text), True)
    tokens = join_segments(partition, by_bytes)
    expected = [*zip(*parts(partition)[:3], strict=True)]
    for start, end in zip(*parts(partition)[3:], strict=True):
        expected += [(text[at] + 1000, at, at + 1) for at in range(start, end)]
    assert [*zip(*(column.tolist() for column in tokens), strict=True)] == sorted(
        expected, key=lambda each: each[1:]
    )


def test_tokens_are_known_by_name_in_the_order_in_which_they_match(special_tokens):
    assert list(special_tokens.names.values()) == special_tokens.searched_for(True).tolist()
    assert {name: TEXTS.index(name) for name in TEXTS} == special_tokens.names
    sizes = [len(name) for name in special_tokens.names]
    assert sizes == sorted(sizes, reverse=True)
    assert special_tokens.stand_alone(True)
    assert special_tokens.stand_alone(False)


def test_a_vocabulary_without_special_tokens_matches_none():
    none = SpecialTokens(toy_vocabulary({"a": 0.0}))
    assert not none.may_be_in(b"a", True)
    assert (none.longest(True), none.longest(False)) == (1, 1)
    assert not none.drops_white_space
    assert not none.may_begin(True).any()
    assert parts(none.partition(as_array(b"ab"), True)) == [[], [], [], [0], [2]]


CONTENTS = ("<a>", "<a><b>", "b", "ab", "<", "é", " x", "x ", "a\u3000")
PARTS = (*CONTENTS, " ", "\u3000", "\u00a0", "\n", "\t", "_", "1", "a", ">", "\u0301", "\u24b6", ".", "日")
FLAGS = ("single_word", "lstrip", "rstrip", "special", "normalized")


def tokenizer_file(tmp_path, tokens):
    """A file whose model knows no text at all, so that only the added tokens count."""
    added = [
        {"id": index + 1, "content": content, **dict.fromkeys(FLAGS, False), **flags}
        for index, (content, flags) in enumerate(tokens.items())
    ]
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": added, "model": model}))
    return path


def parts_of(partition):
    columns = partition.ids, partition.starts, partition.ends, partition.raw_starts, partition.raw_ends
    return [column.tolist() for column in columns]


def matches_of_library(library, text, parse_special):
    """Without what a token takes along that the one before has taken."""
    library.encode_special_tokens = not parse_special
    encoded, result, done = library.encode(text), [], 0
    for token_id, span in zip(encoded.ids, encoded.offsets, strict=True):
        start, end = (len(text[:place].encode()) for place in span)
        if token_id:
            result.append((token_id, max(start, done), end))
            done = end
    return result


@pytest.mark.parametrize("seed", range(24))
def test_special_tokens_are_matched_as_in_the_library(seed, tmp_path):
    rng = random.Random(seed)
    contents = rng.sample(CONTENTS, rng.randint(1, 6))
    path = tokenizer_file(tmp_path, {each: {flag: rng.random() < 0.3 for flag in FLAGS} for each in contents})
    special_tokens, library = open_model(path).special_tokens, Tokenizer.from_file(str(path))
    for _ in range(60):
        text = "".join(rng.choices(PARTS, k=rng.randint(0, 9)))
        for parse_special in (True, False):
            partition = special_tokens.partition(as_array(text.encode()), parse_special)
            result = [*zip(*parts_of(partition)[:3], strict=True)]
            assert result == matches_of_library(library, text, parse_special), text
            assert parts_of(partition) == parts_of(
                special_tokens.partition_readable(text.encode(), parse_special)
            )
            edges = [0, *(edge for each in result for edge in each[1:]), len(text.encode())]
            assert [*zip(*parts_of(partition)[3:], strict=True)] == [
                *zip(edges[::2], edges[1::2], strict=True)
            ]


@pytest.mark.parametrize(
    ("tokens", "alone", "searched"),
    [
        ({"<a>": {}, "b": {}}, (True, True), ([1, 2], [1, 2])),
        ({"<a>": {"special": True}, "b": {"special": True}}, (True, True), ([1, 2], [])),
        ({"<a>": {"special": True}, "b": {}}, (True, False), ([1, 2], [1, 2])),
        ({"<a>": {"lstrip": True}}, (False, False), ([1], [1])),
        ({"<a>": {"rstrip": True, "special": True}}, (False, False), ([1], [])),
        ({"<a>": {"single_word": True}}, (False, False), ([1], [1])),
        ({"<a>": {"normalized": True}}, (True, True), ([1], [1])),
        ({"<a>": {"normalized": True}, "b": {}}, (True, True), ([2, 1], [2, 1])),
        ({}, (True, True), ([], [])),
    ],
)
def test_tokens_stand_alone_unless_their_context_matters(tokens, alone, searched, tmp_path):
    special_tokens = open_model(tokenizer_file(tmp_path, tokens)).special_tokens
    text = as_array(b"-<a>-b-")
    places = [(1, 4), (5, 6)][: len(tokens)]
    longest = max(map(len, tokens), default=1)
    assert not special_tokens.drops_white_space
    for parse_special, is_alone, ids in zip((True, False), alone, searched, strict=True):
        assert special_tokens.stand_alone(parse_special) == is_alone
        assert special_tokens.searched_for(parse_special).tolist() == ids
        starts, ends = special_tokens.occurrences(text, parse_special)
        across = [special_tokens.reach_across(text, at, parse_special) for at in (0, 1, 3, 7)]
        if is_alone:
            assert [*zip(starts, ends, strict=True)] == (places if ids else [])
            assert across == [None, None, (1, 4) if ids else None, None]
            assert special_tokens.longest(parse_special) == (longest if ids else 1)
        else:
            assert (starts.tolist(), ends.tolist()) == ([0], [7])
            assert across == [None, (0, 7), (0, 7), None]
            assert special_tokens.longest(parse_special) == NO_LIMIT
        assert starts.dtype == ends.dtype == np.int64
