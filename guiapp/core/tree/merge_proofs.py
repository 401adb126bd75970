"""Proofs that no text leads to a token of a vocabulary that merges pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import compress, product

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.pipelines.dna import dna_tokens
from guiapp.core.pipelines.pair_merging import PairEncoder
from guiapp.core.split.splitter import splitter_of
from guiapp.core.text.pattern_factors import StretchCutter
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.characters import (
    announced_size,
    broken_tokens,
    completions,
    is_text,
    open_ends,
    possible_codes,
)
from guiapp.core.tree.refusals import Refusal
from guiapp.core.vocab.merges import MARKED_SPACE
from guiapp.core.vocab.vocabulary import VocabType

Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]
SPACE = b" "


class MergeProofs:
    """What can be proved about the tokens of a vocabulary that merges pairs; see `Proofs`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = tokenizer.vocabulary
        self._tree = tokenizer.token_tree
        self._known_classes: dict[bytes, bytes] = {}

    def texts(self, ids: Ids) -> Iterator[bytes]:
        """Whatever may stand beside tokens that hold part of a character; others stand in texts anyway."""
        is_broken = np.isin(ids, broken_tokens(self._tree))
        for token in ids[is_broken].tolist():
            for stretch in self._stretches(token):
                yield from completions(stretch)

    def refusals(self, ids: Ids, progress: Callable[[float], None]) -> dict[int, Refusal]:
        merging, vocabulary = self._tokenizer.merging, self._vocabulary
        if merging is None or vocabulary.model == "whitespace" or dna_tokens(vocabulary) is not None:
            return {}
        found = {}
        try:
            is_made = np.isin(ids, merging.symbols.fallback_ids) | self._are_made(ids)
            for token, can_be_made in zip(ids.tolist(), is_made.tolist(), strict=True):
                progress(0.9)
                if (reason := self._reason(token, can_be_made)) is not None:
                    found[token] = reason
        except EncodeError:  # the vocabulary cannot express a character of some token
            return {}
        return found

    def _reason(self, token: int, can_be_made: bool) -> Refusal | None:
        own = self._tree.token_bytes(token)
        if any(text in own for text in self._cut_out):
            return Refusal.USER_DEFINED
        if not can_be_made and not self._may_be_taken_whole(own):
            return Refusal.MERGED
        if not completions(own):
            return Refusal.NOT_TEXT
        if self._is_cut(own):
            return Refusal.CUT
        return Refusal.ALONE if self._knows_all_symbols and not self._stretches(token) else None

    @cached_property
    def _cut_out(self) -> list[bytes]:
        """The user-defined tokens; not those with spaces if a token's spaces may be typed as U+2581."""
        ids = self._tokenizer.special_tokens.searched_for(parse_special=False)
        texts = [self._vocabulary.raw_text(token) for token in ids.tolist()]
        spaces = (SPACE, MARKED_SPACE) if self._vocabulary.rules.escape_spaces else ()
        return [text for text in texts if text and not any(space in text for space in spaces)]

    # Merging

    @cached_property
    def _encoder(self) -> PairEncoder:
        merging = self._tokenizer.merging
        assert merging is not None
        return PairEncoder(self._vocabulary, merging)

    @cached_property
    def _knows_all_symbols(self) -> bool:
        """Whether all that merging can leave are tokens."""
        merging = self._tokenizer.merging
        assert merging is not None
        is_complete = merging.starts_from_bytes and not merging.other_symbols
        return is_complete and bool((merging.symbols.of_byte >= 0).all())

    def _are_made(self, ids: Ids) -> Mask:
        """Whether merging a token's own bytes ends in that token."""
        own = [self._tree.token_bytes(token) for token in ids.tolist()]
        return self._are_left(ids, [b""] * len(own), own, [b""] * len(own))

    def _may_be_taken_whole(self, own: bytes) -> bool:
        """Whether a piece that is this token may be taken without merging; pieces are whole characters."""
        if self._vocabulary.rules.ignore_merges:
            return is_text(own)
        return self._vocabulary.rules.ignore_newline_merges and own.startswith(b"\n")

    def _stretches(self, token: int) -> list[bytes]:
        """A token with every other that may stand at each side where it holds part of a character."""
        own = self._tree.token_bytes(token)
        beginning, ending = open_ends(own)
        before, behind = [b""], [b""]
        if beginning:
            n = len(self._with_last)
            is_left = self._are_left(np.full(n, token), self._with_last, [own] * n, [b""] * n)
            before = [other for other in compress(self._with_last, is_left) if self._may_be(other + own)]
        if ending:
            n = len(self._with_first)
            is_left = self._are_left(np.full(n, token), [b""] * n, [own] * n, self._with_first)
            behind = [other for other in compress(self._with_first, is_left) if self._may_be(own + other)]
        return [first + own + last for first, last in product(before, behind)]

    def _may_be(self, stretch: bytes) -> bool:
        """Whether some bytes may be in a piece of some text."""
        return bool(completions(stretch)) and not self._is_cut(stretch)

    @cached_property
    def _with_first(self) -> list[bytes]:
        """The bytes of the tokens that begin within a character."""
        first = self._tree.data[np.minimum(self._tree.offsets[:-1], len(self._tree.data) - 1)]
        return self._of_tokens((first & 0xC0) == 0x80)

    @cached_property
    def _with_last(self) -> list[bytes]:
        """The bytes of the tokens that may end within a character."""
        return self._of_tokens(self._tree.data[np.maximum(self._tree.offsets[1:] - 1, 0)] >= 0x80)

    def _of_tokens(self, is_wanted: Mask) -> list[bytes]:
        wanted = np.flatnonzero(is_wanted & (self._tree.lengths > 0))
        return [self._tree.token_bytes(token) for token in wanted.tolist()]

    def _are_left(
        self, ids: Ids, before: Sequence[bytes], own: Sequence[bytes], behind: Sequence[bytes]
    ) -> Mask:
        """Whether merging leaves each token where its own bytes stand between others."""
        parts = list(zip(before, own, behind, strict=True))
        data = np.frombuffer(bytearray(b"".join(b"".join(part) for part in parts)), np.uint8)
        sizes = np.array([[len(text) for text in part] for part in parts], np.int64).reshape(-1, 3)
        piece_ends = np.cumsum(sizes.sum(axis=1))
        if not len(piece_ends):
            return np.zeros(0, np.bool_)
        ends = piece_ends - sizes[:, 2]
        starts = ends - sizes[:, 1]
        found = self._encoder.encode(data, piece_ends, "heap")
        at = np.minimum(np.searchsorted(found.starts, starts), max(len(found.ids) - 1, 0))
        is_made: Mask = (found.starts[at] == starts) & (found.ends[at] == ends) & (found.ids[at] == ids)
        return is_made

    # What the pre-tokenizer cuts

    @cached_property
    def _cutter(self) -> StretchCutter:
        return StretchCutter(splitter_of(self._vocabulary.patterns).machine)

    def _is_cut(self, own: bytes) -> bool:
        return self._vocabulary.type is VocabType.BPE and self._cutter.always_cuts(self._stretch(own))

    def _stretch(self, own: bytes) -> tuple[bytes, ...]:
        """The classes that each character of a token can have; any for one that began before."""
        beginning, _ = open_ends(own)
        stretch = [self._classes_of(b"")] if beginning else []
        at = len(beginning)
        while at < len(own):
            character = own[at : at + announced_size(own[at])]
            stretch.append(self._classes_of(character))
            at += len(character)
        return tuple(stretch)

    def _classes_of(self, character: bytes) -> bytes:
        """The classes that a character can have that begins with these bytes, in ascending order."""
        if character not in self._known_classes:
            classes = splitter_of(self._vocabulary.patterns).machine.classes
            found = classes[[*possible_codes(character)]] if character else classes
            if character == SPACE and self._vocabulary.rules.escape_spaces:
                found = np.append(found, classes[ord(MARKED_SPACE.decode())])
            self._known_classes[character] = np.unique(found).tobytes()
        return self._known_classes[character]
