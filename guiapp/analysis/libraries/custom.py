"""Custom contenders: commands or Python functions, defined by the user, that return ids.

Typing one counts as consent to run it.  One from a file runs only after the user has confirmed the text of
`shown`; see `guiapp.analysis.bench.__main__` and `guiapp.pages.bench.choice`.  Each runs in a process of its
own and finds the model in the environment variable TOKENLOUPE_MODEL.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numpy as np

from guiapp.analysis.libraries.contender import (
    UNSPLIT,
    Contender,
    ContenderTokens,
    UnavailableError,
    as_str,
    ids_only,
)
from guiapp.core.processes import how_it_ended, last_line
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_as
from guiapp.errors import TokenloupeError

COMMAND, STREAM, PYTHON = "command", "stream", "python"
KINDS = {
    COMMAND: "A command for each text: UTF-8 on its standard input, ids on its output. "
    "The time includes the start of its process.",
    STREAM: "A command that runs once and reads one text after another: a line with the number of bytes, "
    "then the text. It answers each with one line of ids. The time includes its pipes.",
    PYTHON: "A Python function that takes a str and returns ids: a list, an array, or an object with ids.",
}
HOW = "NAME=command:WORDS, NAME=stream:WORDS or NAME=python:MODULE:FUNCTION"
LONGEST_NAME = 40
MODEL_VARIABLE = "TOKENLOUPE_MODEL"
MOST_PER_BYTE, MOST_BYTES = 64, 1 << 16  # of an answer in one line
KEPT_BYTES = 4096  # of a command's standard error
PATIENCE_S = 1.0  # waiting for the end of a command that closed its output


class CustomError(TokenloupeError):
    """A text or record does not define a contender; the message states the reason."""


@dataclass(frozen=True)
class CustomContender:
    """One contender.

    kind    one of KINDS
    target  a command, split into words as in a shell but run without one; or module:function, after a folder
            if the module is not on Python's path
    """

    name: str
    kind: str
    target: str

    def __str__(self) -> str:
        """The text from which `parse_custom` makes the same contender."""
        return f"{self.name}={self.kind}:{self.target}"

    @property
    def shown(self) -> str:
        """The exact program and arguments to confirm; if `checked`, one line of printable characters."""
        return f"Python of this program: {self.target}" if self.kind == PYTHON else self.target

    def record(self) -> dict[str, str]:
        return asdict(self)


def parse_custom(text: str) -> CustomContender:
    """The contender in a typed text, with absolute paths; raises CustomError."""
    name, _, rest = text.partition("=")
    kind, colon, target = rest.partition(":")
    if not colon or kind not in KINDS:
        raise CustomError(f"“{quoted(text)}” does not describe an encoder. Write {HOW}.")
    return make_custom(name, kind, target)


def make_custom(name: str, kind: str, target: str) -> CustomContender:
    """A contender from the fields of a form; raises CustomError, also if the program does not exist."""
    target = _whole_function(target.strip()) if kind == PYTHON else _whole_command(target)
    return checked(CustomContender(name.strip(), kind, target.strip()))


def read_custom(records: object) -> tuple[CustomContender, ...]:
    """The contenders in an untrusted file; raises CustomError, and runs nothing."""
    try:
        return tuple(map(checked, read_as(tuple[CustomContender, ...], records)))
    except ValueError as error:
        raise CustomError(f"This is not a custom encoder: {error}.") from error


def without_removed(records: object) -> tuple[object, list[str]]:
    """Records without those that earlier versions ran in other Pythons, and the names of the removed ones."""
    if not isinstance(records, list | tuple):
        return records, []
    names = [str(each.get("name")) for each in records if _ran_elsewhere(each)]
    return [each for each in records if not _ran_elsewhere(each)], names


def names_of(own: Iterable[CustomContender], taken: Collection[str]) -> list[str]:
    """The names of contenders; raises CustomError for a name that is used twice or taken."""
    names = [each.name for each in own]
    for index, name in enumerate(names):
        if name in taken or name in names[:index]:
            raise CustomError(f"There is already an encoder “{name}”. Give yours another name.")
    return names


def checked(own: CustomContender) -> CustomContender:
    """Return `own` if its fields are valid; raises CustomError."""
    if own.kind not in KINDS:
        raise CustomError(f"This is not a custom encoder: its kind is not one of {', '.join(KINDS)}.")
    name = own.name
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or set(name) & {",", "="}:
        raise CustomError(
            f"“{quoted(name)}” cannot be a name: it may have {LONGEST_NAME} characters, no comma, no “=”."
        )
    if name.endswith(UNSPLIT):
        raise CustomError(
            f"“{name}” cannot be a name: this ending marks encoders that take texts as one piece."
        )
    if not own.target:
        raise CustomError(f"The command or function of “{name}” is missing. Write {HOW}.")
    if not own.shown.isprintable():
        raise CustomError(
            f"“{quoted(own.shown, 200)}” contains what cannot be shown. Put it into a file and run that."
        )
    if own.kind == PYTHON and not _is_function(own.target):
        raise CustomError(f"“{quoted(own.target)}” is not a function. Write it as module:function.")
    return own


def words_of(command: str) -> list[str]:
    """The words of a command; raises CustomError for an unclosed quotation mark."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CustomError(f"“{quoted(command)}” cannot be split into words: {error}.") from error
    if not words:
        raise CustomError("The command is missing.")
    return words


