"""Tokens that are kept free are known by their kind and their names."""

import pytest
from conftest import VOCABS
from gguf_builder import NORMAL, UNUSED
from small_files import bpe, load

from guiapp.core.formats.table import load_vocabulary
from guiapp.core.vocabulary.special_ids import reserved

FREE = [
    *(
        "<|reserved_special_token_7|>",
        "[unused0]",
        "<unused12>",
        "[UNUSED_TOKEN_3]",
        "<SPECIAL_20>",
        "[PAD151646]",
    ),
    *(
        "<|extra_0|>",
        "<|dummy_85|>",
        "<|placeholder1|>",
        "<｜place▁holder▁no▁7｜>",
        "<reserved_106>",
        "[control_8]",
    ),
    *("<|reserved_token_163600|>", "madeupword0001", "<madeupword7>", "<|unused_3|>", "<unk_12>"),
]
TAKEN = [
    *(
        "<extra_id_0>",
        "<|im_end|>",
        "[PAD]",
        "<pad>",
        "<|fim_pad|>",
        "<mask_1>",
        "unused1",
        "<unused>",
        "<0x0A>",
    ),
    *("<|audio_7|>", "a<unused1>", "<unused1>a", "<|finetune_right_pad_id|>", "<s>"),
]


def test_they_are_known_by_their_names(tmp_path):
    texts = ["a", "b", "ab", *FREE, *TAKEN, "<", "unused9>"]
    vocabulary = load(tmp_path, bpe(tokens=texts, types=[NORMAL] * len(texts)))
    found = [text for text, is_free in zip(texts, reserved(vocabulary), strict=True) if is_free]
    assert found == FREE


def test_or_by_their_kind(tmp_path):
    vocabulary = load(tmp_path, bpe(tokens=["a", "b", "ab", "c"], types=[NORMAL, NORMAL, NORMAL, UNUSED]))
    assert reserved(vocabulary).tolist() == [False, False, False, True]


COUNTS = {
    "bert-bge": 994, "deepseek-coder": 234, "gemma-4": 6227, "gpt-2": 0, "llama-bpe": 251, "llama-spm": 0,
    "nomic-bert-moe": 46, "qwen2": 290, "starcoder": 0,
}  # fmt: skip


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("name", "n_tokens"), COUNTS.items())
def test_real_vocabularies_have_as_many(name, n_tokens):
    assert reserved(load_vocabulary(VOCABS / f"ggml-vocab-{name}.gguf")).sum() == n_tokens
