"""Against `tokenizers`: each pre-tokenizer on all characters, and sequences of them on drawn texts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from library_components import EXPRESSIONS, PLAIN, SPLITS, json_of, prepare
from texts_for_components import SAMPLE_CHARACTERS, every_character, texts
from tokenizers import Regex, normalizers, pre_tokenizers
from tokenizers import pre_tokenizers as library
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from guiapp.core.hugging_face.normalizers import Sequence, normalizer_of
from guiapp.core.hugging_face.pre_tokenizers import (
    normalize,
    patterns_of,
    pre_tokenize,
    pre_tokenizer_of,
    without_byte_mapping,
)
from guiapp.core.pretokenize.splitter import Splitter


def pieces_of(pre_tokenizer, text):
    prepared = prepare(Sequence(()), pre_tokenizer, text.encode(), is_first=True)
    data, ends = prepared.normalized.data.tobytes(), prepared.ends.tolist()
    return [data[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]


def library_pieces(component, text):
    return [piece for piece, _ in component.pre_tokenize_str(text)]


@pytest.mark.parametrize("component", PLAIN, ids=lambda each: str(json_of(each)))
def test_characters_are_cut_as_the_library_does(component):
    ours = pre_tokenizer_of(json_of(component))
    for between in ("", "a"):
        text = between.join(SAMPLE_CHARACTERS)
        assert pieces_of(ours, text) == library_pieces(component, text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("component", PLAIN + SPLITS, ids=lambda each: str(json_of(each)))
def test_every_character_is_cut_as_the_library_does(component):
    ours = pre_tokenizer_of(json_of(component))
    for between in ("", "a", " "):
        text = between.join(every_character())
        assert pieces_of(ours, text) == library_pieces(component, text)


@given(st.lists(st.sampled_from(PLAIN + SPLITS), min_size=1, max_size=4), texts())
def test_sequences_of_all_components_cut_as_the_library_does(components, text):
    sequence = library.Sequence(components)
    assert pieces_of(pre_tokenizer_of(json_of(sequence)), text) == library_pieces(sequence, text)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_cut_all_characters_as_oniguruma_does(expression):
    component = library.Split(Regex(expression), "isolated")
    ours = pre_tokenizer_of(json_of(component))
    for between in ("", "a"):
        text = between.join(SAMPLE_CHARACTERS)
        assert pieces_of(ours, text) == library_pieces(component, text)


@given(st.lists(st.sampled_from([*EXPRESSIONS, "digits", "punctuation"]), max_size=3), st.booleans(), texts())
def test_patterns_cut_as_the_pre_tokenizer_that_they_are_of(expressions, cuts, text):
    named = {"digits": library.Digits(False), "punctuation": library.Punctuation("isolated")}
    parts = [named.get(each) or library.Split(Regex(each), "isolated") for each in expressions]
    whole = pre_tokenizer_of(json_of(library.Sequence([*parts, library.ByteLevel(False, use_regex=cuts)])))
    bare, patterns = without_byte_mapping(whole), patterns_of(whole)
    assert bare is not None
    assert patterns is not None
    expected = pieces_of(bare, text)
    if patterns:
        ends = [0, *Splitter(patterns).split_readable(text.encode())]
        data = text.encode()
        assert [data[a:b].decode() for a, b in pairwise(ends)] == expected
    assert "".join(expected) == text


def test_only_pre_tokenizers_that_merely_cut_have_patterns():
    splitting_only = json_of(library.Sequence([library.Split(" ", "isolated"), library.ByteLevel(False)]))
    assert patterns_of(pre_tokenizer_of(splitting_only))
    for changed in (
        json_of(library.Sequence([library.Split(" ", "removed"), library.ByteLevel(False)])),
        json_of(library.Sequence([library.ByteLevel(False), library.ByteLevel(False)])),
        json_of(library.Sequence([library.ByteLevel(False), library.Digits(True)])),
        json_of(library.ByteLevel(True)),
        json_of(library.Metaspace()),
        None,
    ):
        assert patterns_of(pre_tokenizer_of(changed)) is None


def test_nothing_that_the_library_cuts_with_is_missing():
    known = {type(each).__name__ for each in PLAIN + SPLITS} | {"Sequence"}
    kinds = [getattr(library, name) for name in dir(library) if name[0].isupper() and name != "PreTokenizer"]
    assert {kind.__name__ for kind in kinds if isinstance(kind, type)} == known


CUTTERS = [
    *(pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit(), BertPreTokenizer()),
    *(pre_tokenizers.Digits(True), pre_tokenizers.UnicodeScripts(), pre_tokenizers.FixedLength(3)),
    *(pre_tokenizers.Punctuation("merged_with_next"), pre_tokenizers.Split(Regex(r"\s+"), "removed", False)),
    pre_tokenizers.Metaspace(prepend_scheme="never"),
]


def character_spans(prepared, text):
    """Of each piece, in characters, rounded out."""
    data = text.encode()
    if len(prepared.ends) == 0:
        return []
    begins = np.cumsum(np.array([byte & 0xC0 != 0x80 for byte in data], np.int64))
    starts = np.append(0, prepared.ends[:-1])
    first, last = prepared.normalized.starts[starts], prepared.normalized.ends[prepared.ends - 1]
    return [(int(begins[a]) - 1, int(begins[b - 1])) for a, b in zip(first, last, strict=True)]


@given(st.lists(st.sampled_from(CUTTERS), min_size=1, max_size=3), texts())
def test_pieces_that_nothing_was_inserted_in_have_the_spans_of_the_library(components, text):
    sequence = pre_tokenizers.Sequence([*components, pre_tokenizers.ByteLevel(False)])
    prepared = prepare(normalizer_of(None), pre_tokenizer_of(json_of(sequence)), text.encode(), is_first=True)
    expected = [span for _, span in sequence.pre_tokenize_str(text)]
    assert character_spans(prepared, text) == expected


@given(
    st.sampled_from([normalizers.Lowercase(), normalizers.NFKD(), BertNormalizer(strip_accents=False)]),
    texts(),
)
def test_words_of_normalized_texts_lie_in_what_they_were_made_of(component, text):
    prepared = prepare(
        normalizer_of(json_of(component)),
        pre_tokenizer_of({"type": "WhitespaceSplit"}),
        text.encode(),
        is_first=True,
    )
    starts, ends = prepared.normalized.starts, prepared.normalized.ends
    assert (starts <= ends).all()
    assert (np.diff(starts) >= 0).all()
    assert (np.diff(ends) >= 0).all()
    assert (starts[1:] >= ends[:-1]).all()
    assert len(ends) == 0 or ends[-1] <= len(text.encode())


def test_each_byte_takes_a_byte_and_the_last_one_the_rest():
    normal = normalize(normalizer_of({"type": "NFC"}), "xe\u0301y".encode(), True)
    assert normal.text() == "xéy"
    assert normal.normalized.starts.tolist() == [0, 1, 2, 4]
    assert normal.normalized.ends.tolist() == [1, 2, 4, 5]


def test_inserted_text_has_an_empty_span_and_dropped_text_none():
    bert = normalizer_of(json_of(BertNormalizer()))
    made = prepare(bert, pre_tokenizer_of(json_of(BertPreTokenizer())), "a\u200d国b ".encode(), True)
    assert made.normalized.data.tobytes().decode() == "a国b"
    assert made.normalized.starts.tolist() == [0, 4, 5, 6, 7]
    spaced = prepare(normalizer_of({"type": "Prepend", "prepend": "▁"}), pre_tokenizer_of(None), b"ab", True)
    assert spaced.normalized.starts.tolist() == [0, 0, 0, 0, 1]
    assert spaced.normalized.ends.tolist() == [0, 0, 0, 1, 2]


def test_only_what_begins_the_whole_text_gets_the_first_prefix():
    first = pre_tokenizer_of(json_of(pre_tokenizers.Metaspace(prepend_scheme="first")))
    for is_first, expected in ((True, "▁a▁b"), (False, "a▁b")):
        assert (
            prepare(normalizer_of(None), first, b"a b", is_first).normalized.data.tobytes().decode()
            == expected
        )
    text = normalize(normalizer_of({"type": "NFC"}), "é b".encode(), True)
    rest = pre_tokenize(first, text.part(2, 4))
    assert rest.normalized.data.tobytes().decode() == "▁b"
    assert rest.normalized.starts.tolist()[-1] == 3
    assert pre_tokenize(first, text.part(3, 4)).normalized.data.tobytes() == b"b"


@given(
    st.lists(
        st.sampled_from(
            [
                *(normalizers.NFD(), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Strip()),
                *(BertNormalizer(), normalizers.Lowercase(), normalizers.Replace(Regex(r"\p{Mn}"), "")),
            ]
        ),
        min_size=1,
        max_size=3,
    ),
    st.text("aé\u0301ệ½¨ b가İ"),
)
def test_spans_cover_each_character_wholly_or_not_at_all(components, text):
    data = text.encode()
    normal = normalize(normalizer_of(json_of(normalizers.Sequence(components))), data, True)
    starts, ends = normal.both_spans()
    covered = np.zeros(len(data), np.bool_)
    for start, end in zip(starts, ends, strict=True):
        covered[start:end] = True
    at = 0
    for character in text:
        assert len(set(covered[at : at + len(character.encode())])) == 1
        at += len(character.encode())
    assert (starts[1:] >= ends[:-1]).all()


def test_what_is_left_of_a_character_has_all_of_it():
    bert = normalizer_of(json_of(BertNormalizer()))
    normal = normalize(bert, "aéệe\u0301".encode(), True)
    assert normal.text() == "aeee"
    assert normal.both_spans()[1].tolist() == [1, 3, 6, 7]


def test_add_prefix_space_of_older_files_is_supported():
    old = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}
    assert pieces_of(pre_tokenizer_of(old), "a b") == ["a", "▁b"]
    assert pieces_of(pre_tokenizer_of({**old, "add_prefix_space": True}), "a b") == ["▁a", "▁b"]
