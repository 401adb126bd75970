"""Which tokens texts can lead to: found by encoding texts, or refused by proof (`unproducible.py`).

A text is valid UTF-8.  The texts that are tried hold every token between some neighbours; a token that ends
or begins within a character stands in them with what completes the character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import EncodeError
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.characters import completions
from guiapp.core.tree.unproducible import Proofs, Refusal
from guiapp.core.vocab.token_tree import TokenTree
from guiapp.core.vocab.vocabulary import Attribute

Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]
Progress = Callable[[float], None]

NOT_TRIED = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED | Attribute.BYTE
BETWEEN = (b"\n", b" ", b"a", b"0", b"!", b"\n\n", b" a", b"\ta", "中".encode(), "ẞꙋ".encode())
MOST_AT_ONCE = 1 << 16  # texts that are encoded as one


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
    trial, proofs = _Trial(tokenizer, progress), Proofs(tokenizer)
    trial.try_whole_tokens()
    trial.try_completed_tokens()
    progress(0.7)
    refusals = proofs.refusals(trial.left(), progress)
    never = np.array(sorted(refusals), np.int32)
    trial.is_left[never] = False
    if tokenizer.merging is not None:
        trial.try_stretches(proofs)
    reasons = list(refusals.values())
    counts = tuple((reason, reasons.count(reason)) for reason in Refusal if reason in reasons)
    return Producible(never, counts, trial.left())


class _Trial:
    """Encodes texts until each token was among the tokens of one; `is_left` says for which that is not so."""

    def __init__(self, tokenizer: Tokenizer, progress: Progress) -> None:
        self._tokenizer, self._tree, self._progress = tokenizer, tokenizer.token_tree, progress
        is_tried = (tokenizer.vocabulary.attributes & NOT_TRIED) == 0
        self.is_left: Mask = is_tried & (self._tree.arrays.lengths > 0)
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
            can_be_expressed &= self._try(_joined(self._tree, ids, between))
        if not can_be_expressed:
            for token in np.flatnonzero(self.is_left & ~self._is_broken).tolist():
                self._progress(0.5)
                self._try(self._tree.token_bytes(token))

    def try_completed_tokens(self) -> None:
        """Those that hold part of a character, with what completes it."""
        for between in BETWEEN[:3]:
            ids = np.flatnonzero(self.is_left & self._is_broken).tolist()
            texts = (text for token in ids for text in completions(self._tree.token_bytes(token)))
            self._try_all(texts, between)

    def try_stretches(self, proofs: Proofs) -> None:
        """The same with every neighbour that merging leaves beside it."""
        for token in np.flatnonzero(self.is_left & self._is_broken).tolist():
            texts = (text for stretch in proofs.stretches(token) for text in completions(stretch))
            self._try_all(texts, BETWEEN[0])

    def _try_all(self, texts: Iterator[bytes], between: bytes) -> None:
        while bulk := list(islice(texts, MOST_AT_ONCE)):
            self._progress(0.6)
            self._try(between.join([b"", *bulk, b""]))

    def _try(self, text: bytes) -> bool:
        """Strike out the tokens of a text.  False where the vocabulary cannot express it."""
        try:
            found = self._tokenizer.encode(text, add_special=False, parse_special=False).token_ids
        except EncodeError:
            return False
        self.is_left[found] = False
        return True


def broken_tokens(tree: TokenTree) -> Ids:
    """The tokens whose bytes are not whole characters, in ascending order."""
    high = np.unique(np.searchsorted(tree.offsets, np.flatnonzero(tree.data >= 0x80), "right") - 1)
    if not len(high):
        return high.astype(np.int32)
    text = _joined(tree, high, b"\n").decode("utf-8", "surrogateescape")
    codes = np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), np.uint32)
    is_escaped = (codes >= 0xDC80) & (codes < 0xDD00)
    sizes = 1 + (codes >= 0x80) + (codes >= 0x800).astype(np.int64) + (codes >= 0x10000)
    ends = np.cumsum(np.where(is_escaped, 1, sizes))
    token_ends = np.cumsum(tree.arrays.lengths[high].astype(np.int64) + 1)
    broken: Ids = high[np.unique(np.searchsorted(token_ends, ends[is_escaped]))].astype(np.int32)
    return broken


def _joined(tree: TokenTree, ids: NDArray[np.intp], behind: bytes) -> bytes:
    """The bytes of some tokens, and of `behind` after each."""
    lengths = tree.arrays.lengths[ids].astype(np.int64)
    ends = np.cumsum(lengths + len(behind))
    text = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    for at, byte in enumerate(behind):
        text[ends - len(behind) + at] = byte
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    starts = np.repeat(ends - lengths - len(behind), lengths)
    text[starts + within] = tree.data[np.repeat(tree.offsets[ids], lengths) + within]
    return text.tobytes()
