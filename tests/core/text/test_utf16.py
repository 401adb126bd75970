"""UTF-16 is told from what a tokenizer reads, and becomes the same text in UTF-8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.utf16 import MARK, TELLING_BYTES, as_utf8, utf8_from, utf16_codec

TEXT = "Größe 10 μm, 世界 😀\n"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@given(text=st.text())
def test_a_text_with_a_mark_becomes_the_same_in_utf_8(codec, text):
    data = (MARK + text).encode(codec, "surrogatepass")
    if text.startswith("\0") and codec == "utf-16-le":
        return  # the mark of UTF-32
    assert utf16_codec(data) == codec
    if text.isprintable():
        assert utf8_from(data, codec) == text.encode()


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_text_without_a_mark_is_told_by_its_nuls(codec):
    data = TEXT.encode(codec)
    assert utf16_codec(data) == codec
    assert utf8_from(data, codec) == TEXT.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"a\0b\0",
        b"plain text",
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        b"cells\0of\0find\0-print0\0",
        bytes(100),
        b"\xff\xfe\x00\x00" + TEXT.encode("utf-32-le"),
        TEXT.encode("utf-32-le"),
    ],
)
def test_other_bytes_are_not_taken_for_utf_16(data):
    assert utf16_codec(data) is None


def test_only_the_beginning_is_looked_at():
    assert utf16_codec(b"x" * TELLING_BYTES + "words of UTF-16".encode("utf-16-le") * 1000) is None


def test_halves_of_characters_are_told_as_such():
    assert utf8_from(b"\xff\xfea\0\x00\xd8b\0c", "utf-16-le") == "a\ufffdb\ufffd".encode()


@pytest.mark.parametrize(
    ("units", "is_told"),
    [
        ("abcd", True),
        ("abc", False),
        ("abcd世界世界", True),
        ("abcd世界世界世", False),
        ("ab世界", True),
        ("abcdefgh" + "\u0100", True),
        ("abcdefgh" + "\u0100" * 2, False),
        ("a" * 16 + "\u0100" * 2, True),
        ("a" * 16 + "\u0100" * 3, False),
    ],
)
def test_half_of_the_units_have_a_nul_in_the_same_place_and_few_in_the_other(units, is_told):
    for codec in ("utf-16-le", "utf-16-be"):
        data = units.encode(codec)
        assert utf16_codec(data) == (codec if is_told else None)
        assert as_utf8(data) == (units.encode() if is_told else data)
        assert as_utf8((MARK + units).encode(codec)) == units.encode()


def test_an_odd_byte_at_the_end_is_no_unit():
    assert utf16_codec(b"a\0b\0c\0d") is None
    assert utf16_codec(b"a\0b\0c\0d\0e") == "utf-16-le"
