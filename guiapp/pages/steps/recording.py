"""Records the session's text in a separate process while the page is shown; of a long text, a part."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.record_process import RecordingProcess
from guiapp.analysis.trace.recorder import (
    ONE_PIECE,
    TraceCost,
    beginning,
    estimate,
    first_start,
    n_first_bytes,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, later

SETTLE_MS = 150  # without typing, before the text is recorded again


class Recording(QObject):
    """The part of the text that is recorded, its progress, and why it failed.

    text_start, text_end  the recorded bytes [start, end) of the session's text

    Signals:
        recorded(object): a new debugger to walk with.
        outdated(): the debugger is no longer valid, because another text is to be recorded.
        changed(): `is_busy`, `progress`, `text_start`, `text_end` or `failure` is new.
    """

    recorded = Signal(object)
    outdated = Signal()
    changed = Signal()

    def __init__(self, session: ModelSession, recorder: TraceRecorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._recorder = recorder
        self.failure = ""
        self.text_start = self.text_end = 0
        self._is_current = False
        self._is_watching = False
        self._wanted: tuple[int, int] | None = None
        self._recorded: tuple[object, ...] = ()
        self._settle = later(self, SETTLE_MS, self.record_part)
        recorder.done.connect(self.recorded)
        recorder.failed.connect(self._fail)
        for signal in (recorder.busy_changed, recorder.progress_changed):
            signal.connect(self.changed)
        session.tokens_changed.connect(self._on_tokens_changed)
        session.options_changed.connect(self._on_options_changed)

    def watch(self, is_watching: bool) -> None:
        """Start or stop following the session's text, as the page is shown or hidden."""
        self._is_watching = is_watching
        if is_watching and not self._is_current:
            self._settle.start(0)

    def record_part(self) -> None:
        """Record as much as is quick: all of a short text, else the start of the selection.

        Without a selection, record the text around the caret.
        """
        document = self._session.document
        if self._wanted is None and not (self.is_long and document.has_selection):
            self.record_near(document.caret)
            return
        start, end = document.selection if self._wanted is None else self._wanted
        n_bytes = self._n_first_bytes(end - start)
        if n_bytes < end - start:
            end = start + len(beginning(document.slice(start, start + n_bytes + 1), n_bytes))
        self._record(start, end)

    def want(self, start: int, end: int) -> None:
        """Record this part of the present text next, or only its start if all would take long."""
        self._wanted = start, max(start, end)

    def record_near(self, offset: int) -> None:
        """Record all of a short text, else as much around a byte of it as is quick."""
        document = self._session.document
        start, end = 0, document.size
        if self.is_long:
            n_bytes = self._n_first_bytes(end)
            start = max(0, offset - n_bytes // 2)
            start += first_start(document.slice(start, offset)) if start else 0
            end = start + len(beginning(document.slice(start, min(start + n_bytes + 1, end)), n_bytes))
        self._record(start, end)

    def record_all(self) -> None:
        """Record the whole text, however long that takes."""
        self._record(0, self._session.document.size)

    def record_selection(self) -> None:
        self._record(*self._session.document.selection)

    def cancel(self) -> None:
        self._recorder.cancel()
        self.failure = "Recording was cancelled."
        self.changed.emit()

    @property
    def is_long(self) -> bool:
        """Whether the whole text is recorded only if the user asks for it."""
        n_bytes = self._session.document.size
        return self._n_first_bytes(n_bytes) < n_bytes

    def has(self, offset: int) -> bool:
        """Whether the part that is or is being recorded includes a byte of the text, or the text's end."""
        is_end = offset == self.text_end == self._session.document.size
        return self.text_start <= offset < self.text_end or is_end

    @property
    def is_part(self) -> bool:
        """Whether only a part of the text is or is being recorded."""
        return self.text_end - self.text_start < self._session.document.size

    @property
    def cost(self) -> TraceCost:
        """The cost of recording the whole text."""
        return estimate(*self._kind, self._session.document.size)

    @property
    def _kind(self) -> tuple[str, bool]:
        """What costs depend on: the reference encoder, and whether it takes a whole text as one piece."""
        tokenizer, algorithm = self._session.tokenizer, self._session.algorithm
        if tokenizer is None or algorithm is None:
            return "", False
        return tokenizer.reference_encoder(algorithm.name), tokenizer.vocabulary.type in ONE_PIECE

    def _n_first_bytes(self, n_bytes: int) -> int:
        return n_first_bytes(*self._kind, n_bytes)

    @property
    def is_busy(self) -> bool:
        return self._recorder.is_busy

    @property
    def is_up_to_date(self) -> bool:
        """Whether the recording is complete and belongs to the present text and options."""
        return self._is_current and not self.is_busy

    @property
    def progress(self) -> float:
        return self._recorder.progress

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        if edit is None:
            self._on_options_changed()
        else:
            self._wanted = None
            self._forget()

    def _on_options_changed(self) -> None:
        if not self._is_current or self._encoder() != self._recorded:
            self._forget()

    def _encoder(self) -> tuple[object, ...]:
        return self._session.tokenizer, self._session.algorithm, self._session.options

    def _forget(self) -> None:
        """Discard what is or is being recorded, as the text or the options have changed."""
        if self._is_current:
            self._is_current, self.failure = False, ""
            self._recorded = ()  # it holds a tokenizer, perhaps a large one
            if self._recorder.is_busy:
                self._recorder.cancel()
            self.outdated.emit()
            self.changed.emit()
        if self._is_watching:
            self._settle.start(SETTLE_MS)

    def _record(self, start: int, end: int) -> None:
        tokenizer, algorithm = self._session.tokenizer, self._session.algorithm
        if tokenizer is None or algorithm is None:
            return
        self._settle.stop()
        self._wanted = None
        self.outdated.emit()
        self.text_start, self.text_end, self.failure = start, end, ""
        self._is_current, self._recorded = True, self._encoder()
        options = self._session.options
        text = self._session.document.slice(start, end)
        self._recorder.record(tokenizer, text, algorithm.name, options.add_special, options.parse_special)
        self.changed.emit()

    def _fail(self, message: str) -> None:
        self.failure = message
        self.changed.emit()

    def stop(self) -> None:
        self._settle.stop()
        self._recorder.stop()


class TraceRecorder(LatestJob[Debugger]):
    """Records in a separate process, which starts with the first text.

    `done` carries a debugger at the start of the trace that was requested last.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = RecordingProcess()

    def record(
        self, tokenizer: Tokenizer, text: bytes, encoder: str, add_special: bool, parse_special: bool
    ) -> None:
        """Record a text instead of whatever is being recorded now."""
        self.start(partial(self._process.record, tokenizer, text, encoder, add_special, parse_special))

    def stop(self) -> None:
        self.wait()
        self._process.close()
