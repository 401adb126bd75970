"""Native encoders of Unigram, WordPiece, RWKV and PLaMo-2 vocabularies; for byte pairs see `pairs.py`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import c_bool, c_double, c_int32, c_uint64, c_void_p
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.errors import EncodeError, VocabError
from guiapp.native.binding import (
    Array,
    Bytes,
    Handle,
    Ints,
    Pool,
    TokenColumns,
    WideInts,
    arrays,
    checked,
    function,
    long_function,
    secret,
    tokens_by,
)
from guiapp.native.model_files import packed
from guiapp.native.normalized import TOO_LONG, CodeTable, Normalized, PieceTextHandle, normalized
from guiapp.native.special_tokens import CallOptions
from guiapp.native.token_tree import TokenTreeHandle

_word_encoder_new = function("word_encoder_new(handle, handle, ints) -> handle")
_word_encoder_encode = function("word_encoder_encode(handle, structure, bytes)")
_word_encoder_encode_each = function(
    "word_encoder_encode_each(handle, structure, bytes, wide_ints, >wide_ints)"
)
_word_encoder_copy = function("word_encoder_copy(handle, >ints) -> nothing")
_wordpiece_new = long_function("wordpiece_new(structure, bytes, wide_ints, handle, int) -> handle")
_wordpiece_words = function("wordpiece_words(handle, bytes, >wide_ints, >wide_ints) -> handle")
_wordpiece_encode = function("wordpiece_encode(handle, bytes, wide_ints, flag, >tokens)")
_wordpiece_break = function("wordpiece_break(handle, bytes, wide_int, flag)")
MOST_TOKEN_BYTES = 1 << 26
NO_IDS = np.empty(0, np.int32)
EXPLODES = -3  # instead of a count
EXPLODING = (
    "The file's character map turns this text into more than 128 times as many bytes. Such a map is "
    "malicious: choose another file."
)

_matcher_new = long_function("matcher_new(bytes, wide_ints, ints) -> handle")
_matcher_find = function("matcher_find(handle, bytes, >ints)")
_matcher_shorter = function("matcher_shorter(handle, >ints)")
_plamo2_normalize = function("plamo2_normalize(bytes) -> handle")
_plamo2_encode = function("plamo2_encode(handle, bytes, ints, ints, >tokens)")
_rwkv_encode = function("rwkv_encode(handle, structure, bytes, int, >tokens)")


class _UnigramParts(ctypes.Structure):
    _fields_ = (
        *arrays("token_data", "token_offsets", "token_ids"),
        *arrays("units", "replacements", "kinds", "is_settled", "is_cut", "scores"),
        *((name, c_void_p) for name in ("user_defined", "tree", "matcher")),
        ("secret", c_uint64),
        ("unknown_score", c_double),
        ("unknown", c_int32),
        ("add_space_prefix", c_bool),
        ("removes_spaces", c_bool),
        ("is_single", c_bool),
    )


_unigram_new = long_function("unigram_new(structure) -> handle")
_unigram_normalize = function("unigram_normalize(handle, bytes) -> handle")
_unigram_explodes = function("unigram_explodes(handle, bytes)")
_unigram_segment = function("unigram_segment(handle, bytes, >doubles, >tokens)")
_unigram_segment_each = function("unigram_segment_each(handle, bytes, wide_ints, ints, >tokens)")


class Unigram(Handle, free="unigram_free"):
    """Finds the segmentation with the highest sum of scores."""

    def __init__(
        self,
        tables: dict[str, NDArray[Any]],
        user_defined: Sequence[bytes],
        matcher: TokenMatcher | None,
        unknown: tuple[int, float],
        spaces: tuple[bool, bool],
        is_single: bool = False,
    ) -> None:
        """A vocabulary; the arrays of a character map must be checked, as by `open_charsmap`.

        tables   token_data, token_offsets   all tokens
                 token_ids     int32[k]      tokens that text can become
                 scores        float64[n]    of each token
                 units, replacements         uint32[…] and uint8[…], of the character map
                 kinds         uint8[256]    what may begin with a byte; see `charsmap.lead_kinds`
                 is_settled    bool[65536]   characters that the map leaves unchanged
                 is_cut        bool[256]     bytes that become a space wherever they occur
        matcher  of the tokens; only if some are so long that walking down their tree takes too long
        unknown  the token that stands for other characters, or -1, and the score of each
        spaces   whether one is added before the text, and whether spaces that separate no words are removed
        is_single  sums of scores are rounded as in SentencePiece
        """
        tokens = tables["token_data"], tables["token_offsets"], tables["token_ids"]
        tree = TokenTreeHandle(*tokens, np.ones(len(tables["scores"]), np.bool_))
        user_defined_tree = TokenTreeHandle.of(*packed(user_defined))
        parts = _UnigramParts(
            **{name: Array.of(table) for name, table in tables.items()},
            user_defined=user_defined_tree.address,
            tree=tree.address,
            matcher=None if matcher is None else matcher.address,
            secret=secret(),
            unknown=unknown[0],
            unknown_score=unknown[1],
            add_space_prefix=spaces[0],
            removes_spaces=spaces[1],
            is_single=is_single,
        )
        super().__init__(_unigram_new(parts), tables, tree, user_defined_tree, matcher)

    def normalize(self, text: Bytes) -> Normalized:
        """The normalised text.  Raises EncodeError if it is more than 256 MB."""
        if (address := _unigram_normalize(self, text)) is None:
            raise EncodeError(
                "The file's character map turns this text into more than 256 MB. Encode less text."
            )
        return normalized(address)

    def check_growth(self, text: Bytes) -> None:
        """Raise EncodeError if a text becomes more than 128 times as long."""
        if _unigram_explodes(self, text):
            raise EncodeError(EXPLODING)

    def segment(self, text: Bytes, score: float) -> tuple[TokenColumns, float]:
        """The tokens of a normalised text, and the sum of scores after it; `score` is the sum before it."""
        sums = np.array([score])
        return tokens_by(_unigram_segment, self, text, sums, room=len(text)), float(sums[0])

    def segment_each(self, text: Bytes, ends: WideInts, byte_ids: Ints) -> TokenColumns:
        """The tokens of pieces that end at `ends`, each by itself.

        Unknown text becomes the token with this text, if any, else the tokens of its bytes.

        byte_ids  int32[256]; -1 if a byte has none: then text with it stays unknown
        """
        return tokens_by(_unigram_segment_each, self, text, ends, byte_ids, room=len(text))


_part_encoder_new = function("part_encoder_new(handle, ints, ints, flag, flag) -> handle")
_part_encoder_encode = function("part_encoder_encode(handle, handle, structure, bytes)")
_part_encoder_copy = function("part_encoder_copy(handle, >ints) -> nothing")


class PartEncoders:
    """Encodes text part by part as SentencePiece does; tokens of parts are cached.

    ids       int32[…]   of tokens that text can become
    byte_ids  int32[256] tokens for the bytes of unknown text, or none
    has_parts  whether parts are so short that they recur; else a whole text is one
    has_words  whether also words, between white space, can be normalised by themselves
    Threads may share it.
    """

    def __init__(
        self,
        model: Unigram,
        tokens: tuple[Ints, Ints],
        switches: tuple[bool, bool],
        piece_text: PieceTextHandle,
    ) -> None:
        """`tokens` are ids and byte_ids, `switches` has_parts and has_words."""
        self._piece_text = piece_text
        self._encoders = Pool(partial(_PartEncoder, model, *tokens, *switches))
        self._encoders.prepare()

    def encode(self, text: Bytes, options: CallOptions) -> Ints:
        """The ids of a text; errors as for `PieceTextHandle.normalize`."""
        encoder = self._encoders.take()
        count = _part_encoder_encode(encoder, self._piece_text, options, text)
        ids = None if count < 0 else _with_affixes(_part_encoder_copy, encoder, count, options)
        self._encoders.idle.append(encoder)
        if ids is None:
            raise EncodeError(TOO_LONG)
        return ids


class _PartEncoder(Handle, free="part_encoder_free"):
    """Encodes one text after another, for one thread at a time."""

    def __init__(self, model: Unigram, ids: Ints, byte_ids: Ints, has_parts: bool, has_words: bool) -> None:
        super().__init__(_part_encoder_new(model, ids, byte_ids, has_parts, has_words), model, byte_ids)


# The longest tokens that start at each offset of a text, and the encoders of RWKV and PLaMo-2 that use them


class TokenMatcher(Handle, free="matcher_free"):
    """Finds the longest token at each offset of a text; token i is data[offsets[i] : offsets[i + 1]].

    Of tokens with equal bytes, it finds the one with the highest id.
    """

    def __init__(self, data: Bytes, offsets: WideInts, token_ids: Ints) -> None:
        address = _matcher_new(data, offsets, token_ids)
        if address is None and len(data) > MOST_TOKEN_BYTES:
            raise VocabError(
                f"The tokens of this vocabulary have {len(data):,} bytes. Text is encoded with up to "
                f"{MOST_TOKEN_BYTES:,}."
            )
        super().__init__(address)
        self._n_tokens = len(offsets) - 1

    def find_longest(self, text: Bytes) -> Ints:
        """int32[n]: for each offset of a text, the longest token that starts there, or -1."""
        matches = np.empty(len(text), np.int32)
        _matcher_find(self, text, matches)
        return matches

    def shorter(self) -> Ints:
        """int32[n]: for each token, the longest other one that it starts with, or -1."""
        shorter = np.empty(self._n_tokens, np.int32)
        _matcher_shorter(self, shorter)
        return shorter

    def encode_rwkv(self, text: Bytes, unknown: int, options: CallOptions) -> TokenColumns:
        """Repeatedly the longest token, or `unknown` for a byte, with special tokens between."""
        return tokens_by(_rwkv_encode, self, options, text, unknown, room=len(text))

    def encode_plamo2(self, text: Bytes, costs: Ints, byte_ids: Ints) -> TokenColumns:
        """The cheapest tokens of a text that `normalize_plamo2` made.

        costs     int32[tokens]
        byte_ids  int32[256]  tokens of an unknown character's bytes
        """
        return tokens_by(_plamo2_encode, self, text, costs, byte_ids, room=len(text))


def normalize_plamo2(text: Bytes) -> Normalized | None:
    """Characters in shortest form without a leading byte order mark; None if the bytes are the same."""
    address = _plamo2_normalize(text)
    return None if address is None else normalized(address)


# WordPiece


class WordPieceHandle(Handle, free="wordpiece_free"):
    """Encodes words by longest match; token i is data[offsets[i] : offsets[i + 1]].

    actions  int32[0x110000]  for each code point the difference to its replacement, times 4, plus an `Action`
    unknown  for words with a part that is not a token; may be -1
    """

    def __init__(self, actions: CodeTable, data: Bytes, offsets: WideInts, unknown: int) -> None:
        tree = TokenTreeHandle.of(data, offsets)
        super().__init__(_wordpiece_new(actions, data, offsets, tree, unknown), actions, tree)

    def words(self, text: Bytes) -> tuple[Normalized, WideInts]:
        """The words of a text, concatenated, and the end of each."""
        ends, count = np.empty(len(text), np.int64), np.empty(1, np.int64)
        words = normalized(_wordpiece_words(self, text, ends, count))
        return words, ends[: count[0]]

    def encode(self, words: Bytes, ends: WideInts, is_linked: bool) -> TokenColumns:
        """The tokens of normalised words: in one walk by failure links, or by repeated longest match."""
        return tokens_by(_wordpiece_encode, self, words, ends, is_linked, room=len(words))

    def word_break(self, text: Bytes, position: int, is_before: bool) -> int:
        """The last end of a word up to `position`, whatever text follows `position`; or 0.

        If not `is_before`, the first one from there on, whatever precedes it; or the end of the text.
        """
        return int(_wordpiece_break(self, text, position, is_before))


# Text word by word, by WordPiece or Unigram; tokens of words are cached


def _with_affixes(copy: Callable[..., None], encoder: Handle, count: int, options: CallOptions) -> Ints:
    """The ids of an encoder's last text, with those of `options` around it."""
    start, end = len(options.before), len(options.before) + count
    ids = np.empty(end + len(options.after), np.int32)
    ids[:start], ids[end:] = options.before, options.after
    copy(encoder, ids[start:end])
    return ids


