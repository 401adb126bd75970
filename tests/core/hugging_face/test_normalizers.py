"""Against `tokenizers`: each normalizer on all characters, and sequences of them on drawn texts."""

from __future__ import annotations

from functools import cache

import make_characters
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from library_components import FORMS, OTHERS, PRECOMPILED, json_of
from texts_for_components import SAMPLE_CHARACTERS, every_character, texts
from tokenizers import normalizers as library

from guiapp.core.hugging_face.characters import FOLDER
from guiapp.core.hugging_face.normalizers import normalizer_of
from guiapp.core.hugging_face.pre_tokenizers import normalize
from guiapp.core.text.unicode_tables import FOLDER as TEXT_FOLDER

ours = cache(lambda component: normalizer_of(json_of(component)))


def normalized(component, text):
    return normalize(ours(component), text.encode(), is_first=True).text()


BERT = [each for each in OTHERS if isinstance(each, library.BertNormalizer)]
ALL_BUT_SOME_OF_BERT = [each for each in FORMS + OTHERS if each not in BERT] + BERT[::5]
"""The switches of BERT's are looked at one after the other: each value of each is there."""


@pytest.mark.parametrize("component", ALL_BUT_SOME_OF_BERT, ids=lambda each: str(json_of(each))[:120])
def test_characters_become_what_the_library_makes_of_them(component):
    for between in ("", "a", "\u0301e"):
        text = between.join(SAMPLE_CHARACTERS)
        assert normalized(component, text) == component.normalize_str(text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("component", FORMS + OTHERS, ids=lambda each: str(json_of(each))[:120])
def test_every_character_becomes_what_the_library_makes_of_it(component):
    for between in ("", "a", "\u0301", "\u0600", "a\u200d", "\u0301e"):
        text = between.join(every_character())
        assert normalized(component, text) == component.normalize_str(text)


IN_A_ROW = [
    each for each in FORMS * 4 + OTHERS if json_of(each).get("prepend") != ""
]  # of which theirs can die


@given(st.lists(st.sampled_from(IN_A_ROW), min_size=1, max_size=4), texts())
@example([OTHERS[6]], "\u0301\t")
def test_sequences_of_all_components_normalize_as_the_library_does(components, text):
    sequence = library.Sequence(components)
    actual = normalize(normalizer_of(json_of(sequence)), text.encode(), is_first=True).text()
    assert actual == sequence.normalize_str(text)


COMBINING = (
    "aeoᾳ가\u1100\u1161\u11a8\u0301\u0323\u0345\u0308"
    "\u0327\u3099か\u09c7\u09be\u0f71\u0f72\u0344\U00011935\U00011930"
)


@given(st.sampled_from(FORMS), st.text(COMBINING, max_size=12), st.sampled_from([1, 20]))
def test_combining_characters_are_ordered_and_composed_as_the_library_does(component, text, times):
    assert normalized(component, text * times) == component.normalize_str(text * times)


GRAPHEMES = (
    "ab\r\né\u0301\u0302\u094d\u0903\u0915\u0937\u1100"
    "\u1161가\u200d\u200c\ufe0f©®❤\u0600\u06dd\u00ad\x01\u0e33"
)


@given(st.text(GRAPHEMES, max_size=10))
@example("क\u0308ष")
@example("\u200d©\u0903ष")
def test_short_graphemes_become_what_the_library_makes_of_them(text):
    assert normalized(PRECOMPILED, text) == PRECOMPILED.normalize_str(text)


def test_nothing_that_the_library_normalizes_with_is_missing():
    known = {type(each).__name__ for each in FORMS + OTHERS} | {"Sequence", "Normalizer"}
    assert {name for name in dir(library) if name[0].isupper() and not name.isupper()} <= known


def up_to(limit, table):
    """What is said of the first characters: edges of runs, or columns that begin with a character."""
    if table.ndim == 2:
        return table[:, table[0] < limit].tolist()
    inside = table[table < limit].tolist()
    return inside + [limit] * (len(inside) % 2)


@pytest.mark.parametrize(("build", "limit"), [("build", 0x960), ("build_properties", 0x400)])
def test_the_data_files_are_what_the_script_makes(monkeypatch, build, limit):
    """For the first characters; all would take minutes."""
    monkeypatch.setattr(make_characters, "CODES", range(limit))
    stored = {
        "build": {path.stem: np.load(path) for path in FOLDER.iterdir()},
        "build_properties": np.load(TEXT_FOLDER / "unicode_16_0/properties.npz"),
    }[build]
    rebuilt = getattr(make_characters, build)()
    assert {name: up_to(limit, table) for name, table in stored.items()} == {
        name: table.tolist() for name, table in rebuilt.items()
    }
