"""Against `tokenizers`: each pre-tokenizer on all characters, and sequences of them on drawn texts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from library_components import EXPRESSIONS, PLAIN, SPLITS, said
from texts_for_components import EVERY_CHARACTER, TELLING_CHARACTERS, texts
from tokenizers import Regex
from tokenizers import pre_tokenizers as library

from guiapp.core.hugging_face.normalizers import Sequence
from guiapp.core.hugging_face.pre_tokenizers import (
    patterns_of,
    pre_tokenizer_of,
    prepare,
    without_byte_mapping,
)
from guiapp.core.pretokenize.splitter import Splitter


def pieces_of(pre_tokenizer, text):
    prepared = prepare(Sequence(()), pre_tokenizer, text.encode(), is_first=True)
    data, ends = prepared.normalized.data.tobytes(), prepared.ends.tolist()
    return [data[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]


def library_pieces(component, text):
    return [piece for piece, _ in component.pre_tokenize_str(text)]


@pytest.mark.parametrize("component", PLAIN, ids=lambda each: str(said(each)))
def test_characters_are_cut_as_the_library_does(component):
    ours = pre_tokenizer_of(said(component))
    for between in ("", "a"):
        text = between.join(TELLING_CHARACTERS)
        assert pieces_of(ours, text) == library_pieces(component, text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("component", PLAIN + SPLITS, ids=lambda each: str(said(each)))
def test_every_character_is_cut_as_the_library_does(component):
    ours = pre_tokenizer_of(said(component))
    for between in ("", "a", " "):
        text = between.join(EVERY_CHARACTER)
        assert pieces_of(ours, text) == library_pieces(component, text)


@given(st.lists(st.sampled_from(PLAIN + SPLITS), min_size=1, max_size=4), texts())
def test_sequences_of_all_components_cut_as_the_library_does(components, text):
    sequence = library.Sequence(components)
    assert pieces_of(pre_tokenizer_of(said(sequence)), text) == library_pieces(sequence, text)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_cut_all_characters_as_oniguruma_does(expression):
    component = library.Split(Regex(expression), "isolated")
    ours = pre_tokenizer_of(said(component))
    for between in ("", "a"):
        text = between.join(TELLING_CHARACTERS)
        assert pieces_of(ours, text) == library_pieces(component, text)


@given(st.lists(st.sampled_from([*EXPRESSIONS, "digits", "punctuation"]), max_size=3), st.booleans(), texts())
def test_patterns_cut_as_the_pre_tokenizer_that_they_are_of(expressions, cuts, text):
    named = {"digits": library.Digits(False), "punctuation": library.Punctuation("isolated")}
    parts = [named.get(each) or library.Split(Regex(each), "isolated") for each in expressions]
    whole = pre_tokenizer_of(said(library.Sequence([*parts, library.ByteLevel(False, use_regex=cuts)])))
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
    kept = said(library.Sequence([library.Split(" ", "isolated"), library.ByteLevel(False)]))
    assert patterns_of(pre_tokenizer_of(kept))
    for changed in (
        said(library.Sequence([library.Split(" ", "removed"), library.ByteLevel(False)])),
        said(library.Sequence([library.ByteLevel(False), library.ByteLevel(False)])),
        said(library.Sequence([library.ByteLevel(False), library.Digits(True)])),
        said(library.ByteLevel(True)),
        said(library.Metaspace()),
        None,
    ):
        assert patterns_of(pre_tokenizer_of(changed)) is None


def test_nothing_that_the_library_cuts_with_is_missing():
    known = {type(each).__name__ for each in PLAIN + SPLITS} | {"Sequence"}
    kinds = [getattr(library, name) for name in dir(library) if name[0].isupper() and name != "PreTokenizer"]
    assert {kind.__name__ for kind in kinds if isinstance(kind, type)} == known


def test_files_of_old_say_add_prefix_space():
    old = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}
    assert pieces_of(pre_tokenizer_of(old), "a b") == ["a", "▁b"]
    assert pieces_of(pre_tokenizer_of({**old, "add_prefix_space": True}), "a b") == ["▁a", "▁b"]
