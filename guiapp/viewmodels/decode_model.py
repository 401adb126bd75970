"""Pasted token ids, and the text that they stand for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.core.errors import EncodeError
from guiapp.core.explain.visible_text import Run, visible_runs
from guiapp.viewmodels.id_formats import IdsError, parse_ids
from guiapp.viewmodels.token_source import TokenSource

NO_IDS = np.empty(0, np.int32)


class DecodeModel(QObject):
    """What somebody pastes, decoded by the workspace's tokenizer.

    Signals:
        changed(): `token_ids`, `decoded`, `error` and `error_span` are new.
    """

    changed = Signal()

    def __init__(self, source: TokenSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._ids_text = ""
        self._remove_special = False
        self._unparse_special = True
        self._token_ids = NO_IDS
        self._decoded = b""
        self._error = ""
        self._error_span: tuple[int, int] | None = None
        source.vocabulary_changed.connect(self._decode)

    @property
    def ids_text(self) -> str:
        return self._ids_text

    @property
    def remove_special(self) -> bool:
        """Whether a BOS in front and an EOS at the end are left out."""
        return self._remove_special

    @property
    def unparse_special(self) -> bool:
        """Whether control tokens are written as their text; else they are left out."""
        return self._unparse_special

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """The ids that were understood; none where there is an error."""
        return self._token_ids

    @property
    def decoded(self) -> bytes:
        return self._decoded

    @property
    def error(self) -> str:
        """Why there is nothing, for the user; empty where all is well."""
        return self._error

    @property
    def error_span(self) -> tuple[int, int] | None:
        """The part of `ids_text` that is at fault."""
        return self._error_span

    def set_ids_text(self, text: str) -> None:
        if text != self._ids_text:
            self._ids_text = text
            self._decode()

    def set_remove_special(self, remove_special: bool) -> None:
        if remove_special != self._remove_special:
            self._remove_special = remove_special
            self._decode()

    def set_unparse_special(self, unparse_special: bool) -> None:
        if unparse_special != self._unparse_special:
            self._unparse_special = unparse_special
            self._decode()

    def token_runs(self, token_id: int) -> list[Run]:
        """One token as visible text."""
        vocabulary = self._source.vocabulary
        return [] if vocabulary is None else visible_runs(vocabulary.token_bytes(token_id), 60)

    def _decode(self) -> None:
        tokenizer = self._source.tokenizer
        self._token_ids, self._decoded, self._error, self._error_span = NO_IDS, b"", "", None
        if tokenizer is None:
            self._error = "Open a model first: ids mean nothing without its vocabulary."
        else:
            try:
                self._token_ids = parse_ids(self._ids_text, len(tokenizer.vocabulary))
                self._decoded = tokenizer.decode_bytes(
                    self._token_ids, self._remove_special, self._unparse_special
                )
            except IdsError as error:
                self._error, self._error_span = str(error), (error.start, error.end)
            except EncodeError as error:
                self._error = str(error)
        self.changed.emit()
