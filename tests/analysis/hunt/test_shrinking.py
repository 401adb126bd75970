"""Shrinking: what comes out still holds, and nothing can be left out."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.hunt.searching import shrunk


def holds_with(pattern: bytes):
    return lambda text: re.search(pattern, text) is not None


def test_only_what_counts_is_left():
    text = "Grüße, I have 1,234.56 good reasons: don'T!".encode()
    assert shrunk(text, holds_with(b"'T")) == b"'T"
    assert shrunk(text, holds_with(rb"\d\d\d")) == b"111"
    assert shrunk(text, holds_with("ü.*:".encode())) == "ü:".encode()


def test_bytes_that_are_no_utf_8_count_as_characters():
    assert shrunk(b"abc\xff\xfedef", holds_with(b"\xfe")) == b"\xfe"


@given(st.text("ab1 .é中", min_size=1, max_size=40), st.data())
def test_no_character_can_be_left_out(text, data):
    part = data.draw(st.sampled_from([text[at : at + 3] for at in range(len(text))]))
    holds = holds_with(re.escape(part.encode()))
    small = shrunk(text.encode(), holds)
    assert small == part.encode()


def test_it_ends_after_so_many_tries():
    tries = []
    shrunk(b"x" * 5000, lambda text: bool(tries.append(text)) or len(text) >= 4999, most_tries=50)
    assert len(tries) == 50
