"""Read the metadata, by key, and the list of tensors of a GGUF file; and find the files of a split model.

Every count and length is checked against the number of bytes left before it is used.  Array items stay in
the buffer: the reader of the package gguf makes two arrays for each string, which takes ten seconds.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Container, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats.file_bytes import CHOOSE_FILE, HeaderBytes, MoreNeededError
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.opening import FileNote
from guiapp.errors import NOT_USABLE, VocabError
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import pack_gguf_strings, skip_gguf_strings

CONVERT_AGAIN = "Convert the model again, or choose another file."
LONGEST_KEPT_STRING = 16 << 20
PART_NAME = re.compile(r"(?P<prefix>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)
MOST_TENSORS = 1 << 20
SMALLEST_INFO_BYTES = 8 + 4 + 4 + 8
LARGEST_INFO_BYTES = 8 + 63 + 4 + 4 * 8 + 4 + 8
MOST_DIMENSIONS = 4
LENGTH, DIMENSIONS = struct.Struct("<Q"), struct.Struct("<I")
REST = [struct.Struct(f"<{n_dimensions}qiQ") for n_dimensions in range(MOST_DIMENSIONS + 1)]
LIST = "the list of tensors"
NAME_LIMIT_BYTES = 64
KNOWN_TYPES = 43  # llama.cpp's
LARGEST_INT64 = (1 << 63) - 1
DEFAULT_ALIGNMENT = 32
SIZES = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip
"""For each type, the elements in a block and the size of a block in bytes: gguf's GGML_QUANT_SIZES."""
COUNTS_AT, ENTRIES_AT = 8, 24
LONGEST_STRING = 1 << 27
MOST_ITEMS = 1 << 30
MOST_ENTRIES = 100_000
SMALLEST_ENTRY_BYTES = 8 + 1 + 4 + 1
BYTES_PER_STRING = 16  # memory for reading one string of an array, in addition to its bytes
FORMATS = {
    "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "float32": "f",
    "bool": "?", "string": "", "array": "", "uint64": "Q", "int64": "q", "float64": "d",
}  # fmt: skip
"""The type codes of `struct` and NumPy, in the order of GGUF's type numbers."""
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
BROKEN = "The file is damaged: download it again."


class MetadataField(NamedTuple):
    """A value with its type.

    kind     one of KINDS, or "array of" one of them
    value    a number, or the bytes of a string; for an array, the byte offset of its items
    n_items  the number of items of an array
    """

    kind: str
    value: Any
    n_items: int = 0


class Header(NamedTuple):
    """The part of the file before the list of tensors.

    fields     by name, which is UTF-8 with surrogate escapes
    n_tensors  the number of tensors; their list begins at byte `end`
    starts     the byte offset of each field, and `end`
    """

    fields: dict[str, MetadataField]
    n_tensors: int
    end: int
    starts: tuple[int, ...]


def read_header(source: HeaderBytes) -> Header:
    """Read all metadata; raises VocabError if the file is not a GGUF file or is broken."""
    _check_version(source)
    n_tensors, n_entries = struct.unpack_from("<QQ", source.data.data, COUNTS_AT)
    left = source.size - ENTRIES_AT
    if n_entries > left // SMALLEST_ENTRY_BYTES:
        raise source.error(
            f"claims {counted(n_entries, 'metadata key')} (byte 16), but only {counted(left, 'byte')} follow",
            BROKEN,
        )
    if n_entries > MOST_ENTRIES:
        raise source.error(f"claims {n_entries:,} metadata keys (byte 16)", f"The limit is {MOST_ENTRIES:,}.")
    reader, fields, starts = _Reader(source), dict[str, MetadataField](), list[int]()
    for _ in stoppable(range(n_entries)):
        start = reader.at
        starts.append(start)
        name = reader.name()
        field = reader.field(name)
        if name in fields:
            raise source.error(f"has the key {quoted(name)} twice (again at byte {start:,})", BROKEN)
        fields[name] = field
    return Header(fields, n_tensors, reader.at, (*starts, reader.at))


