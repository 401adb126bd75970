"""Model files for tests, valid or broken in any way, written byte by byte.

write_vocab("x.gguf", model="llama", tokens=["<unk>", "a"], scores=[0, -1], bos_token_id=1)   a vocabulary
vocab_file(...)                    the same as a GgufFile, to break it before `to_bytes()` or `write(path)`
Raw("u64", 5), Raw("array", …)     a value of an explicit type
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

TYPE_IDS = {
    "u8": 0, "i8": 1, "u16": 2, "i16": 3, "u32": 4, "i32": 5, "f32": 6,
    "bool": 7, "string": 8, "array": 9, "u64": 10, "i64": 11, "f64": 12,
}  # fmt: skip
FORMATS = {
    "u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "f32": "f",
    "bool": "?", "u64": "Q", "i64": "q", "f64": "d",
}  # fmt: skip
SIZE = struct.Struct("<Q")

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)

Text = str | bytes


@dataclass(frozen=True)
class Raw:
    """A value of an explicit type; for arrays `type` is `array:u8`, `array:string` and so on.

    `value` may also be bytes for any type except strings; they are written unchanged.
    """

    type: str
    value: object


@dataclass
class Tensor:
    name: Text
    shape: Sequence[int] = (1,)
    type: int = 0
    offset: int = 0
    n_dims: int | None = None

    def to_bytes(self) -> bytes:
        n_dims = len(self.shape) if self.n_dims is None else self.n_dims
        sizes = b"".join(struct.pack("<q", size) for size in self.shape)
        tail = struct.pack("<IQ", self.type % (1 << 32), self.offset)
        return string(self.name) + struct.pack("<I", n_dims) + sizes + tail


@dataclass
class GgufFile:
    """The parts of a file; counts are right unless `n_tensors` or `n_entries` overrides them."""

    magic: bytes = b"GGUF"
    version: int = 3
    entries: list[bytes] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    n_tensors: int | None = None
    n_entries: int | None = None
    tail: bytes = b""

    def add(self, key: Text, value: object) -> GgufFile:
        self.entries.append(entry(key, value))
        return self

    def add_raw(self, data: bytes) -> GgufFile:
        """Add an entry of exactly these bytes."""
        self.entries.append(data)
        return self

    def to_bytes(self) -> bytes:
        n_tensors = len(self.tensors) if self.n_tensors is None else self.n_tensors
        n_entries = len(self.entries) if self.n_entries is None else self.n_entries
        counts = struct.pack("<IQQ", self.version, n_tensors % (1 << 64), n_entries % (1 << 64))
        infos = b"".join(tensor.to_bytes() for tensor in self.tensors)
        return self.magic + counts + b"".join(self.entries) + infos + self.tail

    def write(self, path: str | PathLike[str]) -> Path:
        Path(path).write_bytes(self.to_bytes())
        return Path(path)


def as_bytes(text: Text) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


def string(text: Text) -> bytes:
    encoded = as_bytes(text)
    return SIZE.pack(len(encoded)) + encoded


def array(item_type: str, items: Iterable[object]) -> bytes:
    """The value part of an array entry."""
    values = list(items)
    if item_type == "string":
        texts = [as_bytes(value) for value in values]  # type: ignore[arg-type]
        packed = b"".join([part for text in texts for part in (SIZE.pack(len(text)), text)])
    else:
        packed = struct.pack(f"<{len(values)}{FORMATS[item_type]}", *values)
    return struct.pack("<iQ", TYPE_IDS[item_type], len(values)) + packed


def scalar(type_name: str, value: object) -> bytes:
    if type_name == "string":
        assert isinstance(value, str | bytes)
        return string(value)
    return struct.pack("<" + FORMATS[type_name], value)


def entry(key: Text, value: object) -> bytes:
    """One key with its value; the type follows from the Python value unless it is `Raw`."""
    raw = value if isinstance(value, Raw) else _typed(value)
    type_name, _, item_type = raw.type.partition(":")
    if item_type:
        assert isinstance(raw.value, Iterable)
        payload = array(item_type, raw.value)
    elif isinstance(raw.value, bytes) and type_name != "string":
        payload = raw.value
    else:
        payload = scalar(type_name, raw.value)
    return string(key) + struct.pack("<i", TYPE_IDS[type_name]) + payload


def _typed(value: object) -> Raw:
    if isinstance(value, bool):
        return Raw("bool", value)
    if isinstance(value, int):
        return Raw("u32", value)
    if isinstance(value, float):
        return Raw("f32", value)
    if isinstance(value, str | bytes):
        return Raw("string", value)
    assert isinstance(value, list | tuple)
    first = value[0] if value else ""
    kinds = {str: "string", bytes: "string", float: "f32", int: "i32", bool: "bool"}
    return Raw(f"array:{kinds[type(first)]}", value)


def vocab_file(
    *,
    model: object = "llama",
    tokens: object = None,
    scores: object = None,
    types: object = None,
    merges: object = None,
    pre: object = None,
    architecture: object = "llama",
    name: object = None,
    keys: Mapping[str, object] | None = None,
    **extra: object,
) -> GgufFile:
    """A file with a vocabulary and no tensors.

    Parts that are None are left out.  `extra` are keys below `tokenizer.ggml.`, `keys` are full names.
    """
    if isinstance(scores, list | tuple):
        scores = Raw("array:f32", scores)
    values: dict[str, object] = {
        "general.architecture": architecture,
        "general.name": name,
        "tokenizer.ggml.model": model,
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.merges": merges,
        **{f"tokenizer.ggml.{key}": value for key, value in extra.items()},
        **(keys or {}),
    }
    file = GgufFile()
    for key, value in values.items():
        if value is not None:
            file.add(key, value)
    return file


def write_vocab(path: str | PathLike[str], **parts: object) -> Path:
    """Write the file that `vocab_file(**parts)` describes."""
    return vocab_file(**parts).write(path)  # type: ignore[arg-type]
