"""SentencePiece's models, against the library itself."""

from __future__ import annotations

import random
import time

import pytest
import sentencepiece
from conftest import SHARED
from fuzzing import SEED, rounds
from piece_equality import check, check_decoded
from piece_models import (
    BYTE,
    CONTROL,
    NORMALIZER,
    UNKNOWN,
    USER_DEFINED,
    field,
    messages,
    model,
    piece,
    trained,
    with_unused,
)
from random_texts import random_texts

import guiapp
from guiapp.cli.main import run
from guiapp.core.formats.table import format_of
from guiapp.core.text.charsmap import build_charsmap
from guiapp.errors import VocabError

pytestmark = pytest.mark.slow


FORMATS = SHARED / "formats"
REAL = ["mistral-v1.tokenizer.model", "mistral-v3.tokenizer.model.v3", "j2-unigram.tokenizer.model"]
TEXTS_OF_ONE = 40
LIMIT_S = 20.0  # far more than any takes, on a busy machine

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


@pytest.mark.parametrize(
    ("name", "expected_part"), [("ice_text.model", "<|blank_2|>"), ("opus.source.spm", "vocab.json")]
)
def test_text_repairs_of_chatglm_and_marian_are_reported(tmp_path, capsys, name, expected_part):
    tokenizer, library = opened(tmp_path / name, trained(model_type="unigram"))
    (note,) = (each for each in tokenizer.vocabulary.warnings if each.code == "repairs_first")
    assert expected_part in note
    assert tokenizer.encode("a\t b", add_special=False).token_ids.tolist() == library.encode("a\t b")
    assert run(["info", str(tmp_path / name)]) == 0
    assert note in capsys.readouterr().out


def some_model(dice):
    """A model of options at random; some of its pieces may be unused, unless ids are in doubt then."""
    options = {name: dice.choice(values) for name, values in OPTIONS.items()}
    data = trained(**options)
    merges_next_to_symbols = options["model_type"] != "unigram" and options["user_defined_symbols"]
    if merges_next_to_symbols or dice.random() < 0.6:
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
    check(tokenizer, library, random_texts(SEED, count, some_pieces(library)), readable=100 / count)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pad_id": 3},
        {"bos_id": -1, "pad_id": 1},
        {"bos_piece": "[B]", "eos_piece": "[E]", "pad_piece": "[P]", "pad_id": 3},
        {"bos_id": -1, "user_defined_symbols": ["<s>"]},
    ],
    ids=str,
)
def test_roles_have_the_ids_that_the_library_gives_them(tmp_path, options):
    tokenizer, library = opened(tmp_path / "a.model", trained(**options))
    ids = tokenizer.vocabulary.special_ids
    roles = {"bos": ids.bos, "eos": ids.eos, "pad": ids.pad, "unk": ids.unk}
    assert {name: getattr(library, f"{name}_id")() for name in roles} == {
        name: -1 if token_id is None else token_id for name, token_id in roles.items()
    }


@pytest.mark.parametrize("byte_fallback", [True, False])
def test_score_sums_are_rounded_and_reset_as_in_the_library(tmp_path, byte_fallback):
    data = trained(model_type="unigram", byte_fallback=byte_fallback)
    tokenizer, library = opened(tmp_path / "a.model", data)
    assert list(tokenizer.encoders) == ["fast", "viterbi", "words"]
    text = b" ".join(random_texts(SEED, 1500))
    expected = library.encode(text)
    scores = tokenizer.vocabulary.scores[expected]
    assert scores.sum() < -300_000  # they begin anew at each -100,000
    for encoder in ("fast", "viterbi"):
        for _ in range(2):  # parts are looked up, then
            assert tokenizer.encode(text, False, False, encoder).token_ids.tolist() == expected
    short = text[:40_000]
    readable = tokenizer.encode_readable(short, False, False, "viterbi")
    assert readable.token_ids.tolist() == library.encode(short)
    spans = [tokenizer.encode(short, False, False, encoder).spans.tolist() for encoder in ("fast", "viterbi")]
    assert spans == [readable.spans.tolist()] * 2


@pytest.mark.parametrize("rule", ["identity", "nmt_nfkc"])
def test_a_space_at_the_end_stands_where_those_that_are_dropped_began(tmp_path, rule):
    options = {"treat_whitespace_as_suffix": True, "normalization_rule_name": rule, "byte_fallback": True}
    tokenizer, library = opened(tmp_path / "a.model", trained(model_type="bpe", **options))
    mark = "\u2581".encode()
    check(
        tokenizer, library, [mark * 3, b" " + mark, mark + b" ", b"\x01 " + mark, b"ab " + mark + b" ", b" "]
    )


def test_bytes_on_both_sides_of_a_control_piece_make_no_character(tmp_path):
    tokenizer, library = opened(tmp_path / "a.model", trained(model_type="char", byte_fallback=True))
    first, second = (library.piece_to_id(f"<0x{byte:02X}>") for byte in "é".encode())
    for ids in ([first, 1, second], [1, first, second, 1], [1, first, 1, 1, second, first, second]):
        check_decoded(tokenizer, library, ids)


