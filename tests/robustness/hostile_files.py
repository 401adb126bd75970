"""Model files broken by chance, opened and used in this process, which is to end well: a test's child.

python -m hostile_files SEED FIRST COUNT     the number of a file is told before it is opened
"""

from __future__ import annotations

import random
import struct
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from gguf_builder import NORMAL, USER_DEFINED
from pair_vocabularies import BYTE_TOKENS, HEX_TOKENS
from small_files import bpe, spm
from unpaired_vocabularies import write_plamo2, write_rwkv, write_test, write_unigram, write_wordpiece

import guiapp
from guiapp.core.text.charsmap import build_charsmap

TEXT = "ab  é中文 <s>a</s>\n\t▁x 123 👩\u200d👧 \0".encode() + b"\xff\xe2\x82 aab"
MOST_BYTES = 1 << 20
NUMBERS = (
    0,
    1,
    2,
    7,
    8,
    9,
    0x7F,
    0x80,
    0xFF,
    1 << 15,
    1 << 31,
    (1 << 32) - 1,
    1 << 40,
    1 << 63,
    (1 << 64) - 1,
)


def originals(folder: Path) -> list[bytes]:
    """Small valid files of every type of tokenizer."""
    charsmap = build_charsmap({"a": "b", "é": "e", "xyz": "u"})
    byte_level = [*BYTE_TOKENS, "ab", "aab", "<s>"]
    types = [*[NORMAL] * 258, USER_DEFINED]
    paths = [
        bpe(tokens=byte_level, types=types, merges=["a b", "a ab"]).write(folder / "bpe"),
        bpe(model="gemma4", pre="gemma4", tokens=[*HEX_TOKENS, "a", "▁"], merges=["a ▁"]).write(
            folder / "gemma"
        ),
        bpe(model="hybriddna", tokens=[*byte_level, "<dna>", "</dna>", "<oov>"]).write(folder / "dna"),
        spm(tokens=["<unk>", "<s>", "</s>", *HEX_TOKENS, "a", "ab", "▁a"]).write(folder / "spm"),
        write_wordpiece(folder / "wpm", 1, None, None),
        write_unigram(folder / "ugm", 1, True, True, charsmap),
        write_rwkv(folder / "rwkv", 1),
        write_plamo2(folder / "plamo2", 1),
        write_test(folder / "test"),
    ]
    return [path.read_bytes() for path in paths]


def flip_bits(rng: random.Random, data: bytearray) -> None:
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        data[_place(rng, data)] ^= 1 << rng.randrange(8)


def put_number(rng: random.Random, data: bytearray) -> None:
    """A length, a count or a type that is another one."""
    size = rng.choice((4, 8))
    at = min(_place(rng, data), len(data) - size)
    data[at : at + size] = struct.pack("<Q", rng.choice((*NUMBERS, rng.randrange(1 << 16))))[:size]


def truncate(rng: random.Random, data: bytearray) -> None:
    del data[_place(rng, data) :]


def repeat(rng: random.Random, data: bytearray) -> None:
    at = _place(rng, data)
    data[at:at] = data[at : at + rng.choice((1, 8, 40, 4096))]


def drop(rng: random.Random, data: bytearray) -> None:
    at = _place(rng, data)
    del data[at : at + rng.choice((1, 8, 40, 4096))]


MUTATIONS: tuple[Callable[[random.Random, bytearray], None], ...] = (
    flip_bits, flip_bits, put_number, put_number, put_number, truncate, repeat, drop,
)  # fmt: skip


def _place(rng: random.Random, data: bytearray) -> int:
    """Anywhere, but half of the time near the front, where counts and types stand close together."""
    return rng.randrange(min(len(data), rng.choice((400, len(data)))))


def broken_file(seed: int, number: int, files: list[bytes]) -> bytes:
    """One of the files of a seed."""
    rng = random.Random(f"{seed} {number}")
    data = bytearray(rng.choice(files))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if len(data) > 8:
            rng.choice(MUTATIONS)(rng, data)
    return bytes(data[:MOST_BYTES])


def use(path: Path) -> bool:
    """Open a file and encode with all that it offers; whether it could be opened."""
    try:
        tokenizer = guiapp.open_model(path)
    except guiapp.VocabError as error:
        if not str(error).isprintable():
            raise ValueError(f"{error} cannot be shown") from error
        return False
    try:
        tokenizer.make_tables()
        _ = tokenizer.vocabulary.token_tree
    except guiapp.VocabError:
        return True
    for encoder in tokenizer.encoders:
        try:
            encoding = tokenizer.encode(TEXT, encoder=encoder)
            tokenizer.decode_bytes(encoding.token_ids)
        except guiapp.EncodeError:
            continue
        assert (encoding.spans >= 0).all()
        assert (encoding.spans <= len(TEXT)).all()
    return True


def main(seed: int, first: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files, path, n_opened = originals(Path(folder)), Path(folder) / "model.gguf", 0
        for number in range(first, first + count):
            print(number, flush=True)
            path.write_bytes(broken_file(seed, number, files))
            n_opened += use(path)
        print(f"opened {n_opened}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
