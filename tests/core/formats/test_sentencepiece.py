"""SentencePiece's models, against the library itself."""

from __future__ import annotations

import random

import pytest
import sentencepiece
from conftest import SHARED
from fuzzing import SEED, rounds
from piece_equality import check
from piece_models import trained, with_unused
from random_texts import random_texts

import guiapp
from guiapp.core.formats.table import format_of

FORMATS = SHARED / "formats"
REAL = ["mistral-v1.tokenizer.model", "mistral-v3.tokenizer.model.v3", "j2-unigram.tokenizer.model"]
TEXTS_OF_ONE = 40

OPTIONS = {
    "model_type": ["bpe", "unigram", "bpe", "unigram", "char"],
    "byte_fallback": [True, False],
    "add_dummy_prefix": [True, True, False],
    "remove_extra_whitespaces": [True, False],
    "treat_whitespace_as_suffix": [False, False, True],
    "normalization_rule_name": ["nmt_nfkc", "nfkc_cf", "identity", "identity"],
    "user_defined_symbols": [
        [],
        ["<sep>", "ab", "\u2581\u2581", "the"],
        ["\u2581x", "\u00e9", "\n", "abc", "ab"],
    ],
    "control_symbols": [[], ["[INST]", "<ctl>"]],
    "split_by_whitespace": [True, True, False],
    "allow_whitespace_only_pieces": [True, False],
    "split_by_unicode_script": [True, False],
}


def opened(path, data):
    path.write_bytes(data)
    assert format_of(path).name == "SentencePiece"
    return guiapp.open_model(path), sentencepiece.SentencePieceProcessor(model_file=str(path))


def some_model(dice):
    """A model of options at random; some of its pieces may be unused, unless ids are in doubt then."""
    options = {name: dice.choice(values) for name, values in OPTIONS.items()}
    data = trained(**options)
    is_merged_around = options["model_type"] != "unigram" and options["user_defined_symbols"]
    if is_merged_around or dice.random() < 0.6:
        return options, data
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    pieces = [(row, library.id_to_piece(row)) for row in range(library.get_piece_size())]
    normal = [
        row
        for row, text in pieces
        if not (library.is_control(row) or library.is_unknown(row) or library.is_byte(row))
        and text not in options["user_defined_symbols"]
    ]
    return options, with_unused(data, dice.sample(normal, len(normal) // 5))


def some_pieces(library):
    """Some of the texts that pieces stand for."""
    every = max(1, library.get_piece_size() // 200)
    pieces = [library.id_to_piece(row) for row in range(0, library.get_piece_size(), every)]
    return [piece.replace("\u2581", " ").encode() for piece in (*pieces, "[REFERENCE_DOC_7]", "[INST]")]


@rounds(usual=12, exhaustive=500)
def test_models_of_all_options_encode_and_decode_as_the_library_does(tmp_path, count):
    for index in range(count):
        dice = random.Random(f"{SEED} {index}")
        options, data = some_model(dice)
        tokenizer, library = opened(tmp_path / f"{index}.model", data)
        assert tokenizer.exactness.level == "exact", options
        texts = random_texts(f"{SEED} {index}", TEXTS_OF_ONE, some_pieces(library))
        try:
            check(tokenizer, library, texts)
        except AssertionError as error:
            raise AssertionError(f"seed {SEED}, index {index}: {options}") from error


@pytest.mark.real_vocabs
@rounds(usual=300, exhaustive=20_000)
@pytest.mark.parametrize("name", REAL)
def test_real_models_encode_and_decode_as_the_library_does(name, count):
    path = FORMATS / name
    tokenizer, library = guiapp.open_model(path), sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert len(tokenizer.vocabulary) == library.get_piece_size()
    check(tokenizer, library, random_texts(SEED, count, some_pieces(library)))
