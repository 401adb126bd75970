"""What is known of each token of a vocabulary, as arrays, and what a list of tokens can show of it.

To add a column of the window, of CSV and of JSON alike, add a row to COLUMNS.
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
        Indicators,  # with gguf, which takes time to import
    )
    from guiapp.analysis.vocabulary_list.filters import Histogram


SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED
CONTINUING_BITS, CONTINUING = np.uint8(0xC0), np.uint8(0x80)  # of a byte that does not begin a character


class TokenFigures:
    """One array for each figure, n values each, made when somebody asks for it.

    is_reached  1 for tokens that a trial of `tree.trials` reached, 0 for others, NaN for those that were left
                out of them; None where nothing was tried
    indicators  what the model's embeddings tell; None where they were not read
    orders      those that were asked for, see `order`
    histograms  of all tokens, where somebody counted
    matcher     tries regular expressions on the tokens; keeps a process, which ends with it
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.is_reached: Values | None = None
        self.indicators: Indicators | None = None
        self.orders: dict[str, NDArray[np.int64]] = {}
        self.histograms: tuple[Histogram, ...] = ()
        self.matcher = RegexTokenMatcher()

    def with_unreached(self, unreached: Ids) -> TokenFigures:
        """The same, and which tokens no trial reached."""
        figures = copy(self)
        figures.is_reached = np.where(is_tried(self.tokenizer), ~self.flags(unreached), np.nan)
        return figures

    def with_indicators(self, indicators: Indicators | None) -> TokenFigures:
        """The same, and what the embeddings tell."""
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
        """Itself, as a list of all tokens; see `TokenRows`."""
        return self

    def token(self, row: int) -> int:
        return row

    def tokens_of(self, row: int) -> list[FiguresOfToken]:
        """The token that a row is about."""
        return [(self, row)]

    @cached_property
    def explainer(self) -> Explainer:
        """Tells how a token is built."""
        return Explainer(self.vocabulary, self.tokenizer.merging)

    @property
    def tree(self) -> TokenTree:
        return self.tokenizer.vocabulary.token_tree

    @cached_property
    def ids(self) -> Ids:
        return np.arange(len(self), dtype=np.int32)

    @property
    def lengths(self) -> Values:
        """In bytes."""
        return self.tree.lengths

    @cached_property
    def characters(self) -> Values:
        """Those that begin in a token: 0 for one that only goes on with a character."""
        begins = (self.tree.data & CONTINUING_BITS) != CONTINUING
        before = np.append(0, np.cumsum(begins))
        return np.diff(before[self.tree.offsets])

    @cached_property
    def scripts(self) -> NDArray[np.uint8]:
        """Indexes into SCRIPT_NAMES."""
        return token_scripts(self.vocabulary, self.tree)

    @cached_property
    def ranks(self) -> Values | None:
        """Of the first merge rule that makes a token, NaN where none does; None without merge rules."""
        if not self.has_ranks:
            return None
        ranks = merge_ranks(self.tokenizer.merging, len(self))
        return np.where(ranks < 0, np.nan, ranks)

    @property
    def has_ranks(self) -> bool:
        return self.tokenizer.merging is not None and self.vocabulary.type not in SCORED

    @property
    def scores(self) -> Values | None:
        """None where the vocabulary's type has none."""
        return self.vocabulary.scores if self.vocabulary.type in SCORED else None

    @cached_property
    def roles(self) -> dict[int, str]:
        """`special_role` of those with one."""
        ids = {*vars(self.vocabulary.special_ids).values(), *self.vocabulary.eog} - {None}
        return {token: special_role(self.vocabulary, token) for token in ids if token < len(self)}

    @cached_property
    def has_role(self) -> Flags:
        return self.flags(np.fromiter(self.roles, np.int32, len(self.roles)))

    @cached_property
    def children(self) -> Values:
        """How many tokens hang right below one in the token tree."""
        return np.diff(self.tree.columns.child_offsets)[: len(self)]

    @cached_property
    def below(self) -> Values:
        """How many longer tokens begin with one."""
        return np.maximum(self.tree.columns.sizes - 1, 0)

    @property
    def depths(self) -> Values:
        """How many tokens lie on the way from the root of the token tree, the token itself included."""
        return self.tree.columns.depths

    @property
    def places(self) -> Values:
        """Where a token stands among all in the order of their bytes."""
        return self.tree.columns.places

    @cached_property
    def is_broken(self) -> Flags:
        """Whether the bytes of a token are no whole characters."""
        return self.flags(broken_tokens(self.tree))

    @cached_property
    def is_duplicate(self) -> Flags:
        """Whether another token stands for the same bytes."""
        data, offsets = self.tree.data, self.tree.offsets
        first = StringTable(data, offsets).find_each(data, offsets[1:])
        is_duplicate: Flags = np.bincount(first, minlength=len(self))[first] > 1
        return is_duplicate

    @cached_property
    def is_byte(self) -> Flags:
        """Whether a token is there for a single byte, by its kind or because it is one."""
        is_byte: Flags = (self.vocabulary.attributes & Attribute.BYTE > 0) | (self.lengths == 1)
        return is_byte

    @cached_property
    def is_reserved(self) -> Flags:
        """Whether the file marks a token as unused, or names it so."""
        return reserved(self.vocabulary)

    @property
    def is_special(self) -> Flags:
        """Whether a token is no ordinary text: control, unknown, user-defined."""
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
        except (VocabError, OSError):  # it is no longer what was opened
            return False

    @property
    def summary(self) -> dict[str, object]:
        """What the record of a list tells about all tokens."""
        return {} if self.indicators is None else {"embeddings": self.indicators.record}

    def flags(self, ids: Ids) -> Flags:
        """For each token whether it is one of these."""
        flags = np.zeros(len(self), np.bool_)
        flags[ids] = True
        return flags


