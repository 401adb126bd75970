"""Strings are found by their bytes, whatever the strings are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.kernels import string_table
from guiapp.core.kernels.compile import run_interpreted
from guiapp.core.kernels.string_table import StringTable

MODULUS = (1 << 61) - 1


def table_of(texts: list[bytes]) -> StringTable:
    data = np.frombuffer(bytearray(b"".join(texts)), np.uint8)
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    return string_table.build(data, offsets)


@pytest.fixture(params=["compiled", "interpreted"])
def both_ways(request):
    run_interpreted(request.param == "interpreted")
    yield
    run_interpreted(False)


@pytest.mark.usefixtures("both_ways")
def test_every_string_finds_its_row_and_others_find_none():
    texts = [b"", b"a", b"ab", b"abcdef", b"abcdefg", b"abcdefg\0", b"x" * 100, "▁the".encode()]
    rows = string_table.find_all(table_of(texts), [*texts, b"b", b"abcdefgh", b"\0", b"x" * 99])
    assert rows.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1]


@pytest.mark.usefixtures("both_ways")
def test_of_equal_strings_the_first_is_found_and_the_pair_is_named():
    table = table_of([b"one", b"two", b"three", b"two", b"one"])
    assert string_table.find_all(table, [b"one", b"two"]).tolist() == [0, 1]
    assert table.duplicate.tolist() == [1, 3]


def test_an_empty_list_finds_nothing():
    table = table_of([])
    assert string_table.find_all(table, [b"", b"a"]).tolist() == [-1, -1]
    assert table.duplicate.tolist() == [-1, -1]


@given(st.lists(st.binary(max_size=20), unique=True), st.lists(st.binary(max_size=20)))
def test_the_table_agrees_with_a_dict(texts, others):
    rows = {text: row for row, text in enumerate(texts)}
    found = string_table.find_all(table_of(texts), texts + others)
    assert found.tolist() == [rows.get(text, -1) for text in texts + others]


@pytest.mark.parametrize("hash_bytes", [string_table.hash_bytes, string_table._hash_in_halves])
@given(text=st.binary(max_size=30), point=st.integers(1, MODULUS - 1))
def test_the_hash_is_the_polynomial_it_claims_to_be(hash_bytes, text, point):
    words = [text[at : at + 7] for at in range(0, len(text) + 1, 7)]
    values = [int.from_bytes(word, "little") for word in words]
    values[-1] |= 1 << (8 * len(words[-1]))
    expected = 0
    for value in values:
        expected = (expected + value) * point % MODULUS
    expected = (expected ^ (expected >> 32)) * int(string_table.SPREAD) % (1 << 64)
    expected ^= expected >> 29
    with np.errstate(over="ignore"):
        found = hash_bytes(np.frombuffer(text, np.uint8), 0, len(text), np.uint64(point))
    assert int(found) == expected


def test_a_table_of_similar_strings_has_no_long_probe_runs():
    texts = [b"%08d" % number for number in range(50_000)]
    slots = table_of(texts).slots
    gaps = np.flatnonzero(slots < 0)
    assert np.diff(gaps).max() < 200
