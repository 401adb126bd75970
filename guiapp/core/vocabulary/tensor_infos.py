"""The list of tensors behind the metadata: checked for damage, then forgotten.

A tokenizer needs no tensor.  What makes the list unreadable is an error; what only makes the tensors
unusable (offsets, unknown types, missing data) is a warning, because the vocabulary is whole.
"""

from __future__ import annotations

import struct
from collections.abc import Container
from math import prod
from typing import NamedTuple

from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.gguf_reader import BROKEN, Header
from guiapp.core.vocabulary.header_bytes import HeaderBytes
from guiapp.core.vocabulary.notes import FileNote
from guiapp.core.vocabulary.quoting import quoted
from guiapp.native.checkpoint import stoppable

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
"""Of each type, the elements of a block and the bytes that they take: gguf's GGML_QUANT_SIZES."""


def check_tensor_infos(source: HeaderBytes, header: Header) -> list[FileNote]:
    """Read over the tensor list; returns warnings, raises VocabError where it cannot be read."""
    alignment = _alignment(source, header)
    left = source.size - header.end
    if header.n_tensors > left // SMALLEST_INFO_BYTES:
        raise source.error(
            f"claims {counted(header.n_tensors, 'tensor')} (byte 8), with {counted(left, 'byte')} left",
            BROKEN,
        )
    if header.n_tensors > MOST_TENSORS:
        raise source.error(
            f"claims {header.n_tensors:,} tensors (byte 8)", f"At most {MOST_TENSORS:,} are read."
        )
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


class TensorPlace(NamedTuple):
    """Where a tensor lies.

    shape  how many elements it has along each axis, rows last
    kind   the number of its type
    at     the byte of the file where its data begin
    """

    shape: tuple[int, ...]
    kind: int
    at: int


def tensor_places(source: HeaderBytes, header: Header, names: Container[bytes]) -> dict[bytes, TensorPlace]:
    """Those of some tensors that the file has, by name; whether their data are there is not looked at."""
    alignment, at, by_name = _alignment(source, header), header.end, dict[bytes, TensorPlace]()
    for _ in stoppable(range(header.n_tensors)):
        at, name, shape, kind, offset = _read_info(source, at)
        if name in names:
            by_name[name] = TensorPlace(shape, kind, offset)
    data_at = -(-at // alignment) * alignment
    return {name: place._replace(at=data_at + place.at) for name, place in by_name.items()}


def _alignment(source: HeaderBytes, header: Header) -> int:
    field = header.fields.get("general.alignment")
    if field is None:
        return DEFAULT_ALIGNMENT
    alignment: int = field.value if field.kind == "uint32" else 0
    if alignment == 0 or alignment & (alignment - 1):
        raise source.error("has a general.alignment that is not a power of two of type uint32", BROKEN)
    return alignment


def _read_info(source: HeaderBytes, at: int) -> tuple[int, bytes, tuple[int, ...], int, int]:
    """Where the next info starts, and this one's name, shape, type and offset."""
    source.need(min(at + LARGEST_INFO_BYTES, source.size), LIST)
    view = source.data.data[: source.available]
    try:
        (length,) = LENGTH.unpack_from(view, at)
        if length >= NAME_LIMIT_BYTES:
            raise source.error(
                f"has a tensor name of {length:,} bytes at byte {at:,}; 63 is the most", BROKEN
            )
        name_end = at + LENGTH.size + length
        name = bytes(view[at + LENGTH.size : name_end])
        (n_dimensions,) = DIMENSIONS.unpack_from(view, name_end)
        if n_dimensions > MOST_DIMENSIONS:
            raise source.error(f"has a tensor of {n_dimensions:,} dimensions, {quoted(name)}", BROKEN)
        rest = REST[n_dimensions]
        *shape, kind, offset = rest.unpack_from(view, name_end + DIMENSIONS.size)
    except struct.error:
        raise source.error(f"ends in the middle of {LIST}, at byte {at:,}", BROKEN) from None
    n_elements = 1
    for size in shape:
        n_elements *= size
        if size < 0 or n_elements > LARGEST_INT64:
            raise source.error(f"has a tensor of impossible size, {quoted(name)} (byte {at:,})", BROKEN)
    return name_end + DIMENSIONS.size + rest.size, name, tuple(shape), kind, offset


def _oddity(name: bytes, kind: int, offset: int, expected: int) -> str:
    """What makes this tensor, and so the place of all that follow, unusable."""
    if not 0 <= kind < KNOWN_TYPES:
        return f"The tensor {quoted(name)} has the unknown type {kind}."
    if offset != expected:
        return f"The tensor {quoted(name)} is said to start at {offset:,} instead of {expected:,}."
    return "" if kind in SIZES else "The sizes of the newest tensor types are not checked."


def _warnings(odd: str, end: int, source: HeaderBytes) -> list[FileNote]:
    if odd:
        return [FileNote("tensors_odd", f"{odd} The vocabulary is not affected.")]
    if end > source.size:
        missing = end - source.size
        what = f"{counted(missing, 'byte')} of tensors {'is' if missing == 1 else 'are'} missing"
        message = f"The file is incomplete: {what}. The vocabulary is whole."
        return [FileNote("file_incomplete", message)]
    return []
