"""Copies of GGUF files, against gguf's own reader and writer: only what is to change does."""

import errno
import shutil
from hashlib import sha256
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf_builder import Tensor, vocab_file
from small_files import bpe

from guiapp.core.formats.gguf_copy import GgufValue, copy_with
from guiapp.errors import VocabError

KEY = "tokenizer.ggml.pre"


def nothing(_share: float) -> None:
    pass


def written(path: Path, alignment: int) -> Path:
    """A file with keys of every kind and tensors of odd sizes, by gguf's writer."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_custom_alignment(alignment)
    writer.add_string(KEY, "wrong")
    writer.add_array("tokenizer.ggml.tokens", ["a", "ä", ""])
    writer.add_array("x.floats", [0.5, -1.5])
    writer.add_bool("x.bool", True)
    writer.add_uint64("x.u64", 1 << 40)
    writer.add_int8("x.i8", -3)
    for number, size in enumerate((1, 7, 300)):
        writer.add_tensor(f"t{number}", np.arange(size, dtype=np.float32) + number)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def entries(path: Path) -> list[tuple[str, list[int], bytes]]:
    fields = gguf.GGUFReader(path).fields.values()
    return [(each.name, list(each.types), b"".join(map(bytes, each.parts))) for each in fields]


@pytest.mark.parametrize("alignment", [8, 32, 4096])
@pytest.mark.parametrize("pre", [b"", b"gpt-2", b"x" * 999, None])
def test_unchanged_keys_tensors_and_their_order_are_preserved(tmp_path: Path, alignment: int, pre):
    path = written(tmp_path / "a.gguf", alignment)
    new = None if pre is None else GgufValue("string", pre)
    added = {"x.new": lambda old: GgufValue("array of string", [b"p", b"q"])}
    pairs = copy_with(path, tmp_path / "b.gguf", {KEY: lambda _old: new, **added}, nothing)
    assert pairs[KEY] == (GgufValue("string", b"wrong"), new)
    before, after = entries(path), entries(tmp_path / "b.gguf")
    others = [each for each in after if each[0] not in (KEY, "x.new", "GGUF.kv_count")]
    assert others == [each for each in before if each[0] not in (KEY, "GGUF.kv_count")]
    reader = gguf.GGUFReader(tmp_path / "b.gguf")
    assert (KEY in reader.fields) is (pre is not None)
    assert reader.fields["x.new"].contents() == ["p", "q"]
    for old, copied in zip(gguf.GGUFReader(path).tensors, reader.tensors, strict=True):
        assert (old.name, old.tensor_type) == (copied.name, copied.tensor_type)
        assert sha256(old.data.tobytes()).digest() == sha256(copied.data.tobytes()).digest()
        assert copied.data_offset % alignment == 0


def test_a_copy_without_a_change_has_the_same_bytes(tmp_path: Path):
    same = GgufValue("array of string", [b"a", "ä".encode(), b""])
    path = written(tmp_path / "a.gguf", 32)
    pairs = copy_with(path, tmp_path / "b.gguf", {"tokenizer.ggml.tokens": lambda old: old}, nothing)
    assert pairs["tokenizer.ggml.tokens"] == (same, same)
    assert (tmp_path / "b.gguf").read_bytes() == path.read_bytes()


def grow(path: Path):
    def progress(_share: float) -> None:
        with path.open("ab") as file:
            file.write(b"more")

    return progress


def cut_list(path: Path) -> None:
    file = vocab_file(tokens=["a"])
    file.tensors, file.n_tensors = [Tensor("t", (8,))], 9
    path.write_bytes(file.to_bytes() + b"\xff" * 640)


def test_what_goes_wrong_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path, out = written(tmp_path / "a.gguf", 32), tmp_path / "b.gguf"

    def stop(_share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_with(path, out, {}, stop)
    with pytest.raises(VocabError, match="changed while"):
        copy_with(path, out, {}, grow(path))
    cut_list(tmp_path / "cut.gguf")
    with pytest.raises(VocabError, match="damaged"):
        copy_with(tmp_path / "cut.gguf", out, {}, nothing)
    full = shutil.disk_usage(tmp_path)._replace(free=100)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: full)
    with pytest.raises(OSError, match="100 free") as error:
        copy_with(path, out, {}, nothing)
    assert error.value.errno == errno.ENOSPC
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.gguf", "cut.gguf"]


def test_bytes_after_the_keys_are_preserved_without_tensors(tmp_path: Path):
    (tmp_path / "a.gguf").write_bytes(bpe().to_bytes() + b"tail")
    copy_with(tmp_path / "a.gguf", tmp_path / "b.gguf", {"general.architecture": lambda _old: None}, nothing)
    assert (tmp_path / "b.gguf").read_bytes().endswith(bpe().to_bytes()[-50:] + b"tail")
