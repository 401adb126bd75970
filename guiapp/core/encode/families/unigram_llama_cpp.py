"""llama.cpp's UGM vocabularies (T5, XLM-RoBERTa): a character map, then the most probable segmentation.

Unigram models of SentencePiece's own files are in `sentencepiece.py`.
Most texts can be encoded word by word; `UnigramWords` decides where, and explains where not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, as_bytes
from guiapp.core.encode.families.pipeline import (
    LONGEST_OF_MANY,
    NO_TRACE,
    Bounds,
    CutTable,
    EncodeOne,
    FastPath,
    Pipeline,
    Rows,
    Tracer,
    after_steps,
    check_covered,
    chunks_of,
    encode_plain_pieces,
    join_chunks,
    laid_out,
    no_fast_path,
    spans_of_words,
    tokens_from_steps,
)
from guiapp.core.encode.reference import viterbi
from guiapp.core.encode.reference.longest_match import Taken
from guiapp.core.encode.reference.viterbi import Edge, SegmentationLattice
from guiapp.core.text.charsmap import Charsmap, lead_kinds, open_charsmap, stable_characters
from guiapp.core.text.normalized import NormalizedText, source_spans
from guiapp.core.text.normalizers import SPACE_SYMBOL, symbol_length
from guiapp.core.text.normalizers import normalize_unigram as normalize_readable
from guiapp.core.vocabulary.attributes import NORMAL_TYPE, UNUSED_TYPE, USER_DEFINED_TYPE, Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.binding import NONE
from guiapp.native.checkpoint import checkpoint, stoppable
from guiapp.native.encoders import TokenMatcher, Unigram, WordEncoders
from guiapp.native.special_tokens import CallOptions

EXACT_BITS = 53
LARGEST_SCORE = 1e30
LONGEST_TOKEN = 512  # bytes; texts made of beginnings of tokens take so many steps per byte
TEXT_AT_ONCE = 1 << 22  # bytes of the tokens
LEAST_BYTES = 1 << 12  # if sums are exact only up to fewer, searching for words does not pay
UNKNOWN_PENALTY = np.float32(10)
NOT_COVERED = (
    "The vocabulary does not cover a character, and the file has no valid "
    "tokenizer.ggml.unknown_token_id to put in its place. Fix the file, or change the text."
)
REFUSED = {
    "greedy": "A Unigram vocabulary chooses tokens by scores, which the longest match ignores.",
    "fewest": "A Unigram vocabulary chooses tokens by scores, which their number ignores.",
}


TokenArrays = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]
"""The concatenated texts of all tokens, their offsets, and the ids of tokens that text can become."""


def unigram_of(
    tokens: TokenArrays,
    scores: NDArray[np.float64],
    unknown: tuple[int, float],
    charsmap: Charsmap | None = None,
    user_defined: Sequence[bytes] = (),
    cut_bytes: NDArray[np.bool_] | None = None,
    spaces: tuple[bool, bool] = (False, False),
    is_single: bool = False,
) -> Unigram:
    """The native encoder of a model; the defaults are for text that needs no normalising.  See `Unigram`."""
    data, offsets, ids = tokens
    charsmap = charsmap or open_charsmap(np.empty(0, np.uint8))
    tables: dict[str, NDArray[Any]] = {
        "token_data": data,
        "token_offsets": offsets,
        "token_ids": ids,
        "scores": scores,
        "units": charsmap.units,
        "replacements": charsmap.replacements,
        "kinds": lead_kinds(charsmap, user_defined),
        "is_settled": stable_characters(charsmap),
        "is_cut": charsmap.spaces if cut_bytes is None else cut_bytes,
    }
    is_long = bool((np.diff(offsets)[ids] > LONGEST_TOKEN).any())
    matcher = TokenMatcher(data, offsets, ids) if is_long else None
    return Unigram(tables, user_defined, matcher, unknown, spaces, is_single)


class UnigramPipeline(Pipeline):
    """See `Pipeline`.  Spaces that the file wants removed belong to no span."""

    _is_single = False  # whether sums of scores are rounded as in SentencePiece

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._charsmap = open_charsmap(vocabulary.charsmap)
        types = vocabulary.stored_types  # llama.cpp builds its tables before its repairs
        self._token_ids = np.flatnonzero(
            np.isin(types, (NORMAL_TYPE, USER_DEFINED_TYPE, UNUSED_TYPE))
        ).astype(np.int32)
        user_defined_ids = np.flatnonzero(types == USER_DEFINED_TYPE).tolist()
        self._user_defined = tuple(map(vocabulary.raw_text, stoppable(user_defined_ids)))
        normal_scores = vocabulary.scores[types == NORMAL_TYPE]
        lowest = np.fmin.reduce(normal_scores, initial=np.finfo(np.float32).max)
        self._unknown_score = float(np.float32(lowest) - UNKNOWN_PENALTY)
        is_free = vocabulary.attributes & Attribute.USER_DEFINED > 0
        self._scores = np.where(is_free, 0.0, vocabulary.scores.astype(np.float64))
        unknown = vocabulary.special_ids.unk
        self._unknown = NONE if unknown is None else unknown
        self._words = UnigramWords(
            vocabulary,
            self._charsmap,
            self._token_ids,
            self._user_defined,
            self._scores,
            self._unknown,
            self._unknown_score,
        )
        reason = self._words.why_no_fast
        self.encoders: tuple[str, ...] = ("viterbi",) if reason else ("fast", "viterbi")
        self.refused: Mapping[str, str] = {**REFUSED, "fast": reason} if reason else REFUSED
        self.encodes_many_texts = not reason
        self.longest_of_many = min(LONGEST_OF_MANY, self._words.longest_exact)

    def make_tables(self) -> None:
        _ = self._fast if "fast" in self.encoders else self._model

    @cached_property
    def _fast(self) -> WordEncoders:
        return WordEncoders(self._model)

    @cached_property
    def _model(self) -> Unigram:
        rules = self._vocabulary.rules
        return unigram_of(
            self._tokens,
            self._scores,
            (self._unknown, self._unknown_score),
            self._charsmap,
            self._user_defined,
            self._words.cut_bytes,
            (rules.add_space_prefix, rules.remove_extra_whitespaces),
        )

    @cached_property
    def _matcher(self) -> TokenMatcher:
        return TokenMatcher(*self._tokens)

    @property
    def _tokens(self) -> TokenArrays:
        return self._vocabulary.token_data, self._vocabulary.token_offsets, self._token_ids

    @cached_property
    def _pieces(self) -> viterbi.Pieces:
        return self.pieces_of(self._token_ids)

    def pieces_of(self, token_ids: NDArray[np.int32]) -> viterbi.Pieces:
        """The model for the readable encoder, limited to these tokens."""
        known = token_ids[np.isin(token_ids, self._token_ids)].tolist()
        ids = {self._vocabulary.raw_text(token_id): token_id for token_id in known}
        scores = {token_id: float(self._scores[token_id]) for token_id in known}
        longest = max(map(len, ids), default=0)
        return viterbi.Pieces(ids, scores, longest, self._unknown, self._unknown_score, self._is_single)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        self._model.check_growth(fragment)
        return self._encode_fast(fragment) if encoder == "fast" else self._encode_whole(fragment)

    def _encode_whole(self, fragment: NDArray[np.uint8]) -> FragmentTokens:
        return join_chunks(self._encode_texts(self._normalized(fragment)))

    def _encode_fast(self, fragment: NDArray[np.uint8]) -> FragmentTokens:
        """Encode word by word, unless the sums of scores may have been rounded."""
        ids = self._fast.encode(fragment, CallOptions())
        if len(fragment) > self._words.longest_exact and not self._words.are_exact(ids):
            return self._encode_whole(fragment)
        self._check(ids)
        return FragmentTokens.later(ids, lambda: self._encode_whole(fragment))

    @property
    def fast_path(self) -> FastPath:
        return self._fast_path if "fast" in self.encoders else no_fast_path

    def _fast_path(self, text: str | bytes, options: CallOptions) -> NDArray[np.int32] | None:
        data = as_bytes(text)
        if len(data) > options.most_bytes:
            return None
        ids = self._fast.encode(np.frombuffer(data, np.uint8), options)
        if len(data) > self._words.longest_exact and not self._words.are_exact(ids):
            return None
        self._check(ids)
        return ids

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds | None:
        return spans_of_words(text, ids, options, self._encode_whole)

    def encode_each(self, texts: Sequence[bytes], options: CallOptions, encode_one: EncodeOne) -> Rows:
        rows = Rows(*self._fast.encode_each(*laid_out(texts), options))
        self._check(rows.ids)
        return rows

    def _normalized(self, fragment: NDArray[np.uint8]) -> Iterator[tuple[int, NormalizedText]]:
        for start, chunk in chunks_of(fragment, self._chunk_end):
            yield start, NormalizedText(*self._model.normalize(chunk))

    def _encode_texts(
        self, texts: Iterable[tuple[int, NormalizedText]]
    ) -> Iterator[tuple[int, FragmentTokens]]:
        score = 0.0
        for start, text in texts:
            (ids, starts, ends), score = self._model.segment(text.data, score)
            yield start, self._checked(ids, *source_spans(text, starts, ends))

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        self._model.check_growth(np.frombuffer(fragment, np.uint8))
        rules = self._vocabulary.rules
        text = normalize_readable(
            fragment,
            self._charsmap,
            self._user_defined,
            rules.add_space_prefix,
            rules.remove_extra_whitespaces,
        )
        data = text.data.tobytes()
        ends = [len(data)]
        if encoder == "fast" and len(fragment) <= self._words.longest_exact:
            ends = _word_ends(data)
        return self._checked(*self._spans_in(text, self._encode_traced(data, text, ends, tracer)))

    def _encode_traced(
        self, data: bytes, text: NormalizedText, ends: Sequence[int], tracer: Tracer
    ) -> FragmentTokens:
        """The tokens of the words of a normalised text, with offsets in it, step by step."""
        tracer.begin(data, text, 0)

        def encode_word(word: bytes) -> Taken:
            return after_steps(viterbi.steps(word, self._pieces), viterbi.State({}), tracer).tokens[::-1]

        return encode_plain_pieces(data, ends, encode_word, tracer)

    def _spans_in(self, text: NormalizedText, tokens: FragmentTokens) -> FragmentTokens:
        """Tokens of a normalised text with their offsets in the fragment."""
        return FragmentTokens(tokens.ids, *source_spans(text, tokens.starts, tokens.ends))

    def _normalize_whole(self, fragment: NDArray[np.uint8]) -> NormalizedText:
        self._model.check_growth(fragment)
        return NormalizedText(*self._model.normalize(fragment))

    def segmentations(self, fragment: NDArray[np.uint8], n: int) -> list[tuple[float, FragmentTokens]]:
        """The sums of scores and the tokens of the `n` best segmentations, or of all if there are fewer."""
        text = self._normalize_whole(fragment)
        data = text.data.tobytes()
        longest, shorter = self._matcher.find_longest(text.data).tolist(), self._matcher.shorter()

        def edges(start: int) -> Iterator[Edge]:
            return self._edges(start, _character_end(data, start), longest[start], shorter)

        def next_start(start: int) -> int:
            return _character_end(data, start)

        lattice = SegmentationLattice(len(data), edges, next_start, self._unknown)
        found_best = []
        for score, found_tokens in islice(lattice.best(), n):
            found_best.append((score, self._checked(*self._spans_in(text, tokens_from_steps(found_tokens)))))
        return found_best

    def _edges(
        self, start: int, character_end: int, longest: int, shorter: NDArray[np.int32]
    ) -> Iterator[Edge]:
        """The tokens at an offset, including the unknown one if needed and if the file has one."""
        is_known, token_id, offsets = False, longest, self._vocabulary.token_offsets
        while token_id != NONE:
            end = start + int(offsets[token_id + 1] - offsets[token_id])
            is_known |= end == character_end
            yield end, token_id, float(self._scores[token_id])
            token_id = int(shorter[token_id])
        if not is_known and self._unknown != NONE:
            yield character_end, self._unknown, self._unknown_score

    def cut_before(self, data: NDArray[np.uint8], position: int) -> int:
        """The last safe cut up to `position`, whatever comes after it; always before a space.

        Equal scores may be rounded differently by themselves than as part of a text that is much longer
        than `data`.
        """
        return 0 if len(data) > self._words.longest_exact else super().cut_before(data, position)

    def cut_after(self, data: NDArray[np.uint8], position: int) -> int:
        return len(data) if len(data) > self._words.longest_exact else self._chunk_end(data, position)

    def _chunk_end(self, data: NDArray[np.uint8], position: int) -> int:
        """A cut from `position` on, safe if the sum of scores continues from one side to the other."""
        return super().cut_after(data, position)

    @cached_property
    def _cut_table(self) -> CutTable | None:
        return None if self._words.why_no_cuts else np.broadcast_to(self._words.cut_bytes, (256, 256))

    def _checked(
        self, ids: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> FragmentTokens:
        self._check(ids)
        return FragmentTokens(ids, starts, ends)

    def _check(self, ids: NDArray[np.int32]) -> None:
        check_covered(ids, self._unknown, NOT_COVERED)


def _word_ends(data: bytes) -> list[int]:
    """The ends of the words of a normalised text: before each U+2581, and at its end."""
    starts = [match.start() for match in re.finditer(re.escape(SPACE_SYMBOL), data)]
    return [start for start in starts if start > 0] + [len(data)]


def _character_end(text: bytes, start: int) -> int:
    return min(len(text), start + symbol_length(text[start]))


@dataclass(frozen=True, eq=False)
class UnigramWords:
    """The properties of a vocabulary that decide where its text can be cut.

    token_ids      the tokens that text can become
    scores         float64[n], as they are summed
    user_defined   texts of the user-defined tokens

    A text can be cut before a byte that always becomes a space if

    - each side is normalised the same whatever is on the other: no space prefix that is added only once, no
      user-defined token and no key of the character map that contains such a byte;
    - no token crosses the cut: none contains U+2581, or its first bytes at the end, after its start;
    - no unknown token does: U+2581 itself is a token, and text never becomes the unknown token itself;
    - sums of scores differ only by what all paths to the cut have in common, as long as they are exact.
    """

    vocabulary: Vocabulary
    charsmap: Charsmap
    token_ids: NDArray[np.int32]
    user_defined: tuple[bytes, ...]
    scores: NDArray[np.float64]
    unknown: int
    unknown_score: float

    @cached_property
    def cut_bytes(self) -> NDArray[np.bool_]:
        """bool[256]: bytes that always become a space; no token crosses their start."""
        used = np.frombuffer(b"".join(self.user_defined), np.uint8)
        result = self.charsmap.spaces.copy()
        result[used] = False
        return result

    @cached_property
    def why_no_cuts(self) -> str:
        """A sentence for the user; empty if cuts are possible."""
        if self.only_first_has_prefix:
            return "The file adds a space before the first word only, so words differ."
        return self._why_dependent

    @cached_property
    def only_first_has_prefix(self) -> bool:
        """Whether a space is added before the first word of a text, but not before others."""
        rules = self.vocabulary.rules
        return rules.add_space_prefix and not rules.remove_extra_whitespaces

    @cached_property
    def _why_dependent(self) -> str:
        """Why words after the first one cannot be encoded one by one."""
        if not (self.charsmap.is_whole and all(text.isascii() for text in stoppable(self.user_defined))):
            return "The file's character map or user-defined tokens may split characters."
        if not self.cut_bytes.any():
            return "A space is part of a user-defined token, or of a longer key of the file's character map."
        if not bool(np.all(np.abs(self._own_scores) < LARGEST_SCORE)):
            return "Some scores are not finite or too large, so their sums mean nothing."
        if not self._has_space_symbol or self.unknown in self.token_ids:
            return "Unknown tokens may reach from one word into the next: U+2581 alone is not a token."
        if self._has_inner_symbol:
            return "Some tokens contain a space after their start, so words depend on each other."
        return ""

    @cached_property
    def why_no_fast(self) -> str:
        """The same for `fast`, which encodes the first word separately; but words must also pay."""
        if self._why_dependent:
            return self._why_dependent
        if (self._sizes > LONGEST_TOKEN).any():
            return f"Some tokens have more than {LONGEST_TOKEN} bytes, so matching them takes too long."
        if self.longest_exact < LEAST_BYTES:
            return (
                "The scores are too fine for their sums to be exact, so ties may depend on the text before."
            )
        return ""

    @cached_property
    def _own_scores(self) -> NDArray[np.float64]:
        """The scores of all tokens that text can become, and of the unknown one."""
        checkpoint()
        return np.append(self.scores[self.token_ids], self.unknown_score)

    @cached_property
    def _is_own(self) -> NDArray[np.bool_]:
        """For each token, whether text can become it."""
        is_own = np.zeros(len(self.vocabulary), np.bool_)
        is_own[self.token_ids] = True
        return is_own

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        checkpoint()
        return np.diff(self.vocabulary.token_offsets)[self.token_ids]

    @cached_property
    def _has_space_symbol(self) -> bool:
        starts = self.vocabulary.token_offsets[self.token_ids[self._sizes == len(SPACE_SYMBOL)]]
        texts = self.vocabulary.token_data[starts[:, None] + np.arange(len(SPACE_SYMBOL))]
        return bool((texts == list(SPACE_SYMBOL)).all(axis=1).any())

    @cached_property
    def _has_inner_symbol(self) -> bool:
        return has_inner_symbol(self.vocabulary, self.token_ids)

    @cached_property
    def _exact_below(self) -> float:
        """Sums of scores below this are exact: all scores are multiples of the unit of their last bits."""
        scores = self._own_scores[self._own_scores != 0]
        if not np.isfinite(scores).all():
            return 0.0
        checkpoint()
        mantissas, exponents = np.frexp(scores)
        checkpoint()
        whole = np.ldexp(mantissas, EXACT_BITS).astype(np.int64)
        steps = np.ldexp((whole & -whole).astype(np.float64), exponents - EXACT_BITS)
        return float(2**EXACT_BITS * steps.min(initial=1.0))

    @cached_property
    def _worst_per_character(self) -> float:
        """The most that one character can add to or subtract from the score of the best path."""
        worst = max(abs(self.unknown_score), float(self._own_scores[:-1].max(initial=0.0)))
        for data, offsets, ids in _some_at_once(self.vocabulary):
            n_before = np.concatenate([[0], np.cumsum(data & 0xC0 != 0x80)])
            is_single = np.diff(n_before[offsets]) <= 1
            singles = np.abs(self.scores[ids][is_single & self._is_own[ids]])
            worst = max(worst, float(singles.max(initial=0.0)))
        return worst

    @cached_property
    def _largest_score(self) -> float:
        return float(np.abs(self._own_scores).max())

    @cached_property
    def longest_exact(self) -> int:
        """The longest text with exact sums of scores, whatever it contains; in bytes."""
        room = self._exact_below - self._largest_score
        if not room > 0:  # also if some score is NaN
            return 0
        return max(0, int(room / (self._worst_per_character * self.charsmap.growth)) - 1)

    def are_exact(self, ids: NDArray[np.int32]) -> bool:
        """Whether all sums were exact on the path to these tokens.

        A sum off the best path differs by at most one token from one on it.
        """
        if self._own_scores.max() > 0 or self.unknown in ids:
            return False
        total = -float(np.minimum(self.scores[ids], 0).sum())  # scores of special tokens may be anything
        next_sum = self._largest_score + int(self._sizes.max(initial=0)) * self._worst_per_character
        return total + next_sum < self._exact_below


def has_inner_symbol(vocabulary: Vocabulary, token_ids: NDArray[np.int32]) -> bool:
    """Whether some of these tokens contain U+2581 after their start, or end in its first bytes."""
    counts = np.zeros(len(vocabulary), np.bool_)
    counts[token_ids] = True
    return any(
        _holds_symbol_after_start(data, offsets, counts[ids])
        for data, offsets, ids in _some_at_once(vocabulary)
    )


def _some_at_once(vocabulary: Vocabulary) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], slice]]:
    """All tokens, some MB of text at a time: their texts, the offsets in these, and the ids."""
    data, offsets = vocabulary.token_data, vocabulary.token_offsets
    bounds = np.searchsorted(offsets, np.arange(0, len(data), TEXT_AT_ONCE))
    for first, end in pairwise(np.unique([*bounds, len(offsets) - 1]).tolist()):
        checkpoint()
        start = offsets[first]
        yield data[start : offsets[end]], offsets[first : end + 1] - start, slice(first, end)


def _holds_symbol_after_start(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], counts: NDArray[np.bool_]
) -> bool:
    """Whether a token that `counts` contains U+2581 after its start, or ends in its first bytes."""
    positions = np.flatnonzero(data == SPACE_SYMBOL[0])
    tokens = np.searchsorted(offsets, positions, "right") - 1
    is_inner = (positions > offsets[tokens]) & counts[tokens]
    positions, ends = positions[is_inner], offsets[tokens[is_inner] + 1]
    may_go_on = np.ones(len(positions), np.bool_)
    for distance in range(1, len(SPACE_SYMBOL)):
        at = np.minimum(positions + distance, len(data) - 1)
        may_go_on &= (positions + distance >= ends) | (data[at] == SPACE_SYMBOL[distance])
    return bool(may_go_on.any())
