"""The metadata of a GGUF file, read with gguf's own reader made fast and safe.

The stock reader maps the whole file, makes two arrays for each string of an array (ten seconds for a
large vocabulary) and believes every length.  This one reads the header only, keeps one array of starts
and one of lengths for an array of strings, and compares every count with the bytes that are left.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import Any, Literal, NamedTuple

import numpy as np
from gguf.constants import GGUFValueType
from gguf.gguf_reader import GGUFReader, ReaderField
from numpy.typing import DTypeLike, NDArray

from guiapp.core.errors import VocabError
from guiapp.core.kernels import gguf_strings
from guiapp.core.vocab.header_bytes import HeaderBytes
from guiapp.core.vocab.quoting import quoted

COUNTS_AT, ENTRIES_AT = 8, 24
LONGEST_STRING = 1 << 30
MOST_ENTRIES = 100_000
SMALLEST_ENTRY_BYTES = 8 + 1 + 4 + 1
TYPE_NAMES = {kind: kind.name.lower() for kind in GGUFValueType}
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
CHOOSE_GGUF = "Choose a .gguf file."


class StringArray(NamedTuple):
    """Strings that lie in a buffer: row i is data[starts[i] : starts[i] + lengths[i]]."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


class HeaderReader(GGUFReader):  # type: ignore[misc, unused-ignore]
    """Fields by name as in `GGUFReader`, except that arrays are few large parts instead of many small ones.

    An array's parts are its item type, its count and either all items or all starts and all lengths.
    Names are UTF-8 with surrogate escapes.  `end` is where the tensor infos begin, `n_tensors` their number.
    """

    def __init__(self, source: HeaderBytes) -> None:
        self._source = source  # the stock constructor would map the file and touch the tensors
        self.fields: OrderedDict[str, ReaderField] = OrderedDict()
        self.tensors = []
        self.version = self._read_version()
        counts = self._get(COUNTS_AT, np.uint64, 2)
        self.n_tensors, n_entries = int(counts[0]), int(counts[1])
        self.end = self._build_fields(ENTRIES_AT, n_entries)

    def strings(self, field: ReaderField) -> StringArray:
        return StringArray(self._source.data, field.parts[-2], field.parts[-1])

    def _read_version(self) -> int:
        source = self._source
        if source.size == 0:
            raise source.error("is empty", "Download it again.")
        source.need(min(4, source.size), "the header")
        magic = source.data[: min(4, source.size)].tobytes()
        if magic != b"GGUF"[: len(magic)]:
            reason = NOT_GGUF.get(magic, f"is not a GGUF file: it begins with {quoted(magic)!r}")
            raise source.error(reason, CHOOSE_GGUF)
        source.need(ENTRIES_AT, "the header")
        version = int(self._get(4, np.uint32)[0])
        if version & 0xFFFF == 0 and version:
            raise source.error(
                "has the byte order of the other kind of machine (big-endian)",
                "Convert it with gguf_convert_endian.py.",
            )
        if version not in (2, 3):
            age = "older than" if version < 2 else "newer than"
            raise source.error(
                f"is GGUF version {version}, {age} the versions 2 and 3 that are understood", CHOOSE_GGUF
            )
        return version

    def _get(
        self,
        offset: int,
        dtype: DTypeLike,
        count: int = 1,
        override_order: Literal["I", "S", "<"] | None = None,
    ) -> NDArray[Any]:
        """A copy of values in the header, so that the buffer may be replaced as it grows."""
        end = offset + np.dtype(dtype).itemsize * int(count)
        self._source.need(end, "the metadata")
        values: NDArray[Any] = self._source.data[offset:end].copy()
        if dtype is np.bool_:
            values[values > 1] = 1  # any byte but zero is true
        values = values.view(dtype)
        return values if sys.byteorder == "little" else values.byteswap()

    def _get_str(self, offset: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        length = self._get(offset, np.uint64)
        self._check_string(offset, int(length[0]))
        return length, self._get(offset + 8, np.uint8, int(length[0]))

    def _check_string(self, offset: int, length: int) -> None:
        left = self._source.size - offset - 8
        if length > min(left, LONGEST_STRING):
            raise self._source.error(
                f"has a string of {length:,} bytes at byte {offset:,}, where {max(left, 0):,} are left",
                BROKEN,
            )

    def _build_fields(self, offs: int, count: int) -> int:
        left = self._source.size - offs
        if count > left // SMALLEST_ENTRY_BYTES:
            raise self._source.error(
                f"claims {count:,} metadata keys (byte 16), with {left:,} bytes left", BROKEN
            )
        if count > MOST_ENTRIES:
            raise self._source.error(
                f"claims {count:,} metadata keys (byte 16)", f"At most {MOST_ENTRIES:,} are read."
            )
        for _ in range(count):
            offs = self._build_field(offs)
        return offs

    def _build_field(self, start: int) -> int:
        """Read the key and value at byte `start`; returns where the next one starts."""
        length, key = self._get_str(start)
        if not len(key):
            raise self._source.error(f"has an empty key at byte {start:,}", BROKEN)
        name = key.tobytes().decode("utf-8", "surrogateescape")
        at = start + 8 + len(key)
        raw_type = self._get(at, np.uint32)
        try:
            size, parts, data, types = self._get_field_parts(at + 4, int(raw_type[0]))
        except VocabError as error:
            raise VocabError(f"{error} It was reading the key {quoted(name)}.") from error
        if name in self.fields:
            raise self._source.error(f"has the key {quoted(name)} twice (again at byte {start:,})", BROKEN)
        head: list[NDArray[Any]] = [length, key, raw_type]
        self._push_field(
            ReaderField(start, name, head + parts, [at + 3 for at in data], types), skip_sum=True
        )
        return at + 4 + size

    def _get_field_parts(
        self, orig_offs: int, raw_type: int
    ) -> tuple[int, list[NDArray[Any]], list[int], list[GGUFValueType]]:
        kind = self._value_type(orig_offs - 4, raw_type)
        if kind is not GGUFValueType.ARRAY:
            parts: tuple[int, list[NDArray[Any]], list[int], list[GGUFValueType]]
            parts = super()._get_field_parts(orig_offs, raw_type)
            return parts
        raw_item_type, raw_count = self._get(orig_offs, np.uint32), self._get(orig_offs + 4, np.uint64)
        item_kind = self._value_type(orig_offs, int(raw_item_type[0]))
        if item_kind is GGUFValueType.ARRAY:
            raise self._source.error(f"has an array of arrays at byte {orig_offs:,}", BROKEN)
        count, start = int(raw_count[0]), orig_offs + 12
        item_bytes = (
            8 if item_kind is GGUFValueType.STRING else np.dtype(self.gguf_scalar_to_np[item_kind]).itemsize
        )
        left = self._source.size - start
        if count > LONGEST_STRING or count * item_bytes > left:
            what = f"has an array of {count:,} items at byte {orig_offs:,}"
            raise self._source.error(f"{what}, where {max(left, 0):,} bytes are left", BROKEN)
        if item_kind is GGUFValueType.STRING:
            size, items = self._scan_strings(start, count)
        else:
            self._source.reserve(count * item_bytes, "an array")
            size, items = count * item_bytes, [self._get(start, self.gguf_scalar_to_np[item_kind], count)]
        data = list(range(2, 2 + len(items)))
        return 12 + size, [raw_item_type, raw_count, *items], data, [kind, item_kind]

    def _value_type(self, offset: int, number: int) -> GGUFValueType:
        try:
            return GGUFValueType(number)
        except ValueError:
            raise self._source.error(
                f"has a value of unknown type {number} at byte {offset:,}", BROKEN
            ) from None

    def _scan_strings(self, start: int, count: int) -> tuple[int, list[NDArray[Any]]]:
        """Find `count` strings from byte `start` on: their size in the file, their starts and lengths."""
        source = self._source
        source.reserve(16 * count, "an array of strings")
        starts, lengths = np.empty(count, np.int64), np.empty(count, np.int64)
        at, done = start, 0
        while True:
            done = gguf_strings.scan(source.data, source.available, at, done, starts, lengths)
            if done:
                at = int(starts[done - 1] + lengths[done - 1])
            if done == count:
                return at - start, [starts, lengths]
            length = int(self._get(at, np.uint64)[0])
            self._check_string(at, length)
            source.need(at + 8 + length, "an array of strings")
