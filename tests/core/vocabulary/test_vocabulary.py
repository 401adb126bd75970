"""What tokens stand for, in vocabularies that no converter would write; checked with llama.cpp."""

from __future__ import annotations

import struct
from dataclasses import asdict

import numpy as np
import pytest
from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, vocab_file, write_vocab
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds

BYTE_NAMES = [f"<0x{byte:02X}>" for byte in range(256)]
FIRST_SPM = ["<unk>", "<s>", "</s>", "<zz>", "<0x-1>", "<0x+5>", "<0x 5>", "<0x1g>", "abc", "a▁b", "▁", "\n"]
SPM_TYPES = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 6, UNUSED, 0, NORMAL]
RWKV = ["\\n", "a", "\\xc3\\xa9", "\\x0A", "\\t\\r\\\\", "\\q", "é", "\\xZZ", "\\x", "a\\"]
BPE = ["Ġ", "a中b", "\u0144", "aĊ", b"\xff\xfe", b"\xc3", "  ", "<|end|>"]

ODD: dict[str, dict[str, object]] = {
    "rwkv": {"model": "rwkv", "architecture": "rwkv6", "tokens": RWKV},
    "bpe": {"model": "gpt2", "pre": "gpt-2", "tokens": BPE, "types": [*[1] * 7, UNUSED], "merges": ["a b"]},
    "spm": {"tokens": FIRST_SPM + BYTE_NAMES, "types": SPM_TYPES + [BYTE] * 256},
    "plamo2": {"model": "plamo2", "tokens": ["<unk>", "a▁", *BYTE_NAMES], "types": [2, 1, *[BYTE] * 256]},
    "test": {"model": "test", "tokens": [str(number) for number in range(300)]},
    "dna": {
        "model": "hybriddna",
        "tokens": ["<dna>", "</dna>", "<oov>", "AAAAAA\ue000", "a", "Ċ"],
        "types": [USER_DEFINED] * 3 + [NORMAL] * 3,
        "merges": ["a b"],
        "pre": "gpt-2",
    },
    "dna that no text can have": {
        "model": "hybriddna",
        "tokens": ["AAAAAA\ue000", "<oov>", "CCCCCC\ue000"],
        "merges": ["a b"],
        "pre": "gpt-2",
    },
    "wpm": {
        "model": "bert",
        "architecture": "bert",
        "tokens": ["▁a", "b", "[UNK]", "x▁"],
        "types": [1, 1, 2, 1],
    },
}


@pytest.mark.real_vocabs
@pytest.mark.parametrize("parts", ODD.values(), ids=ODD)
def test_odd_tokens_stand_for_what_llama_cpp_says(tmp_path, parts):
    from llama_oracle import LlamaOracle

    path = write_vocab(tmp_path / "model.gguf", **parts)
    vocabulary, oracle = load_vocabulary(path), LlamaOracle().load(path)
    pieces = [oracle.token_to_piece(token_id) for token_id in range(len(vocabulary))]
    oracle.close()
    assert [vocabulary.token_bytes(token_id) for token_id in range(len(vocabulary))] == pieces


def test_a_token_of_unknown_characters_does_not_fill_the_memory(tmp_path):
    path = write_vocab(
        tmp_path / "x.gguf", model="gpt2", pre="gpt-2", tokens=["中" * 100_000], merges=["a b"]
    )
    assert load_vocabulary(path).token_bytes(0) == ("中" * 100_000).encode()


@pytest.mark.parametrize("token_id", [-1, 2, 1 << 31])
def test_ids_outside_the_vocabulary_are_refused(tmp_path, token_id):
    vocabulary = load_vocabulary(write_vocab(tmp_path / "model.gguf", tokens=["a", "b"]))
    for method in (vocabulary.raw_text, vocabulary.token_bytes, vocabulary.kind, vocabulary.score):
        with pytest.raises(IndexError):
            method(token_id)


def test_tokens_are_found_by_their_text(tmp_path):
    vocabulary = load_vocabulary(write_vocab(tmp_path / "model.gguf", tokens=["a", "b"], scores=[0.0, -1.5]))
    assert (vocabulary.find(b"b"), vocabulary.find(b"c")) == (1, None)
    assert vocabulary.score(1) == -1.5


def test_merges_are_told_by_rank(tmp_path):
    merges = ["a b", " a  b c", "ab", ""]
    path = write_vocab(tmp_path / "x.gguf", model="gpt2", tokens=["a", "b"], merges=merges)
    assert load_vocabulary(path).merges == ((b"a", b"b"), (b" a", b" b c"), (b"", b""), (b"", b""))


def test_there_are_91_names_of_pre_tokenizers():
    assert len(PRE_TOKENIZERS) == 91
    assert PRE_TOKENIZERS["llama-bpe"].ignore_merges
    assert not PRE_TOKENIZERS["qwen2"].clean_spaces
    assert PRE_TOKENIZERS["gemma4"].escape_spaces


@pytest.mark.parametrize(
    ("unk", "expected"), [(1, [False, True]), (100, [False, False]), (None, [False, False])]
)
def test_the_unknown_token_may_be_a_control_token(unk, expected):
    tokens = {"a": 0.0, "[UNK]": Attribute.CONTROL}
    effective_attributes = toy_vocabulary(tokens, special_ids=SpecialIds(unk=unk)).effective_attributes
    assert [Attribute.UNKNOWN in Attribute(int(bits)) for bits in effective_attributes] == expected
    assert Attribute.CONTROL in Attribute(int(effective_attributes[1]))


@pytest.mark.parametrize("model", ["llama", "t5"])
def test_signalling_nans_among_the_scores_signal_nothing(tmp_path, model):
    data = vocab_file(model=model, tokens=["<unk>", "a", "b"], scores=[1.5] * 3).to_bytes()
    path = tmp_path / "model.gguf"
    path.write_bytes(data.replace(struct.pack("<f", 1.5), struct.pack("<I", 0x7F800001)))
    assert np.isnan(guiapp.open_model(path).vocabulary.scores).all()


def test_no_rule_holds_unless_somebody_says_so():
    assert not any(asdict(Rules()).values())
