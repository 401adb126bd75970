"""Contenders of one's own, opened: commands and Python functions that give ids.

A command finds the model in the environment variable TOKENLOUPE_MODEL, as a function does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import IO, Any

import numpy as np

from guiapp.core.bench.agreement import Tokens
from guiapp.core.bench.contenders.contender import Contender, UnavailableError, as_str, ids_only
from guiapp.core.bench.contenders.own import COMMAND, STREAM, OwnContender, function_of, words_of
from guiapp.core.system.processes import how_it_ended, last_line
from guiapp.core.vocab.quoting import quoted

MODEL_VARIABLE = "TOKENLOUPE_MODEL"
MOST_PER_BYTE, MOST_BYTES = 64, 1 << 16  # of an answer in one line
KEPT_BYTES = 4096  # of what a command complains of
PATIENCE_S = 1.0  # with a command that closed its output, until it has ended


def open_own(own: OwnContender) -> Contender:
    """A command or a function; raises UnavailableError for a command that cannot be started."""
    if own.kind == COMMAND:
        call = partial(_answer, words_of(own.target))
        return Contender(call, bytes, ids_in, cpu_ns=_with_ended_children, is_apart=True)
    if own.kind == STREAM:
        stream = Stream(words_of(own.target))
        return Contender(stream.ask, bytes, ids_in, cpu_ns=stream.cpu_ns, is_apart=True)
    return Contender(_function(own.target), as_str, _ids_of)


def ids_in(answer: bytes) -> Tokens:
    """Ids as text: between spaces, line ends or commas, in brackets or not."""
    words = answer.replace(b",", b" ").strip().removeprefix(b"[").removesuffix(b"]").split()
    try:
        return ids_only(np.array(words or [], np.bytes_).astype(np.int64))
    except (ValueError, OverflowError) as error:
        wrong = next((word for word in words if not word.isdigit()), words[0])
        raise UnavailableError(f"It answered “{quoted(wrong)}” where an id is expected.") from error


def _ids_of(result: Any) -> Tokens:
    return ids_only(getattr(result, "ids", result))


def _function(target: str) -> Callable[[str], Any]:
    folder, module, name = function_of(target)
    if folder:
        sys.path.insert(0, folder)
    function = import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    if not callable(function):
        raise UnavailableError(f"“{target}” is no function.")
    return function


def _answer(words: list[str], text: bytes) -> bytes:
    """What a command writes that is given a text."""
    try:
        ended = subprocess.run(words, input=text, capture_output=True)
    except OSError as error:
        raise UnavailableError(_not_started(words, error)) from error
    if ended.returncode:
        raise UnavailableError(_ending(ended.returncode, ended.stderr))
    return ended.stdout


class Stream:
    """A command that is given one text after another; it ends with this object."""

    def __init__(self, words: list[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise UnavailableError(_not_started(words, error)) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._texts, self._answers = self._process.stdin, self._process.stdout
        self._complaint = bytearray()
        reading = threading.Thread(
            target=_keep_end, args=(self._process.stderr, self._complaint), daemon=True
        )
        reading.start()
        self._reading = reading
        weakref.finalize(self, _end, self._process)

    def ask(self, text: bytes) -> bytes:
        """One line, its end included; raises UnavailableError if there is none."""
        most = MOST_PER_BYTE * len(text) + MOST_BYTES
        try:
            self._texts.write(b"%d\n%b" % (len(text), text))
            self._texts.flush()
            line = self._answers.readline(most)
        except OSError:
            line = b""
        if line.endswith(b"\n"):
            return line
        if len(line) == most:
            raise UnavailableError(f"Its answer to {len(text)} bytes has no end of line in {most:,} bytes.")
        raise UnavailableError(self._how_it_ended())

    def cpu_ns(self) -> int:
        """What this process and the command were given of a processor, so far as the system tells."""
        if sys.platform != "linux" or self._process.poll() is not None:
            return _with_ended_children()
        return _with_ended_children() + time.clock_gettime_ns((~self._process.pid << 3) | 2)

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            return "It closed its output."
        self._reading.join(PATIENCE_S)
        return _ending(status, bytes(self._complaint))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # something is still in it
                pipe.close()


def _keep_end(complaints: IO[bytes], kept: bytearray) -> None:
    """Read on, so that whoever complains need not wait, and keep the last of it."""
    with complaints:
        while part := os.read(complaints.fileno(), KEPT_BYTES):
            kept += part
            del kept[:-KEPT_BYTES]


def _with_ended_children() -> int:
    if sys.platform == "win32":
        return time.process_time_ns()
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + round((used.ru_utime + used.ru_stime) * 1e9)


def _ending(status: int, complaint: bytes) -> str:
    said = quoted(last_line(complaint), 150)
    return f"{how_it_ended(status).removesuffix('.')}{': ' if said else ''}{said.removesuffix('.')}."


def _not_started(words: list[str], error: OSError) -> str:
    return f"“{quoted(words[0], 200)}” cannot be started: {error.strerror}."
