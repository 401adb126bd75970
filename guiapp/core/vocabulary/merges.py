"""Merge rules of a vocabulary: a mapping to read, and the native model that merges by them.

BPE files list their merges.  SPM files have none: any two neighbours merge if their concatenation is a
token, better scores first, so the rules are all ways to cut a token in two.  From there on both are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary import byte_alphabet
from guiapp.core.vocabulary.attributes import (
    BYTE_TYPE,
    CONTROL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    USER_DEFINED_TYPE,
    Attribute,
)
from guiapp.core.vocabulary.parts import Parts, PieceRules
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import VocabError
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import StringTable, packed, sliced
from guiapp.native.normalized import SplitterHandle
from guiapp.native.pairs import (
    ALL_PIECES,
    AS_RANKED,
    NAMED,
    NAMED_OR_RAW,
    NO_BYTE_TOKENS,
    NO_PIECES,
    NO_RANK,
    STAYS_WHOLE,
    PairModel,
    PairOptions,
)

ABSENT = -1  # a string that is not a token
MARKED_SPACE = "▁".encode()  # U+2581
NO_TOKEN = -1  # in the output: a byte that the vocabulary cannot express
LENGTH_OF_HIGH_NIBBLE = (1,) * 12 + (2, 2, 3, 4)  # bytes of the UTF-8 character that begins with it
NO_RANKS = np.empty(0, np.int32)
IN_NO_TEXT = b"\xff"  # no encoded text contains it


class MergeRule(NamedTuple):
    """The result of merging two neighbouring symbols; of several rules the lowest rank goes first."""

    rank: int
    made: int


class MergeRules(Mapping[tuple[int, int], MergeRule]):
    """The rules as a mapping from (left symbol, right symbol)."""

    def __init__(self, model: PairModel) -> None:
        self._model = model

    def __getitem__(self, pair: tuple[int, int]) -> MergeRule:
        if (match := self._model.find(*pair)) is None:
            raise KeyError(pair)
        return MergeRule(*match)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((left, right) for left, right, _, _ in self.table.tolist())

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def table(self) -> NDArray[np.int32]:
        """int32[n, 4]: left, right, rank and result of each rule."""
        return self._model.rules()

    @property
    def by_rank(self) -> NDArray[np.int32]:
        """`table`, which is in hash order, sorted by rank."""
        return self.table[np.argsort(self.table[:, 2], kind="stable")]


class PairMerging:
    """The merge rules of a vocabulary, and everything else that pair merging needs.

    model              the native model; symbols are tokens and, numbered after them, other strings in rules
    takes_whole        whether some pieces that are tokens are not merged
    starts_from_bytes  whether start symbols are bytes rather than characters
    marks_spaces       whether the vocabulary writes a space as U+2581
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        options: PairOptions,
        splitter: SplitterHandle | None,
        tokens: StringTable | None = None,
    ) -> None:
        self.tokens = tokens or vocabulary.token_table
        self.model = PairModel(self.tokens, options, splitter)
        self.n_tokens = len(vocabulary)
        self.takes_whole = options.whole_pieces != NO_PIECES
        self.starts_from_bytes, self.marks_spaces = options.is_byte_level, options.marks_spaces
        self._is_never_merged = options.token_ranks == STAYS_WHOLE
        self._is_unused = options.is_unused

    @cached_property
    def rules(self) -> MergeRules:
        return MergeRules(self.model)

    @cached_property
    def symbol_texts(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The texts of all symbols, spelled as tokens: symbol i is data[offsets[i] : offsets[i + 1]]."""
        return self.model.symbols(as_tokens=True)

    def symbol_text(self, symbol: int) -> bytes:
        data, offsets = self.symbol_texts
        return data[offsets[symbol] : offsets[symbol + 1]].tobytes()

    @cached_property
    def fallbacks(self) -> list[list[tuple[int, int]]]:
        """For each byte, the tokens that stand for it if it belongs to no token.

        Each with the number of bytes that it covers: 0 if it continues the byte of the previous one.
        """
        offsets, ids, leads = self.model.fallbacks()
        pairs = list(zip(ids.tolist(), leads.astype(int).tolist(), strict=True))
        return [pairs[start:end] for start, end in pairwise(offsets.tolist())]

    @cached_property
    def tokens_per_byte(self) -> int:
        """The maximum number of tokens that one byte may become."""
        return max(1, *map(len, self.fallbacks))

    @property
    def takes_apart(self) -> bool:
        """Whether some tokens are split into their parts again after merging."""
        return self._is_unused is not None

    def is_unused(self, symbol: int | None) -> bool:
        """Whether a symbol is an unused token, to be split again."""
        if self._is_unused is None or symbol is None or not 0 <= symbol < self.n_tokens:
            return False
        return bool(self._is_unused[symbol])

    def is_never_merged(self, token: int) -> bool:
        """Whether a piece that is this token is not merged."""
        return token != ABSENT and bool(self._is_never_merged[token])

    def spell(self, data: bytes) -> bytes:
        """The spelling of a token for this text."""
        if self.starts_from_bytes:
            return byte_alphabet.spell(data).encode()
        return data.replace(b" ", MARKED_SPACE) if self.marks_spaces else data

    def symbol_end(self, data: bytes, start: int) -> int:
        """The end of the start symbol that begins at an offset."""
        length = 1 if self.starts_from_bytes else LENGTH_OF_HIGH_NIBBLE[data[start] >> 4]
        return min(start + length, len(data))

    def start_symbols(self, data: bytes) -> list[tuple[int, int, int]]:
        """Symbol, start and end of each start symbol of a piece."""
        match, start = [], 0
        while start < len(data):
            end = self.symbol_end(data, start)
            match.append((self.model.start_symbol(data[start:end]), start, end))
            start = end
        return match

    def tokens_of(self, symbol: int | None, data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
        """Token, start and end of the tokens for a symbol that is data[start:end]."""
        if symbol is not None and 0 <= symbol < self.n_tokens:
            return [(symbol, start, end)]
        return [
            (token, at + 1 - covered, at + 1)
            for at in range(start, end)
            for token, covered in self.fallbacks[data[at]]
        ]

    def find_piece(self, data: bytes) -> int:
        """The token that is a whole piece, or ABSENT."""
        return int(self.tokens.find([self.spell(data)])[0])


def byte_pair_merging(
    vocabulary: Vocabulary, whole_pieces: int = NO_PIECES, splitter: SplitterHandle | None = None
) -> PairMerging:
    """The merges that a BPE file lists, by rank, or all merges that make its tokens."""
    if vocabulary.parts is not None:
        return listed_merging(vocabulary, vocabulary.parts, splitter)
    rules = vocabulary.rules
    options = PairOptions(
        merges=None if rules.merges_all_pairs else (vocabulary.merge_data, vocabulary.merge_offsets),
        token_ranks=_ranks_of_ids(vocabulary) if rules.merges_all_pairs else NO_RANKS,
        unknown=None,
        is_byte_level=rules.byte_encoding,
        marks_spaces=rules.escape_spaces and not rules.byte_encoding,
        byte_tokens=NAMED,
        whole_pieces=whole_pieces,
        cuts_short=rules.escape_spaces,
    )
    return PairMerging(vocabulary, options, splitter)


def listed_merging(
    vocabulary: Vocabulary, parts: Parts, splitter: SplitterHandle | None = None
) -> PairMerging:
    """The merges of a file of `tokenizers`; raises VocabError if they name texts that are not tokens.

    `splitter` cuts byte-level pieces; its presence or absence changes no merge.
    """
    model, is_byte_level = parts.model, parts.merges_bytes
    options = PairOptions(
        merges=(vocabulary.merge_data, vocabulary.merge_offsets),
        token_ranks=NO_RANKS,
        unknown=None,
        is_byte_level=is_byte_level,
        marks_spaces=False,
        byte_tokens=NAMED,
        whole_pieces=ALL_PIECES if model.ignore_merges else NO_PIECES,
        cuts_short=not is_byte_level,
        separator=vocabulary.merge_separator,
        n_dropped=len(model.continuing_prefix.encode()),
        last_rule_counts=True,
    )
    merging = PairMerging(vocabulary, options, splitter, _tokens_of_model(vocabulary, parts))
    if len(merging.model) > len(vocabulary):
        text = quoted(merging.symbol_text(len(vocabulary)))
        raise VocabError(
            f"{vocabulary.path or vocabulary.name} has a merge rule with “{text}”, which is not one "
            "of its tokens. Download it again, or choose another file.",
            "merge_of_no_token",
        )
    return merging


def _tokens_of_model(vocabulary: Vocabulary, parts: Parts) -> StringTable:
    """The texts of all tokens; the model must not find added tokens, so theirs are replaced."""
    others = np.flatnonzero(~parts.in_model)
    if not len(others):
        return vocabulary.token_table
    data, offsets = vocabulary.token_data.copy(), vocabulary.token_offsets
    data[offsets[others]] = IN_NO_TEXT[0]
    return StringTable(data, offsets)


def sentence_piece_merging(vocabulary: Vocabulary) -> PairMerging:
    """All ways to cut a token in two; the token with the best score is made first.

    Raises VocabError if there are too many, which happens only in files made for that.
    """
    unknown = vocabulary.special_ids.unk
    options = PairOptions(
        merges=None,
        token_ranks=_ranks_of_scores(vocabulary.scores),
        unknown=NO_TOKEN if unknown is None else unknown,
        is_byte_level=False,
        marks_spaces=vocabulary.rules.escape_spaces,
        byte_tokens=NAMED_OR_RAW,
        whole_pieces=NO_PIECES,
        cuts_short=True,
    )
    if vocabulary.pieces is not None:
        vocabulary, options = _as_in_library(vocabulary, vocabulary.pieces, options)
    try:
        return PairMerging(vocabulary, options, None)
    except ValueError as error:
        raise VocabError(
            f"{vocabulary.path or vocabulary.name} has tokens that can be split in two in more than 33 "
            "million ways. Choose a file with shorter tokens."
        ) from error


def _as_in_library(
    vocabulary: Vocabulary, rules: PieceRules, options: PairOptions
) -> tuple[Vocabulary, PairOptions]:
    """The options with the differences between SentencePiece and llama.cpp.

    Text becomes no control, unknown or byte piece, and no user-defined one by merging.  Control, unknown and
    unused pieces of a single character, which would need no merging, are renamed.
    """
    types = vocabulary.stored_types
    ranks = _ranks_of_bits(vocabulary.scores) if rules.merges else np.full(len(types), NO_RANK, np.int32)
    ranks[np.isin(types, (UNKNOWN_TYPE, CONTROL_TYPE, BYTE_TYPE))] = NO_RANK
    ranks[types == USER_DEFINED_TYPE] = STAYS_WHOLE
    lengths, firsts = np.diff(vocabulary.token_offsets), vocabulary.token_data[vocabulary.token_offsets[:-1]]
    is_single = lengths == np.array(LENGTH_OF_HIGH_NIBBLE)[firsts >> 4]
    hidden = np.flatnonzero(is_single & np.isin(types, (UNKNOWN_TYPE, CONTROL_TYPE, UNUSED_TYPE)))
    is_unused = (types == UNUSED_TYPE) & ~is_single
    return _renamed(vocabulary, hidden) if len(hidden) else vocabulary, options._replace(
        token_ranks=ranks,
        byte_tokens=NAMED if rules.has_byte_fallback else NO_BYTE_TOKENS,
        whole_pieces=AS_RANKED,
        is_unused=is_unused if is_unused.any() else None,
    )


def _renamed(vocabulary: Vocabulary, rows: NDArray[np.intp]) -> Vocabulary:
    """The same vocabulary, with texts for some tokens that occur in no encoded text."""
    texts = [vocabulary.raw_text(row) for row in stoppable(range(len(vocabulary)))]
    for row in rows.tolist():
        texts[row] = IN_NO_TEXT + texts[row]
    data, offsets = packed(texts)
    return replace(vocabulary, token_data=data, token_offsets=offsets, token_table=StringTable(data, offsets))


def without_texts(vocabulary: Vocabulary, rows: NDArray[np.intp]) -> Vocabulary:
    """The same vocabulary, but no text becomes one of these tokens, nor does anything merge to them."""
    changed = _renamed(vocabulary, rows)
    if not (merges := vocabulary.merges):
        return changed
    hidden = {vocabulary.raw_text(row) for row in rows.tolist()}
    n_dropped = 0 if vocabulary.parts is None else len(vocabulary.parts.model.continuing_prefix.encode())
    rules = zip(sliced(vocabulary.merge_data, vocabulary.merge_offsets), merges, strict=True)
    data, offsets = packed(
        [rule for rule, (left, right) in rules if hidden.isdisjoint((left, right, left + right[n_dropped:]))]
    )
    return replace(changed, merge_data=data, merge_offsets=offsets)


def _ranks_of_ids(vocabulary: Vocabulary) -> NDArray[np.int32]:
    """The ids of normal tokens; nothing merges to other tokens."""
    is_normal = vocabulary.attributes & Attribute.NORMAL != 0
    return np.where(is_normal, np.arange(len(vocabulary)), NO_RANK).astype(np.int32)


def _ranks_of_bits(scores: NDArray[np.float32]) -> NDArray[np.int32]:
    """The same, with scores compared as in SentencePiece: -0.0 is worse than 0.0."""
    bits = scores.view(np.int32)
    return _ranks(np.where(bits < 0, np.int32(-1) - (bits & 0x7FFFFFFF), bits))


def _ranks_of_scores(scores: NDArray[np.float32]) -> NDArray[np.int32]:
    """0 for the best score, equal for equal scores; NaN comes last."""
    return _ranks(np.where(np.isnan(scores), np.float32(-np.inf), scores))


def _ranks(values: NDArray[Any]) -> NDArray[np.int32]:
    ascending, rows = np.unique(values, return_inverse=True)
    return (len(ascending) - 1 - rows).astype(np.int32)
