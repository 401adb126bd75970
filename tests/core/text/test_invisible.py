"""Which characters are invisible, and where they are part of an emoji."""

import re
import sys
import unicodedata

import pytest
from invisible_characters import invisible_characters

from guiapp.core.text.visible_text import (
    BLANKS,
    EMOJI,
    IGNORABLE,
    INVISIBLE,
    SPACES,
    invisible_runs,
    unassigned,
)


def in_class(pattern):
    return set(re.findall(f"[{pattern}]", "".join(map(chr, range(sys.maxunicode + 1)))))


def test_all_that_unicode_ignores_or_leaves_blank_is_invisible():
    assert set(invisible_characters()) <= in_class(IGNORABLE + SPACES + BLANKS)


def test_the_tables_are_those_of_unicode():
    regex = pytest.importorskip("regex")
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert in_class(IGNORABLE) == set(regex.findall(r"\p{Default_Ignorable_Code_Point}", everything))
    assert in_class(SPACES) == set(regex.findall(r"\p{Z}", everything)) - {" "}
    assert in_class(EMOJI) <= set(regex.findall(r"\p{Emoji}", everything))


def test_what_has_no_meaning_is_private_or_unassigned_and_neither_ignored_nor_an_emoji():
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    found = set(unassigned().findall(everything))
    assert {unicodedata.category(character) for character in found} == {"Cn", "Co"}
    assert set("\ue000\uf8ff\U000f0000\U0010fffd\u0378\uffff\U0010ffff") <= found
    assert found.isdisjoint(in_class(IGNORABLE + EMOJI) | {"\U0001fae8", "\U0002ebf0"})  # of Unicode 15


@pytest.mark.parametrize(
    "emoji",
    ["❤\ufe0f", "1\ufe0f\u20e3", "👩\u200d🚀", "👩🏽\u200d❤\ufe0f\u200d👨🏿", "🏃\u200d♀",
     "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"],
)  # fmt: skip
def test_what_is_part_of_an_emoji_is_not_told_as_invisible(emoji):
    assert not list(invisible_runs(f"a{emoji}b"))
    (behind,) = invisible_runs(f"{emoji}\ufe0e\u200d")
    assert behind.span() == (len(emoji), len(emoji) + 2)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("\u200b1\ufe0f", [(0, 1), (2, 3)]),
        ("a\u200d👩", [(1, 2)]),
        ("👩\u200d", [(1, 2)]),
        ("👩\ufe0e", [(1, 2)]),
        ("🏴\U000e0061\U000e007f", [(1, 3)]),
        ("👩\u200d\u200d🚀", [(1, 3)]),
        ("می\u200cخواهم", [(2, 3)]),
        ("a b\n\t", []),
    ],
)
def test_outside_of_emoji_joiners_and_selectors_are_invisible(text, spans):
    assert [match.span() for match in invisible_runs(text)] == spans


def test_an_emoji_that_a_font_draws_in_parts_has_invisible_characters():
    runs = invisible_runs("a👩\u200d🍕❤\ufe0f", lambda emoji: False)
    assert [match.span() for match in runs] == [(2, 3)]


def test_the_ordinary_space_is_seen():
    assert not INVISIBLE.search(" ")
