"""What every name of a pre-tokenizer stands for equals what it is to llama.cpp."""

from __future__ import annotations

import os

import pytest
from fuzzing import rounds
from gguf_builder import CONTROL, Raw, entry, write_vocab
from llama_equality import check, llama_oracle
from pair_vocabularies import BYTE_TOKENS, spell
from planted import gguf_parts

import guiapp
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS

pytestmark = [pytest.mark.real_vocabs, pytest.mark.slow]

PRE_OF_SOURCE = "gpt-2"
N_TOKENS = 16_000  # which tell as many pairs of names apart, by 150 texts, as all tokens of GPT-2
NAMES = [pre for pre in PRE_TOKENIZERS if pre != "whitespace"]  # which takes another form of file
ADDED = ("bos", "eos", "sep")


@pytest.fixture(scope="module")
def oracle():
    with llama_oracle() as loaded:
        yield loaded


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The beginning of GPT-2, to be given every name: llama.cpp takes 0.16 s to load the whole."""
    parts = gguf_parts(PRE_OF_SOURCE)
    keys = {key: N_TOKENS - 1 if key.endswith("_id") else value for key, value in parts.pop("keys").items()}
    for name, n_more in (("tokens", 0), ("types", 0), ("merges", 256)):
        parts[name] = parts[name][: N_TOKENS - 1 - n_more]
    tokens, types = [*parts.pop("tokens"), b"<|endoftext|>"], [*parts.pop("types"), CONTROL]
    path = tmp_path_factory.mktemp("source") / "gpt-2.gguf"
    return write_vocab(path, tokens=tokens, types=Raw("array:i32", types), keys=keys, **parts)


@rounds(usual=120, exhaustive=500)
@pytest.mark.parametrize("pre", NAMES)
def test_every_name_splits_and_decodes_as_llama_cpp_does(pre, count, oracle, source, tmp_path):
    path = tmp_path / "rewritten.gguf"
    rewrite_pre(source, path, pre)
    check(guiapp.open_model(path), oracle.load(os.fspath(path)), count)


@pytest.mark.parametrize("pre", NAMES)
def test_what_a_file_leaves_open_is_as_llama_cpp_takes_it(pre, oracle, tmp_path):
    whole = ["zqj", spell(b" zqj"), spell(b"\n\n"), "▁zqj", "\n\n"]  # no merges lead there
    tokens = [*BYTE_TOKENS, *map(chr, b" \n"), "▁", *whole]
    path = write_vocab(tmp_path / "small.gguf", model="gpt2", pre=pre, tokens=tokens, merges=["z q"])
    tokenizer, model = guiapp.open_model(path), oracle.load(os.fspath(path))
    rules, ids, expected = tokenizer.vocabulary.rules, tokenizer.vocabulary.special_ids, model.info()
    assert [rules.add_bos, rules.add_eos, rules.add_sep] == [expected[f"add_{name}"] for name in ADDED]
    role_ids = (getattr(ids, name) for name in ADDED)
    assert [-1 if token is None else token for token in role_ids] == [expected[name] for name in ADDED]
    for text in (b"", b"zqj zqj", b"\n\nzqj\n\n\nZQJ", b"a zqj , zqj ."):
        token_ids = model.tokenize(text, True, True)
        assert tokenizer.encode(text).token_ids.tolist() == token_ids
        assert tokenizer.decode_bytes(token_ids) == model.detokenize(token_ids, False, True)


def rewrite_pre(source, target, pre):
    """Copy a vocabulary file, which has no tensors to be aligned, with another `tokenizer.ggml.pre`."""
    key = "tokenizer.ggml.pre"
    before, former, after = source.read_bytes().partition(entry(key, PRE_OF_SOURCE))
    assert former
    target.write_bytes(before + entry(key, pre) + after)
