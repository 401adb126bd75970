"""A small file of each format, with a text whose tokens can be told by hand; a new format joins by a row."""

from __future__ import annotations

import json
import shutil
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from guiapp.core.demo import demo_model_path

BYTES = [bytes([byte]) for byte in range(256)]
WORDS = [b"th", b"the"]
PATTERN = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


class Sample(NamedTuple):
    """A file of a format.

    format     its name in FORMATS
    name       of the file
    write      makes it at a path
    text       what is encoded
    pieces     the bytes of the tokens of the text, without BOS and the like
    decision   the operation that makes tokens
    is_silent  whether the file does not say how text is split
    """

    format: str
    name: str
    write: Callable[[Path], object]
    text: bytes = b"thethx the"
    pieces: tuple[bytes, ...] = (b"the", b"th", b"x", b" ", b"the")
    decision: str = "merge"
    is_silent: bool = False


def _gguf(path: Path) -> None:
    shutil.copy(demo_model_path("toy"), path)


def _tekken(path: Path) -> None:
    rows = [
        {"rank": rank, "token_bytes": b64encode(text).decode(), "token_str": None}
        for rank, text in enumerate(BYTES + WORDS)
    ]
    config = {"pattern": PATTERN, "default_num_special_tokens": 20, "default_vocab_size": 20 + len(rows)}
    path.write_text(json.dumps({"config": config, "vocab": rows}))


def _ranks(path: Path) -> None:
    lines = (f"{b64encode(text).decode()} {rank}\n" for rank, text in enumerate(BYTES + WORDS))
    path.write_text("".join(lines))


def _rwkv(path: Path) -> None:
    lines = (f"{token} {text!r} {len(text)}\n" for token, text in enumerate(BYTES + WORDS, 1))
    path.write_text("".join(lines))


SAMPLES = (
    Sample("GGUF", "toy.gguf", _gguf, b"abacbb", (b"ab", b"acbb")),
    Sample("tekken.json", "tekken.json", _tekken),
    Sample("tiktoken", "small.tiktoken", _ranks, is_silent=True),
    Sample("RWKV vocabulary", "rwkv.txt", _rwkv, decision="take"),
)
