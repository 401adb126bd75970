"""The table is read back here as TOKENIZATION 2.7 describes the format, unit by unit."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.training.charsmap import build_charsmap

TEXTS = st.text("abcdeé世\U0001f680", min_size=1, max_size=4)


def longest_match(table: bytes, text: bytes) -> tuple[int, bytes] | None:
    """Length of the longest source at the start of the text, and its replacement."""
    (size,) = struct.unpack_from("<I", table)
    units = struct.unpack_from(f"<{size // 4}I", table, 4)
    texts = table[4 + size :]
    found = None
    node = base(units[0])
    for length, byte in enumerate(text, start=1):
        node ^= byte
        if units[node] & 0x800000FF != byte:
            break
        has_value = units[node] >> 8 & 1
        node ^= base(units[node])
        if has_value:
            start = units[node] & 0x7FFFFFFF
            found = length, texts[start : texts.index(b"\0", start)]
    return found


def base(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


@pytest.mark.parametrize("rules", [{"": "a"}, {"a\0": "b"}, {"a": "b\0"}])
def test_what_the_format_cannot_say_is_refused(rules):
    with pytest.raises(ValueError, match="cannot map"):
        build_charsmap(rules)


@given(st.dictionaries(TEXTS, st.text("xyz", max_size=3), min_size=1, max_size=30), TEXTS)
def test_matching_agrees_with_the_rules(rules, text):
    fitting = [source for source in rules if text.startswith(source)]
    longest = max(fitting, key=len, default=None)
    expected = None if longest is None else (len(longest.encode()), rules[longest].encode())
    assert longest_match(build_charsmap(rules), text.encode()) == expected


@given(st.binary(min_size=1, max_size=6))
def test_no_byte_leads_out_of_the_array(text):
    rules = {"ab": "x", "é": "e", "\U0001f680": "r"}
    found = longest_match(build_charsmap(rules), text)
    expected = [
        (len(key.encode()), to.encode()) for key, to in rules.items() if text.startswith(key.encode())
    ]
    assert found == (expected[0] if expected else None)
