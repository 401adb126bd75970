"""A tokenizer: a vocabulary and the pipeline that its file asks for.

    text -> partition -> normalise -> split -> encode -> assemble -> token ids and spans

Special tokens are cut out first; each fragment of text between them goes through the pipeline of the
vocabulary's type; BOS, EOS and the like are added around the whole text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.catalogue import ALGORITHMS, Algorithm
from guiapp.core.encode.counting.certain_cuts import CertainCuts
from guiapp.core.encode.counting.growing import count_tokens
from guiapp.core.encode.detokenizing import detokenize
from guiapp.core.encode.dropout import Dropout
from guiapp.core.encode.encoding import (
    LONGEST_TEXT,
    NO_TOKENS,
    Encoding,
    FragmentTokens,
    Offsets,
    as_bytes,
    assembled,
    spans_with_affixes,
)
from guiapp.core.encode.exactness import Exactness, exactness_of
from guiapp.core.encode.families.pipeline import FastPath, Pipeline, Rows, no_fast_path
from guiapp.core.encode.families.words import WORDS, WordsPipeline
from guiapp.core.encode.many_texts import (
    LEAST_LONG_BYTES,
    LEAST_PART,
    MOST_ASKED_FOR,
    MOST_THREADS,
    PARTS_PER_THREAD,
    Groups,
    Padding,
    checked_shape,
    encode_in_parts,
    encode_rows,
    n_cores,
    pad_batch,
    row_by_row,
    share_out,
)
from guiapp.core.text.special_tokens import (
    AddedTokens,
    ComposedSpecialTokens,
    Partition,
    SpecialTokens,
    join_segments,
)
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.errors import EncodeError, whole_number
from guiapp.native.checkpoint import checkpoint
from guiapp.native.pairs import MOST_AROUND
from guiapp.native.special_tokens import CallOptions

if TYPE_CHECKING:
    from guiapp.core.encode.reference.viterbi import Segmentation

TEXT = str, bytes
SHORT_STRETCH, MOST_RECALLED = 256, 1 << 10  # bytes of a fragment that is cached; number of cached ones
SHORT_BYTES = 1 << 16  # a text up to this size is encoded too quickly to be worth stopping early


@dataclass(frozen=True, slots=True)
class _Prepared:
    """How to encode texts with one set of options of `encode`, computed once.

    begins  whether a text begins a document or follows a special token
    options, whole  for `fast_path`: up to the length from which threads pay, and for any length
    recall  cached tokens of short fragments between special tokens: the turns of a chat come again
    """

    encoder: str
    begins: bool
    pipeline: Pipeline
    special_tokens: SpecialTokens
    parse_special: bool
    n_threads: int
    options: CallOptions
    whole: CallOptions
    fast_path: FastPath
    recall: Callable[[bytes, bool], FragmentTokens]

    def spans(self, encoding: Encoding) -> Offsets:
        """The spans of the tokens that `fast_path` returned."""
        inner = slice(len(self.options.before), len(encoding) - len(self.options.after))
        text = np.frombuffer(encoding.text_bytes, np.uint8)
        bounds = self.bounds(text, encoding.token_ids[inner])
        checkpoint()
        return spans_with_affixes(bounds, inner, len(encoding), len(text))

    def bounds(self, text: NDArray[np.uint8], ids: NDArray[np.int32]) -> tuple[Offsets, Offsets]:
        """The starts and ends of the same tokens, without BOS, EOS and the like."""
        bounds = self.pipeline.spans(text, ids, self.options)
        if bounds is None:
            tokens = self.encode(text, self.special_tokens.partition(text, self.parse_special))
            bounds = tokens.starts, tokens.ends
        return bounds

    def encode_beyond(self, text: NDArray[np.uint8]) -> FragmentTokens:
        """The tokens, without BOS, EOS and the like, of a text that `fast_path` rejects."""
        found = self.special_tokens.partition(text, self.parse_special)
        if len(text) >= LEAST_LONG_BYTES and len(found.ids):  # parts of parts cost more than threads save
            inner = slice(len(self.whole.before), -len(self.whole.after) or None)
            if (ids := self.fast_path(text.tobytes(), self.whole)) is not None:
                return FragmentTokens.later(ids[inner], lambda: self.bounds(text, ids[inner]))
        return self.encode(text, found)

    def encode(self, text: NDArray[np.uint8], partition: Partition) -> FragmentTokens:
        """The tokens of a text, fragment by fragment between its special tokens."""

        def encode_fragment(start: int, end: int) -> FragmentTokens:
            begins = self.begins if start == 0 else self.pipeline.begins_after_special
            if end - start <= SHORT_STRETCH and len(partition.ids):
                return self.recall(text[start:end].tobytes(), begins)
            return self._encode_fragment(text[start:end], begins)

        return join_segments(partition, encode_fragment)

    def _encode_fragment(self, fragment: NDArray[np.uint8], begins: bool) -> FragmentTokens:
        """The tokens of a fragment between special tokens; on several threads where that pays."""
        n_threads, encoder = self.n_threads, self.encoder
        if n_threads < 2 or len(fragment) < LEAST_LONG_BYTES or not ALGORITHMS[encoder].exact:
            return self.pipeline.encode(fragment, begins, encoder)
        n_parts = min(PARTS_PER_THREAD * n_threads, len(fragment) // LEAST_PART)
        return encode_in_parts(self.pipeline, fragment, begins, encoder, n_threads, n_parts)


class Tokenizer:
    """Text to token ids and back, for one vocabulary.  Immutable: threads may share it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.pipeline, self._words = pipeline_for(vocabulary), WordsPipeline(vocabulary)
        self.special_tokens = _special_tokens_of(vocabulary)
        self._prepared: dict[tuple[bool, bool, str | None, bool], _Prepared] = {}
        self.n_threads = min(n_cores(), MOST_THREADS)
        self._choices: tuple[tuple[str, tuple[object, ...]], ...] = ()  # names of methods and their arguments

    def __repr__(self) -> str:
        return repr(self.vocabulary).replace("Vocabulary", "Tokenizer", 1)

    @cached_property
    def encoders(self) -> Mapping[str, Algorithm]:
        """The algorithms that apply to this vocabulary, the default one first."""
        return MappingProxyType({name: ALGORITHMS[name] for name in (*self.pipeline.encoders, WORDS)})

    def without_splitting(self) -> Tokenizer:
        """The same tokenizer, but BPE merges over the whole text between special tokens as one piece.

        The model was not trained on such ids: this is for measuring and looking at algorithms.
        """
        tokenizer = self._changed("without_splitting", (), pipeline=self.pipeline.without_splitting())
        reason = "Text is not split before merging, unlike in llama.cpp."
        if tokenizer.pipeline is not self.pipeline:
            tokenizer.__dict__["exactness"] = Exactness("approximate", reason)
        return tokenizer

    def with_dropout(self, share: float, seed: int = 0) -> Tokenizer:
        """The same tokenizer, but `fewest` rules out this share of all uses of tokens at random.

        The same seed gives the same tokens.  Raises EncodeError unless 0 <= share < 1.
        """
        seed = whole_number(seed, "seed")
        if not 0 <= share < 1:
            raise EncodeError(f"A dropout of {share} is not possible. Choose one from 0 to below 1.")
        state = (seed * 0x9E3779B1 + 1) % (1 << 32) or 1
        dropout = Dropout(int(share * (1 << 32)), state)
        return self._changed("with_dropout", (share, seed), pipeline=self.pipeline.with_dropout(dropout))

    def with_threads(self, n_threads: int) -> Tokenizer:
        """The same tokenizer, but long texts and many texts are encoded on `n_threads` threads.

        Choose 1 for measuring.  The default is one per processor, at most MOST_THREADS.  Numbers are clamped
        to 1 … MOST_ASKED_FOR: each thread may need 20 MB.
        """
        n_threads = min(max(whole_number(n_threads, "number of threads"), 1), MOST_ASKED_FOR)
        return self._changed("with_threads", (n_threads,), n_threads=n_threads)

    def make_tables(self) -> None:
        """Make the tables now, 0.1 s for large vocabularies, instead of on first use; for live editing."""
        self.pipeline.make_tables()
        self.special_tokens.make_tables()
        _ = self.vocabulary.token_bytes_table

    def _changed(self, choice: str, given: tuple[object, ...], **attributes: object) -> Tokenizer:
        tokenizer = object.__new__(Tokenizer)
        choices = (*self._choices, (choice, given))
        vars(tokenizer).update(vars(self) | attributes, _prepared={}, _choices=choices)
        return tokenizer

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[object, ...]]:
        return _tokenizer_with, (self.vocabulary, self._choices)

    def __copy__(self) -> Tokenizer:  # it never changes
        return self

    def __deepcopy__(self, _memo: object) -> Tokenizer:
        return self

    @cached_property
    def exact_encoders(self) -> tuple[str, ...]:
        """The names of the algorithms that give llama.cpp's ids for every text."""
        return tuple(name for name, algorithm in self.encoders.items() if algorithm.exact)

    def reference_encoder(self, encoder: str) -> str:
        """The algorithm that shows how an encoder works: `fast` caches the results of another one."""
        return next(name for name in self.exact_encoders if name != "fast") if encoder == "fast" else encoder

    @cached_property
    def refused_encoders(self) -> Mapping[str, str]:
        """Why the other algorithms are not offered: a sentence for each name."""
        own = f"It is for vocabularies of another type than {self.vocabulary.type.value}."
        refused = self.pipeline.refused
        return MappingProxyType(
            {name: refused.get(name, own) for name in ALGORITHMS if name not in self.encoders}
        )

    def pipeline_of(self, encoder: str, parse_special: bool = True) -> Pipeline:
        """The pipeline that an encoder runs in."""
        if encoder == WORDS:
            return self._words
        return self.pipeline if parse_special else self.pipeline.without_special()

    def begins_text_at(self, start: int, after_special: bool) -> bool:
        """The `after_special` of `Pipeline.encode` for a fragment that begins at `start` of a segment."""
        return after_special if start == 0 else self.pipeline.begins_after_special

    @property
    def merging(self) -> PairMerging | None:
        """The merge rules in use, if the vocabulary's type has any."""
        return self.pipeline.merging

    def encode(
        self,
        text: str | bytes,
        add_special: bool = True,
        parse_special: bool = True,
        encoder: str | None = None,
    ) -> Encoding:
        """The tokens of a text, from the native library.

        text           str, or bytes that may be invalid UTF-8; lone surrogates of a str are encoded as
                       three bytes each
        add_special    add BOS, EOS … around it, as the file asks
        parse_special  find control tokens in the text; user-defined ones are always found
        encoder        one of `encoders`; the first by default
        Raises EncodeError for an unknown encoder and for text that the vocabulary cannot express.
        """
        options = add_special, parse_special, encoder, True
        prepared = self._prepared.get(options) or self._prepare(*options)
        if not isinstance(text, TEXT):
            text = as_bytes(text)
        if text and (ids := prepared.fast_path(text, prepared.options)) is not None:
            return Encoding(text, ids, prepared.spans, prepared.encoder)
        data = as_bytes(text)
        own = np.frombuffer(data, np.uint8)
        if len(data) >= LEAST_LONG_BYTES:
            tokens = self.encode_segment(own, None, True, encoder, parse_special)
        else:
            tokens = prepared.encode_beyond(own) if text else NO_TOKENS
        return self._assemble(data, tokens, add_special, prepared.encoder)

    def _prepare(
        self, add_special: bool, parse_special: bool, encoder: str | None, begins: bool = True
    ) -> _Prepared:
        """Work out how texts are encoded with these options; errors as for `encode`.

        begins  whether they begin a document or follow a special token
        """
        name, key = self._encoder_name(encoder), (add_special, parse_special, encoder, begins)
        own, special = self.pipeline_of(name, parse_special), self.special_tokens
        affixes = self.special_affixes() if add_special else ([], [])
        most_bytes = LEAST_LONG_BYTES if self.n_threads > 1 else LONGEST_TEXT
        handle = special.handle(parse_special)
        is_begin = begins or (
            own.adds_space and not own.begins_after_special
        )  # then the space is added whether or not the text begins a document
        given = handle, own.excluded, own.adds_space, own.marks_spaces, is_begin, affixes
        options = CallOptions(*given, most_bytes), CallOptions(*given)
        is_fast = name == own.encoders[0] and special.is_native and max(map(len, affixes)) <= MOST_AROUND
        fast_path = own.fast_path if is_fast else no_fast_path
        recall = lru_cache(MOST_RECALLED)(partial(_encode, own, name))
        switches = name, begins, own, special, parse_special, self.n_threads
        prepared = _Prepared(*switches, *options, fast_path, recall)
        self._prepared[key] = prepared
        return prepared

    def encode_segment(
        self,
        text: NDArray[np.uint8],
        partition: Partition | None,
        after_special: bool,
        encoder: str | None,
        parse_special: bool,
    ) -> FragmentTokens:
        """The tokens of a text, without BOS, EOS and the like.

        partition      the positions of its special tokens; None: search for them
        after_special  whether the text begins a document or follows a special token
        """
        if not len(text):
            return NO_TOKENS
        options = False, parse_special, encoder, after_special
        prepared = self._prepared.get(options) or self._prepare(*options)
        if partition is not None:
            return prepared.encode(text, partition)
        if (ids := self._ids_in_parts(text, prepared, encoder)) is not None:
            return FragmentTokens.later(ids, partial(prepared.bounds, text, ids))
        if (ids := prepared.fast_path(text.tobytes(), prepared.options)) is None:
            return prepared.encode_beyond(text)
        return FragmentTokens.later(ids, partial(prepared.bounds, text, ids))

    def count_segment(
        self, text: bytes, after_special: bool, encoder: str | None, parse_special: bool
    ) -> int:
        """The number of tokens that `encode_segment` gives for a short text that is not empty."""
        options = False, parse_special, encoder, after_special
        prepared = self._prepared.get(options) or self._prepare(*options)
        ids = prepared.fast_path(text, prepared.options)
        return len(prepared.encode_beyond(np.frombuffer(text, np.uint8)).ids if ids is None else ids)

    def _ids_in_parts(
        self, text: NDArray[np.uint8], prepared: _Prepared, encoder: str | None
    ) -> NDArray[np.int32] | None:
        """The ids of a long text by the fast path on several threads; None if that does not pay."""
        n_threads, parse_special = prepared.n_threads, prepared.parse_special
        if n_threads < 2 or len(text) < LEAST_LONG_BYTES or prepared.fast_path is no_fast_path:
            return None
        n_parts = min(PARTS_PER_THREAD * n_threads, len(text) // LEAST_PART)
        bounds = CertainCuts(self, parse_special, encoder).part_bounds(text, n_parts)
        options = False, parse_special, encoder, False
        later = self._prepared.get(options) or self._prepare(*options)

        def encode_part(part: tuple[int, int]) -> NDArray[np.int32] | None:
            start, end = part
            return prepared.fast_path(text[start:end].tobytes(), (later if start else prepared).whole)

        parts = share_out(encode_part, list(pairwise(bounds)), n_threads) if len(bounds) > 2 else [None]
        known = [ids for ids in parts if ids is not None]
        return np.concatenate(known) if len(known) == len(parts) else None

    def encode_readable(
        self,
        text: str | bytes,
        add_special: bool = True,
        parse_special: bool = True,
        encoder: str | None = None,
    ) -> Encoding:
        """The same from the reference implementations: slow, but all in plain Python."""
        name = self._encoder_name(encoder)
        data = as_bytes(text)

        def encode_fragment(start: int, end: int) -> FragmentTokens:
            pipeline = self.pipeline_of(name, parse_special)
            return pipeline.encode_readable(data[start:end], self.begins_text_at(start, True), name)

        tokens = join_segments(self.special_tokens.partition_readable(data, parse_special), encode_fragment)
        return self._assemble(data, tokens, add_special, name)

    def segmentations(
        self, text: str | bytes, n: int, add_special: bool = True, parse_special: bool = True
    ) -> list[Segmentation]:
        """The `n` best ways to cut a text into tokens, the best first, or all if there are fewer.

        The first is the result of `encode`.  A segmentation is ids and spans: two may have the same ids.
        Among ties, compare the last token in which they differ: the one that starts first wins.
        Raises EncodeError if the vocabulary is not Unigram, and if n < 1.
        """
        from guiapp.core.encode.reference.viterbi import Segmentation, Segmenting, best_joint

        own = self.pipeline
        if not isinstance(own, Segmenting):
            raise EncodeError(
                f"Only Unigram vocabularies give several segmentations with scores, and this one is "
                f"of the type {self.vocabulary.type.value}. Encode without asking for the best ones."
            )
        n = whole_number(n, "number of segmentations")
        if n < 1:
            raise EncodeError(f"You asked for {n} segmentations. Ask for 1 or more.")
        data = as_bytes(text)
        array = np.frombuffer(data, np.uint8)
        partition = self.special_tokens.partition(array, parse_special)
        segments = list(zip(partition.raw_starts.tolist(), partition.raw_ends.tolist(), strict=True))
        results = {start: own.segmentations(array[start:end], n) for start, end in segments if start < end}
        index_of = {start: index for index, start in enumerate(results)}
        best = best_joint([[score for score, _ in candidates] for candidates in results.values()], n)

        def segmentation(score: float, ranks: list[int]) -> Segmentation:
            tokens = join_segments(partition, lambda start, end: results[start][ranks[index_of[start]]][1])
            return Segmentation(self._assemble(data, tokens, add_special, "viterbi"), score)

        return [segmentation(*joint) for joint in best]

    def count(
        self,
        text: str | bytes,
        limit: int | None = None,
        add_special: bool = True,
        parse_special: bool = True,
    ) -> int | None:
        """The number of tokens of a text; None if it exceeds `limit`, as soon as that is certain.

        The other options are as in `encode`: special tokens count unless switched off.
        """
        if limit is not None and len(text) > SHORT_BYTES:
            return count_tokens(self, as_bytes(text), limit, add_special, parse_special)
        n_tokens = len(self.encode(text, add_special, parse_special).token_ids)
        return None if limit is not None and n_tokens > limit else n_tokens

    def encode_batch(
        self, texts: Iterable[str | bytes], pad: Padding = "longest", truncate: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Many texts as one array, encoded on all processors; see `pad_batch` in `many_texts`."""
        affixes = self.special_affixes()
        shape = checked_shape(pad, truncate, len(affixes[1]))
        return pad_batch(self.vocabulary, self._rows(texts, True, None), affixes, shape, self.n_threads)

    def encode_each(
        self,
        texts: Iterable[str | bytes],
        add_special: bool = True,
        parse_special: bool = True,
        encoder: str | None = None,
    ) -> list[NDArray[np.int32]]:
        """The token ids of each of many texts, encoded on all processors; options as for `encode`."""
        affixes = self.special_affixes() if add_special else ([], [])
        return row_by_row(self._rows(texts, parse_special, encoder), affixes)

    def ids_or_none(self, texts: Sequence[bytes], parse_special: bool) -> list[NDArray[np.int32] | None]:
        """The ids of each text without BOS and EOS; None for a text that the vocabulary cannot express."""
        try:
            return [*self.encode_each(texts, False, parse_special)]
        except EncodeError:
            if len(texts) == 1:
                return [None]
            half = len(texts) // 2
            parts = texts[:half], texts[half:]
            return [ids for part in parts for ids in self.ids_or_none(part, parse_special)]

    def _rows(self, texts: Iterable[str | bytes], parse_special: bool, encoder: str | None) -> list[Rows]:
        """The ids of many texts without BOS, EOS and the like."""
        name = self._encoder_name(encoder)
        own = self.pipeline_of(name, parse_special)
        takes_many = name == own.encoders[0] and own.encodes_many_texts and self.special_tokens.is_native

        def encode(text: bytes) -> NDArray[np.int32]:
            return self.encode(text, False, parse_special, name).token_ids

        options = (False, parse_special, encoder, True)
        prepared = self._prepared.get(options) or self._prepare(*options)
        groups = Groups(own if takes_many else None, prepared.options, encode)
        return encode_rows(groups, _as_many_bytes(texts), self.n_threads)

    def decode_bytes(
        self, ids: Iterable[int], remove_special: bool = False, unparse_special: bool = True
    ) -> bytes:
        """The bytes that token ids stand for; see `guiapp.core.encode.detokenizing.detokenize`."""
        return detokenize(self.vocabulary, ids, remove_special, unparse_special)

    def decode(self, ids: Iterable[int], remove_special: bool = False, unparse_special: bool = True) -> str:
        """The same as text, with U+FFFD for invalid UTF-8."""
        data = detokenize(self.vocabulary, ids, remove_special, unparse_special, is_text=True)
        return data.decode("utf-8", "replace")

    @cached_property
    def exactness(self) -> Exactness:
        """Whether llama.cpp would give the same ids for this file."""
        return exactness_of(self.vocabulary)

    def special_affixes(self) -> tuple[list[int], list[int]]:
        """The ids that `add_special` adds before and after a text."""
        vocabulary, special, rules = self.vocabulary, self.vocabulary.special_ids, self.vocabulary.rules
        if vocabulary.parts is not None:
            return list(vocabulary.parts.before), list(vocabulary.parts.after)
        if vocabulary.type is VocabType.WPM:
            return [self._needed(special.bos, "bos")], [self._needed(special.sep, "seperator")]
        if vocabulary.type not in (VocabType.SPM, VocabType.BPE, VocabType.UGM, VocabType.PLAMO2):
            return [], []
        return (
            [self._needed(special.bos, "bos")] if rules.add_bos else [],
            [self._needed(special.eos, "eos")] if rules.add_eos else [],
        )

    def known_affixes(self) -> tuple[list[int], list[int]]:
        """`special_affixes`, or none if the file does not say which tokens they are."""
        try:
            return self.special_affixes()
        except EncodeError:
            return [], []

    def _needed(self, token_id: int | None, role: str) -> int:
        if token_id is None:
            raise EncodeError(
                f"The file adds {role.upper()} to each text, but has no valid "
                f"tokenizer.ggml.{role}_token_id. Encode without special tokens, or fix the file."
            )
        return token_id

    def _encoder_name(self, name: str | None) -> str:
        if name is None:
            return self.pipeline.encoders[0]
        if name not in self.encoders:
            raise EncodeError(
                f"This {self.vocabulary.type.value} vocabulary has no encoder “{name}”. "
                f"Choose one of: {', '.join(self.encoders)}."
            )
        return name

    def _assemble(self, text: bytes, tokens: FragmentTokens, add_special: bool, encoder: str) -> Encoding:
        return assembled(text, tokens, self.special_affixes() if add_special else ([], []), encoder)


def _tokenizer_with(vocabulary: Vocabulary, choices: Iterable[tuple[str, tuple[object, ...]]]) -> Tokenizer:
    """Rebuild a pickled tokenizer."""
    tokenizer = Tokenizer(vocabulary)
    for choice, given in choices:
        tokenizer = getattr(tokenizer, choice)(*given)
    return tokenizer


def _encode(pipeline: Pipeline, encoder: str, fragment: bytes, begins: bool) -> FragmentTokens:
    return pipeline.encode(np.frombuffer(fragment, np.uint8), begins, encoder)


def _as_many_bytes(texts: Iterable[str | bytes]) -> list[bytes]:
    if isinstance(texts, str | bytes):
        raise TypeError("Pass a list of texts; for one text use encode")
    data = [
        text.encode("utf-8", "surrogatepass") if isinstance(text, str) else as_bytes(text) for text in texts
    ]
    as_bytes(max(data, key=len, default=b""))
    return data


def _special_tokens_of(vocabulary: Vocabulary) -> SpecialTokens:
    if (parts := vocabulary.parts) is not None:
        return AddedTokens(vocabulary, parts)
    return (ComposedSpecialTokens if vocabulary.rules.composes else SpecialTokens)(vocabulary)


def pipeline_for(vocabulary: Vocabulary) -> Pipeline:
    """The pipeline of the vocabulary's type, or of its parts; imported when needed."""
    if (parts := vocabulary.parts) is not None and not vocabulary.patterns:
        from guiapp.core.encode.families.bert_words import BertWordsPipeline, are_bert_words
        from guiapp.core.encode.families.components import PartsPipeline

        return (BertWordsPipeline if are_bert_words(parts) else PartsPipeline)(vocabulary, parts)
    if vocabulary.rules.composes or (parts is not None and not parts.normalizes_nothing):
        from guiapp.core.encode.families.components import NormalizedPairsPipeline, normalizer_in

        normalizer = normalizer_in(vocabulary)
        assert normalizer is not None
        return NormalizedPairsPipeline(vocabulary, normalizer)
    return (_of_type if vocabulary.pieces is None else _of_pieces)(vocabulary)


def _of_type(vocabulary: Vocabulary) -> Pipeline:
    match vocabulary.type:
        case VocabType.SPM:
            from guiapp.core.encode.families.byte_pair import SentencePiecePipeline

            return SentencePiecePipeline(vocabulary)
        case VocabType.BPE:
            from guiapp.core.encode.families.byte_pair import BytePairPipeline

            return BytePairPipeline(vocabulary)
        case VocabType.WPM:
            from guiapp.core.encode.families.word_piece import WordPiecePipeline

            return WordPiecePipeline(vocabulary)
        case VocabType.UGM:
            from guiapp.core.encode.families.unigram_llama_cpp import UnigramPipeline

            return UnigramPipeline(vocabulary)
        case VocabType.RWKV:
            from guiapp.core.encode.families.rwkv import RwkvPipeline

            return RwkvPipeline(vocabulary)
        case VocabType.PLAMO2:
            from guiapp.core.encode.families.plamo2 import Plamo2Pipeline

            return Plamo2Pipeline(vocabulary)
    assert vocabulary.type is VocabType.TEST, "whole words are found by parts alone"
    from guiapp.core.encode.families.words import ChunkHashPipeline

    return ChunkHashPipeline(vocabulary)


def _of_pieces(vocabulary: Vocabulary) -> Pipeline:
    """The pipeline of a SentencePiece model: pair merging or Unigram."""
    if vocabulary.type is VocabType.SPM:
        from guiapp.core.encode.families.sentencepiece import PiecePairsPipeline

        return PiecePairsPipeline(vocabulary)
    from guiapp.core.encode.families.sentencepiece import PieceUnigramPipeline

    return PieceUnigramPipeline(vocabulary)
