"""The first seconds: kernels run interpreted while they are loaded, and at the first start compiled."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QProcess, Signal

from guiapp.core.kernels.compile import run_interpreted
from guiapp.core.kernels.compiled import is_complete, load_kernels
from guiapp.core.system.processes import command_of
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.processes import process_environment

STOP_MS = 2000
WAIT_S = 0.05


@dataclass(frozen=True)
class Compiler:
    """How kernels get compiled, as the tests replace it.

    command       a process that fills the disk cache of compiled kernels, reporting as `warm_up` does
    is_needed     whether that has never happened
    load          takes the kernels from the disk cache
    interpret     says whether they run interpreted from now on
    """

    command: tuple[str, ...] = command_of("guiapp.core.kernels.warm_up")
    is_needed: Callable[[], bool] = lambda: not is_complete()
    load: Callable[[Progress], None] = load_kernels
    interpret: Callable[[bool], None] = run_interpreted


USUAL_COMPILER = Compiler()


class KernelWarmUp(QObject):
    """Has kernels compiled and loads them, then switches to them.

    Compiling holds Python's lock for seconds, so it must not happen in the window's process.  Loading
    takes a second, in a thread.

    Signals:
        running_changed(): `is_running` is new.
        progress_changed(): `done` or `n_steps` is new.
        finished(): kernels run compiled from now on.
        failed(str): they stay interpreted, and what the compiler said.
    """

    running_changed = Signal()
    progress_changed = Signal()
    finished = Signal()
    failed = Signal(str)

    def __init__(self, compiler: Compiler = USUAL_COMPILER, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._compiler = compiler
        self._done = 0
        self._n_steps = 0
        self._is_stopping = False
        self._is_settled = threading.Event()
        self._is_settled.set()
        self._waiting: set[int] = set()  # identities of threads
        self._has_to_hurry = threading.Event()
        self._checking = LatestJob[bool](self)
        self._checking.done.connect(self._begin)
        self._loading = LatestJob[None](self)
        self._loading.done.connect(self._switch)
        self._process = QProcess(self)
        self._process.setProcessEnvironment(process_environment())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._note_error)

    @property
    def is_running(self) -> bool:
        """Whether kernels are being compiled."""
        return self._process.state() is not QProcess.ProcessState.NotRunning

    @property
    def done(self) -> int:
        return self._done

    @property
    def n_steps(self) -> int:
        """How many steps there are; 0 while that is not known."""
        return self._n_steps

    @property
    def is_awaited(self) -> bool:
        """Whether work in another thread goes on only once kernels are compiled."""
        return bool(self._waiting)

    def start(self, head_start_s: float = 0.0) -> None:
        """Run kernels interpreted until they are compiled and loaded.

        Other work has a head start, until `hurry` at the latest: beside this it would take twice as long.
        """
        self._is_settled.clear()
        self._compiler.interpret(True)
        self._checking.start(partial(self._check, head_start_s))

    def _check(self, head_start_s: float, progress: Progress) -> bool:
        self._has_to_hurry.wait(head_start_s)
        return self._compiler.is_needed()

    def _begin(self, is_needed: bool) -> None:
        if is_needed:
            program, *arguments = self._compiler.command
            self._process.start(program, arguments)
            self.running_changed.emit()
        else:
            self._loading.start(self._compiler.load)

    def hurry(self) -> None:
        """Nothing else needs a head start."""
        self._has_to_hurry.set()

    def wait_until_settled(self, progress: Progress) -> None:
        """Wait, in another thread, for kernels to run as they will from then on; `progress` may raise."""
        self.hurry()
        thread = threading.get_ident()
        self._waiting.add(thread)
        try:
            while not self._is_settled.wait(WAIT_S):
                progress(0.0)
        finally:
            self._waiting.discard(thread)

    def stop(self) -> None:
        """Give up; what is compiled already stays in the cache."""
        self._is_stopping = True
        self.hurry()
        self._checking.wait()
        self._process.kill()
        self._process.waitForFinished(STOP_MS)
        self._loading.wait()

    def _read(self) -> None:
        while self._process.canReadLine():
            line = bytes(self._process.readLine().data())
            if line.startswith(b"{"):
                step = json.loads(line)
                self._done, self._n_steps = step["done"], step["of"]
                self.progress_changed.emit()

    def _finish(self, exit_code: int, status: QProcess.ExitStatus) -> None:
        self.running_changed.emit()
        if self._is_stopping:
            return
        if exit_code == 0 and status is QProcess.ExitStatus.NormalExit:
            self._loading.start(self._compiler.load)
        else:
            self._fail(bytes(self._process.readAllStandardError().data()).decode(errors="replace"))

    def _note_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.running_changed.emit()
            self._fail(self._process.errorString())

    def _switch(self) -> None:
        self._compiler.interpret(False)
        self._is_settled.set()
        self.finished.emit()

    def _fail(self, message: str) -> None:
        self._is_settled.set()
        self.failed.emit(message)
