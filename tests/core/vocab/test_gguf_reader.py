"""The fast reader finds the fields that gguf's own reader finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import VOCABS
from gguf import GGUFReader
from gguf_builder import FORMATS, Raw, vocab_file

from guiapp.core.vocab.gguf_reader import HeaderReader
from guiapp.core.vocab.header_bytes import HeaderBytes


def contents(path: Path) -> dict[str, tuple[list[str], object]]:
    """Types and value of each field, by our reader."""
    source = HeaderBytes(path, lambda share: None)
    reader = HeaderReader(source)
    source.close()
    found: dict[str, tuple[list[str], object]] = {}
    for name, field in reader.fields.items():
        types = [kind.name for kind in field.types]
        if types == ["ARRAY", "STRING"]:
            data, starts, lengths = reader.strings(field)
            pairs = zip(starts.tolist(), lengths.tolist(), strict=True)
            found[name] = (types, [data[at : at + length].tobytes().decode() for at, length in pairs])
        else:
            found[name] = (types, field.contents())
    return found


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
    monkeypatch.setattr("guiapp.core.vocab.header_bytes.CHUNK_BYTES", 7)
    file = vocab_file(tokens=[f"token {number}" * (number % 5) for number in range(100)], types=[1] * 100)
    path = file.write(tmp_path / "model.gguf")
    assert contents(path) == stock_contents(path)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    path = vocab_file(tokens=["a"] * 1000).write(tmp_path / "model.gguf")
    source = HeaderBytes(path, lambda share: None)
    path.write_bytes(b"GGUF")
    with pytest.raises(Exception, match="became shorter"):
        HeaderReader(source)
    source.close()


def test_values_survive_the_growth_of_the_buffer(tmp_path, monkeypatch):
    monkeypatch.setattr("guiapp.core.vocab.header_bytes.CHUNK_BYTES", 16)
    path = vocab_file(tokens=["a"], keys={"z": Raw("array:u32", range(1000))}).write(tmp_path / "model.gguf")
    source = HeaderBytes(path, lambda share: None)
    field = HeaderReader(source).fields["z"]
    source.close()
    assert np.array_equal(field.parts[-1], np.arange(1000))
