"""The list of tensors behind the metadata: checked for damage, then forgotten.

A tokenizer needs no tensor.  What makes the list unreadable is an error; what only makes the tensors
unusable (offsets, unknown types, missing data) is a warning, because the vocabulary is whole.
"""

from __future__ import annotations

import struct

from gguf.constants import GGML_QUANT_SIZES, GGUF_DEFAULT_ALIGNMENT

from guiapp.core.vocab.gguf_reader import BROKEN, HeaderReader
from guiapp.core.vocab.header_bytes import HeaderBytes
from guiapp.core.vocab.quoting import quoted

MOST_TENSORS = 1 << 20
SMALLEST_INFO_BYTES = 8 + 4 + 4 + 8
LARGEST_INFO_BYTES = 8 + 63 + 4 + 4 * 8 + 4 + 8
MOST_DIMENSIONS = 4
LENGTH, DIMENSIONS = struct.Struct("<Q"), struct.Struct("<I")
REST = [struct.Struct(f"<{n_dimensions}qiQ") for n_dimensions in range(MOST_DIMENSIONS + 1)]
LIST = "the list of tensors"
NAME_LIMIT_BYTES = 64
KNOWN_TYPES = 43  # llama.cpp's; gguf may not yet know the size of the newest
LARGEST_INT64 = (1 << 63) - 1
SIZES = {int(kind): sizes for kind, sizes in GGML_QUANT_SIZES.items()}


def check_tensor_infos(source: HeaderBytes, reader: HeaderReader) -> list[str]:
    """Read over the tensor list; returns warnings, raises VocabError where it cannot be read."""
    alignment = _alignment(source, reader)
    left = source.size - reader.end
    if reader.n_tensors > left // SMALLEST_INFO_BYTES:
        raise source.error(f"claims {reader.n_tensors:,} tensors (byte 8), with {left:,} bytes left", BROKEN)
    if reader.n_tensors > MOST_TENSORS:
        raise source.error(
            f"claims {reader.n_tensors:,} tensors (byte 8)", f"At most {MOST_TENSORS:,} are read."
        )
    at, expected, odd = reader.end, 0, ""
    names: set[bytes] = set()
    for _ in range(reader.n_tensors):
        at, name, n_elements, kind, offset = _read_info(source, at)
        if name in names:
            raise source.error(f"has the tensor {quoted(name)} twice (again before byte {at:,})", BROKEN)
        names.add(name)
        if not odd:
            odd = _oddity(name, kind, offset, expected)
            block, size = SIZES.get(kind, (1, 0))
            expected += -(-(n_elements // block * size) // alignment) * alignment
    return _warnings(odd, -(-at // alignment) * alignment + expected if names else 0, source)


def _alignment(source: HeaderBytes, reader: HeaderReader) -> int:
    field = reader.fields.get("general.alignment")
    if field is None:
        return int(GGUF_DEFAULT_ALIGNMENT)
    alignment = int(field.parts[-1][0]) if [kind.name for kind in field.types] == ["UINT32"] else 0
    if alignment == 0 or alignment & (alignment - 1):
        raise source.error("has a general.alignment that is not a power of two of type uint32", BROKEN)
    return alignment


def _read_info(source: HeaderBytes, at: int) -> tuple[int, bytes, int, int, int]:
    """Where the next info starts, and this one's name, number of elements, type and offset."""
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
    return name_end + DIMENSIONS.size + rest.size, name, n_elements, kind, offset


def _oddity(name: bytes, kind: int, offset: int, expected: int) -> str:
    """What makes this tensor, and so the place of all that follow, unusable."""
    if not 0 <= kind < KNOWN_TYPES:
        return f"The tensor {quoted(name)} has the unknown type {kind}."
    if offset != expected:
        return f"The tensor {quoted(name)} is said to start at {offset:,} instead of {expected:,}."
    return "" if kind in SIZES else "The sizes of the newest tensor types are not checked."


def _warnings(odd: str, end: int, source: HeaderBytes) -> list[str]:
    if odd:
        return [f"{odd} The vocabulary is not affected."]
    if end > source.size:
        missing = end - source.size
        return [f"The file is incomplete: {missing:,} bytes of tensors are missing. The vocabulary is whole."]
    return []
