"""Pieces of text to tokens by pair merging: the common part of the BPE and SPM pipelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.dropout import Dropout
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    Bounds,
    EncodeOne,
    Pipeline,
    Rows,
    Tracer,
    encode_each_piece,
    laid_out,
)
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText
from guiapp.core.vocabulary.merges import ABSENT, MARKED_SPACE, NO_TOKEN, PairMerging
from guiapp.core.vocabulary.vocabulary import TokenTree, Vocabulary, tree_of
from guiapp.errors import EncodeError
from guiapp.native import pairs as native
from guiapp.native.pairs import (
    AS_RANKED,
    NEWLINES,
    NO_PIECES,
    encode_fewest,
    encode_greedy,
    encode_linear,
    tile_spans,
)
from guiapp.native.special_tokens import CallOptions

if TYPE_CHECKING:
    from guiapp.core.encode.reference import backtrack
    from guiapp.core.encode.reference.longest_match import Taken, TokenMatches
    from guiapp.core.encode.reference.merge import Rules, Slots

LONGEST_SYMBOL = 1 << 12  # bytes; checking neighbours may take the square of their lengths
LINEAR = ("backtrack", "table")
APPROXIMATE = ("greedy", "fewest")
KEPT_PAIRS = 1 << 16
SURELY_SHORT = 100  # bytes in the file: few, even if spelling repeats the token for each character
LONGEST_MATCHED = 1 << 12  # bytes; at each token of a text, so many may be searched in vain
BY_SPLITTER = np.empty(0, np.int64)  # the model's splitter decides where pieces end
SPACE = 0x20
ONE_SPACE = np.frombuffer(b" ", np.uint8)
DEEPEST = 100  # levels down to which SentencePiece splits an unused token into its parts
Parts = dict[int, tuple[int, int]]  # for each unused token, the pair that last could merge into it


class PairEncoder:
    """Encodes the pieces of a text by the merges of one vocabulary.  Threads may share it.

    whole_pieces  NO_PIECES, NEWLINES, ALL_PIECES or AS_RANKED, as in its model
    fused         a token whose neighbouring repetitions the reference encoders fuse into one, if any
    fast_path     the ids that `fast` gives, in one call; see `Pipeline`

    For texts whose spans do not follow from the ids, `fast` is `heap`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        merging: PairMerging,
        whole_pieces: int = NO_PIECES,
        fused: int | None = None,
    ) -> None:
        self.merging = self._merging = merging
        self._model = merging.model
        self.fast_path = merging.model.encode_text
        self._matching = TokenMatching(vocabulary, merging)
        self._dropout = Dropout()
        self.encoders = ("fast", "heap", "scan", *self._matching.encoders)
        self.refused = self._matching.refused
        self._whole_pieces, self._fused = whole_pieces, fused
        self._can_fail = any(token == NO_TOKEN for tokens in merging.fallbacks for token, _ in tokens)

    def with_dropout(self, dropout: Dropout) -> PairEncoder:
        """The same encoder, but `fewest` rules out tokens at random."""
        encoder = copy(self)
        encoder._dropout = dropout
        return encoder

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n]: the number of text bytes that each token stands for."""
        return self._model.token_lengths(of_marked=False)

    @cached_property
    def _marked_lengths(self) -> NDArray[np.int32]:
        return self._model.token_lengths(of_marked=True)

    @cached_property
    def _spells_out_spaces(self) -> bool:
        """Whether a space, or a typed U+2581, may become several tokens."""
        space = self._model.start_symbol(MARKED_SPACE)
        is_token = 0 <= space < self._merging.n_tokens
        data, offsets = self._merging.symbol_texts
        others = data[offsets[self._merging.n_tokens] :].tobytes()
        return self._merging.marks_spaces and (not is_token or MARKED_SPACE in others)

    def prepare(self) -> None:
        """Make the tables now that the first encoding would make."""
        self._model.prepare()

    def bounds(self, ids: NDArray[np.int32]) -> NDArray[np.int64]:
        """int64[n + 1]: the edges of the tokens of a text without special tokens."""
        return _bounds(ids, self.lengths)

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        """The ids of texts; `encode_one` encodes those that `fast_path` cannot.  See `Pipeline`."""
        data, ends = laid_out(texts)
        ids, counts, done = list[NDArray[np.int32]](), list[NDArray[np.int64]](), 0
        while done < len(texts):
            start = int(ends[done - 1]) if done else 0
            some_ids, some_counts = self._model.encode_each(data[start:], ends[done:] - start, options)
            ids.append(some_ids)
            counts.append(some_counts)
            done += len(some_counts)
            if done < len(texts):
                ids.append(encode_one(texts[done]))
                counts.append(np.array([len(ids[-1])], np.int64))
                done += 1
        return Rows(np.concatenate(ids), np.concatenate(counts))

    def encode_split(self, text: NDArray[np.uint8]) -> FragmentTokens | None:
        """The tokens of a repaired text by `fast`, cut by the splitter; None if it needs another path."""
        result = self._model.encode_pieces(text, BY_SPLITTER, False)
        return None if result is None else FragmentTokens.tiles(result, partial(self.bounds, result))

    def encode(self, text: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str) -> FragmentTokens:
        """The tokens of a text whose pieces end at `piece_ends`."""
        has_marked_space = self._model.has_marked_space(text)
        if encoder in LINEAR and has_marked_space and self._spells_out_spaces:
            encoder = "heap"  # its spans distinguish a typed U+2581 from a space; one byte for both would not
        if encoder in self._matching.encoders:
            if not has_marked_space:
                return self._match(text, piece_ends, encoder)
            compact, ends = self._compact(_mark_spaces(text), _marked_ends(text, piece_ends))
            return to_source(self._match(compact.data, ends, encoder), compact)
        if not has_marked_space:
            return self._merge(text, piece_ends, encoder, False)
        marked, marked_ends = _mark_spaces(text), _marked_ends(text, piece_ends)
        return to_source(self._merge(marked.data, marked_ends, encoder, True), marked)

    def encode_whole(self, text: NDArray[np.uint8], encoder: str) -> FragmentTokens:
        """The same for a text that is one piece."""
        return self.encode(text, np.array([len(text)]), encoder)

    def _merge(
        self, data: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str, are_marked: bool
    ) -> FragmentTokens:
        if encoder == "fast":
            result = self._model.encode_pieces(data, piece_ends, are_marked)
            if result is not None:
                lengths = self._marked_lengths if are_marked else self.lengths
                return FragmentTokens.tiles(result, partial(_bounds, result, lengths))
        room = self._merging.tokens_per_byte * len(data)
        by_heap, takes_whole = encoder != "scan", self._whole_pieces != NO_PIECES
        columns = self._model.merge_pieces(data, piece_ends, by_heap, takes_whole, room)
        return self._checked(FragmentTokens(*columns), data)

    def _match(self, data: NDArray[np.uint8], piece_ends: NDArray[np.int64], encoder: str) -> FragmentTokens:
        """The tokens by one of the algorithms that match tokens; for these, a space is one byte."""
        return self._checked(self._matching.encode(encoder, self._dropout, data, piece_ends), data)

    def _checked(self, tokens: FragmentTokens, data: NDArray[np.uint8]) -> FragmentTokens:
        if self._can_fail:
            _check(tokens, data)
        return tokens

    def _compact(
        self, marked: NormalizedText, marked_ends: NDArray[np.int64]
    ) -> tuple[NormalizedText, NDArray[np.int64]]:
        """A text with marked spaces reduced to one byte each, and the ends of its pieces.

        U+2581 becomes a space only if it is a start symbol, not the rest of a broken character.
        """
        data, firsts, lasts, ends = bytearray(), list[int](), list[int](), list[int]()
        for start, end in pairwise([0, *marked_ends.tolist()]):
            piece, at = marked.data[start:end].tobytes(), 0
            while at < len(piece):
                symbol_end = self._merging.symbol_end(piece, at)
                is_space = piece[at:symbol_end] == MARKED_SPACE
                data += b" " if is_space else piece[at:symbol_end]
                offsets = range(start + at, start + symbol_end)
                firsts += offsets[:1] if is_space else offsets
                lasts += offsets[-1:] if is_space else offsets
                at = symbol_end
            ends.append(len(data))
        text = NormalizedText(np.frombuffer(data, np.uint8), marked.starts[firsts], marked.ends[lasts])
        return text, np.array(ends, np.int64)

    def encode_readable(
        self, text: bytes, piece_ends: Sequence[int], encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        """The same, step by step."""
        has_marked_space = self._model.has_marked_space(np.frombuffer(text, np.uint8))
        if encoder in LINEAR and has_marked_space and self._spells_out_spaces:
            encoder = "heap"
        dropout = replace(self._dropout)  # a copy, since its random state changes
        encode_piece = partial(self._encode_piece, encoder, dropout, tracer)
        tokens = encode_each_piece(text, piece_ends, encode_piece, tracer)
        _check(tokens, np.frombuffer(text, np.uint8))
        return tokens

    def _encode_piece(
        self, encoder: str, dropout: Dropout, tracer: Tracer, start: int, piece: bytes
    ) -> Taken:
        """Token, start and end of each token of a piece, offsets within it."""
        if encoder not in APPROXIMATE and (whole := self._whole_token(piece)) != ABSENT:
            tokens: Taken = [(whole, 0, len(piece))]
            tracer.piece(start, piece, None, None)
            tracer.end_piece(tokens)
            return tokens
        marked = _mark_spaces_readable(piece) if self._merging.marks_spaces else None
        does_match = encoder in self._matching.encoders
        if does_match and marked is not None:
            marked, _ = self._compact(marked, np.array([len(marked.data)]))
        data = piece if marked is None else marked.data.tobytes()
        if does_match:
            tracer.piece(start, data, marked, None)
            tokens = self._matching.encode_readable(encoder, dropout, data, tracer, self._fused)
        else:
            tokens = self._merge_readable(encoder, tracer, start, data, marked)
        tracer.end_piece(tokens)
        return tokens if marked is None else [(token, *_source(marked, a, b)) for token, a, b in tokens]

    def _merge_readable(
        self, encoder: str, tracer: Tracer, start: int, data: bytes, marked: NormalizedText | None
    ) -> Taken:
        """The tokens of a piece whose spaces are marked, by merging."""
        from guiapp.core.encode.reference import merge

        start_symbols = self._merging.start_symbols(data)
        tracer.piece(start, data, marked, start_symbols)
        parts: Parts = {}

        def note_parts(step: object) -> None:
            if isinstance(step, merge.Push) and self._merging.is_unused(step.made):
                parts[step.made] = step.left, step.right

        slots = merged_slots(start_symbols, self._merging.rules, encoder, tracer, note_parts)
        positions = merge.symbol_slots(slots)
        ends = [start for _, start, _ in start_symbols] + [len(data)]
        tokens: Taken = []
        for position, after in zip(positions, [*positions[1:], len(slots)], strict=True):
            tokens += self._taken_apart(slots[position], data, (ends[position], ends[after]), parts)
        return _fuse(tokens, self._fused)

    def _taken_apart(
        self, symbol: int | None, data: bytes, span: tuple[int, int], parts: Parts, depth: int = 0
    ) -> Taken:
        """The tokens of a symbol for data[start:end]; if it is unused, those of its last parts."""
        start, end = span
        if symbol is None or not self._merging.is_unused(symbol) or depth > DEEPEST:
            return self._merging.tokens_of(symbol, data, start, end)
        left, right = parts[symbol]
        texts, offsets = self._merging.symbol_texts
        middle = start + len(texts[offsets[left] : offsets[left + 1]])
        return [
            *self._taken_apart(left, data, (start, middle), parts, depth + 1),
            *self._taken_apart(right, data, (middle, end), parts, depth + 1),
        ]

    def _whole_token(self, piece: bytes) -> int:
        if self._whole_pieces == NO_PIECES or (
            self._whole_pieces == NEWLINES and not piece.startswith(b"\n")
        ):
            return ABSENT
        token = self._merging.find_piece(piece)
        return token if self._whole_pieces != AS_RANKED or self._merging.is_never_merged(token) else ABSENT


class PairPipeline(Pipeline):
    """A pipeline that encodes pieces by merges."""

    merging: PairMerging

    def __init__(self, encoder: PairEncoder) -> None:
        self._encoder = encoder
        self.merging, self.encoders, self.refused = encoder.merging, encoder.encoders, encoder.refused

    def make_tables(self) -> None:
        self._encoder.prepare()

    def with_dropout(self, dropout: Dropout) -> Self:
        pipeline = copy(self)
        pipeline._encoder = self._encoder.with_dropout(dropout)
        return pipeline

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        """See `Pipeline`: no merge crosses a cut."""
        return self.merging.model.last_cut(fragment, position)

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        return self.merging.model.first_cut(fragment, position)

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds | None:
        return tile_spans(options, text, self._encoder.lengths, ids)


def merged_slots(
    symbols: Taken,
    rules: Rules,
    encoder: str,
    tracer: Tracer,
    note: Callable[[object], None] = lambda step: None,
) -> Slots:
    """The result of merging the start symbols of a piece; `note` is called with each step."""
    from guiapp.core.encode.reference import merge

    steps = merge.steps if encoder == "scan" else merge.heap_steps
    pieces = [symbol for symbol, _, _ in symbols]
    slots: Slots = [*pieces]
    for step in steps(pieces, rules):
        step.apply(slots)
        tracer.step(step)
        note(step)
    return slots


def to_source(tokens: FragmentTokens, normalized: NormalizedText | None) -> FragmentTokens:
    """Tokens of a changed text with their spans in the original.

    A token without bytes of its own, which repeats a part of the previous one, is located at its end.
    """
    if normalized is None:
        return tokens

    def bounds() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        is_empty = tokens.starts == tokens.ends
        ends = np.where(tokens.ends > 0, normalized.ends[tokens.ends - 1], 0)
        first = normalized.starts[np.minimum(tokens.starts, len(normalized.data) - 1)]
        return np.where(is_empty, ends, first), ends

    return FragmentTokens.later(tokens.ids, bounds)


def _fuse(tokens: Taken, token_id: int | None) -> Taken:
    """The same with one token of this id for each run of them."""
    result: Taken = []
    for token, start, end in tokens:
        if token == token_id and result and result[-1][0] == token:
            start = result.pop()[1]
        result.append((token, start, end))
    return result


def _source(normalized: NormalizedText, start: int, end: int) -> tuple[int, int]:
    source_end = int(normalized.ends[end - 1])
    return (int(normalized.starts[start]) if start < end else source_end), source_end


def _mark_spaces(text: NDArray[np.uint8]) -> NormalizedText:
    """A text with U+2581 for each space; its first byte maps to the space."""
    is_space = text == SPACE
    sources = np.repeat(np.arange(len(text)), np.where(is_space, len(MARKED_SPACE), 1))
    spaces = np.flatnonzero(is_space) + (len(MARKED_SPACE) - 1) * np.arange(np.count_nonzero(is_space))
    data, starts, ends = text[sources], sources.copy(), sources + 1
    for offset, byte in enumerate(MARKED_SPACE):
        data[spaces + offset] = byte
        starts[spaces + offset] = sources[spaces] + (offset > 0)
    return NormalizedText(data, starts, ends)


def _marked_ends(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ends of the pieces of a text after its spaces are marked."""
    n_spaces = np.concatenate([[0], np.cumsum(text == SPACE)])
    marked: NDArray[np.int64] = ends + (len(MARKED_SPACE) - 1) * n_spaces[ends]
    return marked


