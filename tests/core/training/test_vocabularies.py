from __future__ import annotations

from gguf import GGUFReader, TokenType

from guiapp.core.training.vocabularies import (
    train_byte_level,
    train_unigram,
    train_wordpiece,
)
from guiapp.core.training.write_gguf import ModelFile, Token, write_gguf

TEXT = "the cat and the dog and the bird sing the song in the rain\n" * 3
SPECIAL = (Token("<s>", TokenType.CONTROL),)


def texts(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text for token in tokens]


def test_byte_level_vocabulary_is_bytes_then_merges_then_special_tokens():
    tokens, merges = train_byte_level(TEXT, 260, SPECIAL)
    assert texts(tokens)[:3] == ["!", '"', "#"]
    assert texts(tokens)[256:] == ["he", "the", "Ġthe", "<s>"]
    assert merges == ("h e", "t he", "Ġ the")
    assert len(set(texts(tokens))) == len(tokens) == 260


def test_every_merge_joins_two_tokens_to_a_third():
    tokens, merges = train_byte_level(TEXT, 300)
    known = set(texts(tokens))
    assert all({*merge.split(), merge.replace(" ", "")} <= known for merge in merges)


def test_wordpiece_marks_where_words_start():
    tokens = texts(train_wordpiece("Cat cat cats scat", 100))
    assert "▁cat" in tokens
    assert "at" in tokens
    assert not any(token.startswith("#") for token in tokens)


def test_unigram_pieces_come_by_probability():
    tokens = train_unigram(TEXT, 40, SPECIAL)
    scores = [token.score for token in tokens[1:]]
    assert scores == sorted(scores, reverse=True)
    assert "▁the" in texts(tokens)[1:6]
    assert len(tokens) <= 40


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