def function_of(target: str) -> tuple[str, str, str]:
    """The folder of a module ("" if it is on Python's path), the module and the function."""
    module, _, function = target.rpartition(":")
    path = Path(module.removesuffix(".py"))
    folder = "" if path.parent == Path() else str(path.parent)
    return folder, path.name, function


def _ran_elsewhere(record: object) -> bool:
    return isinstance(record, dict) and (record.get("kind") == "library" or bool(record.get("python")))


def _is_function(target: str) -> bool:
    _, module, function = function_of(target)
    return bool(module) and all(map(str.isidentifier, function.split(".")))


def _whole_command(command: str) -> str:
    """The command with absolute paths: the confirmed command is then the same in any working folder."""
    program, *others = words_of(command)
    found = shutil.which(program)
    if found is None:
        raise CustomError(f"There is no program “{quoted(program)}”.")
    return shlex.join([str(Path(found).absolute()), *map(_whole_word, others)])


def _whole_word(word: str) -> str:
    is_path = "/" in word and Path(word).exists()
    return str(Path(word).absolute()) if is_path else word


def _whole_function(target: str) -> str:
    """The function with its absolute folder, if its module is in a given or the current folder."""
    folder, module, function = function_of(target)
    if not (module and function):
        return target
    top = Path(folder, module.partition(".")[0])
    if not (folder or top.is_dir() or top.with_suffix(".py").exists()):
        return target
    return f"{Path(folder).absolute() / module}:{function}"


def open_custom(own: CustomContender) -> Contender:
    """Open a command or a function as a contender; raises UnavailableError if it cannot be started."""
    if own.kind == COMMAND:
        call = partial(_answer, words_of(own.target))
        return Contender(call, bytes, ids_in, is_apart=True)
    if own.kind == STREAM:
        stream = Stream(words_of(own.target))
        return Contender(stream.ask, bytes, ids_in, is_apart=True)
    return Contender(_function(own.target), as_str, _ids_of)


def ids_in(answer: bytes) -> ContenderTokens:
    """Parse ids separated by spaces, line ends or commas, with or without brackets."""
    words = answer.replace(b",", b" ").strip().removeprefix(b"[").removesuffix(b"]").split()
    try:
        return ids_only(np.array(words or [], np.bytes_).astype(np.int64))
    except (ValueError, OverflowError) as error:
        wrong = next((word for word in words if not word.isdigit()), words[0])
        raise UnavailableError(f"It answered “{quoted(wrong)}” where an id is expected.") from error


def _ids_of(result: Any) -> ContenderTokens:
    return ids_only(getattr(result, "ids", result))


def _function(target: str) -> Callable[[str], Any]:
    folder, module, name = function_of(target)
    if folder:
        sys.path.insert(0, folder)
    sys.modules.pop(module, None)  # load it again, so that it has no state from earlier calls
    function = import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    if not callable(function):
        raise UnavailableError(f"“{target}” is not a function.")
    return function


def _answer(words: list[str], text: bytes) -> bytes:
    """Run a command with a text as its input; return its output."""
    try:
        ended = subprocess.run(words, input=text, capture_output=True)
    except OSError as error:
        raise UnavailableError(_not_started(words, error)) from error
    if ended.returncode:
        raise UnavailableError(_ending(ended.returncode, ended.stderr))
    return ended.stdout


class Stream:
    """A running command that reads one text after another; it is ended with this object."""

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
        """Send a text; return the answer, one line with its end.  Raises UnavailableError without one."""
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
            with suppress(OSError):  # it may contain unwritten data
                pipe.close()


def _keep_end(complaints: IO[bytes], tail: bytearray) -> None:
    """Read standard error continuously, so that the process never blocks, and keep its end in `tail`."""
    with complaints:
        while part := os.read(complaints.fileno(), KEPT_BYTES):
            tail += part
            del tail[:-KEPT_BYTES]


def _ending(status: int, complaint: bytes) -> str:
    reason = quoted(last_line(complaint), 150)
    return f"{how_it_ended(status).removesuffix('.')}{': ' if reason else ''}{reason.removesuffix('.')}."


def _not_started(words: list[str], error: OSError) -> str:
    return f"“{quoted(words[0], 200)}” cannot be started: {error.strerror}."