def _bounds(ids: NDArray[np.int32], lengths: NDArray[np.int32]) -> NDArray[np.int64]:
    """The edges of adjacent tokens, from 0 to the end of the last."""
    bounds = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(lengths[ids], out=bounds[1:])
    return bounds


def _mark_spaces_readable(text: bytes) -> NormalizedText:
    builder = NormalizedBuilder()
    for at, byte in enumerate(text):
        builder.append(MARKED_SPACE if byte == 0x20 else bytes([byte]), at, at + 1)
    return builder.build()


def _check(tokens: FragmentTokens, data: NDArray[np.uint8]) -> None:
    """Raise EncodeError if a byte has no token."""
    missing = np.flatnonzero(tokens.ids == NO_TOKEN)
    if len(missing):
        raise EncodeError(
            f"The vocabulary has no token for the byte 0x{data[tokens.ends[missing[0]] - 1]:02X} and no "
            "unknown token. Remove text with that byte, or choose another model file."
        )


class TokenMatching:
    """Encodes pieces in which a space is one byte.

    `backtrack` and `table` give the result of merging; `greedy` and `fewest` match all tokens of the
    vocabulary, including those that no merge makes.
    """

    def __init__(self, vocabulary: Vocabulary, merging: PairMerging) -> None:
        self._vocabulary = vocabulary
        self._merging = merging
        why_not = dict.fromkeys(LINEAR, why_not_linear(merging))
        why_not |= dict.fromkeys(APPROXIMATE, _why_not_matched(vocabulary))
        self.encoders = tuple(name for name, reason in why_not.items() if not reason)
        self.refused: Mapping[str, str] = {name: reason for name, reason in why_not.items() if reason}

    @cached_property
    def derivations(self) -> Derivations:
        return derivations_of(self._merging)

    @cached_property
    def _are_compatible(self) -> backtrack.AreCompatible:
        return lru_cache(KEPT_PAIRS)(partial(_remain_separate, self.derivations.tree, self._merging))

    def encode(
        self, encoder: str, dropout: Dropout, data: NDArray[np.uint8], piece_ends: NDArray[np.int64]
    ) -> FragmentTokens:
        """The tokens of all pieces."""
        model, text = self._merging.model, (data, piece_ends, self._merging.tokens_per_byte * len(data))
        if encoder in LINEAR:
            derivations, tree = self.derivations
            return FragmentTokens(*encode_linear(derivations, tree.native, encoder == "table", *text))
        tree = self._vocabulary.token_tree
        if encoder == "greedy":
            return FragmentTokens(*encode_greedy(model, tree.native, *text))
        chance = dropout.share, dropout.random_state
        return FragmentTokens(*encode_fewest(model, tree.native, chance, *text))

    def encode_readable(
        self, encoder: str, dropout: Dropout, data: bytes, tracer: Tracer, fused: int | None
    ) -> Taken:
        """Token, start and end of each token of one piece, step by step; runs of `fused` become one."""
        from guiapp.core.encode.reference import backtrack, longest_match
        from guiapp.core.encode.reference.longest_match import Choose, Join, Take

        states: dict[str, Callable[[], Any]] = {"table": backtrack.State, "fewest": longest_match.State}
        state = states.get(encoder, list)()
        taken: Taken = state if isinstance(state, list) else state.tokens
        for step in self._steps(encoder, data, dropout):
            if isinstance(step, Take | Choose) and taken and step.token_id == taken[-1][0] == fused:
                _, start, end = taken[-1]
                join = Join(step.token_id, min(start, step.start), max(end, step.end))
                join.apply(taken)
                tracer.step(join)
                continue
            step.apply(state)
            tracer.step(step)
        result: Taken = []
        for symbol, start, end in taken if taken is state else reversed(taken):
            result += (
                self._merging.tokens_of(symbol, data, start, end) if start < end else [(symbol, start, end)]
            )
        return result

    def _steps(self, encoder: str, data: bytes, dropout: Dropout) -> Iterator[Any]:
        from guiapp.core.encode.reference import backtrack, longest_match

        if encoder in LINEAR:
            matches = _matches(self.derivations.tree, data, partial(self._pass_symbol, data))
            algorithm = backtrack.steps if encoder == "backtrack" else backtrack.table_steps
            return algorithm(len(data), matches, self._are_compatible)
        matches = _matches(self._vocabulary.token_tree, data, partial(self._pass_byte, data))
        if encoder == "greedy":
            return longest_match.steps(len(data), matches)
        return longest_match.fewest_steps(len(data), matches, dropout)

    def _pass_symbol(self, data: bytes, start: int) -> tuple[int, Taken]:
        end = self._merging.symbol_end(data, start)
        return end, self._merging.tokens_of(None, data, start, end)

    def _pass_byte(self, data: bytes, start: int) -> tuple[int, Taken]:
        return start + 1, self._merging.tokens_of(None, data, start, start + 1)


