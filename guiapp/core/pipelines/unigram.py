"""UGM vocabularies (T5, XLM-RoBERTa): a character map, then the most probable segmentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from guiapp.core.algorithms import viterbi
from guiapp.core.algorithms.n_best import Edge, Lattice
from guiapp.core.encoding import FragmentTokens
from guiapp.core.errors import EncodeError
from guiapp.core.kernels import normalize_unigram
from guiapp.core.kernels import viterbi as kernel
from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, build_matcher, build_trie, find_all_longest
from guiapp.core.pipelines import cuts
from guiapp.core.pipelines.chunks import chunks_of, join_chunks, tokens_from_steps
from guiapp.core.pipelines.stages import ENCODE, NORMALISE, Stage, Stages
from guiapp.core.pipelines.watcher import UNWATCHED, Watcher, watch_whole
from guiapp.core.text.charsmap import open_charsmap
from guiapp.core.text.normalized import NormalizedText, source_spans
from guiapp.core.text.normalizers import SPACE_SYMBOL, symbol_length
from guiapp.core.text.normalizers import normalize_unigram as normalize_readable
from guiapp.core.vocab.vocabulary import Attribute, Vocabulary

NORMAL, USER_DEFINED, UNUSED = (
    1,
    4,
    5,
)  # token_type as the file has it: llama.cpp's tables are older than its repairs
UNKNOWN_PENALTY = np.float32(10)
LARGEST_TEXT = 2**31 - 1
LOWEST_SCORE_PER_BYTE = 16
EXACT_BITS = 53


class UnigramPipeline:
    """See `Pipeline`.  Spaces that the file wants removed belong to no span."""

    encoders: tuple[str, ...] = ("viterbi",)

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._charsmap = open_charsmap(vocabulary.charsmap)
        types = vocabulary.stored_types
        self._token_ids = np.flatnonzero(np.isin(types, (NORMAL, USER_DEFINED, UNUSED))).astype(np.int32)
        self._user_defined_ids = np.flatnonzero(types == USER_DEFINED).astype(np.int32)
        normal_scores = vocabulary.scores[types == NORMAL]
        lowest = np.fmin.reduce(normal_scores, initial=np.finfo(np.float32).max)
        self._unknown_score = float(np.float32(lowest) - UNKNOWN_PENALTY)
        is_free = vocabulary.attributes & Attribute.USER_DEFINED > 0
        self._scores = np.where(is_free, 0.0, vocabulary.scores.astype(np.float64))
        unknown = vocabulary.special_ids.unk
        self._unknown = NONE if unknown is None else unknown

    @cached_property
    def _matcher(self) -> TokenMatcher:
        vocabulary = self._vocabulary
        return build_matcher(vocabulary.token_data, vocabulary.token_offsets, self._token_ids)

    @cached_property
    def _user_defined(self) -> NDArray[np.int64]:
        vocabulary = self._vocabulary
        return build_trie(
            vocabulary.token_data, vocabulary.token_offsets, self._user_defined_ids, False
        ).edges

    @cached_property
    def _user_defined_texts(self) -> tuple[bytes, ...]:
        return tuple(map(self._vocabulary.raw_text, self._user_defined_ids.tolist()))

    @cached_property
    def _pieces(self) -> viterbi.Pieces:
        ids = {self._vocabulary.raw_text(token_id): token_id for token_id in self._token_ids.tolist()}
        scores = dict(enumerate(self._scores.tolist()))
        return viterbi.Pieces(ids, scores, max(map(len, ids), default=0), self._unknown, self._unknown_score)

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        return join_chunks(self._encode_texts(self._normalized(fragment)))

    def stages(self, after_special: bool, encoder: str) -> Stages:
        return (
            Stage(NORMALISE, lambda fragment: list(self._normalized(fragment))),
            Stage(ENCODE, lambda texts: join_chunks(self._encode_texts(texts))),
        )

    def _normalized(self, fragment: NDArray[np.uint8]) -> Iterator[tuple[int, NormalizedText]]:
        for start, chunk in chunks_of(fragment, self.cut_after):
            yield start, self._normalize(chunk)

    def _encode_texts(
        self, texts: Iterable[tuple[int, NormalizedText]]
    ) -> Iterator[tuple[int, FragmentTokens]]:
        score = 0.0
        for start, text in texts:
            tokens, score = self._encode_text(text, score)
            yield start, tokens

    def _encode_text(self, text: NormalizedText, score: float) -> tuple[FragmentTokens, float]:
        size = len(text.data)
        lattice = kernel.empty_lattice(size)
        ids, starts, ends = np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size, np.int64)
        count = kernel.encode(
            text.data,
            self._matcher,
            self._scores,
            self._unknown,
            self._unknown_score,
            score,
            lattice,
            ids,
            starts,
            ends,
        )
        spans = source_spans(text, starts[:count][::-1], ends[:count][::-1])
        return self._checked(ids[:count][::-1].copy(), *spans), float(lattice.scores[size])

    def _normalize(self, chunk: NDArray[np.uint8]) -> NormalizedText:
        room = 2 * len(chunk) + 64
        while True:
            text = NormalizedText(
                np.empty(room, np.uint8), np.empty(room, np.int64), np.empty(room, np.int64)
            )
            rules = self._vocabulary.rules
            size = normalize_unigram.normalize(
                chunk,
                self._charsmap,
                self._user_defined,
                rules.add_space_prefix,
                rules.remove_extra_whitespaces,
                *text,
            )
            if size <= room:
                return NormalizedText(text.data[:size], text.starts[:size], text.ends[:size])
            if size > LARGEST_TEXT:
                raise EncodeError(
                    f"The file's character map turns this text into {size:,} bytes. Encode a shorter text."
                )
            room = size

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, watcher: Watcher = UNWATCHED
    ) -> FragmentTokens:
        rules = self._vocabulary.rules
        text = normalize_readable(
            fragment,
            self._charsmap,
            self._user_defined_texts,
            rules.add_space_prefix,
            rules.remove_extra_whitespaces,
        )
        state = viterbi.State({})
        watch_whole(watcher, text.data.tobytes(), text)
        for step in viterbi.steps(text.data.tobytes(), self._pieces):
            step.apply(state)
            watcher.step(step)
        watcher.end_piece(state.tokens[::-1])
        tokens = [(token, text.starts[a], text.ends[b - 1]) for token, a, b in reversed(state.tokens)]
        return self._checked(*tokens_from_steps(tokens))

    def segmentations(self, fragment: NDArray[np.uint8], n: int) -> list[tuple[float, FragmentTokens]]:
        """The sums of scores and the tokens of the `n` best segmentations, or of all if these are fewer."""
        text = self._normalize(fragment)
        data, size = text.data.tobytes(), len(text.data)
        found = np.empty(size, np.int32)
        find_all_longest(self._matcher, text.data, found)
        longest = found.tolist()

        def edges(start: int) -> Iterator[Edge]:
            return self._edges(start, _character_end(data, start), longest[start])

        def next_start(start: int) -> int:
            return _character_end(data, start)

        lattice = Lattice(size, edges, next_start, self._unknown)
        found_best = []
        for score, found_tokens in islice(lattice.best(), n):
            tokens = tokens_from_steps(found_tokens)
            spans = source_spans(text, tokens.starts, tokens.ends)
            found_best.append((score, self._checked(tokens.ids, *spans)))
        return found_best

    def _edges(self, start: int, character_end: int, longest: int) -> Iterator[Edge]:
        """The tokens at a place; the unknown one among them unless the file has none."""
        is_known, token_id = False, longest
        while token_id != NONE:
            end = start + int(self._matcher.lengths[token_id])
            is_known |= end == character_end
            yield end, token_id, float(self._scores[token_id])
            token_id = int(self._matcher.shorter[token_id])
        if not is_known and self._unknown != NONE:
            yield character_end, self._unknown, self._unknown_score

    def cut_before(self, data: NDArray[np.uint8], position: int) -> int:
        """The last safe cut up to `position`, whatever stands behind it; before a space.

        Equal scores may be rounded differently on their own than as part of a text whose scores sum to
        less than about -2**31 (of this size if it holds some 200,000 unknown characters).
        """
        if not self._can_cut or len(data) > self._longest_exact:
            return 0
        return cuts.cut_before(data, position, self._is_cut)

    def cut_after(self, data: NDArray[np.uint8], position: int) -> int:
        """The first safe cut from `position` on, whatever stands before it."""
        if not self._can_cut or len(data) > self._longest_exact:
            return len(data)
        return cuts.cut_after(data, position, self._is_cut)

    def _is_cut(self, before: NDArray[np.uint8], behind: NDArray[np.uint8]) -> NDArray[np.bool_]:
        return self._cut_bytes[behind]

    @cached_property
    def _cut_bytes(self) -> NDArray[np.bool_]:
        """bool[256]: bytes that become a space wherever they stand; nothing reaches over their start."""
        used = np.frombuffer(b"".join(self._user_defined_texts), np.uint8)
        result = self._charsmap.spaces.copy()
        result[used] = False
        return result

    @cached_property
    def _can_cut(self) -> bool:
        """Whether each U+2581 of the normalised text starts a token, and the sides share no state."""
        rules = self._vocabulary.rules
        if rules.add_space_prefix and not rules.remove_extra_whitespaces:
            return False
        is_character_wise = self._charsmap.is_whole and all(
            text.isascii() for text in self._user_defined_texts
        )
        is_finite = bool(np.all(np.abs(self._scores[self._token_ids]) < 1e30)) and self._unknown_score > -1e30
        has_symbol = SPACE_SYMBOL in self._pieces.ids and self._unknown not in self._pieces.ids.values()
        return (
            is_character_wise
            and is_finite
            and has_symbol
            and not any(map(_has_inner_symbol, self._pieces.ids))
        )

    @cached_property
    def _longest_exact(self) -> int:
        """The longest text for which sums of scores can be taken to be exact, in bytes."""
        scores = np.append(self._scores[self._token_ids], self._unknown_score)
        mantissas, exponents = np.frexp(scores[scores != 0])
        whole = np.ldexp(mantissas, EXACT_BITS).astype(np.int64)
        steps = np.ldexp((whole & -whole).astype(np.float64), exponents - EXACT_BITS)
        finest = float(steps.min(initial=1.0))
        return int(2**EXACT_BITS * finest / LOWEST_SCORE_PER_BYTE)

    def _checked(
        self, ids: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> FragmentTokens:
        if self._unknown == NONE and NONE in ids:
            raise EncodeError(
                "A character is not covered by the vocabulary, and the file has no valid "
                "tokenizer.ggml.unknown_token_id to put in its place. Repair the file, or change the text."
            )
        return FragmentTokens(ids, starts, ends)


def _character_end(text: bytes, start: int) -> int:
    return min(len(text), start + symbol_length(text[start]))


def _has_inner_symbol(token: bytes) -> bool:
    """Whether U+2581, or the first bytes of it as the token's last, stand behind the token's start."""
    return (
        token.find(SPACE_SYMBOL, 1) > 0
        or (len(token) > 1 and token.endswith(SPACE_SYMBOL[:1]))
        or (len(token) > 2 and token.endswith(SPACE_SYMBOL[:2]))
    )
