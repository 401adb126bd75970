"""The interface of every vocabulary type: from a fragment of text to token ids with spans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens
from guiapp.core.text.normalized import NormalizedText
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.errors import EncodeError
from guiapp.native.binding import NONE
from guiapp.native.special_tokens import CallOptions, SpecialTokensHandle

if TYPE_CHECKING:
    from guiapp.core.encode.dropout import Dropout
    from guiapp.core.encode.reference.longest_match import Taken

CHUNK_BYTES = 1 << 18
FIRST_WINDOW = 256
SPACE = ord(" ")

State = TypeVar("State")
StepState = TypeVar("StepState", contravariant=True)
CutTable = NDArray[np.bool_]
"""bool[256, 256]: whether it is safe to cut between two bytes."""
Symbols = Sequence[tuple[int, int, int]]
"""Symbol (or token), start and end of each, in order."""
LONGEST_OF_MANY = 1 << 16  # bytes; a longer text gains nothing from being encoded with others
FastPath = Callable[[str | bytes, CallOptions], NDArray[np.int32] | None]
"""The ids of a text with its special tokens, BOS and EOS; None if it needs another path."""


class Tracer:
    """Receives the stages of one fragment, in this order, `piece` to `end_piece` once for each piece.

    This class ignores them; subclasses override what they need.
    """

    def begin(self, data: bytes, normalized: NormalizedText | None, start: int) -> None:
        """The part of the fragment that begins at `start` was normalised to `data`."""

    def split(self, piece_ends: Sequence[int]) -> None:
        """`data` is split into pieces that end at these offsets."""

    def piece(self, start: int, data: bytes, marked: NormalizedText | None, symbols: Symbols | None) -> None:
        """The piece at `start` of the `data` of `begin` is encoded next.

        marked   the piece with its spaces marked; None if `data` is the piece as it was split off
        symbols  the start symbols of pair merging; None for other algorithms
        """

    def step(self, step: object) -> None:
        """A decision of the algorithm, a dataclass of a module in `guiapp.core.encode.reference`."""

    def end_piece(self, tokens: Symbols) -> None:
        """The tokens of the piece, with offsets in its `data`."""


NO_TRACE = Tracer()


class Step(Protocol[StepState]):
    """A decision of an algorithm."""

    def apply(self, state: StepState, /) -> None: ...


def trace_whole(tracer: Tracer, data: bytes, normalized: NormalizedText | None, start: int = 0) -> None:
    """Begin a part of a fragment that is one piece as a whole."""
    tracer.begin(data, normalized, start)
    tracer.split([len(data)])
    tracer.piece(0, data, None, None)


def after_steps(steps: Iterable[Step[State]], state: State, tracer: Tracer) -> State:
    """The state after all steps, which an algorithm yields as it goes."""
    for step in steps:
        step.apply(state)
        tracer.step(step)
    return state


def encode_each_piece(
    data: bytes, piece_ends: Sequence[int], encode: Callable[[int, bytes], Taken], tracer: Tracer
) -> FragmentTokens:
    """The tokens of all pieces; `encode` gets the start and the bytes of one piece."""
    tracer.split(piece_ends)
    tokens: Taken = []
    for start, end in pairwise([0, *piece_ends]):
        tokens += [(token, start + a, start + b) for token, a, b in encode(start, data[start:end])]
    return tokens_from_steps(tokens)


def encode_plain_pieces(
    data: bytes, piece_ends: Sequence[int], encode: Callable[[bytes], Taken], tracer: Tracer
) -> FragmentTokens:
    """The same for pieces that are encoded as they are."""

    def encode_piece(start: int, piece: bytes) -> Taken:
        tracer.piece(start, piece, None, None)
        tokens = encode(piece)
        tracer.end_piece(tokens)
        return tokens

    return encode_each_piece(data, piece_ends, encode_piece, tracer)


def no_fast_path(_text: str | bytes, _options: CallOptions) -> None:
    """The fast path of pipelines that have none."""


class Pipeline(ABC):
    """Normalise, split and encode one fragment: user text between two special tokens.

    encoders         the names of the algorithms that apply to this vocabulary, the best first
    refused          why others of its type do not apply: a sentence for each name
    merging          the merge rules, if the vocabulary's type has any
    lookahead        number of bytes from its start that decide a token, if it depends on nothing before
    encodes_many_texts  whether `encode_each` is faster than one call of `encode` for each text
    begins_after_special  whether text after a special token begins as a whole text does
    longest_of_many  bytes: `encode_each`, if available, encodes texts up to this length
    adds_space, marks_spaces, excluded  as in `CallOptions`
    """

    encoders: tuple[str, ...]
    refused: Mapping[str, str] = {}
    merging: PairMerging | None = None
    encodes_many_texts = False
    longest_of_many = LONGEST_OF_MANY
    begins_after_special = True
    adds_space = marks_spaces = False
    excluded: SpecialTokensHandle | None = None

    @property
    def lookahead(self) -> int | None:
        return None

    @abstractmethod
    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        """Encode with the native library.

        `after_special` is true for the first fragment of a text and, unless `begins_after_special` is false,
        after a special token, where SPM adds its space.  Raises EncodeError if the vocabulary cannot
        express the text.
        """

    @abstractmethod
    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        """The same tokens from the reference implementations; `tracer` receives their steps."""

    @property
    def _cut_table(self) -> CutTable | None:
        """Where a fragment can be cut, as far as two neighbouring bytes decide; None: nowhere."""
        return None

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The last cut at or before `position` that depends on nothing after it; 0 in the worst case.

        At a cut, the tokens of a fragment are those of its two halves, concatenated.
        """
        return 0 if self._cut_table is None else cut_before(fragment, position, self._cut_table)

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The first cut at or after `position` that depends on nothing before it; else the length."""
        return len(fragment) if self._cut_table is None else cut_after(fragment, position, self._cut_table)

    @property
    def fast_path(self) -> FastPath:
        """Encodes a text that is not empty with the first encoder in one call."""
        return no_fast_path

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds | None:
        """Starts and ends of the tokens from `fast_path`, without BOS, EOS and the like.

        None if they can only be found by encoding the fragments one by one.
        """
        return None

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        """The ids of each text, with special tokens; `encode_one` encodes the texts that need more.

        Raises EncodeError if the vocabulary cannot express one of them.
        """
        return rows_of(map(encode_one, texts))

    def make_tables(self) -> None:  # noqa: B027  (most types put nothing off)
        """Make the tables now that the first encoding would make."""

    def without_splitting(self) -> Pipeline:
        """The same, but pair merging takes every fragment as one piece."""
        return self

    def without_special(self) -> Pipeline:
        """The same, for text in which special tokens are not parsed."""
        return self

    def without_dna(self) -> Pipeline:
        """The same, for text without DNA tags."""
        return self

    def with_dropout(self, dropout: Dropout) -> Pipeline:
        """The same, but `fewest` rules out tokens at random.  Raises EncodeError if it has no `fewest`."""
        raise EncodeError(
            "Dropout rules out tokens of the encoder “fewest”, which this vocabulary does not have. Encode "
            "without it."
        )


EncodeOne = Callable[[bytes], NDArray[np.int32]]


Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The starts of tokens, and their ends."""


