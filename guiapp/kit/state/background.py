"""Work off the GUI thread: the newest job wins, older ones stop at their next report of progress.

A job may hang in a read from a disk that does not respond.  So each job has its own thread, and neither the
next job nor the end of the program waits for it forever.
"""

from __future__ import annotations

import sys
import threading
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Generic, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance

from guiapp.errors import TokenloupeError
from guiapp.native.checkpoint import at_checkpoints

if TYPE_CHECKING:
    from PySide6.QtCore import QProcess, QProcessEnvironment

    from guiapp.analysis.editing.text_buffer import TextEdit

LINES_A_TURN = 100  # a few milliseconds of the window's time
PATIENCE_MS = 2000
T = TypeVar("T")
Progress = Callable[[float], None]
PATIENCE_S = 10.0  # wait for an older job that does not stop, before the newest runs in parallel
PATIENCE_AT_THE_END_S = 0.3
WHOLE = 1000  # progress is sent in thousandths; smaller changes are not sent


_running: set[threading.Event] = set()  # all threads of this process that have not ended


def is_any_job_running() -> bool:
    """Whether threads would still be working if Python ended now."""
    return bool(_running)


class _Courier(QObject):
    """Runs callbacks from other threads in the thread that created this object.

    It is never deleted.  A job may be deleted at any time while its thread emits, so the thread cannot emit
    the job's own signals safely.
    """

    told = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.told.connect(self._call)

    def _call(self, deliver: Callable[[], None]) -> None:
        deliver()


@cache
def _courier() -> _Courier:
    return _Courier()


class SupersededError(Exception):
    """Raised inside a job by its progress callback: the result is no longer needed."""


class LatestJob(QObject, Generic[T]):
    """Runs one job at a time, unless one hangs, and delivers the result of the newest only.

    A job is a function that takes a progress callback, to be called now and then with the fraction done, 0
    to 1.  A superseded job also stops at its next checkpoint.
    TokenloupeErrors become `failed`; any other exception is a bug and goes to sys.excepthook.

    done, failed  receivers of the result, and of the error message

    Signals, all in the thread that this object lives in:
        done(object): the result of the newest job.
        failed(str): why there is no result, to show unchanged.
        busy_changed(): `is_busy` is new.
        progress_changed(): `progress` is new.
    """

    done = Signal(object)
    failed = Signal(str)
    busy_changed = Signal()
    progress_changed = Signal()

    def __init__(
        self,
        parent: QObject | None = None,
        done: Callable[[T], object] | SignalInstance | None = None,
        failed: Callable[[str], object] | SignalInstance | None = None,
    ) -> None:
        super().__init__(parent)
        for signal, receiver in ((self.done, done), (self.failed, failed)):
            if receiver is not None:
                signal.connect(receiver)
        self._has_ended = threading.Event()  # set when the thread of the newest job ends
        self._has_ended.set()
        self._generation = 0
        self.is_busy = False
        self._progress = 0
        self._told = _courier().told

    @property
    def progress(self) -> float:
        """The fraction done, 0 to 1; 0 for jobs that do not report it."""
        return self._progress / WHOLE

    def start(self, work: Callable[[Progress], T]) -> None:
        """Run `work` instead of any job that is running or waiting."""
        self._generation += 1
        self._progress = 0
        older, self._has_ended = self._has_ended, threading.Event()
        start_new_thread(self._run_after, (older, self._generation, work, self._has_ended))
        self._set_busy(True)

    def cancel(self) -> None:
        """Cancel the current job; it delivers nothing."""
        self._generation += 1
        self._set_busy(False)

    def wait(self) -> None:
        """Cancel the current job and wait a short time for its thread to end; for closing."""
        self.cancel()
        self._has_ended.wait(PATIENCE_AT_THE_END_S)

    def finish(self, patience_s: float) -> None:
        """Wait at most `patience_s` for the current job to end; for closing without cancelling it."""
        self._has_ended.wait(patience_s)

    def _run_after(
        self,
        older: threading.Event,
        generation: int,
        work: Callable[[Progress], T],
        has_ended: threading.Event,
    ) -> None:
        _running.add(has_ended)
        try:
            older.wait(PATIENCE_S)
            self._run(generation, work)
        finally:
            _running.discard(has_ended)
            has_ended.set()

    def _run(self, generation: int, work: Callable[[Progress], T]) -> None:
        result, error = None, None
        sent = 0

        def report(share: float) -> None:
            nonlocal sent
            if generation != self._generation:
                raise SupersededError
            if (now := int(share * WHOLE)) > sent:
                sent = now
                self._told.emit(partial(self._note_progress, generation, now))

        try:
            report(0.0)
            with at_checkpoints(lambda: report(0.0)):
                result = work(report)
        except SupersededError:
            return
        except Exception as caught:  # delivered to the GUI thread, and shown there
            error = caught
        self._told.emit(partial(self._finish, generation, result, error))

    def _is_needed(self, generation: int) -> bool:
        """Whether a job is still the newest, and this object still exists."""
        return generation == self._generation and shiboken6.isValid(self)

    def _finish(self, generation: int, result: T | None, error: Exception | None) -> None:
        if not self._is_needed(generation):
            return
        self._set_busy(False)
        if error is None:
            self.done.emit(result)
        elif isinstance(error, TokenloupeError):
            self.failed.emit(str(error))
        else:
            sys.excepthook(type(error), error, error.__traceback__)

    def _note_progress(self, generation: int, thousandths: int) -> None:
        if self._is_needed(generation) and self.is_busy:
            self._progress = thousandths
            self.progress_changed.emit()

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy != self.is_busy:
            self.is_busy = is_busy
            self.busy_changed.emit()


