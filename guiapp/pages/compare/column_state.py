"""What a column is about: its model, and how far that has got."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.kit.session.choice import joined, summary
from guiapp.kit.session.loader import title_of
from guiapp.pages.compare.compared_spans import ComparedSpans


class ColumnState(QObject):
    """Name and kind of the model of a column, or why there is none.

    problem  why the model that was asked for last, or its text, came to nothing; "" where all is well

    Signals:
        changed(): something of it is new.
    """

    changed = Signal()

    def __init__(self, column: ComparedSpans) -> None:
        super().__init__()
        self.column = column
        self.session = column.session
        self.problem = ""
        self._failed_name = ""
        loader = self.session.loader
        for signal in (loader.loading_changed, loader.progress_changed, loader.refused_changed):
            signal.connect(self.changed)
        self.session.options_changed.connect(self.changed)
        loader.loading_changed.connect(self._begin)
        loader.model_changed.connect(self._clear)
        loader.failed.connect(self._fail)
        self.session.spans.failed.connect(self._fail_to_encode)
        self.session.spans.encoded.connect(self._encode)

    @property
    def has_model(self) -> bool:
        return self.session.tokenizer is not None

    @property
    def needs_pre(self) -> bool:
        """Whether the model asks for a pre-tokenizer."""
        return self.session.loader.refused is not None

    @property
    def progress(self) -> float | None:
        """How far opening has got, from 0 to 1; None where nothing is being opened."""
        loader = self.session.loader
        return None if loader.loading_name is None else loader.job.progress

    @property
    def name(self) -> str:
        return self.session.loader.title or title_of(self._failed_name) or "No model"

    @property
    def kind(self) -> str:
        """`BPE · llama-bpe · 128,256`, and what differs from what people expect."""
        loader, options = self.session.loader, self.session.options
        if loader.loading_name is not None:
            return f"Opening… {self.progress or 0:.0%}"
        if loader.model is None:
            return ""
        switches = [
            "" if options.encoder is None else options.encoder,
            "" if options.add_special else "none added",
            "" if options.parse_special else "special as text",
        ]
        return joined(*switches, summary(loader.model))

    @property
    def tip(self) -> str:
        return joined(self.name, self.kind, self.problem)

    @property
    def message(self) -> str:
        """What is said in place of the text, "" where that can be shown."""
        loader = self.session.loader
        if loader.model is not None:
            return ""
        if loader.loading_name is not None:
            return f"Opening {self.name} …"
        if loader.refused is not None:
            return loader.refused.reason
        return self.problem or "No model is open."

    def _begin(self) -> None:
        if self.session.loader.loading_name is not None:
            self._clear()

    def _clear(self) -> None:
        self.problem = self._failed_name = ""
        self.changed.emit()

    def _fail(self, name: str, message: str) -> None:
        self.problem, self._failed_name = message, name
        self.changed.emit()

    def _fail_to_encode(self, message: str) -> None:
        self._fail("", message)

    def _encode(self) -> None:
        if not self._failed_name:  # else the model that stayed has the text, and still another was asked for
            self._clear()
