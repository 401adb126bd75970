"""What every name of a pre-tokenizer stands for equals what it is to llama.cpp."""

from __future__ import annotations

import os

import pytest
from conftest import VOCABS
from fuzzing import rounds
from gguf_builder import entry
from llama_equality import check, llama_oracle

import guiapp
from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS

pytestmark = pytest.mark.real_vocabs

SOURCE = VOCABS / "ggml-vocab-gpt-2.gguf"  # is given every name
PRE_OF_SOURCE = "gpt-2"


@pytest.fixture(scope="module")
def oracle():
    with llama_oracle() as loaded:
        yield loaded


@rounds(usual=150, exhaustive=500)
@pytest.mark.parametrize("pre", [pre for pre in PRE_TOKENIZERS if pre != "whitespace"])
def test_every_name_splits_and_decodes_as_llama_cpp_does(pre, count, oracle, tmp_path):
    path = tmp_path / "rewritten.gguf"
    rewrite_pre(SOURCE, path, pre)
    check(guiapp.open_model(path), oracle.load(os.fspath(path)), count)


def rewrite_pre(source, target, pre):
    """Copy a vocabulary file, which has no tensors to be aligned, with another `tokenizer.ggml.pre`."""
    key = "tokenizer.ggml.pre"
    before, former, behind = source.read_bytes().partition(entry(key, PRE_OF_SOURCE))
    assert former
    target.write_bytes(before + entry(key, pre) + behind)