@pytest.mark.parametrize("symbols", [["\u2581\u2581", "ab"], ["\u2581xy"], ["\u2581x", "\u2581\u2581a"]])
def test_a_user_defined_piece_may_begin_with_the_space_that_is_added(tmp_path, symbols):
    options = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    data = trained(model_type="bpe", byte_fallback=True, user_defined_symbols=symbols, **options)
    check(*opened(tmp_path / "a.model", data), [b" ", b"", b"xy", b"x", b" a", b" AbABcB\n", b"  ab"])


UNK, BOS, EOS = piece("<unk>", 0, UNKNOWN), piece("<s>", 0, CONTROL), piece("</s>", 0, CONTROL)
START = [UNK, BOS]
A = piece("a", -1)
BYTES = [piece(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)]
BPE, UNIGRAM, WORD = ({3: kind} for kind in (2, 1, 3))


def some_map(kind="nfkc"):
    """The character map of a rule that the library knows, as it stands in a file."""
    spec = dict(messages(trained(model_type="char", normalization_rule_name=kind)))[NORMALIZER]
    return dict(messages(spec))[2]


LETTERS = [piece(text, -row) for row, text in enumerate("\u2581 abcdef\u00e9\n")]
MERGED = [
    piece(text, -20 - row) for row, text in enumerate(("ab", "abc", "\u2581a", " a", "a b", "cd", "ef"))
]
OWN = [piece(text, 0, USER_DEFINED) for text in ("b a", "\u2581c", "<x>", "dd", "d", "\u00e9")]
PLAIN = {1: "plain", 3: 0, 4: 0}
HAND_MADE = {
    "spaces as they are": lambda: model([*START, *LETTERS, *MERGED], BPE, {**PLAIN, 3: 1, 5: 0}),
    "spaces as they are, Unigram": lambda: model([*START, *LETTERS, *MERGED], UNIGRAM, {3: 1, 4: 1, 5: 0}),
    "own pieces with spaces": lambda: model([*START, *LETTERS, *MERGED, *OWN[:4]], BPE, PLAIN),
    "own pieces with spaces, Unigram": lambda: model([*START, *LETTERS, *MERGED, *OWN[:4]], UNIGRAM),
    "own pieces of single characters": lambda: model([*START, *LETTERS[:5], *MERGED, *OWN[2:]], {3: 4}),
    "an unknown piece of one character": lambda: model([piece("?", 0, UNKNOWN), *LETTERS, *MERGED], BPE),
    "control pieces of one character": lambda: model([UNK, piece("x", 0, CONTROL), *LETTERS], BPE, PLAIN),
    "bytes and no unknown piece": lambda: model([BOS, *BYTES, *LETTERS, *MERGED], {**BPE, 35: 1}),
    "bytes and no unknown piece, Unigram": lambda: model(
        [BOS, *BYTES, *LETTERS, *MERGED], {**UNIGRAM, 35: 1}
    ),
    "a piece that is a NUL": lambda: model([*START, piece("\0"), *BYTES, *LETTERS], {**BPE, 35: 1}),
    "a name of a byte that is text": lambda: model([*START, *LETTERS, piece("<0x41>"), *MERGED], BPE),
    "no piece for a space": lambda: model([*START, *BYTES, *LETTERS[2:], *MERGED[:2]], {**BPE, 35: 1}),
    "equal scores": lambda: model(
        [*START, *LETTERS, *(piece(t) for t in ("ab", "bc", "bb", "ba", "aa"))], BPE
    ),
    "zeros": lambda: model([*START, *LETTERS, piece("ab", -0.0), piece("ba", 0.0), piece("aa", -0.0)], BPE),
    "a surface of its own": lambda: model([*START, *LETTERS], {**BPE, 44: "\u2581<?>"}),
    "no surface": lambda: model([*START, *LETTERS], {**BPE, 44: ""}, {1: "x", 3: 1, 4: 0}),
    "text that is changed when decoded": lambda: (
        model([*START, *LETTERS, piece("\ufb01"), piece("e\u0301")], BPE)
        + field(5, field(1, "nfkc") + field(2, some_map()))
    ),
    "specifications in parts": lambda: model([*START, *LETTERS], {3: 2}, {3: 0}) + field(3, field(4, 0)),
}


@pytest.mark.parametrize("name", HAND_MADE)
def test_hand_made_models_encode_and_decode_as_the_library_does(tmp_path, name):
    tokenizer, library = opened(tmp_path / "a.model", HAND_MADE[name]())
    dice = random.Random(name)
    letters = [*"  aabbccddeff\u00e9\u2581\nx?A\0", "<x>", "<0x41>", "a b", " c", "\ufb01", "\xff"]
    texts = [
        "".join(dice.choices(letters, k=dice.randrange(1, 25))).encode(
            "latin-1" if n % 9 == 0 else "utf-8", "replace"
        )
        for n in range(150)
    ]
    check(tokenizer, library, [b"", b" ", b"  ", *texts])


def broken_map(units, replacements=b"x\0"):
    table = b"".join(unit.to_bytes(4, "little") for unit in units) + bytes(4 * (-len(units) % 256))
    return {2: len(table).to_bytes(4, "little") + table + replacements}


