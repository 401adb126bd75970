"""How texts fall into letters, and the order in which these are seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.viewmodels.presentation.letters import letters_of, side_of, visual_order


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("able", ["a", "b", "l", "e"]),
        ("e\u0301x", ["e\u0301", "x"]),
        ("👦🇯🇵🇩🇪", ["👦", "🇯🇵", "🇩🇪"]),
        ("👩‍👩‍👧‍👦!", ["👩‍👩‍👧‍👦", "!"]),
        ("שלום", ["ש", "ל", "ו", "ם"]),
        ("مرحبا·ab", ["مرحبا", "·", "a", "b"]),
        ("<E2 82>·<0x0A><U+200B>is</w>", ["<E2 82>", "·", "<0x0A>", "<U+200B>", "i", "s", "</w>"]),
        ("<b>", ["<", "b", ">"]),
        ("\u0f71\U0002ee5ea", ["\u0f71", "\U0002ee5e", "a"]),
        ("", []),
    ],
)
def test_a_letter_is_what_has_a_cell_of_its_own(text, letters):
    found = letters_of(text, 0, len(text.encode()))
    assert [letter.text for letter in found] == letters
    assert [letter.is_sign for letter in found] == [len(each) > 3 and each[0] == "<" for each in letters]


@given(text=st.text(max_size=30))
def test_letters_join_back_to_the_text_and_stand_in_order(text):
    letters = letters_of(text, 3, 10)
    assert "".join(letter.text for letter in letters) == text
    places = [letter.place for letter in letters]
    assert places == sorted(places)
    assert all(3 <= place <= 10 for place in places)


def test_a_letter_has_the_place_of_its_bytes_before_and_after_a_merge():
    places = [letter.place for letter in letters_of("é·<F0 9F>x", 7, 7 + 2 + 1 + 2 + 1)]
    assert places == [7, 9, 10, 12]
    assert [letter.place for letter in letters_of("Ã©", 4, 6)] == [4, 5], "stand-ins are a byte each"


@pytest.mark.parametrize(
    ("sides", "base", "order"),
    [
        ("LLL", "L", "0 1 2"),
        ("RRR", "R", "2 1 0"),
        ("LRRL", "L", "0 2 1 3"),
        ("RLLR", "R", "3 1 2 0"),
        ("L R R", "L", "0 1 4 3 2"),
        ("R L", "R", "2 1 0"),
        ("  ", "L", "0 1"),
    ],
)
def test_stretches_from_the_right_stand_the_other_way_round(sides, base, order):
    found = visual_order([side.strip() for side in sides], base)
    assert " ".join(str(at) for at, _ in found) == order
    assert all(is_turned == (sides[at] == "R") for at, is_turned in found if sides[at] != " ")


def test_the_first_letter_tells_from_where_a_text_is_read():
    assert [side_of(text) for text in ("1a", "·ש", "م x", "12", "")] == ["L", "R", "R", "", ""]
