"""The data of all tokens of a vocabulary, as arrays, and the columns that lists of tokens can show.

To add a column to the window, CSV and JSON, add an entry to COLUMNS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.matches import QueryError, RegexTokenMatcher
from guiapp.analysis.tree.coloring import merge_ranks
from guiapp.analysis.tree.picture import SCRIPT_NAMES, token_scripts
from guiapp.analysis.tree.trials import broken_tokens, is_tried
from guiapp.analysis.vocabulary_list.listing import Cell, Flags, Ids, ListColumn, Values
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.gguf import embedding_rows
from guiapp.core.formats.gguf_reader import all_parts
from guiapp.core.vocabulary.attributes import KIND_NAMES, Attribute
from guiapp.core.vocabulary.remedies import GGUF
from guiapp.core.vocabulary.special_ids import reserved
from guiapp.core.vocabulary.vocabulary import SCORED, TokenTree, Vocabulary, special_role
from guiapp.errors import VocabError
from guiapp.native.model_files import StringTable

if TYPE_CHECKING:
    from guiapp.analysis.vocabulary_list.embeddings import (
        Indicators,  # imports gguf, which is slow
    )
    from guiapp.analysis.vocabulary_list.filters import Histogram


SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED
CONTINUING_BITS, CONTINUING = np.uint8(0xC0), np.uint8(0x80)  # of continuation bytes in UTF-8


class TokenFigures:
    """Arrays with one value for each of the n tokens, computed on demand.

    is_reached  1 for tokens that a trial of `tree.trials` reached, 0 for others, NaN for tokens that were
                not tried; None before the trials
    indicators  the evaluation of the model's embeddings; None if they were not read
    orders      cached sort orders, see `listing.order`
    histograms  of all tokens, once computed
    matcher     matches regular expressions against the tokens; owns a child process
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.is_reached: Values | None = None
        self.indicators: Indicators | None = None
        self.orders: dict[str, NDArray[np.int64]] = {}
        self.histograms: tuple[Histogram, ...] = ()
        self.matcher = RegexTokenMatcher()

    def with_unreached(self, unreached: Ids) -> TokenFigures:
        """A copy with the result of the trials: the tokens that none reached."""
        figures = copy(self)
        figures.is_reached = np.where(is_tried(self.tokenizer), ~self.flags(unreached), np.nan)
        return figures

    def with_indicators(self, indicators: Indicators | None) -> TokenFigures:
        """A copy with the evaluation of the embeddings."""
        figures = copy(self)
        figures.indicators, figures.orders = indicators, {}
        return figures

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def vocabulary(self) -> Vocabulary:
        return self.tokenizer.vocabulary

    @property
    def figures(self) -> TokenFigures:
        """This object, as `TokenRows.figures`."""
        return self

    def token(self, row: int) -> int:
        return row

    def tokens_of(self, row: int) -> list[FiguresOfToken]:
        """The token of a row."""
        return [(self, row)]

    @cached_property
    def explainer(self) -> Explainer:
        """Explains how merges build a token."""
        return Explainer(self.vocabulary, self.tokenizer.merging)

    @property
    def tree(self) -> TokenTree:
        return self.tokenizer.vocabulary.token_tree

    @cached_property
    def ids(self) -> Ids:
        return np.arange(len(self), dtype=np.int32)

    @property
    def lengths(self) -> Values:
        """The length of each token in bytes."""
        return self.tree.lengths

    @cached_property
    def characters(self) -> Values:
        """The number of characters that begin in each token; 0 for one with only continuation bytes."""
        begins = (self.tree.data & CONTINUING_BITS) != CONTINUING
        before = np.append(0, np.cumsum(begins))
        return np.diff(before[self.tree.offsets])

    @cached_property
    def scripts(self) -> NDArray[np.uint8]:
        """The script of each token, as an index into SCRIPT_NAMES."""
        return token_scripts(self.vocabulary, self.tree)

    @cached_property
    def ranks(self) -> Values | None:
        """The rank of the first merge rule that makes each token, NaN without one; None without rules."""
        if not self.has_ranks:
            return None
        ranks = merge_ranks(self.tokenizer.merging, len(self))
        return np.where(ranks < 0, np.nan, ranks)

    @property
    def has_ranks(self) -> bool:
        return self.tokenizer.merging is not None and self.vocabulary.type not in SCORED

    @property
    def scores(self) -> Values | None:
        """The scores; None if the vocabulary's type has none."""
        return self.vocabulary.scores if self.vocabulary.type in SCORED else None

    @cached_property
    def roles(self) -> dict[int, str]:
        """The `special_role` of each token that has one."""
        ids = {*vars(self.vocabulary.special_ids).values(), *self.vocabulary.eog} - {None}
        return {token: special_role(self.vocabulary, token) for token in ids if token < len(self)}

    @cached_property
    def has_role(self) -> Flags:
        return self.flags(np.fromiter(self.roles, np.int32, len(self.roles)))

    @cached_property
    def children(self) -> Values:
        """The number of children of each token in the token tree."""
        return np.diff(self.tree.columns.child_offsets)[: len(self)]

    @cached_property
    def below(self) -> Values:
        """The number of longer tokens that begin with each token."""
        return np.maximum(self.tree.columns.sizes - 1, 0)

    @property
    def depths(self) -> Values:
        """The number of tokens on the path from the root of the token tree, including the token itself."""
        return self.tree.columns.depths

    @property
    def positions(self) -> Values:
        """The position of each token in the order of their bytes."""
        return self.tree.columns.places

    @cached_property
    def is_broken(self) -> Flags:
        """Whether the bytes of a token are not whole characters."""
        return self.flags(broken_tokens(self.tree))

    @cached_property
    def is_duplicate(self) -> Flags:
        """Whether another token has the same bytes."""
        data, offsets = self.tree.data, self.tree.offsets
        first = StringTable(data, offsets).find_each(data, offsets[1:])
        is_duplicate: Flags = np.bincount(first, minlength=len(self))[first] > 1
        return is_duplicate

    @cached_property
    def is_byte(self) -> Flags:
        """Whether a token stands for a single byte, by its kind or by its length."""
        is_byte: Flags = (self.vocabulary.attributes & Attribute.BYTE > 0) | (self.lengths == 1)
        return is_byte

    @cached_property
    def is_reserved(self) -> Flags:
        """Whether the kind or name of a token marks it as unused or reserved."""
        return reserved(self.vocabulary)

    @property
    def is_special(self) -> Flags:
        """Whether a token is not ordinary text: control, unknown or user-defined."""
        is_special: Flags = self.vocabulary.effective_attributes & SPECIAL > 0
        return is_special

    @cached_property
    def holds_embeddings(self) -> bool:
        """Whether the model's file, or a part of it, has the embeddings of the tokens."""
        path = self.vocabulary.path
        if self.vocabulary.format != GGUF or path is None:
            return False
        try:
            return any(embedding_rows(part) is not None for part in all_parts(path))
        except (VocabError, OSError):  # the file has changed since it was opened
            return False

    @property
    def summary(self) -> dict[str, object]:
        """Items about all tokens for the JSON record of a list."""
        return {} if self.indicators is None else {"embeddings": self.indicators.record}

    def flags(self, ids: Ids) -> Flags:
        """bool[n]: True for the tokens `ids`."""
        flags = np.zeros(len(self), np.bool_)
        flags[ids] = True
        return flags


