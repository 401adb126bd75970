"""What kind of tokenizer a file has, as quickly as that can be told."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from guiapp.core.formats import gguf
from guiapp.core.formats.table import format_of
from guiapp.core.vocabulary.gguf_reader import MetadataField, read_header
from guiapp.core.vocabulary.header_bytes import HeaderBytes
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.special_ids import TYPE_OF_MODEL
from guiapp.errors import UnknownPreError, VocabError
from guiapp.native.checkpoint import checkpoint


class Glance(NamedTuple):
    """What a list says of a file.

    type, pre  "" where that is not known before somebody chooses
    problem    why it cannot be opened, "" if nothing is known to be wrong
    """

    format: str
    type: str = ""
    pre: str = ""
    n_tokens: int | None = None
    problem: str = ""


def glance(path: Path) -> Glance:
    """Of a GGUF the keys alone are read, all else is opened."""
    try:
        file_format = format_of(path)
    except VocabError as error:
        return Glance("", problem=str(error))
    try:
        if file_format.read is gguf.read:
            return _keys_of(path, file_format.name)
        vocabulary = file_format.read(path, Opening(lambda _share: checkpoint()), None)
    except UnknownPreError:
        return Glance(file_format.name)
    except VocabError as error:
        return Glance(file_format.name, problem=str(error))
    pre = vocabulary.pre if vocabulary.patterns else ""
    return Glance(file_format.name, vocabulary.type.value, pre, len(vocabulary))


def _keys_of(path: Path, name: str) -> Glance:
    source = HeaderBytes(path, lambda _share: checkpoint())
    try:
        fields = read_header(source).fields
    finally:
        source.close()
    values = {key: fields.get(f"tokenizer.ggml.{key}") for key in ("model", "pre", "tokens")}
    model, pre = (_text(values[key]) for key in ("model", "pre"))
    if model not in TYPE_OF_MODEL or values["tokens"] is None:
        return Glance(name, problem="There is no tokenizer in it.")
    return Glance(name, TYPE_OF_MODEL[model].value, pre, values["tokens"].n_items)


def _text(field: MetadataField | None) -> str:
    is_text = field is not None and field.kind == "string"
    return field.value.decode("utf-8", "backslashreplace") if field is not None and is_text else ""
