"""Parts of the program as separate processes: pure Python in a thread makes the window stutter."""

from __future__ import annotations

import ctypes
import gc
import json
import math
import mmap
import os
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from guiapp.errors import TokenloupeError

if TYPE_CHECKING:
    import subprocess

TICK_S = 0.05
PROCESSES = Path("/proc")
PAGE_BYTES = mmap.PAGESIZE
STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")
RESET_PEAK = "5"
LENGTH_BYTES = 8  # of a frame
MOST_IDLE = 8  # processes: so many threads may ask repeatedly
SHARE = b"share "  # the prefix of a frame that reports progress
MOST_BYTES, MOST_PER_BYTE = 1 << 30, 12  # of a process that tries the user's input


class ApartError(Exception):
    """The process ended without an answer; the message is its last line of errors, or ""."""


def command_of(module: str) -> tuple[str, ...]:
    """The command that runs a module of this package.

    With -P, so that Python ignores a package of the same name in the current folder, such as a clone;
    `environment` makes it find the very package that runs here, even if only the script's folder has it.
    """
    return sys.executable, "-P", "-m", module


def environment() -> dict[str, str]:
    """This process's environment, with its import path and its folder of temporary files."""
    own = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return {**os.environ, **own, **({"TMPDIR": tempfile.tempdir} if tempfile.tempdir else {})}


def answer_of(
    module: str,
    request: bytes,
    progress: Callable[[float], None],
    longest_s: float = math.inf,
) -> bytes:
    """Run a module of this package as a process with a request as its input; return its output.

    The process ends when `progress` raises.  Raises TimeoutError, ApartError.
    """
    import subprocess

    deadline = time.monotonic() + longest_s
    with TemporaryFile() as asked:  # after a timeout, `communicate` does not go on writing to a pipe
        asked.write(request)
        asked.seek(0)
        pipe, command = subprocess.PIPE, command_of(module)
        with subprocess.Popen(command, stdin=asked, stdout=pipe, stderr=pipe, env=environment()) as process:
            try:
                while True:
                    progress(0.0)
                    try:
                        answer, complaint = process.communicate(timeout=TICK_S)
                    except subprocess.TimeoutExpired:
                        if time.monotonic() > deadline:
                            raise TimeoutError from None
                    else:
                        if process.returncode:
                            raise ApartError(last_line(complaint))
                        return answer
            finally:
                process.kill()


class PersistentProcess:
    """A module of this package as a process that answers one request after another, in frames.

    It starts with the first request; one thread asks at a time, and any may `close` it.  If it `leads`, the
    processes that it starts end with it, and it ignores Ctrl+C.
    """

    def __init__(self, module: str, leads: bool = False) -> None:
        self._module, self._leads, self._owner = module, leads, 0
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = lambda: None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def answer(self, request: bytes, progress: Callable[[float], None], longest_s: float) -> bytes:
        """Like `answer_of`: the process ends if this raises."""
        deadline, answers = time.monotonic() + longest_s, SimpleQueue[bytes | None]()
        process, share = self._started(), 0.0
        threading.Thread(target=_ask, args=(process, request, answers), daemon=True).start()
        try:
            while True:
                progress(share)
                with suppress(Empty):
                    if (answer := answers.get(timeout=TICK_S)) is None:
                        raise ApartError
                    if not answer.startswith(SHARE):
                        return answer
                    share = float(answer.removeprefix(SHARE))
                if time.monotonic() > deadline:
                    raise TimeoutError
        except BaseException:
            self.close()
            raise

    def work(self, request: object, progress: Callable[[float], None]) -> None:
        """Send a request to a module that calls `serve`.

        Raises ApartError, and the TokenloupeErrors that the work raises.
        """
        if error := self.answer(json.dumps(request).encode(), progress, math.inf):
            raise TokenloupeError(error.decode())

    def close(self) -> None:
        """End the process, if there is one."""
        self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        import subprocess

        own = os.getpid()
        if self._process is None or self._owner != own or self._process.poll() is not None:
            self.close()
            pipe, command = subprocess.PIPE, command_of(self._module)
            self._process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                env=environment(),
                start_new_session=self._leads,
            )
            self._owner = own
            self._end = weakref.finalize(self, _end, self._process, self._leads, own)
        return self._process


