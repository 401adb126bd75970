"""What is known of each cell of a displayed text: its width, direction, chips and units."""

import pytest

from guiapp.kit.document.display_text import begins_from_right, display_text


def signs(text, column):
    """A string with x for each cell where a column is set."""
    return "".join(".x"[bool(value)] for value in getattr(display_text(text.encode(), False), column))


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("a ~\x7fé\t", "is_even", "xxx..."),
        ("\x1f!", "is_even", ".x"),
        ("e\u0301e", "is_even", ".x"),
        ("a \u00a0 ", "is_space", ".x.x"),
        (" \u0301 ", "is_space", ".x"),
        ("a\tb", "is_tab", ".x."),
        ("", "is_even", ""),
    ],
)
def test_what_a_cell_is(text, column, expected):
    assert signs(text, column) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc é 世", "......."),
        ("\u058f\u0590", ".x"),
        ("aש b ש1", ".xx..xx"),
        ("aש1,2b3", ".xxxx.."),
        ("ש世ש", "x.x"),
        ("שéש", "x.x"),
        ("שÀש×ש÷ש", "x.xxxxx"),
        ("שZ", "x."),
        ("ש[", "xx"),
        ("ש@", "xx"),
        ("a\u202ab", "xxx"),
        ("a\u2066b", "xxx"),
        ("a\u200fb", ".x."),
        ("a\u08c7\u0904", ".xx"),
        ("a\ufeffש", "..x"),
        ("\U00010800a", "x."),
        ("", ""),
    ],
)
def test_cells_that_may_turn_up_to_a_letter_that_does_not(text, expected):
    assert signs(text, "may_turn") == expected
    assert display_text(text.encode(), False).has_right_to_left is ("x" in expected)


@pytest.mark.parametrize(
    ("text", "from_right"),
    [
        ("", False),
        ("abc", False),
        ("1 ש", True),
        ("1 ب", True),
        ("a ש", False),
        ("\u2066a\u2069ש", True),
        ("\u2067ש\u2069a", False),
        ("\u2068ש", False),
        ("\u2066\u2067ש\u2069ש\u2069ש", True),
        ("\u2069ש", True),
        ("\u2069\u2066a\u2069ש", True),
        ("\u2066\u2066a\u2069b\u2069ש", True),
        ("123", False),
    ],
)
def test_the_first_letter_outside_of_isolates_decides(text, from_right):
    assert begins_from_right(text) is from_right


@pytest.mark.parametrize(
    ("data", "widens_spaces", "text", "units"),
    [
        (b"a b", True, "a b", [0, 1, 2, 3]),
        (b"a  b", False, "a  b", [0, 1, 2, 3, 4]),
        (b"  ", True, "\u2007\u200b" * 2, [0, 2, 4]),
        (b"   a ", True, "\u2007\u200b" * 3 + "a ", [0, 2, 4, 6, 7, 8]),
        (b" a  ", True, " a" + "\u2007\u200b" * 2, [0, 1, 2, 4, 6]),
        ("😍  ".encode(), True, "😍" + "\u2007\u200b" * 2, [0, 2, 4, 6]),
        ("字\U000e0101字".encode(), True, "字\U000e0101□字", [0, 3, 4, 5]),
        ("字\ufe00字".encode(), True, "字\ufe00□字", [0, 2, 3, 4]),
        (b"\xff\xfe", True, "□□", [0, 1, 2]),
        (b"", True, "", [0]),
    ],
)
def test_units_of_what_is_shown(data, widens_spaces, text, units):
    shown = display_text(data, widens_spaces)
    assert (shown.text, shown.units.tolist()) == (text, units)


def test_bytes_of_each_character():
    text = "\x7f\x80\u07ff\u0800\uffff\U00010000".encode() + b"\x80\xff"
    shown = display_text(text, False)
    assert shown.characters.tolist() == [0, 1, 3, 5, 8, 11, 15, 16, 17]
    assert [chip.label for chip in shown.chips] == ["7F", "80", "FFFF", "80", "FF"]


def test_chips_are_found_by_their_cells():
    shown = display_text(b"\x00a\x01\x02b\x03", False)
    assert [chip.cell for chip in shown.chips] == [0, 2, 3, 5]
    found = {(first, last): [chip.cell for chip in shown.chips_in(first, last)] for first, last in (
        (0, 6), (0, 0), (0, 1), (1, 3), (2, 4), (3, 5), (5, 6), (6, 6),
    )}  # fmt: skip
    assert found == {
        (0, 6): [0, 2, 3, 5],
        (0, 0): [],
        (0, 1): [0],
        (1, 3): [2],
        (2, 4): [2, 3],
        (3, 5): [3],
        (5, 6): [5],
        (6, 6): [],
    }


@pytest.mark.parametrize(
    ("text", "shown", "unit", "label"),
    [
        ("\u200b\u200b", "□", 0, "200B×2"),
        ("\u200b\u200c", "□", 0, "2 hidden"),
        ("\u2069\u202c", "\u2069\u202c□", 2, "2 hidden"),
        ("\u202c\u202a", "\u202c□\u202a", 1, "2 hidden"),
        ("\u202a\u202c", "□\u202a\u202c", 0, "2 hidden"),
    ],
)
def test_what_a_run_of_invisible_characters_shows(text, shown, unit, label):
    told = display_text(text.encode(), False)
    assert told.text == shown
    assert [(chip.unit, chip.label) for chip in told.chips] == [(unit, label)]
