"""Trained models as files: rows, special tokens and switches."""

import pytest
from gguf import GGUFReader, TokenType

from guiapp.analysis.train.models import (
    BPE_SPECIAL,
    ModelFile,
    Token,
    TrainingError,
    bpe_file,
    byte_level_rows,
    end_mark_file,
    write_gguf,
)
from guiapp.analysis.train.runs import train
from guiapp.core.text.charsmap import build_charsmap

TEXT = "How do lions sleep? They do not sleep. How insane! " * 3


@pytest.mark.parametrize(
    ("model", "kind", "roles", "flags"),
    [
        (
            train("bpe", TEXT, 270),
            ("llama", "gpt2", "llama-bpe"),
            dict.fromkeys(("bos", "eos"), "<|endoftext|>"),
            {"add_bos_token": False},
        ),
        (
            bpe_file(*byte_level_rows([("a", "b")], BPE_SPECIAL)),
            ("llama", "gpt2", "llama-bpe"),
            dict.fromkeys(("bos", "eos"), "<|endoftext|>"),
            {"add_bos_token": False},
        ),
        (
            end_mark_file(["a"], []),
            ("llama", "gemma4", ""),
            {"padding": "<pad>", "eos": "<eos>", "bos": "<bos>", "unknown": "<unk>"},
            {},
        ),
        (
            train("wordpiece", TEXT, 60),
            ("bert", "bert", ""),
            {"padding": "[PAD]", "unknown": "[UNK]", "bos": "[CLS]", "seperator": "[SEP]", "mask": "[MASK]"},
            {},
        ),
        (
            train("unigram", TEXT, 60),
            ("t5", "t5", ""),
            {"padding": "<pad>", "eos": "</s>", "unknown": "<unk>"},
            {"add_space_prefix": True, "remove_extra_whitespaces": True, "add_bos_token": False},
        ),
    ],
    ids=["bpe", "bpe of merges", "end marks", "wordpiece", "unigram"],
)
def test_each_role_has_its_token(model, kind, roles, flags):
    assert (model.architecture, model.model, model.pre) == kind
    assert roles == {role: model.tokens[number].text for role, number in model.special_ids.items()}
    assert flags == model.flags
    special = {token.text: token.kind for token in model.tokens if token.kind not in (1, TokenType.BYTE)}
    assert special == {text: 2 if "unk" in text.lower() else 3 for text in roles.values()}
    assert len(model.charsmap) == (0 if model.model != "t5" else len(build_charsmap({"\t": " "})) + 4)


def test_sizes_and_texts_that_are_too_small_are_refused():
    assert len(train("bpe", "abc", 257).tokens) == 257
    for size in (256, 1):
        with pytest.raises(TrainingError, match="257 tokens"):
            train("bpe", "abc", size)
    for text in ("", " \n"):
        with pytest.raises(TrainingError, match="The text has no words"):
            train("bpe", text, 300)


SPECIAL = (Token("<s>", TokenType.CONTROL),)


def test_a_file_holds_what_was_trained(tmp_path):
    model = ModelFile(
        architecture="llama",
        name="Test",
        description="A test",
        model="gpt2",
        pre="gpt-2",
        tokens=(Token("a"), Token("b", score=-1.5), Token("ab"), *SPECIAL),
        merges=("a b",),
        special_ids={"bos": 3},
        flags={"add_bos_token": True, "normalizer.lowercase": False},
        charsmap=b"\x01\xff",
        chat_template="{{ messages }}",
        author="Somebody",
        license="mit",
    )
    write_gguf(tmp_path / "model.gguf", model)
    reader = GGUFReader(tmp_path / "model.gguf")
    fields = {key: field.contents() for key, field in reader.fields.items() if not key.startswith("GGUF.")}
    assert fields == {
        "general.architecture": "llama",
        "general.type": "model",
        "general.name": "Test",
        "general.author": "Somebody",
        "general.description": "A test",
        "general.license": "mit",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": ["a", "b", "ab", "<s>"],
        "tokenizer.ggml.scores": [0.0, -1.5, 0.0, 0.0],
        "tokenizer.ggml.token_type": [1, 1, 1, 3],
        "tokenizer.ggml.merges": ["a b"],
        "tokenizer.ggml.bos_token_id": 3,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.normalizer.lowercase": False,
        "tokenizer.ggml.precompiled_charsmap": [1, 255],
        "tokenizer.chat_template": "{{ messages }}",
    }
    assert reader.tensors == []