class PersistentProcesses:
    """`PersistentProcess`es of one module that lead: each of several concurrent threads has its own."""

    def __init__(self, module: str) -> None:
        self._module, self._idle = module, list[PersistentProcess]()

    def answer(self, request: bytes, progress: Callable[[float], None], longest_s: float) -> bytes:
        """Like `PersistentProcess.answer`."""
        try:
            process = self._idle.pop()
        except IndexError:
            process = PersistentProcess(self._module, True)
        try:
            return process.answer(request, progress, longest_s)
        finally:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(process)
            else:
                process.close()


def _ask(process: subprocess.Popen[bytes], request: bytes, answers: SimpleQueue[bytes | None]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        write_frame(process.stdin, request)
        while (answer := read_frame(process.stdout)) is not None and answer.startswith(SHARE):
            answers.put(answer)
        answers.put(answer)
    except (OSError, ValueError):  # the process has ended
        answers.put(None)


def _end(process: subprocess.Popen[bytes], leads: bool, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked copy
        if leads and sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            assert stream is not None
            stream.close()


def serve(work: Callable[[Any, Callable[[float], None]], object]) -> None:
    """Handle one request after another, as the process behind `PersistentProcess.work`.

    `work` gets a request and a function to which it reports the share that is done.
    """

    def progress(share: float) -> None:
        write_frame(sys.stdout.buffer, SHARE + str(share).encode())

    while (request := read_frame(sys.stdin.buffer)) is not None:
        error = ""
        try:
            work(json.loads(request), progress)
        except TokenloupeError as raised:
            error = str(raised)
        write_frame(sys.stdout.buffer, error.encode())


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write data after its length."""
    stream.write(len(data).to_bytes(LENGTH_BYTES, "little") + data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The data that `write_frame` wrote; None at the end of the stream."""
    head = stream.read(LENGTH_BYTES)
    length = int.from_bytes(head, "little")
    data = stream.read(length) if len(head) == LENGTH_BYTES else b""
    return data if len(head) == LENGTH_BYTES and len(data) == length else None


def limit_memory(request: bytes) -> None:
    """Let this process end rather than take more memory than a request should need; not on Windows."""
    if sys.platform != "win32":
        import resource

        most = MOST_BYTES + MOST_PER_BYTE * len(request)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def last_line(complaint: bytes) -> str:
    lines = complaint.decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def how_it_ended(status: int) -> str:
    """A sentence about the exit status of a process; negative for a signal."""
    if status >= 0:
        return f"It ended with status {status}."
    try:
        return f"It crashed: {signal.Signals(-status).name}."
    except ValueError:
        return f"It crashed: signal {-status}."


# The memory that this process uses, and its peak


def held_bytes() -> int:
    """The bytes in memory now, after returning freed memory to the system."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return _status("VmRSS") or _peak_of_process()


def peak_bytes_during(call: Callable[[], object]) -> int:
    """The peak of bytes in memory during a call; if the system cannot measure it, since the start."""
    with suppress(OSError):
        CLEAR_REFS.write_text(RESET_PEAK)
    call()
    return _status("VmHWM") or _peak_of_process()


def held_bytes_of(process_id: int) -> int:
    """The bytes of a process and all that it started; 0 if unknown.  Takes 0.2 ms."""
    folder = PROCESSES / str(process_id)
    with suppress(OSError, ValueError):  # it may have ended
        held = int((folder / "statm").read_text().split()[1]) * PAGE_BYTES
        lists = [(thread / "children").read_text() for thread in (folder / "task").iterdir()]
        return held + sum(held_bytes_of(int(child)) for child in " ".join(lists).split())
    return 0


def _status(field: str) -> int:
    """A field of Linux's process status in bytes, 0 if there is none."""
    with suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    return 0


def _peak_of_process() -> int:
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
