"""Bytes named as characters and parts of characters."""

import unicodedata

import pytest

from guiapp.core.explain.characters import CONTROLS, characters_of, n_characters

HAN = "a汉b".encode()  # 61 E6 B1 89 62


@pytest.mark.parametrize(
    ("text", "start", "end", "said"),
    [
        (HAN, 1, 4, "U+6C49 汉 · CJK UNIFIED IDEOGRAPH-6C49"),
        (HAN, 1, 3, "bytes 1–2 of 3 of U+6C49 汉"),
        (HAN, 3, 4, "byte 3 of 3 of U+6C49 汉"),
        (HAN, 2, 3, "byte 2 of 3 of U+6C49 汉"),
        (HAN, 0, 2, "U+0061 a, byte 1 of 3 of U+6C49 汉"),
        (HAN, 3, 5, "byte 3 of 3 of U+6C49 汉, U+0062 b"),
        (HAN, 0, 5, "U+0061 a, U+6C49 汉, U+0062 b"),
        (HAN, 2, 2, ""),
        ("汉武".encode(), 1, 5, "bytes 2–3 of 3 of U+6C49 汉, bytes 1–2 of 3 of U+6B66 武"),
        (b" York", 0, 5, "5 characters"),
        (b" ", 0, 1, "U+0020 · SPACE"),
        (b"\n", 0, 1, "U+000A · LINE FEED"),
        (b"\xe6\xb1", 0, 2, "2 bytes not of valid UTF-8"),
        (b"\xff", 0, 1, "1 byte not of valid UTF-8"),
        (b"abcd\xff", 0, 5, "4 characters, 1 byte not of valid UTF-8"),
        (b"a\xff\xff", 0, 3, "1 character, 2 bytes not of valid UTF-8"),
        ("\u202e".encode(), 0, 3, "U+202E · RIGHT-TO-LEFT OVERRIDE"),
    ],
)
def test_bytes_are_named_as_characters(text, start, end, said):
    assert characters_of(text, start, end) == said


def test_a_huge_stretch_is_counted():
    assert characters_of("é".encode() * 500_000, 0, 1_000_000) == "500,000 characters"


def test_characters_are_counted_by_their_first_bytes():
    assert n_characters(HAN[:4]) == 2
    assert n_characters(HAN[2:]) == 1


def test_names_of_control_characters_are_aliases_of_unicode():
    assert [unicodedata.lookup(name) for name in CONTROLS.values()] == list(CONTROLS)
