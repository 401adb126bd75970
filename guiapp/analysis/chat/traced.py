"""Strings that track the origin of each character, from the messages to the rendered prompt.

A Traced is a str with a mark for each character.  Slicing and joining preserve the marks; other operations
return a plain str, and the caller has to add marks.  Origins maps marks to origins.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple, SupportsIndex

UNKNOWN = 0
MOST_AT_ONCE = 1 << 16
TEMPLATE, CONTENT, CHANGED = "template", "content", "transformed"
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"}


class CharacterOrigin(NamedTuple):
    """The origin of some characters.

    kind           TEMPLATE; CONTENT of a message or tool; CHANGED: content transformed by an operation
    message        from 0: the owner of the content, or the message that the template is writing; else None
    field          the entry, such as `content`, `tool_calls[0].function.name` or `tools[0].type`; "" for none
    line           of the template that writes the characters; 0 if unknown
    source_offset  the offset in the template, with LF for all ends of lines, of the expression that writes
                   them: of a string's quote, of a variable's name, or of the dot or bracket before the name
                   of an entry; -1 if unknown
    taken          the offset where the template read the entry, perhaps long before writing it; -1 if unknown
    """

    kind: str
    message: int | None = None
    field: str = ""
    line: int = 0
    source_offset: int = -1
    taken: int = -1


class Traced(str):
    """A str with a mark for each character; `_source` is its origin if it is a whole entry."""

    __slots__ = ("_marks", "_source")
    _marks: array[int]
    _source: CharacterOrigin | None

    def __new__(cls, text: object = "", marks: array[int] | None = None) -> Traced:
        traced = super().__new__(cls, text)
        traced._marks = _marks_of(text) if marks is None else marks
        traced._source = None
        return traced

    def __str__(self) -> Traced:
        return self

    def __add__(self, other: object) -> Traced:
        return joined((self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> Traced:
        return joined((other, self))

    def __mul__(self, times: SupportsIndex) -> Traced:
        return Traced(super().__mul__(times), self._marks * int(times))

    __rmul__ = __mul__

    def __getitem__(self, key: Any) -> Traced:
        part = self._marks[key]
        return Traced(super().__getitem__(key), part if isinstance(key, slice) else array("I", (part,)))

    def __iter__(self) -> Iterator[Traced]:
        return map(self.__getitem__, range(len(self)))

    def join(self, parts: Iterable[str]) -> Traced:
        pieces: list[str] = []
        for part in parts:
            pieces += (self, part) if pieces else (part,)
        return joined(pieces)

    def lstrip(self, chars: str | None = None) -> Traced:
        return self[len(self) - len(super().lstrip(chars)) :]

    def rstrip(self, chars: str | None = None) -> Traced:
        return self[: len(super().rstrip(chars))]

    def strip(self, chars: str | None = None) -> Traced:
        return self.rstrip(chars).lstrip(chars)

    def removeprefix(self, prefix: str) -> Traced:
        return self[len(self) - len(super().removeprefix(prefix)) :]

    def removesuffix(self, suffix: str) -> Traced:
        return self[: len(super().removesuffix(suffix))]

    def replace(self, old: str, new: str, count: SupportsIndex = -1) -> str:
        """Without marks if `old` is empty."""
        return Traced(new).join(self.split(old, count)) if old else super().replace(old, new, count)

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Traced]:  # type: ignore[override]
        return self._cut(super().split(sep, maxsplit), sep)

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Traced]:  # type: ignore[override]
        return self._cut(super().rsplit(sep, maxsplit), sep)

    def _cut(self, parts: Iterable[str], sep: str | None) -> list[Traced]:
        """Add the marks to parts of this text that `sep` separates; None for white space."""
        found, at = list[Traced](), 0
        for part in parts:
            at = super().find(part, at) if sep is None else at
            found.append(self[at : at + len(part)])
            at += len(part) + len(sep or "")
        return found

    def splitlines(self, keepends: bool = False) -> list[Traced]:  # type: ignore[override]
        found, at = list[Traced](), 0
        for line, whole in zip(super().splitlines(keepends), super().splitlines(True), strict=True):
            found.append(self[at : at + len(line)])
            at += len(whole)
        return found

    def partition(self, sep: str) -> tuple[Traced, Traced, Traced]:
        before, found, after = self._cut(super().partition(sep), "")
        return before, found, after

    def rpartition(self, sep: str) -> tuple[Traced, Traced, Traced]:
        before, found, after = self._cut(super().rpartition(sep), "")
        return before, found, after

    def upper(self) -> str:
        return self._like(super().upper())

    def lower(self) -> str:
        return self._like(super().lower())

    def title(self) -> str:
        return self._like(super().title())

    def capitalize(self) -> str:
        return self._like(super().capitalize())

    def _like(self, text: str) -> str:
        """A text in another case, with marks if the length is the same: a letter never maps to no letter."""
        return Traced(text, self._marks) if len(text) == len(self) else text


class Safe(Traced):
    """A text that a template marks as safe: as in jinja2, `+` escapes the other operand for HTML."""

    __slots__ = ()

    def __html__(self) -> Safe:
        return self

    def __add__(self, other: object) -> Safe:
        return Safe(joined((self, _escaped(other)))) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> Safe:
        return Safe(joined((_escaped(other), self)))


def _escaped(text: str) -> str:
    if hasattr(text, "__html__"):
        return text
    return joined(
        Traced(ENTITIES[each], _marks_of(each) * len(ENTITIES[each])) if each in ENTITIES else each
        for each in text
    )


def _marks_of(text: object) -> array[int]:
    return text._marks if isinstance(text, Traced) else array("I", (UNKNOWN,)) * len(str(text))


def joined(parts: Iterable[str]) -> Traced:
    parts, marks = list(parts), array("I")
    for part in parts:
        marks.extend(_marks_of(part))
    return Traced("".join(parts), marks)


class OriginRun(NamedTuple):
    """A run of characters with one origin, up to the next run.

    start   the first character
    offset  for CONTENT, the character of the entry where the run begins
    """

    start: int
    origin: CharacterOrigin
    offset: int


class Origins:
    """Maps marks to origins: each origin has as many consecutive marks as characters."""

    def __init__(self) -> None:
        self._firsts, self._origins, self._next = [UNKNOWN], [CharacterOrigin(TEMPLATE)], 1
        self._marks: dict[CharacterOrigin, int] = {}
        self._taken: dict[tuple[int, int, int], Traced] = {}
        self._entries: dict[int, int] = {}  # row where an entry is written -> row where it was read
        self._rows_by_location: dict[tuple[int, int, int], int] = {}
        self._printed = set[int]()

    def mark(self, origin: CharacterOrigin) -> int:
        """The one mark for all characters of an origin that has no offsets."""
        if (mark := self._marks.get(origin)) is None:
            mark = self._marks[origin] = self._add(origin, 1)
        return mark

    def entry(self, text: str, origin: CharacterOrigin) -> Traced:
        """An entry of a message as Traced text."""
        first = self._add(origin, len(text))
        traced = Traced(text, array("I", range(first, first + len(text))))
        traced._source = origin
        return traced

    def taken(self, text: Traced, line: int, source_offset: int) -> Traced:
        """The same text; a whole entry that has no line yet gets this line and offset."""
        origin = text._source
        if origin is None or origin.line or not text:
            return text
        key = text._marks[0], line, source_offset
        if (traced := self._taken.get(key)) is None:
            origin = origin._replace(line=line, source_offset=source_offset)
            traced = self._taken[key] = self.entry(text, origin)
        return traced

    def written(self, text: Traced, line: int, source_offset: int, is_printed: bool = False) -> Traced:
        """The same text, with this line and offset for its entries, unless they were printed before.

        With `is_printed` it is printed now: only entries that nothing has written yet get this offset.
        """
        runs, marks = list(self.runs(text)), array("I", text._marks)
        ends = [*(run.start for run in runs), len(text)][1:]
        for (start, origin, offset), end in zip(runs, ends, strict=True):
            if origin.kind == TEMPLATE and not origin.field:
                continue
            row = bisect_right(self._firsts, marks[start]) - 1
            if row not in (self._entries if is_printed else self._printed):
                first_read = origin.source_offset if origin.line else source_offset
                taken = origin.taken if origin.taken >= 0 else first_read
                row = self._row_of(row, origin._replace(line=line, source_offset=source_offset, taken=taken))
                first, size = self._firsts[row], end - start
                own = (
                    range(first + offset, first + offset + size)
                    if origin.kind == CONTENT
                    else (first,) * size
                )
                marks[start:end] = array("I", own)
            if is_printed:
                self._printed.add(row)
        return type(text)(text, marks)

    def _row_of(self, row: int, here: CharacterOrigin) -> int:
        """The row of the same entry at the location that writes it."""
        entry = self._entries.get(row, row)
        key = entry, here.line, here.source_offset
        if key not in self._rows_by_location:
            end = self._firsts[row + 1] if row + 1 < len(self._firsts) else self._next
            self._rows_by_location[key] = len(self._firsts)
            self._entries[len(self._firsts)] = entry
            self._add(here, end - self._firsts[row])
        return self._rows_by_location[key]

    def _add(self, origin: CharacterOrigin, size: int) -> int:
        first, self._next = self._next, self._next + size + 1  # the gap separates origins
        if size:
            self._firsts.append(first)
            self._origins.append(origin)
        return first

    def within(self, values: Iterable[Any]) -> set[CharacterOrigin]:
        """The origins of all content in texts, and in nested lists and dicts of texts."""
        found, todo, seen = set[CharacterOrigin](), list(values), set[int]()
        while todo:
            value = todo.pop()
            if isinstance(value, Traced):
                found |= self._contents(value)
            elif isinstance(value, dict | list | tuple) and id(value) not in seen:
                seen.add(id(value))
                todo += chain.from_iterable(value.items()) if isinstance(value, dict) else value
        return found

    def _contents(self, text: Traced) -> set[CharacterOrigin]:
        marks, at, found = sorted(set(text._marks)), 0, set[CharacterOrigin]()
        while at < len(marks):
            row = bisect_right(self._firsts, marks[at]) - 1
            found.add(self._origins[row])
            end = self._firsts[row + 1] if row + 1 < len(self._firsts) else self._next
            at = bisect_left(marks, end)
        return {origin for origin in found if origin.kind != TEMPLATE}

    def runs(self, text: Traced) -> Iterator[OriginRun]:
        """The runs of a text in order, each as long as possible."""
        marks, at, last = text._marks, 0, None
        while at < len(marks):
            row = bisect_right(self._firsts, marks[at]) - 1
            origin = self._origins[row]
            if origin.kind == CONTENT or origin is not last:
                yield OriginRun(at, origin, marks[at] - self._firsts[row])
            last = origin
            at = _end_of_segment(marks, at, int(origin.kind == CONTENT))


def _end_of_segment(marks: array[int], at: int, step: int) -> int:
    """The end of the run from `at` on in which each mark grows by `step`: found by doubling, then halving."""
    end, size, grows = at + 1, 1, True
    while size and end < len(marks):
        here, first = marks[end : end + size], marks[end - 1] + step
        alike = array("I", range(first, first + len(here))) if step else array("I", (first,)) * len(here)
        if here == alike:
            end += len(here)
        else:
            grows = False
        size = min(2 * size, MOST_AT_ONCE) if grows else size // 2
    return end
