"""Trained models as files: rows, special tokens and switches."""

import pytest
from build_demo_models import train_byte_level, train_unigram, train_wordpiece
from gguf import GGUFReader, TokenType

from guiapp.analysis.train.models import (
    BPE_SPECIAL,
    ModelFile,
    Token,
    TrainingError,
    bpe_file,
    byte_level_rows,
    end_mark_file,
    unigram_rows,
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
        with pytest.raises(TrainingError, match="needs 257 tokens"):
            train("bpe", "abc", size)
    for text in ("", " \n"):
        with pytest.raises(TrainingError, match="The text is empty"):
            train("bpe", text, 300)


SONG = "the cat and the dog and the bird sing the song in the rain\n" * 3
SPECIAL = (Token("<s>", TokenType.CONTROL),)


def texts(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text for token in tokens]


def test_byte_level_vocabulary_is_bytes_then_merges_then_special_tokens():
    tokens, merges = train_byte_level(SONG, 260, SPECIAL)
    assert texts(tokens)[:3] == ["!", '"', "#"]
    assert texts(tokens)[256:] == ["he", "the", "Ġthe", "<s>"]
    assert merges == ("h e", "t he", "Ġ the")
    assert len(set(texts(tokens))) == len(tokens) == 260


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


def test_as_many_tokens_are_trained_as_there_is_room_for():
    assert train_byte_level(SONG, 258, SPECIAL)[1] == ("h e",)
    assert train_byte_level(SONG, 257, SPECIAL)[1] == train_byte_level(SONG, 5, SPECIAL)[1] == ()
    assert train_byte_level("abab", 300, min_count=3)[1] == ()
    assert train_byte_level("abab", 257)[1] == ("a b",)
    assert texts(train_wordpiece("ab ab ba", 6, SPECIAL)) == ["<s>", "a", "b", "▁a", "▁b", "▁ab"]
    assert texts(train_wordpiece("ab ab ba", 5, SPECIAL)) == ["<s>", "a", "b", "▁a", "▁b"]
    assert texts(train_wordpiece("ab ab ba", 99, min_count=1))[4:] == ["▁ba", "▁ab"]
    assert len(train_unigram(SONG, 20, SPECIAL)) == 20


def test_pieces_of_equal_scores_come_by_code_points():
    tokens = unigram_rows({"b": -1.00001, "a": -1.00004, "c": -0.5}, SPECIAL)
    assert [(token.text, token.score) for token in tokens] == [
        ("<s>", 0.0), ("c", -0.5), ("a", -1.0), ("b", -1.0),
    ]  # fmt: skip
