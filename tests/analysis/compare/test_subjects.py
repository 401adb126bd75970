"""What differences are about is told in a word or two."""

from __future__ import annotations

import pytest

from guiapp.analysis.compare.reasons import what_differs, what_is_cut


@pytest.mark.parametrize(
    ("mine", "other", "subject"),
    [
        (" a", "a", "the space in front"),
        ("a  b", "a b", "spaces"),
        ("A", "a", "case"),
        ("e\u0301", "é", "composed characters"),
        ("ﬁ", "fi", "compatible characters"),
        ("é", "e", "accents"),
        ("É", "e", "accents and case"),
        ("a", "b", "characters"),
    ],
)
def test_texts_differ_in_the_first_thing_without_which_they_are_equal(mine, other, subject):
    assert what_differs(mine, other) == subject


@pytest.mark.parametrize(
    ("before", "behind", "subject"),
    [
        ("12", "3", "digits"),
        ("I'", "M x", "contractions"),
        ("I", "'m", "contractions"),
        ("'", "a", "signs"),
        ("a\r", "\nb", "line ends"),
        ("a ", " b", "spaces"),
        ("e", "\u0301", "accents"),
        ("(", "a", "signs"),
        ("a", "B", "letters"),
        ("don't", " a", "contractions"),
        ("don't ", "a", "spaces"),
        ("ab", "c'd", "letters"),
        ("a", "’D", "contractions"),
        ("", "'re", "contractions"),
        ("a", "'x", "signs"),
        ("a", "1", "digits"),
        ("\n", " ", "line ends"),
        ("\u3000", "a", "spaces"),
        ("", "a", "letters"),
        ("a", "", "letters"),
        ("", "", "the end of the text"),
    ],
)
def test_a_cut_is_about_what_stands_beside_it(before, behind, subject):
    assert what_is_cut(before, behind) == subject
