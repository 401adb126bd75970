"""Pair merging: the rules of a vocabulary, and encoders that use them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_int32, c_uint64, c_void_p
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.native.binding import (
    SHORT_TEXT,
    SPARE_IDS,
    Array,
    Bytes,
    Handle,
    Ints,
    Pool,
    TokenColumns,
    WideInts,
    arrays,
    cut,
    fast_function,
    function,
    long_function,
    secret,
    tokens_by,
)
from guiapp.native.model_files import Packed, StringTable
from guiapp.native.normalized import SplitterHandle
from guiapp.native.special_tokens import CallOptions
from guiapp.native.token_tree import TokenTreeHandle

_greedy_encode = function("greedy_encode(handle, handle, bytes, wide_ints, >tokens)")
_fewest_encode = function("fewest_encode(handle, handle, unsigned, bytes, wide_ints, >tokens)")
_backtrack_encode = function("backtrack_encode(handle, handle, bytes, wide_ints, >tokens)")
_table_encode = function("table_encode(handle, handle, bytes, wide_ints, >tokens)")
_longest_symbol = function("pairs_longest_symbol(handle)")
_derivations_new = function("derivations_new(handle, >flags) -> handle")
_are_compatible = function("are_compatible(handle, int, int)")
NO_PIECES, NEWLINES, ALL_PIECES, AS_RANKED = range(4)  # which pieces that are tokens are not merged
NO_BYTE_TOKENS, NAMED, NAMED_OR_RAW = range(3)  # which tokens stand for bytes
STAYS_WHOLE = -1  # instead of a rank
NO_RANK = 0x7FFFFFFF  # see `PairOptions.token_ranks`
MOST_PER_CHARACTER = 4  # bytes
MOST_AROUND = 8  # maximum number of ids before a text, and after it, in one call


class _PairSource(ctypes.Structure):
    _fields_ = (
        *arrays("merge_data", "merge_offsets", "token_ranks", "is_unused"),
        ("unknown", c_int32),
        ("is_byte_level", c_int32),
        ("marks_spaces", c_int32),
        ("byte_tokens", c_int32),
        ("separator", c_int32),
        ("n_dropped", c_int32),
        ("last_stays", c_int32),
        ("secret", c_uint64),
    )


_pairs_new = long_function("pairs_new(handle, structure, handle, int, int) -> handle")
_pairs_find = function("pairs_find(handle, int, int)")
_pairs_rules = function("pairs_rules(handle, >ints)")
_pairs_start_symbol = function("pairs_start_symbol(handle, bytes)")
_pairs_n_symbols = function("pairs_n_symbols(handle)")
_pairs_symbols = function("pairs_symbols(handle, int, >bytes, >wide_ints)")
_pairs_fallbacks = function("pairs_fallbacks(handle, >ints, >ints, >bytes)")
_pairs_lengths = function("pairs_lengths(handle, int, >ints)")
_pairs_last_cut = function("pairs_last_cut(handle, bytes, wide_int)")
_pairs_first_cut = function("pairs_first_cut(handle, bytes, wide_int)")
_pair_encoder_new = function("pair_encoder_new(handle, handle) -> handle")
_pairs_encode_text = function("encode_text(handle, structure, handle, wide_int, flag, >ints)")
_pairs_encode_short = fast_function("encode_short")
_pairs_has_marked_space = function("pairs_has_marked_space(handle, bytes)")
_pairs_encode_each = function("encode_each(handle, structure, bytes, wide_ints, >ints, >wide_ints)")
_tile_spans = function("tile_spans(structure, bytes, ints, ints, >wide_ints)")
_pairs_encode_pieces = function("encode_pieces(handle, int, bytes, wide_ints, >ints)")
_pairs_merge = function("merge_pieces(handle, int, int, bytes, wide_ints, >tokens)")
_merge_symbols = function("merge_symbols(handle, int, ints, wide_ints, >tokens)")

_utf8_of = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, ctypes.POINTER(ctypes.c_ssize_t))(
    ("PyUnicode_AsUTF8AndSize", ctypes.pythonapi)
)


def _utf8(text: str) -> tuple[int, int]:
    """Address and size of the UTF-8 of a text, which lives as long as the text; no copy if it is ASCII.

    Raises UnicodeEncodeError for lone surrogates.
    """
    size = ctypes.c_ssize_t()
    return _utf8_of(text, size), size.value


class PairOptions(NamedTuple):
    """How a vocabulary's texts spell and merge.

    merges           its rules by rank, each two texts with a separator between, packed; None if any two
                     symbols merge whose texts make a token
    token_ranks      int32[n]: in that case the rank of each token, NO_RANK if nothing becomes it, and
                     STAYS_WHOLE if also a piece that is such a token is not merged
    unknown          the token for bytes without one, -1 to mark them in the output, None to leave them out
    is_byte_level    tokens spell bytes with GPT-2's printable characters
    marks_spaces     tokens spell a space as U+2581
    byte_tokens      NO_BYTE_TOKENS, NAMED (like <0x0A>), NAMED_OR_RAW: also tokens of one byte stand for it
    whole_pieces     NO_PIECES, NEWLINES, ALL_PIECES or AS_RANKED
    cuts_short       pieces are lines or whole texts rather than words
    separator        a byte; its first occurrence after another byte counts
    n_dropped        bytes at the start of a rule's right side that are not in its result
    last_rule_counts   of several rules for one pair the last counts, not the first
    is_unused        bool[n]: tokens that are split again, into the pair that last could merge into each
    """

    merges: Packed | None
    token_ranks: Ints
    unknown: int | None
    is_byte_level: bool
    marks_spaces: bool
    byte_tokens: int
    whole_pieces: int
    cuts_short: bool
    separator: bytes = b" "
    n_dropped: int = 0
    last_rule_counts: bool = False
    is_unused: NDArray[np.bool_] | None = None


class PairModel(Handle, free="pairs_free"):
    """Merge rules of a vocabulary, and encoders that use them.  Threads may share it.

    Symbols are tokens, and after these the strings in rules that are not tokens; see pair_rules.h.
    """

    def __init__(self, tokens: StringTable, options: PairOptions, splitter: SplitterHandle | None) -> None:
        data, offsets = options.merges or (np.empty(0, np.uint8), np.empty(0, np.int64))
        is_unused = np.empty(0, np.bool_) if options.is_unused is None else options.is_unused
        source = _PairSource(
            *map(Array.of, (data, offsets, options.token_ranks, is_unused)),
            -2 if options.unknown is None else options.unknown,
            options.is_byte_level,
            options.marks_spaces,
            options.byte_tokens,
            options.separator[0],
            options.n_dropped,
            options.last_rule_counts,
            secret(),
        )
        address = _pairs_new(tokens, source, splitter, options.whole_pieces, options.cuts_short)
        super().__init__(address, tokens, splitter)
        self._encoders = Pool(partial(_PairEncoder, self.address))  # `self` would be a reference cycle

    def __len__(self) -> int:
        """The number of symbols."""
        return int(_pairs_n_symbols(self))

    def find(self, left: int, right: int) -> tuple[int, int] | None:
        """Rank and result of the rule for two symbols."""
        match = _pairs_find(self, left, right)
        return None if match < 0 else (match >> 32, match & 0xFFFFFFFF)

    def rules(self) -> Ints:
        """int32[n, 4]: left, right, rank and result of all rules, in no particular order."""
        rules = np.empty(_pairs_rules(self, np.empty(0, np.int32)), np.int32)
        _pairs_rules(self, rules)
        return rules.reshape(-1, 4)

    def start_symbol(self, symbol: bytes) -> int:
        """The symbol of a byte or a character, -1 if no rule contains it."""
        return int(_pairs_start_symbol(self, np.frombuffer(symbol, np.uint8)))

    def symbols(self, as_tokens: bool) -> Packed:
        """The texts of all symbols, spelled as tokens or as the bytes that they stand for, packed."""
        offsets = np.zeros(len(self) + 1, np.int64)
        size = _pairs_symbols(self, as_tokens, np.empty(0, np.uint8), offsets)
        data = np.empty(size, np.uint8)
        _pairs_symbols(self, as_tokens, data, offsets)
        return data, offsets

    def fallbacks(self) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """The tokens that stand for each byte of a symbol that is not a token: offsets int32[257], ids, and
        which of them stand for the byte rather than continue it.
        """
        offsets, none = np.zeros(257, np.int32), np.empty(0, np.int32)
        count = _pairs_fallbacks(self, offsets, none, np.empty(0, np.uint8))
        ids, leads = np.empty(count, np.int32), np.empty(count, np.uint8)
        _pairs_fallbacks(self, offsets, ids, leads)
        return offsets, ids, leads.astype(np.bool_)

    def token_lengths(self, of_marked: bool) -> Ints:
        """The number of bytes that each token stands for, in a text with U+2581 for spaces if `of_marked`."""
        lengths = np.empty(_pairs_lengths(self, 0, np.empty(0, np.int32)), np.int32)
        _pairs_lengths(self, of_marked, lengths)
        return lengths

    def last_cut(self, text: Bytes, end: int) -> int:
        """The last offset in text[:end] that no merge crosses, whatever text follows; or 0."""
        return int(_pairs_last_cut(self, text, end))

    def first_cut(self, text: Bytes, position: int) -> int:
        """The first offset in text[position:] that no merge crosses, whatever precedes; or the size."""
        return int(_pairs_first_cut(self, text, position))

    def has_marked_space(self, text: Bytes) -> bool:
        """Whether a text contains U+2581 itself, so that a space byte cannot stand for it."""
        return bool(_pairs_has_marked_space(self, text))

    def encode_text(self, text: str | bytes, options: CallOptions) -> Ints | None:
        """The ids of a text, including special tokens and those around it; the splitter cuts the rest.

        None if ids do not determine spans, and if `options` reject the text.
        """
        if len(text) > SHORT_TEXT:
            return self._encode_long(text, options)
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        try:
            encoder = self._encoders.idle.pop()  # as `take` does, whose call would be noticeable here
        except IndexError:
            encoder = self._encoders.take()
        if encoder.options is not options:
            encoder.put_in(options)
        count = _pairs_encode_short(encoder.handle, options.reference, data, len(data))
        ids = None if count < 0 else encoder.views[count].copy()
        self._encoders.idle.append(encoder)
        if options.after and ids is not None:
            ids[len(ids) - len(options.after) :] = options.after
        return ids

    def _encode_long(self, text: str | bytes, options: CallOptions) -> Ints | None:
        if len(text) > options.most_bytes:  # before its UTF-8 is made, which a str caches
            return None
        is_plain = isinstance(text, str)
        try:
            data, size = _utf8(text) if isinstance(text, str) else (text, len(text))
        except UnicodeEncodeError:
            return None
        if size > options.most_bytes:
            return None
        n_before, n_after = len(options.before), len(options.after)
        ids = np.empty(n_before + _room(size, options) + n_after, np.int32)
        count = self._with_encoder(_pairs_encode_text, options, data, size, is_plain, ids[n_before:])
        if count < 0:
            return None
        cut(ids, n_before + count + n_after)
        ids[:n_before], ids[n_before + count :] = options.before, options.after
        return ids

    def encode_each(self, texts: Bytes, ends: WideInts, options: CallOptions) -> tuple[Ints, WideInts]:
        """The ids of concatenated texts, and the count of each; up to a text that `encode_text` rejects."""
        ids, counts = np.empty(_room(len(texts), options), np.int32), np.zeros(len(ends), np.int64)
        n_texts = self._with_encoder(_pairs_encode_each, options, texts, ends, ids, counts)
        return cut(ids, int(counts[:n_texts].sum())), counts[:n_texts]

    def encode_pieces(self, text: Bytes, ends: WideInts, may_have_marked_spaces: bool) -> Ints | None:
        """The ids of a repaired text by pieces (no `ends`: by the splitter); None if spans do not follow."""
        ids = np.empty(len(text) + SPARE_IDS, np.int32)
        count = self._with_encoder(_pairs_encode_pieces, may_have_marked_spaces, text, ends, ids)
        return None if count < 0 else cut(ids, count)

    def merge_pieces(
        self, text: Bytes, ends: WideInts, by_heap: bool, takes_whole: bool, room: int
    ) -> TokenColumns:
        """The tokens of all pieces, each merged; there is room for `room` tokens."""
        merge = partial(self._with_encoder, _pairs_merge)
        return tokens_by(merge, by_heap, takes_whole, text, ends, room=room)

    def merge_symbols(self, symbols: Ints, ends: WideInts, by_heap: bool) -> TokenColumns:
        """The tokens of pieces of start symbols; offsets count symbols."""
        merge = partial(self._with_encoder, _merge_symbols)
        return tokens_by(merge, by_heap, symbols, ends, room=len(symbols))

    def prepare(self) -> None:
        """Make the encoder now that the first encoding would make."""
        self._encoders.prepare()

    def _with_encoder(self, call: Callable[..., int], *arguments: object) -> int:
        encoder = self._encoders.take()
        result = call(encoder, *arguments)
        self._encoders.idle.append(encoder)
        return result


def _room(size: int, options: CallOptions) -> int:
    """The room for the ids of a text of `size` bytes."""
    return (4 if options.marks_spaces else 2 if options.adds_space else 1) * size + SPARE_IDS


def tile_spans(
    options: CallOptions, text: Bytes, lengths: Ints, ids: Ints
) -> tuple[WideInts, WideInts] | None:
    """Starts and ends of adjacent tokens between special ones; None if tokens cannot be adjacent.

    lengths  int32[n]: the number of text bytes that each token stands for
    """
    spans = np.empty((len(ids), 2), np.int64)  # as in an `Encoding`: a long text needs no second array
    return (
        None
        if _tile_spans(options, text, lengths, ids, spans.reshape(-1)) < 0
        else (spans[:, 0], spans[:, 1])
    )


class _PairEncoder(Handle, free="pair_encoder_free"):
    """Encodes one text after another, for one thread at a time.

    handle    its address as `fast_function`s take it
    options   of the last short text
    views     of its ids, by their number, in memory that the next text overwrites
    """

    def __init__(self, model: int) -> None:
        self._ids = np.empty(2 * MOST_AROUND + 4 * MOST_PER_CHARACTER * SHORT_TEXT + SPARE_IDS, np.int32)
        first = self._ids.ctypes.data + self._ids.itemsize * MOST_AROUND
        super().__init__(_pair_encoder_new(model, first))  # the model owns it, not vice versa
        self.handle = c_void_p(self.address)
        self.options: CallOptions | None = None

    def put_in(self, options: CallOptions) -> None:
        """Write the ids before those of a short text: most calls have the same ones."""
        start = MOST_AROUND - len(options.before)
        self._ids[start:MOST_AROUND] = options.before
        self.options = options
        self.views = _Views(self._ids[start:], len(options.before) + len(options.after))


class _Views(dict[int, Ints]):
    """Slices of an array by their length, plus `n_more`.  Making one takes as long as encoding some words."""

    def __init__(self, array: Ints, n_more: int) -> None:
        self._array, self._n_more = array, n_more

    def __missing__(self, count: int) -> Ints:
        self[count] = view = self._array[: self._n_more + count]
        return view


# Encoders of pieces that match tokens rather than merge


class DerivationsHandle(Handle, free="derivations_free"):
    """How merging makes each symbol of a model without symbols of more than 4096 bytes.

    is_reached  bool[symbols]: whether merging a symbol's own text gives the symbol
    """

    def __init__(self, model: PairModel) -> None:
        self.is_reached = np.empty(len(model), np.bool_)
        super().__init__(_derivations_new(model, self.is_reached), model)

    def are_compatible(self, left: int, right: int) -> bool:
        """Whether merging leaves two symbols separate; both must be reached."""
        return bool(_are_compatible(self, left, right) > 0)


def longest_symbol(model: PairModel) -> int | None:
    """The length of the longest symbol in bytes; None if one ends within a character."""
    longest = int(_longest_symbol(model))
    return None if longest < 0 else longest


def encode_greedy(
    model: PairModel, tree: TokenTreeHandle, text: Bytes, ends: WideInts, room: int
) -> TokenColumns:
    """Repeatedly the longest token, in pieces that end at `ends`.

    tree  of the bytes that the tokens of the model stand for
    room  for as many tokens as each byte may become
    """
    return tokens_by(_greedy_encode, model, tree, text, ends, room=room)


def encode_fewest(
    model: PairModel,
    tree: TokenTreeHandle,
    dropout: tuple[int, int],
    text: Bytes,
    ends: WideInts,
    room: int,
) -> TokenColumns:
    """As few tokens as possible; dropout: how many of 2**32 uses are ruled out, and a random state, not 0."""
    chance = dropout[0] << 32 | dropout[1]
    return tokens_by(_fewest_encode, model, tree, chance, text, ends, room=room)


def encode_linear(
    derivations: DerivationsHandle,
    tree: TokenTreeHandle,
    by_table: bool,
    text: Bytes,
    ends: WideInts,
    room: int,
) -> TokenColumns:
    """The compatible symbols, by steps back or by a table; the tree contains all reached symbols."""
    encode = _table_encode if by_table else _backtrack_encode
    return tokens_by(encode, derivations, tree, text, ends, room=room)
