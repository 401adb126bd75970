"""The text being edited: its exact bytes, its lines, undo, and blocks to lay out.

Nothing is normalized: invalid UTF-8 and carriage returns stay.  A cut within a long line stays while the text
around it is edited, so that only the edited block is laid out again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.characters import n_characters
from guiapp.core.text.normalized import character_start, decode, encode

MAX_TYPED_BYTES = 64  # maximum input of one keystroke or input method; more is a paste
NEWLINE = 0x0A
HEAD = Struct("<QQQ")
SUM = Struct("<I")
MAX_BLOCK_BYTES = 4096
PART_BYTES = 1024  # initial length of the parts of a long line
SMALL_PART_BYTES = 512  # a part that becomes shorter joins the next one
SEARCH_BYTES = 256  # distance within which a good cut is searched for
ZERO_WIDTH_JOINER = "\u200d"
Unbroken = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TextEdit:
    """`removed` bytes at `start` were replaced by `added` new ones, with `more_characters` in addition."""

    start: int
    removed: int
    added: int
    more_characters: int

    @property
    def shift(self) -> int:
        """By how many bytes the text after the edit moved."""
        return self.added - self.removed


@dataclass(frozen=True)
class _Change:
    """An edit with the bytes needed to redo and undo it."""

    start: int
    old: bytes
    new: bytes

    def joined_with(self, later: _Change) -> _Change | None:
        """Both changes as one undo step, if the later one continues the same typing or erasing."""
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
    """The state of the text after an undo step; `change` is None before the first step."""

    number: int = 0
    change: _Change | None = None


class TextBuffer:
    """Bytes that can be edited anywhere, with an up-to-date line index and unlimited undo.

    An edit in 10 MB moves memory, which takes about a millisecond in the worst case.

    newlines     the offsets of all newline bytes, ascending; do not write to it, the next edit replaces it
    text_before  all bytes before the last edit, if `text` had been called then; else None.
                 Set it to None when it is no longer needed
    """

    def __init__(self, data: bytes = b"") -> None:
        self._data = bytearray(data)
        self.newlines = _newlines_in(data)
        self._snapshot: bytes | None = data if isinstance(data, bytes) else None
        self.text_before: bytes | None = None
        self._done: list[_Change] = []
        self._undone: list[_Change] = []
        self._joins = False
        self._counted = (0, 0)  # an offset, and the number of characters that begin before it

    def __len__(self) -> int:
        return len(self._data)

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def mark_last(self) -> UndoPoint:
        """A mark for the present state: the step that would be undone next."""
        return UndoPoint(len(self._done), self._done[-1]) if self._done else UndoPoint()

    def is_at(self, mark: UndoPoint) -> bool:
        """Whether the text is in the marked state."""
        return len(self._done) == mark.number and (not self._done or self._done[-1] is mark.change)

    def has_done(self, mark: UndoPoint) -> bool:
        """Whether the marked step is part of the present text, that is, not undone."""
        return len(self._done) >= mark.number and self._done[mark.number - 1] is mark.change

    @property
    def n_lines(self) -> int:
        return len(self.newlines) + 1

    def text(self) -> bytes:
        """All bytes; copied once for each version of the text."""
        if self._snapshot is None:
            self._snapshot = bytes(self._data)
        return self._snapshot

    def view(self) -> NDArray[np.uint8]:
        """All bytes without a copy.  Release the view before the next edit, which fails otherwise."""
        return np.frombuffer(self._data, np.uint8)

    def slice(self, start: int, end: int) -> bytes:
        if self._snapshot is not None:
            return self._snapshot[start:end]  # no copy of the whole text
        return bytes(memoryview(self._data)[start:end])

    def n_characters_before(self, offset: int) -> int:
        """The number of characters that begin before `offset`; fast if the previous offset is near."""
        known, count = self._counted
        if abs(offset - known) > offset:
            known, count = 0, 0
        between = memoryview(self._data)[min(known, offset) : max(known, offset)]
        count += n_characters(between) if offset > known else -n_characters(between)
        self._counted = (offset, count)
        return count

    def line_of(self, offset: int) -> int:
        """The number of the line at `offset`, from 0; a newline belongs to the line that it ends."""
        return int(np.searchsorted(self.newlines, offset))

    def line_starts(self) -> NDArray[np.int64]:
        """The start offsets of all lines, a copy."""
        return np.append(0, self.newlines + 1)

    def line_start(self, line: int) -> int:
        return int(self.newlines[line - 1]) + 1 if line else 0

    def set_text(self, data: bytes) -> TextEdit:
        """Start again with another text; earlier edits can no longer be undone."""
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
        """Replace the bytes [start, end) by `new`, as an undo step or as part of the previous one."""
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
        """Let the next edit begin a new undo step."""
        self._joins = False

    def undo(self) -> TextEdit:
        """Undo the last step; there must be one."""
        change = self._done.pop()
        self._undone.append(change)
        self._joins = False
        return self._write(change.start, change.start + len(change.new), change.old)

    def redo(self) -> TextEdit:
        """Redo the step that was undone last; there must be one."""
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


# A journal: edits as bytes to append to a file


class JournalEdit(NamedTuple):
    """`removed` bytes at `start` were replaced by `new`."""

    start: int
    removed: int
    new: bytes


def packed(edits: Iterable[JournalEdit]) -> bytes:
    """Edits as bytes to append to a journal."""
    return b"".join(map(_packed, edits))


def replayed(text: bytes, journal: bytes) -> bytes:
    """A text after all complete edits of a journal; many edits at one position cost little more than one."""
    data = bytearray(text)
    start, removed, new = 0, 0, bytearray()  # the edit that is not yet applied
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
    """The edits of a journal up to the first one that is incomplete or damaged."""
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


# Blocks: lines, or parts of long lines


class BlockSplice(NamedTuple):
    """`removed` blocks from `first` on were replaced by `added` new ones."""

    first: int
    removed: int
    added: int


class TextBlocks:
    """The start offsets of the blocks of a text.

    A newline byte belongs to the block that it ends; after a final newline there is an empty last block.
    """

    def __init__(self, buffer: TextBuffer) -> None:
        self._buffer = buffer
        self.reset()

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Ascending offsets of the blocks' first bytes; do not write to it."""
        return self._starts

    def start(self, block: int) -> int:
        return int(self._starts[block])

    def end(self, block: int) -> int:
        return int(self._starts[block + 1]) if block + 1 < len(self._starts) else len(self._buffer)

    def block_at(self, offset: int) -> int:
        """The block with the byte at `offset`; the last block for the end of the text."""
        return int(np.searchsorted(self._starts, offset, side="right")) - 1

    def unbroken(self, block: int) -> Unbroken:
        """Ascending spans, relative to the block's start, that should stay in one row if they fit."""
        return ()

    def reset(self) -> None:
        """Cut the whole text again."""
        self._starts = self._cut(0, len(self._buffer), self._buffer.newlines, is_last=True)

    def apply(self, edit: TextEdit) -> BlockSplice:
        """Update the blocks after an edit of the buffer."""
        first = self.block_at(edit.start)
        last = self.block_at(edit.start + edit.removed)
        self._starts[last + 1 :] += edit.shift
        start = self.start(first)
        end = self.end(last)
        if end - start < SMALL_PART_BYTES and last + 1 < len(self) and not self._ends_in_newline(start, end):
            last += 1
            end = self.end(last)
        newlines = self._buffer.newlines
        inside = newlines[np.searchsorted(newlines, start) : np.searchsorted(newlines, end)]
        fresh = self._cut(start, end, inside, is_last=last + 1 == len(self))
        splice = BlockSplice(first, last + 1 - first, len(fresh))
        if splice.removed == splice.added:  # as with most keys: no other block changes its number
            self._starts[first : last + 1] = fresh
        else:
            self._starts = np.concatenate((self._starts[:first], fresh, self._starts[last + 1 :]))
        return splice

    def _ends_in_newline(self, start: int, end: int) -> bool:
        return end > start and self._buffer.slice(end - 1, end) == b"\n"

    def _cut(self, start: int, end: int, newlines: NDArray[np.int64], is_last: bool) -> NDArray[np.int64]:
        """The block starts in [start, end); `start` begins a block, and so does `end` unless `is_last`."""
        line_starts = np.concatenate((np.array([start], np.int64), newlines + 1))
        if not is_last and len(newlines) and line_starts[-1] == end:
            line_starts = line_starts[:-1]
        lengths = np.diff(line_starts, append=end)
        too_long = np.flatnonzero(lengths > MAX_BLOCK_BYTES)
        if not len(too_long):
            return line_starts
        cuts = [
            cut
            for line in too_long
            for cut in _cuts_of_line(self._buffer.slice, int(line_starts[line]), int(lengths[line]))
        ]
        return np.sort(np.concatenate((line_starts, np.array(cuts, np.int64))))


