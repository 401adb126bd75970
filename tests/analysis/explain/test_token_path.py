"""Prefixes and continuations of a token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.explain.merge_tree import TokenPath, token_path
from guiapp.core.vocabulary.attributes import Attribute

texts = st.lists(st.binary(min_size=1, max_size=12).map(lambda data: bytes(b % 2 for b in data)), unique=True)


def path_of(vocabulary, token_id, n_shown=8):
    return token_path(vocabulary, vocabulary.token_tree, token_id, n_shown)


@given(texts)
def test_prefixes_and_continuations_are_those_of_plain_comparison(tokens):
    vocabulary = toy_vocabulary(dict.fromkeys(tokens, 0.0))
    for token_id, token in enumerate(tokens):
        path = path_of(vocabulary, token_id, n_shown=1000)
        prefixes = [other for other in tokens if token.startswith(other) and other != token]
        longer = [at for at, other in enumerate(tokens) if other.startswith(token) and other != token]
        assert [tokens[at] for at in path.prefixes] == sorted(prefixes, key=len)
        assert list(path.continuations) == longer
        assert path.n_continuations == len(longer)


def test_special_and_byte_tokens_are_no_neighbours():
    vocabulary = toy_vocabulary(
        {"<s>": Attribute.CONTROL, "<": 0.0, "<sx": 0.0, "<s": Attribute.BYTE, "<sy>": Attribute.UNUSED}
    )
    assert path_of(vocabulary, 1).continuations == (2,)
    assert path_of(vocabulary, 2).prefixes == (1,)


@pytest.mark.parametrize("attribute", [each for each in Attribute if each.value < 64])
def test_only_what_text_leads_to_is_a_neighbour(attribute):
    vocabulary = toy_vocabulary({"a": 0.0, "ab": attribute, "abc": 0.0})
    is_neighbour = attribute in (Attribute.NORMAL, Attribute.USER_DEFINED)
    assert path_of(vocabulary, 0) == TokenPath((), (1, 2) if is_neighbour else (2,), 1 + is_neighbour)
    assert path_of(vocabulary, 2) == TokenPath((0, 1) if is_neighbour else (0,), (), 0)


def test_only_some_continuations_are_listed():
    path = path_of(toy_vocabulary({"a" * n: 0.0 for n in range(1, 31)}), 0, n_shown=3)
    assert path.continuations == (1, 2, 3)
    assert path.n_continuations == 29


def test_an_empty_token_has_no_path():
    path = path_of(toy_vocabulary({"": 0.0, "a": 0.0}), 0)
    assert (path.prefixes, path.n_continuations) == ((), 0)
