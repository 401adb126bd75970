"""Checks that a tokenizer gives the same results as llama.cpp with random texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fuzzing import SEED
from model_files import special_texts
from random_texts import text_of

from guiapp.core.encode.tokenizer import Tokenizer


@contextmanager
def llama_oracle() -> Iterator[Any]:
    """llama.cpp itself, if it is installed next to the checkout."""
    loaded = pytest.importorskip("llama_oracle").LlamaOracle()
    try:
        yield loaded
    finally:
        loaded.close()


def check(tokenizer: Tokenizer, oracle: Any, count: int) -> None:
    """Assert equal ids and bytes of `count` texts, with random options."""
    extra = special_texts(tokenizer, 200)
    for index in range(count):
        text = text_of(SEED, index, extra)
        rng = random.Random(f"{SEED} {index} switches")
        add, parse, remove, unparse = (rng.random() < 0.5 for _ in range(4))
        story = f"seed {SEED}, index {index}: {text!r}, add_special={add}, parse_special={parse}"
        expected = oracle.tokenize(text, add, parse)
        encoder = rng.choice(tokenizer.exact_encoders)
        assert tokenizer.encode(text, add, parse).token_ids.tolist() == expected, story
        chosen = tokenizer.encode(text, add, parse, encoder)
        assert chosen.token_ids.tolist() == expected, f"{encoder}: {story}"
        decoded = tokenizer.decode_bytes(expected, remove, unparse)
        assert decoded == oracle.detokenize(expected, remove, unparse), f"{expected}, {remove=}, {unparse=}"
