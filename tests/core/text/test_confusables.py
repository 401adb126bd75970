"""Letters of one script in words of another that look the same."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.visible_text import PASS_FOR_LATIN, confusables


def found(text):
    return [
        (text.encode()[each.start : each.end].decode(), each.passes_for)
        for each in confusables(text.encode())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p\u0430yp\u0430l", [("\u0430", "a"), ("\u0430", "a")]),
        ("é Micros\u043eft, \u0421ontoso", [("\u043e", "o"), ("\u0421", "C")]),
        ("М\u006fсква", [("o", "\u043e")]),  # a Latin letter in a Russian word
        ("\u039fpen", [("\u039f", "O")]),
        ("\u0585pen s\u057dn", [("\u0585", "o"), ("\u057d", "u")]),
        ("Москва and London, Αθήνα", []),  # each word of one script
        ("kΩ μm Δx", []),  # letters that look like no other
        ("аррӏе", []),  # wholly Cyrillic: not covered
        ("x\u0301\u043e", [("\u043e", "o")]),
    ],
)
def test_letters_that_pass_for_others_are_those_of_mixed_words(text, expected):
    assert found(text) == expected


def test_the_table_pairs_letters_of_the_script_it_says_with_latin_ones():
    for script, (letters, latin) in PASS_FOR_LATIN.items():
        assert len(letters) == len(latin)
        assert len(set(letters)) == len(letters)
        assert latin.isascii()
        assert latin.isalpha()
        for letter in letters:
            assert script.upper() in unicodedata.name(letter) or letter == "Ϳ"


@given(st.binary(), st.text(alphabet="аеopϲ\u0301 -\n7é漢"))
def test_they_are_letters_where_the_text_has_them(stray, text):
    data = stray + text.encode()
    places = confusables(data)
    assert [data[each.start : each.end].decode() for each in places] == [each.letter for each in places]
    assert all(before.end <= each.start for before, each in pairwise(places))