LONGEST_TOKEN = 60  # characters in a table; files have the whole token
NO_LIMIT = 1 << 30
OF_NO_CHARACTER = re.compile("[\udc80-\udcff]+")
NOT_READ = "Read the embeddings first: “Read embeddings”, or --embeddings on the command line."


def own_text(vocabulary: Vocabulary, token: int) -> str:
    """The text of a token, or its name if it has none; bytes of partial characters as `<E2 82>`."""
    data = vocabulary.token_bytes(token) or vocabulary.raw_text(token)
    return OF_NO_CHARACTER.sub(
        lambda part: f"<{part[0].encode('utf-8', 'surrogateescape').hex(' ').upper()}>",
        data.decode("utf-8", "surrogateescape"),
    )


def _reached(figures: TokenFigures, token: int, spelling: Spelling) -> str:
    values = figures.is_reached
    return "" if values is None else {0.0: "never", 1.0: "yes"}.get(float(values[token]), "")


def _used_rank(figures: TokenFigures, token: int, _: Spelling) -> str:
    """The rank as on the token's card; too slow for sorting, or for writing all tokens."""
    rank = figures.explainer.merge_rank(token)
    return "" if rank is None else f"{rank:,}"


def _first_rank(figures: TokenFigures, token: int, _: Spelling) -> str:
    rank = BY_NAME["rank"].value(figures, token)
    return "" if rank is None else f"{rank:,}"


