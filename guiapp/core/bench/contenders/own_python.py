"""The Python of another environment as the one that answers: a second copy of a library, or a function.

It is given this package, and numpy where it has none, but nothing else of this environment.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

import numpy as np

from guiapp.core.bench.contenders.own import OwnContender
from guiapp.core.vocab.quoting import quoted

BOOT = Path(__file__).with_name("own_boot.py")
OLD_PROTOCOL = 4  # of pickles that the oldest Python that says what it lacks can read


def answer_elsewhere(
    connection: Connection, own: OwnContender, model: str, pre: str | None, n_threads: int
) -> None:
    """Let a `Worker` in another Python answer until the pipe is closed; end as that one does."""
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    try:
        process = subprocess.Popen([own.python, "-I", str(BOOT)], stdin=pipe, stdout=pipe, stderr=nowhere)
    except OSError as error:
        connection.recv()
        connection.send(("unavailable", f"“{quoted(own.python, 200)}” cannot be started: {error.strerror}."))
        return
    folders = {"guiapp": str(Path(__file__).parents[4]), "numpy": str(Path(np.__file__).parents[1])}
    questions: list[object] = [(folders, n_threads, model, pre, own.record())]
    while True:
        try:
            questions.append(connection.recv())
        except EOFError:
            process.kill()
            return
        try:
            answer = _answer(process, questions)
        except (EOFError, OSError):
            end_as(process.wait())
        connection.send(answer)
        questions.clear()


def _answer(process: subprocess.Popen[bytes], questions: Iterable[object]) -> object:
    """To the last of the questions; raises EOFError or OSError when the process is gone."""
    assert process.stdin is not None
    assert process.stdout is not None
    for question in questions:
        pickle.dump(question, process.stdin, OLD_PROTOCOL)
    process.stdin.flush()
    return pickle.load(process.stdout)


def end_as(status: int) -> NoReturn:
    """End this process with an exit status, or by the signal whose number it is below 0."""
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)
