"""The pipeline that a file of Hugging Face's `tokenizers` composes from parts.

    fragment -> normalise -> cut out added tokens -> split -> encode

If the parts only split the text by patterns, `BytePairPipeline` does the same, and faster.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import NO_TOKENS, FragmentTokens, join_tokens
from guiapp.core.encode.families.byte_pair import BytePairPipeline, Repaired
from guiapp.core.encode.families.pair_merging import PairEncoder, merged_slots, to_source
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    Bounds,
    EncodeOne,
    FastPath,
    Pipeline,
    Rows,
    Tracer,
    encode_each_piece,
    no_fast_path,
    tokens_from_steps,
    trace_whole,
)
from guiapp.core.encode.reference.merge import symbol_slots
from guiapp.core.hugging_face import normalizers, pre_tokenizers
from guiapp.core.hugging_face.aligned import AlignedText
from guiapp.core.hugging_face.characters import PythonForm
from guiapp.core.hugging_face.independent_words import WordEdges, word_edges
from guiapp.core.hugging_face.matching import Literal
from guiapp.core.hugging_face.models import PieceModel, unigram, word_level, word_piece
from guiapp.core.hugging_face.normalizers import Normalizer, Prepend, Replace, unicode_forms
from guiapp.core.hugging_face.pre_tokenizers import Split, normalize, pre_tokenize, without_byte_mapping
from guiapp.core.text.normalized import NormalizedText, from_source
from guiapp.core.text.special_tokens import LONG_SOLIDUS, Found, TokenSearch
from guiapp.core.text.utf8 import well_formed
from guiapp.core.vocabulary.byte_alphabet import NAMES
from guiapp.core.vocabulary.merges import ABSENT, MARKED_SPACE, PairMerging, listed_merging
from guiapp.core.vocabulary.parts import ModelOptions, Parts
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.encoders import FIRST_WORD, FOLLOWING_WORD, INNER_WORD, AskedWords
from guiapp.native.pairs import ALL_PIECES, NO_PIECES, tile_spans
from guiapp.native.special_tokens import CallOptions, SpecialTokensHandle

FIRST_WINDOW = 64  # bytes
LONG_WORD = 1 << 12  # bytes of a word that is encoded by itself
CUT_OUT = -2  # in place of a token
SPACE = ord(" ")
MARKS_SPACES, ADDS_SPACE = Replace(Literal(b" "), MARKED_SPACE.decode()), Prepend(MARKED_SPACE.decode())
ENDINGS = (
    (False, False),
    (False, True),
    (True, False),
    (True, True),
)  # first of its piece, last of its piece
N_CODES = 0x110000
REFUSED = dict.fromkeys(
    ("fast", "backtrack", "table", "greedy", "fewest"),
    "The tokens of this vocabulary are marked where they begin or end, or stand for unknown text: other "
    "algorithms use the bytes alone.",
)

Symbols = list[tuple[int, int, int]]  # token, start and end of each
Find = Callable[[AlignedText], Found]


def _only_marks_spaces(parts: Parts, merging: PairMerging) -> bool:
    """Whether a text is merged as one piece, and each space, maybe with one prefix, becomes U+2581."""
    own, cutter = parts.normalizer, parts.pre_tokenizer
    steps = own.parts if isinstance(own, normalizers.Sequence) else (own,)
    cuts_nothing = isinstance(cutter, Split) and cutter.matcher == MARKS_SPACES.matcher  # no spaces remain
    return (
        steps in ((MARKS_SPACES,), (ADDS_SPACE, MARKS_SPACES))
        and (cuts_nothing or cutter == pre_tokenizers.Sequence(()))
        and not (parts.merges_bytes or parts.model.ignore_merges)
        and merging.model.start_symbol(MARKED_SPACE) != ABSENT
    )


def _byte_pair_encoder(vocabulary: Vocabulary, parts: Parts) -> PairEncoder | SymbolEncoder:
    merging = listed_merging(vocabulary, parts)
    if parts.merges_bytes or _falls_back_after_merges(merging, parts):
        return PairEncoder(vocabulary, merging, ALL_PIECES if parts.model.ignore_merges else NO_PIECES)
    return SymbolEncoder(merging, parts.model)


def _falls_back_after_merges(merging: PairMerging, parts: Parts) -> bool:
    """Whether unknown characters always become bytes that merge with nothing, so that these may come last."""
    model = parts.model
    if not model.byte_fallback or model.continuing_prefix or model.end_suffix:
        return False
    tokens = merging.tokens.find(NAMES)
    return bool((tokens >= 0).all()) and not np.isin(merging.rules.table[:, :2], tokens).any()


ENCODERS: dict[str, Callable[[Vocabulary, Parts], PairEncoder | SymbolEncoder | PieceModel]] = {
    "BPE": _byte_pair_encoder,
    "WordPiece": word_piece,
    "Unigram": unigram,
    "WordLevel": word_level,
}
"""The encoder of pieces for each kind of model.  A new kind is a row here, and one in model_sections.py."""


class _Segment(NamedTuple):
    """Some pieces of a fragment, or an added token in it.

    text      all pieces concatenated, and the source of each byte
    ends      of the pieces
    token_id  of an added token, whose text is one piece
    """

    text: AlignedText
    ends: NDArray[np.int64]
    token_id: int | None = None


class PartsPipeline(Pipeline):
    """See `Pipeline`.  Text that the parts remove belongs to no span.

    There are no safe cuts: a part may depend on the whole text.
    """

    begins_after_special = False

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        self._parts = parts
        self._encoder = ENCODERS[parts.model.kind](vocabulary, parts)
        bare = without_byte_mapping(parts.pre_tokenizer) if parts.merges_bytes else None
        self._pre_tokenizer = parts.pre_tokenizer if bare is None else bare
        searched = {
            token.searched: token
            for token in reversed(parts.added_tokens)  # of those with the same text, the first wins
            if token.normalized and not parts.normalizes_nothing
        }
        self.search = TokenSearch([*searched.values()])
        self._parses_special = True
        self.encoders, self.refused = self._encoder.encoders, self._encoder.refused
        self.merging = self._encoder.merging
        self._pairs = self._encoder if isinstance(self._encoder, PairEncoder) else None
        if self._pairs and (searched or not _only_marks_spaces(parts, self._pairs.merging)):
            self._pairs = None
        if self._pairs:
            zeros = np.zeros(1, np.int32)
            self.excluded = SpecialTokensHandle([MARKED_SPACE], zeros.astype(np.uint8), zeros)
            adds_space = normalizers.Sequence((ADDS_SPACE, MARKS_SPACES))
            self.marks_spaces, self.adds_space = True, parts.normalizer == adds_space
            self.encodes_many_texts = True

    def without_special(self) -> PartsPipeline:
        pipeline = copy(self)
        pipeline._parses_special = False
        if self.search.tokens:
            pipeline.__dict__.pop("_words", None)
        return pipeline

    def make_tables(self) -> None:
        self._encoder.prepare()
        _ = self._words

    @cached_property
    def _words(self) -> AskedWords | None:
        """Encodes by the first encoder; None if words depend on each other."""
        return None if self._edges is None else AskedWords(*self._edges, self._ids_of_words)

    @cached_property
    def _edges(self) -> WordEdges | None:
        return word_edges(self._parts.normalizer, self._pre_tokenizer, self.search.tokens)

    def _ids_of_words(
        self,
        text: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        kinds: NDArray[np.uint8],
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The ids of some words of a text; `kinds` are those of `AskedWords`.

        Nearly all short words are encoded together: the spans of tokens give their word.  Each word after a
        special token gets a space before it, which is cut out.
        """
        words = [text[start:end].tobytes() for start, end in zip(starts, ends, strict=True)]
        order = self._order_together(words, kinds)
        alone = np.setdiff1d(np.arange(len(words)), order)
        ids, owners = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        for index in alone.tolist():
            is_first = bool(kinds[index] == FIRST_WORD)
            tokens = self._encode_segments(words[index], is_first, self.encoders[0], self._find, None)
            ids.append(tokens.ids)
            owners.append(np.full(len(tokens.ids), index))
        if len(order):
            are_after_space = kinds[order] == FOLLOWING_WORD
            together = [b" " * int(kinds[at] == FOLLOWING_WORD) + words[at] for at in order.tolist()]
            sizes = np.array([*map(len, together)])
            word_ends = np.cumsum(sizes)
            spaces = (word_ends - sizes)[are_after_space]
            tokens = self._encode_between(b"".join(together), spaces)
            positions = tokens.starts - (tokens.starts == tokens.ends)  # nothing is added before a space
            ids.append(tokens.ids)
            owners.append(order[np.searchsorted(word_ends, positions, "right")])
        by_word = np.concatenate(owners)
        in_order = np.argsort(by_word, kind="stable")
        return np.concatenate(ids)[in_order], np.bincount(by_word, minlength=len(words))

    def _order_together(self, words: Sequence[bytes], kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Words whose tokens are the same if encoded together, in order; the last may end in anything."""
        assert self._edges
        takes_space = any(token.lstrip or not token.searched.isascii() for token in self.search.tokens)
        follow = self._edges.starts[SPACE] and not takes_space
        together, last = list[int](), list[int]()
        for index, (word, kind) in enumerate(zip(words, kinds.tolist(), strict=True)):
            if kind == FIRST_WORD or len(word) > LONG_WORD:
                continue
            characters = word.decode()
            if kind == INNER_WORD or (follow and self._is_edge(characters[0])):
                (together if self._is_edge(characters[-1]) else last).append(index)
        return np.array(together + last[:1], np.int64)

    def _is_edge(self, character: str) -> bool:
        """Whether a word may end in a character, so that a space before it is also separate."""
        assert self._edges
        return ord(character) < len(self._edges.ends) and bool(self._edges.ends[ord(character)])

    def _encode_between(self, text: bytes, spaces: NDArray[np.int64]) -> FragmentTokens:
        """The tokens of a text without some of its spaces."""

        def find(normal: AlignedText) -> Found:
            ends = normal.both_spans()[1]  # a character that became several may start where a space does
            bounds = np.searchsorted(ends, [spaces, spaces + 1], "right")
            cut_out = [(CUT_OUT, start, end) for start, end in bounds.T.tolist()]
            return sorted([*self._find(normal), *cut_out], key=itemgetter(1))

        tokens = self._encode_segments(text, False, self.encoders[0], find, None)
        is_kept = tokens.ids != CUT_OUT
        return FragmentTokens(tokens.ids[is_kept], tokens.starts[is_kept], tokens.ends[is_kept])

    def _encode_words(self, text: str | bytes, options: CallOptions) -> NDArray[np.int32] | None:
        """See `fast_path`; for words that do not depend on each other."""
        assert self._words
        try:
            data = text.encode() if isinstance(text, str) else text
            data.decode()
        except UnicodeError:
            return None
        if len(data) > options.most_bytes:
            return None
        return self._words.encode(np.frombuffer(data, np.uint8), options)

    @property
    def fast_path(self) -> FastPath:
        if self._pairs:
            return self._pairs.fast_path
        return no_fast_path if self._words is None else self._encode_words

    @cached_property
    def _lengths(self) -> NDArray[np.int32]:
        """int32[n]: the number of text bytes that each token stands for, one for each marked space."""
        assert self._pairs
        data, offsets = self._pairs.merging.tokens.data, self._pairs.merging.tokens.offsets
        marks = [match.start() for match in re.finditer(MARKED_SPACE, data.tobytes())]
        n_marks = np.diff(np.searchsorted(marks, offsets)).astype(np.int32)
        return self._pairs.lengths - np.int32(len(MARKED_SPACE) - 1) * n_marks

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds | None:
        return tile_spans(options, text, self._lengths, ids) if self._pairs else None

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        if not self._pairs:
            return super().encode_each(texts, options, encode_one)
        return self._pairs.encode_each(texts, options, encode_one)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        text, repaired = well_formed(fragment)

        def encode_whole() -> FragmentTokens:
            return self._encode_segments(text, after_special, encoder, self._find, repaired)

        if encoder != self.encoders[0] or self._words is None:
            return encode_whole()
        ids = self._words.encode(np.frombuffer(text, np.uint8), CallOptions(begins=after_special))
        return encode_whole() if ids is None else FragmentTokens.later(ids, encode_whole)

    def encode_finding(
        self,
        fragment: NDArray[np.uint8],
        after_special: bool,
        encoder: str,
        find: Callable[[NormalizedText], Found],
    ) -> FragmentTokens:
        """The same, but `find` finds the added tokens in the normalised fragment."""
        text, repaired = well_formed(fragment)

        def find_there(normal: AlignedText) -> Found:
            return find(from_source(normal.normalized, repaired))

        return self._encode_segments(text, after_special, encoder, find_there, repaired)

    def _find(self, normal: AlignedText) -> Found:
        return self.search.find(normal.data, self._parses_special)

    def _find_readable(self, normal: AlignedText) -> Found:
        return self.search.find_readable(normal.data.tobytes(), self._parses_special)

    def _segments(self, text: bytes, is_first: bool, find: Find) -> Iterator[_Segment]:
        """The pieces between added tokens, and these tokens, in order; `find` searches for them."""
        normal = normalize(self._parts.normalizer, text, is_first)
        result = find(normal)
        start = 0
        for token_id, token_start, token_end in [*result, (None, len(normal.data), len(normal.data))]:
            if start < token_start:
                part = (
                    normal
                    if (start, token_start) == (0, len(normal.data))
                    else normal.part(start, token_start)
                )
                yield _Segment(*pre_tokenize(self._pre_tokenizer, part))
            if token_id is not None:
                own = normal.part(token_start, token_end)
                yield _Segment(own, np.array([len(own.data)]), token_id)
            start = token_end

    def _encode_segments(
        self, text: bytes, is_first: bool, encoder: str, find: Find, repaired: NormalizedText | None
    ) -> FragmentTokens:
        segments = self._segments(text, is_first, find)
        tokens = join_tokens([NO_TOKENS, *(self._encode_segment(each, encoder) for each in segments)])
        return to_source(tokens, repaired)

    def _encode_segment(self, segment: _Segment, encoder: str) -> FragmentTokens:
        text, ends, token_id = segment
        if token_id is not None:
            starts, ends = text.both_spans()
            return FragmentTokens(np.array([token_id], np.int32), starts[:1], ends[-1:])
        if not len(ends):
            return NO_TOKENS
        tokens = self._encoder.encode(text.data, ends, encoder)
        return FragmentTokens.later(tokens.ids, lambda: to_source(tokens, text.normalized))

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        text, repaired = well_formed(np.frombuffer(fragment, np.uint8))
        tokens = [NO_TOKENS]
        for segment in self._segments(text, after_special, self._find_readable):
            given = from_source(segment.text.normalized, repaired)  # for tracers
            tokens.append(self._encode_segment_readable(segment, given, encoder, tracer))
        return to_source(join_tokens(tokens), repaired)

    def _encode_segment_readable(
        self, segment: _Segment, given: NormalizedText, encoder: str, tracer: Tracer
    ) -> FragmentTokens:
        text, ends, token_id = segment
        data = text.data.tobytes()
        if token_id is not None:
            trace_whole(tracer, data, given)
            tracer.end_piece([(token_id, 0, len(data))])
            return self._encode_segment(segment, encoder)
        tracer.begin(data, given, 0)
        if not len(ends):
            tracer.split([])
            return NO_TOKENS
        return to_source(self._encoder.encode_readable(data, ends.tolist(), encoder, tracer), text.normalized)


# Pair merging that starts from marked symbols, and from byte tokens for unknown characters, as `tokenizers`


class SymbolEncoder:
    """See `PieceModel`."""

    encoders: tuple[str, ...] = ("heap", "scan")
    refused = REFUSED

    def __init__(self, merging: PairMerging, options: ModelOptions) -> None:
        self.merging = self._merging = merging
        self._model, self._options = merging.model, options

    def prepare(self) -> None:
        """Make the tables now that the first encoding would make."""
        self._model.prepare()
        _ = self._symbols_of_codes

    @cached_property
    def _byte_tokens(self) -> list[int]:
        """The tokens <0x00> to <0xFF>, or ABSENT."""
        result: list[int] = self._merging.tokens.find(NAMES).tolist()
        return result

    @cached_property
    def _symbols_of_codes(self) -> list[NDArray[np.int32]]:
        """For each of ENDINGS, the symbol of each code point, or ABSENT."""
        prefix, suffix = self._options.continuing_prefix.encode(), self._options.end_suffix.encode()
        data, offsets = self._merging.tokens.data.tobytes(), self._merging.tokens.offsets.tolist()
        result = [np.full(N_CODES, ABSENT, np.int32) for _ in ENDINGS]
        longest = len(prefix) + len(suffix) + 4
        for token, (start, end) in enumerate(pairwise(offsets)):
            if end - start > longest:
                continue
            text = data[start:end]
            for symbols, (is_first, is_last) in zip(result, ENDINGS, strict=True):
                before, after = b"" if is_first else prefix, suffix if is_last else b""
                inner = text[len(before) : len(text) - len(after)]
                if text == before + inner + after and (code := _only_code(inner)) is not None:
                    symbols[code] = token
        return result

    def encode(self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str) -> FragmentTokens:
        """The tokens of a text whose pieces end at `piece_ends`."""
        ids, starts, ends, symbol_ends = self._start_symbols(text, piece_ends)
        tokens, first, last = self._model.merge_symbols(ids, symbol_ends, encoder != "scan")
        return FragmentTokens.later(tokens, lambda: (starts[first], ends[last - 1]))

    def _start_symbols(
        self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """All start symbols: ids, starts and ends; and the number of symbols up to each piece's end."""
        whole = self._whole_tokens(text, piece_ends)
        starts = np.flatnonzero(text & 0xC0 != 0x80)
        ends = np.append(starts[1:], len(text))
        codes = np.frombuffer(text.tobytes().decode().encode("utf-32-le"), np.uint32)
        after = np.searchsorted(starts, piece_ends)
        is_first, is_last = np.zeros(len(starts), np.bool_), np.zeros(len(starts), np.bool_)
        is_first[np.append(0, after[:-1])], is_last[after - 1] = True, True
        inner, *others = zip(self._symbols_of_codes, ENDINGS, strict=True)  # most are within a piece
        ids = inner[0][codes]
        for symbols, (first, last) in others:
            here = np.flatnonzero((is_first == first) & (is_last == last))
            ids[here] = symbols[codes[here]]
        if (ids != ABSENT).all() and (whole == ABSENT).all():
            return ids, starts, ends, after
        return self._one_by_one(text.tobytes(), piece_ends.tolist(), whole.tolist())

    def _whole_tokens(self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """The token that each piece is as a whole, or ABSENT."""
        if not self._options.ignore_merges:
            return np.full(len(piece_ends), ABSENT, np.int32)
        data, bounds = text.tobytes(), [0, *piece_ends.tolist()]
        return self._merging.tokens.find([data[start:end] for start, end in pairwise(bounds)])

    def _one_by_one(
        self, data: bytes, piece_ends: list[int], whole: list[int]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        result: Symbols = []
        symbol_ends = []
        for (start, end), token in zip(pairwise([0, *piece_ends]), whole, strict=True):
            own = [(token, 0, end - start)] if token != ABSENT else self.start_symbols(data[start:end])
            result += [(symbol, start + a, start + b) for symbol, a, b in own]
            symbol_ends.append(len(result))
        return *tokens_from_steps(result), np.array(symbol_ends, np.int64)

    def start_symbols(self, piece: bytes) -> Symbols:
        """The symbols that merging a piece starts from.

        As in the library, unknown characters wait for the next known one, so byte tokens come before them.
        Each symbol takes the next bytes, as many as it stands for, whichever character they come from.
        """
        unknown = ABSENT if self._options.unknown is None else self._options.unknown
        sizes: list[tuple[int, int]] = []  # symbol, and the number of bytes it stands for
        used_bytes: list[int] = []  # the bytes that belong to symbols
        waiting = 0  # bytes of unknown characters
        text, at = piece.decode(), 0
        for index, character in enumerate(text):
            is_first, is_last = index == 0, index == len(text) - 1
            size = len(character.encode())
            symbol = int(self._symbols_of_codes[2 * is_first + is_last][ord(character)])
            spelled = self._byte_symbols(character, is_first, is_last) if symbol == ABSENT else []
            if symbol != ABSENT:
                if waiting:
                    sizes.append((unknown, waiting))
                    waiting = 0
                sizes.append((symbol, size))
            elif spelled:
                sizes += spelled
            elif unknown != ABSENT:
                if waiting and not self._options.fuses_unknown:
                    sizes.append((unknown, waiting))
                    waiting = 0
                waiting += size
            if symbol != ABSENT or spelled or unknown != ABSENT:
                used_bytes += range(at, at + size)
            at += size
        if waiting:
            sizes.append((unknown, waiting))
        return _with_spans(sizes, used_bytes)

    def _byte_symbols(self, character: str, is_first: bool, is_last: bool) -> list[tuple[int, int]]:
        """The tokens for the bytes of an unknown character and its marks, which have size 0."""
        if not self._options.byte_fallback:
            return []
        before = b"" if is_first else self._options.continuing_prefix.encode()
        after = self._options.end_suffix.encode() if is_last else b""
        own = character.encode()
        sizes = [0] * len(before) + [1] * len(own) + [0] * len(after)
        tokens = [self._byte_tokens[byte] for byte in before + own + after]
        return [] if ABSENT in tokens else list(zip(tokens, sizes, strict=True))

    def encode_readable(
        self, text: bytes, piece_ends: Sequence[int], encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        """The same, step by step."""
        encode_piece = partial(self._encode_piece, encoder, tracer)
        return encode_each_piece(text, piece_ends, encode_piece, tracer)

    def _encode_piece(self, encoder: str, tracer: Tracer, start: int, piece: bytes) -> Symbols:
        whole = int(self._merging.tokens.find([piece])[0]) if self._options.ignore_merges else ABSENT
        if whole != ABSENT:
            tokens = [(whole, 0, len(piece))]
            tracer.piece(start, piece, None, None)
            tracer.end_piece(tokens)
            return tokens
        symbols = self.start_symbols(piece)
        tracer.piece(start, piece, None, symbols)
        slots = merged_slots(symbols, self._merging.rules, encoder, tracer)
        bounds = [*symbol_slots(slots), len(slots)]
        tokens = [
            (int(slots[at] or 0), symbols[at][1], symbols[after - 1][2]) for at, after in pairwise(bounds)
        ]
        tracer.end_piece(tokens)
        return tokens


def _only_code(text: bytes) -> int | None:
    """The code point of a text of one character, else None."""
    try:
        character = text.decode()
    except UnicodeDecodeError:
        return None
    return ord(character) if len(character) == 1 else None


def _with_spans(sizes: list[tuple[int, int]], used_bytes: list[int]) -> Symbols:
    """Each symbol with the next bytes; one without bytes, with its position."""
    symbols, done = [], 0
    for symbol, size in sizes:
        start = used_bytes[done] if done < len(used_bytes) else used_bytes[-1] + 1
        done += size
        symbols.append((symbol, start, used_bytes[done - 1] + 1 if size else start))
    return symbols


def normalizer_in(vocabulary: Vocabulary) -> Normalizer | None:
    """The normalizer of a file's parts, or of ranks whose model has one; None for all others."""
    if vocabulary.parts is not None:
        return vocabulary.parts.normalizer
    return PythonForm("NFC") if vocabulary.rules.composes else None


class NormalizedPairsPipeline(BytePairPipeline):
    """See `Pipeline`."""

    begins_after_special = False

    def __init__(self, vocabulary: Vocabulary, normalizer: Normalizer) -> None:
        super().__init__(vocabulary)
        self._normalizer = normalizer
        self._forms = unicode_forms(normalizer)
        self._keeps_ascii = self._forms is not None
        self._joins_special = vocabulary.rules.composes

    def _repaired(self, text: NDArray[np.uint8]) -> Repaired:
        data, repaired = well_formed(text)
        normal = normalize(self._normalizer, data, True)
        if normal.spans is None:
            return normal.data, repaired
        return normal.data, from_source(normal.normalized, repaired)

    def _repaired_readable(self, text: bytes) -> tuple[bytes, NormalizedText | None]:
        data, repaired = self._repaired(np.frombuffer(text, np.uint8))
        return data.tobytes(), repaired

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        if all(map(self._is_unchanged, texts)):
            return super().encode_each(texts, options, encode_one)
        return Pipeline.encode_each(self, texts, options, encode_one)

    @property
    def fast_path(self) -> FastPath:
        fast_path = super().fast_path
        return lambda text, options: fast_path(text, options) if self._is_unchanged(text) else None

    def _is_unchanged(self, text: str | bytes) -> bool:
        """Whether the normaliser certainly leaves a text, and so each part of it, unchanged."""
        if self._forms is None or text.isascii():
            return self._keeps_ascii
        try:
            characters = text if isinstance(text, str) else text.decode()
        except UnicodeDecodeError:
            return False
        if self._joins_special and LONG_SOLIDUS.decode() in characters:
            return False
        return all(unicodedata.is_normalized(form, characters) for form in self._forms)

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        if not self._keeps_ascii:
            return 0
        while position > 0:
            position = super().cut_before(fragment, position)
            if position == 0 or fragment[position] < 0x80:
                return position
        return 0

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        if not self._keeps_ascii:
            return len(fragment)
        while position < len(fragment):
            position = super().cut_after(fragment, position)
            if position == len(fragment) or fragment[position] < 0x80:
                return position
            position += 1
        return len(fragment)

    def _start_before(self, text: NDArray[np.uint8], position: int) -> int:
        """The last ASCII character at or before a position; 0 if there is none."""
        end, size = position + 1, FIRST_WINDOW
        while end > 0:
            start, size = max(end - size, 0), 2 * size
            if len(ascii_offsets := np.flatnonzero(text[start:end] < 0x80)):
                return start + int(ascii_offsets[-1])
            end = start
        return 0

    def _end_after(self, text: NDArray[np.uint8], position: int) -> int:
        """The first ASCII character at or after a position, or the end."""
        start, size = position, FIRST_WINDOW
        while start < len(text):
            if len(ascii_offsets := np.flatnonzero(text[start : start + size] < 0x80)):
                return start + int(ascii_offsets[0])
            start, size = start + size, 2 * size
        return len(text)
