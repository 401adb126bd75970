"""TOML from files and people: what is wrong with one is told with its line, and no file keeps us busy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from guiapp.core.text.figures import in_bytes
from guiapp.core.vocabulary.quoting import quoted
from guiapp.errors import TokenloupeError

STRING = re.compile(
    r'"""(?:\\.?|[^\\])*?(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|'[^'\n]*'?|#[^\n]*",
    re.DOTALL,
)
STEP = re.compile(r"""\s*\[\[\s*(["']?)step\1\s*\]\]""")
KEY = re.compile(r"""\s*(["']?)([^"'=\s]+)\1\s*=""")
MOST_DOTS = 20  # in a line, outside of texts: readers of TOML take the square of their number
TYPE_NAMES: dict[type, str] = {
    str: 'a text in quotes, such as "abc"',
    bool: "true or false",
    int: "a whole number, such as 3",
    list: 'a list of texts, such as ["a", "b"]',
}


@dataclass(frozen=True)
class Fault:
    """Something that is wrong in a file, in a sentence; lines count from 1."""

    line: int
    reason: str


class FaultyFileError(TokenloupeError):
    """A file that cannot be used; the message says where and why, `faults` has all that is known."""

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults


def error_of(name: str, *faults: Fault) -> FaultyFileError:
    """What is told of a file with some faults: the first."""
    first = faults[0]
    return FaultyFileError(f"{name}, line {first.line}: {first.reason}", faults)


class TomlFile:
    """What a file says, as `content`, and where; raises FaultyFileError for what is no TOML."""

    def __init__(self, path: Path, what: str, most_bytes: int) -> None:
        """`what` is the kind of file that it is to be, for sentences."""
        self._text = text_of(path, what, most_bytes)
        self.content = _content(path.name, self._text, what)

    @cached_property
    def lines(self) -> list[dict[str, int]]:
        """Those of the keys; see `lines_of_keys`."""
        return lines_of_keys(self._text)


def text_of(path: Path, what: str, most_bytes: int) -> str:
    """The text of a file, with ends of lines as Python has them; raises FaultyFileError."""
    try:
        if path.exists() and not path.is_file():
            raise FaultyFileError(f"{path.name} is no file.")
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise FaultyFileError(f"{path.name} cannot be read: {error.strerror}.") from error
    if len(data) > most_bytes:
        raise FaultyFileError(f"{path.name} is longer than any {what}: more than {in_bytes(most_bytes)}.")
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise error_of(path.name, Fault(line, "this is no text in UTF-8.")) from error


def line_of(lines: Sequence[Mapping[str, int]], part: int, *keys: str) -> int:
    """Where one of some keys of a part of a file is; 0 is its head."""
    return next((lines[part][key] for key in keys if key in lines[part]), lines[part][""])


def kind_fault(value: Any, expected: type) -> str:
    """What an entry must be that is not of the type that is wanted, else ""."""
    return "" if type(value) is expected else f"must be {TYPE_NAMES[expected]}."


def unknown_entry(key: str, known: Iterable[str]) -> str:
    """What to say of an entry that means nothing."""
    return f"an unknown entry “{quoted(key)}”. There are: {', '.join(known)}."


def _content(name: str, text: str, what: str) -> dict[str, Any]:
    for number, line in enumerate(without_strings(text).split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise error_of(name, Fault(number, f"there are more dots here than any {what} needs."))
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).rpartition(" (at ")
        at = re.match(r"line (\d+)", place)
        where = text.rstrip().count("\n") + 1 if at is None else int(at[1])
        raise error_of(name, Fault(where, f"this is no valid TOML: {quoted(reason)}.")) from error
    except (ValueError, RecursionError) as error:  # digits or brackets by the thousand
        fault = Fault(1, f"this is no {what}: a number is too long, or lists are too deep.")
        raise error_of(name, fault) from error


# Where the entries of a TOML file stand: readers tell lines of what they refuse, and of nothing else


def without_strings(text: str) -> str:
    """TOML without its strings and comments, line for line."""
    return STRING.sub(lambda matches: "\n" * matches[0].count("\n"), text)


def lines_of_keys(text: str) -> list[dict[str, int]]:
    """For the head of a valid lesson file, and for each of its steps, the lines of its keys, from 1.

    The key "" has the line where the part begins.
    """
    matches: list[dict[str, int]] = [{"": 1}]
    plain = STRING.sub(_blank_if_long, text)
    for number, line in enumerate(plain.split("\n"), 1):
        if STEP.match(line):
            matches[0].setdefault("step", number)
            matches.append({"": number})
        elif key := KEY.match(line):
            matches[-1].setdefault(key[2], number)
    return matches


def _blank_if_long(matches: re.Match[str]) -> str:
    n_breaks = matches[0].count("\n")
    return "\n" * n_breaks if n_breaks else matches[0]
