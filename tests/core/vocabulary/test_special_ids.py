"""Special tokens are tried in the order of GNU's std::sort."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import VOCABS
from gguf_builder import CONTROL, NORMAL, USER_DEFINED, vocab_file

from guiapp.core.formats.table import load_vocabulary
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


COUNTS = {
    "bert-bge": 994, "deepseek-coder": 234, "gemma-4": 6227, "gpt-2": 0, "llama-bpe": 251, "llama-spm": 0,
    "nomic-bert-moe": 46, "qwen2": 290, "starcoder": 0,
}  # fmt: skip


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("name", "n_tokens"), COUNTS.items())
def test_real_vocabularies_have_as_many(name, n_tokens):
    assert reserved(load_vocabulary(VOCABS / f"ggml-vocab-{name}.gguf")).sum() == n_tokens
