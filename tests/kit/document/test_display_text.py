from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from invisible_characters import invisible_characters

from guiapp.core.text.normalized import decode, encode
from guiapp.kit.document.display_text import begins_from_right, display_text

TEXTS = st.lists(
    st.sampled_from(
        [
            "a",
            " ",
            "  ",
            "\t",
            "é",
            "e\u0301",
            "字",
            "👨‍👩‍👧",
            "שלום",
            "\x00",
            "\U0010ffff",
            "\u2028",
            "\u202e",
            "\u2069",
            "\ufe0f",
            "\U000e0100",
            "\u200d",
            "👩",
            "\u3164",
            "\u00a0",
        ]
    ).map(str.encode)
    | st.binary(min_size=1, max_size=2).filter(lambda data: b"\n" not in data),
    max_size=8,
).map(b"".join)


@given(data=TEXTS, widens_spaces=st.booleans())
@example(data="e\u0301  ".encode(), widens_spaces=True)
def test_cells_tile_the_bytes_and_the_shown_text(data, widens_spaces):
    shown = display_text(data, widens_spaces)
    assert (shown.cells[0], shown.cells[-1]) == (0, len(data))
    assert (shown.units[0], shown.units[-1]) == (0, len(shown.text.encode("utf-16-le")) // 2)
    assert (np.diff(shown.cells) > 0).all()
    assert (np.diff(shown.units) > 0).all()
    assert [data[at : at + 1] == b"\t" for at in shown.cells[:-1]] == shown.is_tab.tolist()
    assert len(shown.is_even) == len(shown.is_space) == len(shown.is_tab) == len(shown.cells) - 1


@given(data=TEXTS)
def test_characters_begin_where_decoding_begins_them(data):
    sizes = [len(encode(character)) for character in decode(data)]
    assert np.diff(display_text(data, False).characters).tolist() == sizes


def test_a_family_is_one_cell():
    assert display_text("a👨‍👩‍👧b".encode(), False).cells.tolist() == [0, 1, 19, 20]


@pytest.mark.parametrize("before", ["😀", "👩\u200d🚀", "🇫🇷", "ก", "❤\ufe0f", ""])
def test_a_flag_is_one_cell_after_any_text(before):
    cells = display_text(f"{before}🇩🇪b🇩".encode(), False).cells.tolist()
    assert cells[-4:] == [len(before.encode()) + size for size in (0, 8, 9, 13)]


def test_bytes_and_characters_without_a_picture_become_chips():
    shown = display_text(b"a\x00\xff" + "\u200b".encode(), False)
    assert shown.text == "a□□□"
    assert [(chip.cell, chip.unit, chip.label) for chip in shown.chips] == [
        (1, 1, "00"),
        (2, 2, "FF"),
        (3, 3, "200B"),
    ]


def test_bidi_controls_remain_in_the_text_next_to_their_badges():
    shown = display_text("a\u202eb\u202cc\u200e".encode(), False)
    assert shown.text == "a□\u202eb\u202c□c□\u200e"
    assert [(chip.cell, chip.unit, chip.label) for chip in shown.chips] == [
        (1, 1, "202E"),
        (3, 5, "202C"),
        (5, 7, "200E"),
    ]
    assert shown.cells.tolist() == [0, 1, 4, 5, 8, 9, 12]


def test_what_qt_takes_for_a_mark_of_swapped_bytes_becomes_a_chip():
    shown = display_text("\ufffeab".encode(), False)
    assert (shown.text, shown.chips[0].label) == ("□ab", "FFFE")
    assert shown.cells.tolist() == [0, 3, 4, 5]


def test_private_and_unassigned_characters_become_chips_that_name_them():
    shown = display_text("a\ue000\u0378\u0301🫨\U0010ffff".encode(), False)
    assert shown.text == "a□□\u0301🫨□"
    assert [chip.label for chip in shown.chips] == ["E000", "378", "10FFFF"]
    assert shown.cells.tolist() == [0, 1, 4, 8, 12, 16]


def test_the_flag_of_a_region_is_one_picture():
    england = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    shown = display_text(england.encode(), False)
    assert (shown.text, shown.chips, len(shown.cells)) == (england, (), 2)


def chips_of(text):
    """Each chip with the characters that it stands for."""
    shown = display_text(text.encode(), True)
    cells = [text.encode()[start:end].decode() for start, end in pairwise(shown.cells)]
    assert all(shown.text.encode("utf-16-le")[2 * chip.unit :].startswith(b"\xa1%") for chip in shown.chips)
    return [(cells[chip.cell], chip.label) for chip in shown.chips]


def test_every_invisible_character_between_letters_shows_as_a_chip():
    every = invisible_characters()
    for times, sign in ((1, ""), (3, "×3")):
        runs = [times * character for character in every]
        assert chips_of("a" + "b".join(runs) + "b") == [(run, f"{ord(run[0]):02X}{sign}") for run in runs]


@pytest.mark.parametrize(
    "before", ["", "a", "é", "字", "क\u094d", "ش", "👍🏽", "❤\ufe0f", "  ", "\t", "\x00"]
)
@pytest.mark.parametrize("after", ["", "b", "ش", "  "])
def test_an_invisible_character_shows_as_a_chip_wherever_it_stands(before, after):
    usual = chips_of(before + after)
    for character in invisible_characters()[3 * len(before) + len(after) :: 64]:
        code = f"{ord(character):02X}"
        chip, run = (character, code), (3 * character, f"{code}×3")
        assert [new for new in chips_of(before + character + after) if new not in usual] == [chip]
        assert [new for new in chips_of(before + 3 * character + after) if new not in usual] == [run]


def test_different_invisible_characters_in_a_row_share_a_chip_with_their_number():
    everything = "".join(invisible_characters())
    assert chips_of(f"a{everything}b") == [(everything, f"{len(everything)} hidden")]
    assert chips_of("a\u202e\u2066\u200bb\u2069\u202cc") == [
        ("\u202e\u2066\u200b", "3 hidden"),
        ("\u2069\u202c", "2 hidden"),
    ]


def test_within_an_emoji_there_is_no_chip_unless_the_font_draws_it_in_parts():
    for emoji in ("👩\u200d🚀", "❤\ufe0f", "1\ufe0f\u20e3"):
        assert chips_of(f"a{emoji}b") == []
        assert chips_of(f"a{emoji}\ufe0e\u200d") == [("\ufe0e\u200d", "2 hidden")]
    chips = display_text("👩\u200d🚀".encode(), False, lambda emoji: False).chips
    assert [chip.label for chip in chips] == ["200D"]


def marked_cells(text, column):
    """A string with x for each cell where a column is set."""
    return "".join(".x"[bool(value)] for value in getattr(display_text(text.encode(), False), column))


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
    assert marked_cells(text, "may_turn") == expected
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
