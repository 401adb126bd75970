"""WPM vocabularies (BERT and its family): words, then the longest tokens of each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.algorithms import linear, wordpiece
from guiapp.core.encoding import FragmentTokens
from guiapp.core.errors import EncodeError
from guiapp.core.kernels import fast_wordpiece, normalize_wordpiece, word_cache
from guiapp.core.kernels import linear as linear_kernel
from guiapp.core.kernels import wordpiece as kernel
from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, build_matcher
from guiapp.core.kernels.compile import awaits_compiled, is_interpreted
from guiapp.core.kernels.piece_cache import PieceCache, empty_rows
from guiapp.core.pipelines.chunks import chunks_of, join_chunks, tokens_from_steps
from guiapp.core.pipelines.fast_words import NO_ENDS, FastWords
from guiapp.core.pipelines.many_texts import LONGEST_OF_MANY, Rows, laid_out
from guiapp.core.pipelines.pipeline import Pipeline
from guiapp.core.pipelines.stages import ENCODE, NORMALISE_AND_SPLIT, SPLIT_AND_ENCODE, Stage, Stages
from guiapp.core.pipelines.watcher import UNWATCHED, Watcher
from guiapp.core.text.normalized import NormalizedText, joined, source_spans
from guiapp.core.text.normalizers import SPACE_SYMBOL, Action, wordpiece_words
from guiapp.core.vocab.vocabulary import Vocabulary

REFUSED = {
    "greedy": "What it does, word by word, is what `wordpiece` is: WordPiece takes the longest token.",
    "fewest": "A WordPiece vocabulary is meant for the longest tokens of each word, not for the fewest.",
}
NOT_COVERED = (
    "A word is not covered by the vocabulary, and the file has no valid tokenizer.ggml.unknown_token_id to "
    "put in its place. Repair the file, or change the text."
)


class _Words(NamedTuple):
    """A normalised text, which may have room behind it, and where its words end."""

    text: NormalizedText
    ends: NDArray[np.int64]


class WordPiecePipeline(Pipeline):
    """See `Pipeline`.  Spaces, control characters and dropped accents belong to no span."""

    encoders: tuple[str, ...] = ("fast", "wordpiece", "linear")
    refused: Mapping[str, str] = REFUSED
    encodes_many_texts, longest_of_many = True, LONGEST_OF_MANY  # see `EncodesMany`

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        unknown = vocabulary.special_ids.unk
        self._unknown = NONE if unknown is None else unknown
        rules = vocabulary.rules
        self.actions = normalize_wordpiece.action_table(rules.lowercase, rules.strip_accents)

    def make_tables(self) -> None:
        """Make now what the first encoding that needs it would make."""
        if not awaits_compiled():
            _ = self._fast

    @cached_property
    def matcher(self) -> TokenMatcher:
        """Finds the longest token at each place of a word."""
        vocabulary = self._vocabulary
        ids = np.arange(len(vocabulary), dtype=np.int32)
        return build_matcher(vocabulary.token_data, vocabulary.token_offsets, ids)

    @cached_property
    def _links(self) -> linear_kernel.FailureLinks:
        return linear_kernel.build_links(self._vocabulary.token_data, self._vocabulary.token_offsets)

    @cached_property
    def _readable_links(self) -> linear.FailureLinks:
        return linear.FailureLinks(self._ids)

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return {self._vocabulary.raw_text(token_id): token_id for token_id in range(len(self._vocabulary))}

    @cached_property
    def _longest_bytes(self) -> int:
        return max(map(len, self._ids))

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        if encoder == "fast":
            return self._encode_fast(fragment)
        return join_chunks(self._encode_words(self._words(fragment), encoder))

    def stages(self, after_special: bool, encoder: str) -> Stages:
        if encoder == "fast":
            return (Stage(SPLIT_AND_ENCODE, self._encode_fast),)
        return (
            Stage(NORMALISE_AND_SPLIT, lambda fragment: list(self._words(fragment))),
            Stage(ENCODE, lambda words: join_chunks(self._encode_words(words, encoder))),
        )

    def _words(self, fragment: NDArray[np.uint8]) -> Iterator[tuple[int, _Words]]:
        for start, chunk in chunks_of(fragment, self.cut_after):
            room = 4 * len(chunk)
            text = NormalizedText(
                np.empty(room, np.uint8), np.empty(room, np.int64), np.empty(room, np.int64)
            )
            word_ends = np.empty(len(chunk), np.int64)
            n_words = normalize_wordpiece.normalize(chunk, self.actions, *text, word_ends)
            yield start, _Words(text, word_ends[:n_words])

    def _encode_words(
        self, chunks: Iterable[tuple[int, _Words]], encoder: str
    ) -> Iterator[tuple[int, FragmentTokens]]:
        for start, words in chunks:
            yield start, self._encode_chunk(*words, encoder)

    def _encode_chunk(
        self, text: NormalizedText, word_ends: NDArray[np.int64], encoder: str
    ) -> FragmentTokens:
        size = int(word_ends[-1]) if len(word_ends) else 0
        ids = np.empty(size, np.int32)
        starts, ends = np.empty(size, np.int64), np.empty(size, np.int64)
        words = text.data, word_ends
        if encoder == "linear":
            count = linear_kernel.encode(*words, self._links, self._unknown, ids, starts, ends)
        else:
            found = np.empty(size, np.int32)
            count = kernel.encode(*words, self.matcher, self._unknown, found, ids, starts, ends)
        return self._checked(ids[:count].copy(), *source_spans(text, starts[:count], ends[:count]))

    def _encode_fast(self, fragment: NDArray[np.uint8]) -> FragmentTokens:
        ids = self._fast.encode(fragment)
        self._check(ids)

        def tell() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            starts, ends = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
            unknown_text = b"" if self._unknown == NONE else self._vocabulary.raw_text(self._unknown)
            may_be_first = unknown_text.startswith(SPACE_SYMBOL[:1])
            fast_wordpiece.find_spans(
                fragment, self.actions, self.matcher, self._unknown, may_be_first, ids, starts, ends
            )
            return starts, ends

        return FragmentTokens.later(ids, tell)

    @cached_property
    def _fast(self) -> FastWords:
        actions, matcher, unknown = self.actions, self.matcher, self._unknown

        def encode_known(text: NDArray[np.uint8], short: NDArray[np.uint64], ids: NDArray[np.int32]) -> int:
            return fast_wordpiece.encode_known(text, actions.pages, actions.rows, short, ids)

        def encode_from(
            text: NDArray[np.uint8],
            position: int,
            cache: PieceCache,
            ids: NDArray[np.int32],
            count: int,
            text_ends: NDArray[np.int64] = NO_ENDS,
            counts: NDArray[np.int64] = NO_ENDS,
        ) -> int:
            return fast_wordpiece.encode(
                text, position, actions, matcher, unknown, cache, ids, count, text_ends, counts
            )

        return FastWords(encode_known, encode_from, None if is_interpreted() else self._known_words())

    def _known_words(self) -> NDArray[np.uint64]:
        """Rows for the words of ASCII characters that are a token, and that normalising does not change."""
        vocabulary = self._vocabulary
        data, offsets = vocabulary.token_data, vocabulary.token_offsets
        stays = np.zeros(256, np.bool_)
        stays[:0x80] = self.actions.rows[self.actions.pages[0]][:0x80] == Action.EXTEND_WORD
        n_changed = np.concatenate([[0], np.cumsum(~stays[data])])
        starts, ends = offsets[:-1] + len(SPACE_SYMBOL), offsets[1:]
        tokens = np.flatnonzero(starts < ends)
        is_first = data[offsets[tokens, None] + np.arange(len(SPACE_SYMBOL))] == list(SPACE_SYMBOL)
        stays_whole = n_changed[ends[tokens]] == n_changed[starts[tokens]]
        tokens = tokens[is_first.all(axis=1) & stays_whole]
        lengths = ends[tokens] - starts[tokens]
        word_starts = np.concatenate([[0], np.cumsum(lengths)])
        texts = data[np.repeat(starts[tokens] - word_starts[:-1], lengths) + np.arange(word_starts[-1])]
        known = empty_rows(max(word_cache.N_ROWS, 1 << (4 * len(tokens)).bit_length()))
        word_cache.enter_words(known, texts, word_starts, tokens.astype(np.int32))
        return known

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, watcher: Watcher = UNWATCHED
    ) -> FragmentTokens:
        tokens: wordpiece.Tokens = []
        rules = self._vocabulary.rules
        words = list(wordpiece_words(fragment, rules.lowercase, rules.strip_accents))
        text = joined(words)
        ends = np.cumsum([len(word.data) for word in words], dtype=np.int64).tolist()
        watcher.begin(text.data.tobytes(), text, 0)
        watcher.split(ends)
        for word, end in zip(words, ends, strict=True):
            taken: wordpiece.Tokens = []
            data = word.data.tobytes()
            watcher.piece(end - len(data), data, None, None)
            for step in self._steps(encoder, data):
                step.apply(taken)
                watcher.step(step)
            watcher.end_piece(taken)
            tokens += [(token, int(word.starts[a]), int(word.ends[b - 1])) for token, a, b in taken]
        return self._checked(*tokens_from_steps(tokens))

    def _steps(
        self, encoder: str, word: bytes
    ) -> Iterator[wordpiece.Take | wordpiece.Miss | linear.Fail | wordpiece.GiveUp]:
        if encoder == "linear":
            return linear.steps(word, self._ids, self._readable_links, self._unknown)
        return wordpiece.steps(word, self._ids, self._longest_bytes, self._unknown)

    def cut_before(self, data: NDArray[np.uint8], position: int) -> int:
        """The last safe cut up to `position`, whatever stands behind it."""
        return normalize_wordpiece.word_break_before(data, position, self.actions)

    def cut_after(self, data: NDArray[np.uint8], position: int) -> int:
        """The first safe cut from `position` on, whatever stands before it."""
        return normalize_wordpiece.word_break_after(data, position, self.actions)

    def encode_each(self, texts: Sequence[bytes]) -> Rows:
        """See `EncodesMany`."""
        rows = Rows(*self._fast.encode_each(*laid_out(texts)))
        self._check(rows.ids)
        return rows

    def _checked(
        self, ids: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> FragmentTokens:
        self._check(ids)
        return FragmentTokens(ids, starts, ends)

    def _check(self, ids: NDArray[np.int32]) -> None:
        if self._unknown == NONE and NONE in ids:
            raise EncodeError(NOT_COVERED)