class Working(QObject):
    """The base of objects whose child jobs, values and timers stop on `close`."""

    def close(self) -> None:
        """Stop all work; nothing is delivered afterwards."""
        own = Qt.FindChildOption.FindDirectChildrenOnly
        for timer in self.findChildren(QTimer, options=own):
            timer.stop()
        for job in self.findChildren(LatestJob, options=own):
            job.wait()
        for value in self.findChildren(Background, options=own):
            value.close()


class NotReadyError(Exception):
    """Raised by `prepare` if the inputs are not complete yet; `refresh` will follow."""


class Background(Working, Generic[T]):
    """A value that is computed off the GUI thread whenever its inputs change; the newest inputs win.

    `prepare` is called in the GUI thread before each computation: it returns the job that computes the value
    from the current inputs, or None if there is nothing to compute.  It may raise NotReadyError.
    Nothing is computed while `is_watched` is False.

    value       None until it is computed, and if there is nothing to compute
    problem     why it cannot be computed, "" otherwise
    is_current  whether value and problem belong to the current inputs
    is_watched  whether the value is visible

    Signals:
        changed(): one of these, or `is_busy`, is new.
        progress_changed(): `progress` is new.
    """

    changed = Signal()
    progress_changed = Signal()

    def __init__(
        self,
        parent: QObject | None,
        prepare: Callable[[], Callable[[Progress], T] | None],
        is_watched: bool = False,
    ) -> None:
        super().__init__(parent)
        self._prepare, self.is_watched = prepare, is_watched
        self.value: T | None = None
        self.problem, self.is_current = "", False
        self._pause = later(self, 0, self._start)
        self._job = LatestJob[T](self, self._set, self._fail)
        self._job.progress_changed.connect(self.progress_changed)

    @property
    def is_busy(self) -> bool:
        """Whether a new value will follow."""
        return self._pause.isActive() or self._job.is_busy

    @property
    def progress(self) -> float:
        """The fraction done, 0 to 1."""
        return self._job.progress

    def watch(self, is_watched: bool) -> None:
        """Keep the value current from now on, or stop updating it."""
        self.is_watched = is_watched
        if not is_watched:
            self.cancel()
        elif not self.is_current and not self._job.is_busy:
            self._start()

    def refresh(self, wait_ms: int = 0) -> None:
        """The inputs have changed: keep the old value, and compute again after `wait_ms` of rest."""
        self.is_current = False
        self._job.cancel()
        if self.is_watched and self._pause.remainingTime() < wait_ms:
            self._pause.start(wait_ms)

    def refresh_for(self, edit: TextEdit | None, size: int, wait_ms: int) -> None:
        """`refresh` after an edit of a text, now of `size` bytes; `forget` first if all of it is new."""
        if edit is not None and edit.start == 0 and edit.added == size:
            self.forget()
        self.refresh(wait_ms)

    def forget(self) -> None:
        """Discard the old value, because it is meaningless for the new inputs."""
        self.cancel()
        self.is_current = False
        if self.value is not None or self.problem:
            self.value, self.problem = None, ""
            self.changed.emit()

    def cancel(self) -> None:
        """Stop computing until `refresh` or `watch`."""
        self._pause.stop()
        self._job.cancel()

    def _start(self) -> None:
        self._pause.stop()
        try:
            job = self._prepare()
        except NotReadyError:
            self.changed.emit()
            return
        if job is None:
            self._job.cancel()
            self._set(None)
        else:
            self._job.start(job)
            self.changed.emit()

    def _fail(self, problem: str) -> None:
        self._set(None, problem)

    def _set(self, value: T | None, problem: str = "") -> None:
        self.value, self.problem, self.is_current = value, problem, True
        self.changed.emit()


