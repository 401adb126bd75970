"""Metadata by key, with the exact type that llama.cpp asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.gguf_reader import FORMATS, MetadataField
from guiapp.core.vocabulary.header_bytes import HeaderBytes
from guiapp.core.vocabulary.notes import FileNote
from guiapp.core.vocabulary.quoting import quoted
from guiapp.errors import NOT_USABLE, VocabError
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import pack_gguf_strings

CONVERT_AGAIN = "Convert the model again, or choose another file."
LONGEST_KEPT_STRING = 16 << 20


class VocabKeys:
    """Looks keys up as C strings: what follows a NUL does not count, and the first of two equal keys wins.

    warnings  what is odd about the keys, one sentence each
    refusals  for which of them llama.cpp does not load the file, one sentence each
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
                message = f"The key {quoted(name)} is ignored: {quoted(seen_as)} came before it."
                self.warnings.append(FileNote("key_twice", message))
            self._fields.setdefault(seen_as, field)

    def error(
        self, what: str, advice: str = CONVERT_AGAIN, code: str = NOT_USABLE, key: str = ""
    ) -> VocabError:
        return self._source.error(what, advice, code, key)

    def scalar(self, key: str, kind: str) -> Any:
        """The value of a key as bytes (strings), int, float or bool; `None` where it is missing."""
        field = self._field(key, kind)
        if field is None:
            return None
        return field.value.split(b"\0")[0] if kind == "string" else field.value

    def numbers(self, key: str, *item_kinds: str) -> NDArray[Any] | None:
        """A copy of an array of numbers; `None` where it is missing."""
        field = self._field(key, *(f"array of {kind}" for kind in item_kinds))
        if field is None:
            return None
        dtype = np.dtype("<" + FORMATS[field.kind.removeprefix("array of ")])
        return np.frombuffer(self._source.read, dtype, field.n_items, field.value).copy()

    def strings(
        self, key: str, name_empty: bool = False
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], int] | None:
        """All strings packed, their offsets, and how many were empty or cut at a NUL.

        `name_empty`: an empty string in row i becomes `[EMPTY_i]`.
        """
        field = self._field(key, "array of string")
        if field is None:
            return None
        return pack_gguf_strings(self._source.read, field.value, field.n_items, name_empty)

    def optional_string(self, key: str) -> bytes | None:
        """As `scalar`, but a value of another type, which llama.cpp refuses, counts as missing."""
        value: bytes | None = self._optional(key, "string")
        return value

    def optional_count(self, key: str, kind: str) -> int:
        """As `scalar` with 0 for missing, and for a value of another type, which llama.cpp refuses."""
        return int(self._optional(key, kind) or 0)

    def needed_count(self, key: str, kind: str) -> int:
        """As `optional_count`, but llama.cpp refuses a file without it, too."""
        if key not in self._fields:
            self.refusals.append(FileNote("key_missing", f"The file has no {key}."))
        return self.optional_count(key, kind)

    def metadata(self) -> dict[str, object]:
        """Everything in the file that can be shown: scalars as they are, arrays described."""
        return {_readable(name): _shown(field) for name, field in stoppable(self._all_fields.items())}

    def _optional(self, key: str, kind: str) -> Any:
        field = self._fields.get(key)
        if field is not None and field.kind != kind:
            message = f"{key} is ignored: it is {field.kind}, not {kind}."
            self.refusals.append(FileNote("key_of_other_type", message, key))
            return None
        return self.scalar(key, kind)

    def _field(self, key: str, *kinds: str) -> MetadataField | None:
        field = self._fields.get(key)
        if field is not None and field.kind not in kinds:
            what = f"has a {key} of type {field.kind}, where {' or '.join(kinds)} is needed"
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
