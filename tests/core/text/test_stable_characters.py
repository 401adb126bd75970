"""Characters that a character map leaves alone: against trying all stretches of them."""

from itertools import product

import numpy as np
import pytest

from guiapp.core.text.charsmap import (
    build_charsmap,
    longest_match,
    open_charsmap,
    plain_bytes,
    stable_characters,
)

MAPS = {
    "voiced": ["か\u3099", "は\u3099", "は\u309a", "！", "\u3000"],
    "accents": ["e\u0301", "é", "e\u0301\u0327", "ж\u0306"],
    "with ASCII": ["한a", "中\n", "\r\n", "b", "ﬁ"],
    "four bytes": ["😀", "文😀", "😀文", "字\u0301字"],
}
CHARACTERS = "aeb\r\nか\u3099\u309aは！éж\u0306\u0301\u0327한中ﬁ文字😀"


def opened(keys):
    return open_charsmap(np.frombuffer(bytearray(build_charsmap(dict.fromkeys(keys, "x"))), np.uint8))


@pytest.mark.parametrize("keys", MAPS.values(), ids=MAPS)
def test_stretches_of_settled_characters_hold_no_key(keys):
    charsmap = opened(keys)
    settled, plain = stable_characters(charsmap), plain_bytes(charsmap)
    stay = [x for x in CHARACTERS if (plain if x < "\x80" else settled)[ord(x) & 0xFFFF] and x < "\U00010000"]
    for stretch in product(stay, repeat=3):
        text = "".join(stretch).encode()
        assert all(longest_match(charsmap, text, at) is None for at in range(len(text))), stretch


@pytest.mark.parametrize("keys", MAPS.values(), ids=MAPS)
def test_no_more_characters_are_unsettled_than_there_is_a_reason_for(keys):
    settled = stable_characters(opened(keys))
    expected = set()
    for key in keys:
        expected |= {key} if len(key) == 1 else set(key[1:])
        expected |= {key[0]} if min(key[1:], default="z") < "\x80" else set()
    unsettled = {chr(code) for code in np.flatnonzero(~settled) if code >= 0x80}
    assert unsettled == {x for x in expected if "\x80" <= x < "\U00010000"}


def test_without_a_map_all_are_settled():
    assert stable_characters(open_charsmap(np.zeros(0, np.uint8)))[0x80:].all()
