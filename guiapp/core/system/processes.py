"""Parts of the program as processes of their own: plain Python in a thread makes the window stutter."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from tempfile import TemporaryFile

TICK_S = 0.05
MOST_BYTES, MOST_PER_BYTE = 1 << 30, 12  # of a process that tries what somebody typed


class ApartError(Exception):
    """The process ended without an answer; the last line that it complained with, or ""."""


def command_of(module: str) -> tuple[str, ...]:
    """The command that runs a module of this package.

    With -P, lest Python takes a package of the same name in the present folder, such as a clone; with
    `environment` it finds the very package that runs here, which may lie next to the script only.
    """
    return sys.executable, "-P", "-m", module


def environment() -> dict[str, str]:
    """This process's environment, with its import path."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def answer_of(
    module: str,
    request: bytes,
    progress: Callable[[float], None],
    longest_s: float = math.inf,
) -> bytes:
    """What a module of this package writes, run as a process that is given a request.

    The process ends when `progress` raises.  Raises TimeoutError, ApartError.
    """
    deadline = time.monotonic() + longest_s
    with TemporaryFile() as asked:  # a pipe is not written on by a `communicate` that timed out before
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


def limit_memory(request: bytes) -> None:
    """Let this process end rather than take more than its work on a request should; not on Windows."""
    if sys.platform != "win32":
        import resource

        most = MOST_BYTES + MOST_PER_BYTE * len(request)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def last_line(complaint: bytes) -> str:
    lines = complaint.decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def how_it_ended(status: int) -> str:
    """A sentence about the exit status of a process, the number of a signal below 0."""
    if status >= 0:
        return f"It ended with status {status}."
    try:
        return f"It crashed: {signal.Signals(-status).name}."
    except ValueError:
        return f"It crashed: signal {-status}."
