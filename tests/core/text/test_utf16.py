"""UTF-16 is told from what a tokenizer reads, and becomes the same text in UTF-8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.text.utf16 import MARK, utf8_from, utf16_codec

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
def test_utf16_without_a_bom_is_detected_by_its_nuls(codec):
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


def test_unpaired_surrogates_become_replacement_characters():
    assert utf8_from(b"\xff\xfea\0\x00\xd8b\0c", "utf-16-le") == "a\ufffdb\ufffd".encode()
