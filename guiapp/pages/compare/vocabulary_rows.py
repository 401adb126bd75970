"""Which tokens or merge rules of two vocabularies are listed: those of a group, that a search finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.vocabularies import VocabularyComparison
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list import filters
from guiapp.kit.state.background import Progress

Rows = NDArray[np.int32]
Numbers = NDArray[np.int64]
ABSENT = -1  # in a row: the other one has it
FIRST, SECOND = 0, 1
Sides = tuple[int | None, int | None]
"""A token or a rule in both vocabularies, None where one has it not."""


class RowGroup(NamedTuple):
    """Tokens or merge rules with something in common.

    rows  int32[n, 2]: their ids in both vocabularies, or the places of rules, ABSENT where one has none
    """

    name: str
    title: str
    is_rules: bool
    rows: Callable[[VocabularyComparison], Rows]


class RowFilter(NamedTuple):
    """What is listed; script and length as the columns of `by_script` and `by_length`, None for all."""

    group: str = "all"
    script: int | None = None
    length: int | None = None
    query: str = ""


class FilteredRows(NamedTuple):
    """What a filter leaves of a group, or why it cannot be told."""

    filter: RowFilter
    rows: Rows
    problem: str = ""


def listed(comparison: VocabularyComparison, requested: RowFilter, progress: Progress) -> FilteredRows:
    """The rows for a filter, with a search the nearest first; a query that cannot be is the problem."""
    group = GROUPS[requested.group]
    rows = group.rows(comparison)
    tokens = tokens_of(comparison, group, rows)
    for value, of_tokens in ((requested.script, comparison.scripts), (requested.length, comparison.lengths)):
        if value is not None:
            kept = _of_either(tokens, of_tokens) == value
            rows, tokens = rows[kept], tokens[kept]
    if not requested.query:
        return FilteredRows(requested, rows)
    try:
        far = _far(comparison, requested.query, progress)
    except QueryError as error:
        return FilteredRows(requested, rows[:0], str(error))
    nearness = np.min([_taken(each, tokens[:, side]) for side, each in enumerate(far)], axis=0)
    if group.is_rules:
        nearness = np.minimum(nearness, _nearness_of_sides(comparison, rows, far))
    order = np.argsort(nearness, kind="stable")
    return FilteredRows(requested, rows[order[nearness[order] < NOT_FOUND]])


def tokens_of(comparison: VocabularyComparison, group: RowGroup, rows: Rows) -> Rows:
    """The tokens that stand in some rows, or that their rules make; ABSENT also for what is no token."""
    if not group.is_rules or not len(rows):
        return rows
    made = [
        np.where(rows[:, side] < 0, ABSENT, comparison.listed_rules[side][rows[:, side], 3])
        for side in (0, 1)
    ]
    sizes = [len(each.vocabulary) for each in comparison.tokenizers]
    return np.stack([np.where(each < size, each, ABSENT) for each, size in zip(made, sizes, strict=True)], 1)


def token_of(comparison: VocabularyComparison, group: RowGroup, row: tuple[int, int]) -> Sides:
    """The same for one row, None for ABSENT."""
    first, second = tokens_of(comparison, group, np.array([row], np.int32))[0].tolist()
    return (None if first < 0 else first), (None if second < 0 else second)


NOT_FOUND = 99


def _far(comparison: VocabularyComparison, query: str, progress: Progress) -> list[Numbers]:
    """For the tokens of both how far they are from a filter, NOT_FOUND for most.

    Raises QueryError where it can be asked of neither.
    """
    far, problems = [], []
    for figures in comparison.figures:
        of_tokens = np.full(len(figures), NOT_FOUND, np.int64)
        try:
            tokens = np.flatnonzero(filters.fitting(figures, query, progress)).astype(np.int32)
            of_tokens[tokens] = filters.distances(figures, query, tokens)
        except QueryError as error:
            problems.append(error)
        far.append(of_tokens)
    if len(problems) == len(far):
        raise problems[0]
    return far


def _nearness_of_sides(comparison: VocabularyComparison, rows: Rows, far: list[Numbers]) -> Numbers:
    """How near the nearer of the tokens is that a rule joins; behind all rules that make what is sought."""
    nearest = np.full(len(rows), NOT_FOUND, np.int64)
    for side, of_tokens in enumerate(far):
        has = np.flatnonzero(rows[:, side] >= 0)
        for symbols in comparison.listed_rules[side][rows[has, side], :2].T:
            symbols = np.where(symbols < len(of_tokens), symbols, ABSENT)
            nearest[has] = np.minimum(nearest[has], _taken(of_tokens, symbols))
    return np.where(nearest < NOT_FOUND, nearest + 10, NOT_FOUND)


def _taken(values: Numbers, places: Rows) -> Numbers:
    return np.append(values, NOT_FOUND)[places]  # ABSENT is the last


def _of_either(tokens: Rows, values: tuple[NDArray[np.integer], NDArray[np.integer]]) -> Numbers:
    """A value of the first vocabulary's token, or where there is none of the second's; ABSENT without one."""
    first, second = (np.append(each.astype(np.int64), ABSENT) for each in values)
    return np.where(tokens[:, FIRST] >= 0, first[tokens[:, FIRST]], second[tokens[:, SECOND]])


def _only(ids: Rows, side: int) -> Rows:
    absent = np.full(len(ids), ABSENT, np.int32)
    return np.stack([ids, absent] if side == FIRST else [absent, ids], axis=1)


def _all(comparison: VocabularyComparison) -> Rows:
    return np.concatenate(
        [comparison.both, _only(comparison.only[0], FIRST), _only(comparison.only[1], SECOND)]
    )


def _special(comparison: VocabularyComparison) -> Rows:
    rows = _all(comparison)
    first, second = (np.append(each.is_special, False) for each in comparison.figures)  # ABSENT is the last
    special: Rows = rows[first[rows[:, FIRST]] | second[rows[:, SECOND]]]
    return special


def _merges(comparison: VocabularyComparison) -> Rows:
    return NO_ROWS if comparison.merges is None else comparison.merges.both


def _moved(comparison: VocabularyComparison) -> Rows:
    return NO_ROWS if comparison.merges is None else comparison.merges.both[comparison.merges.moved]


def _merges_only(side: int) -> Callable[[VocabularyComparison], Rows]:
    return lambda comparison: (
        NO_ROWS if comparison.merges is None else _only(comparison.merges.only[side], side)
    )


NO_ROWS = np.zeros((0, 2), np.int32)
GROUPS = {
    group.name: group
    for group in (
        RowGroup("all", "All tokens", False, _all),
        RowGroup("both", "Tokens in both", False, lambda comparison: comparison.both),
        RowGroup("first", "Tokens only in A", False, lambda comparison: _only(comparison.only[0], FIRST)),
        RowGroup("second", "Tokens only in B", False, lambda comparison: _only(comparison.only[1], SECOND)),
        RowGroup(
            "id", "Tokens with another id", False, lambda comparison: comparison.both[comparison.other_id]
        ),
        RowGroup(
            "kind", "Tokens of another kind", False, lambda comparison: comparison.both[comparison.other_kind]
        ),
        RowGroup(
            "search",
            "Tokens searched for otherwise",
            False,
            lambda comparison: comparison.both[comparison.other_search],
        ),
        RowGroup(
            "score",
            "Tokens with another score",
            False,
            lambda comparison: comparison.both[comparison.other_score],
        ),
        RowGroup("special", "Special tokens", False, _special),
        RowGroup("merges", "Merge rules in both", True, _merges),
        RowGroup("merges first", "Merge rules only in A", True, _merges_only(FIRST)),
        RowGroup("merges second", "Merge rules only in B", True, _merges_only(SECOND)),
        RowGroup("moved", "Merge rules in another order", True, _moved),
    )
}
