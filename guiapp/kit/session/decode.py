"""Pasted token ids, and the text that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from guiapp.analysis.explain.id_lists import IdsError, parse_ids
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import EncodeError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Background, Progress

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
    error_span  the part of `ids_text` that is at fault
    """

    token_ids: NDArray[np.int32] = field(default_factory=lambda: NO_IDS)
    decoded: bytes = b""
    error: str = ""
    error_span: tuple[int, int] | None = None


class DecodeModel(Background[Decoded]):
    """What somebody pastes, decoded by the session's tokenizer.

    remove_special   whether a BOS in front and an EOS at the end are left out
    unparse_special  whether control tokens are written as their text; else they are left out
    """

    def __init__(self, source: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent, self._prepare_decoding, is_watched=True)
        self._source = source
        self.ids_text, self.remove_special, self.unparse_special = "", False, True
        source.vocabulary_changed.connect(self._decode)
        source.spelling.changed.connect(self.changed)

    @property
    def result(self) -> Decoded:
        """The last one, while `is_busy`."""
        if self._source.tokenizer is None:
            return Decoded(error="Open a model first: ids mean nothing without its vocabulary.")
        return self.value or Decoded()

    def set_ids_text(self, text: str) -> None:
        self._choose("ids_text", text)

    def set_remove_special(self, remove_special: bool) -> None:
        self._choose("remove_special", remove_special)

    def set_unparse_special(self, unparse_special: bool) -> None:
        self._choose("unparse_special", unparse_special)

    def token_text(self, token_id: int) -> TokenText:
        """How a token is written, and what it is."""
        vocabulary = self._source.vocabulary
        if vocabulary is None:
            return TokenText("", Attribute(0))
        attributes = Attribute(int(vocabulary.effective_attributes[token_id]))
        return TokenText(self._source.spelling.now.token(vocabulary, token_id, LONGEST_TOKEN), attributes)

    def _choose(self, name: str, value: str | bool) -> None:
        if value != getattr(self, name):
            setattr(self, name, value)
            self._decode()

    def _decode(self) -> None:
        self.refresh()
        self.changed.emit()

    def _prepare_decoding(self) -> Callable[[Progress], Decoded] | None:
        tokenizer = self._source.tokenizer
        if tokenizer is None or not self.ids_text:
            return None
        return partial(_decode, tokenizer, self.ids_text, self.remove_special, self.unparse_special)


def _decode(
    tokenizer: Tokenizer, ids_text: str, remove_special: bool, unparse_special: bool, progress: Progress
) -> Decoded:
    try:
        token_ids = parse_ids(ids_text, len(tokenizer.vocabulary))
        progress(0.5)
        return Decoded(token_ids, tokenizer.decode_bytes(token_ids, remove_special, unparse_special))
    except IdsError as error:
        return Decoded(error=str(error), error_span=(error.start, error.end))
    except EncodeError as error:
        return Decoded(error=str(error))
