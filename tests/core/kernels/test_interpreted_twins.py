"""What stands in for a kernel while nothing is compiled does exactly what the kernel does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from guiapp.core.kernels import byte_trie, gguf_strings, merges, string_table
from guiapp.core.kernels.compile import NEVER_COMPILED, Kernel, declared_kernels, is_interpreted
from guiapp.core.kernels.merges import MergeArrays
from guiapp.core.kernels.string_table import StringTable

TEXTS = st.lists(st.binary(max_size=4) | st.text("ab \0é", max_size=12).map(str.encode), max_size=30)
MERGES = st.lists(st.text("ab é", max_size=6).map(str.encode), max_size=30)
SYMBOLS = st.integers(-2, 9)
RULES = st.lists(st.tuples(SYMBOLS, SYMBOLS, st.integers(0, 99), st.integers(0, 9)), max_size=40)
SYMBOL_LENGTHS = np.array([1] * 0xC0 + [2] * 0x20 + [3] * 0x10 + [4] * 0x10, np.uint8)
TESTED = {
    byte_trie.insert_all,
    byte_trie.link,
    gguf_strings.count_unsplittable,
    gguf_strings.measure,
    gguf_strings.pack,
    gguf_strings.scan,
    merges.enter_merges,
    merges.resolve_merges,
    merges.split_tokens,
    string_table._fill,
    string_table._find_rows,
}


def same(kernel: Kernel[..., Any], *arguments: Any) -> list[Any]:
    """Run kernel and twin, which must return and write the same; the arguments as they are afterwards."""
    of_kernel, of_twin = ([_copied(each) for each in arguments] for _ in range(2))
    with np.errstate(over="ignore"):
        assert kernel.interpreted(*of_twin) == kernel.function(*of_kernel)
    for expected, found in zip(of_kernel, of_twin, strict=True):
        np.testing.assert_equal(found, expected)
    return of_kernel


def _copied(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return type(argument)(*map(_copied, argument))
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def joined(texts: list[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return np.frombuffer(bytearray(b"".join(texts)), np.uint8), np.cumsum([0, *map(len, texts)])


def filled(texts: list[bytes]) -> StringTable:
    data, offsets = joined(texts)
    n_slots = 1 << max(4, (2 * len(texts) - 1).bit_length())
    empty = StringTable(
        slots=np.full(n_slots, -1, np.int32),
        hashes=np.zeros(len(texts), np.uint64),
        data=data,
        offsets=offsets,
        point=np.array([1 << 60 | 12345], np.uint64),
        duplicate=np.full(2, -1, np.int64),
    )
    return same(string_table._fill, empty)[0]


def empty_columns(size: int) -> list[NDArray[Any]]:
    return [*(np.full(size, 7, np.int32) for _ in range(3)), np.full(size, 7, np.int64)]


def test_all_twins_are_tested_here():
    twins = {each for each in declared_kernels() if each.interpreted is not each.function}
    assert twins == (set() if NEVER_COMPILED else TESTED)


@pytest.mark.skipif(is_interpreted(), reason="tests without numba run the kernels themselves")
def test_a_twin_runs_where_nothing_is_compiled(interpreted_kernels, monkeypatch):
    monkeypatch.setattr(gguf_strings.count_unsplittable, "interpreted", lambda data, offsets: "the twin")
    assert gguf_strings.count_unsplittable(*joined([b"a"])) == "the twin"


@given(TEXTS, st.booleans(), st.integers(0, 9), st.integers(0, 3))
def test_strings_are_found_measured_and_packed(texts, name_empty, missing, first):
    data = np.frombuffer(
        bytearray(b"".join(len(each).to_bytes(8, "little") + each for each in texts)), np.uint8
    )
    rows = [np.full(len(texts), 7, np.int64) for _ in range(2)]
    same(gguf_strings.scan, data, len(data) - missing, 0, min(first, len(texts)), *rows)
    *_, starts, lengths = same(gguf_strings.scan, data, len(data), 0, 0, *rows)
    offsets = np.empty(len(texts) + 1, np.int64)
    offsets = same(gguf_strings.measure, data, starts, lengths, name_empty, offsets)[-1]
    packed = np.zeros(int(offsets[-1]), np.uint8)
    same(gguf_strings.pack, data, starts, lengths, offsets, packed)


@pytest.mark.parametrize("length", [5, 1 << 32, (1 << 64) - 1])
def test_a_string_that_claims_too_much_is_not_found(length):
    data = np.frombuffer(bytearray(length.to_bytes(8, "little") + b"four"), np.uint8)
    same(gguf_strings.scan, data, len(data), 0, 0, np.zeros(1, np.int64), np.zeros(1, np.int64))


@given(MERGES)
def test_merges_without_two_sides_are_counted(texts):
    same(gguf_strings.count_unsplittable, *joined(texts))


@given(TEXTS, TEXTS)
def test_strings_are_entered_and_looked_up(texts, others):
    data, offsets = joined(texts + others)
    same(string_table._find_rows, filled(texts), data, offsets, np.zeros(len(offsets) - 1, np.int32))


@given(TEXTS, MERGES)
def test_merges_are_resolved(texts, rules):
    same(merges.resolve_merges, filled(texts), *joined(rules), *empty_columns(len(rules)))


@given(RULES, st.integers(1 << 61, (1 << 62) - 1))
def test_rules_are_entered(rules, spread):
    columns = np.array(rules, np.int32).reshape(-1, 4).T.copy()
    n_slots = 1 << max(4, (2 * len(rules) - 1).bit_length())
    same(merges.enter_merges, MergeArrays(np.full(2 * n_slots, -1, np.int64), spread | 1), *columns)


@given(TEXTS)
def test_tokens_are_split(texts):
    table = filled(texts)
    same(merges.split_tokens, table, SYMBOL_LENGTHS, *empty_columns(len(table.data)))


@given(TEXTS, st.booleans(), st.integers(1, 120))
def test_tries_are_built_and_linked(texts, backwards, room):
    n_slots = 256
    data, offsets = joined(texts)
    ids = np.arange(len(texts), dtype=np.int32)[::-1].copy()
    made: list[Any] = [
        np.full(n_slots, byte_trie.FREE, np.int64),
        np.full(n_slots + 1, byte_trie.NONE, np.int32),
    ]
    made += [np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(len(texts), np.int32)]
    *_, edges, tokens, nodes, depths, _ = same(byte_trie.insert_all, data, offsets, ids, backwards, *made)
    n_nodes = np.count_nonzero(edges != byte_trie.FREE)
    order = nodes[:n_nodes][np.argsort(depths[:n_nodes], kind="stable")]
    failures = np.full(n_slots + 1, n_slots, np.int32)
    same(byte_trie.link, edges, tokens, order, failures, np.full(len(texts), byte_trie.NONE, np.int32))