class WordEncoders:
    """Encodes text word by word; tokens of words are cached.  Threads may share it.

    ids_of_rows  int32[…]: the ids of the rows of a WordPieceHandle, then -1; empty if rows are ids
    """

    def __init__(self, model: WordPieceHandle | Unigram, ids_of_rows: Ints = NO_IDS) -> None:
        self._encoders = Pool(partial(_WordEncoder, model, ids_of_rows))
        self._encoders.prepare()

    def encode(self, text: Bytes, options: CallOptions) -> Ints:
        """The ids of a text.  Raises EncodeError if the character map makes it too long."""
        encoder = self._encoders.take()
        ids = encoder.copied(_word_encoder_encode(encoder, options, text), options)
        self._encoders.idle.append(encoder)
        return ids

    def encode_each(self, texts: Bytes, ends: WideInts, options: CallOptions) -> tuple[Ints, WideInts]:
        """The ids of concatenated texts, and the number of ids of each; errors as for `encode`."""
        encoder, counts = self._encoders.take(), np.empty(len(ends), np.int64)
        ids = encoder.copied(_word_encoder_encode_each(encoder, options, texts, ends, counts), options)
        self._encoders.idle.append(encoder)
        return ids, np.diff(counts, prepend=0)


class _WordEncoder(Handle, free="word_encoder_free"):
    """Encodes one text after another, for one thread at a time."""

    def __init__(self, model: WordPieceHandle | Unigram, ids_of_rows: Ints) -> None:
        models = (None, model) if isinstance(model, Unigram) else (model, None)
        super().__init__(_word_encoder_new(*models, ids_of_rows), model, ids_of_rows)

    def copied(self, count: int, options: CallOptions) -> Ints:
        """The `count` ids of the last text; raises EncodeError for the error codes of the library."""
        if count == EXPLODES:
            raise EncodeError(EXPLODING)
        if count < 0:
            raise EncodeError("The file's character map makes a word too long. Encode a shorter text.")
        return _with_affixes(_word_encoder_copy, self, count, options)


