"""JSON from files and people: broken, huge and hostile texts are all one kind of error."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

MOST = 1 << 53  # up to which a float tells whole numbers apart
MOST_CHARACTERS = 1 << 27


def read_json(text: str | bytes, parse_float: Callable[[str], float] = float) -> Any:
    """What a JSON text says.  Raises ValueError, with a reason that can be shown; where the text is broken, a
    json.JSONDecodeError with the place.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS >> 20} MB")
    try:
        return json.loads(text, parse_float=parse_float)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:  # Python reads whole numbers of some thousand digits
        raise ValueError("it holds a number of too many digits") from None


# Values of JSON from files and people as the values that a program works with, checked by their types


def read_as(kind: Any, value: Any) -> Any:
    """A value of JSON as a type has it; raises ValueError, with a reason that can be shown, for what is none.

    Types are plain ones, `X | None`, Literal, tuple, Mapping from texts, and dataclasses of such, of which
    every field must be there.  Numbers are from 0 to MOST.
    """
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is UnionType:
        return None if value is None else read_as(parts[0], value)
    if origin is tuple and isinstance(value, list | tuple):
        kinds = [parts[0]] * len(value) if parts[-1] is ... else parts
        return tuple(read_as(part, each) for part, each in zip(kinds, value, strict=True))
    if origin is Mapping and isinstance(value, dict):
        return {name: read_as(parts[1], each) for name, each in value.items()}
    if is_dataclass(kind) and isinstance(value, dict):
        return _dataclass(kind, value)
    if not _is_of(origin, parts, value):
        raise ValueError(f"{value!r:.40} is not of the type {getattr(origin, '__name__', origin)}")
    return value


def _dataclass(kind: Any, entries: dict[str, Any]) -> Any:
    kinds = get_type_hints(kind)
    for field in fields(kind):
        if field.name not in entries:
            raise ValueError(f"it has no “{field.name}”")
    return kind(**{field.name: read_as(kinds[field.name], entries[field.name]) for field in fields(kind)})


def _is_of(origin: Any, parts: tuple[Any, ...], value: Any) -> bool:
    if origin is Literal:
        return value in parts
    if origin in (int, float):
        is_number = isinstance(value, int if origin is int else int | float) and not isinstance(value, bool)
        return is_number and 0 <= value <= MOST
    return origin in (str, bool, dict) and isinstance(value, origin)
