"""WordPiece, Unigram and WordLevel on pieces of text, against Hugging Face's tokenizers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import VOCABS
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened
from random_texts import random_texts
from tokenizers import Tokenizer as Reference

from guiapp.analysis.libraries.written_models import hugging_face_json
from guiapp.core.formats.model_sections import number_as_read_there
from guiapp.core.hugging_face.models import ModelTokens, UnigramModel, WordLevelModel, WordPieceModel
from guiapp.errors import EncodeError
from guiapp.native.model_files import packed

UNKNOWN = "[UNK]"
TEXTS = st.text(alphabet="aab#<0x>éß中👩[UNK]\u0301", min_size=1, max_size=14)
PIECES = st.lists(TEXTS, min_size=1, max_size=4)
VOCAB = st.lists(
    TEXTS | st.sampled_from(["##a", "##ab", "##", "a", "ab", "é", "中"]), max_size=12, unique=True
)
SCORES = st.sampled_from([-1.0, -2.0, -2.5, -0.1, -3.3, 0.0, 1.5])
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def reference_of(model):
    return Reference.from_str(json.dumps({"version": "1.0", "added_tokens": [], "model": model}))


def tokens_of(texts, unknown):
    return ModelTokens(
        *packed([text.encode() for text in texts]), np.arange(len(texts), dtype=np.int32), unknown
    )


def expected(reference, pieces):
    """Ids, and spans in bytes of the pieces side by side; tokens of bytes have all the span of their text."""
    result, start = [], 0
    for piece in pieces:
        encoding = reference.encode(piece)
        for token, (first, last) in zip(encoding.ids, encoding.offsets, strict=True):
            result.append((token, start + len(piece[:first].encode()), start + len(piece[:last].encode())))
        start += len(piece.encode())
    return result


def encoded(model, pieces):
    """By the native encoder and by the readable twin, which agree."""
    data = "".join(pieces).encode()
    ends = np.cumsum([len(piece.encode()) for piece in pieces])
    both = []
    for tokens in (
        model.encode(np.frombuffer(data, np.uint8), ends, model.encoders[0]),
        model.encode_readable(data, ends.tolist(), model.encoders[0]),
    ):
        assert tokens.ids.dtype == np.int32
        assert tokens.starts.dtype == tokens.ends.dtype == np.int64
        both.append(list(zip(*(column.tolist() for column in tokens), strict=True)))
    assert both[0] == both[1]
    return both[0]


def unspelled(tokens, texts):
    """Without the spans of tokens that stand for single bytes, which the reference gives otherwise."""
    return [(token, *span) if texts[token] not in BYTES else (token,) for token, *span in tokens]


@given(VOCAB, st.sampled_from(["##", "", "a", "é"]), st.integers(0, 9), PIECES)
def test_word_piece_takes_what_tokenizers_takes(texts, prefix, most, pieces):
    texts = list(dict.fromkeys([*texts, UNKNOWN]))
    reference = reference_of(
        {
            "type": "WordPiece",
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": most,
            "vocab": {text: row for row, text in enumerate(texts)},
        }
    )
    model = WordPieceModel(tokens_of(texts, texts.index(UNKNOWN)), prefix.encode(), most)
    assert encoded(model, pieces) == expected(reference, pieces)


@given(st.lists(st.tuples(TEXTS, SCORES), max_size=12), st.booleans(), st.booleans(), PIECES)
def test_unigram_matches_tokenizers(rows, has_bytes, falls_back, pieces):
    rows = [*rows, (UNKNOWN, -1.0), *((text, -9.0) for text in BYTES if has_bytes or text < "<0xC4>")]
    texts = [text for text, _ in rows]
    unknown = texts.index(UNKNOWN)
    reference = reference_of(
        {"type": "Unigram", "unk_id": unknown, "vocab": rows, "byte_fallback": falls_back}
    )
    last = {text: row for row, text in enumerate(texts)}
    of_bytes = {byte: last[text] for byte, text in enumerate(BYTES) if text in last} if falls_back else {}
    model = UnigramModel(tokens_of(texts, unknown), np.array([score for _, score in rows]), of_bytes)
    result, theirs = encoded(model, pieces), expected(reference, pieces)
    assert unspelled(result, texts) == unspelled(theirs, texts)


@given(VOCAB, PIECES)
def test_word_level_matches_tokenizers(texts, pieces):
    texts = list(dict.fromkeys([*texts, UNKNOWN]))
    reference = reference_of(
        {"type": "WordLevel", "unk_token": UNKNOWN, "vocab": {text: row for row, text in enumerate(texts)}}
    )
    model = WordLevelModel(tokens_of(texts, texts.index(UNKNOWN)))
    assert encoded(model, pieces) == expected(reference, pieces)


def test_unknown_text_without_an_unknown_token_is_refused():
    tokens = tokens_of(["a"], None)
    for model in (
        WordPieceModel(tokens, b"##", 9),
        UnigramModel(tokens, np.zeros(1)),
        UnigramModel(tokens, np.zeros(1), {ord("b"): 0}),
        WordLevelModel(tokens),
    ):
        assert encoded(model, ["a"]) == [(0, 0, 1)]
        with pytest.raises(EncodeError, match="has no unknown token"):
            encoded(model, ["a", "b"])


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["bert-bge", "nomic-bert-moe"])
@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.exhaustive)])
def test_real_vocabularies_give_the_ids_and_spans_of_tokenizers(name, count):
    document = json.loads(hugging_face_json(opened(VOCABS / f"ggml-vocab-{name}.gguf")))
    section = document["model"]
    reference = reference_of(section)
    if section["type"] == "WordPiece":
        texts = [*section["vocab"]]
        assert [*section["vocab"].values()] == [*range(len(texts))]
        model = WordPieceModel(
            tokens_of(texts, section["vocab"]["[UNK]"]), b"##", section["max_input_chars_per_word"]
        )
    else:
        texts = [text for text, _ in section["vocab"]]
        model = UnigramModel(
            tokens_of(texts, section["unk_id"]),
            np.array([number_as_read_there(repr(score)) for _, score in section["vocab"]]),
        )
    for text in random_texts(11, count):
        plain = text.decode("utf-8", "replace").lower()
        pieces = (
            plain.split() if section["type"] == "WordPiece" else ["▁" + word for word in plain.split(" ")]
        )
        if pieces:
            assert encoded(model, pieces) == expected(reference, pieces)
