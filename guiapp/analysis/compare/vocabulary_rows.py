"""Tokens or merge rules of two compared vocabularies as rows of a table, with the facts of each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.vocabularies import SEARCHES, Merges, VocabularyComparison
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list import filters
from guiapp.analysis.vocabulary_list.columns import BY_NAME, FiguresOfToken, TokenFigures, of_tokens
from guiapp.analysis.vocabulary_list.listing import Ids, ListColumn, Values, in_order
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import Progress, stoppable
from guiapp.native.model_files import sliced

LONGEST_TEXT = 60  # characters
NOTHING = "–"
NOT_FOUND = 99  # the distance of rows that do not match a filter
OF_SIDES = 10  # added to the distance if a rule joins a matching token rather than makes it
ABSENT = -1  # in a row: only the other vocabulary has it
FIRST, SECOND = 0, 1
SIDES = "AB"
TWO_RANKS = "128,255 / 50,257"  # the widest text in a column
COLUMNS_OF_FACTS = {
    "id": "id",
    "type": "kind",
    "role": "role",
    "score": "score",
    "merge rank": "rank",
    "script": "script",
    "length": "length",
}
FACTS = ("in", *COLUMNS_OF_FACTS, "searched", "left", "right", "makes")
Rows = NDArray[np.int32]
Numbers = NDArray[np.int64]


class RowGroup(NamedTuple):
    """A named group of tokens or merge rules.

    rows  int32[n, 2]: the ids, or the indexes of rules, in both vocabularies; ABSENT if one has none
    """

    name: str
    title: str
    is_rules: bool
    rows: Callable[[VocabularyComparison], Rows]


class PairRows:
    """The rows of a group for two compared vocabularies.

    rows    int32[n, 2]: see RowGroup
    tokens  int32[n, 2]: the tokens, or the tokens that the rules make; ABSENT also if that is no token
    orders  see `listing.ListSource`
    """

    def __init__(self, comparison: VocabularyComparison, group: RowGroup) -> None:
        self.comparison, self.group = comparison, group
        self.rows = self.tokens = group.rows(comparison)
        self.orders: dict[str, NDArray[np.int64]] = {}
        if group.is_rules and len(self.rows):
            made = [self._of_rules(side, 3) for side in (FIRST, SECOND)]
            sizes = [len(each.vocabulary) for each in comparison.tokenizers]
            known = (np.where(each < size, each, ABSENT) for each, size in zip(made, sizes, strict=True))
            self.tokens = np.stack([*known], axis=1)

    def __len__(self) -> int:
        return len(self.rows)

    def _of_rules(self, side: int, column: int) -> Rows:
        """A column of the rules in these rows, ABSENT if the side lacks the rule."""
        rows = self.rows[:, side]
        made: Rows = np.where(rows < 0, ABSENT, self.comparison.listed_rules[side][rows, column])
        return made

    def vocabulary(self, side: int) -> Vocabulary:
        return self.comparison.tokenizers[side].vocabulary

    # Listing

    def listed(self, query: str, sort: ListColumn[PairRows] | None, down: bool, progress: Progress) -> Ids:
        """The rows that match a filter in either vocabulary, sorted or nearest first.  Raises QueryError."""
        if query.strip():
            far = self._far(query, progress)
            nearness = np.min([_taken(each, self.tokens[:, side]) for side, each in enumerate(far)], axis=0)
            if self.group.is_rules:
                nearness = np.minimum(nearness, self._nearness_of_sides(far))
        else:
            nearness = np.zeros(len(self), np.int64)
        if sort is not None:
            return in_order(self, nearness < NOT_FOUND, sort, down)
        order = np.argsort(nearness, kind="stable").astype(np.int32)
        return order[: int((nearness < NOT_FOUND).sum())]

    def _far(self, query: str, progress: Progress) -> list[Numbers]:
        """The distance of each token of both vocabularies from a filter; NOT_FOUND if it does not match.

        Raises QueryError if the filter is invalid for both.
        """
        far, problems = [], []
        for figures in self.comparison.figures:
            distances = np.full(len(figures), NOT_FOUND, np.int64)
            try:
                tokens = np.flatnonzero(filters.fitting(figures, query, progress)).astype(np.int32)
                distances[tokens] = filters.distances(figures, query, tokens)
            except QueryError as error:
                problems.append(error)
            far.append(distances)
        if len(problems) == len(far):
            raise problems[0]
        return far

    def _nearness_of_sides(self, far: list[Numbers]) -> Numbers:
        """The least distance of the tokens that a rule joins, plus OF_SIDES: rules that make one go first."""
        nearest = np.full(len(self), NOT_FOUND, np.int64)
        for side, distances in enumerate(far):
            for column in (0, 1):
                symbols = self._of_rules(side, column)
                symbols = np.where(symbols < len(distances), symbols, ABSENT)
                nearest = np.minimum(nearest, _taken(distances, symbols))
        return np.where(nearest < NOT_FOUND, nearest + OF_SIDES, NOT_FOUND)

    @cached_property
    def positions(self) -> Values:
        """The position of each row's text in the order of bytes."""
        tables = [sliced(*self.vocabulary(side).token_bytes_table) for side in (FIRST, SECOND)]
        texts = [
            tables[FIRST][first] if first >= 0 else tables[SECOND][second] if second >= 0 else b""
            for first, second in stoppable(self.tokens.tolist())
        ]
        positions = np.empty(len(texts), np.int64)
        positions[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        return positions

    @cached_property
    def _numbers(self) -> Rows:
        """The ids, or the ranks of rules, in the shape of `rows`."""
        return (
            np.stack([self._of_rules(side, 2) for side in (FIRST, SECOND)], axis=1)
            if self.group.is_rules
            else self.rows
        )

    def numbers(self, side: int) -> Values:
        """The ids or ranks of one side, NaN if it has none."""
        return np.where(self.rows[:, side] < 0, np.nan, self._numbers[:, side])

    # Facts of a row

    @property
    def all_figures(self) -> Sequence[TokenFigures]:
        return self.comparison.figures

    def ids_of(self, side: int) -> Ids:
        return self.tokens[:, side]

    def tokens_of(self, row: int) -> list[FiguresOfToken]:
        """For each vocabulary that has the row's token: its figures and the id."""
        tokens = zip(self.comparison.figures, self.tokens[row].tolist(), strict=True)
        return [(figures, token) for figures, token in tokens if token >= 0]

    def number(self, row: int, side: int) -> str:
        return NOTHING if self.rows[row, side] < 0 else f"{self._numbers[row, side]}"

    def text(self, row: int) -> bytes:
        """The bytes of the token, or of the token that the rule makes."""
        for figures, token in self.tokens_of(row):
            return figures.vocabulary.token_bytes(token)
        return b"".join(self.rule(row, Spelling.SIGNS))

    def shown(self, row: int, spelling: Spelling) -> tuple[bytes, ...]:
        """The spelling of the text; both spellings if the files differ."""
        ways = (spelling.token_data(each.vocabulary, token) for each, token in self.tokens_of(row))
        return tuple(dict.fromkeys(ways)) or (b"".join(self.rule(row, spelling)),)

    def rule(self, row: int, spelling: Spelling) -> tuple[bytes, bytes]:
        """The spellings of the two symbols that a rule joins; non-tokens as in the file."""
        side = FIRST if self.rows[row, FIRST] >= 0 else SECOND
        index, vocabulary = self.rows[row, side], self.vocabulary(side)
        symbols = self.comparison.listed_rules[side][index, :2].tolist()
        [spelled] = self.comparison.rules(side, np.array([index], np.int32))
        left, right = (
            spelling.token_data(vocabulary, symbol) if symbol < len(vocabulary) else text
            for symbol, text in zip(symbols, spelled, strict=True)
        )
        return left, right

    def facts(self, row: int, spelling: Spelling) -> Iterator[tuple[str, str]]:
        """The facts of a row: one line if they are equal in both vocabularies, else a line for each."""
        sides = np.flatnonzero(self.rows[row] >= 0).tolist()
        tokens = {side: token for side, token in enumerate(self.tokens[row].tolist()) if token >= 0}
        yield "in", "both" if len(sides) == len(SIDES) else f"{SIDES[sides[0]]} alone"
        for name, column in COLUMNS_OF_FACTS.items():
            if name == "merge rank" and self.group.is_rules:
                continue  # the rule's own rank is below; another rule may make the token earlier
            yield (
                name,
                _both(
                    {
                        side: BY_NAME[column].text(self.comparison.figures[side], token, spelling)
                        for side, token in tokens.items()
                        if BY_NAME[column].is_known(self.comparison.figures[side])
                    }
                ),
            )
        if self.group.is_rules:
            yield "merge rank", _both({side: f"{self._numbers[row, side]:,}" for side in sides})
            for at, name in ((0, "left"), (1, "right"), (3, "makes")):
                yield name, _both({side: self._symbol(row, at, side) for side in sides})
        else:
            yield "searched", _both({side: self._searched(side, token) for side, token in tokens.items()})

    def _symbol(self, row: int, at: int, side: int) -> str:
        """The id of a symbol that a rule joins or makes; "" if it is no token."""
        symbol = int(self.comparison.listed_rules[side][self.rows[row, side], at])
        return str(symbol) if symbol < len(self.vocabulary(side)) else ""

    def _searched(self, side: int, token: int) -> str:
        bits = int(self.comparison.searches[side][token])
        return ", ".join(words for bit, words in enumerate(SEARCHES) if bits >> bit & 1)


def _both(texts: Mapping[int, str]) -> str:
    if len(set(texts.values())) < 2:
        return next(iter(texts.values()), "")
    return "\n".join(f"{SIDES[side]}  {text or NOTHING}" for side, text in texts.items())


def _taken(values: Numbers, indexes: Rows) -> Numbers:
    return np.append(values, NOT_FOUND)[indexes]  # ABSENT is the last


# Columns


def _seen(spellings: Iterable[bytes], between: str = " / ") -> str:
    seen = [visible_text(each, LONGEST_TEXT) for each in spellings]
    return seen[0] if len(seen) == 1 else between.join(map(isolate, seen))


def _is_tokens(pairs: PairRows) -> bool:
    return not pairs.group.is_rules


def _is_rules(pairs: PairRows) -> bool:
    return pairs.group.is_rules


def _token(pairs: PairRows, row: int, spelling: Spelling) -> str:
    return _seen(pairs.shown(row, spelling))


def _rule(pairs: PairRows, row: int, spelling: Spelling) -> str:
    return _seen(pairs.rule(row, spelling), " + ")


def _number(name: str, side: int, is_there: Callable[[PairRows], bool]) -> ListColumn[PairRows]:
    return ListColumn(
        f"{name} in {SIDES[side]}",
        values=lambda pairs: pairs.numbers(side),
        write=lambda pairs, row, _: pairs.number(row, side),
        figure=True,
        is_there=is_there,
        widest="",
        share=1.2,
    )


def _of_tokens() -> Iterator[ListColumn[PairRows]]:
    """Columns of tokens.  The rank of a rule has its own column: its token may get its rank from another."""
    usual, yielding = ("kind", "rank", "score", "script", "length"), ("script", "length")
    columns: dict[str, ListColumn[PairRows]] = of_tokens(usual, ("id", "token", "reached"), yielding)
    for name, each in columns.items():
        yield replace(each, widest=TWO_RANKS, is_there=_is_tokens) if name == "rank" else each


PAIR_COLUMNS: tuple[ListColumn[PairRows], ...] = (
    ListColumn(
        "token",
        "its text; sorts by bytes",
        lambda pairs: pairs.positions,
        _token,
        is_there=_is_tokens,
        share=2.4,
    ),
    ListColumn("merge rule", "the two tokens that it joins", write=_rule, is_there=_is_rules, share=3),
    *(_number("id", side, _is_tokens) for side in (FIRST, SECOND)),
    *(_number("rank", side, _is_rules) for side in (FIRST, SECOND)),
    ListColumn(
        "makes",
        "the token that it makes; sorts by bytes",
        lambda pairs: pairs.positions,
        _token,
        is_there=_is_rules,
        share=2.2,
    ),
    *_of_tokens(),
)


# Groups


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
        RowGroup("id", "Tokens with different ids", False, lambda each: each.both[each.other_id]),
        RowGroup("kind", "Tokens of different kinds", False, lambda each: each.both[each.other_kind]),
        RowGroup("search", "Tokens matched differently", False, lambda each: each.both[each.other_search]),
        RowGroup("score", "Tokens with different scores", False, lambda each: each.both[each.other_score]),
        RowGroup("special", "Special tokens", False, _special),
        RowGroup("merges", "Merge rules in both", True, _rules(lambda each: each.both)),
        RowGroup(
            "merges first", "Merge rules only in A", True, _rules(lambda each: _only(each.only[0], FIRST))
        ),
        RowGroup(
            "merges second", "Merge rules only in B", True, _rules(lambda each: _only(each.only[1], SECOND))
        ),
        RowGroup("moved", "Merge rules in different order", True, _rules(lambda each: each.both[each.moved])),
    )
}


def groups_of(comparison: VocabularyComparison) -> dict[str, PairRows]:
    """The rows of each of GROUPS."""
    return {name: PairRows(comparison, group) for name, group in GROUPS.items()}
