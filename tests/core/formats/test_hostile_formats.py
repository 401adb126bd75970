"""Damaged files of each format: a sentence, or a tokenizer that works; never anything else."""

from __future__ import annotations

import base64
import gzip
import json
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sentencepiece
from piece_models import BYTE, CONTROL, UNKNOWN, UNUSED, USER_DEFINED, model, piece, tokenizer_bin
from random_tokenizers import random_tokenizer

import guiapp
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.byte_alphabet import spell
from guiapp.errors import EncodeError, VocabError

TOKENS = [bytes([byte]) for byte in range(256)] + [b"ab", b"abab", b" the", "é日".encode(), b"\r\n", b"\\'\""]
IN_BASE64 = [base64.b64encode(text).decode() for text in TOKENS]
CONFIG = {"pattern": r"\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+|[^\s\p{L}\p{N}]+", "default_vocab_size": 270}
TEKKEN = {
    "config": {**CONFIG, "default_num_special_tokens": 8},
    "vocab": [{"rank": rank, "token_bytes": text} for rank, text in enumerate(IN_BASE64)],
    "special_tokens": [{"rank": 1, "token_str": "<s>"}],
}
TEXTS = ("\u2581", "a", "b", "ab", "\u2581ab", "th", "e")
PIECES = [
    piece("<unk>", 0, UNKNOWN),
    piece("<s>", 0, CONTROL),
    piece("</s>", 0, CONTROL),
    *(piece(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)),
    *(piece(text, -row) for row, text in enumerate(TEXTS)),
    piece("abab", 0, USER_DEFINED),
    piece("the", -1, UNUSED),
]
BYTES = {3: 2, 35: 1}  # a BPE model with byte fallback
LETTERS = [spell(bytes([byte])) for byte in range(256)]
VOCAB_JSON = {text: row for row, text in enumerate([*LETTERS, "ab", "abab", "Ġt", "<|endoftext|>", "<s>"])}
MERGES = "#version: 0.2\na b\nab ab\nĠ t\n"
SIDECAR_FILES = {
    "vocab.json": ("merges.txt", MERGES.encode()),
    "merges.txt": ("vocab.json", json.dumps(VOCAB_JSON).encode()),
}
FILES = {
    "tiktoken": "".join(f"{text} {rank}\n" for rank, text in enumerate(IN_BASE64)).encode(),
    "tekken": json.dumps(TEKKEN).encode(),
    "tokenizer.json": json.dumps(random_tokenizer(random.Random(2))).encode(),
    "vocab.txt": "\n".join(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "ab", "##ab", "the", "##e"]
    ).encode(),
    "vocab.json": json.dumps(VOCAB_JSON).encode(),
    "merges.txt": MERGES.encode(),
    "clip": f'"bpe_simple_vocab_16e6.txt{MERGES.replace(" t", " t</w>")}'.encode(),
    "pieces": model(PIECES, {**BYTES, 44: " ? "}, {1: "none", 3: 1, 4: 1, 5: 1}),
    "unigram": model(
        PIECES, {3: 1, 35: 1}, {2: build_charsmap({"\ufb01": "fi", "\t": " ", "e\u0301": "\u00e9"})}
    ),
    "tokenizer.bin": tokenizer_bin(
        sentencepiece.SentencePieceProcessor(model_proto=model(PIECES, {3: 2, 35: 1}))
    ),
    "rwkv": "".join(f"{row} {text!r} {len(text)}\n" for row, text in enumerate(TOKENS, 1)).encode(),
}
BITS = [
    b"\0",
    b"\xff",
    b"\n",
    b" ",
    b'"',
    b"'",
    b"\\",
    b"-",
    b"9",
    b"=",
    b"{",
    b"[" * 3000,
    b"(?:",
    b"{1,999}",
    b"b''",
]
BITS += [
    b"9223372036854775808",
    b"1e999",
    b"null",
    b"true",
    b'"rank": 0',
    b"\xed\xa0\x80",
    b"\\N{x}",
    b"(" * 80,
]
LIMIT_S = 2.0  # of this process, whatever else the machine does
LIMIT_BYTES = 1 << 30
STATUS = Path("/proc/self/statm")
resource = pytest.importorskip("resource") if STATUS.exists() else None  # elsewhere, memory has no limit


