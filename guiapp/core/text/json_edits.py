"""Set one value of a JSON text: the rest of the text, its order and its spaces are unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

GAP = re.compile(r"[\ufeff \t\n\r]*")
READER = json.JSONDecoder()


class _Member(NamedTuple):
    """A key of an object, at character `key_at`, and its value, from start to end."""

    key: str
    key_at: int
    start: int
    end: int


def with_value(text: str, keys: Sequence[str], value: Any) -> str:
    """The text with `value` at the path `keys`; a new key is added at the end of its object.

    Of equal keys the last one counts, as in `json`.  Raises ValueError if the text is broken, or if the path
    leads through a value that is not an object.
    """
    try:
        start = _after_gap(text, 0)
        for key in keys[:-1]:
            start = next(member.start for member in [*_members(text, start)][::-1] if member.key == key)
        members = list(_members(text, start))
    except (StopIteration, IndexError, RecursionError):
        raise ValueError(f"it has no object at {'.'.join(keys[:-1])}") from None
    written = json.dumps(value, ensure_ascii=text.isascii())
    for member in reversed(members):
        if member.key == keys[-1]:
            return text[: member.start] + written + text[member.end :]
    entry = f"{json.dumps(keys[-1])}: {written}"
    if not members:
        return text[: start + 1] + entry + text[start + 1 :]
    first, last = members[0], members[-1]
    return text[: last.end] + "," + text[start + 1 : first.key_at] + entry + text[last.end :]


def _members(text: str, at: int) -> Iterator[_Member]:
    """The members of the object that begins at a character."""
    if text[at] != "{":
        raise ValueError("it is not an object")
    while text[key_at := _after_gap(text, at + 1)] == '"':
        key, end = READER.raw_decode(text, key_at)
        start = _after_gap(text, _after_gap(text, end) + 1)  # after the colon
        _, at = READER.raw_decode(text, start)
        yield _Member(key, key_at, start, at)
        at = _after_gap(text, at)
        if text[at] != ",":
            return


def _after_gap(text: str, at: int) -> int:
    gap = GAP.match(text, at)
    assert gap is not None
    return gap.end()
