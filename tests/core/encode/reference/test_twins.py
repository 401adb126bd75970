"""The readable twins give the tokens and spans of the native ones, whatever the vocabulary and the text."""

import pytest
from gguf_builder import BYTE, CONTROL, NORMAL
from hostile_texts import SHORT
from pair_vocabularies import sentence_piece
from unpaired_vocabularies import vocabulary

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode.reference import plamo2
from guiapp.core.encode.reference.plamo2 import UNKNOWN_COST, Choose, Pieces, Try
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import VocabType

LONGEST_BYTES = 200
WORDS = ["unbelievable lions, How do they sleep in New York?", "aaab abab bbbba cabbacb", "中a中ab bc\nb a"]
TEXTS = [text for group in SHORT.values() for text in group if len(text) < LONGEST_BYTES]
TEXTS += [text.encode() for text in WORDS]


def plamo2_vocabulary(scores):
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *scores]
    types = [CONTROL, *[BYTE] * 256, *[NORMAL] * len(scores)]
    return vocabulary(VocabType.PLAMO2, tokens, types, [0.0] * 257 + [*scores.values()])


VOCABULARIES = {demo.name: lambda name=demo.name: guiapp.open_model(f"demo:{name}") for demo in DEMO_MODELS}
VOCABULARIES |= {
    "plamo2": lambda: Tokenizer(
        plamo2_vocabulary({"a": -1, "ab": -1.5, "b": -1, "bc": -9, " a": -2, "中": -3, "lions": -4, "io": -1})
    ),
    "few scores": lambda: Tokenizer(
        sentence_piece({"<unk>": 0, "a": -3, "b": -3, "▁": -3, "ab": -1, "▁a": -2, "aba": -1, "bab": -1})
    ),
}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_the_twins_agree(name):
    tokenizer = VOCABULARIES[name]()
    for encoder in tokenizer.encoders:
        for text in TEXTS:
            native = tokenizer.encode(text, False, False, encoder)
            readable = tokenizer.encode_readable(text, False, False, encoder)
            assert readable.token_ids.tolist() == native.token_ids.tolist(), (encoder, text)
            assert readable.spans.tolist() == native.spans.tolist(), (encoder, text)


def test_plamo2_tries_from_the_end_long_before_short_and_then_chooses_from_the_start():
    pieces = Pieces({b"a": (300, 5), b"ab": (301, 11), b"b": (302, 5)}, range(256), 2)
    assert list(plamo2.steps(b"xab", pieces)) == [
        Try(302, 2, 3, 5, True),
        Try(None, 2, 3, UNKNOWN_COST, False),
        Try(301, 1, 3, 11, True),
        Try(300, 1, 2, 10, True),
        Try(None, 1, 2, UNKNOWN_COST + 5, False),
        Try(None, 0, 1, UNKNOWN_COST + 10, True),
        Choose(ord("x"), 0, 1),
        Choose(300, 1, 2),
        Choose(302, 2, 3),
    ]


def test_plamo2_tries_nothing_shorter_than_a_token_that_costs_as_much_as_the_unknown():
    tokens = {b"a": (300, 5), b"ab": (301, UNKNOWN_COST), b"b": (302, 5), b"ba": (303, 7)}
    pieces = Pieces(tokens, range(256), 2, frozenset(tokens))
    tried = [
        (step.token_id, step.start, step.end)
        for step in plamo2.steps(b"aba", pieces)
        if isinstance(step, Try)
    ]
    assert tried == [(300, 2, 3), (None, 2, 3), (303, 1, 3), (302, 1, 2), (None, 1, 2), (301, 0, 2)]
    assert [pieces.is_taken_for_unknown(text) for text in (b"ab", b"a", b"x")] == [True, False, False]