REFUSED = {
    "a cut piece": (UNK + BOS + A[:-2], "is damaged from byte [0-9,]+ on, or incomplete"),
    "a length that lies": (UNK + BOS + b"\n\xff\xff\xff\xff\x07", "is damaged from byte"),
    "a length of 2^63": (UNK + BOS + b"\n" + b"\x80" * 9 + b"\x01", "is damaged from byte"),
    "a number without end": (UNK + BOS + b"\x10" + b"\xff" * 11, "is damaged from byte"),
    "a group": (UNK + BOS + b"\x1b", "is damaged from byte"),
    "a length that lies within a piece": (UNK + BOS + b"\n\x02\n\x05", "is damaged from byte"),
    "a broken specification": (
        UNK + BOS + A + field(2, b"\x18"),
        "is broken where it says how text is changed",
    ),
    "no unknown piece": (model([BOS, A], BPE), "has no unknown piece"),
    "two unknown pieces": (model([UNK, piece("<x>", 0, UNKNOWN), A], BPE), "has 2 unknown pieces"),
    "an empty piece": (model([UNK, BOS, field(1, b"")], BPE), "has the empty piece 2"),
    "a NUL": (model([*START, piece("a\0b")], BPE), "has the piece 2, which contains a NUL"),
    "equal pieces": (model([*START, A, A], BPE), "has two equal tokens: 2 and 3"),
    "a long piece": (model([*START, piece("a" * (1 << 20))], BPE), "has a piece of 1,048,576 bytes"),
    "bytes that are not used": (
        model([*START, A, *BYTES], BPE),
        "has pieces for bytes, but byte_fallback is off",
    ),
    "not all bytes": (model([*START, A, *BYTES[:255]], {**BPE, 35: 1}), "not have one piece for each byte"),
    "odd bytes": (
        model([*START, A, *BYTES, piece("<0xZZ>", 0, BYTE)], {**BPE, 35: 1}),
        "do not name a byte",
    ),
    "infinity": (model([*START, piece("a", float("-inf"))], UNIGRAM), "whose score is not a number"),
    "a short map": (model([*START, A], BPE, {2: b"\0\1"}), "has a precompiled_charsmap that is too short"),
    "a map out of bounds": (
        model([*START, A], BPE, broken_map([0x7FFFFC00])),
        "points outside its table",
    ),
}
REFUSED_HERE = {
    "a long surface": (model([*START, A], {**BPE, 44: "?" * 2000}), "unk_surface"),
    "no number": (
        model([*START, piece("a", float("nan"))], BPE),
        "has the piece 2, whose score is not a number",
    ),
    "no normal pieces": (model([*START, piece("a", 0, USER_DEFINED)], UNIGRAM), "has no normal pieces"),
    "words": (model([*START, A], WORD), "is a model of whole words"),
    "own pieces in pieces": (model([*START, piece(b"\xe2\x96", 0, USER_DEFINED)], BPE), "which is not UTF-8"),
    "a map that explodes": (
        model([*START, A], UNIGRAM, {2: build_charsmap({"x": "y" * 1000})}),
        "makes of a text 1,000 times as many characters",
    ),
}


@pytest.mark.parametrize("name", [*REFUSED, *REFUSED_HERE])
def test_what_cannot_be_used_is_refused_in_one_sentence(tmp_path, name):
    data, message = {**REFUSED, **REFUSED_HERE}[name]
    path = tmp_path / "a.model"
    path.write_bytes(data)
    started = time.perf_counter()
    with pytest.raises(VocabError, match=message) as refusal:
        guiapp.open_model(path)
    assert time.perf_counter() - started < LIMIT_S
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", REFUSED)
def test_the_library_refuses_them_too(name):
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=REFUSED[name][0])


def test_ten_million_pieces_are_refused_soon(tmp_path):
    path = tmp_path / "a.model"
    path.write_bytes(UNK + BOS + field(1, field(1, "a")) * 10_000_000)
    started = time.perf_counter()
    with pytest.raises(VocabError, match="has more than 4,194,304 pieces"):
        guiapp.open_model(path)
    assert time.perf_counter() - started < LIMIT_S


@pytest.mark.real_vocabs
def test_control_pieces_are_matched_only_on_request():
    path = FORMATS / REAL[1]
    tokenizer, library = guiapp.open_model(path), sentencepiece.SentencePieceProcessor(model_file=str(path))
    texts = ["Hi there", " x[REFERENCE_DOC_3]y", "", "<s", "  two"]
    ids = [library.encode(text) for text in texts]
    text = "[INST]".join(texts)
    expected = [each for part in ids for each in (*part, 3)][:-1]
    assert library.id_to_piece(3) == "[INST]"
    assert tokenizer.encode(text, add_special=False).token_ids.tolist() == expected
    assert tokenizer.encode(text, False, False).token_ids.tolist() == library.encode(text)
    assert tokenizer.decode(expected) == text
    assert tokenizer.encode("a").token_ids.tolist() == [library.bos_id(), *library.encode("a")]
    assert tokenizer.decode([1, *expected], remove_special=True) == text
