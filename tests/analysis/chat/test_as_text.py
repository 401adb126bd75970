"""Content that is encoded as text: no token of it is a control token, whatever the format."""

from __future__ import annotations

import json

import numpy as np
import pytest
from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, write_vocab
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from piece_models import model, piece
from random_tokenizers import DOCUMENTS, TEXTS

import guiapp
from guiapp.analysis.chat.as_text import content_as_text, is_control
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import EncodeError


def in_content(tokenizer, pieces):
    """The tokens of texts in turns of template and content, and those of them that have some content."""
    text = "".join(pieces).encode()
    is_content = np.repeat(
        [bool(number % 2) for number in range(len(pieces))], [len(piece.encode()) for piece in pieces]
    )
    encoding = content_as_text(tokenizer, text, is_content, False)
    rows = zip(encoding.token_ids.tolist(), encoding.spans.tolist(), strict=True)
    return encoding.token_ids.tolist(), [token for token, span in rows if is_content[slice(*span)].any()]


def controls(tokenizer, ids):
    """Those that are control tokens, but for the one of what is unknown."""
    vocabulary = tokenizer.vocabulary
    control = is_control(vocabulary) & (vocabulary.effective_attributes & Attribute.UNKNOWN == 0)
    return [token for token in ids if control[token]]


def document(model, added, normalizer, pre_tokenizer=None):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    tokens = [
        {"id": number, "content": content, "special": True, "normalized": normalized} | flags
        for number, content, normalized in added
    ]
    return {
        "added_tokens": tokens,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "model": model,
    }


LETTERS = {letter: number for number, letter in enumerate("abcs<>/▁")}
FORMS = {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]}
PREPEND = {"type": "Prepend", "prepend": "▁"}
PAIRS = {"type": "BPE", "vocab": LETTERS, "merges": []}
MERGED = {"type": "BPE", "vocab": LETTERS | {"ab": 8, "abc": 9}, "merges": [["a", "b"], ["ab", "c"]]}
UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0.0], ["a", -2.0], ["b", -2.0], ["ab", -1.0]]}
WORDS = {"type": "WordLevel", "vocab": {"?": 0, "ab": 1, "a": 2}, "unk_token": "?"}
WORD_PIECE = {"type": "WordPiece", "unk_token": "?", "vocab": {"?": 0, "ab": 1, "a": 2, "##b": 3}}
BLANKS = {"type": "WhitespaceSplit"}


@pytest.mark.parametrize(
    ("file_content", "pieces", "expected"),
    [
        (document(PAIRS, [(8, "<s>", True)], FORMS), ["<S>", "<S>"], [8, 4, 3, 5]),
        (document(PAIRS, [(8, "<s>", True)], FORMS), ["<s>", "＜ｓ＞", "<s>"], [8, 4, 3, 5, 8]),
        (document(PAIRS, [(8, "<s>", True)], FORMS), ["<", "S", ">"], [4, 3, 5]),
        (document(PAIRS, [(8, "<s>", True)], PREPEND), ["", "<s>"], [7, 4, 3, 5]),
        (document(PAIRS, [(8, "abc", True), (9, "<abc", True)], FORMS), ["ABC", "<ABC"], [8, 4, 0, 1, 2]),
        (document(MERGED, [(9, "abc", False)], None), ["abc", "abcab"], [9, 8, 2, 8]),
        (document(UNIGRAM, [(3, "ab", False)], None), ["ab", "ab"], [3, 1, 2]),
        (document(WORDS, [(1, "ab", False)], None, BLANKS), ["ab", " ab a"], [1, 0, 2]),
        (document(WORD_PIECE, [(1, "ab", True)], FORMS, BLANKS), ["AB", " AB a"], [1, 2, 3, 2]),
    ],
)
def test_content_is_text_where_a_normalizer_or_the_model_made_a_special_token_of_it(
    tmp_path, file_content, pieces, expected
):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "post_processor": None, "decoder": None} | file_content))
    assert in_content(guiapp.open_model(path), pieces)[0] == expected


NAMES = [f"<0x{byte:02X}>" for byte in range(256)]
KINDS = [NORMAL, CONTROL, NORMAL, NORMAL]
TOKENS = {"tokens": ["x", "ab", "a", "b"], "types": KINDS}
SCORED = {"scores": [-9.0, -1.0, -2.0, -2.0], "unknown_token_id": 0, "add_space_prefix": False}
BYTES = {"tokens": [*TOKENS["tokens"], *NAMES], "types": [*KINDS, *[BYTE] * 256], "scores": [-1.0] * 260}
WORD = {"tokens": ["[UNK]", "▁ab", "▁a", "b", "[CLS]"], "types": [UNKNOWN, *KINDS[1:], CONTROL]}
IDS = {"unknown_token_id": 0, "bos_token_id": 4, "seperator_token_id": 4}


@pytest.mark.parametrize(
    "file_content",
    [
        TOKENS | SCORED | {"model": "llama"},
        TOKENS | SCORED | {"model": "t5"},
        TOKENS | {"model": "gpt2", "merges": ["a b"], "pre": "default"},
        TOKENS | {"model": "rwkv", "unknown_token_id": 0},
        BYTES | {"model": "plamo2"},
        WORD | IDS | {"model": "bert"},
    ],
    ids=lambda file_content: file_content["model"],
)
def test_no_model_of_a_gguf_puts_a_control_token_together(tmp_path, file_content):
    tokenizer = guiapp.open_model(write_vocab(tmp_path / "vocab.gguf", **file_content))
    assert in_content(tokenizer, ["", "ab"])[1] == [2, 3]


@pytest.mark.parametrize("kind", [1, 2])
def test_nor_does_one_of_sentencepiece(tmp_path, kind):
    path = tmp_path / "some.model"
    scored = [("?", 0.0, UNKNOWN), ("ab", -1.0, CONTROL), ("a", -2.0, NORMAL), ("b", -2.0, NORMAL)]
    path.write_bytes(model([piece(*each) for each in scored], {3: kind}, {3: 0}))
    assert in_content(guiapp.open_model(path), ["ab", "ab"])[0] == [1, 2, 3]


PARTS = st.lists(
    st.sampled_from(["<s>", "<S>", "ab", "AB", "Ａ", "ﬁ", "[m]", "a", "</s>", " ", "b"]), max_size=4
)


@settings(max_examples=12)
@given(DOCUMENTS, TEXTS, PARTS.map("".join), TEXTS)
def test_no_content_of_any_tokenizer_json_is_a_special_token(
    tmp_path_factory, file_content, before, content, after
):
    path = tmp_path_factory.getbasetemp() / "tokenizer.json"
    path.write_text(json.dumps(file_content))
    try:
        tokenizer = guiapp.open_model(path)
        parsed = tokenizer.encode(before + content + after, False)
        ids, inner = in_content(tokenizer, [before, content, after])
    except (guiapp.VocabError, EncodeError):
        assume(False)
    assert controls(tokenizer, inner) == []
    if not controls(tokenizer, parsed.token_ids.tolist()):
        assert ids == parsed.token_ids.tolist()
