"""What tokens of each kind of file stand for, written out, and how their files would spell a text."""

import json
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, write_vocab
from piece_models import model, piece
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.vocabulary.attributes import KIND_NAMES, Attribute
from guiapp.core.vocabulary.merges import without_texts
from guiapp.core.vocabulary.vocabulary import SpecialIds, VocabType, special_role
from guiapp.errors import VocabError

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
DNA = {"tokens": ["<dna>", "A\ue000", "<oov>", "C\ue000", "\ue000", "a"], "merges": ["a b"], "pre": "gpt-2"}
SPELLED = {
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


@pytest.mark.parametrize(("parts", "stand_for", "spelled"), SPELLED.values(), ids=SPELLED)
def test_tokens_stand_for_what_their_files_spell_so(tmp_path, parts, stand_for, spelled):
    vocabulary = load_vocabulary(write_vocab(tmp_path / "model.gguf", **parts))
    found = [vocabulary.token_bytes(token) for token in range(len(vocabulary))]
    if stand_for is not None:
        assert found == stand_for
        assert vocabulary.longest_token_bytes == max(map(len, found))
    assert vocabulary.spell(b"a b\n") == spelled
    assert vocabulary.has_letters == (parts["model"] not in ("rwkv", "test"))


def test_only_behind_oov_dna_loses_what_tells_it_from_words(tmp_path):
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
    said = {
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
    path.write_text(json.dumps(said))
    return path


def test_what_ends_words_stands_for_a_space_but_not_in_special_tokens(tmp_path):
    vocabulary = guiapp.open_model(tokenizer_json(tmp_path)).vocabulary
    found = [vocabulary.token_bytes(token) for token in range(len(vocabulary))]
    assert found == [b"a", b"b ", b"ab ", b" ", b"<s></w>"]
    assert vocabulary.merges == ((b"a", b"b</w>"),)


def test_a_merge_rule_of_no_token_is_refused_by_its_text(tmp_path):
    path = tokenizer_json(tmp_path, merges=[["a", "b</w>"], ["a", "zz"]])
    with pytest.raises(VocabError) as error:
        guiapp.open_model(path)
    assert str(error.value) == (
        f"{path} has a merge rule with “zz”, which is none of its tokens. Download it again, or choose "
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


def test_pieces_that_sentencepiece_reads_like_normal_ones_are_spelled_so(tmp_path):
    path = tmp_path / "tokenizer.model"
    kinds = [UNKNOWN, NORMAL, USER_DEFINED, UNUSED, CONTROL]
    path.write_bytes(
        model([piece(f"▁{number}", kind=kind) for number, kind in enumerate(kinds)], {3: 1}, {3: 0})
    )
    vocabulary = guiapp.open_model(path).vocabulary
    found = [vocabulary.token_bytes(token).decode() for token in range(len(vocabulary))]
    assert found[1:4] == [" 1", " 2", " 3"]
    assert found[4] == "▁4"


def test_a_kind_is_the_bit_that_decides_how_a_token_is_used():
    every = {name: Attribute[name.upper().replace("-", "_")] for name in KIND_NAMES if name != "undefined"}
    several = {f"{first} {other}": every[first] | every[other] for first, other in combinations(every, 2)}
    vocabulary = toy_vocabulary(every | {"none": Attribute(0)} | several)
    told = [vocabulary.kind(token) for token in range(len(vocabulary))]
    assert told == [*every, "undefined", *(name.split()[0] for name in several)]
    assert [KIND_NAMES[kind] for kind in vocabulary.kinds] == told


def test_roles_are_named_in_the_order_of_the_file_and_ends_last():
    ids = SpecialIds(bos=0, eos=1, eot=1, fim_pre=0)
    vocabulary = toy_vocabulary(dict.fromkeys("abc", 0.0), special_ids=ids, eog=[1, 2])
    assert [special_role(vocabulary, token) for token in range(3)] == [
        "BOS · FIM PRE",
        "EOS · EOT · EOG",
        "EOG",
    ]
    assert special_role(replace(vocabulary, eog=frozenset()), 2) == ""


@pytest.mark.parametrize("role", ["bos", "eos", "pad", None])
def test_an_unknown_token_that_begins_or_ends_texts_is_not_marked(role):
    ids = SpecialIds(unk=1, **({role: 1} if role else {}))
    effective_attributes = toy_vocabulary(
        {"a": 0.0, "b": Attribute.CONTROL}, special_ids=ids
    ).effective_attributes
    assert (Attribute.UNKNOWN in Attribute(int(effective_attributes[1]))) == (role not in ("bos", "eos"))


def test_what_splits_the_text_is_the_choice_or_else_what_the_file_names():
    vocabulary = toy_vocabulary({"a": 0.0}, VocabType.BPE)
    assert vocabulary.pre_in_use == "llama-bpe"
    assert replace(vocabulary, chosen_pre="qwen2").pre_in_use == "qwen2"
