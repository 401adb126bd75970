"""The pipeline that a file of Hugging Face's `tokenizers` puts together from parts.

    fragment -> normalise -> cut out added tokens -> split -> encode

Where nothing but the text is cut by patterns, `BytePairPipeline` does the same, and faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import NO_TOKENS, FragmentTokens, join_tokens
from guiapp.core.encode.families.pair_merging import PairEncoder, to_source
from guiapp.core.encode.families.pipeline import Pipeline
from guiapp.core.encode.families.symbol_merging import SymbolEncoder
from guiapp.core.encode.families.watcher import UNWATCHED, Watcher, watch_whole
from guiapp.core.hugging_face.aligned import AlignedText
from guiapp.core.hugging_face.models import PieceModel, unigram, word_level, word_piece
from guiapp.core.hugging_face.pre_tokenizers import without_byte_mapping
from guiapp.core.hugging_face.prepare import normalize, pre_tokenize
from guiapp.core.text.added_tokens import Found, TokenSearch
from guiapp.core.text.normalized import NormalizedText, from_source
from guiapp.core.text.utf8 import well_formed
from guiapp.core.vocabulary.byte_alphabet import NAMES
from guiapp.core.vocabulary.merges import PairMerging, listed_merging
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.pairs import ALL_PIECES, NO_PIECES

Find = Callable[[AlignedText], Found]


def _byte_pair_encoder(vocabulary: Vocabulary, parts: Parts) -> PairEncoder | SymbolEncoder:
    merging = listed_merging(vocabulary, parts)
    if parts.merges_bytes or _falls_back_behind_merges(merging, parts):
        return PairEncoder(vocabulary, merging, ALL_PIECES if parts.model.ignore_merges else NO_PIECES)
    return SymbolEncoder(merging, parts.model)


def _falls_back_behind_merges(merging: PairMerging, parts: Parts) -> bool:
    """Whether unknown characters are always bytes that nothing merges with, so that these may come last."""
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
"""What encodes pieces, by the kind of the model.  A new kind is a row here, and one in model_sections.py."""


class _Stretch(NamedTuple):
    """Some pieces of a fragment, or an added token in it.

    text      all pieces side by side, and where each byte came from
    ends      of the pieces
    token_id  of an added token, whose text is one piece
    """

    text: NormalizedText
    ends: NDArray[np.int64]
    token_id: int | None = None


class PartsPipeline(Pipeline):
    """See `Pipeline`.  Text that the parts remove belongs to no span."""

    begins_behind_special = False

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        self._parts = parts
        self._encoder = ENCODERS[parts.model.kind](vocabulary, parts)
        bare = without_byte_mapping(parts.pre_tokenizer) if parts.merges_bytes else None
        self._pre_tokenizer = parts.pre_tokenizer if bare is None else bare
        searched = {
            token.searched: token
            for token in reversed(parts.added_tokens)  # of those searched for alike, the first
            if token.normalized and not parts.normalizes_nothing
        }
        self.search = TokenSearch([*searched.values()])
        self._parses_special = True
        self.encoders, self.refused = self._encoder.encoders, self._encoder.refused
        self.merging = self._encoder.merging

    def without_special(self) -> PartsPipeline:
        pipeline = copy(self)
        pipeline._parses_special = False
        return pipeline

    def make_tables(self) -> None:
        self._encoder.prepare()

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        text, repaired = well_formed(fragment)
        stretches = self._stretches(text, after_special, self._find)
        return to_source(self._encode_stretches(stretches, encoder), repaired)

    def encode_finding(
        self,
        fragment: NDArray[np.uint8],
        after_special: bool,
        encoder: str,
        find: Callable[[NormalizedText], Found],
    ) -> FragmentTokens:
        """The same, but for the added tokens, which `find` finds in the normalised fragment."""
        text, repaired = well_formed(fragment)

        def find_there(normal: AlignedText) -> Found:
            return find(from_source(normal.normalized, repaired))

        stretches = self._stretches(text, after_special, find_there)
        return to_source(self._encode_stretches(stretches, encoder), repaired)

    def _find(self, normal: AlignedText) -> Found:
        return self.search.find(normal.data, self._parses_special)

    def _find_readable(self, normal: AlignedText) -> Found:
        return self.search.find_readable(normal.data.tobytes(), self._parses_special)

    def _stretches(self, text: bytes, is_first: bool, find: Find) -> Iterator[_Stretch]:
        """The pieces between added tokens, and these, in order; `find` searches for them."""
        normal = normalize(self._parts.normalizer, text, is_first)
        found = find(normal)
        start = 0
        for token_id, token_start, token_end in [*found, (None, len(normal.data), len(normal.data))]:
            if start < token_start:
                part = (
                    normal
                    if (start, token_start) == (0, len(normal.data))
                    else normal.part(start, token_start)
                )
                yield _Stretch(*pre_tokenize(self._pre_tokenizer, part))
            if token_id is not None:
                own = normal.part(token_start, token_end).normalized
                yield _Stretch(own, np.array([len(own.data)]), token_id)
            start = token_end

    def _encode_stretches(self, stretches: Iterable[_Stretch], encoder: str) -> FragmentTokens:
        return join_tokens([NO_TOKENS, *(self._encode_stretch(each, encoder) for each in stretches)])

    def _encode_stretch(self, stretch: _Stretch, encoder: str) -> FragmentTokens:
        text, ends, token_id = stretch
        if token_id is not None:
            return FragmentTokens(np.array([token_id], np.int32), text.starts[:1], text.ends[-1:])
        if not len(ends):
            return NO_TOKENS
        return to_source(self._encoder.encode(text.data, ends, encoder), text)

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, watcher: Watcher = UNWATCHED
    ) -> FragmentTokens:
        text, repaired = well_formed(np.frombuffer(fragment, np.uint8))
        tokens = [NO_TOKENS]
        for stretch in self._stretches(text, after_special, self._find_readable):
            given = from_source(stretch.text, repaired)  # what watchers are told
            tokens.append(self._encode_stretch_readable(stretch, given, encoder, watcher))
        return to_source(join_tokens(tokens), repaired)

    def _encode_stretch_readable(
        self, stretch: _Stretch, given: NormalizedText, encoder: str, watcher: Watcher
    ) -> FragmentTokens:
        text, ends, token_id = stretch
        data = text.data.tobytes()
        if token_id is not None:
            watch_whole(watcher, data, given)
            watcher.end_piece([(token_id, 0, len(data))])
            return self._encode_stretch(stretch, encoder)
        watcher.begin(data, given, 0)
        if not len(ends):
            watcher.split([])
            return NO_TOKENS
        return to_source(self._encoder.encode_readable(data, ends.tolist(), encoder, watcher), text)

    def cut_before(self, fragment: NDArray[np.uint8], position: int) -> int:
        """No cut is sure: what a part does may depend on all of the text."""
        return 0

    def cut_after(self, fragment: NDArray[np.uint8], position: int) -> int:
        return len(fragment)