def _cuts_of_line(read: Callable[[int, int], bytes], start: int, length: int) -> list[int]:
    cuts = []
    while length > MAX_BLOCK_BYTES:
        cut = _good_cut(read(start + PART_BYTES - SEARCH_BYTES, start + PART_BYTES + 4))
        cut += PART_BYTES - SEARCH_BYTES
        cuts.append(start + cut)
        start += cut
        length -= cut
    return cuts


def _good_cut(data: bytes) -> int:
    """The offset to cut `data` at: after its last space, else between two characters that do not combine."""
    space = data.rfind(b" ", 0, SEARCH_BYTES)
    if space >= 0:
        return space + 1
    text = decode(data)
    for at in range(len(text) - 4, 0, -1):
        if _may_part(text[at - 1], text[at]):
            return len(encode(text[:at]))
    return character_start(data, SEARCH_BYTES)


def _may_part(before: str, after: str) -> bool:
    """Whether two adjacent characters are certainly two graphemes, and not joined letters."""
    if before == ZERO_WIDTH_JOINER or not _stands_alone(after):
        return False
    return not (unicodedata.bidirectional(before) == "AL" and unicodedata.bidirectional(after) == "AL")


def _stands_alone(character: str) -> bool:
    if "\udc80" <= character <= "\udcff" or "\U0001f1e6" <= character <= "\U0001f1ff":
        return False
    return unicodedata.category(character)[0] in "LNPSZ" and not "\U0001f3fb" <= character <= "\U0001f3ff"
