"""Merge rules of a vocabulary: a mapping to read, arrays to run.

BPE files list their merges.  SPM files have none: there any two neighbours merge whose concatenation is a
token, better scores first, so the rules are all ways to cut a token in two.  Behind that both are the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import merges as kernels
from guiapp.core.kernels import string_table
from guiapp.core.kernels.merges import ABSENT, MergeArrays, SymbolArrays
from guiapp.core.kernels.string_table import StringTable
from guiapp.core.vocab.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.core.vocab.vocabulary import Vocabulary

MARKED_SPACE = "▁".encode()  # U+2581
LONGEST_CUT_EVERYWHERE = 4096  # bytes; no token of a model is a tenth as long
NO_TOKEN = -1  # in the output: a byte that the vocabulary cannot express
LENGTH_OF_HIGH_NIBBLE = (1,) * 12 + (2, 2, 3, 4)  # bytes of the UTF-8 character that begins with it


class MergeRule(NamedTuple):
    """What becomes of two neighbouring symbols; of several rules the lowest rank goes first."""

    rank: int
    made: int


class MergeRules(Mapping[tuple[int, int], MergeRule]):
    """The rules as a mapping from (left symbol, right symbol), read straight from the arrays."""

    def __init__(self, arrays: MergeArrays) -> None:
        self._arrays = arrays
        self._rows = arrays.rows.reshape(-1, 2)

    def __getitem__(self, pair: tuple[int, int]) -> MergeRule:
        value = find_merge_interpreted(self._arrays, *pair)
        if value == kernels.NO_MERGE:
            raise KeyError(pair)
        return MergeRule(value >> 32, value & 0xFFFFFFFF)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        keys = self._rows[:, 0]
        return ((int(key) >> 32, int(key) & 0xFFFFFFFF) for key in keys[keys >= 0])

    def __len__(self) -> int:
        return int(np.count_nonzero(self._rows[:, 0] >= 0))


def find_merge_interpreted(arrays: MergeArrays, left: int, right: int) -> int:
    """`find_merge` of the kernels, outside of a kernel."""
    with np.errstate(over="ignore"):  # the hash wraps around on purpose
        return int(kernels.find_merge(arrays, left, right))


@dataclass(frozen=True)
class Spelling:
    """How a vocabulary's token texts write the bytes of a text, and how a text falls into start symbols.

    spelled          for each byte what stands for it in token texts
    symbol_lengths   for each byte how many bytes the start symbol that begins with it has
    byte_token_name  for each byte of a token text, the token to use where the text itself is no token
    """

    spelled: tuple[bytes, ...]
    symbol_lengths: tuple[int, ...]
    byte_token_names: tuple[tuple[bytes, ...], ...]


def byte_pair_spelling(vocabulary: Vocabulary) -> Spelling:
    """Byte-level BPE writes stand-ins and starts from bytes; the others start from characters."""
    if vocabulary.rules.byte_encoding:
        return Spelling(
            tuple(character.encode() for character in CHARACTER_OF_BYTE),
            (1,) * 256,
            tuple((bytes([byte]),) for byte in range(256)),
        )
    return _character_spelling(vocabulary, tuple((b"<0x%02X>" % byte,) for byte in range(256)))


def sentence_piece_spelling(vocabulary: Vocabulary) -> Spelling:
    return _character_spelling(vocabulary, tuple((b"<0x%02X>" % byte, bytes([byte])) for byte in range(256)))


def _character_spelling(vocabulary: Vocabulary, names: tuple[tuple[bytes, ...], ...]) -> Spelling:
    spelled = [bytes([byte]) for byte in range(256)]
    if vocabulary.rules.escape_spaces:
        spelled[0x20] = MARKED_SPACE
    lengths = tuple(LENGTH_OF_HIGH_NIBBLE[byte >> 4] for byte in range(256))
    return Spelling(tuple(spelled), lengths, names)


@dataclass(frozen=True, eq=False)
class PairMerging:
    """Everything that pair merging needs to know about a vocabulary.

    strings       finds tokens by their texts
    spelling      how those texts write the bytes of a text
    other_symbols texts of the symbols that are no tokens, from number len(vocabulary) on
    byte_tokens   tokens like `<0x0A>`, which stand for one byte of a text wherever they are written
    untold_bytes  bytes that make it unclear from ids alone where tokens begin and end: they may be left
                  out, or stand as several tokens, or as one that can also stand for more
    """

    strings: StringTable
    spelling: Spelling
    symbols: SymbolArrays
    merges: MergeArrays
    other_symbols: tuple[bytes, ...]
    byte_tokens: NDArray[np.int32]
    untold_bytes: frozenset[int]

    @property
    def marks_spaces(self) -> bool:
        """Whether the vocabulary writes a space as U+2581."""
        return self.spelling.spelled[0x20] == MARKED_SPACE

    @property
    def starts_from_bytes(self) -> bool:
        """Whether start symbols are bytes rather than characters."""
        return max(self.spelling.symbol_lengths) == 1

    @property
    def symbol_texts(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The texts of all symbols: symbol i is data[offsets[i] : offsets[i + 1]]."""
        return _joined(self.strings, self.other_symbols)

    @cached_property
    def rules(self) -> MergeRules:
        return MergeRules(self.merges)

    def start_symbols(self, data: bytes) -> list[tuple[int, int, int]]:
        """Symbol, start and end of each start symbol of a piece."""
        array = np.frombuffer(bytearray(data), np.uint8)
        found, start = [], 0
        while start < len(data):
            end = min(start + self.spelling.symbol_lengths[data[start]], len(data))
            with np.errstate(over="ignore"):
                symbol = int(kernels.start_symbol(self.symbols, array, start, end))
            found.append((symbol, start, end))
            start = end
        return found

    def tokens_of(self, symbol: int | None, data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
        """Token, start and end of what is written for a symbol, which is data[start:end]."""
        if symbol is not None and 0 <= symbol < self.symbols.n_tokens:
            return [(symbol, start, end)]
        tokens = []
        for at in range(start, end):
            first, last = self.symbols.fallback_offsets[data[at] : data[at] + 2]
            for token, leads in zip(
                self.symbols.fallback_ids[first:last], self.symbols.fallback_leads[first:last], strict=True
            ):
                tokens.append((int(token), at + 1 - int(leads), at + 1))
        return tokens

    def find_piece(self, data: bytes) -> int:
        """The token that is a whole piece, or ABSENT."""
        spelled = b"".join(self.spelling.spelled[byte] for byte in data)
        return int(string_table.find_all(self.strings, [spelled])[0])


def byte_pair_merging(vocabulary: Vocabulary) -> PairMerging:
    """The merges that a BPE file lists, by rank."""
    strings = vocabulary.token_table
    n_merges = len(vocabulary.merge_offsets) - 1
    lefts, rights, made = (np.empty(n_merges, np.int32) for _ in range(3))
    spaces = np.empty(n_merges, np.int64)
    data, offsets = vocabulary.merge_data, vocabulary.merge_offsets
    kernels.resolve_merges(strings, data, offsets, lefts, rights, made, spaces)
    others = _Symbols(len(vocabulary))
    for row in np.flatnonzero((lefts == ABSENT) | (rights == ABSENT) | (made == ABSENT)):
        text = data[offsets[row] : offsets[row + 1]].tobytes()
        cut = int(spaces[row] - offsets[row])
        left, right = text[:cut], text[cut + 1 :]
        lefts[row] = others.number(left, int(lefts[row]))
        rights[row] = others.number(right, int(rights[row]))
        made[row] = others.number(left + right, int(made[row]))
    ranks = np.arange(n_merges, dtype=np.int32)
    spelling = byte_pair_spelling(vocabulary)
    return _pair_merging(strings, spelling, others, lefts, rights, ranks, made, None)


def sentence_piece_merging(vocabulary: Vocabulary) -> PairMerging:
    """All ways to cut a token in two; the token with the best score is made first."""
    strings = vocabulary.token_table
    spelling = sentence_piece_spelling(vocabulary)
    room = len(vocabulary.token_data)
    lefts, rights, made = (np.empty(room, np.int32) for _ in range(3))
    cuts = np.empty(room, np.int64)
    lengths = np.array(spelling.symbol_lengths, np.uint8)
    if np.diff(vocabulary.token_offsets).max(initial=0) <= LONGEST_CUT_EVERYWHERE:
        n_merges = kernels.split_tokens(strings, lengths, lefts, rights, made, cuts)
    else:
        n_merges = _split_long_tokens(vocabulary, lefts, rights, made, cuts)
    lefts, rights, made = lefts[:n_merges], rights[:n_merges], made[:n_merges]
    others = _Symbols(len(vocabulary))
    for row in np.flatnonzero((lefts == ABSENT) | (rights == ABSENT)):
        token, cut = int(made[row]), int(cuts[row] - vocabulary.token_offsets[made[row]])
        text = vocabulary.raw_text(token)
        lefts[row] = others.number(text[:cut], int(lefts[row]))
        rights[row] = others.number(text[cut:], int(rights[row]))
    ranks = _ranks_of_scores(vocabulary.scores)[made]
    unknown = vocabulary.special_ids.unk
    return _pair_merging(
        strings, spelling, others, lefts, rights, ranks, made, NO_TOKEN if unknown is None else unknown
    )


def _split_long_tokens(
    vocabulary: Vocabulary,
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    made: NDArray[np.int32],
    cuts: NDArray[np.int64],
) -> int:
    """The same as `kernels.split_tokens`, which would compare all ends of a long token with all tokens.

    Only where some token is as long as the left side is there anything to compare.
    """
    texts = [vocabulary.raw_text(token) for token in range(len(vocabulary))]
    ids = {text: token for token, text in enumerate(texts)}
    sizes = sorted({len(text) for text in texts})
    count = 0
    for token, text in enumerate(texts):
        first = _symbol_length(text, 0)
        for cut in sorted({first, *sizes[: bisect_left(sizes, len(text))]}):
            if cut >= len(text) or (text[:cut] not in ids and cut != first):
                continue
            if text[cut:] not in ids and len(text) - cut > _symbol_length(text, cut):
                continue
            lefts[count], rights[count] = ids.get(text[:cut], ABSENT), ids.get(text[cut:], ABSENT)
            made[count], cuts[count] = token, vocabulary.token_offsets[token] + cut
            count += 1
    return count


def _symbol_length(text: bytes, at: int) -> int:
    return LENGTH_OF_HIGH_NIBBLE[text[at] >> 4]


def _ranks_of_scores(scores: NDArray[np.float32]) -> NDArray[np.int32]:
    """0 for the best score, equal for equal scores; what is not a number comes last."""
    known = np.where(np.isnan(scores), np.float32(-np.inf), scores)
    ascending, rows = np.unique(known, return_inverse=True)
    return (len(ascending) - 1 - rows).astype(np.int32)


class _Symbols:
    """Numbers for the symbols that are no tokens."""

    def __init__(self, n_tokens: int) -> None:
        self.n_tokens = n_tokens
        self._numbers: dict[bytes, int] = {}

    def number(self, text: bytes, token: int) -> int:
        """The symbol of `text`, which is the token with this id unless that is ABSENT."""
        if token != ABSENT:
            return token
        return self._numbers.setdefault(text, self.n_tokens + len(self._numbers))

    @property
    def texts(self) -> tuple[bytes, ...]:
        return tuple(self._numbers)

    def get(self, text: bytes) -> int:
        return self._numbers.get(text, ABSENT)


def _pair_merging(
    strings: StringTable,
    spelling: Spelling,
    others: _Symbols,
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    ranks: NDArray[np.int32],
    made: NDArray[np.int32],
    unknown: int | None,
) -> PairMerging:
    n_slots = _slots_for(len(lefts))
    merges = MergeArrays(np.full(2 * n_slots, -1, np.int64), _odd_number())
    kernels.enter_merges(merges, lefts, rights, ranks, made)
    symbols = _symbol_arrays(strings, spelling, others, unknown)
    byte_tokens = _byte_tokens(symbols, made)
    untold = _untold_bytes(symbols, others, spelling, byte_tokens)
    return PairMerging(strings, spelling, symbols, merges, others.texts, byte_tokens, untold)


def _byte_tokens(symbols: SymbolArrays, made: NDArray[np.int32]) -> NDArray[np.int32]:
    """What bytes fall back to, except tokens that longer text can become, too."""
    found: NDArray[np.int32] = symbols.fallback_ids[symbols.fallback_ids != NO_TOKEN]
    if symbols.lengths.max() == 1:
        return found  # these are spelled like the bytes that they stand for
    characters = symbols.character_ids[symbols.character_keys >= 0]
    short: NDArray[np.int32] = found[~(np.isin(found, made) | np.isin(found, characters))]
    return short


def _untold_bytes(
    symbols: SymbolArrays, others: _Symbols, spelling: Spelling, byte_tokens: NDArray[np.int32]
) -> frozenset[int]:
    can_fall_back = (symbols.of_byte == ABSENT) | (symbols.of_byte >= symbols.n_tokens)
    if symbols.lengths.max() > 1:
        can_fall_back[0x80:] = True
    for byte, text in enumerate(spelling.spelled):
        can_fall_back[byte] |= any(text in other for other in others.texts)
    is_ambiguous = ~np.isin(symbols.fallback_ids, byte_tokens)
    untold = set()
    for byte in np.flatnonzero(can_fall_back).tolist():
        first, last = symbols.fallback_offsets[byte : byte + 2]
        if last - first != 1 or is_ambiguous[first]:
            untold.add(byte)
    return frozenset(untold)


def _symbol_arrays(
    strings: StringTable, spelling: Spelling, others: _Symbols, unknown: int | None
) -> SymbolArrays:
    of_byte = string_table.find_all(strings, list(spelling.spelled))
    for byte, text in enumerate(spelling.spelled):
        if of_byte[byte] == ABSENT:
            of_byte[byte] = others.get(text)
    fallbacks = _fallbacks(strings, spelling, unknown)
    spread = _odd_number()
    lengths = np.array(spelling.symbol_lengths, np.uint8)
    keys, ids = _character_table(strings, others, lengths, spread)
    flat = [token for tokens in fallbacks for token in tokens]
    return SymbolArrays(
        n_tokens=others.n_tokens,
        spread=spread,
        lengths=lengths,
        of_byte=of_byte,
        character_keys=keys,
        character_ids=ids,
        fallback_offsets=np.cumsum([0, *map(len, fallbacks)], dtype=np.int32),
        fallback_ids=np.array([token for token, _ in flat], np.int32),
        fallback_leads=np.array([leads for _, leads in flat], np.uint8),
    )


def _fallbacks(strings: StringTable, spelling: Spelling, unknown: int | None) -> list[list[tuple[int, bool]]]:
    """For each byte of a text the tokens that stand for it, and whether each is the first to do so.

    llama.cpp leaves out bytes without a token in BPE and fails in SPM, where we take the unknown token.
    """
    names = [name for choices in spelling.byte_token_names for name in choices]
    ids = string_table.find_all(strings, names).reshape(256, -1)
    of_spelled = [next((int(token) for token in row if token != ABSENT), unknown) for row in ids]
    return [
        [(token, at == 0) for at, part in enumerate(text) if (token := of_spelled[part]) is not None]
        for text in spelling.spelled
    ]


def _character_table(
    strings: StringTable, others: _Symbols, lengths: NDArray[np.uint8], spread: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Start symbols of several bytes, tokens or not, by their bytes."""
    data, offsets = _joined(strings, others.texts)
    is_short = np.diff(offsets) <= (4 if lengths.max() > 1 else 0)
    n_slots = _slots_for(int(np.count_nonzero(is_short)))
    keys, ids = np.full(n_slots, -1, np.int64), np.empty(n_slots, np.int32)
    if lengths.max() > 1:
        kernels.enter_characters(keys, ids, spread, data, offsets, lengths)
    return keys, ids


def _joined(strings: StringTable, others: tuple[bytes, ...]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The strings of a table and then some others."""
    if not others:
        return strings.data, strings.offsets
    data = np.concatenate([strings.data, np.frombuffer(b"".join(others), np.uint8)])
    ends = strings.offsets[-1] + np.cumsum([len(text) for text in others], dtype=np.int64)
    return data, np.concatenate([strings.offsets, ends])


def _slots_for(n_rows: int) -> int:
    return 1 << max(4, (2 * n_rows - 1).bit_length())


def _odd_number() -> int:
    return string_table.random_bits(61) | 1 | 1 << 61
