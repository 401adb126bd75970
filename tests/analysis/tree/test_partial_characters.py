"""Bytes that are not whole characters."""

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.trials import (
    begun_characters,
    broken_tokens,
    completions,
    open_ends,
    possible_codes,
)


@pytest.mark.parametrize(
    ("data", "begun"),
    [
        (b"\xe5", "倀–忿"),
        (b"\xe5\xa4", "夀–夿"),
        (b" \xe5\xa4", "夀–夿"),
        ("大".encode(), ""),
        (b"\xf0\x9f\x98", "😀–😿"),
        (b"\xc3", "À–ÿ"),
        (b"a", ""),
        (b"", ""),
        (b"\xa4", ""),
    ],
)
def test_part_of_a_character_tells_what_it_may_become(data, begun):
    assert begun_characters(data) == begun


def test_no_part_of_a_character_begins_with_what_cannot_be_seen():
    for lead in range(0xC0, 0x100):
        for part in (bytes([lead]), bytes([lead, 0x80]), bytes([lead, 0xBF]), bytes([lead, 0xA0, 0x80])):
            assert begun_characters(part).replace("–", "").isprintable()


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (b"\xf4", range(0x100000, 0x110000)),
        (b"\xe5", range(0x5000, 0x6000)),
        (b"\xe5\xa4", range(0x5900, 0x5940)),
        ("夀".encode(), range(0x5900, 0x5901)),
        (b"a", range(0x61, 0x62)),
    ],
)
def test_characters_that_begin_with_some_bytes_are_a_range(data, codes):
    assert possible_codes(data) == codes


@pytest.mark.parametrize(
    ("data", "ends"),
    [
        (b"", (b"", b"")),
        (b"a", (b"", b"")),
        (b"\xa4\x80a\xe5", (b"\xa4\x80", b"\xe5")),
        (b"\xa4\x80", (b"\xa4\x80", b"")),
        (b"\xe5\xa4", (b"", b"\xe5\xa4")),
        (b"\xf0\x9f\x98", (b"", b"\xf0\x9f\x98")),
        ("a🚀".encode(), (b"", b"")),
        ("大".encode(), (b"", b"")),
    ],
)
def test_open_ends_are_what_lacks_bytes(data, ends):
    assert open_ends(data) == ends


@pytest.mark.parametrize(
    "data", [b"a", b"\xe5", b"\xa4", b"\x80a\xf0", b"\x9f\x98\x80", b"\xe5\xa4", b"\xbf\xbf"]
)
def test_completions_are_texts_that_hold_the_bytes(data):
    texts = completions(data)
    assert texts
    assert len(set(texts)) == len(texts)
    for text in texts:
        before, _, behind = text.partition(data)
        assert len(before) < 4
        assert len(behind) < 4
        assert text.decode().encode() == text


@pytest.mark.parametrize("data", [b"\xff", b"a\xffb", b"\x80" * 4, b"\xc0", b"a\x80\x80b"])
def test_what_is_in_no_text_cannot_be_completed(data):
    assert completions(data) == []


def test_broken_tokens_are_those_that_are_no_text_on_their_own():
    tokens = [b"a", b"\xe5", "大".encode(), b"a\x80", b"", b"\xff\xff", "é".encode()]
    assert broken_tokens(toy_vocabulary(dict.fromkeys(tokens, 0.0)).token_tree).tolist() == [1, 3, 5]
