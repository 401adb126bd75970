"""Contenders of one's own, as values: a command, or a Python function.

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

COMMAND, STREAM, PYTHON = "command", "stream", "python"
KINDS = {
    COMMAND: "A command for each text: UTF-8 on its standard input, ids on its output. "
    "The start of its process is in the time.",
    STREAM: "A command that runs once and is given one text after another: a line with the number of bytes, "
    "then the text; it answers each with one line of ids. The way through its pipes is in the time.",
    PYTHON: "A Python function that is given a str and returns ids: a list, an array, or an object with ids.",
}
HOW = "NAME=command:WORDS, NAME=stream:WORDS or NAME=python:MODULE:FUNCTION"
LONGEST_NAME = 40


class OwnError(TokenloupeError):
    """What somebody wrote is no contender; the message says why."""


@dataclass(frozen=True)
class OwnContender:
    """One contender.

    kind    one of KINDS
    target  words of a shell, which are split but given to none; or module:function, behind a folder where the
            module lies in none that Python knows
    """

    name: str
    kind: str
    target: str

    def __str__(self) -> str:
        """What `own_from` reads."""
        return f"{self.name}={self.kind}:{self.target}"

    @property
    def shown(self) -> str:
        """The very program that runs, and with what: one line with nothing hidden in it, if `checked`."""
        return f"Python of this program: {self.target}" if self.kind == PYTHON else self.target

    def record(self) -> dict[str, str]:
        return asdict(self)


def own_from(text: str) -> OwnContender:
    """The contender that somebody typed, its files as whole paths; raises OwnError."""
    name, _, rest = text.partition("=")
    kind, colon, target = rest.partition(":")
    if not colon or kind not in KINDS:
        raise OwnError(f"“{quoted(text)}” is no contender. Write {HOW}.")
    return made(name, kind, target)


def made(name: str, kind: str, target: str) -> OwnContender:
    """A contender from what somebody filled in; raises OwnError, also for a program that is not there."""
    target = _whole_function(target.strip()) if kind == PYTHON else _whole_command(target)
    return checked(OwnContender(name.strip(), kind, target.strip()))


def own_of(records: object) -> tuple[OwnContender, ...]:
    """The contenders of a file that somebody else may have written; raises OwnError, and runs nothing."""
    try:
        return tuple(map(checked, read_as(tuple[OwnContender, ...], records)))
    except ValueError as error:
        raise OwnError(f"This is no contender: {error}.") from error


def without_removed(records: object) -> tuple[object, list[str]]:
    """Records of a file without those that earlier versions ran in other Pythons, and the names of these."""
    if not isinstance(records, list | tuple):
        return records, []
    names = [str(each.get("name")) for each in records if _ran_elsewhere(each)]
    return [each for each in records if not _ran_elsewhere(each)], names


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
    if own.kind == PYTHON and not _is_function(own.target):
        raise OwnError(f"“{quoted(own.target)}” is no function. Write it as module:function.")
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


def _ran_elsewhere(record: object) -> bool:
    return isinstance(record, dict) and (record.get("kind") == "library" or bool(record.get("python")))


def _is_function(target: str) -> bool:
    _, module, function = function_of(target)
    return bool(module) and all(map(str.isidentifier, function.split(".")))


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
