"""Changes from one list of ids to another are right, and as few as a plain table finds."""

import time
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.compare import id_changes as module
from guiapp.analysis.compare.id_changes import (
    ANCHOR,
    IdChanges,
    changes_after_edits,
    counterpart,
    id_changes,
    longest_increasing,
)


def ids(values):
    return np.array(values, np.int32)


def applied(result: IdChanges) -> list[int]:
    """The second list, made of the first one and the changes alone."""
    made, at = [], 0
    for change in result.changes:
        made += result.first[at : change.first_start].tolist()
        made += result.second[change.second_start : change.second_end].tolist()
        at = change.first_end
    return made + result.first[at:].tolist()


def longest_common(first, second):
    """The length by the textbook's table."""
    row = [0] * (len(second) + 1)
    for one in first:
        before = row
        row = [0]
        for place, other in enumerate(second):
            row.append(before[place] + 1 if one == other else max(row[-1], before[place + 1]))
    return row[-1]


def assert_is_right(result):
    assert applied(result) == result.second.tolist()
    assert result.n_unchanged + result.n_inserted == len(result.second)
    for change, following in pairwise(result.changes):
        assert change.first_end < following.first_start
        assert change.second_end < following.second_start
    n_common = 0
    for one, other in zip(result.first, result.second, strict=False):
        if one != other:
            break
        n_common += 1
    assert result.n_common == n_common


FEW_IDS = st.lists(st.integers(0, 4), max_size=24)


@given(FEW_IDS, FEW_IDS)
def test_the_changes_are_right_and_the_least(first, second):
    result = id_changes(ids(first), ids(second))
    assert_is_right(result)
    assert result.n_unchanged == longest_common(first, second)
    assert result.is_whole


EDITS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 24), st.integers(0, 9), FEW_IDS), max_size=6)


@pytest.mark.parametrize("table", [0, 1 << 16])
@given(FEW_IDS, FEW_IDS, EDITS)
def test_changes_are_updated_after_edits_of_both_lists(table, first, second, edits):
    result = id_changes(ids(first), ids(second))
    lists = [first, second]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "QUICK_TABLE", table)
        for side, start, removed, added in edits:
            lists[side] = [*lists[side][:start], *added, *lists[side][start + removed :]]
            result = changes_after_edits(result, *map(ids, lists))
            assert_is_right(result)
    assert [result.first.tolist(), result.second.tolist()] == lists


def test_an_edit_far_from_all_changes_leaves_them_alone():
    result = id_changes(ids([1, 2, 3, 4, 5, 6]), ids([1, 9, 3, 4, 5, 6]))
    edited = changes_after_edits(result, ids([1, 2, 3, 4, 5, 5, 6]), result.second)
    assert edited.changes == ((1, 2, 1, 2), (5, 6, 5, 5))
    assert edited.is_whole


@given(FEW_IDS, FEW_IDS)
def test_the_counterpart_of_an_unchanged_token_is_equal(first, second):
    result = id_changes(ids(first), ids(second))
    for side, own, other in ((0, first, second), (1, second, first)):
        changed = {at for row in result.rows.tolist() for at in range(*row[2 * side : 2 * side + 2])}
        places = [counterpart(result.rows, side, at) for at in range(len(own) + 1)]
        assert places == sorted(places)
        assert places[-1] == len(other)
        for at in set(range(len(own))) - changed:
            assert other[places[at]] == own[at]


RUNS = [tuple(range(start, start + ANCHOR + 3)) for start in (100, 200, 300)]
LONG = st.lists(st.sampled_from([*RUNS, (1,), (2,), (1, 2)]), max_size=8)


@pytest.mark.parametrize("table", [0, 1, 60])
@given(first=LONG, second=LONG)
def test_long_lists_are_compared_between_segments_unique_in_both(table, first, second):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGEST_TABLE", table)
        result = id_changes(*(ids(list(chain(*each))) for each in (first, second)))
    assert_is_right(result)
    if any(first.count(run) == second.count(run) == 1 for run in RUNS):
        assert result.n_unchanged >= ANCHOR


def test_a_segment_too_long_for_a_table_counts_as_wholly_changed(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_TABLE", 8)
    result = id_changes(ids([9, 1, 2, 3, 4, 8]), ids([9, 4, 3, 2, 1, 8]))
    assert result.changes == ((1, 5, 1, 5),)
    assert not result.is_whole


def test_a_hundred_thousand_tokens_with_many_edits_take_no_minutes():
    chance = np.random.default_rng(1)
    first = np.minimum(chance.zipf(1.2, 100_000), 50_000).astype(np.int32)
    second = np.delete(first, chance.integers(0, len(first), 300))
    second[chance.integers(0, len(second), 300)] = 7
    started = time.process_time()
    result = id_changes(first, second)
    assert time.process_time() - started < 20
    assert_is_right(result)
    assert result.is_whole
    assert result.n_inserted <= 300


@given(st.lists(st.integers(-50, 50), unique=True, max_size=9))
def test_no_increasing_subsequence_is_longer(values):
    result = longest_increasing(np.array(values, np.int64)).tolist()
    assert result == sorted(result)
    chosen = [values[place] for place in result]
    assert chosen == sorted(chosen)
    assert not any(list(each) == sorted(each) for each in combinations(values, len(result) + 1))