def _remain_separate(tree: TokenTree, merging: PairMerging, left: int, right: int) -> bool:
    """Whether merging the joint text of two symbols gives exactly these two."""
    from guiapp.core.encode.reference.merge import Merge, heap_steps, symbol_slots

    symbols = merging.start_symbols(tree.token_bytes(left) + tree.token_bytes(right))
    slots: Slots = [symbol for symbol, _, _ in symbols]
    for step in heap_steps([symbol for symbol, _, _ in symbols], merging.rules):
        if isinstance(step, Merge):
            step.apply(slots)
    return [slots[at] for at in symbol_slots(slots)] == [left, right]


def _why_not_matched(vocabulary: Vocabulary) -> str:
    """Why tokens are not matched byte by byte; "" if they are."""
    if (np.diff(vocabulary.token_offsets) <= SURELY_SHORT).all():  # avoids spelling out all tokens
        return ""
    if (longest := vocabulary.longest_token_bytes) <= LONGEST_MATCHED:
        return ""
    return (
        f"A token of this vocabulary has {longest:,} bytes. Matching tokens at each position is possible "
        f"for up to {LONGEST_MATCHED:,}."
    )


def _matches(tree: TokenTree, piece: bytes, fallback: Any) -> TokenMatches:
    from guiapp.core.encode.reference.longest_match import TokenMatches

    data = np.frombuffer(bytearray(piece), np.uint8)
    return TokenMatches(
        partial(tree.longest_match_in, data),
        tree.parent,
        lambda token: int(tree.lengths[token]),
        fallback,
    )


# What the linear-time encoders need: derivations, and the tree of the symbols that merging can make


class Derivations(NamedTuple):
    """How each symbol is made, and the tree of all symbols that merging can leave."""

    native: native.DerivationsHandle
    tree: TokenTree


def why_not_linear(merging: PairMerging) -> str:
    """Why a vocabulary cannot be encoded by checking whether neighbours are compatible; "" if it can."""
    longest = native.longest_symbol(merging.model)
    if longest is None:
        return (
            "A token of this vocabulary ends within a character, so that it fits only at the end of a text."
        )
    if longest > LONGEST_SYMBOL:
        return (
            f"A token of this vocabulary has {longest:,} bytes. Checking which neighbours fit is possible "
            f"for up to {LONGEST_SYMBOL:,}."
        )
    return ""


def derivations_of(merging: PairMerging) -> Derivations:
    """The derivations of all symbols of a vocabulary that `why_not_linear` does not refuse."""
    derivations = native.DerivationsHandle(merging.model)
    is_reached = derivations.is_reached
    ids = np.flatnonzero(is_reached).astype(np.int32)
    return Derivations(derivations, tree_of(*merging.model.symbols(as_tokens=False), ids, is_reached))
