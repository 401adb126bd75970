"""PLAMO2 vocabularies: the cheapest segmentation into tokens, unknown characters as bytes."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    CutTable,
    Pipeline,
    Tracer,
    after_steps,
    byte_pairs,
    tokens_from_steps,
    trace_whole,
)
from guiapp.core.encode.reference import plamo2
from guiapp.core.text.normalized import NormalizedText, source_spans
from guiapp.core.text.normalizers import plamo2_text
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import VocabError
from guiapp.native.checkpoint import stoppable
from guiapp.native.encoders import TokenMatcher, normalize_plamo2

BYTE = 6  # token_type in the file
SCORE_SCALE = 1e4
WORST_SCORE = -20_000_000
BEST_SCORE = 2**31 - 1
MOST_SUFFIX_BYTES = 1 << 28

_Text = tuple[NDArray[np.uint8], NormalizedText | None]  # normalised, and how it came from the original


class Plamo2Pipeline(Pipeline):
    """See `Pipeline`.  A byte order mark at the beginning belongs to no span."""

    encoders: tuple[str, ...] = ("plamo2",)

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        is_byte = vocabulary.stored_types == BYTE
        self._byte_ids = _byte_ids(vocabulary, np.flatnonzero(is_byte))
        scores = vocabulary.scores.astype(np.float64) * SCORE_SCALE
        rounded = np.copysign(np.floor(np.abs(scores) + 0.5), scores)
        is_usable = np.isfinite(scores) & (rounded > WORST_SCORE) & (rounded <= BEST_SCORE) & ~is_byte
        every_id = stoppable(range(len(vocabulary)))
        is_text = [_is_well_formed(vocabulary.raw_text(token_id)) for token_id in every_id]
        is_usable &= is_text
        self._token_ids = np.flatnonzero(is_usable).astype(np.int32)
        self._costs = np.where(is_usable, -rounded, 0).astype(np.int32)
        self._known_texts = np.flatnonzero(~is_byte & is_text)
        self._is_simple = not (self._costs == plamo2.UNKNOWN_COST).any()
        if not self._is_simple:
            _check_lengths(np.diff(vocabulary.token_offsets))

    def make_tables(self) -> None:
        _ = self._matcher

    @cached_property
    def _matcher(self) -> TokenMatcher:
        return TokenMatcher(self._vocabulary.token_data, self._vocabulary.token_offsets, self._token_ids)

    @cached_property
    def _pieces(self) -> plamo2.Pieces:
        costs = zip(self._token_ids.tolist(), self._costs[self._token_ids].tolist(), strict=True)
        tokens = {self._vocabulary.raw_text(token_id): (token_id, cost) for token_id, cost in costs}
        suffixes = frozenset[bytes]() if self._is_simple else self._suffixes()
        return plamo2.Pieces(tokens, self._byte_ids.tolist(), max(map(len, tokens), default=0), suffixes)

    def _suffixes(self) -> frozenset[bytes]:
        """All suffixes of all tokens by characters, including those of unusable tokens."""
        raw_texts = map(self._vocabulary.raw_text, self._known_texts.tolist())
        texts = [text.decode("utf-8", "surrogatepass") for text in raw_texts]
        suffixes = (text[start:] for text in texts for start in range(len(text)))
        return frozenset(suffix.encode("utf-8", "surrogatepass") for suffix in suffixes)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        return self._encode_normalized(_normalized(fragment))

    def _encode_normalized(self, text: _Text) -> FragmentTokens:
        data, normalized = text
        if not self._is_simple:
            return self._encode_normalized_readable(data.tobytes(), normalized, NO_TRACE)
        ids, starts, ends = self._matcher.encode_plamo2(data, self._costs, self._byte_ids)
        return FragmentTokens(ids, *source_spans(normalized, starts, ends))

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        text = plamo2_text(fragment)
        trace_whole(tracer, text.data.tobytes(), text)
        return self._encode_normalized_readable(text.data.tobytes(), text, tracer)

    def _encode_normalized_readable(
        self, data: bytes, normalized: NormalizedText | None, tracer: Tracer
    ) -> FragmentTokens:
        state = after_steps(plamo2.steps(data, self._pieces), plamo2.State({}), tracer)
        tracer.end_piece(state.tokens)
        tokens = tokens_from_steps(state.tokens)
        return FragmentTokens(tokens.ids, *source_spans(normalized, tokens.starts, tokens.ends))

    @cached_property
    def _cut_table(self) -> CutTable | None:
        """A cut is after an ASCII byte, before a character that no token joins with it.

        A broken character begins as U+FFFD does; leads of byte order marks and of overlong forms are out.
        """
        if not self._is_simple:  # matches in the text after a position change the tokens before it
            return None
        vocabulary = self._vocabulary
        pairs = byte_pairs(vocabulary.token_data, vocabulary.token_offsets, self._token_ids)
        byte = np.arange(256)
        is_ascii = byte < 0x80
        is_lead = (byte > 0xC1) & (byte < 0xF5) & ~np.isin(byte, (0xE0, 0xEF, 0xF0))
        meets_broken = pairs[:, 0xEF, None] & is_lead
        return ~pairs & ~meets_broken & is_ascii[:, None] & (is_ascii | is_lead)


def _normalized(fragment: NDArray[np.uint8]) -> _Text:
    result = normalize_plamo2(fragment)
    return (fragment, None) if result is None else (result[0], NormalizedText(*result))


def _byte_ids(vocabulary: Vocabulary, candidates: NDArray[np.int64]) -> NDArray[np.int32]:
    """The tokens <0x00> … <0xFF>; files without one of them are not opened."""
    byte_ids = np.zeros(256, np.int32)
    for token_id in stoppable(candidates.tolist()):
        byte_ids[int(vocabulary.raw_text(token_id)[3:5], 16)] = token_id
    return byte_ids


def _check_lengths(lengths: NDArray[np.int64]) -> None:
    """Raise VocabError if the suffixes of all tokens would fill the memory."""
    if float(lengths @ lengths.astype(np.float64)) > MOST_SUFFIX_BYTES:
        raise VocabError(
            f"A token has the score -1000, like unknown characters, and there are tokens of up to "
            f"{lengths.max():,} bytes: such a PLaMo 2 vocabulary is not supported. Correct the score."
        )


def _is_well_formed(text: bytes) -> bool:
    """Whether a token is spelled as text is after normalisation; otherwise it never matches."""
    try:
        text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
