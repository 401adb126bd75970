"""Bytes that are not whole characters."""

import pytest

from guiapp.core.tree.partial_characters import begun_characters


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
