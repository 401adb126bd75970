"""Damaged files: whether llama.cpp would load them is what is said, and what it makes of texts then."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import pytest
from gguf_builder import Raw, write_vocab

import guiapp
from guiapp import EncodeError, VocabError
from guiapp.core.encode.exactness import REFUSED

pytestmark = [  # the oracle does not close its files where llama.cpp ends the process
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.slow,
]

BPE = {"model": "gpt2", "pre": "gpt-2", "tokens": ["a", "b", "ab"], "merges": ["a b"]}
SPM = {"model": "llama", "tokens": ["<unk>", "<s>", "</s>", "a"], "scores": [0, 0, 0, -1]}
WPM = {"model": "bert", "architecture": "bert", "tokens": ["[UNK]", "[CLS]", "[SEP]", "\u2581a"]}
RWKV = {"model": "rwkv", "architecture": "rwkv6", "tokens": ["x", "a"]}
UGM = {
    "model": "t5",
    "architecture": "t5",
    "tokens": ["<pad>", "</s>", "<unk>", "\u2581", "a", "b", "\u2581a"],
    "scores": [0, 0, 0, -1, -2, -3, -1.5],
    "types": [3, 3, 2, 1, 1, 1, 1],
}
KINDS = {"bpe": BPE, "spm": SPM, "wpm": WPM, "rwkv": RWKV, "ugm": UGM}
PHI3_TOKENS = ["</s>", "<s>", "<unk>", "<|endoftext|>"]
VALUES = {
    "u8": 1, "u16": 1, "u32": 1, "i32": 1, "u64": 1, "f32": 1.0, "bool": True, "string": "1",
    "array:u32": [1] * 9, "array:i32": [1] * 9, "array:u8": [1] * 9,
    "array:f32": [1.0] * 9,
    "array:string": list("abcdefghi"),
}  # fmt: skip
KEYS = (
    "general.architecture", "general.name", "general.file_type", "general.alignment",
    "split.count", "split.no",
    *(f"tokenizer.ggml.{name}" for name in (
        "tokens", "scores", "token_type", "merges", "pre", "bos_token_id", "add_bos_token",
        "add_space_prefix",
        "precompiled_charsmap", "suppress_tokens", "token_type_count", "normalizer.lowercase",
    )),
)  # fmt: skip
ROOT, CHILD = 256, 512
LEAF, VALUE = 0x100, 0x80000000
A, NEWLINE = ROOT ^ ord("a"), ROOT ^ 10
FAR = 0x1FFFFF << 10


def charsmap(
    changes: Mapping[int, int], n_units: int = 1024, replacements: bytes = b"b\0c\0"
) -> dict[str, object]:
    """A Unigram vocabulary in which "a" becomes "b", but for damage."""
    units = [0] * 1024
    units[0], units[A], units[A ^ CHILD] = ROOT << 10, ord("a") | CHILD << 10 | LEAF, VALUE
    for index, unit in changes.items():
        units[index] = unit
    table = struct.pack(f"<I{n_units}I", 4 * n_units, *units[:n_units])
    return {**UGM, "precompiled_charsmap": Raw("array:u8", table + replacements)}


def newline(value: int) -> dict[int, int]:
    return {NEWLINE: 10 | CHILD << 10 | LEAF, NEWLINE ^ CHILD: VALUE | value}


CHARSMAPS = {
    "whole": charsmap({}),
    "key outside": charsmap({A: ord("a") | FAR}),
    "key with a replacement outside": charsmap({A: ord("a") | FAR | LEAF}),
    "key just outside": charsmap({A: ord("a") | 1024 << 10}),
    "replacement outside": charsmap({A ^ CHILD: VALUE | 5000}),
    "replacement just outside": charsmap({A ^ CHILD: VALUE | 4}),
    "replacement without an end": charsmap({A ^ CHILD: VALUE | 2}, replacements=b"b\0c"),
    "no replacement has an end": charsmap({}, replacements=b"b"),
    "circle": charsmap({A: ord("a") | A << 10}),
    "circle of replacements": charsmap({A: ord("a") | LEAF}),
    "nothing but a circle": charsmap({A: ord("a") | (A ^ ROOT) << 10 | LEAF, ROOT: VALUE}),
    "root outside": charsmap({0: FAR}),
    **{f"cut at {size}": charsmap({}, n_units=size) for size in (1, 260, 266, 267, 300, 350, 512, 900)},
    "newline outside": charsmap({NEWLINE: 10 | FAR}),
    "newline with a replacement outside": charsmap({NEWLINE: 10 | FAR | LEAF}),
    "newline's replacement": charsmap(newline(2)),
    "newline's replacement outside": charsmap(newline(5000)),
    "newline's replacement without an end": charsmap(newline(2), replacements=b"b\0c"),
    **{
        f"{head!r}": {**UGM, "precompiled_charsmap": Raw("array:u8", list(head))}
        for head in (
            b"",
            b"a",
            bytes(4),
            bytes(5),
            b"\0\0\0\0ab",
            b"\1\0\0\0ab",
            b"\3\0\0\0abcd\0",
            b"\4\0\0\0abcd",
        )
    },
}
EMPTY = {f"no {name} tokens": {**kind, "tokens": Raw("array:string", [])} for name, kind in KINDS.items()}
OTHERS = {
    **{
        f"{key} is {kind}": {**BPE, key.rpartition(".ggml.")[2]: None, "keys": {key: Raw(kind, value)}}
        for key in KEYS
        for kind, value in VALUES.items()
    },
    **{f"architecture {name!r}": {**BPE, "architecture": name} for name in ("clip", "gptj", "zzz", "", "t5")},
    "no architecture": {**BPE, "architecture": None},
    **{
        f"{name} without {left_out}": {
            **BPE, "name": name, "tokens": ["a", "b", *(text for text in PHI3_TOKENS if text != left_out)]
        }
        for left_out in ("", *PHI3_TOKENS)
        for name in ("Phi-3 mini", "my PHI3")
    },
    **{f"{name} without a mask": {**BPE, "name": name} for name in ("modern-bert", "jina")},
    **{
        f"part {number} of {count}, {kind}": {
            **BPE, "keys": {"split.count": Raw("u16", count), "split.no": Raw(kind, number)}
        }
        for count in (0, 1, 2)
        for number in (0, 1)
        for kind in ("u16", "u32")
    },
    "split without a number": {**BPE, "keys": {"split.count": Raw("u16", 2)}},
    "twins": {**BPE, "tokens": ["a", "a"]},
    "short byte": {**BPE, "tokens": ["a", "b", "<0"], "types": [1, 1, 6]},
    "byte without digits": {**BPE, "tokens": ["a", "b", "<0x"], "types": [1, 1, 6]},
    "no merges": {**BPE, "merges": None},
    "unknown pre": {**BPE, "pre": "foo-9"},
}  # fmt: skip
CASES = {**CHARSMAPS, **EMPTY, **OTHERS}
LONG = b"a" * 3000
TEXTS = (b"", b"a", b"ab a", b"xyz", b"\n", b"a\nb", "café".encode(), b"aa" * 500, b"\xff")


@pytest.fixture(scope="module")
def oracle():
    oracle = pytest.importorskip("llama_oracle").SafeOracle()
    yield oracle
    oracle.close()


def is_loaded_by(oracle, path) -> bool:
    from llama_oracle import OracleError

    try:
        oracle.load(path)
    except OracleError:
        return False
    return True


def our_verdict(path) -> str:
    """Why llama.cpp would not load a file, "" where it would."""
    try:
        exactness = guiapp.open_model(path).exactness
    except VocabError as error:
        return str(error)
    return exactness.reason if exactness.level == REFUSED else ""


def test_the_verdict_on_loading_matches_llama_cpp(tmp_path, oracle):
    wrong = {}
    for name, parts in CASES.items():
        path = write_vocab(tmp_path / "model.gguf", **parts)
        reason = our_verdict(path)
        if is_loaded_by(oracle, path) == bool(reason):
            wrong[name] = reason or "is said to be loaded"
    assert wrong == {}


@pytest.mark.parametrize("name", [*CHARSMAPS, *EMPTY])
def test_texts_that_llama_cpp_survives_become_the_same_ids(tmp_path, oracle, name):
    from llama_oracle import OracleError

    path = write_vocab(tmp_path / "model.gguf", **CASES[name])
    if not is_loaded_by(oracle, path):
        return
    tokenizer = guiapp.open_model(path)
    for text in TEXTS:
        try:
            expected = oracle.tokenize(text, False, False)
        except OracleError:
            expected = None
        try:
            ids = tokenizer.encode(text, add_special=False, parse_special=False).token_ids.tolist()
        except EncodeError:
            ids = None
        assert expected is None or -1 in expected or ids == expected, text


@pytest.mark.parametrize("name", ["whole", "circle", "nothing but a circle"])
def test_the_exactness_of_a_text_with_a_longer_key_is_right(tmp_path, oracle, name):
    path = write_vocab(tmp_path / "model.gguf", **CASES[name])
    oracle.load(path)
    tokenizer = guiapp.open_model(path)
    expected = oracle.tokenize(LONG, False, False)
    ids = tokenizer.encode(LONG, add_special=False, parse_special=False).token_ids.tolist()
    assert tokenizer.exactness.level == ("exact" if ids == expected else "approximate")
    assert (ids == expected) == (name != "nothing but a circle")
    assert any("longer key" in warning for warning in tokenizer.vocabulary.warnings) == (ids != expected)


def test_the_reason_llama_cpp_refuses_a_file_is_reported(tmp_path):
    for name, part in {
        "split.count is u32": "split.count",
        "architecture 'clip'": "clip",
        "Phi-3 mini without <|endoftext|>": "<|endoftext|>",
    }.items():
        reason = our_verdict(write_vocab(tmp_path / "model.gguf", **CASES[name]))
        assert reason.startswith("llama.cpp cannot load this file. ")
        assert part in reason
