"""The two tokenizers of a hunt, in one form: our reading of a model file, or an installed library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.hunt.mismatches import Spans
from guiapp.analysis.libraries.contender import Contender
from guiapp.analysis.libraries.table import PEERS, peer_source
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP
from guiapp.errors import EncodeError, TokenloupeError

Ids = NDArray[np.int32]


class HuntError(TokenloupeError):
    """A hunt that cannot be; the message says why."""


class FileSide:
    """A model file as we read it.

    name         for people
    tokenizer    None where nothing but its ids is known
    takes_bytes  also such that are no UTF-8
    """

    def __init__(self, name: str, tokenizer: Tokenizer, parses_special: bool = True) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.takes_bytes = tokenizer.vocabulary.library == LLAMA_CPP
        self._one = tokenizer.with_threads(1)
        self.parses_special = parses_special

    def encode_each(self, texts: Sequence[bytes]) -> list[Ids | None]:
        """The ids of each text with nothing around them; None of one that is refused."""
        try:
            return list(self._one.encode_each(texts, False, self.parses_special))
        except EncodeError:
            return [self._encode(text) for text in texts]

    def _encode(self, text: bytes) -> Ids | None:
        try:
            return self._one.encode(text, False, self.parses_special).token_ids
        except EncodeError:
            return None

    def decode(self, ids: Ids) -> str:
        return self._one.decode(ids)

    def spans(self, text: bytes) -> Spans | None:
        """For each of the ids the bytes of the text that it came from; None where that is not known."""
        try:
            return _pairs(self._one.encode(text, False, self.parses_special).spans)
        except EncodeError:
            return None

    def affixes(self) -> tuple[list[int], list[int]]:
        """What is put before and behind each text."""
        if not self.parses_special:
            return [], []
        try:
            return self._one.special_affixes()
        except EncodeError:
            return [], []


class LibrarySide:
    """A library with the vocabulary of a file; what it adds and parses as special only where it can.

    Answers as a `FileSide` does.

    parses_special  whether it does
    """

    tokenizer = None

    def __init__(self, name: str, model: Tokenizer) -> None:
        self.name = name
        self._vocabulary = model.vocabulary
        self._contender: Contender = PEERS[name].open(peer_source(name, model))
        if self._contender.other_vocabulary:
            raise HuntError(
                f"{name} knows the vocabulary {self._contender.other_vocabulary} only: its ids say nothing "
                "about others. Choose another library."
            )
        self.parses_special = self._contender.encode_special is not None
        self.takes_bytes = self._contender.take_text is bytes

    def encode_each(self, texts: Sequence[bytes]) -> list[Ids | None]:
        return [self._encode(text, False) for text in texts]

    def _encode(self, text: bytes, adds_special: bool) -> Ids | None:
        contender = self._contender
        taken = contender.take_text(text)
        try:
            if contender.encode_special is not None:
                return contender.tokens(contender.encode_special(taken, adds_special)).ids
            return contender.tokens(contender.encode(taken)).ids
        except Exception:  # whatever another library raises: it refuses the text
            return None

    def decode(self, ids: Ids) -> str:
        contender = self._contender
        if contender.decode is None:
            return ""
        text = contender.decode(contender.take_ids(ids))
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)

    def spans(self, text: bytes) -> Spans | None:
        """Of tokens that are the text when they stand side by side."""
        ids = self._encode(text, False)
        vocabulary = self._vocabulary
        if ids is None or not all(0 <= token < len(vocabulary) for token in ids.tolist()):
            return None
        texts = [vocabulary.token_bytes(token) for token in ids.tolist()]
        ends = np.cumsum([0, *map(len, texts)])
        return _pairs(np.stack((ends[:-1], ends[1:]), 1)) if b"".join(texts) == text else None

    def affixes(self) -> tuple[list[int], list[int]]:
        probe = b"a"
        whole, inner = (self._encode(probe, adds) for adds in (True, False))
        if not self.parses_special or whole is None or inner is None:
            return [], []
        ids, own = whole.tolist(), inner.tolist()
        for start in range(len(ids) - len(own) + 1):
            if ids[start : start + len(own)] == own:
                return ids[:start], ids[start + len(own) :]
        return ids, []


def _pairs(spans: NDArray[np.int64]) -> Spans:
    return tuple((start, end) for start, end in spans.tolist())
