"""What there is to say about a token or a merge rule in each of two compared vocabularies."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from guiapp.analysis.compare.vocabularies import SEARCHES, VocabularyComparison
from guiapp.analysis.explain.explainer import Explainer
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.scripts import NAMES
from guiapp.core.vocabulary.vocabulary import SCORED, Vocabulary, special_role
from guiapp.kit.session.token_details import hex_bytes
from guiapp.kit.state.settings import SharedSpelling
from guiapp.pages.compare.vocabulary_rows import ABSENT, RowGroup, Sides, token_of

LONGEST_RANKED = 48  # bytes of a token whose merges are followed
NOTHING = "–"
Write = Callable[[int, int], str]
"""What is said of a token or rule of the first (0) or second (1) vocabulary."""


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
        """All about a row of a group."""
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
        """A token of a vocabulary as it is written."""
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
                return NAMES[int(self.comparison.scripts[side][each])]
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
    """What `Describer.worth` says of its tokens."""
    return "score" if vocabulary.type in SCORED else "rank"
