"""What is read from files that are unusual but not broken, or very large."""

import os
import struct

from gguf_builder import GgufFile, Raw, entry, string
from small_files import bpe, load, spm

from guiapp.core.formats.gguf import MOST_MERGES
from guiapp.core.vocabulary.attributes import Attribute


def test_version_2_is_read_like_version_3(tmp_path):
    file = spm()
    file.version = 2
    assert len(load(tmp_path, file)) == 6


def test_a_key_that_is_not_counted_is_not_read(tmp_path):
    file = spm().add("tokenizer.ggml.bos_token_id", 5)
    file.n_entries = len(file.entries) - 1
    assert load(tmp_path, file).special_ids.bos == 1


def test_a_key_with_nul_is_found_by_its_front(tmp_path):
    file = GgufFile(entries=[entry("tokenizer.ggml.model\0!", "llama")])
    file.entries += spm(model=None).entries
    assert load(tmp_path, file).model == "llama"


def test_bytes_behind_the_end_are_ignored(tmp_path):
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
    file.tail = b"".join(struct.pack("<Q7sIqiQ", 7, b"%07d" % n, 1, 0, 0, 0) for n in range(file.n_tensors))
    assert len(load(tmp_path, file)) == 6


def test_four_million_merges_fit(tmp_path):
    merges = struct.pack("<iiQ", 9, 8, MOST_MERGES) + string("x") * MOST_MERGES
    file = bpe(merges=None).add_raw(string("tokenizer.ggml.merges") + merges)
    assert len(load(tmp_path, file).merge_offsets) == MOST_MERGES + 1


def test_a_template_of_100_mb_is_described(tmp_path):
    vocabulary = load(tmp_path, spm(keys={"tokenizer.chat_template": "x" * 100_000_000}))
    assert vocabulary.metadata["tokenizer.chat_template"] == "string of 100,000,000 bytes"
