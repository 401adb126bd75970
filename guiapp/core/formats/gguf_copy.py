"""Copy a GGUF file with changed metadata; everything else, in particular the tensors, stays byte for byte.

The tensor data only moves to the next aligned position, from which tensor offsets are counted.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from io import FileIO
from itertools import pairwise, starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats.file_bytes import HeaderBytes, open_regular, state_of
from guiapp.core.formats.gguf_reader import (
    ENTRIES_AT,
    FORMATS,
    KINDS,
    LENGTH,
    Header,
    MetadataField,
    alignment_of,
    check_tensor_infos,
    read_header,
    tensor_list_end,
)
from guiapp.core.sources.files import CHUNK_BYTES, check_space, replacement
from guiapp.native.checkpoint import Progress, checkpoint
from guiapp.native.model_files import packed

ARRAY = "array of "


class GgufValue(NamedTuple):
    """A value with its type.

    kind   one of KINDS, or "array of " one of them
    value  a number, the bytes of a string, a NumPy array of numbers, or a list of bytes, possibly packed
    """

    kind: str
    value: Any


GgufChange = Callable[[GgufValue | None], GgufValue | None]
"""Turns an old value into the new one; None stands for a missing key."""


def copy_with(
    path: Path, out: Path, changes: Mapping[str, GgufChange], progress: Progress
) -> dict[str, tuple[GgufValue | None, GgufValue | None]]:
    """Write a copy with other values for some keys, new keys last.  Return the old and new values.

    Takes a few MiB of memory, whatever the size of the file.  Raises VocabError for a file that is broken or
    changes meanwhile, and OSError if the copy cannot be written; then no copy is left.
    """
    source = HeaderBytes(path, lambda _share: checkpoint())
    try:
        header = read_header(source)
        values = {key: _value(source, header.fields.get(key)) for key in changes}
        new = {key: change(values[key]) for key, change in changes.items()}
        check_tensor_infos(source, header)
        list_end = tensor_list_end(source, header)
        front, alignment = _front(source, header, new, list_end), alignment_of(source, header)
        padding = alignment if header.n_tensors else 1
        tail_at = min(list_end + -list_end % padding, source.size)
        check_space(out, len(front) + alignment + source.size - tail_at)
        with open_regular(path) as file, replacement(out) as written:
            is_same = state_of(file) == source.state
            with written.open("wb") as target:
                target.write(front + bytes(-len(front) % padding if tail_at < source.size else 0))
                _copy(file, target.write, tail_at, source.size, progress)
            if not is_same or state_of(file) != source.state:
                raise source.error(
                    "changed while it was copied", "Wait until it is complete, then try again."
                )
        return {key: (values[key], new[key]) for key in changes}
    finally:
        source.close()


def metadata_file(values: Mapping[str, GgufValue]) -> bytes:
    """A complete GGUF file without tensors."""
    entries = list(starmap(_entry, values.items()))
    return b"".join([b"GGUF", struct.pack("<IQQ", 3, 0, len(entries)), *entries])


def _value(source: HeaderBytes, field: MetadataField | None) -> GgufValue | None:
    if field is None or not field.kind.startswith(ARRAY):
        return None if field is None else GgufValue(field.kind, field.value)
    item = field.kind.removeprefix(ARRAY)
    if item != "string":
        numbers = np.frombuffer(source.read, "<" + FORMATS[item], field.n_items, field.value)
        return GgufValue(field.kind, numbers.copy())
    texts, at, view = [], field.value, source.data.data
    for _ in range(field.n_items):
        (length,) = LENGTH.unpack_from(view, at)
        texts.append(bytes(view[at + LENGTH.size : at + LENGTH.size + length]))
        at += LENGTH.size + length
    return GgufValue(field.kind, texts)


def _front(source: HeaderBytes, header: Header, new: Mapping[str, GgufValue | None], list_end: int) -> bytes:
    """The header, the metadata and the list of tensors."""
    data, parts = source.data.data, list[bytes]()
    for name, (start, end) in zip(header.fields, pairwise(header.starts), strict=True):
        if name not in new:
            parts.append(bytes(data[start:end]))
        elif (value := new[name]) is not None:
            parts.append(_entry(name, value))
    added = {name: value for name, value in new.items() if value is not None and name not in header.fields}
    parts += starmap(_entry, added.items())
    counts = bytes(data[: ENTRIES_AT - LENGTH.size]) + LENGTH.pack(len(parts))
    return b"".join([counts, *parts, bytes(data[header.end : list_end])])


def _entry(name: str, value: GgufValue) -> bytes:
    kind, item = value.kind, value.kind.removeprefix(ARRAY)
    head = _string(name.encode("utf-8", "surrogateescape")) + _number("I", KINDS.index(kind.split()[0]))
    if kind == item:
        return head + (_string(value.value) if kind == "string" else _number(FORMATS[kind], value.value))
    head += _number("I", KINDS.index(item))
    if item == "string":
        return head + _strings(*(value.value if isinstance(value.value, tuple) else packed(value.value)))
    head += LENGTH.pack(len(value.value))
    return head + bytes(value.value.astype("<" + FORMATS[item]).tobytes())


def _strings(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> bytes:
    """The number of strings, then each string after its length."""
    n_texts = len(offsets) - 1
    laid_out = np.empty(len(data) + LENGTH.size * n_texts, np.uint8)
    is_length = np.zeros(len(laid_out), np.bool_)
    starts = offsets[:-1] + LENGTH.size * np.arange(n_texts)
    is_length[(starts[:, None] + np.arange(LENGTH.size)).ravel()] = True
    laid_out[is_length] = np.diff(offsets).astype("<u8").view(np.uint8)
    laid_out[~is_length] = data
    return LENGTH.pack(n_texts) + laid_out.tobytes()


def _string(text: bytes) -> bytes:
    return LENGTH.pack(len(text)) + text


def _number(type_code: str, value: Any) -> bytes:
    return struct.pack(f"<{type_code}", value)


def _copy(file: FileIO, write: Callable[[bytes], object], start: int, end: int, progress: Progress) -> None:
    os.lseek(file.fileno(), start, os.SEEK_SET)
    at = start
    while at < end and (chunk := file.read(min(CHUNK_BYTES, end - at))):
        write(chunk)
        at += len(chunk)
        progress(at / end)
        checkpoint()