LONGEST_TOKEN = 60  # characters, where it is not whole
NO_LIMIT = 1 << 30
OF_NO_CHARACTER = re.compile("[\udc80-\udcff]+")
NOT_READ = "Read the embeddings first: “Read embeddings”, or --embeddings on the command line."


def own_text(vocabulary: Vocabulary, token: int) -> str:
    """What a token stands for, or its name; bytes of no whole character as `<E2 82>`."""
    data = vocabulary.token_bytes(token) or vocabulary.raw_text(token)
    return OF_NO_CHARACTER.sub(
        lambda part: f"<{part[0].encode('utf-8', 'surrogateescape').hex(' ').upper()}>",
        data.decode("utf-8", "surrogateescape"),
    )


def _reached(figures: TokenFigures, token: int, spelling: Spelling) -> str:
    values = figures.is_reached
    return "" if values is None else {0.0: "never", 1.0: "yes"}.get(float(values[token]), "")


def _used_rank(figures: TokenFigures, token: int, _: Spelling) -> str:
    """As on the token's card; too slow to sort by, or to write of all tokens."""
    rank = figures.explainer.merge_rank(token)
    return "" if rank is None else f"{rank:,}"


def _first_rank(figures: TokenFigures, token: int, _: Spelling) -> str:
    rank = BY_NAME["rank"].value(figures, token)
    return "" if rank is None else f"{rank:,}"


TokenColumn = ListColumn[TokenFigures]


def _of_embeddings(
    name: str, about: str, values: Callable[[Indicators], Values], is_usual: bool = True
) -> TokenColumn:
    """A column that there is where the embeddings were read."""
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
        lambda figures: figures.places,
        lambda figures, token, spelling: spelling.token(figures.vocabulary, token, LONGEST_TOKEN),
        data=lambda figures, token: own_text(figures.vocabulary, token),
        whole=lambda figures, token, spelling: spelling.token(figures.vocabulary, token, NO_LIMIT),
        share=2.6,
    ),
    TokenColumn(
        "bytes",
        "its bytes in hexadecimal digits",
        lambda figures: figures.places,
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
    """Those that a vocabulary has something to say in."""
    return [column for column in COLUMNS if column.is_known(figures)]


def named(names: Sequence[str]) -> list[TokenColumn]:
    """Some columns.  Raises QueryError."""
    for name in names:
        if name not in BY_NAME:
            raise QueryError(f"There is no column “{name}”. Columns: {', '.join(BY_NAME)}.")
    return [BY_NAME[name] for name in names]


# Tokens of a vocabulary that are rows of another list: of those in a text, of the special ones

FiguresOfToken = tuple[TokenFigures, int]


class TokenRows:
    """Some tokens, a row each.

    ids     int32[n]: which token a row is about
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
    """Rows about the tokens of one vocabulary, or of several ones beside each other."""

    orders: dict[str, NDArray[np.int64]]

    def __len__(self) -> int: ...

    @property
    def all_figures(self) -> Sequence[TokenFigures]:
        """What is known of the tokens of each vocabulary."""

    def ids_of(self, side: int) -> Ids:
        """int32[n]: the token of one vocabulary in each row, -1 for none."""

    def tokens_of(self, row: int) -> list[FiguresOfToken]:
        """The token of each vocabulary that has one."""


R = TypeVar("R", bound=OfTokens)


@dataclass(frozen=True)
class _OfTokens(ListColumn[R]):
    """What a column of COLUMNS says of the tokens of a row, once where that is the same."""

    of: TokenColumn = COLUMNS[0]

    @property
    def is_figure(self) -> bool:
        return self.of.is_figure

    def is_known(self, source: R) -> bool:
        return super().is_known(source) and any(map(self.of.is_known, source.all_figures))

    def sorts_by(self, source: R) -> Values:
        """Of the first vocabulary that has a value."""
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
    """The columns of COLUMNS for the tokens of rows, by name; some are shown unless people choose."""
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
