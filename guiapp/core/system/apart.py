"""Plain Python that takes long, in a process of its own: a thread of it would make the window stutter."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Callable
from tempfile import TemporaryFile

from guiapp.core.system.own_process import command_of, environment

TICK_S = 0.05


class ApartError(Exception):
    """The process ended without an answer; the last line that it complained with, or ""."""


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
                            raise ApartError(_last_line(complaint))
                        return answer
            finally:
                process.kill()


def _last_line(complaint: bytes) -> str:
    lines = complaint.decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
