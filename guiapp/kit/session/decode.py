"""Pasted token ids, and the text that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.explain.id_lists import IdsError, parse_ids
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import EncodeError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Background, Progress, Working

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

NO_IDS = np.empty(0, np.int32)
LONGEST_TOKEN = 60  # characters that are shown


class TokenText(NamedTuple):
    """A token's visible text and what it is."""

    text: str
    attributes: Attribute


@dataclass(frozen=True, eq=False)
class Decoded:
    """Understood ids with their text, or why there are none.

    error       for the user; empty where all is well
    error_span  the part of the pasted text that is at fault
    """

    token_ids: NDArray[np.int32] = field(default_factory=lambda: NO_IDS)
    decoded: bytes = b""
    error: str = ""
    error_span: tuple[int, int] | None = None


class DecodeInput(NamedTuple):
    """What somebody pastes.

    remove_special   whether a BOS in front and an EOS at the end are left out
    unparse_special  whether control tokens are written as their text; else they are left out
    """

    text: str = ""
    remove_special: bool = False
    unparse_special: bool = True


class DecodeModel(Working):
    """What somebody pastes, decoded by the session's tokenizer.

    given  what was pasted last, see `decode`

    Signals:
        changed(): `result` or `is_busy` is new.
    """

    changed = Signal()

    def __init__(self, source: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self.given = DecodeInput()
        self._decoded = Background[Decoded](self, self._decoding, is_watched=True)
        self._decoded.changed.connect(self.changed)
        source.vocabulary_changed.connect(self._refresh)
        source.spelling.changed.connect(self.changed)

    @property
    def result(self) -> Decoded:
        if self._source.tokenizer is None:
            return Decoded(error="Open a model first: ids mean nothing without its vocabulary.")
        return self._decoded.value or Decoded()

    @property
    def is_busy(self) -> bool:
        """Whether the ids are newer than the results."""
        return self._decoded.is_busy

    def decode(self, given: DecodeInput) -> None:
        if given != self.given:
            self.given = given
            self._refresh()

    def token_text(self, token_id: int) -> TokenText:
        """How a token is written, and what it is."""
        vocabulary = self._source.vocabulary
        if vocabulary is None:
            return TokenText("", Attribute(0))
        attributes = Attribute(int(vocabulary.effective_attributes[token_id]))
        return TokenText(self._source.spelling.now.token(vocabulary, token_id, LONGEST_TOKEN), attributes)

    def _refresh(self) -> None:
        self._decoded.refresh()
        self.changed.emit()

    def _decoding(self) -> partial[Decoded] | None:
        tokenizer = self._source.tokenizer
        return partial(_decode, tokenizer, self.given) if tokenizer and self.given.text else None


def _decode(tokenizer: Tokenizer, given: DecodeInput, progress: Progress) -> Decoded:
    try:
        token_ids = parse_ids(given.text, len(tokenizer.vocabulary))
        progress(0.5)
        return Decoded(token_ids, tokenizer.decode_bytes(token_ids, *given[1:]))
    except IdsError as error:
        return Decoded(error=str(error), error_span=(error.start, error.end))
    except EncodeError as error:
        return Decoded(error=str(error))