def damaged(data: bytes, dice: random.Random) -> bytes:
    """Cut, flipped, repeated, or with something put in or left out; mostly behind what tells the format."""
    data = bytearray(data)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(data) + 1) if dice.random() < 0.7 else dice.randrange(min(200, len(data)) + 1)
        end = min(len(data), at + dice.randrange(1, 30))
        match dice.randrange(6):
            case 0:
                del data[at:]
            case 1:
                data[at:at] = dice.choice(BITS)
            case 2:
                del data[at:end]
            case 3:
                data[at:at] = data[at:end]
            case 4 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case _:
                data[at:end] = dice.randbytes(end - at)
    return bytes(data)


ODD = [None, True, -1, 0, 2**63, 1e300, "", "IQ==", "=", "\ud800", [], {}, [[]], {"rank": 0}, "(?:" * 60]


def spoiled(content, dice: random.Random) -> bytes:
    """JSON, but with odd values in some places, most of which are not deep in a list."""
    content = json.loads(json.dumps(content))
    places = [content]
    for place in places:
        inner = list(place.values() if isinstance(place, dict) else place)
        places += [
            each
            for each in inner[:3] + dice.sample(inner, min(3, len(inner)))
            if each and isinstance(each, (dict, list))
        ]
    for place in dice.sample(places, min(len(places), dice.randrange(1, 4))):
        place[dice.choice([*place] if isinstance(place, dict) else range(len(place)))] = dice.choice(ODD)
    return json.dumps(content).encode()


def broken(name: str, dice: random.Random) -> bytes:
    if name not in FILES:
        return spoiled(TEKKEN if name.startswith("tekken") else random_tokenizer(dice), dice)
    if name != "clip":
        return damaged(FILES[name], dice)
    if dice.random() < 0.5:
        return damaged(gzip.compress(FILES[name]), dice)
    return gzip.compress(damaged(FILES[name], dice))


@contextmanager
def limited() -> Iterator[None]:
    """Fail where this takes more time, or more memory in addition to what there is."""
    started_s = time.process_time()
    if resource is not None:
        n_pages, before = int(STATUS.read_text().split()[0]), resource.getrlimit(resource.RLIMIT_AS)
        most_bytes = n_pages * resource.getpagesize() + LIMIT_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, before[1]))
    try:
        yield
    finally:
        if resource is not None:
            resource.setrlimit(resource.RLIMIT_AS, before)
        assert time.process_time() - started_s < LIMIT_S


@pytest.mark.parametrize("name", [*FILES, "tekken of odd values", "tokenizer.json of odd values"])
@pytest.mark.parametrize("count", [150, pytest.param(3_000, marks=pytest.mark.exhaustive)])
def test_damaged_files_open_or_are_refused_with_a_message(tmp_path, name, count):
    dice, path, messages = random.Random(name), tmp_path / "file", list[str]()
    if name in SIDECAR_FILES:
        other, content = SIDECAR_FILES[name]
        (tmp_path / other).write_bytes(content)
    for _ in range(count):
        path.write_bytes(broken(name, dice))
        try:
            with limited():
                tokenizer = guiapp.open_model(path, pre="cl100k_base" if name == "tiktoken" else None)
                text = b"abab the \xc3\xa9 12345 \r\n x\xff"
                tokenizer.decode_bytes(tokenizer.encode(text).token_ids)
        except (VocabError, EncodeError) as error:
            messages.append(str(error))
    assert 0 < len(messages) < count
    assert max(map(len, messages)) < 400
    assert "\n" not in "".join(messages)


@pytest.mark.parametrize("name", FILES)
def test_huge_files_are_refused_by_their_size(tmp_path, name):
    path = tmp_path / "file"
    path.write_bytes(FILES[name] if name != "clip" else gzip.compress(FILES[name]))
    with path.open("r+b") as file:
        file.truncate(300 << 20)  # takes no room on the disk
    with pytest.raises(VocabError, match=r"is 314,572,800 bytes long\. The limit is 268,435,456\."):
        guiapp.open_model(path)
