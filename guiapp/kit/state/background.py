"""Work off the GUI thread: the newest job wins, older ones stop at their next report of progress.

A job may hang, in a read from a disk that does not answer.  So each has a thread of its own that nobody
waits for without end: neither the job after it, nor the end of the program.
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
PATIENCE_S = 10.0  # with an older job that does not stop, before the newest runs beside it
PATIENCE_AT_THE_END_S = 0.3
WHOLE = 1000  # progress travels in thousandths, so that reports of less are not sent


_running: set[threading.Event] = set()  # all threads of this process that have not ended


def is_any_job_running() -> bool:
    """Whether Python would end with threads in the midst of their work."""
    return bool(_running)


class _Courier(QObject):
    """Brings what threads have to tell into the thread that made it.

    It is never deleted, as a job may be while its thread tells something: no check of the thread's would be
    in time.
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
    """Raised inside a job by its progress callback: nobody wants the result any more."""


class LatestJob(QObject, Generic[T]):
    """Runs one job at a time, unless one hangs, and delivers the result of the newest only.

    A job is a function of a progress callback, to be called now and then with the share done, 0 to 1; a job
    that nobody wants also stops at its next checkpoint.
    TokenloupeErrors become `failed`; anything else is our own mistake and goes to sys.excepthook.

    done, failed  who takes the result, and why there is none

    Signals, all in the thread that this object lives in:
        done(object): the result of the newest job.
        failed(str): why there is none, to show as it stands.
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
        self._has_ended = threading.Event()  # the thread of the newest job
        self._has_ended.set()
        self._generation = 0
        self.is_busy = False
        self._progress = 0
        self._told = _courier().told

    @property
    def progress(self) -> float:
        """The share done, 0 to 1; 0 also for jobs that do not tell."""
        return self._progress / WHOLE

    def start(self, work: Callable[[Progress], T]) -> None:
        """Run `work` instead of whatever runs or waits now."""
        self._generation += 1
        self._progress = 0
        older, self._has_ended = self._has_ended, threading.Event()
        start_new_thread(self._run_after, (older, self._generation, work, self._has_ended))
        self._set_busy(True)

    def cancel(self) -> None:
        """Give up the present job; nothing will be delivered."""
        self._generation += 1
        self._set_busy(False)

    def wait(self) -> None:
        """Give up the present job and wait until its thread has ended, or hangs; for closing."""
        self.cancel()
        self._has_ended.wait(PATIENCE_AT_THE_END_S)

    def finish(self, patience_s: float) -> None:
        """Wait until the present job has ended, or hangs; for closing, where it must not be given up."""
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
        """Whether somebody waits for this job: the window may not have, and be gone."""
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
    """Has jobs, values and timers of its own, which end with it."""

    def close(self) -> None:
        """Stop all work; nothing is delivered any more."""
        own = Qt.FindChildOption.FindDirectChildrenOnly
        for timer in self.findChildren(QTimer, options=own):
            timer.stop()
        for job in self.findChildren(LatestJob, options=own):
            job.wait()
        for value in self.findChildren(Background, options=own):
            value.close()


class NotReadyError(Exception):
    """Raised where a value is to be prepared from inputs that are not complete: `refresh` follows."""


class Background(Working, Generic[T]):
    """A value that is computed off the GUI thread whenever its inputs change; the newest inputs win.

    `prepare` is called in the GUI thread when it is time: it gives the job that computes the value from the
    inputs as they are then, or None where there is nothing to compute.  It may raise NotReadyError.
    Nothing is computed while nobody watches.

    value       None until it is computed, and where there is nothing to compute
    problem     why it cannot be computed, "" otherwise
    is_current  whether both are of the present inputs
    is_watched  whether anybody sees the value

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
        """Whether another value is to be expected."""
        return self._pause.isActive() or self._job.is_busy

    @property
    def progress(self) -> float:
        """The share done, 0 to 1."""
        return self._job.progress

    def watch(self, is_watched: bool) -> None:
        """Keep the value current from now on, or leave it as it is."""
        self.is_watched = is_watched
        if not is_watched:
            self.cancel()
        elif not self.is_current and not self._job.is_busy:
            self._start()

    def refresh(self, wait_ms: int = 0) -> None:
        """The inputs have changed: compute again once they have not for so long; the old value stays."""
        self.is_current = False
        self._job.cancel()
        if self.is_watched and self._pause.remainingTime() < wait_ms:
            self._pause.start(wait_ms)

    def refresh_for(self, edit: TextEdit | None, size: int, wait_ms: int) -> None:
        """The same where the input is a text of `size` bytes after an edit; of another text nothing stays."""
        if edit is not None and edit.start == 0 and edit.added == size:
            self.forget()
        self.refresh(wait_ms)

    def forget(self) -> None:
        """The inputs have changed so that the old value means nothing."""
        self.cancel()
        self.is_current = False
        if self.value is not None or self.problem:
            self.value, self.problem = None, ""
            self.changed.emit()

    def cancel(self) -> None:
        """Compute nothing until the inputs change or somebody watches again."""
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
    """Does what it is given in the order in which it comes; Python ends when all is done.

    An executor of the standard library would do, but for the time that its import takes at the start.
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
    """A timer of the owner's that does something once, so long after it was started last."""
    timer = QTimer(owner, singleShot=True, interval=wait_ms)
    timer.timeout.connect(do)
    return timer


class LineProcess(QObject):
    """One process at a time; both sides talk in lines.

    Signals:
        told(list): lines of bytes, some at a time, so that the window has its turn in between.
        ended(str): it has ended by itself and all it told was told; the last line of its complaint, or
            its exit code.
    """

    told = Signal(list)
    ended = Signal(str)

    def __init__(self, command: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.command = command
        self._process: QProcess | None = None

    @property
    def is_running(self) -> bool:
        """From `start` to `ended`, `drop` or `end`."""
        return self._process is not None

    def start(self) -> None:
        """Begin anew; a process before is dropped."""
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
        """Say that nothing more will be said, and give it some time to end by itself."""
        if self._process is not None:
            self._process.closeWriteChannel()
            self._process.waitForFinished(patience_ms)
        self.end()

    def drop(self) -> None:
        """End it whatever it does, and listen no more; where all processors are busy, that takes a while."""
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
        """The same for all that were dropped, and wait until they are gone: none writes files any more."""
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
        if process is not self._process:  # the lines made somebody end it
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
