"""Tokenizers of model files, opened once, and the texts of their special tokens."""

from functools import cache
from pathlib import Path

import pytest
from conftest import VOCABS

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode.tokenizer import Tokenizer

ALL_MODELS = [
    *(f"demo:{model.name}" for model in DEMO_MODELS),
    *(pytest.param(path, id=path.stem, marks=pytest.mark.real_vocabs) for path in VOCABS.glob("*.gguf")),
]


@cache
def opened(model: str | Path, pre: str | None = None) -> Tokenizer:
    """A tokenizer, read once in each process and shared by all tests, which must not change it."""
    return guiapp.open_model(model, pre)


def special_texts(tokenizer: Tokenizer, most: int | None = None) -> list[bytes]:
    """The texts of the tokens that are parsed in texts, in the order in which they are tried."""
    token_ids = tokenizer.special_tokens.searched_for(True)[:most].tolist()
    return [tokenizer.vocabulary.raw_text(token_id) for token_id in token_ids]
