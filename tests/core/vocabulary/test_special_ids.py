"""Special tokens are tried in the order of GNU's std::sort."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import VOCABS
from gguf_builder import CONTROL, NORMAL, USER_DEFINED, vocab_file

from guiapp.core.formats.table import load_vocabulary
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.special_ids import reserved, special_tokens_in_match_order
from guiapp.native.model_files import sort_longest_first

# What std::sort of libstdc++ 12 makes of 0 … 39 by length, longest first.
LENGTHS = [(7 * number) % 5 for number in range(40)]
ORDER_OF_LIBSTDCXX = [
    17, 2, 37, 22, 7, 32, 27, 12, 9, 24, 14, 29, 19, 34, 4, 39, 21, 1, 26, 31, 36, 16, 11, 6,
    18, 23, 38, 13, 28, 3, 8, 33, 0, 20, 5, 35, 10, 30, 15, 25,
]  # fmt: skip


def sorted_by_length(lengths: list[int]) -> list[int]:
    items = np.arange(len(lengths), dtype=np.int32)
    sort_longest_first(items, np.array(lengths, np.int64))
    return items.tolist()


def test_equal_lengths_end_up_where_gnu_puts_them():
    assert sorted_by_length(LENGTHS) == ORDER_OF_LIBSTDCXX


@pytest.mark.parametrize("count", [1, 2, 16, 17, 1000, 50_000])
def test_longer_ones_always_come_first(count):
    lengths = [(number * 7919) % 101 for number in range(count)]
    order = sorted_by_length(lengths)
    assert sorted(order) == list(range(count))
    assert [lengths[item] for item in order] == sorted(lengths, reverse=True)


def test_many_of_one_length_take_no_quadratic_time():
    assert sorted(sorted_by_length([5] * 200_000)) == list(range(200_000))


def test_only_tokens_that_are_cut_out_are_listed(tmp_path):
    tokens = ["<unk>", "<s>", "</s>", "a", "<long one>", "<x>"]
    file = vocab_file(tokens=tokens, types=[2, 3, 3, 1, USER_DEFINED, USER_DEFINED])
    vocabulary = load_vocabulary(file.write(tmp_path / "model.gguf"))
    assert special_tokens_in_match_order(vocabulary).tolist() == [4, 0, 2, 1, 5]


def test_the_first_token_can_be_known_by_its_text(tmp_path):
    file = vocab_file(tokens=["<|im_end|>", "a"], types=[CONTROL, NORMAL])
    vocabulary = load_vocabulary(file.write(tmp_path / "model.gguf"))
    assert vocabulary.special_ids.eot == 0
    assert 0 in vocabulary.eog


@pytest.mark.parametrize("key", ["eos_token_id", "bos_token_id", "eot_token_id"])
@pytest.mark.parametrize(("token_id", "is_there"), [(2, True), (3, False), (4, False)])
def test_an_id_without_a_token_is_ignored_with_a_warning(tmp_path, key, token_id, is_there):
    file = vocab_file(tokens=["<unk>", "a", "b"], types=[2, 1, 1], **{key: token_id})
    vocabulary = load_vocabulary(file.write(tmp_path / "model.gguf"))
    assert (getattr(vocabulary.special_ids, key[:3]) == token_id) == is_there
    assert any(f"there is no token {token_id}" in warning for warning in vocabulary.warnings) != is_there


def test_arrays_may_be_longer_than_the_tokens(tmp_path):
    file = vocab_file(tokens=["<unk>", "a"], types=[2, 1, CONTROL, 99], scores=[0.0, -1.0, -2.0, -3.0])
    vocabulary = load_vocabulary(file.write(tmp_path / "model.gguf"))
    assert [len(vocabulary.scores), len(vocabulary.attributes), len(vocabulary)] == [2, 2, 2]
    assert not any(vocabulary.attributes & Attribute.CONTROL)


@pytest.mark.parametrize("calls", ["<|call|>", "<|calls|>"])
@pytest.mark.parametrize("other_end", ["<|return|>", "<|flush|>", "<|im_end|>"])
def test_a_model_that_calls_tools_goes_on_after_end(tmp_path, calls, other_end):
    tokens = ["<unk>", calls, other_end, "<|end|>", "a"]
    file = vocab_file(tokens=tokens, types=[2, *[CONTROL] * 3, 1])
    vocabulary = load_vocabulary(file.write(tmp_path / "model.gguf"))
    goes_on = other_end != "<|im_end|>"
    assert set(vocabulary.eog) >= {1, 2}
    assert (3 in vocabulary.eog) != goes_on
    assert bool(vocabulary.attributes[3] & Attribute.USER_DEFINED) == goes_on


@pytest.mark.parametrize("tokens", [["<|call|>"], ["<|return|>"]])
def test_a_model_without_both_ends_at_end(tmp_path, tokens):
    file = vocab_file(tokens=["<unk>", *tokens, "<|end|>"], types=[2, CONTROL, CONTROL])
    assert 2 in load_vocabulary(file.write(tmp_path / "model.gguf")).eog


COUNTS = {
    "bert-bge": 994, "deepseek-coder": 234, "gemma-4": 6227, "gpt-2": 0, "llama-bpe": 251, "llama-spm": 0,
    "nomic-bert-moe": 46, "qwen2": 290, "starcoder": 0,
}  # fmt: skip


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("name", "n_tokens"), COUNTS.items())
def test_real_vocabularies_have_as_many(name, n_tokens):
    assert reserved(load_vocabulary(VOCABS / f"ggml-vocab-{name}.gguf")).sum() == n_tokens