def _check_version(source: HeaderBytes) -> None:
    if source.size == 0:
        raise source.error("is empty", "Download it again.")
    source.need(min(4, source.size), "the header")
    magic = source.data[: min(4, source.size)].tobytes()
    if magic.startswith(b"{"):
        raise source.error("is JSON, but not a tokenizer", "Choose the tokenizer.json next to it.")
    if magic != b"GGUF"[: len(magic)]:
        reason = NOT_GGUF.get(magic, f"is not in a known tokenizer format: it begins with “{quoted(magic)}”")
        raise source.error(reason, CHOOSE_FILE)
    source.need(ENTRIES_AT, "the header")
    (version,) = struct.unpack_from("<I", source.data.data, 4)
    if version & 0xFFFF == 0 and version:
        raise source.error(
            "has big-endian byte order",
            "Convert it with gguf_convert_endian.py.",
        )
    if version not in (2, 3):
        advice = "Convert the model again." if version < 2 else "A newer Tokenloupe may read it."
        raise source.error(f"is GGUF version {version}; Tokenloupe reads versions 2 and 3", advice)


class _Reader:
    """Reads keys and values in turn; `at` is the byte offset of the next one."""

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
            what, stop, advice = str(error).rpartition(". ")
            raise VocabError(f"{what} (key {quoted(name)}){stop}{advice}") from error

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
        """Read the length of the string at `at`; the string itself need not be in the buffer yet."""
        length: int = self._number("Q")
        left = self._source.size - self.at
        if length > min(left, LONGEST_STRING):
            raise self._source.error(
                f"has a string of {counted(length, 'byte')} at byte {self.at - 8:,}; {left:,} are left",
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
            raise self._source.error(f"{what}, but only {counted(max(left, 0), 'byte')} follow", BROKEN)
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


# The list of tensors after the metadata: checked for damage, not stored


def check_tensor_infos(source: HeaderBytes, header: Header) -> list[FileNote]:
    """Check the tensor list; return warnings.  Raises VocabError if it cannot be read."""
    alignment = alignment_of(source, header)
    left = source.size - header.end
    if header.n_tensors > left // SMALLEST_INFO_BYTES:
        raise source.error(
            f"claims {counted(header.n_tensors, 'tensor')} (byte 8), but only {counted(left, 'byte')} follow",
            BROKEN,
        )
    if header.n_tensors > MOST_TENSORS:
        raise source.error(f"claims {header.n_tensors:,} tensors (byte 8)", f"The limit is {MOST_TENSORS:,}.")
    at, expected, odd = header.end, 0, ""
    names: set[bytes] = set()
    for _ in stoppable(range(header.n_tensors)):
        at, name, shape, kind, offset = _read_info(source, at)
        if name in names:
            raise source.error(f"has the tensor {quoted(name)} twice (again before byte {at:,})", BROKEN)
        names.add(name)
        if not odd:
            odd = _oddity(name, kind, offset, expected)
            block, size = SIZES.get(kind, (1, 0))
            expected += -(-(prod(shape) // block * size) // alignment) * alignment
    return _warnings(odd, -(-at // alignment) * alignment + expected if names else 0, source)


class TensorInfo(NamedTuple):
    """The shape, type and position of a tensor in the file.

    shape  the number of elements along each axis, rows last
    kind   the number of its type
    at     the byte offset of its data in the file
    """

    shape: tuple[int, ...]
    kind: int
    at: int


def tensor_infos(source: HeaderBytes, header: Header, names: Container[bytes]) -> dict[bytes, TensorInfo]:
    """The positions of those tensors in `names` that the file lists, by name; their data may be missing."""
    alignment, at, by_name = alignment_of(source, header), header.end, dict[bytes, TensorInfo]()
    for _ in stoppable(range(header.n_tensors)):
        at, name, shape, kind, offset = _read_info(source, at)
        if name in names:
            by_name[name] = TensorInfo(shape, kind, offset)
    data_at = -(-at // alignment) * alignment
    return {name: info._replace(at=data_at + info.at) for name, info in by_name.items()}


def tensor_list_end(source: HeaderBytes, header: Header) -> int:
    """The byte offset where the list of tensors ends; `check_tensor_infos` must have checked it."""
    at = header.end
    for _ in stoppable(range(header.n_tensors)):
        at, *_ = _read_info(source, at)
    return at


def alignment_of(source: HeaderBytes, header: Header) -> int:
    """The alignment in bytes: the offset of each tensor's data is a multiple of it."""
    field = header.fields.get("general.alignment")
    if field is None:
        return DEFAULT_ALIGNMENT
    alignment: int = field.value if field.kind == "uint32" else 0
    if alignment == 0 or alignment & (alignment - 1):
        raise source.error("has a general.alignment that is not a power of two of type uint32", BROKEN)
    return alignment


def _read_info(source: HeaderBytes, at: int) -> tuple[int, bytes, tuple[int, ...], int, int]:
    """The byte offset of the next tensor info, and this one's name, shape, type and data offset."""
    source.need(min(at + LARGEST_INFO_BYTES, source.size), LIST)
    view = source.data.data[: source.available]
    try:
        (length,) = LENGTH.unpack_from(view, at)
        if length >= NAME_LIMIT_BYTES:
            raise source.error(
                f"has a tensor name of {length:,} bytes at byte {at:,}; the limit is 63", BROKEN
            )
        name_end = at + LENGTH.size + length
        name = bytes(view[at + LENGTH.size : name_end])
        (n_dimensions,) = DIMENSIONS.unpack_from(view, name_end)
        if n_dimensions > MOST_DIMENSIONS:
            raise source.error(f"has the tensor {quoted(name)} with {n_dimensions:,} dimensions", BROKEN)
        rest = REST[n_dimensions]
        *shape, kind, offset = rest.unpack_from(view, name_end + DIMENSIONS.size)
    except struct.error:
        raise source.error(f"ends in the middle of {LIST}, at byte {at:,}", BROKEN) from None
    n_elements = 1
    for size in shape:
        n_elements *= size
        if size < 0 or n_elements > LARGEST_INT64:
            raise source.error(f"has the tensor {quoted(name)} of impossible size (byte {at:,})", BROKEN)
    return name_end + DIMENSIONS.size + rest.size, name, tuple(shape), kind, offset


def _oddity(name: bytes, kind: int, offset: int, expected: int) -> str:
    """Why this tensor, and so the position of all later ones, is unusable; "" if it is fine."""
    if not 0 <= kind < KNOWN_TYPES:
        return f"The tensor {quoted(name)} has the unknown type {kind}."
    if offset != expected:
        return f"The tensor {quoted(name)} starts at {offset:,} instead of {expected:,}."
    return "" if kind in SIZES else "The sizes of the newest tensor types are not checked."


def _warnings(odd: str, end: int, source: HeaderBytes) -> list[FileNote]:
    if odd:
        return [FileNote("tensors_odd", f"{odd} The vocabulary is not affected.")]
    if end > source.size:
        missing = end - source.size
        what = f"{counted(missing, 'byte')} of tensors {'is' if missing == 1 else 'are'} missing"
        message = f"The file is incomplete: {what}. The vocabulary is complete."
        return [FileNote("file_incomplete", message)]
    return []


def first_part(path: Path) -> str | None:
    """The file name of part 1 of a split model; None if `path` is not named like a part."""
    match = PART_NAME.fullmatch(path.name)
    return f"{match['prefix']}-00001-of-{match['count']}.gguf" if match else None


def all_parts(path: Path) -> list[Path]:
    """All existing files of a model; `path` alone if it is not named like a part."""
    match = PART_NAME.fullmatch(path.name)
    if match is None:
        return [path]
    present = _names_in_folder(path)
    names = (
        f"{match['prefix']}-{part:05}-of-{match['count']}.gguf" for part in range(1, int(match["count"]) + 1)
    )
    return [path.with_name(name) for name in names if name in present or name == path.name]


def split_refusals(path: Path, number: int, count: int) -> list[FileNote]:
    """Why llama.cpp does not load part `number` (from 0) of `count`, though its vocabulary is usable."""
    if count <= 1:
        return []
    match = PART_NAME.fullmatch(path.name)
    if match is None or int(match["count"]) != count or int(match["number"]) != number + 1:
        ending = f"-{number + 1:05}-of-{count:05}.gguf"
        message = f"This is part {number + 1} of {count}, but its name does not end in {ending}."
        return [FileNote("part_misnamed", message)]
    if number:
        first = quoted(first_part(path) or "")
        return [FileNote("part_not_first", f"This is part {number + 1} of {count}: llama.cpp opens {first}.")]
    present = _names_in_folder(path)
    parts = (f"{match['prefix']}-{part:05}-of-{count:05}.gguf" for part in range(1, count + 1))
    missing = [name for name in parts if name not in present]
    if not missing:
        return []
    more = f" and {len(missing) - 1:,} more are" if len(missing) > 1 else " is"
    message = f"Part {quoted(missing[0], 200)}{more} missing: the vocabulary is complete, the model is not."
    return [FileNote("part_missing", message)]


def _names_in_folder(path: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(path.parent))
    except OSError:
        return frozenset([path.name])


class VocabKeys:
    """Looks keys up as C strings: a key ends at its first NUL, and the first of two equal keys wins.

    warnings  problems with the keys, one sentence each
    refusals  problems for which llama.cpp does not load the file, one sentence each
    """

    def __init__(self, source: HeaderBytes, fields: Mapping[str, MetadataField]) -> None:
        self._source = source
        self._all_fields = fields
        self._fields: dict[str, MetadataField] = {}
        self.warnings: list[FileNote] = []
        self.refusals: list[FileNote] = []
        for name, field in stoppable(fields.items()):
            seen_as = name.split("\0")[0]
            if seen_as in self._fields:
                message = f"The key {quoted(name)} is ignored: {quoted(seen_as)} comes first."
                self.warnings.append(FileNote("key_twice", message, name))
            self._fields.setdefault(seen_as, field)

    def error(
        self, what: str, advice: str = CONVERT_AGAIN, code: str = NOT_USABLE, key: str = ""
    ) -> VocabError:
        return self._source.error(what, advice, code, key)

    def scalar(self, key: str, kind: str) -> Any:
        """The value of a key as bytes (strings), int, float or bool; `None` if it is missing."""
        field = self._field(key, kind)
        if field is None:
            return None
        return field.value.split(b"\0")[0] if kind == "string" else field.value

    def numbers(self, key: str, *item_kinds: str) -> NDArray[Any] | None:
        """A copy of an array of numbers; `None` if it is missing."""
        field = self._field(key, *(f"array of {kind}" for kind in item_kinds))
        if field is None:
            return None
        dtype = np.dtype("<" + FORMATS[field.kind.removeprefix("array of ")])
        return np.frombuffer(self._source.read, dtype, field.n_items, field.value).copy()

    def strings(
        self, key: str, name_empty: bool = False
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], int] | None:
        """All strings packed, their offsets, and the number of strings that were empty or cut at a NUL.

        `name_empty`: an empty string in row i becomes `[EMPTY_i]`.
        """
        field = self._field(key, "array of string")
        if field is None:
            return None
        return pack_gguf_strings(self._source.read, field.value, field.n_items, name_empty)

    def optional_string(self, key: str) -> bytes | None:
        """Like `scalar`, but a value of another type, which llama.cpp refuses, counts as missing."""
        value: bytes | None = self._optional(key, "string")
        return value

    def optional_count(self, key: str, kind: str) -> int:
        """Like `scalar`, but 0 if the value is missing or of another type, which llama.cpp refuses."""
        return int(self._optional(key, kind) or 0)

    def needed_count(self, key: str, kind: str) -> int:
        """Like `optional_count`, but llama.cpp also refuses a file without the key."""
        if key not in self._fields:
            self.refusals.append(FileNote("key_missing", f"The file has no key {key}."))
        return self.optional_count(key, kind)

    def metadata(self) -> dict[str, object]:
        """All metadata, for display: scalars unchanged, arrays as a description."""
        return {_readable(name): _shown(field) for name, field in stoppable(self._all_fields.items())}

    def _optional(self, key: str, kind: str) -> Any:
        field = self._fields.get(key)
        if field is not None and field.kind != kind:
            message = f"{key} is ignored: its type is {field.kind}, not {kind}."
            self.refusals.append(FileNote("key_of_other_type", message, key))
            return None
        return self.scalar(key, kind)

    def _field(self, key: str, *kinds: str) -> MetadataField | None:
        field = self._fields.get(key)
        if field is not None and field.kind not in kinds:
            what = f"has a {key} of type {field.kind} instead of {' or '.join(kinds)}"
            raise self.error(what, code="key_of_other_type", key=key)
        return field


def _readable(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _shown(field: MetadataField) -> object:
    if field.kind.startswith("array"):
        return f"{field.n_items:,} x {field.kind.removeprefix('array of ')}"
    if field.kind != "string":
        return field.value
    if len(field.value) > LONGEST_KEPT_STRING:
        return f"string of {len(field.value):,} bytes"
    return field.value.decode("utf-8", "backslashreplace")