TokenColumn = ListColumn[TokenFigures]


def _of_embeddings(
    name: str, about: str, values: Callable[[Indicators], Values], is_usual: bool = True
) -> TokenColumn:
    """A column that exists only if the embeddings were read."""
    return TokenColumn(
        name,
        about,
        lambda figures: None if figures.indicators is None else values(figures.indicators),
        is_usual=is_usual,
        lacking=NOT_READ,
        is_there=lambda figures: figures.indicators is not None,
        digits=3,
    )


COLUMNS = (
    TokenColumn(
        "id",
        "row of the vocabulary",
        lambda figures: figures.ids,
        lambda _, token, spelling: str(token),
        figure=True,
        widest="",
        share=0.8,
    ),
    TokenColumn(
        "token",
        "its text; sorts by bytes",
        lambda figures: figures.positions,
        lambda figures, token, spelling: spelling.token(figures.vocabulary, token, LONGEST_TOKEN),
        data=lambda figures, token: own_text(figures.vocabulary, token),
        whole=lambda figures, token, spelling: spelling.token(figures.vocabulary, token, NO_LIMIT),
        share=2.6,
    ),
    TokenColumn(
        "bytes",
        "its bytes in hexadecimal digits",
        lambda figures: figures.positions,
        lambda figures, token, spelling: figures.vocabulary.token_bytes(token).hex(" ").upper(),
        data=lambda figures, token: figures.vocabulary.token_bytes(token).hex(),
        is_usual=False,
        share=2.8,
    ),
    TokenColumn("length", "number of bytes", lambda figures: figures.lengths, unit="bytes"),
    TokenColumn(
        "characters",
        "characters that begin in it",
        lambda figures: figures.characters,
        is_usual=False,
        share=1.2,
    ),
    TokenColumn(
        "kind",
        "normal, control, byte and so on",
        lambda figures: figures.vocabulary.kinds,
        lambda figures, token, spelling: KIND_NAMES[figures.vocabulary.kinds[token]],
        share=0.3,
        widest="control",
    ),
    TokenColumn(
        "script",
        "script of most of its letters",
        lambda figures: figures.scripts,
        lambda figures, token, spelling: SCRIPT_NAMES[figures.scripts[token]],
        share=0.7,
        widest="Special tokens",
    ),
    TokenColumn(
        "role",
        "its use in the file or in llama.cpp",
        lambda figures: np.where(figures.has_role, 0, 1),
        lambda figures, token, spelling: figures.roles.get(token, ""),
        is_usual=False,
        share=1.3,
    ),
    TokenColumn(
        "rank",
        "rank of the merge that makes it; of several rules, files have the first one's",
        lambda figures: figures.ranks,
        _used_rank,
        figure=True,
        whole=_first_rank,
        is_there=lambda figures: figures.has_ranks,
    ),
    TokenColumn(
        "score",
        "higher is more likely",
        lambda figures: figures.scores,
        is_there=lambda figures: figures.vocabulary.type in SCORED,
        share=1.3,
        widest="-12.9857",
    ),
    TokenColumn("children", "longer tokens directly below it in the tree", lambda figures: figures.children),
    TokenColumn(
        "below", "all longer tokens that begin with it", lambda figures: figures.below, is_usual=False
    ),
    TokenColumn(
        "depth", "tokens on the path to it in the tree", lambda figures: figures.depths, is_usual=False
    ),
    TokenColumn(
        "reached",
        "whether one of ten test texts gives it",
        lambda figures: figures.is_reached,
        _reached,
        is_usual=False,
    ),
    _of_embeddings("norm", "length of its embedding", lambda read: read.input.norms),
    _of_embeddings(
        "distance",
        "distance of its embedding from the mean of unused tokens",
        lambda read: read.input.distances,
        is_usual=False,
    ),
    _of_embeddings(
        "cosine", "cosine distance of its output embedding to that mean", lambda read: read.last.cosines
    ),
    _of_embeddings(
        "residual",
        "the same without the first principal component",
        lambda read: read.last.cosines_without_component,
        is_usual=False,
    ),
)
BY_NAME = {column.name: column for column in COLUMNS}


