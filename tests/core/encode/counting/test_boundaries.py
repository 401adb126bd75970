"""Where texts may be divided."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.encode.counting.chunks import LEVELS, boundaries


def parts(text, level):
    data = text if isinstance(text, bytes) else text.encode()
    offsets = [0, *boundaries(data, level).tolist()]
    return [data[start:end].decode("utf-8", "replace") for start, end in pairwise(offsets)]


@pytest.mark.parametrize(
    ("level", "text", "expected"),
    [
        ("line", "a\r\nb\n\nc\rd", ["a\r\n", "b\n", "\n", "c\r", "d"]),
        ("word", "one  two\nthree\u3000four ", ["one", "  two", "\nthree", "\u3000four", " "]),
        (
            "sentence",
            "It costs 3.50. “Really?” Yes... no",
            ["It costs 3.50.", " “Really?”", " Yes...", " no"],
        ),
        ("sentence", "今日は。「はい！」と言う", ["今日は。", "「はい！」", "と言う"]),
        ("sentence", "A heading\n \nThe text", ["A heading", "\n \nThe text"]),
        ("character", "aé汉🚀", ["a", "é", "汉", "🚀"]),
        ("character", b"a\xe6\xb1\xff", ["a", "\ufffd", "\ufffd", "\ufffd"]),
    ],
)
def test_parts_are_what_readers_expect(level, text, expected):
    assert parts(text, level) == expected


@given(text=st.binary() | st.text(alphabet="ab \n\r.!?。”\u3000é").map(str.encode))
@pytest.mark.parametrize("level", LEVELS)
def test_boundaries_rise_to_the_end_and_lie_between_characters(level, text):
    offsets = boundaries(text, level).tolist()
    assert offsets == sorted(set(offsets))
    assert offsets[-1:] == ([len(text)] if text else [])
    assert 0 not in offsets
    assert set(offsets) <= set(boundaries(text, "character").tolist())


@given(st.text("a\x7f\x80\u07ff\u0800\uffff\U00010000😀\udc80\udcff"))
def test_characters_end_where_their_bytes_end(text):
    data = text.encode("utf-8", "surrogateescape")
    sizes = [len(each.encode("utf-8", "surrogateescape")) for each in data.decode("utf-8", "surrogateescape")]
    assert boundaries(data, "character").tolist() == list(accumulate(sizes))


def test_a_long_run_of_marks_takes_no_time():
    assert parts("." * 1_000_000 + "x", "sentence") == ["." * 1_000_000 + "x"]
