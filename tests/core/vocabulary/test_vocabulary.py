"""What tokens stand for, in vocabularies that no converter would write; checked with llama.cpp."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, vocab_file, write_vocab
from piece_models import model, piece
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.vocabulary import byte_alphabet
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.merges import without_texts
from guiapp.core.vocabulary.vocabulary import SpecialIds, VocabType
from guiapp.errors import VocabError

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
def test_the_bytes_of_odd_tokens_match_llama_cpp(tmp_path, parts):
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


def test_tokens_are_looked_up_by_text(tmp_path):
    vocabulary = load_vocabulary(write_vocab(tmp_path / "model.gguf", tokens=["a", "b"], scores=[0.0, -1.5]))
    assert (vocabulary.find(b"b"), vocabulary.find(b"c")) == (1, None)
    assert vocabulary.score(1) == -1.5


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


def test_the_byte_alphabet_arrays_match_its_functions():
    everything = bytes(range(256))
    assert byte_alphabet.unspell(byte_alphabet.spell(everything)) == everything
    for byte, character in enumerate(byte_alphabet.CHARACTER_OF_BYTE):
        assert byte_alphabet.CODE_POINTS[byte] == ord(character)
        assert byte_alphabet.BYTES[ord(character)] == byte
    assert (byte_alphabet.BYTES >= 0).sum() == 256


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
DNA = {"tokens": ["<dna>", "A\ue000", "<oov>", "C\ue000", "\ue000", "a"], "merges": ["a b"], "pre": "gpt-2"}
SPELLINGS = {
    "rwkv": ({"model": "rwkv", "architecture": "rwkv6", "tokens": ["\\n", "\\xc3\\xa9", "é", "a b"]},
             [b"\n", b"\xc3\xa9", "é".encode(), b"a b"], b"a b\n"),
    "bpe": ({"model": "gpt2", "pre": "gpt-2", "tokens": ["Ġa", "Ċ", "Ã©"], "merges": ["a b"]},
            [b" a", b"\n", "é".encode()], "aĠbĊ".encode()),
    "spm": ({"model": "llama", "tokens": ["▁a▁", "é", "<0x0A>"], "types": [NORMAL, NORMAL, BYTE]},
            [b" a ", "é".encode(), b"\n"], "a▁b\n".encode()),
    "plamo2": ({"model": "plamo2", "tokens": ["<unk>", "a▁", *BYTES], "types": [2, 1, *[BYTE] * 256]},
               [b"<unk>", "a▁".encode(), *[bytes([byte]) for byte in range(256)]], b"a b\n"),
    "test": ({"model": "test", "tokens": [*"abcdefghijklmnopq"]},
             [b"%x" % number for number in range(17)], "a▁b\n".encode()),
    "dna": ({"model": "hybriddna", "types": [USER_DEFINED, *[NORMAL] * 5]} | DNA,
            None, "aĠbĊ".encode()),
    "wpm": ({"model": "bert", "tokens": ["▁a", "b", "[UNK]"], "types": [1, 1, 2]}, [b" a", b"b", b"[UNK]"],
            "a▁b\n".encode()),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "stand_for", "spelling"), SPELLINGS.values(), ids=SPELLINGS)
def test_tokens_stand_for_what_their_files_spell_so(tmp_path, parts, stand_for, spelling):
    vocabulary = load_vocabulary(write_vocab(tmp_path / "model.gguf", **parts))
    token_texts = [vocabulary.token_bytes(token) for token in range(len(vocabulary))]
    if stand_for is not None:
        assert token_texts == stand_for
        assert vocabulary.longest_token_bytes == max(map(len, token_texts))
    assert vocabulary.spell(b"a b\n") == spelling
    assert vocabulary.has_letters == (parts["model"] not in ("rwkv", "test"))


def test_dna_tokens_lose_their_mark_only_after_oov(tmp_path):
    path = write_vocab(tmp_path / "model.gguf", model="hybriddna", types=[USER_DEFINED, *[NORMAL] * 5], **DNA)
    vocabulary = load_vocabulary(path)
    data, offsets = vocabulary.unmarked_texts
    texts = [data[start:end].tobytes().decode() for start, end in pairwise(offsets)]
    assert texts == ["<dna>", "A\ue000", "<oov>", "C", "\ue000", "a"]
    assert vocabulary.raw_text(3) == "C\ue000".encode()
    without = replace(vocabulary, model="gpt2")
    assert without.unmarked_texts[0] is without.token_data
    words = [token for token in DNA["tokens"] if token != "<oov>"]
    path = write_vocab(tmp_path / "words.gguf", model="hybriddna", **DNA | {"tokens": words})
    data, _ = load_vocabulary(path).unmarked_texts
    assert data.tobytes().decode() == "".join(words)


def tokenizer_json(folder, **model_parts):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    document = {
        "added_tokens": [{"id": 4, "content": "<s></w>", "special": True, **flags}],
        "model": {
            "type": "BPE",
            "vocab": {"a": 0, "b</w>": 1, "ab</w>": 2, "</w>": 3},
            "merges": [["a", "b</w>"]],
            "end_of_word_suffix": "</w>",
        }
        | model_parts,
    }
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(document))
    return path


def test_what_ends_words_stands_for_a_space_but_not_in_special_tokens(tmp_path):
    vocabulary = guiapp.open_model(tokenizer_json(tmp_path)).vocabulary
    token_texts = [vocabulary.token_bytes(token) for token in range(len(vocabulary))]
    assert token_texts == [b"a", b"b ", b"ab ", b" ", b"<s></w>"]
    assert vocabulary.merges == ((b"a", b"b</w>"),)


def test_a_merge_rule_of_no_token_is_refused_by_its_text(tmp_path):
    path = tokenizer_json(tmp_path, merges=[["a", "b</w>"], ["a", "zz"]])
    with pytest.raises(VocabError) as error:
        guiapp.open_model(path)
    assert str(error.value) == (
        f"{path} has a merge rule with “zz”, which is not one of its tokens. Download it again, or choose "
        "another file."
    )
    assert error.value.code == "merge_of_no_token"


def test_no_text_becomes_a_token_whose_text_was_taken_nor_does_it_merge_to_one(tmp_path):
    tokens = {"a": 0.0, "b": 0.0, "c": 0.0, "ab": 0.0, "abc": 0.0, "bc": 0.0}
    merges = ("a b", "ab c", "b c", "a bc")
    vocabulary = toy_vocabulary(tokens, VocabType.BPE, merges)
    without = without_texts(vocabulary, np.array([3]))
    assert without.merges == ((b"b", b"c"), (b"a", b"bc"))
    assert without.find(b"ab") is None
    assert [without.find(text.encode()) for text in ("a", "b", "abc")] == [0, 1, 4]
    assert len(without) == len(vocabulary)
    last = without_texts(vocabulary, np.array([4, 0]))
    assert last.merges == ((b"b", b"c"),)
    unscored = without_texts(toy_vocabulary({"a": -1.0, "b": -2.0}), np.array([0]))
    assert (unscored.find(b"a"), unscored.find(b"b")) == (None, 1)
    with_prefix = guiapp.open_model(
        tokenizer_json(
            tmp_path,
            vocab={"a": 0, "##b": 1, "ab": 2, "##c": 3},
            merges=[["a", "##b"], ["ab", "##c"]][:1],
            end_of_word_suffix="",
            continuing_subword_prefix="##",
        )
    ).vocabulary
    assert without_texts(with_prefix, np.array([2])).merges == ()
    assert without_texts(with_prefix, np.array([3])).merges == ((b"a", b"##b"),)


def test_pieces_read_like_normal_ones_are_spelled_like_them(tmp_path):
    path = tmp_path / "tokenizer.model"
    kinds = [UNKNOWN, NORMAL, USER_DEFINED, UNUSED, CONTROL]
    path.write_bytes(
        model([piece(f"▁{number}", kind=kind) for number, kind in enumerate(kinds)], {3: 1}, {3: 0})
    )
    vocabulary = guiapp.open_model(path).vocabulary
    token_texts = [vocabulary.token_bytes(token).decode() for token in range(len(vocabulary))]
    assert token_texts[1:4] == [" 1", " 2", " 3"]
    assert token_texts[4] == "▁4"


@pytest.mark.parametrize("role", ["bos", "eos", "pad", None])
def test_an_unknown_token_that_begins_or_ends_texts_is_not_marked(role):
    ids = SpecialIds(unk=1, **({role: 1} if role else {}))
    effective_attributes = toy_vocabulary(
        {"a": 0.0, "b": Attribute.CONTROL}, special_ids=ids
    ).effective_attributes
    assert (Attribute.UNKNOWN in Attribute(int(effective_attributes[1]))) == (role not in ("bos", "eos"))
