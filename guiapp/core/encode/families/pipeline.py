"""What every vocabulary type offers: from a stretch of text to token ids with spans."""

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
LONGEST_OF_MANY = 1 << 16  # bytes; a longer text gains nothing in company
FastPath = Callable[[str | bytes, CallOptions], NDArray[np.int32] | None]
"""The ids of a text with its special tokens and what is around it; None where that takes more."""


class Tracer:
    """Takes the stages of one fragment, in this order, `piece` to `end_piece` once for each piece.

    This one does nothing with them; others override what they need.
    """

    def begin(self, data: bytes, normalized: NormalizedText | None, start: int) -> None:
        """The stretch of the fragment that begins at `start` was normalised to `data`."""

    def split(self, piece_ends: Sequence[int]) -> None:
        """`data` falls into pieces that end here."""

    def piece(self, start: int, data: bytes, marked: NormalizedText | None, symbols: Symbols | None) -> None:
        """The piece at `start` of what `begin` had is encoded now.

        marked   the piece with its spaces marked; None where `data` is the piece as it was split off
        symbols  what pair merging starts from; None for other algorithms
        """

    def step(self, step: object) -> None:
        """A decision of the algorithm, a dataclass of a module in `guiapp.core.encode.reference`."""

    def end_piece(self, tokens: Symbols) -> None:
        """What became of the piece, with offsets in its `data`."""


NO_TRACE = Tracer()


class Step(Protocol[StepState]):
    """A decision of an algorithm."""

    def apply(self, state: StepState, /) -> None: ...


def trace_whole(tracer: Tracer, data: bytes, normalized: NormalizedText | None, start: int = 0) -> None:
    """Begin a stretch that is one piece as a whole."""
    tracer.begin(data, normalized, start)
    tracer.split([len(data)])
    tracer.piece(0, data, None, None)


def after_steps(steps: Iterable[Step[State]], state: State, tracer: Tracer) -> State:
    """The state after all steps of an algorithm, which yields them as it goes."""
    for step in steps:
        step.apply(state)
        tracer.step(step)
    return state


def encode_each_piece(
    data: bytes, piece_ends: Sequence[int], encode: Callable[[int, bytes], Taken], tracer: Tracer
) -> FragmentTokens:
    """The tokens of all pieces, by what gives those of one from where it begins and its bytes."""
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
    """For what takes more."""


class Pipeline(ABC):
    """Normalise, split and encode one fragment: user text between two special tokens.

    encoders         the names of the algorithms that apply to this vocabulary, the best first
    refused          why others of its type do not apply: a sentence for each name
    merging          the merge rules, where the vocabulary's type has any
    lookahead       bytes on which a token depends from its start on, where it depends on nothing before
    encodes_many_texts  whether `encode_each` takes less time than one call of `encode` for each
    begins_after_special  whether text behind a special token begins as a whole text does
    longest_of_many  bytes: texts up to this length are encoded by `encode_each`, where that can be
    adds_space, marks_spaces, excluded  as `CallOptions` has them
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
        """Encode by the native library.

        `after_special` is true for a text's first fragment and, unless `begins_after_special` is false,
        behind a special token, where SPM puts its space.  Raises EncodeError where the vocabulary cannot
        express the text.
        """

    @abstractmethod
    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        """The same tokens from the readable twins in `guiapp.core.encode.reference`, told to `tracer`."""

    @property
    def _cut_table(self) -> CutTable | None:
        """Where a fragment can be cut, as far as two bytes tell that; None: nowhere."""
        return None

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The last cut at or before `position` that depends on nothing behind it; 0 in the worst case.

        At a cut the tokens of a fragment are those of its two halves side by side.
        """
        return 0 if self._cut_table is None else cut_before(fragment, position, self._cut_table)

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        """The first cut at or after `position` that depends on nothing before it; else the length."""
        return len(fragment) if self._cut_table is None else cut_after(fragment, position, self._cut_table)

    @property
    def fast_path(self) -> FastPath:
        """Encodes a text that is not empty by the first encoder in one call."""
        return no_fast_path

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds | None:
        """Where tokens start and end that `fast_path` has given, without what is around the text.

        None where that takes to encode what is between special tokens one by one.
        """
        return None

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        """The ids of each text by itself, with special tokens; by `encode_one` of those that take more.

        Raises EncodeError where the vocabulary cannot express one of them.
        """
        return rows_of(map(encode_one, texts))

    def make_tables(self) -> None:  # noqa: B027  (most types put nothing off)
        """Make now what the first encoding would make."""

    def without_splitting(self) -> Pipeline:
        """The same, but pair merging takes every fragment as one piece."""
        return self

    def without_special(self) -> Pipeline:
        """The same, for text in which special tokens are not parsed."""
        return self

    def without_dna(self) -> Pipeline:
        """The same, for text that has no mark of DNA."""
        return self

    def with_dropout(self, dropout: Dropout) -> Pipeline:
        """The same, but `fewest` rules out tokens by chance.  Raises EncodeError where there is no such."""
        raise EncodeError(
            "Dropout rules out tokens of the encoder “fewest”, which this vocabulary does not have. Encode "
            "without it."
        )