class Writer:
    """Runs submitted functions in order, in a thread that Python waits for at its end.

    Used instead of an executor of the standard library, whose import would slow down the start.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._waiting: deque[Callable[[], object]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None  # while there is something to do

    def submit(self, work: Callable[..., object], *arguments: object, **named: object) -> None:
        with self._lock:
            self._waiting.append(partial(work, *arguments, **named))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name)
                self._thread.start()

    def finish(self) -> None:
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except Exception:
                mistake = (*sys.exc_info(), threading.current_thread())
                threading.excepthook(threading.ExceptHookArgs(mistake))

    def _next(self) -> Callable[[], object] | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._thread = None
            return None


def later(owner: QObject, wait_ms: int, do: Callable[[], object] | SignalInstance) -> QTimer:
    """A single-shot timer, child of `owner`, that calls `do` `wait_ms` after its last start."""
    timer = QTimer(owner, singleShot=True, interval=wait_ms)
    timer.timeout.connect(do)
    return timer


class LineProcess(QObject):
    """Runs one process at a time, and exchanges lines with it.

    Signals:
        told(list): lines of bytes from the process, some at a time, to keep the window responsive.
        ended(str): the process has ended by itself and all lines were delivered; the last line of its
            standard error, or its exit code.
    """

    told = Signal(list)
    ended = Signal(str)

    def __init__(self, command: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.command = command
        self._process: QProcess | None = None

    @property
    def is_running(self) -> bool:
        """Whether a process runs: from `start` until `ended`, `drop` or `end`."""
        return self._process is not None

    def start(self) -> None:
        """Start a process; kill a previous one."""
        from PySide6.QtCore import QProcess

        self.drop()
        self._process = process = QProcess(self)
        process.setProcessEnvironment(process_environment())
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._read)
        process.errorOccurred.connect(self._note_error)
        program, *arguments = self.command
        process.start(program, arguments)

    def send(self, line: bytes) -> None:
        if self._process is not None:
            self._process.write(line)

    def leave(self, patience_ms: int) -> None:
        """Close the input of the process, and give it some time to end by itself."""
        if self._process is not None:
            self._process.closeWriteChannel()
            self._process.waitForFinished(patience_ms)
        self.end()

    def drop(self) -> None:
        """Kill the process and ignore its output; it may take a while to end on a busy machine."""
        process, self._process = self._process, None
        if process is None:
            return
        process.readyReadStandardOutput.disconnect(self._read)
        process.finished.disconnect(self._read)
        process.errorOccurred.disconnect(self._note_error)
        if process.state() is process.ProcessState.NotRunning:
            process.deleteLater()
        else:
            process.finished.connect(process.deleteLater)
            process.kill()

    def end(self) -> None:
        """Kill the process and wait until all dropped ones have ended, so that none writes files any more."""
        from PySide6.QtCore import QProcess

        self.drop()
        for process in self.findChildren(QProcess):
            process.waitForFinished(PATIENCE_MS)

    def _read(self) -> None:
        process = self._process
        if process is None:
            return
        lines: list[bytes] = []
        while process.canReadLine() and len(lines) < LINES_A_TURN:
            lines.append(bytes(process.readLine().data()))
        if lines:
            self.told.emit(lines)
        if process is not self._process:  # a receiver of the lines has ended it
            return
        if process.canReadLine():
            QTimer.singleShot(0, self, self._read)
        elif process.state() is process.ProcessState.NotRunning:
            from guiapp.core.processes import last_line

            complaint = last_line(bytes(process.readAllStandardError().data()))
            self._note_end(complaint or f"exit code {process.exitCode()}")

    def _note_error(self, error: QProcess.ProcessError) -> None:
        if (process := self._process) is not None and error is process.ProcessError.FailedToStart:
            self._note_end(f"it could not be started: {process.errorString()}")

    def _note_end(self, complaint: str) -> None:
        self.drop()
        self.ended.emit(complaint)


def process_environment() -> QProcessEnvironment:
    """This process's environment, with its import path."""
    from PySide6.QtCore import QProcessEnvironment

    from guiapp.core.processes import environment

    variables = QProcessEnvironment()
    for name, value in environment().items():
        variables.insert(name, value)
    return variables
