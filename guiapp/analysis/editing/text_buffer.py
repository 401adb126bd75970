"""The text being edited: bytes as they are, where its lines begin, and how to take edits back.

Nothing is normalised: bytes that are no UTF-8 stay, and so does every carriage return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.characters import n_characters

HEAD = Struct("<QQQ")
SUM = Struct("<I")
MAX_TYPED_BYTES = 64  # what one keystroke or input method commits at most; more is a paste
NEWLINE = 0x0A


@dataclass(frozen=True)
class TextEdit:
    """`removed` bytes from `start` on gave way to `added` new ones, with so many more characters."""

    start: int
    removed: int
    added: int
    more_characters: int

    @property
    def shift(self) -> int:
        """How far everything behind the edit moved."""
        return self.added - self.removed


@dataclass(frozen=True)
class _Change:
    """An edit with what it takes to make it and to take it back."""

    start: int
    old: bytes
    new: bytes

    def joined_with(self, later: _Change) -> _Change | None:
        """Both changes as one step of undo, if the later one continues the same typing or erasing."""
        if later.new and not later.old:
            return self._with_more_typed(later)
        if later.old and not later.new and not self.new:
            return self._with_more_erased(later)
        return None

    def _with_more_typed(self, later: _Change) -> _Change | None:
        if not self.new or len(later.new) > MAX_TYPED_BYTES or later.start != self.start + len(self.new):
            return None
        starts_word = self.new[-1:].isspace() and not later.new[:1].isspace()
        if starts_word or b"\n" in later.new:
            return None
        return _Change(self.start, self.old, self.new + later.new)

    def _with_more_erased(self, later: _Change) -> _Change | None:
        if len(later.old) > MAX_TYPED_BYTES:
            return None
        if later.start + len(later.old) == self.start:
            return _Change(later.start, later.old + self.old, b"")
        if later.start == self.start:
            return _Change(self.start, self.old + later.old, b"")
        return None


@dataclass(frozen=True, eq=False)
class UndoPoint:
    """A step of undo among all, None before the first, and so the state of the text behind it."""

    number: int = 0
    change: _Change | None = None


class TextBuffer:
    """Bytes that can be edited anywhere, with a line index kept up to date and unlimited undo.

    An edit of 10 MB costs a move of memory, about a millisecond at the worst place.

    newlines     the offsets of all newline bytes, ascending; not to be written to, replaced by the next edit
    text_before  all bytes as they were before the last edit, where somebody had asked for them; else None
    """

    def __init__(self, data: bytes = b"") -> None:
        self._data = bytearray(data)
        self.newlines = _newlines_in(data)
        self._snapshot: bytes | None = data if isinstance(data, bytes) else None
        self.text_before: bytes | None = None
        self._done: list[_Change] = []
        self._undone: list[_Change] = []
        self._joins = False
        self._counted = (0, 0)  # an offset, and how many characters begin before it

    def __len__(self) -> int:
        return len(self._data)

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def mark_last(self) -> UndoPoint:
        """The step that would be taken back next."""
        return UndoPoint(len(self._done), self._done[-1]) if self._done else UndoPoint()

    def is_at(self, mark: UndoPoint) -> bool:
        """Whether the text is what it was when this was the last step."""
        return len(self._done) == mark.number and (not self._done or self._done[-1] is mark.change)

    def has_done(self, mark: UndoPoint) -> bool:
        """Whether a step of undo is in the text: made, and not taken back since."""
        return len(self._done) >= mark.number and self._done[mark.number - 1] is mark.change

    @property
    def n_lines(self) -> int:
        return len(self.newlines) + 1

    def text(self) -> bytes:
        """All bytes; copied once per version of the text."""
        if self._snapshot is None:
            self._snapshot = bytes(self._data)
        return self._snapshot

    def view(self) -> NDArray[np.uint8]:
        """All bytes without a copy.  To be let go before the next edit, which fails otherwise."""
        return np.frombuffer(self._data, np.uint8)

    def slice(self, start: int, end: int) -> bytes:
        if self._snapshot is not None:
            return self._snapshot[start:end]  # no copy of the whole text
        return bytes(memoryview(self._data)[start:end])

    def n_characters_before(self, offset: int) -> int:
        """How many characters begin before `offset`; quick where the last one asked for is near."""
        known, count = self._counted
        if abs(offset - known) > offset:
            known, count = 0, 0
        between = memoryview(self._data)[min(known, offset) : max(known, offset)]
        count += n_characters(between) if offset > known else -n_characters(between)
        self._counted = (offset, count)
        return count

    def line_of(self, offset: int) -> int:
        """The number of the line that holds `offset`, from 0; a newline belongs to the line it ends."""
        return int(np.searchsorted(self.newlines, offset))

    def line_start(self, line: int) -> int:
        return int(self.newlines[line - 1]) + 1 if line else 0

    def set_text(self, data: bytes) -> TextEdit:
        """Begin anew with another text; what was done before cannot be undone any more."""
        edit = _edit_of(0, self.text(), data)
        self._data = bytearray(data)
        self.newlines = _newlines_in(data)
        self.text_before, self._snapshot = self._snapshot, data
        self._counted = (0, 0)
        self._done.clear()
        self._undone.clear()
        self._joins = False
        return edit

    def replace(self, start: int, end: int, new: bytes) -> TextEdit:
        """Put `new` where the bytes [start, end) are, as one step of undo or part of the step before."""
        change = _Change(start, self.slice(start, end), new)
        joined = self._done[-1].joined_with(change) if self._joins and self._done else None
        if joined is None:
            self._done.append(change)
        else:
            self._done[-1] = joined
        self._undone.clear()
        self._joins = True
        return self._write(start, end, new)

    def end_undo_step(self) -> None:
        """Let the next edit begin a step of undo of its own."""
        self._joins = False

    def undo(self) -> TextEdit:
        """Take back the last step; there must be one."""
        change = self._done.pop()
        self._undone.append(change)
        self._joins = False
        return self._write(change.start, change.start + len(change.new), change.old)

    def redo(self) -> TextEdit:
        """Make the step again that was taken back last; there must be one."""
        change = self._undone.pop()
        self._done.append(change)
        self._joins = False
        return self._write(change.start, change.start + len(change.old), change.new)

    def _write(self, start: int, end: int, new: bytes) -> TextEdit:
        edit = _edit_of(start, self.slice(start, end), new)
        is_whole = edit.removed == len(self._data)
        self._data[start:end] = new
        self.text_before, self._snapshot = self._snapshot, new if is_whole else None
        known, count = self._counted
        if known >= end:
            self._counted = known + edit.shift, count + edit.more_characters
        elif known > start:
            self._counted = 0, 0
        first, last = (int(at) for at in np.searchsorted(self.newlines, (start, end)))
        added = _newlines_in(new) + start
        if len(added) != last - first:
            self.newlines = np.concatenate((self.newlines[:first], added, self.newlines[last:]))
        else:
            self.newlines[first:last] = added
        self.newlines[first + len(added) :] += edit.shift
        return edit


def _edit_of(start: int, old: bytes, new: bytes) -> TextEdit:
    return TextEdit(start, len(old), len(new), n_characters(new) - n_characters(old))


def _newlines_in(data: bytes) -> NDArray[np.int64]:
    return np.flatnonzero(np.frombuffer(data, np.uint8) == NEWLINE).astype(np.int64, copy=False)


# Edits of a text as bytes to append to a file, and the text that comes of them


class JournalEdit(NamedTuple):
    """`new` took the place of `removed` bytes from `start` on."""

    start: int
    removed: int
    new: bytes


def packed(edits: Iterable[JournalEdit]) -> bytes:
    """What to append to a journal."""
    return b"".join(map(_packed, edits))


def replayed(text: bytes, journal: bytes) -> bytes:
    """A text after all whole edits of a journal; many in one place cost little more than one."""
    data = bytearray(text)
    start, removed, new = 0, 0, bytearray()  # not yet made
    size = len(data)
    for edit in _unpacked(journal):
        if edit.start + edit.removed > size:
            break
        if not start <= edit.start <= edit.start + edit.removed <= start + len(new):
            data[start : start + removed] = new
            start, removed, new = edit.start, edit.removed, bytearray(edit.new)
        else:
            at = edit.start - start
            new[at : at + edit.removed] = edit.new
        size += len(edit.new) - edit.removed
    data[start : start + removed] = new
    return bytes(data)


def _packed(edit: JournalEdit) -> bytes:
    head = HEAD.pack(edit.start, edit.removed, len(edit.new))
    return head + SUM.pack(crc32(edit.new, crc32(head))) + edit.new


def _unpacked(journal: bytes) -> Iterator[JournalEdit]:
    """Those that are whole."""
    at = 0
    while at + HEAD.size + SUM.size <= len(journal):
        head = journal[at : at + HEAD.size]
        start, removed, added = HEAD.unpack(head)
        (checksum,) = SUM.unpack_from(journal, at + HEAD.size)
        at += HEAD.size + SUM.size
        new = journal[at : at + added]
        if len(new) < added or crc32(new, crc32(head)) != checksum:
            return
        yield JournalEdit(start, removed, new)
        at += added