EncodeOne = Callable[[bytes], NDArray[np.int32]]


Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Where tokens start, and where they end."""


class Rows(NamedTuple):
    """The token ids of many texts.

    ids     int32[…]  of all of them, one text behind the other
    counts  int64[n]  how many each text has
    """

    ids: NDArray[np.int32]
    counts: NDArray[np.int64]


def laid_out(texts: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Texts one behind the other, and where they end."""
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
    """See `Pipeline.spans`, where words are encoded one by one and a space is in none of them.

    Special tokens are encoded as spaces; None where that gives others than `ids`.
    """
    if options.special_tokens is None:
        return None
    *_, special_ids, starts, ends = options.special_tokens.partition(text)[:, :-1]
    edges = np.zeros(len(text) + 1, np.int8)
    edges[starts] += 1
    edges[ends] -= 1
    tokens = encode(np.where(np.cumsum(edges[:-1], dtype=np.int8) > 0, np.uint8(SPACE), text))
    places = np.searchsorted(tokens.starts, starts)
    if not np.array_equal(np.insert(tokens.ids, places, special_ids), ids):
        return None
    return np.insert(tokens.starts, places, starts), np.insert(tokens.ends, places, ends)


def check_covered(ids: NDArray[np.int32], unknown: int, uncovered: str) -> None:
    """Raise EncodeError with a sentence where a text is not covered, and no token stands for such."""
    if unknown == NONE and NONE in ids:
        raise EncodeError(uncovered)


# Where a text may be cut so that both sides can be encoded on their own


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


# Encode long fragments a chunk at a time, so that little scratch space is enough


def chunks_of(
    fragment: NDArray[np.uint8], cut_after: Callable[[NDArray[np.uint8], int], int]
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Chunks, which begin where `cut_after` allows it, and where each begins."""
    start = 0
    while start < len(fragment):
        end = len(fragment)
        if end - start > CHUNK_BYTES:
            end = cut_after(fragment, start + CHUNK_BYTES)
        yield start, fragment[start:end]
        start = end


def join_chunks(chunks: Iterable[tuple[int, FragmentTokens]]) -> FragmentTokens:
    """The tokens of a fragment from where its chunks begin and their tokens."""
    return join_tokens([tokens.moved(start) for start, tokens in chunks])


def tokens_from_steps(tokens: Taken) -> FragmentTokens:
    """Tokens as columns, from their ids, starts and ends one by one."""
    columns = np.array(tokens, np.int64).reshape(len(tokens), 3).T
    return FragmentTokens(columns[0].astype(np.int32), columns[1].copy(), columns[2].copy())