class Rows(NamedTuple):
    """The token ids of many texts.

    ids     int32[…]  of all texts, concatenated
    counts  int64[n]  the number of ids of each text
    """

    ids: NDArray[np.int32]
    counts: NDArray[np.int64]


def laid_out(texts: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The texts concatenated, and their ends."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return np.frombuffer(b"".join(texts), np.uint8), np.cumsum(lengths)


def rows_of(ids: Iterable[NDArray[np.int32]]) -> Rows:
    """The rows of texts that were encoded one after the other."""
    each = list(ids)
    return Rows(np.concatenate(each), np.fromiter(map(len, each), np.int64, len(each)))


def spans_of_words(
    text: NDArray[np.uint8],
    ids: NDArray[np.int32],
    options: CallOptions,
    encode: Callable[[NDArray[np.uint8]], FragmentTokens],
) -> Bounds | None:
    """See `Pipeline.spans`, for words that are encoded one by one and contain no space.

    Special tokens are encoded as spaces; None if that gives ids other than `ids`.
    """
    if options.special_tokens is None:
        return None
    *_, special_ids, starts, ends = options.special_tokens.partition(text)[:, :-1]
    edges = np.zeros(len(text) + 1, np.int8)
    edges[starts] += 1
    edges[ends] -= 1
    tokens = encode(np.where(np.cumsum(edges[:-1], dtype=np.int8) > 0, np.uint8(SPACE), text))
    indexes = np.searchsorted(tokens.starts, starts)
    if not np.array_equal(np.insert(tokens.ids, indexes, special_ids), ids):
        return None
    return np.insert(tokens.starts, indexes, starts), np.insert(tokens.ends, indexes, ends)


def check_covered(ids: NDArray[np.int32], unknown: int, uncovered: str) -> None:
    """Raise EncodeError with the sentence `uncovered` if ids are missing and there is no unknown token."""
    if unknown == NONE and NONE in ids:
        raise EncodeError(uncovered)


# Where to cut a text so that both sides can be encoded on their own


def cut_before(data: NDArray[np.uint8], position: int, is_cut: CutTable) -> int:
    """The last safe cut between two of the bytes before `position`; 0 if there is none."""
    end, window = position, FIRST_WINDOW
    while end > 1:
        first = max(1, end - window)
        cuts = np.flatnonzero(is_cut[data[first - 1 : end - 1], data[first:end]])
        if len(cuts):
            return first + int(cuts[-1])
        end, window = first, 2 * window
    return 0


def cut_after(data: NDArray[np.uint8], position: int, is_cut: CutTable) -> int:
    """The first safe cut between two of the bytes from `position` on; the length if there is none."""
    first, window = position + 1, FIRST_WINDOW
    while first < len(data):
        end = min(len(data), first + window)
        cuts = np.flatnonzero(is_cut[data[first - 1 : end - 1], data[first:end]])
        if len(cuts):
            return first + int(cuts[0])
        first, window = end, 2 * window
    return len(data)


def byte_pairs(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], ids: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """bool[256, 256]: which pairs of neighbouring bytes occur in the tokens `ids`."""
    pairs = np.zeros((256, 256), np.bool_)
    is_inner = np.zeros(len(data), np.bool_)
    selected = np.zeros(len(offsets) - 1, np.bool_)
    selected[ids] = True
    is_inner[:] = np.repeat(selected, np.diff(offsets))
    is_inner[offsets[:-1][np.diff(offsets) > 0]] = False
    inner = np.flatnonzero(is_inner)
    pairs[data[inner - 1], data[inner]] = True
    return pairs


# Encode long fragments in chunks, so that little scratch space is enough


def chunks_of(
    fragment: NDArray[np.uint8], cut_after: Callable[[NDArray[np.uint8], int], int]
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """The chunks of a fragment, cut as `cut_after` allows, each with its start."""
    start = 0
    while start < len(fragment):
        end = len(fragment)
        if end - start > CHUNK_BYTES:
            end = cut_after(fragment, start + CHUNK_BYTES)
        yield start, fragment[start:end]
        start = end


def join_chunks(chunks: Iterable[tuple[int, FragmentTokens]]) -> FragmentTokens:
    """The tokens of a fragment from the starts of its chunks and their tokens."""
    return join_tokens([tokens.moved(start) for start, tokens in chunks])


def tokens_from_steps(tokens: Taken) -> FragmentTokens:
    """Tokens as columns, from tuples of id, start and end."""
    columns = np.array(tokens, np.int64).reshape(len(tokens), 3).T
    return FragmentTokens(columns[0].astype(np.int32), columns[1].copy(), columns[2].copy())
