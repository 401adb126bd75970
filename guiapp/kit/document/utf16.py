"""Whether the text looks like UTF-16, and its conversion."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.core.text.utf16 import TELLING_BYTES, utf8_from, utf16_codec
from guiapp.kit.document.document import TextDocument
from guiapp.kit.state.background import LatestJob, Working


class Utf16Text(Working):
    """Watches a document, whose bytes stay as they are until somebody wants them converted.

    codec  `utf-16-le`, `utf-16-be`, or None for all other texts

    Signals:
        changed(): `codec` is new.
    """

    changed = Signal()

    def __init__(self, document: TextDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._told: str | None = None
        self._job = LatestJob[bytes](self, self._take)
        document.edited.connect(self._refresh)
        self._refresh()

    @property
    def codec(self) -> str | None:
        return utf16_codec(self._document.slice(0, TELLING_BYTES))

    def convert(self) -> None:
        """Put the same text in UTF-8 in its place, as one edit; not what is typed meanwhile."""
        if (codec := self.codec) is not None:
            text = self._document.text()
            self._job.start(lambda _: utf8_from(text, codec))

    def _refresh(self) -> None:
        self._job.cancel()
        if (codec := self.codec) != self._told:
            self._told = codec
            self.changed.emit()

    def _take(self, text: bytes) -> None:
        self._document.replace(0, self._document.size, text)
        self._document.set_caret(0)
