"""Edits of a text as bytes to append to a file, and the text that comes of them.

Each is a head and the new bytes.  A sum in the head tells where a process was killed in the middle of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct
from typing import NamedTuple
from zlib import crc32

HEAD = Struct("<QQQ")
SUM = Struct("<I")


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
