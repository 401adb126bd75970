"""Run by the Python of another environment, which may be an old one: a `Worker` answers from there.

Questions and answers are pickles on standard input and output.
"""

from __future__ import annotations

import os
import pickle
import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

OLDEST = (3, 11)


class Borrowed:
    """Finds one package in a folder, and nothing else that lies there."""

    def __init__(self, name: str, folder: str) -> None:
        self._name, self._folder = name, folder

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [self._folder]) if name == self._name else None


class Pipe:
    """The two standard streams, as `answer_all` wants them; whatever is printed goes elsewhere."""

    def __init__(self) -> None:
        self._questions = os.fdopen(os.dup(0), "rb")
        self._answers = os.fdopen(os.dup(1), "wb")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1):
            os.dup2(nowhere, standard)

    def recv(self) -> Any:
        return pickle.load(self._questions)

    def send(self, answer: object) -> None:
        pickle.dump(answer, self._answers)
        self._answers.flush()


def main() -> None:
    pipe = Pipe()
    folders, n_threads, model, pre, own = pipe.recv()
    version = ".".join(map(str, sys.version_info[:2]))
    if sys.version_info < OLDEST:
        refuse(pipe, f"That environment has Python {version}; 3.11 or newer is needed.")
        return
    sys.meta_path.insert(0, Borrowed("guiapp", folders["guiapp"]))
    sys.meta_path.append(Borrowed("numpy", folders["numpy"]))
    try:
        from guiapp.core.bench.contenders.own import OwnContender
        from guiapp.core.bench.worker import Worker, answer_all, prepare_process
    except ImportError as error:
        told = str(error).strip().split("\n")[0][:150].rstrip(".")
        refuse(pipe, f"That environment needs numpy for Python {version}: {told}.")
        return
    prepare_process(n_threads)
    contender = OwnContender(**own)
    answer_all(pipe, Worker(model, contender.name, pre, contender))


def refuse(pipe: Pipe, reason: str) -> None:
    while True:
        try:
            pipe.recv()
        except EOFError:
            return
        pipe.send(("unavailable", reason))


if __name__ == "__main__":
    main()