# Text word by word, with a callback for the tokens of words

_caller_words_new = function("caller_words_new(flags, flags, unsigned) -> handle")
_caller_words_encode = function("caller_words_encode(handle, structure, bytes, flag)")
_caller_words_missing = function("caller_words_missing(handle, >wide_ints, >wide_ints, >bytes) -> nothing")
_caller_words_provide = function("caller_words_provide(handle, ints, wide_ints)")
_caller_words_copy = function("caller_words_copy(handle, >ints) -> nothing")
LONG_WORD, MOST_SEEN = 100, 1 << 15  # mean bytes of a word; words
INNER_WORD, FIRST_WORD, FOLLOWING_WORD = range(3)
Ask = Callable[[Bytes, WideInts, WideInts, Bytes], tuple[Ints, WideInts]]


class AskedWords:
    """Encodes text word by word; tokens of words are cached.  Threads may share it.

    A word begins at the start of a fragment between special tokens, or with white space after a character
    that may end a word.  It is FIRST_WORD if it begins a document, FOLLOWING_WORD if it begins without white
    space.

    starts_words  bool[256]: bytes of such white space
    ends_words    bool[65536]: characters that may end a word
    ask           given a text, and starts, ends and kinds of words, returns their ids and the count for each
    """

    def __init__(self, starts_words: NDArray[np.bool_], ends_words: NDArray[np.bool_], ask: Ask) -> None:
        self._encoders, self._ask = Pool(partial(_CallerWords, starts_words, ends_words)), ask
        self._seen = set[int]()  # hashes of long words

    def encode(self, text: Bytes, options: CallOptions) -> Ints | None:
        """The ids of a valid text, including special tokens and those around it; raises what `ask` does.

        None if words are so long that most may never recur, and these are new.
        """
        encoder = self._encoders.take()
        count = _caller_words_encode(encoder, options, text, True)
        while count < 0:
            starts, ends = np.empty((2, -count), np.int64)
            kinds = np.empty(-count, np.uint8)
            _caller_words_missing(encoder, starts, ends, kinds)
            if self._are_rare(text, starts, ends):
                self._encoders.idle.append(encoder)
                return None
            checked(_caller_words_provide(encoder, *self._ask(text, starts, ends, kinds)))
            count = _caller_words_encode(encoder, options, text, False)
        ids = _with_affixes(_caller_words_copy, encoder, count, options)
        self._encoders.idle.append(encoder)
        return ids

    def _are_rare(self, text: Bytes, starts: WideInts, ends: WideInts) -> bool:
        if (ends - starts).sum() < LONG_WORD * len(starts):
            return False
        words = {hash(text[start:end].tobytes()) for start, end in zip(starts, ends, strict=True)}
        n_new = len(words - self._seen)
        if n_new:
            self._seen = words | (self._seen if len(self._seen) < MOST_SEEN else set())
        return 2 * n_new > len(words)


class _CallerWords(Handle, free="caller_words_free"):
    """Encodes one text after another, for one thread at a time."""

    def __init__(self, starts_words: NDArray[np.bool_], ends_words: NDArray[np.bool_]) -> None:
        super().__init__(_caller_words_new(starts_words, ends_words, secret()), ends_words)
