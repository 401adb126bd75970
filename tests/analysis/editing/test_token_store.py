"""A gap that moves through the tokens: they read as if they lay in one piece."""

from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp.analysis.editing.token_store import N_TINTS, TokenStore
from guiapp.core.encode.encoding import FragmentTokens

MOST_PLACES = 200  # looked up one by one


def tokens_of(rng: random.Random, count: int, at: int = 0) -> tuple[FragmentTokens, int]:
    """Some tokens that follow each other, a few of them empty or with text between, and where they end."""
    starts, ends = [], []
    for _ in range(count):
        at += rng.choice([0, 0, 0, 2])
        starts.append(at)
        at += rng.choice([0, 1, 3, 3])
        ends.append(at)
    ids = [rng.randrange(9) for _ in range(count)]
    return FragmentTokens(np.array(ids, np.int32), np.array(starts, np.int64), np.array(ends, np.int64)), at


def rows(store: TokenStore, first: int, last: int) -> list[tuple[int, int, int]]:
    ids, starts, ends, _ = store.between(first, last)
    return list(zip(ids.tolist(), starts.tolist(), ends.tolist(), strict=True))


def replace(rng: random.Random, store: TokenStore, expected: list[tuple[int, int, int]]) -> None:
    """Replace some tokens by others, in the store and in a plain list."""
    first = rng.randrange(len(expected) + 1)
    last = rng.randint(first, min(first + 5, len(expected)))
    start = expected[first - 1][2] if first else 0
    new, end = tokens_of(rng, rng.choice([0, 1, 1, 2, 7, 3000]), start)
    shift = end - (expected[last - 1][2] if last else 0)
    store.replace(first, last, new, shift)
    following = [(token_id, start + shift, end + shift) for token_id, start, end in expected[last:]]
    expected[first:] = [*zip(*(column.tolist() for column in new), strict=True), *following]


@pytest.mark.parametrize("seed", range(8))
def test_replacing_tokens_is_like_replacing_rows_of_a_list(seed):
    rng = random.Random(seed)
    tokens, end = tokens_of(rng, rng.choice([0, 1, 50]))
    store = TokenStore(tokens, end)
    expected = rows(store, 0, len(store))
    for _ in range(25):
        if rng.random() < 0.3:
            store.expect_edit(rng.randrange(expected[-1][2] + 2 if expected else 1))
        n_before, n_changes = len(store), store.replaced.n_changes
        replace(rng, store, expected)
        _, _, removed, added = store.replaced
        assert store.replaced.n_changes == n_changes + 1
        assert len(store) == n_before - removed + added
        assert rows(store, 0, len(store)) == expected
        assert store.starts().tolist() == [start for _, start, _ in expected]
        assert store.ends().tolist() == [end for _, _, end in expected]
        some = np.array(rng.sample(range(len(expected)), min(len(expected), MOST_PLACES)), np.int64)
        assert store.starts_of(some).tolist() == [expected[index][1] for index in some]
        first = rng.randrange(len(expected) + 1)
        last = rng.randint(first, len(expected))
        assert rows(store, first, last) == expected[first:last]
        assert store.n_with_text(first, last) == sum(a < b for _, a, b in expected[first:last])
        assert store.ids(first, last).tolist() == [row[0] for row in expected[first:last]]
        if first < last:
            assert store.span(first) == expected[first][1:]
    of_two = [(start, end) for token_id, start, end in expected if token_id in (3, 7) and start < end]
    assert list(zip(*(column.tolist() for column in store.spans_of([3, 7])), strict=True)) == of_two


@pytest.mark.parametrize("seed", range(5))
def test_positions_are_located_on_both_sides_of_the_gap(seed):
    rng = random.Random(seed)
    tokens, end = tokens_of(rng, 40)
    store = TokenStore(tokens, end)
    expected = rows(store, 0, 40)
    replace(rng, store, expected)
    starts, ends = np.array([row[1] for row in expected]), np.array([row[2] for row in expected])
    for position in range(end + 1):
        assert store.first_from(position) == np.searchsorted(starts, position)
        assert store.first_after(position) == np.searchsorted(starts, position, "right")
        assert store.first_ending_from(position) == np.searchsorted(ends, position)
        assert store.first_ending_after(position) == np.searchsorted(ends, position, "right")
        assert store.ends_at(position) == (position in ends)
        last = rng.randint(position, end)
        inside = np.searchsorted(ends, position, "right"), np.searchsorted(starts, last)
        assert store.indexes_in(position, last) == inside
        check_neighbours(store, expected, position)
    for token_id in range(10):
        n_times = sum(row[0] == token_id for row in expected)
        assert store.count(token_id) == n_times
        assert store.has_id(token_id) == (n_times > 0)


def check_neighbours(store, expected, position):
    """What lies at and beside a position, by the letter."""
    spans = [row[1:] for row in expected]
    begins = [start for start, _ in spans if start >= position]
    assert store.first_start_from(position, -7) == (begins[0] if begins else -7)
    assert store.last_end_until(position) == max((end for _, end in spans if end <= position), default=0)
    before = [span for span in spans if span[0] < position][-1:]
    enclosing = [span for span in before if span[1] > position]
    assert store.covering(position) == (enclosing[0] if enclosing else None)
    following = next((span for span in spans if span[0] >= position), None)
    assert store.has_empty_at(position) == (following == (position, position))


def test_only_tokens_that_are_there_are_given():
    store = TokenStore(FragmentTokens(np.array([4, 5], np.int32), np.array([0, 1]), np.array([1, 3])), 3)
    for _ in range(2):
        assert rows(store, -3, 9) == [(4, 0, 1), (5, 1, 3)]
        assert store.ids(-3, 9).tolist() == [4, 5]
        assert rows(store, 1, 1) == []
        assert store.between(0, 2).tints.tolist() == [0, 1]
        store.expect_edit(1)


@pytest.mark.parametrize("seed", range(20))
def test_neighbours_differ_in_tint_and_an_edit_leaves_the_others_alone(seed):
    rng = random.Random(seed)
    tokens, end = tokens_of(rng, 30)
    store = TokenStore(tokens, end)
    expected = rows(store, 0, 30)
    for _ in range(50):
        before = store.between(0, len(store)).tints.tolist()
        first = rng.randrange(len(expected) + 1)
        last = rng.randint(first, min(first + 3, len(expected)))
        new, _ = tokens_of(rng, rng.choice([0, 1, 2]), 0)
        store.replace(first, last, new, 0)
        expected[first:last] = [(0, 0, 0)] * len(new.ids)
        tints = store.between(0, len(store)).tints
        assert (np.diff(tints.astype(int)) != 0).all()
        assert tints.max(initial=0) < N_TINTS
        assert tints.tolist()[: max(first - 1, 0)] == before[: max(first - 1, 0)]
        assert tints.tolist()[first + len(new.ids) :] == before[last:]
