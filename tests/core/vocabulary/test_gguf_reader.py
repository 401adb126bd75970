"""Our reader finds the fields that gguf's own reader finds, and knows what gguf knows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from conftest import VOCABS
from gguf import GGUFReader, GGUFValueType
from gguf.constants import GGML_QUANT_SIZES, GGUF_DEFAULT_ALIGNMENT, MODEL_ARCH_NAMES
from gguf_builder import FORMATS, Raw, vocab_file

from guiapp.core.formats.file_bytes import HeaderBytes
from guiapp.core.formats.gguf_reader import (
    DEFAULT_ALIGNMENT,
    KINDS,
    SIZES,
    MetadataField,
    VocabKeys,
    read_header,
)
from guiapp.core.vocabulary.special_ids import ARCHITECTURES


def contents(path: Path) -> dict[str, tuple[list[str], object]]:
    """Types and value of each field, by our reader."""
    source = HeaderBytes(path, lambda share: None)
    fields = read_header(source).fields
    source.close()
    keys = VocabKeys(source, fields)
    return {
        name: (field.kind.upper().split(" OF "), value(keys, name, field)) for name, field in fields.items()
    }


def value(keys: VocabKeys, name: str, field: MetadataField) -> object:
    if field.kind == "array of string":
        data, offsets, _ = keys.strings(name)
        return [data[start:end].tobytes().decode() for start, end in pairwise(offsets.tolist())]
    if field.kind.startswith("array"):
        return keys.numbers(name, field.kind.removeprefix("array of ")).tolist()
    return field.value.decode() if field.kind == "string" else field.value


def stock_contents(path: Path) -> dict[str, tuple[list[str], object]]:
    fields = GGUFReader(path).fields
    return {
        name: ([kind.name for kind in field.types], field.contents())
        for name, field in fields.items()
        if not name.startswith("GGUF.")
    }


def test_fields_of_every_type_equal_those_of_the_stock_reader(tmp_path):
    file = vocab_file(tokens=["a", "é", ""], merges=["a b"], scores=[0.5, -1.0, 3.0])
    for kind in FORMATS:
        value = 1.5 if kind.startswith("f") else 1
        file.add(f"one.{kind}", Raw(kind, value)).add(f"many.{kind}", Raw(f"array:{kind}", [value, 0, value]))
    path = file.write(tmp_path / "model.gguf")
    assert contents(path) == stock_contents(path)


@pytest.mark.real_vocabs
def test_fields_of_a_real_file_equal_those_of_the_stock_reader():
    path = VOCABS / "ggml-vocab-bert-bge.gguf"
    assert contents(path) == stock_contents(path)


def test_strings_are_found_across_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("guiapp.core.formats.file_bytes.CHUNK_BYTES", 7)
    monkeypatch.setattr("guiapp.core.formats.file_bytes.FIRST_ROOM_BYTES", 7)
    file = vocab_file(tokens=[f"token {number}" * (1 + number % 5) for number in range(100)], types=[1] * 100)
    path = file.write(tmp_path / "model.gguf")
    assert contents(path) == stock_contents(path)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    path = vocab_file(tokens=["a"] * 1000).write(tmp_path / "model.gguf")
    source = HeaderBytes(path, lambda share: None)
    path.write_bytes(b"GGUF")
    with pytest.raises(Exception, match="became shorter"):
        read_header(source)
    source.close()


def test_what_gguf_knows_is_known():
    assert {kind.name.lower() for kind in GGUFValueType} == set(KINDS)
    assert all(KINDS[kind] == kind.name.lower() for kind in GGUFValueType)
    assert set(MODEL_ARCH_NAMES.values()) - {"clip", "gptj"} <= set(ARCHITECTURES.split())
    assert {int(kind): sizes for kind, sizes in GGML_QUANT_SIZES.items()} == SIZES
    assert DEFAULT_ALIGNMENT == GGUF_DEFAULT_ALIGNMENT


@pytest.mark.parametrize(("values", "n_bytes"), [(["a"] * 3, 3 * 16), (Raw("array:i32", [1] * 3), 3 * 4)])
def test_what_reading_an_array_takes_is_counted(tmp_path, values, n_bytes):
    source = HeaderBytes(vocab_file(tokens=values).write(tmp_path / "model.gguf"), lambda share: None)
    before = source._reserved
    read_header(source)
    source.close()
    assert source._reserved - before == n_bytes
