"""Vocabulary files of six tokens, and parts of files, for tests to change and to break."""

from __future__ import annotations

import struct
from pathlib import Path

from gguf_builder import GgufFile, Tensor, string, vocab_file

from guiapp.core.formats.table import load_vocabulary
from guiapp.core.vocabulary.vocabulary import Vocabulary

TOKENS = ["<unk>", "<s>", "</s>", "a", "b", "ab"]


def spm(**parts: object) -> GgufFile:
    return vocab_file(**{"model": "llama", "tokens": TOKENS, **parts})  # type: ignore[arg-type]


def bpe(**parts: object) -> GgufFile:
    defaults: dict[str, object] = {"model": "gpt2", "pre": "gpt-2", "tokens": TOKENS, "merges": ["a b"]}
    return vocab_file(**{**defaults, **parts})  # type: ignore[arg-type]


def with_tensor(**parts: object) -> GgufFile:
    file = spm()
    file.tensors = [Tensor("t", **parts)]  # type: ignore[arg-type]
    return file


def string_of_length(length: int) -> bytes:
    return string("x") + struct.pack("<iQ", 8, length)


def array_of(item_type: int, count: int) -> bytes:
    return string("x") + struct.pack("<iiQ", 9, item_type, count)


def load(tmp_path: Path, file: GgufFile) -> Vocabulary:
    return load_vocabulary(file.write(tmp_path / "model.gguf"))
