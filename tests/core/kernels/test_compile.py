"""Kernels are compiled once, before use, for the types that their annotations name."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import VOCABS

from guiapp import open_model
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.editing.live_encoding import LiveEncoding
from guiapp.core.editing.options import Options
from guiapp.core.kernels.compile import (
    Kernel,
    declared_kernels,
    interpret_if_small,
    is_interpreted,
    run_interpreted,
)
from guiapp.core.tokenizer import Tokenizer

TEXT = (
    "Token <s> ﬁnd Ⅻ 汉字 🚀 don't 12345   \n\tx = [1]; İstanbul été…".encode()
    + b" \xff \xe2\x82 \xed\xa0\x80 z"
)
REAL = ["llama-spm", "llama-bpe", "bert-bge", "gemma-4"]


def use(tokenizer: Tokenizer) -> None:
    """Encode, edit and decode with every encoder."""
    for encoder in tokenizer.encoders:
        encoding = tokenizer.encode(TEXT, encoder=encoder)
        live = LiveEncoding(tokenizer, encoding, Options(True, True, encoder))
        text = np.frombuffer(bytearray(TEXT[:30] + b"ab" + TEXT[30:]), np.uint8)
        live.update(text, live.window(text, 30, 0, 2))
        tokenizer.decode_bytes(encoding.token_ids)
    assert tokenizer.vocabulary.find(b"\xff nowhere") is None


def compiled_types(kernel: Kernel[..., object]) -> list[object]:
    return [] if kernel.dispatcher is None else list(kernel.dispatcher.signatures)


def only_expected_types() -> bool:
    return all(len(compiled_types(kernel)) <= 1 for kernel in declared_kernels())


@pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")
@pytest.mark.parametrize("name", [model.name for model in DEMO_MODELS])
def test_using_a_demo_model_compiles_nothing_but_what_annotations_name(name):
    use(open_model(f"demo:{name}"))
    assert only_expected_types()


@pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")
@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", REAL)
def test_using_a_real_model_compiles_nothing_but_what_annotations_name(name):
    use(open_model(next(VOCABS.glob(f"**/*{name}*.gguf"))))
    assert only_expected_types()


@pytest.mark.parametrize(
    ("model_bytes", "text_bytes", "expected"),
    [(50_000, 100, True), (50_000, 1 << 20, False), (1 << 20, 100, False)],
)
def test_small_work_is_done_without_compiling(model_bytes, text_bytes, expected):
    before = is_interpreted()
    interpret_if_small(model_bytes, text_bytes)
    assert is_interpreted() is (expected or before)
    run_interpreted(before)
