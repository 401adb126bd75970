"""Read JSON and TOML from untrusted files: broken, huge and hostile texts raise one kind of error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from guiapp.core.text.numbers_in_words import in_bytes, quoted
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
MOST_DOTS = 20  # in a line, outside of strings: readers of TOML take the square of their number
TYPE_NAMES: dict[type, str] = {
    str: 'a text in quotes, such as "abc"',
    bool: "true or false",
    int: "a whole number, such as 3",
    list: 'a list of texts, such as ["a", "b"]',
}
MOST = 1 << 53  # up to which a float represents all whole numbers
MOST_CHARACTERS = 1 << 27


def read_json(
    text: str | bytes,
    parse_float: Callable[[str], float] = float,
    object_of: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """The value of a JSON text; `object_of` makes each object from its pairs.

    Raises ValueError, with a reason that can be shown; if the text is broken, json.JSONDecodeError.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS >> 20} MB")
    try:
        return json.loads(text, parse_float=parse_float, object_pairs_hook=object_of)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:  # Python limits whole numbers to some thousand digits
        raise ValueError("it has a number of too many digits") from None


# Values of untrusted JSON as the typed values that a program works with


def read_as(kind: Any, value: Any, location: str = "") -> Any:
    """A value of JSON as the type `kind`; raises ValueError with the location of an invalid one, to be shown.

    Types are plain ones, `X | None`, Literal, tuple, Mapping from texts, and dataclasses of these.  A field
    with a default may be missing or None; unknown fields are ignored.  Numbers are from 0 to MOST.
    """
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is UnionType:
        return None if value is None else read_as(parts[0], value, location)
    if origin is tuple and isinstance(value, list | tuple):
        kinds = [parts[0]] * len(value) if parts[-1] is ... else parts
        if len(kinds) == len(value):
            pairs = enumerate(zip(kinds, value, strict=True))
            return tuple(read_as(part, each, f"{location}[{index}]") for index, (part, each) in pairs)
    if origin is Mapping and isinstance(value, dict):
        return {name: read_as(parts[1], each, f"{location}.{name}") for name, each in value.items()}
    if is_dataclass(kind) and isinstance(value, dict):
        return _dataclass(kind, value, location)
    if not _is_of(origin, parts, value):
        raise wrong_value(value, location)
    return value


def wrong_value(value: object, location: str) -> ValueError:
    name = f"its “{location.removeprefix('.')}”" if location else "it"
    return ValueError(f"{name} is {value!r:.40}")


_hints_of = cache(get_type_hints)


def _dataclass(kind: Any, entries: dict[str, Any], location: str) -> Any:
    kinds, values = _hints_of(kind), dict[str, Any]()
    for each in fields(kind):
        is_required = each.default is MISSING and each.default_factory is MISSING
        if is_required and each.name not in entries:
            raise ValueError(f"its “{f'{location}.{each.name}'.removeprefix('.')}” is missing")
        if is_required or entries.get(each.name) is not None:
            values[each.name] = read_as(kinds[each.name], entries[each.name], f"{location}.{each.name}")
    return kind(**values)


def _is_of(origin: Any, parts: tuple[Any, ...], value: Any) -> bool:
    if origin is Literal:
        return value in parts
    if origin in (int, float):
        is_number = isinstance(value, int if origin is int else int | float) and not isinstance(value, bool)
        return is_number and 0 <= value <= MOST
    return origin in (str, bool, dict, list) and isinstance(value, origin)


# TOML from untrusted files: errors name the line, and no file takes long


@dataclass(frozen=True)
class Fault:
    """A fault in a file, as a sentence; lines count from 1."""

    line: int
    reason: str


class FaultyFileError(TokenloupeError):
    """A file that cannot be used; the message names the first fault, `faults` has all known ones."""

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults


def error_of(name: str, *faults: Fault) -> FaultyFileError:
    """The error for a file with some faults; its message is the first."""
    first = faults[0]
    return FaultyFileError(f"{name}, line {first.line}: {first.reason}", faults)


class TomlFile:
    """The contents of a TOML file as `content`, with line numbers; raises FaultyFileError if invalid."""

    def __init__(self, path: Path, what: str, most_bytes: int) -> None:
        """`what` is the kind of file that is expected, for messages."""
        self._text = text_of(path, what, most_bytes)
        self.content = _content(path.name, self._text, what)

    @cached_property
    def lines(self) -> list[dict[str, int]]:
        """The lines of the keys; see `lines_of_keys`."""
        return lines_of_keys(self._text)


def text_of(path: Path, what: str, most_bytes: int) -> str:
    """The text of a file, with "\\n" as line ends; raises FaultyFileError."""
    try:
        if path.exists() and not path.is_file():
            raise FaultyFileError(f"{path.name} is not a file.")
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise FaultyFileError(f"{path.name} cannot be read: {error.strerror}.") from error
    if len(data) > most_bytes:
        raise FaultyFileError(f"{path.name} is too long for a {what}: more than {in_bytes(most_bytes)}.")
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise error_of(path.name, Fault(line, "this is not UTF-8.")) from error


def line_of(lines: Sequence[Mapping[str, int]], part: int, *keys: str) -> int:
    """The line of the first of some keys in a part of a file; part 0 is its head."""
    return next((lines[part][key] for key in keys if key in lines[part]), lines[part][""])


def kind_fault(value: Any, expected: type) -> str:
    """What an entry must be, if it is not of the expected type, else ""."""
    return "" if type(value) is expected else f"must be {TYPE_NAMES[expected]}."


def unknown_entry(key: str, known: Iterable[str]) -> str:
    """The message for an unknown entry."""
    return f"an unknown entry “{quoted(key)}”. Known entries: {', '.join(known)}."


def _content(name: str, text: str, what: str) -> dict[str, Any]:
    import tomllib  # delayed, to start faster

    for number, line in enumerate(without_strings(text).split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise error_of(name, Fault(number, f"this has too many dots for a {what}."))
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, location = str(error).rpartition(" (at ")
        at = re.match(r"line (\d+)", location)
        where = text.rstrip().count("\n") + 1 if at is None else int(at[1])
        raise error_of(name, Fault(where, f"this is not valid TOML: {quoted(reason)}.")) from error
    except (ValueError, RecursionError) as error:  # thousands of digits or brackets
        fault = Fault(1, f"this is not a {what}: a number is too long, or lists are too deep.")
        raise error_of(name, fault) from error


# The lines of the entries of a TOML file: readers report lines only of syntax errors


def without_strings(text: str) -> str:
    """TOML without its strings and comments, line for line."""
    return STRING.sub(lambda matches: "\n" * matches[0].count("\n"), text)


def lines_of_keys(text: str) -> list[dict[str, int]]:
    """For the head of a valid lesson file, and for each of its steps, the lines of its keys, from 1.

    The key "" has the line on which the part begins.
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