def columns_of(figures: TokenFigures) -> list[TokenColumn]:
    """The columns that a vocabulary has."""
    return [column for column in COLUMNS if column.is_known(figures)]


def named(names: Sequence[str]) -> list[TokenColumn]:
    """The columns with these names.  Raises QueryError for an unknown name."""
    for name in names:
        if name not in BY_NAME:
            raise QueryError(f"There is no column “{name}”. Columns: {', '.join(BY_NAME)}.")
    return [BY_NAME[name] for name in names]


# Tokens as rows of another list, such as the tokens of a text or the special tokens

FiguresOfToken = tuple[TokenFigures, int]


class TokenRows:
    """A list with a row for each of some tokens.

    ids     int32[n]: the token of each row
    orders  see `listing.ListSource`
    """

    def __init__(self, figures: TokenFigures, ids: Ids) -> None:
        self.figures, self.ids = figures, ids
        self.orders: dict[str, NDArray[np.int64]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def token(self, row: int) -> int:
        return int(self.ids[row])

    @property
    def all_figures(self) -> Sequence[TokenFigures]:
        return [self.figures]

    def ids_of(self, side: int) -> Ids:
        return self.ids

    def tokens_of(self, row: int) -> list[FiguresOfToken]:
        return [(self.figures, self.token(row))]


class OfTokens(Protocol):
    """Rows about the tokens of one vocabulary, or of several that are compared."""

    orders: dict[str, NDArray[np.int64]]

    def __len__(self) -> int: ...

    @property
    def all_figures(self) -> Sequence[TokenFigures]:
        """The data of the tokens of each vocabulary."""

    def ids_of(self, side: int) -> Ids:
        """int32[n]: the token of one vocabulary in each row, -1 for none."""

    def tokens_of(self, row: int) -> list[FiguresOfToken]:
        """The token of each vocabulary that has one."""


R = TypeVar("R", bound=OfTokens)


@dataclass(frozen=True)
class _OfTokens(ListColumn[R]):
    """A column of COLUMNS for the tokens of a row; equal values are shown once."""

    of: TokenColumn = COLUMNS[0]

    @property
    def is_figure(self) -> bool:
        return self.of.is_figure

    def is_known(self, source: R) -> bool:
        return super().is_known(source) and any(map(self.of.is_known, source.all_figures))

    def sorts_by(self, source: R) -> Values:
        """The sort key of the first vocabulary that has a value, for each row."""
        result = np.full(len(source), np.nan)
        for side, figures in enumerate(source.all_figures):
            if (values := self.of.sorts_by(figures)) is not None:
                of_rows = np.append(values.astype(np.float64), np.nan)[source.ids_of(side)]  # -1 is the last
                result = np.where(np.isnan(result), of_rows, result)
        return result

    def text(self, source: R, row: int, spelling: Spelling) -> str:
        return self._in_all(source, row, partial(self.of.text, spelling=spelling))

    def whole_text(self, source: R, row: int, spelling: Spelling) -> str:
        return self._in_all(source, row, partial(self.of.whole_text, spelling=spelling))

    def _in_all(self, source: R, row: int, text: Callable[[TokenFigures, int], str]) -> str:
        return " / ".join(dict.fromkeys(filter(None, (text(*each) for each in source.tokens_of(row)))))

    def last_text(self, source: R) -> str:
        return max(map(self.of.last_text, source.all_figures), key=len)

    def cell(self, source: R, row: int, spelling: Spelling) -> Cell:
        cells = {self.of.cell(figures, token, spelling) for figures, token in source.tokens_of(row)}
        return cells.pop() if len(cells) == 1 else self.text(source, row, spelling)


def of_tokens(
    usual: Collection[str], without: Collection[str] = (), yielding: Collection[str] = ()
) -> dict[str, ListColumn[R]]:
    """The columns of COLUMNS for rows about tokens, by name; those in `usual` are shown by default."""
    return {
        each.name: _OfTokens(
            each.name,
            each.about,
            is_usual=each.name in usual,
            share=each.share,
            widest=each.widest,
            yields=each.name in yielding,
            unit=each.unit,
            of=each,
        )
        for each in COLUMNS
        if each.name not in without
    }
