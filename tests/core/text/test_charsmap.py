"""Character maps: longest match, and damage that is found when they are opened."""

import struct
from itertools import product

import numpy as np
import pytest
from arrays import as_array

from guiapp.core.text.charsmap import (
    build_charsmap,
    longest_match,
    open_charsmap,
    plain_bytes,
    stable_characters,
)

MAP = {"ﬁ": "fi", "e\u0301": "é", "e\u0301\u0301": "E", "\t": " ", "\r": " ", "\r\n": " ", "x": ""}


def opened(data):
    return open_charsmap(as_array(data))


def changed(index, value):
    """The map with another value in one of its units."""
    data = bytearray(build_charsmap(MAP))
    struct.pack_into("<I", data, 4 + 4 * index, value)
    return data


def used_units():
    data = build_charsmap(MAP)
    (size,) = struct.unpack_from("<I", data)
    units = struct.unpack_from(f"<{size // 4}I", data, 4)
    return [(index, unit) for index, unit in enumerate(units) if unit]


def test_plain_bytes_start_no_key_before_ascii():
    charsmap = opened(build_charsmap({**MAP, "ab": "c"}))
    is_plain = plain_bytes(charsmap)
    for first in range(0x80):
        continuations = [bytes([first, second]) for second in range(0x80)]
        assert is_plain[first] == all(longest_match(charsmap, text, 0) is None for text in continuations), (
            first
        )
    assert not is_plain[0x80:].any()
    assert plain_bytes(opened(b"")).sum() == 0x80


@pytest.mark.parametrize(
    ("replacements", "growth"),
    [({"ab": "c"}, 1), ({"ﷺ": "a b c d e "}, 10 / 3), ({"a": "éé", "ﷺ": "abcd"}, 2), ({"x": ""}, 1)],
)
def test_how_far_a_map_lets_a_text_grow_is_known(replacements, growth):
    assert opened(build_charsmap(replacements)).growth == pytest.approx(growth)


def test_bytes_that_are_always_a_space_are_known():
    spaces = opened(build_charsmap(MAP)).spaces
    assert np.flatnonzero(spaces).tolist() == [ord("\t"), ord(" ")]


def test_no_map_changes_nothing():
    assert longest_match(opened(b""), b"x", 0) is None


@pytest.mark.parametrize(
    "data", [b"\0", b"\0\0\0", b"\4\0\0\0", b"\4\0\0\0aaaa", b"\xff\xff\xff\xff" + bytes(900)]
)
def test_a_wrong_header_is_refused(data):
    with pytest.raises(ValueError, match="is too short"):
        opened(data)


def test_a_root_outside_of_the_table_is_refused():
    with pytest.raises(ValueError, match="outside"):
        opened(changed(0, 0x7FFFFFFF))


def test_a_replacement_outside_is_left_out():
    values = [index for index, unit in used_units() if unit & 0x80000000]
    assert values
    for index in values:
        charsmap = opened(changed(index, 0x80000000 | 0xFFFF))
        assert "replacement" in charsmap.damage
        result = [longest_match(charsmap, text.encode(), 0) for text in MAP]
        pairs = [(match[0].decode(), match[1]) if match else None for match in result]
        assert (
            sum(pair != (MAP[text], len(text.encode())) for pair, text in zip(pairs, MAP, strict=True)) == 1
        )


def test_a_replacement_without_an_end_is_left_out():
    charsmap = opened(build_charsmap({"x": "y"}).rstrip(b"\0"))
    assert "has no end" in charsmap.damage
    assert longest_match(charsmap, b"x", 0) is None


def test_a_map_that_leads_in_a_circle_ends_somewhere():
    units = np.zeros(512, "<u4")
    units[ord("a")] = ord("a") | ord("a") << 10
    units[0] = 0
    data = struct.pack("<I", units.nbytes) + units.tobytes() + b"y\0"
    charsmap = opened(data)
    assert charsmap.has_long_keys
    assert longest_match(charsmap, b"a" * 5000, 0) is None


@pytest.mark.parametrize("name", ["chain", "maze"])
def test_a_large_map_of_one_long_key_is_searched(name):
    n_bases = 8_000
    bases = np.arange(1, n_bases)[:, None] * 256
    labels = np.arange(1, 2 if name == "chain" else 256)
    goals = bases + 256 if name == "chain" else np.random.default_rng(1).permutation(bases)
    units = np.zeros(256 * (n_bases + 1), np.int64)
    units[0] = 256 << 10
    nodes = bases ^ labels
    units[nodes] = np.where(nodes ^ goals < 1 << 21, (nodes ^ goals) << 10, 0) | labels
    data = struct.pack("<I", 4 * len(units)) + units.astype("<u4").tobytes() + b"y\0"
    assert opened(data).has_long_keys


@pytest.mark.parametrize("seed", range(30))
def test_random_damage_is_refused_or_harmless(seed):
    rng = np.random.default_rng(seed)
    data = bytearray(build_charsmap(MAP))
    for position in rng.integers(4, len(data), 40):
        data[position] = int(rng.integers(256))
    try:
        charsmap = opened(data)
    except ValueError:
        return
    text = "".join(MAP).encode() * 2
    for at in range(len(text)):
        result = longest_match(charsmap, text, at)
        assert result is None or (b"\0" not in result[0] and 0 < result[1] <= len(text) - at)


MAPS = {
    "voiced": ["か\u3099", "は\u3099", "は\u309a", "！", "\u3000"],
    "accents": ["e\u0301", "é", "e\u0301\u0327", "ж\u0306"],
    "with ASCII": ["한a", "中\n", "\r\n", "b", "ﬁ"],
    "four bytes": ["😀", "文😀", "😀文", "字\u0301字"],
}
CHARACTERS = "aeb\r\nか\u3099\u309aは！éж\u0306\u0301\u0327한中ﬁ文字😀"


def opened_of_stable_characters(keys):
    return open_charsmap(np.frombuffer(bytearray(build_charsmap(dict.fromkeys(keys, "x"))), np.uint8))


@pytest.mark.parametrize("keys", MAPS.values(), ids=MAPS)
def test_runs_of_stable_characters_contain_no_key(keys):
    charsmap = opened_of_stable_characters(keys)
    stable, plain = stable_characters(charsmap), plain_bytes(charsmap)
    unchanged = [
        x for x in CHARACTERS if (plain if x < "\x80" else stable)[ord(x) & 0xFFFF] and x < "\U00010000"
    ]
    for run in product(unchanged, repeat=3):
        text = "".join(run).encode()
        assert all(longest_match(charsmap, text, at) is None for at in range(len(text))), run


@pytest.mark.parametrize("keys", MAPS.values(), ids=MAPS)
def test_characters_are_unstable_only_for_a_reason(keys):
    stable = stable_characters(opened_of_stable_characters(keys))
    expected = set()
    for key in keys:
        expected |= {key} if len(key) == 1 else set(key[1:])
        expected |= {key[0]} if min(key[1:], default="z") < "\x80" else set()
    unstable = {chr(code) for code in np.flatnonzero(~stable) if code >= 0x80}
    assert unstable == {x for x in expected if "\x80" <= x < "\U00010000"}


def test_all_characters_are_stable_without_a_map():
    assert stable_characters(open_charsmap(np.zeros(0, np.uint8)))[0x80:].all()
