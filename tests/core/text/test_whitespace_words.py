"""Words between white space, which is dropped unless spaces are parts of words."""

import pytest

from guiapp.core.encode.families.byte_pair import whitespace_words
from guiapp.core.vocabulary.vocabulary import Rules


@pytest.mark.parametrize(
    ("text", "rules", "words", "ends"),
    [
        ("  one TWO\u3000é ", Rules(), "oneTWOé", [3, 6, 8]),
        ("  one TWO\u3000é ", Rules(lowercase=True, escape_spaces=True), "  one twoé ", [9, 12]),
        ("a", Rules(), "a", [1]),
        (" ", Rules(), "", []),
        (" ", Rules(escape_spaces=True), " ", [1]),
        ("", Rules(), "", []),
    ],
)
def test_words_end_where_white_space_begins(text, rules, words, ends):
    found, found_ends = whitespace_words(text.encode(), rules)
    assert (found.data.tobytes().decode(), found_ends) == (words, ends)
