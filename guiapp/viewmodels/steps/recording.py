"""Has the workspace's text recorded while somebody watches, and asks before that takes long."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.core.trace.cost import LONGEST_WITHOUT_ASKING, ONE_PIECE, Cost, estimate, must_ask
from guiapp.viewmodels.steps.trace_recorder import TraceRecorder
from guiapp.viewmodels.workspace import Workspace

SETTLE_MS = 150  # of typing, before the text is recorded anew


class Recording(QObject):
    """Which part of the text is recorded, what that costs, and why it failed.

    text_start  where in the workspace's text the recorded one begins

    Signals:
        recorded(object): the trace to walk through from now on, or None if there is none.
        outdated(): the text or the encoder is another than that of the trace.
        changed(): `is_busy`, `progress`, `cost` or `failure` is new.
    """

    recorded = Signal(object)
    outdated = Signal()
    changed = Signal()

    def __init__(self, workspace: Workspace, recorder: TraceRecorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._recorder = recorder
        self.failure = ""
        self.cost: Cost | None = None
        self.text_start = 0
        self._is_current = False
        self._is_watching = False
        self._recorded: tuple[object, ...] = ()
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._record_if_cheap)
        recorder.recorded.connect(self.recorded)
        recorder.failed.connect(self._fail)
        recorder.busy_changed.connect(self.changed)
        recorder.progress_changed.connect(self.changed)
        workspace.encoding_changed.connect(self._forget)
        workspace.options_changed.connect(self._forget)

    def watch(self, is_watching: bool) -> None:
        """Follow the workspace's text from now on, or no longer: the page is shown or hidden."""
        self._is_watching = is_watching
        if is_watching and not self._is_current:
            self._settle.start(0)

    def record_all(self) -> None:
        """Record the whole text, whatever it costs."""
        self._record(0, self._workspace.document.size)

    def record_selection(self) -> None:
        """Record the selected text as a text of its own."""
        self._record(*self._workspace.document.selection)

    def cancel(self) -> None:
        """Stop recording."""
        self._recorder.cancel()
        self.failure = "Recording was cancelled."
        self.changed.emit()

    @property
    def is_busy(self) -> bool:
        return self._recorder.is_busy

    @property
    def is_settled(self) -> bool:
        """Whether what was recorded is still what there is to record."""
        return self._is_current and not self.is_busy

    @property
    def progress(self) -> float:
        """The share of the text that is recorded, 0 to 1."""
        return self._recorder.progress

    def _forget(self) -> None:
        """The text or the encoder may have changed."""
        if self._is_current and self._source() == self._recorded:
            return
        self._is_current = False
        self.outdated.emit()
        if self._is_watching:
            self._settle.start(SETTLE_MS)

    def _source(self) -> tuple[object, ...]:
        """All that a recording of the whole text depends on; of long texts only the size is compared."""
        workspace, document = self._workspace, self._workspace.document
        text = document.slice(0, min(document.size, LONGEST_WITHOUT_ASKING))
        return workspace.tokenizer, workspace.algorithm, workspace.options, document.size, text

    def _record_if_cheap(self) -> None:
        tokenizer, algorithm = self._workspace.tokenizer, self._workspace.algorithm
        if tokenizer is None or algorithm is None:
            return
        n_bytes = self._workspace.document.size
        self._recorded = self._source()
        twin = tokenizer.readable_twin(algorithm.name)
        cost = estimate(twin, n_bytes, tokenizer.vocabulary.type in ONE_PIECE)
        self._is_current = True
        if must_ask(cost, n_bytes):
            self._recorder.cancel()
            self.cost, self.failure = cost, ""
            self.changed.emit()
            self.recorded.emit(None)
        else:
            self.record_all()

    def _record(self, start: int, end: int) -> None:
        tokenizer, algorithm = self._workspace.tokenizer, self._workspace.algorithm
        if tokenizer is None or algorithm is None:
            return
        self.text_start, self._is_current = start, True
        self.cost, self.failure = None, ""
        options = self._workspace.options
        text = self._workspace.document.slice(start, end)
        self._recorder.record(tokenizer, text, algorithm.name, options.add_special, options.parse_special)
        self.changed.emit()

    def _fail(self, message: str) -> None:
        self.failure = message
        self.changed.emit()
        self.recorded.emit(None)

    def stop(self) -> None:
        """End all work in the background."""
        self._settle.stop()
        self._recorder.stop()
