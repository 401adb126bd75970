"""Tokens or merge rules of two vocabularies: which are listed, and what there is to say about each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.vocabularies import SEARCHES, Merges, VocabularyComparison
from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.analysis.vocabulary_list import filters
from guiapp.core.vocabulary.vocabulary import SCORED, Vocabulary, special_role
from guiapp.kit.session.token_details import hex_bytes
from guiapp.kit.state.background import Progress
from guiapp.kit.state.settings import SharedSpelling

LONGEST_RANKED = 48  # bytes of a token whose merges are followed
NOTHING = "–"
Write = Callable[[int, int], str]
"""What is said of a token or rule of the first (0) or second (1) vocabulary."""
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
    only = (_only(ids, side) for side, ids in enumerate(comparison.only))
    return np.concatenate([comparison.both, *only])


def _special(comparison: VocabularyComparison) -> Rows:
    rows = _all(comparison)
    first, second = (np.append(each.is_special, False) for each in comparison.figures)  # ABSENT is the last
    special: Rows = rows[first[rows[:, FIRST]] | second[rows[:, SECOND]]]
    return special


def _rules(rows: Callable[[Merges], Rows]) -> Callable[[VocabularyComparison], Rows]:
    return lambda comparison: NO_ROWS if comparison.merges is None else rows(comparison.merges)


NO_ROWS = np.zeros((0, 2), np.int32)
GROUPS = {
    group.name: group
    for group in (
        RowGroup("all", "All tokens", False, _all),
        RowGroup("both", "Tokens in both", False, lambda each: each.both),
        RowGroup("first", "Tokens only in A", False, lambda each: _only(each.only[0], FIRST)),
        RowGroup("second", "Tokens only in B", False, lambda each: _only(each.only[1], SECOND)),
        RowGroup("id", "Tokens with another id", False, lambda each: each.both[each.other_id]),
        RowGroup("kind", "Tokens of another kind", False, lambda each: each.both[each.other_kind]),
        RowGroup("search", "Tokens searched for otherwise", False, lambda each: each.both[each.other_search]),
        RowGroup("score", "Tokens with another score", False, lambda each: each.both[each.other_score]),
        RowGroup("special", "Special tokens", False, _special),
        RowGroup("merges", "Merge rules in both", True, _rules(lambda each: each.both)),
        RowGroup(
            "merges first", "Merge rules only in A", True, _rules(lambda each: _only(each.only[0], FIRST))
        ),
        RowGroup(
            "merges second", "Merge rules only in B", True, _rules(lambda each: _only(each.only[1], SECOND))
        ),
        RowGroup("moved", "Merge rules in another order", True, _rules(lambda each: each.both[each.moved])),
    )
}


class Fact(NamedTuple):
    """What is said under a name: "" of the one that lacks the token, NOTHING where it says nothing."""

    name: str
    first: str
    second: str

    @property
    def differs(self) -> bool:
        return bool(self.first and self.second) and self.first != self.second


class RowDetails(NamedTuple):
    """One row.

    token   its id in both, or that of the one that the rule makes; None where there is none
    text    the bytes that it stands for
    shown   the bytes that it is written with, to be made visible; of both where files write it otherwise
    facts   by side
    shared  what is the same in both
    """

    group: RowGroup
    token: Sides
    text: bytes
    shown: tuple[bytes, ...]
    facts: tuple[Fact, ...]
    shared: tuple[tuple[str, str], ...]


class Describer:
    """Tells about rows of a comparison; to make it takes no time, an answer a millisecond."""

    def __init__(self, comparison: VocabularyComparison, spelling: SharedSpelling) -> None:
        self.comparison = comparison
        self._spelling = spelling
        first, second = (Explainer(each.vocabulary, each.merging) for each in comparison.tokenizers)
        self._explainers = first, second

    def describe(self, group: RowGroup, row: tuple[int, int]) -> RowDetails:
        token = token_of(self.comparison, group, row)
        text = self.text(group, row)
        facts = self._rule_facts(row, token) if group.is_rules else self._token_facts(token)
        shared = ("bytes", hex_bytes(text)), ("script", self.script(token)), ("length", f"{len(text):,}")
        shown = self.shown(group, row)
        return RowDetails(group, token, text, shown, facts, tuple(each for each in shared if each[1]))

    def text(self, group: RowGroup, row: tuple[int, int]) -> bytes:
        """What a token stands for, or what a rule makes."""
        side = 0 if row[0] != ABSENT else 1
        token = token_of(self.comparison, group, row)[side]
        if token is not None:
            return self.comparison.tokenizers[side].vocabulary.token_bytes(token)
        return b"".join(self._symbols(row, Spelling.SIGNS))

    def shown(self, group: RowGroup, row: tuple[int, int]) -> tuple[bytes, ...]:
        """The same as it is written; a token that both files spell otherwise, in both ways."""
        token, write = token_of(self.comparison, group, row), self._spelling.now.token_data
        ways = [write(self._vocabulary(side), each) for side, each in enumerate(token) if each is not None]
        return tuple(dict.fromkeys(ways)) or (b"".join(self.rule(row)),)

    def written(self, side: int, token_id: int, limit: int) -> str:
        return self._spelling.now.token(self._vocabulary(side), token_id, limit)

    def rule(self, row: tuple[int, int]) -> tuple[bytes, bytes]:
        """What a rule joins, as it is written; symbols that are no tokens as the file spells them."""
        return self._symbols(row, self._spelling.now)

    def _symbols(self, row: tuple[int, int], spelling: Spelling) -> tuple[bytes, bytes]:
        side = 0 if row[0] != ABSENT else 1
        vocabulary = self._vocabulary(side)
        symbols = self.comparison.listed_rules[side][row[side], :2].tolist()
        [spelled] = self.comparison.rules(side, np.array([row[side]], np.int32))
        left, right = (
            spelling.token_data(vocabulary, symbol) if symbol < len(vocabulary) else text
            for symbol, text in zip(symbols, spelled, strict=True)
        )
        return left, right

    def both(self, token: Sides, write: Write) -> str:
        """What is said of a token in each vocabulary, once where it is the same."""
        texts = [write(side, each) for side, each in enumerate(token) if each is not None]
        return " / ".join(dict.fromkeys(texts))

    def kind(self, side: int, token_id: int) -> str:
        return self.comparison.tokenizers[side].vocabulary.kind(token_id)

    def worth(self, side: int, token_id: int) -> str:
        """The score of a token, or the rank of the rule that makes it; "" without either."""
        vocabulary = self.comparison.tokenizers[side].vocabulary
        if vocabulary.type in SCORED:
            return f"{vocabulary.score(token_id):,.6g}"
        offsets = vocabulary.token_bytes_table[1]
        if offsets[token_id + 1] - offsets[token_id] > LONGEST_RANKED:
            return ""
        rank = self._explainers[side].merge_rank(token_id)
        return "" if rank is None else f"{rank:,}"

    def script(self, token: Sides) -> str:
        for side, each in enumerate(token):
            if each is not None:
                return SCRIPT_NAMES[int(self.comparison.scripts[side][each])]
        return ""

    def _token_facts(self, token: Sides) -> tuple[Fact, ...]:
        worth = " / ".join(dict.fromkeys(worth_name(each.vocabulary) for each in self.comparison.tokenizers))
        columns: tuple[tuple[str, Write], ...] = (
            ("id", lambda side, each: str(each)),
            ("kind", self.kind),
            (worth, self.worth),
            ("role", lambda side, each: special_role(self._vocabulary(side), each)),
            ("searched", lambda side, each: self._searched(side, each)),
        )
        return self._facts(token, columns)

    def _rule_facts(self, row: tuple[int, int], token: Sides) -> tuple[Fact, ...]:
        sides = None if row[0] == ABSENT else row[0], None if row[1] == ABSENT else row[1]
        rules = self.comparison.listed_rules

        def symbol(side: int, place: int, column: int) -> str:
            each = int(rules[side][place, column])
            return str(each) if each < len(self._vocabulary(side)) else NOTHING

        columns: tuple[tuple[str, Write], ...] = (
            ("place", lambda side, place: f"{place:,}"),
            ("left", lambda side, place: symbol(side, place, 0)),
            ("right", lambda side, place: symbol(side, place, 1)),
            ("makes", lambda side, place: symbol(side, place, 3)),
        )
        return self._facts(sides, columns)

    def _facts(self, sides: Sides, columns: tuple[tuple[str, Write], ...]) -> tuple[Fact, ...]:
        """Those that there is something to say about in one of both."""
        facts = []
        for name, write in columns:
            first, second = (
                "" if each is None else write(side, each) or NOTHING for side, each in enumerate(sides)
            )
            if {first, second} - {"", NOTHING}:
                facts.append(Fact(name, first, second))
        return tuple(facts)

    def _searched(self, side: int, token_id: int) -> str:
        bits = int(self.comparison.searches[side][token_id])
        return ", ".join(words for bit, words in enumerate(SEARCHES) if bits >> bit & 1)

    def _vocabulary(self, side: int) -> Vocabulary:
        return self.comparison.tokenizers[side].vocabulary


def worth_name(vocabulary: Vocabulary) -> str:
    return "score" if vocabulary.type in SCORED else "rank"
