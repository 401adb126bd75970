"""Broken and hostile files: a VocabError that says what is wrong, or a vocabulary with a warning.

The numbers are the rows of the table of malformed files in the specification of the loader.
"""

from __future__ import annotations

import os
import random
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from gguf_builder import BYTE, CONTROL, NORMAL, GgufFile, Raw, Tensor, entry, string, vocab_file
from small_files import array_of, bpe, load, spm, string_of_length, with_tensor

import guiapp
from guiapp.core.formats.gguf import MOST_MERGES, MOST_TOKENS
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import VocabError

BYTE_NAMES = [f"<0x{byte:02X}>" for byte in range(256)]


def plamo2(tokens: list[str], types: list[int]) -> GgufFile:
    return vocab_file(model="plamo2", tokens=tokens, types=types)


def ugm(charsmap: object) -> GgufFile:
    return vocab_file(model="t5", tokens=["<pad>", "</s>", "<unk>", "a"], precompiled_charsmap=charsmap)


def charsmap(units: list[int], replacements: bytes) -> Raw:
    table = struct.pack(f"<I{len(units)}I", 4 * len(units), *units)
    return Raw("array:u8", table + replacements)


def key_of_length(length: int) -> bytes:
    return struct.pack("<Q", length) + b"x" * 100


EMPTY_UNITS = [0] * 256
REFUSED: dict[str, tuple[GgufFile | bytes, str]] = {
    "1 empty": (b"", "is empty"),
    "2 three bytes": (b"GGU", "the header"),
    "2 magic only": (b"GGUF", "the header"),
    "2 cut in header": (b"GGUF\3\0\0\0\0", "the header"),
    "3 old format": (b"lmgg" + bytes(60), "old GGML"),
    "3 zip": (b"PK\3\4" + bytes(60), "zip archive"),
    "3 web page": (b"<!DOCTYPE html><html></html>", "web page"),
    "3 git-lfs": (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    "3 anything": (b"\x1b[31mred" + bytes(60), "not in a known tokenizer format"),
    "4 version 0": (GgufFile(version=0), "version 0"),
    "5 version 1": (GgufFile(version=1), "version 1; .* Convert the model again"),
    "7 version 4": (GgufFile(version=4), "version 4; .* A newer Tokenloupe may read it"),
    "7 version 2^32-1": (GgufFile(version=2**32 - 1), "reads versions 2 and 3"),
    "8 big-endian": (GgufFile(version=3 << 24), "big-endian"),
    "9 tensors 2^63": (GgufFile(n_tensors=2**63), "claims 9,223,372,036,854,775,808 tensors"),
    "9 tensors 2^64-1": (GgufFile(n_tensors=2**64 - 1), "18,446,744,073,709,551,615 tensors"),
    "10 tensors 2^40": (GgufFile(n_tensors=2**40), "1,099,511,627,776 tensors"),
    "11 keys 2^64-1": (GgufFile(n_entries=2**64 - 1), "claims 18,446,744,073,709,551,615 metadata"),
    "12 keys 2^40": (GgufFile(n_entries=2**40), "1,099,511,627,776 metadata keys"),
    "14 key length 2^64-1": (GgufFile().add_raw(key_of_length(2**64 - 1)), "byte 24"),
    "14 key length 2^31": (GgufFile().add_raw(key_of_length(2**31)), "byte 24"),
    "14 key length 2^30+1": (GgufFile().add_raw(key_of_length(2**30 + 1)), "byte 24"),
    "15 empty key": (GgufFile().add("", 1), "empty key at byte 24"),
    "19 duplicate key": (spm().add("general.architecture", "b"), "general.architecture twice"),
    "20 type 13": (GgufFile().add_raw(string("x") + struct.pack("<iQ", 13, 0)), "unknown type 13"),
    "20 type 2^32-1": (GgufFile().add_raw(string("x") + struct.pack("<iQ", -1, 0)), "unknown type"),
    "21 array of arrays": (GgufFile().add_raw(array_of(9, 1) + struct.pack("<iQ", 4, 0)), "array of arrays"),
    "21 deep": (GgufFile().add_raw(array_of(9, 1) + struct.pack("<iQ", 9, 1) * 10_000), "array of arrays"),
    "22 items of type 99": (GgufFile().add_raw(array_of(99, 0) + bytes(8)), "unknown type 99"),
    "23 count 2^64-1": (GgufFile().add_raw(array_of(4, 2**64 - 1)), "18,446,744,073,709,551,615 items"),
    "23 count 2^61 of u64": (GgufFile().add_raw(array_of(10, 2**61)), "items"),
    "23 count 2^30+1": (GgufFile().add_raw(array_of(0, 2**30 + 1)), "items"),
    "24 10^9 strings": (GgufFile().add_raw(array_of(8, 10**9)), "1,000,000,000 items"),
    "25 string of 4 GiB": (GgufFile().add_raw(string_of_length(2**32)), "4,294,967,296 bytes"),
    "25 string too long by one": (GgufFile(tail=b"yyyy").add_raw(string_of_length(5)), "5 bytes"),
    "27 alignment 0": (spm().add("general.alignment", 0), "alignment"),
    "27 alignment 3": (spm().add("general.alignment", 3), "alignment"),
    "28 alignment u64": (spm().add("general.alignment", Raw("u64", 32)), "alignment"),
    "28 alignment i32": (spm().add("general.alignment", Raw("i32", 32)), "alignment"),
    "32 5 dimensions": (with_tensor(shape=(1, 1, 1, 1, 1)), "5 dimensions"),
    "32 2^32-1 dimensions": (with_tensor(n_dims=2**32 - 1), "4,294,967,295 dimensions"),
    "33 negative dimension": (with_tensor(shape=(-1,)), "impossible size"),
    "34 too many elements": (with_tensor(shape=(2**40, 2**40)), "impossible size"),
    "36 long tensor name": (GgufFile(tensors=[Tensor("t" * 64)]), "64 bytes"),
    "36 duplicate tensor": (GgufFile(tensors=[Tensor("t"), Tensor("t", offset=32)]), "tensor t twice"),
    "42 no model": (spm(model=None), "tokenizer.ggml.model"),
    "42 model u32": (spm(model=1), "tokenizer.ggml.model of type uint32"),
    "42 model xyz": (spm(model="xyz"), "xyz"),
    "43 no vocabulary": (spm(model="no_vocab"), "no vocabulary"),
    "43 none": (spm(model="none"), "no vocabulary"),
    "44 unknown pre": (bpe(pre="foo-9"), "foo-9"),
    "44 pre u32": (bpe(pre=5), "tokenizer.ggml.pre of type uint32"),
    "46 no tokens": (spm(tokens=None), "no tokens"),
    "46 tokens i32": (spm(tokens=[1, 2]), "tokens of type array of int32"),
    "46 tokens string": (spm(tokens="abc"), "tokens of type string"),
    "47 no wpm tokens": (spm(model="bert", tokens=[]), "empty list"),
    "47 no test tokens": (spm(model="test", tokens=[]), "empty list"),
    "48 equal tokens": (spm(tokens=["x", "a", "y", "a"]), "1 and 3 are both 'a'"),
    "50 [EMPTY_1] twice": (spm(tokens=["[EMPTY_1]", ""]), "0 and 1"),
    "52 equal up to NUL": (spm(tokens=["a", "a\0b"]), "0 and 1"),
    "54 scores short": (spm(scores=[0.0] * 5), "5 values in tokenizer.ggml.scores for 6 tokens"),
    "56 scores f64": (spm(scores=Raw("array:f64", [0.0] * 6)), "array of float64"),
    "56 scores scalar": (spm(scores=1.0), "scores of type float32"),
    "56 scores u8": (spm(scores=Raw("array:u8", [0] * 6)), "array of uint8"),
    "60 types short": (spm(types=[1] * 5), "5 values in tokenizer.ggml.token_type"),
    "60 types u32": (spm(types=Raw("array:u32", [1] * 6)), "array of uint32"),
    "63 short byte token": (spm(tokens=["a", "b"], types=[NORMAL, BYTE]), "byte token 1"),
    "65 no merges": (bpe(merges=None), "no merge rules"),
    "65 merges i32": (bpe(merges=[1, 2]), "merges of type array of int32"),
    "72 bos i32": (spm(bos_token_id=Raw("i32", 1)), "bos_token_id of type int32"),
    "72 bos u64": (spm(bos_token_id=Raw("u64", 1)), "bos_token_id of type uint64"),
    "72 add_bos u8": (spm(add_bos_token=Raw("u8", 1)), "add_bos_token of type uint8"),
    "72 add_space_prefix u32": (spm(add_space_prefix=1), "add_space_prefix of type uint32"),
    "72 suppress_tokens u32": (spm(suppress_tokens=Raw("array:u32", [1])), "suppress_tokens"),
    "72 lowercase u8": (spm(**{"normalizer.lowercase": Raw("u8", 1)}), "lowercase of type uint8"),
    "75 charsmap empty": (ugm(Raw("array:u8", [])), "0 bytes long"),
    "75 charsmap of 3 bytes": (ugm(Raw("array:u8", [1, 2, 3])), "too short: 3 of"),
    "75 table 2^32-1": (ugm(Raw("array:u8", [255] * 8)), "8 of at least 4,294,967,300 bytes"),
    "75 table is all": (ugm(charsmap(EMPTY_UNITS, b"")), "is too short"),
    "76 charsmap u32": (ugm(Raw("array:u32", [1, 2])), "array of uint32"),
    "77 node outside": (ugm(charsmap([0xFFFF << 10, *EMPTY_UNITS[1:]], b"\0")), "outside its table"),
    "78 replacement outside": (
        ugm(charsmap([1 << 10, *EMPTY_UNITS[1:11], 0x10A | 1 << 10, *EMPTY_UNITS[12:]], b"x")),
        "replacement that is out of range",
    ),
    "84 byte missing": (plamo2(["x", *BYTE_NAMES[1:]], [NORMAL, *[BYTE] * 255]), "<0x00>"),
    "84 byte with id 0": (plamo2(BYTE_NAMES, [BYTE] * 256), "<0x00>"),
    "84 no byte": (plamo2(["x", *BYTE_NAMES, "<0xZZ>"], [NORMAL, *[BYTE] * 257]), "byte token 257"),
}


@pytest.mark.parametrize(("file", "words"), REFUSED.values(), ids=REFUSED)
def test_hostile_files_are_refused_with_a_clear_message(tmp_path, file, words):
    path = tmp_path / "model.gguf"
    path.write_bytes(file if isinstance(file, bytes) else file.to_bytes())
    with pytest.raises(VocabError, match=words) as caught:
        load_vocabulary(path)
    message = str(caught.value)
    assert message.startswith("model.gguf ")
    assert message.isprintable()


ACCEPTED: dict[str, tuple[GgufFile, str]] = {
    "16 key of 70,000 bytes": (spm().add("k" * 70_000, 1), ""),
    "17 key with NUL": (spm().add("tokenizer.ggml.model\0x", "xyz"), "is ignored"),
    "18 key not UTF-8": (spm().add(b"\xff\xfe", 1), ""),
    "26 bool of 2": (spm(add_eos_token=Raw("bool", b"\2")), ""),
    "29 alignment 2^31": (spm().add("general.alignment", 2**31), ""),
    "35 tensor type 9999": (with_tensor(type=9999), "unknown type 9999"),
    "35 tensor type 43": (with_tensor(type=43), "unknown type 43"),
    "35 tensor type -1": (with_tensor(type=-1), "unknown type -1"),
    "37 tensor offset": (with_tensor(offset=7), "starts at 7 instead of 0"),
    "37 data missing": (with_tensor(shape=(2**50,)), "incomplete"),
    "37 size wraps": (with_tensor(shape=(2**62, 1)), "incomplete"),
    "38 no elements": (with_tensor(shape=(0,)), ""),
    "40 no architecture": (spm(architecture=None), "architecture"),
    "40 unknown architecture": (spm(architecture="zzz"), "zzz"),
    "40 architecture u32": (spm(architecture=5), "general.architecture is ignored"),
    "41 name u32": (spm(name=5), "general.name is ignored"),
    "45 pre missing": (bpe(pre=None), "not name a pre-tokenizer"),
    "45 pre empty": (bpe(pre=""), "not name a pre-tokenizer"),
    "47 no spm tokens": (spm(tokens=[]), "list of tokens is empty"),
    "47 no bpe tokens": (bpe(tokens=[]), "list of tokens is empty"),
    "49 empty token": (spm(tokens=["a", "", "b"]), "empty"),
    "51 token not UTF-8": (spm(tokens=[b"\xff\xfe", b"b"]), ""),
    "53 token of 1 MB": (spm(tokens=["a", "x" * 1_000_000]), ""),
    "55 one score too many": (spm(scores=[0.0] * 7), ""),
    "57 scores i32": (spm(scores=Raw("array:i32", [-3] * 6)), ""),
    "58 scores NaN": (spm(scores=[float("nan")] * 6), ""),
    "59 scores inf": (spm(scores=[float("inf"), -float("inf"), 1e38, 1e-45, 0.0, -0.0]), ""),
    "61 types 77, -5": (spm(types=[77, -5, 1, 1, 1, 1]), ""),
    "62 byte <zz>": (
        spm(tokens=["b", "<0xzz>"], types=[NORMAL, BYTE]),
        "Byte token 1 is not named like <0x0A>.",
    ),
    "62 bytes <zz>": (
        spm(tokens=["b", "<0xyy>", "<0xzz>"], types=[NORMAL, BYTE, BYTE]),
        "2 byte tokens are not named like <0x0A>; the first is token 1.",
    ),
    "64 spm without bytes": (spm(), "of the 256 byte tokens are missing"),
    "64 spm without one byte": (
        spm(tokens=["b", *(f"<0x{byte:02X}>" for byte in range(255))]),
        "1 of the 256 byte tokens is missing: byte FF",
    ),
    "66 no merges": (bpe(merges=[]), "merge rules is empty"),
    "66 merges odd": (bpe(merges=["ab", "", " a", "a b"]), "3 merge rules"),
    "67 merges unknown": (bpe(merges=["x y", "a b c"]), ""),
    "68 merges cyclic": (bpe(merges=["a b", "ab a", "b a", "a ba", "a b"]), ""),
    "70 bpe without bytes": (bpe(), "of the 256 byte tokens are missing"),
    "71 bos 99,999,999": (spm(bos_token_id=99_999_999), "bos_token_id is ignored"),
    "71 bos 2^32-1": (spm(bos_token_id=2**32 - 1), "bos_token_id is ignored"),
    "79 ugm without normal": (vocab_file(model="t5", tokens=["a", "b"], types=[3, 3]), ""),
    "81 rwkv without newline": (vocab_file(model="rwkv", tokens=["a", "xyz"]), ""),
    "83 rwkv bad escapes": (vocab_file(model="rwkv", tokens=["\\xZZ", "\\x", "\\", "\\q", "\\x0"]), ""),
    "85 phi-3 without </s>": (spm(name="Phi-3 mini", tokens=["a", "b"]), "Phi-3"),
    "87 split, badly named": (
        spm(keys={"split.count": Raw("u16", 2), "split.no": Raw("u16", 0)}),
        "part 1 of 2",
    ),
    "87 split 65535": (spm(keys={"split.count": Raw("u16", 65535)}), "part 1 of 65535"),
    "87 split u32": (spm(keys={"split.count": 2}), "split.count is ignored"),
    "87 split.no 1": (spm(keys={"split.count": Raw("u16", 2), "split.no": Raw("u16", 1)}), "part 2 of 2"),
    "90 template u32": (spm(keys={"tokenizer.chat_template": 5}), ""),
    "90 template with controls": (spm(keys={"tokenizer.chat_template": "\x1b[31m{{ x }}\0"}), ""),
}


@pytest.mark.parametrize(("file", "warning"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepted_with_a_warning_where_one_is_due(tmp_path, file, warning):
    vocabulary = load_vocabulary(file.write(tmp_path / "model.gguf"))
    assert warning in " ".join(vocabulary.warnings)
    assert " ".join(vocabulary.warnings).isprintable()
    for token_id in range(len(vocabulary)):
        vocabulary.token_bytes(token_id)


def test_more_tokens_than_any_model_has_are_refused_before_anything_is_made_of_them(tmp_path):
    count = MOST_TOKENS + 1
    file = spm(tokens=None, scores=None)
    file.add_raw(string("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, count) + bytes(8 * count))
    with pytest.raises(VocabError, match="The limit is 4,194,304"):
        load_vocabulary(file.write(tmp_path / "model.gguf"))


@pytest.mark.parametrize(
    ("kind", "shape", "size"),
    [(0, (64,), 256), (0, (3, 5), 64), (1, (40,), 96), (2, (64,), 64), (8, (96,), 128), (24, (32, 2), 64)],
)
def test_a_tensor_must_start_after_the_previous_one(tmp_path, kind, shape, size):
    def warnings_at(offset):
        file = with_tensor(type=kind, shape=shape)
        file.tensors.append(Tensor("next", (2**50,), offset=offset))
        return " ".join(load_vocabulary(file.write(tmp_path / "model.gguf")).warnings)

    assert "incomplete" in warnings_at(size)
    assert f"next starts at {size + 32} instead of {size}" in warnings_at(size + 32)


SEED = 20261121
N_FLIPS = 400


def small_files() -> dict[str, bytes]:
    spm = vocab_file(
        tokens=["<unk>", "<s>", "<0x0A>", "a", "▁a", "unused"],
        scores=[0.0, -1.0, -2.0, -3.0, -4.0, -5.0],
        types=[2, CONTROL, BYTE, NORMAL, NORMAL, CONTROL],
        name="phi-3",
        bos_token_id=1,
        add_bos_token=True,
        keys={"split.count": Raw("u16", 1), "general.alignment": 32},
    )
    spm.tensors = [Tensor("weights", (32, 2)), Tensor("bias", (2,), offset=256)]
    bpe = vocab_file(model="gpt2", pre="llama-bpe", tokens=["Ġ", "a", "Ġa", ""], merges=["Ġ a", "ab"])
    charsmap = Raw("array:u8", [0, 4, 0, 0, *[0] * 1024, *b"x\0"])
    ugm = vocab_file(model="t5", tokens=["<pad>", "</s>", "<unk>", "a"], precompiled_charsmap=charsmap)
    return {"spm": spm.to_bytes(), "bpe": bpe.to_bytes(), "ugm": ugm.to_bytes()}


FILES = small_files()


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a_file_cut_anywhere_is_refused(tmp_path, data):
    path = tmp_path / "model.gguf"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(VocabError):
            load_vocabulary(path)
    path.write_bytes(data)
    assert len(load_vocabulary(path)) > 0


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_flipped_bytes_give_a_vocabulary_or_a_vocab_error(tmp_path, data):
    path = tmp_path / "model.gguf"
    chance = random.Random(SEED)
    n_loaded = 0
    for _ in range(N_FLIPS):
        broken = bytearray(data)
        for _ in range(chance.choice((1, 1, 2, 8))):
            broken[chance.randrange(len(broken))] = chance.choice(
                (0, 1, 8, 0x7F, 0x80, 0xFF, chance.randrange(256))
            )
        path.write_bytes(broken)
        try:
            vocabulary = load_vocabulary(path)
        except VocabError:
            continue
        vocabulary.token_bytes(len(vocabulary) - 1)
        n_loaded += 1
    assert 0 < n_loaded < N_FLIPS


def test_version_2_is_read_like_version_3(tmp_path):
    file = spm()
    file.version = 2
    assert len(load(tmp_path, file)) == 6


def test_a_key_that_is_not_counted_is_not_read(tmp_path):
    file = spm().add("tokenizer.ggml.bos_token_id", 5)
    file.n_entries = len(file.entries) - 1
    assert load(tmp_path, file).special_ids.bos == 1


def test_a_key_with_nul_is_matched_by_the_part_before_it(tmp_path):
    file = GgufFile(entries=[entry("tokenizer.ggml.model\0!", "llama")])
    file.entries += spm(model=None).entries
    assert load(tmp_path, file).model == "llama"


def test_bytes_after_the_end_are_ignored(tmp_path):
    file = spm()
    file.tail = os.urandom(100)
    assert len(load(tmp_path, file)) == 6


def test_any_byte_but_zero_is_true(tmp_path):
    assert load(tmp_path, spm(add_eos_token=Raw("bool", b"\2"))).rules.add_eos is True


def test_tokens_are_cut_at_nul_and_empty_ones_named(tmp_path):
    vocabulary = load(tmp_path, spm(tokens=["a", "", "zz\0yy", "\0", *map(str, range(9)), ""]))
    texts = [vocabulary.raw_text(token_id) for token_id in (1, 2, 3, 13)]
    assert texts == [b"[EMPTY_1]", b"zz", b"[EMPTY_3]", b"[EMPTY_13]"]
    assert any(warning.startswith("4 tokens are empty") for warning in vocabulary.warnings)
    warnings = load(tmp_path, spm(tokens=["a", "", *map(str, range(9))])).warnings
    assert any(warning.startswith("1 token is empty") for warning in warnings)


def test_strange_types_are_undefined(tmp_path):
    vocabulary = load(tmp_path, spm(types=[77, -5, 1, 2, 3, 4]))
    assert vocabulary.kind(0) == vocabulary.kind(1) == "undefined"
    assert vocabulary.stored_types.tolist() == [77, -5, 1, 2, 3, 4]
    assert vocabulary.token_bytes(0) == b""
    assert vocabulary.kind(2) == "control"  # because of its text, </s>


def test_bits_of_unknown_kind_do_not_exist(tmp_path):
    vocabulary = load(
        tmp_path, spm(types=[2, 3, 3, 1, 4, 6], tokens=["<unk>", "<s>", "</s>", "a", "b", "<0x0A>"])
    )
    expected = (
        Attribute.UNKNOWN,
        Attribute.CONTROL,
        Attribute.CONTROL,
        Attribute.NORMAL,
        Attribute.USER_DEFINED,
    )
    assert vocabulary.attributes.tolist() == [*map(int, expected), int(Attribute.BYTE)]


def test_a_million_tensors_are_skipped_in_time(tmp_path):
    file = spm()
    file.n_tensors = 1_000_000
    tensors = np.repeat(np.array([(7, b"", 1, 0, 0, 0)], "<u8,S7,<u4,<i8,<i4,<u8"), file.n_tensors)
    tensors["f1"] = [b"%07d" % number for number in range(file.n_tensors)]
    file.tail = tensors.tobytes()
    assert len(load(tmp_path, file)) == 6


def test_four_million_merges_fit(tmp_path):
    merges = struct.pack("<iiQ", 9, 8, MOST_MERGES) + string("x") * MOST_MERGES
    file = bpe(merges=None).add_raw(string("tokenizer.ggml.merges") + merges)
    assert len(load(tmp_path, file).merge_offsets) == MOST_MERGES + 1


def test_a_template_of_100_mb_is_described(tmp_path):
    vocabulary = load(tmp_path, spm(keys={"tokenizer.chat_template": "x" * 100_000_000}))
    assert vocabulary.metadata["tokenizer.chat_template"] == "string of 100,000,000 bytes"


def test_unprintable_names_are_escaped(tmp_path):
    path = tmp_path / "evil\n\u202egguf"
    path.write_bytes(b"")
    with pytest.raises(VocabError, match=r"evil\\n\\u202egguf is empty"):
        load_vocabulary(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps file names as UTF-16")
def test_a_file_name_that_is_not_utf8_can_be_opened_and_shown(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.gguf"))
    spm().write(path)
    assert len(load_vocabulary(path)) == 6
    path.write_bytes(b"")
    with pytest.raises(VocabError, match=r"\\xff.gguf is empty"):
        load_vocabulary(path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in {
        "pipe": "regular",
        "loop": "opened",
        "missing": "opened",
        ".": "folder",
        "\0": "opened",
        "x" * 5000: "opened",
    }.items():
        with pytest.raises(VocabError, match=words):
            load_vocabulary(tmp_path / name)
    with pytest.raises(VocabError, match="regular"):
        load_vocabulary("/dev/zero")


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files")
def test_a_sparse_file_of_16_tib_is_read_like_a_small_one(tmp_path):
    path = with_tensor().write(tmp_path / "model.gguf")
    try:
        os.truncate(path, 1 << 44)
    except OSError:
        os.truncate(path, 1 << 42)
    assert len(load_vocabulary(path)) == 6


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files")
def test_counts_that_a_sparse_file_covers_do_not_take_memory(tmp_path):
    for number, file in enumerate(
        (
            GgufFile(n_entries=2**35),
            GgufFile(n_tensors=2**35),
            GgufFile().add_raw(array_of(8, 2**30)),
            GgufFile().add_raw(array_of(10, 2**30)),
            GgufFile().add_raw(string_of_length(2**30)),
        )
    ):
        path = file.write(tmp_path / f"{number}.gguf")
        os.truncate(path, 1 << 42)
        with pytest.raises(VocabError):
            load_vocabulary(path)


ODD_NAMES = [
    "", "\0", "a\0b", "x" * 5000, "a/" * 3000, "demo:", "demo:\0", "demo:\x1b[31m", "\ud800", b"abc", b"\xff",
    ".", "..", "~", "\udcff", "no such folder/model.gguf", f"{__file__}/below", "con:", b"demo:\xff",
]  # fmt: skip


@pytest.mark.parametrize("pre", [None, "llama-bpe", "none such", "\ud800"])
@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: ascii(name)[:20])
def test_any_name_of_nothing_is_refused_in_a_sentence_that_can_be_shown(name, pre):
    with pytest.raises(VocabError) as failure:
        guiapp.open_model(name, pre)
    assert str(failure.value).isprintable()


def test_a_file_can_be_named_in_bytes(tmp_path):
    path = spm().write(tmp_path / "model.gguf")
    assert len(guiapp.open_model(os.fsencode(path)).vocabulary) == 6


def test_insufficient_memory_is_reported(tmp_path, monkeypatch):
    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr("guiapp.core.formats.gguf._tokens", no_memory)
    with pytest.raises(VocabError, match=re.escape("model.gguf takes more memory than is free")):
        guiapp.open_model(spm().write(tmp_path / "model.gguf"))
