"""Which tokens texts can lead to: found by encoding texts, or refused by proof.

A text is valid UTF-8.  The texts that are tried hold every token between some neighbours; a token that ends
or begins within a character stands in them with what completes the character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.pipelines.unigram import UnigramPipeline
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.characters import broken_tokens, completions, joined_tokens
from guiapp.core.tree.merge_proofs import MergeProofs
from guiapp.core.tree.refusals import Refusal
from guiapp.core.tree.unigram_proofs import UnigramProofs
from guiapp.core.tree.wordpiece_proofs import WordPieceProofs
from guiapp.core.vocab.vocabulary import Attribute, VocabType

Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]
Progress = Callable[[float], None]

NOT_TRIED = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED | Attribute.BYTE
BETWEEN = (b"\n", b" ", b"a", b"0", b"!", b"\n\n", b" a", b"\ta", "中".encode(), "ẞꙋ".encode())
MOST_AT_ONCE = 1 << 16  # texts that are encoded as one


class Proofs(Protocol):
    """What is known about the tokens of one type of vocabulary, about those of the whole file or some."""

    def texts(self, ids: Ids) -> Iterator[bytes]:
        """Texts that are likely to lead to some tokens."""
        ...

    def refusals(self, ids: Ids, progress: Progress) -> dict[int, Refusal]:
        """The reason for each of some tokens that is never produced, as far as that can be proved."""
        ...


@dataclass(frozen=True, eq=False)
class Producible:
    """What is known about the tokens that text can lead to.

    never      those that no text leads to, by proof
    refusals   why, and how many for each reason
    undecided  those for which neither a text nor a proof was found
    """

    never: Ids
    refusals: tuple[tuple[Refusal, int], ...]
    undecided: Ids


def producible(tokenizer: Tokenizer, progress: Progress) -> Producible:
    """Try all tokens of a vocabulary but control, unknown, user-defined and byte tokens."""
    trial, proofs = _Trial(tokenizer, progress), _proofs_for(tokenizer)
    trial.try_whole_tokens()
    trial.try_completed_tokens()
    progress(0.7)
    refusals = _not_text(tokenizer, trial.left())
    if proofs is not None:
        refusals |= proofs.refusals(trial.left(), progress)
        trial.is_left[list(refusals)] = False
        trial.try_all(proofs.texts(trial.left()), BETWEEN[0])
    refusals |= trial.doubles()
    trial.is_left[list(refusals)] = False
    reasons = list(refusals.values())
    counts = tuple((reason, reasons.count(reason)) for reason in Refusal if reason in reasons)
    return Producible(np.array(sorted(refusals), np.int32), counts, trial.left())


def _proofs_for(tokenizer: Tokenizer) -> Proofs | None:
    if tokenizer.merging is not None:
        return MergeProofs(tokenizer)
    if tokenizer.vocabulary.type is VocabType.WPM:
        return WordPieceProofs(tokenizer)
    pipeline = tokenizer.pipeline.own
    return UnigramProofs(tokenizer, pipeline) if isinstance(pipeline, UnigramPipeline) else None


def _not_text(tokenizer: Tokenizer, ids: Ids) -> dict[int, Refusal]:
    """Tokens that are no text, where what is matched is the text itself."""
    if tokenizer.vocabulary.type is not VocabType.RWKV:
        return {}
    tree = tokenizer.token_tree
    return {token: Refusal.NOT_TEXT for token in ids.tolist() if not completions(tree.token_bytes(token))}


class _Trial:
    """Encodes texts until each token was among the tokens of one; `is_left` says for which that is not so."""

    def __init__(self, tokenizer: Tokenizer, progress: Progress) -> None:
        self._tokenizer, self._tree, self._progress = tokenizer, tokenizer.token_tree, progress
        is_tried = (tokenizer.vocabulary.attributes & NOT_TRIED) == 0
        self.is_left: Mask = is_tried & (self._tree.lengths > 0)
        self._is_found = np.zeros(len(self.is_left), np.bool_)
        self._is_broken = np.zeros(len(self.is_left), np.bool_)
        self._is_broken[broken_tokens(self._tree)] = True

    def left(self) -> Ids:
        return np.flatnonzero(self.is_left).astype(np.int32)

    def try_whole_tokens(self) -> None:
        """Those that are whole characters, between others."""
        can_be_expressed = True
        for share, between in enumerate(BETWEEN):
            self._progress(0.5 * share / len(BETWEEN))
            ids = np.flatnonzero(self.is_left & ~self._is_broken)
            can_be_expressed &= self._try(joined_tokens(self._tree, ids, between))
        if not can_be_expressed:
            for token in np.flatnonzero(self.is_left & ~self._is_broken).tolist():
                self._progress(0.5)
                self._try(self._tree.token_bytes(token))

    def try_completed_tokens(self) -> None:
        """Those that hold part of a character, with what completes it."""
        for between in BETWEEN[:3]:
            ids = np.flatnonzero(self.is_left & self._is_broken).tolist()
            texts = (text for token in ids for text in completions(self._tree.token_bytes(token)))
            self.try_all(texts, between)

    def try_all(self, texts: Iterator[bytes], between: bytes) -> None:
        """Texts one after another, with something between them."""
        while bulk := list(islice(texts, MOST_AT_ONCE)):
            self._progress(0.6)
            self._try(between.join([b"", *bulk, b""]))

    def doubles(self) -> dict[int, Refusal]:
        """Tokens that are left and have the bytes of one that was found, where tokens are found by bytes."""
        if self._tokenizer.merging is not None:
            return {}
        vocabulary = self._tokenizer.vocabulary
        same = {token: vocabulary.find(vocabulary.raw_text(token)) for token in self.left().tolist()}
        is_double = {token: other is not None and self._is_found[other] for token, other in same.items()}
        return {token: Refusal.DOUBLE for token in same if is_double[token]}

    def _try(self, text: bytes) -> bool:
        """Strike out the tokens of a text.  False where the vocabulary cannot express it."""
        try:
            found = self._tokenizer.encode(text, add_special=False, parse_special=False).token_ids
        except EncodeError:
            return False
        self.is_left[found] = False
        self._is_found[found] = True
        return True
