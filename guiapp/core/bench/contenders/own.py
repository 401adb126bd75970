"""Contenders of one's own, as values: a command, a Python callable, a library of another environment.

Whoever types one has said yes to it.  One that comes out of a file runs only after somebody has said yes to
what `shown` says; see `guiapp.core.bench.__main__` and `guiapp.viewmodels.bench.own`.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from guiapp.core.bench.contenders.contender import UNSPLIT
from guiapp.core.errors import TokenloupeError
from guiapp.core.system.typed_json import read_as
from guiapp.core.vocab.quoting import quoted

COMMAND, STREAM, PYTHON, LIBRARY = "command", "stream", "python", "library"
KINDS = {
    COMMAND: "A command for each text: UTF-8 on its standard input, ids on its output. "
    "The start of its process is in the time.",
    STREAM: "A command that runs once and is given one text after another: a line with the number of bytes, "
    "then the text; it answers each with one line of ids. The way through its pipes is in the time.",
    PYTHON: "A Python function that is given a str and returns ids: a list, an array, or an object with ids.",
    LIBRARY: "Another copy of a library that is listed here, in an environment of its own.",
}
HOW = (
    "NAME=command:WORDS, NAME=stream:WORDS, NAME=python:MODULE:FUNCTION, "
    "NAME=python:MODULE:FUNCTION@PYTHON or NAME=LIBRARY@PYTHON"
)
LONGEST_NAME = 40


class OwnError(TokenloupeError):
    """What somebody wrote is no contender; the message says why."""


@dataclass(frozen=True)
class OwnContender:
    """One contender.

    kind    one of KINDS
    target  words of a shell, which are split but given to none; module:function, behind a folder where the
            module lies in none that Python knows; or the name of a library
    python  the interpreter of the environment that it runs in, "" for this one
    """

    name: str
    kind: str
    target: str
    python: str = ""

    def __str__(self) -> str:
        """What `own_from` reads."""
        kind = "" if self.kind == LIBRARY else f"{self.kind}:"
        return f"{self.name}={kind}{self.target}{'@' if self.python else ''}{self.python}"

    @property
    def shown(self) -> str:
        """The very program that runs, and with what: one line with nothing hidden in it, if `checked`."""
        if self.kind in (COMMAND, STREAM):
            return self.target
        return f"{self.python or 'Python of this program'}: {self.target}"

    def record(self) -> dict[str, str]:
        return asdict(self)


def own_from(text: str) -> OwnContender:
    """The contender that somebody typed, its files as whole paths; raises OwnError."""
    name, equals, rest = text.partition("=")
    if not equals:
        raise OwnError(f"“{quoted(text)}” is no contender. Write {HOW}.")
    kind, colon, target = rest.partition(":")
    if not colon or kind not in (COMMAND, STREAM, PYTHON):
        kind, target = LIBRARY, rest
    python = ""
    if kind in (PYTHON, LIBRARY):
        target, _, python = target.partition("@")
    return made(name, kind, target, python)


def made(name: str, kind: str, target: str, python: str = "") -> OwnContender:
    """A contender from what somebody filled in; raises OwnError, also for a program that is not there."""
    python = _interpreter(python.strip()) if python.strip() else ""
    if kind in (COMMAND, STREAM):
        target = _whole_command(target)
    elif kind == PYTHON:
        target = _whole_function(target.strip())
    return checked(OwnContender(name.strip(), kind, target.strip(), python))


def own_of(records: object) -> tuple[OwnContender, ...]:
    """The contenders of a file that somebody else may have written; raises OwnError, and runs nothing."""
    try:
        return tuple(map(checked, read_as(tuple[OwnContender, ...], records)))
    except ValueError as error:
        raise OwnError(f"This is no contender: {error}.") from error


def names_of(own: Iterable[OwnContender], taken: Collection[str]) -> list[str]:
    """Their names; raises OwnError for one that two have."""
    names = [each.name for each in own]
    for index, name in enumerate(names):
        if name in taken or name in names[:index]:
            raise OwnError(f"There is a contender “{name}” already. Give yours another name.")
    return names


def checked(own: OwnContender) -> OwnContender:
    """The same, if its parts can be ones of a contender; raises OwnError."""
    if own.kind not in KINDS:
        raise OwnError(f"This is no contender: its kind is none of {', '.join(KINDS)}.")
    name = own.name
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or set(name) & {",", "="}:
        raise OwnError(
            f"“{quoted(name)}” cannot be a name, which has up to {LONGEST_NAME} characters, no comma, no “=”."
        )
    if name.endswith(UNSPLIT):
        raise OwnError(f"“{name}” cannot be a name: the end is for encoders that take texts as one piece.")
    if not own.target:
        raise OwnError(f"What “{name}” runs is missing. Write {HOW}.")
    if not own.shown.isprintable():
        raise OwnError(f"“{quoted(own.shown, 200)}” holds what cannot be shown. Put it into a file to run.")
    if own.kind == PYTHON and not all(own.target.rpartition(":")):
        raise OwnError(f"“{quoted(own.target)}” is no function. Write it as module:function.")
    if own.kind == LIBRARY and not own.python:
        raise OwnError(f"“{quoted(own.target)}” has no environment. Write {HOW}.")
    return own


def words_of(command: str) -> list[str]:
    """A command in words; raises OwnError where a quotation mark has no other."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OwnError(f"“{quoted(command)}” cannot be split into words: {error}.") from error
    if not words:
        raise OwnError("The command is missing.")
    return words


def function_of(target: str) -> tuple[str, str, str]:
    """The folder of a module, "" for those that Python knows, the module and the function."""
    place, _, function = target.rpartition(":")
    path = Path(place.removesuffix(".py"))
    folder = "" if path.parent == Path() else str(path.parent)
    return folder, path.name, function


def _whole_command(command: str) -> str:
    """With whole paths: what is said yes to is the same in whatever folder it runs."""
    program, *others = words_of(command)
    found = shutil.which(program)
    if found is None:
        raise OwnError(f"There is no program “{quoted(program)}”.")
    return shlex.join([str(Path(found).absolute()), *map(_whole_word, others)])


def _whole_word(word: str) -> str:
    is_path = "/" in word and Path(word).exists()
    return str(Path(word).absolute()) if is_path else word


def _whole_function(target: str) -> str:
    """With the folder in front of a module that lies in the present one."""
    folder, module, function = function_of(target)
    if not (module and function):
        return target
    top = Path(folder, module.partition(".")[0])
    if not (folder or top.is_dir() or top.with_suffix(".py").exists()):
        return target
    return f"{Path(folder).absolute() / module}:{function}"


def _interpreter(path: str) -> str:
    """The Python of an environment, or of the folder that an environment is; raises OwnError."""
    given = Path(path).expanduser().absolute()  # not resolved: in an environment it is a link
    for each in (given, given / "bin" / "python", given / "Scripts" / "python.exe"):
        if each.is_file():
            return str(each)
    raise OwnError(f"There is no Python in “{quoted(path, 200)}”.")
