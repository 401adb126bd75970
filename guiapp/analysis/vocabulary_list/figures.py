"""What is known of each token of a vocabulary, as arrays: what lists of tokens filter, sort and count by."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.search.in_tokens import RegexTokenMatcher
from guiapp.analysis.tree.coloring import merge_ranks
from guiapp.analysis.tree.partial_characters import broken_tokens
from guiapp.analysis.tree.scripts import token_scripts
from guiapp.analysis.tree.trials import is_tried
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.special_ids import reserved
from guiapp.core.vocabulary.vocabulary import SCORED, TokenTree, Vocabulary, special_role
from guiapp.native.model_files import StringTable

if TYPE_CHECKING:
    from guiapp.analysis.vocabulary_list.embeddings.indicators import (
        Indicators,  # with gguf, which takes time to import
    )

Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]
Values = NDArray[np.number]
SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED
CONTINUING_BITS, CONTINUING = np.uint8(0xC0), np.uint8(0x80)  # of a byte that does not begin a character


class TokenFigures:
    """One array for each figure, n values each, made when somebody asks for it.

    is_reached  1 for tokens that a trial of `tree.trials` reached, 0 for others, NaN for those that were left
                out of them; None where nothing was tried
    indicators  what the model's embeddings tell; None where they were not read
    orders      those that were asked for, see `columns.order`
    matcher     tries regular expressions on the tokens; keeps a process, which ends with it
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.is_reached: Values | None = None
        self.indicators: Indicators | None = None
        self.orders: dict[str, NDArray[np.int64]] = {}
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
        """Indexes into `tree.scripts.NAMES`."""
        return token_scripts(self.vocabulary, self.tree)

    @cached_property
    def ranks(self) -> Values | None:
        """Of the first merge rule that makes a token, NaN where none does; None without merge rules."""
        merging = self.tokenizer.merging
        if merging is None or self.vocabulary.type in SCORED:
            return None
        ranks = merge_ranks(merging, len(self))
        return np.where(ranks < 0, np.nan, ranks)

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

    def flags(self, ids: Ids) -> Flags:
        """For each token whether it is one of these."""
        flags = np.zeros(len(self), np.bool_)
        flags[ids] = True
        return flags
