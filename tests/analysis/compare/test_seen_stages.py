"""What each stage makes of short texts, told alike for all kinds of models."""

import pytest
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.compare.reasons import plain_text, plain_texts, seen_stages
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, VocabType


def told(tokenizer, text):
    """Special tokens, stretches, and of each piece its text and those of its tokens."""
    stages = seen_stages(tokenizer, text.encode())
    pieces = [
        (piece.text.decode(), [tokenizer.vocabulary.raw_text(token).decode() for token in piece.tokens])
        for piece in stages.pieces
    ]
    assert stages.normalized == b"".join(piece.text for piece in stages.pieces)
    return [text.decode() for text in stages.special], list(stages.segments), pieces


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        ("bpe", "<|im_end|>the a", (["<|im_end|>"], [(10, 15)], [("the", ["t", "he"]), (" a", ["Ġa"])])),
        (
            "bpe",
            "a<|im_end|><|im_start|>b",
            (["<|im_end|>", "<|im_start|>"], [(0, 1), (23, 24)], [("a", ["a"]), ("b", ["b"])]),
        ),
        ("bpe", "<|im_end|>", (["<|im_end|>"], [], [])),
        ("bpe", "", ([], [], [])),
        ("spm", "a b", ([], [(0, 3)], [(" a b", ["▁a", "▁b"])])),
        ("wordpiece", "The cat", ([], [(0, 7)], [("the", ["▁the"]), ("cat", ["▁cat"])])),
    ],
)
def test_stages_are_told(model, text, expected):
    assert told(guiapp.open_model(f"demo:{model}"), text) == expected


def test_merges_of_a_piece_are_told_in_order_and_none_of_what_is_taken_whole():
    tokens = dict.fromkeys(["a", "b", "c", "ab", "abc", "Ġ"], 0.0)
    merges = ("a b", "ab c")
    tokenizer = Tokenizer(toy_vocabulary(tokens, VocabType.BPE, merges))
    (piece,) = seen_stages(tokenizer, b"abca").pieces
    assert piece.symbols == (0, 1, 2, 0)
    assert piece.tokens == (4, 0)
    assert [(merge.left, merge.right, merge.made) for merge in piece.merges] == [(0, 1, 3), (3, 2, 4)]
    whole = Rules(byte_encoding=True, ignore_merges=True)
    tokenizer = Tokenizer(toy_vocabulary(tokens, VocabType.BPE, merges, whole))
    (piece,) = seen_stages(tokenizer, b"abc").pieces
    assert (piece.tokens, piece.symbols, piece.merges) == ((4,), None, ())


@pytest.mark.parametrize("model", ["bpe", "spm", "wordpiece", "unigram", "rwkv"])
def test_all_plain_texts_are_those_of_each_token(model):
    vocabulary = guiapp.open_model(f"demo:{model}").vocabulary
    assert plain_texts(vocabulary) == [plain_text(vocabulary, token) for token in range(len(vocabulary))]


def test_of_word_pieces_no_marks_are_left():
    vocabulary = toy_vocabulary({"▁a": 0.0, "b": 0.0, "[CLS]": Attribute.CONTROL}, VocabType.WPM)
    assert plain_texts(vocabulary) == [b"a", b"b", b"[CLS]"]
