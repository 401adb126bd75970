"""Metadata by key, with the exact type that llama.cpp asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
from gguf.gguf_reader import ReaderField
from numpy.typing import NDArray

from guiapp.core.errors import VocabError
from guiapp.core.kernels import gguf_strings
from guiapp.core.vocab.gguf_reader import TYPE_NAMES, HeaderReader
from guiapp.core.vocab.header_bytes import HeaderBytes
from guiapp.core.vocab.quoting import quoted

CONVERT_AGAIN = "Convert the model again, or choose another file."
LONGEST_KEPT_STRING = 16 << 20


class VocabKeys:
    """Looks keys up as C strings: what follows a NUL does not count, and the first of two equal keys wins.

    warnings  what is odd about the keys, one sentence each
    """

    def __init__(self, source: HeaderBytes, reader: HeaderReader) -> None:
        self._source = source
        self._reader = reader
        self._fields: dict[str, ReaderField] = {}
        self.warnings: list[str] = []
        for name, field in reader.fields.items():
            seen_as = name.split("\0")[0]
            if seen_as in self._fields:
                self.warnings.append(f"The key {quoted(name)} is ignored: {quoted(seen_as)} came before it.")
            self._fields.setdefault(seen_as, field)

    def error(self, what: str, advice: str = CONVERT_AGAIN) -> VocabError:
        return self._source.error(what, advice)

    def scalar(self, key: str, kind: str) -> Any:
        """The value of a key as bytes (strings), int, float or bool; `None` where it is missing."""
        field = self._field(key, (kind,))
        if field is None:
            return None
        if kind == "string":
            return field.parts[-1].tobytes().split(b"\0")[0]
        return field.parts[-1].tolist()[0]

    def numbers(self, key: str, *item_kinds: str) -> NDArray[Any] | None:
        field = self._field(key, tuple(f"array of {kind}" for kind in item_kinds))
        return None if field is None else field.parts[-1]

    def strings(
        self, key: str, name_empty: bool = False
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], int] | None:
        """All strings packed, their offsets, and how many were empty or cut at a NUL.

        `name_empty`: an empty string in row i becomes `[EMPTY_i]`.
        """
        field = self._field(key, ("array of string",))
        if field is None:
            return None
        data, starts, lengths = self._reader.strings(field)
        offsets = np.empty(len(starts) + 1, np.int64)
        n_odd = gguf_strings.measure(data, starts, lengths, name_empty, offsets)
        packed = np.empty(int(offsets[-1]), np.uint8)
        gguf_strings.pack(data, starts, lengths, offsets, packed)
        return packed, offsets, n_odd

    def optional_string(self, key: str) -> bytes | None:
        """As `scalar`, but a value of another type counts as missing, with a warning."""
        field = self._fields.get(key)
        if field is not None and _type_name(field) != "string":
            self.warnings.append(f"{key} is ignored: it is {_type_name(field)}, not string.")
            return None
        value: bytes | None = self.scalar(key, "string")
        return value

    def optional_count(self, key: str, kind: str) -> int:
        """As `scalar` with 0 for missing, but a value of another type counts as missing, with a warning."""
        field = self._fields.get(key)
        if field is not None and _type_name(field) != kind:
            self.warnings.append(f"{key} is ignored: it is {_type_name(field)}, not {kind}.")
            return 0
        return int(self.scalar(key, kind) or 0)

    def metadata(self) -> dict[str, object]:
        """Everything in the file that can be shown: scalars as they are, arrays described."""
        return {_readable(name): _shown(field) for name, field in self._reader.fields.items()}

    def _field(self, key: str, kinds: tuple[str, ...]) -> ReaderField | None:
        field = self._fields.get(key)
        if field is not None and _type_name(field) not in kinds:
            wanted = " or ".join(kinds)
            raise self.error(f"has a {key} of type {_type_name(field)}, where {wanted} is needed")
        return field


def _type_name(field: ReaderField) -> str:
    return " of ".join(TYPE_NAMES[kind] for kind in field.types)


def _readable(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _shown(field: ReaderField) -> object:
    kind = _type_name(field)
    if kind.startswith("array"):
        return f"{len(field.parts[-1]):,} x {kind.removeprefix('array of ')}"
    if kind != "string":
        return field.parts[-1].tolist()[0]
    if len(field.parts[-1]) > LONGEST_KEPT_STRING:
        return f"string of {len(field.parts[-1]):,} bytes"
    return field.parts[-1].tobytes().decode("utf-8", "backslashreplace")
