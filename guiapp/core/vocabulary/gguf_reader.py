"""The metadata at the front of a GGUF file, as it lies there.

Every count and length is compared with the bytes that are left before anything is made of it.  Items of
arrays stay in the buffer: gguf's own reader makes two arrays for each string, which takes ten seconds.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.header_bytes import CHOOSE_FILE, HeaderBytes, MoreNeededError
from guiapp.core.vocabulary.quoting import quoted
from guiapp.errors import VocabError
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import skip_gguf_strings

COUNTS_AT, ENTRIES_AT = 8, 24
LONGEST_STRING = 1 << 27
MOST_ITEMS = 1 << 30
MOST_ENTRIES = 100_000
SMALLEST_ENTRY_BYTES = 8 + 1 + 4 + 1
BYTES_PER_STRING = 16  # that reading an array takes for each, besides its bytes
FORMATS = {
    "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "float32": "f",
    "bool": "?", "string": "", "array": "", "uint64": "Q", "int64": "q", "float64": "d",
}  # fmt: skip
"""How `struct` and numpy call the types, in the order of their numbers."""
KINDS = tuple(FORMATS)
NOT_GGUF = {
    b"ggml": "is in the old GGML format",
    b"lmgg": "is in the old GGML format",
    b"GGML": "is in the old GGML format",
    b"fmgg": "is in the old GGML format",
    b"tjgg": "is in the old GGML format",
    b"PK\3\4": "is a zip archive",
    b"vers": "is a Git LFS pointer, not the model itself: run `git lfs pull`",
    b"<!DO": "is a web page, probably an error message saved in place of the download",
    b"<!do": "is a web page, probably an error message saved in place of the download",
    b"<htm": "is a web page, probably an error message saved in place of the download",
    b"<HTM": "is a web page, probably an error message saved in place of the download",
}
BROKEN = "The file is damaged; download it again."


class MetadataField(NamedTuple):
    """A value with its type.

    kind     one of KINDS, or "array of" one of them
    value    a number, or the bytes of a string; of an array, the byte where its items begin
    n_items  how many an array has
    """

    kind: str
    value: Any
    n_items: int = 0


class Header(NamedTuple):
    """What lies before the data of the tensors.

    fields     by name, which is UTF-8 with surrogate escapes
    n_tensors  how many there are; their list begins at byte `end`
    """

    fields: dict[str, MetadataField]
    n_tensors: int
    end: int


def read_header(source: HeaderBytes) -> Header:
    """Read all metadata; raises VocabError for what is no GGUF file or a broken one."""
    _check_version(source)
    n_tensors, n_entries = struct.unpack_from("<QQ", source.data.data, COUNTS_AT)
    left = source.size - ENTRIES_AT
    if n_entries > left // SMALLEST_ENTRY_BYTES:
        raise source.error(
            f"claims {counted(n_entries, 'metadata key')} (byte 16), with {counted(left, 'byte')} left",
            BROKEN,
        )
    if n_entries > MOST_ENTRIES:
        raise source.error(
            f"claims {n_entries:,} metadata keys (byte 16)", f"At most {MOST_ENTRIES:,} are read."
        )
    reader, fields = _Reader(source), dict[str, MetadataField]()
    for _ in stoppable(range(n_entries)):
        start = reader.at
        name = reader.name()
        field = reader.field(name)
        if name in fields:
            raise source.error(f"has the key {quoted(name)} twice (again at byte {start:,})", BROKEN)
        fields[name] = field
    return Header(fields, n_tensors, reader.at)


def _check_version(source: HeaderBytes) -> None:
    if source.size == 0:
        raise source.error("is empty", "Download it again.")
    source.need(min(4, source.size), "the header")
    magic = source.data[: min(4, source.size)].tobytes()
    if magic.startswith(b"{"):
        raise source.error("is JSON, but none of a tokenizer", "Choose the tokenizer.json beside it.")
    if magic != b"GGUF"[: len(magic)]:
        reason = NOT_GGUF.get(magic, f"is not in a known tokenizer format: it begins with “{quoted(magic)}”")
        raise source.error(reason, CHOOSE_FILE)
    source.need(ENTRIES_AT, "the header")
    (version,) = struct.unpack_from("<I", source.data.data, 4)
    if version & 0xFFFF == 0 and version:
        raise source.error(
            "has the byte order of the other kind of machine (big-endian)",
            "Convert it with gguf_convert_endian.py.",
        )
    if version not in (2, 3):
        age = "older than" if version < 2 else "newer than"
        advice = "Convert the model again." if version < 2 else "A newer Tokenloupe may read it."
        raise source.error(
            f"is GGUF version {version}, {age} the versions 2 and 3 that are understood", advice
        )


class _Reader:
    """Reads one thing after the other; `at` is the byte where the next one begins."""

    def __init__(self, source: HeaderBytes) -> None:
        self._source = source
        self.at = ENTRIES_AT

    def name(self) -> str:
        start, name = self.at, self._string()
        if not name:
            raise self._source.error(f"has an empty key at byte {start:,}", BROKEN)
        return name.decode("utf-8", "surrogateescape")

    def field(self, name: str) -> MetadataField:
        try:
            kind = self._kind()
            if kind == "array":
                return self._array()
            return MetadataField(kind, self._string() if kind == "string" else self._number(FORMATS[kind]))
        except MoreNeededError:
            raise
        except VocabError as error:
            raise VocabError(f"{error} It was reading the key {quoted(name)}.") from error

    def _number(self, type_code: str) -> Any:
        layout = "<" + type_code
        end = self.at + struct.calcsize(layout)
        self._source.need(end, "the metadata")
        (number,) = struct.unpack_from(layout, self._source.data.data, self.at)
        self.at = end
        return number

    def _kind(self) -> str:
        number: int = self._number("I")
        if number >= len(KINDS):
            raise self._source.error(f"has a value of unknown type {number} at byte {self.at - 4:,}", BROKEN)
        return KINDS[number]

    def _string(self) -> bytes:
        length = self._length()
        self._source.need(self.at + length, "the metadata")
        self.at += length
        return self._source.data[self.at - length : self.at].tobytes()

    def _length(self) -> int:
        """The length of the string that begins here, of which no more than the length need be in the file."""
        length: int = self._number("Q")
        left = self._source.size - self.at
        if length > min(left, LONGEST_STRING):
            raise self._source.error(
                f"has a string of {counted(length, 'byte')} at byte {self.at - 8:,}, where {left:,} are left",
                BROKEN,
            )
        return length

    def _array(self) -> MetadataField:
        start = self.at
        kind, count = self._kind(), self._number("Q")
        if kind == "array":
            raise self._source.error(f"has an array of arrays at byte {start:,}", BROKEN)
        item_bytes = 8 if kind == "string" else struct.calcsize("<" + FORMATS[kind])
        left = self._source.size - self.at
        if count > MOST_ITEMS or count * item_bytes > left:
            what = f"has an array of {counted(count, 'item')} at byte {start:,}"
            raise self._source.error(f"{what}, with {counted(max(left, 0), 'byte')} left", BROKEN)
        items_at = self.at
        if kind == "string":
            self._source.reserve(BYTES_PER_STRING * count, "an array of strings")
            self._skip_strings(count)
        else:
            self._source.reserve(item_bytes * count, "an array")
            self._source.need(self.at + item_bytes * count, "the metadata")
            self.at += item_bytes * count
        return MetadataField(f"array of {kind}", items_at, count)

    def _skip_strings(self, count: int) -> None:
        while True:
            n_whole, self.at = skip_gguf_strings(self._source.read, self.at, count)
            count -= n_whole
            if not count:
                return
            start = self.at
            length = self._length()
            self._source.need(self.at + length, "an array of strings")
            self.at = start
