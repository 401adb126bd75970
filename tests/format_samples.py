"""A small file of each format, with a text whose tokens are easy to derive; a new format needs a row."""

from __future__ import annotations

import gzip
import json
import shutil
import struct
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from guiapp import open_model
from guiapp.analysis.libraries.written_models import sentencepiece_model
from guiapp.core.demo import demo_model_path
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats import json_parts as part
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE


def unspelled_as_text(text: bytes) -> str:
    return "".join(CHARACTER_OF_BYTE[byte] for byte in text)


BYTES = [bytes([byte]) for byte in range(256)]
WORDS = [b"th", b"the"]
PATTERN = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


class Sample(NamedTuple):
    """A file of a format.

    format     its name in FORMATS
    name       of the file
    write      writes it to a path
    text       the text to encode
    pieces     the bytes of the tokens of the text, without special tokens
    decision   the operation that makes tokens
    is_silent  whether the file does not specify how text is split
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


def _tokenizer_json(path: Path) -> None:
    """Write a tokenizer.json with the bytes and the pattern of GPT-2."""
    texts = [unspelled_as_text(text) for text in BYTES + WORDS]
    content = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": part.BYTE_LEVEL,
        "post_processor": None,
        "decoder": part.BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "vocab": {text: token for token, text in enumerate(texts)},
            "merges": [["t", "h"], ["th", "e"]],
        },
    }
    path.write_text(json.dumps(content))


def _vocab_json(path: Path) -> None:
    texts = [unspelled_as_text(text) for text in BYTES + WORDS]
    path.write_text(json.dumps({text: token for token, text in enumerate(texts)}))
    path.with_name("merges.txt").write_text("#version: 0.2\nt h\nth e\n")


def _vocab_txt(path: Path) -> None:
    path.write_text("\n".join(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "##th", "##x")) + "\n")


def _clip(path: Path) -> None:
    path.write_bytes(gzip.compress(b'"bpe_simple_vocab_16e6.txt#version: 0.2\nt h\nth e'))


def _tokenizer_bin(path: Path) -> None:
    """Write the length of the longest token, then score, length and text of each token."""
    texts = [b"<unk>", b"\n<s>\n", b"\n</s>\n", *(b"<0x%02X>" % byte for byte in range(256))]
    texts += [bytes([byte]) for byte in b" thex"] + WORDS
    scores = [0.0] * 259 + [-9.0] * 5 + [-1.0, -2.0]
    rows = (struct.pack("<fi", score, len(text)) + text for score, text in zip(scores, texts, strict=True))
    path.write_bytes(struct.pack("<i", max(map(len, texts))) + b"".join(rows))


def _pieces(path: Path) -> None:
    path.write_bytes(sentencepiece_model(open_model("demo:unigram").vocabulary))


SAMPLES = (
    Sample("GGUF", "toy.gguf", _gguf, b"abacbb", (b"ab", b"acbb")),
    Sample("tekken.json", "tekken.json", _tekken),
    Sample("tiktoken", "small.tiktoken", _ranks, is_silent=True),
    Sample("RWKV vocabulary", "rwkv.txt", _rwkv, decision="take"),
    Sample("tokenizer.json", "tokenizer.json", _tokenizer_json),
    Sample("vocab.json and merges.txt", "vocab.json", _vocab_json),
    Sample("vocab.txt", "vocab.txt", _vocab_txt, pieces=(b"the", b"th", b"x", b"the"), decision="take"),
    Sample("CLIP's merges", "clip.txt.gz", _clip, pieces=(b"the", b"th", b"x", b"th", b"e")),
    Sample("tokenizer.bin", "tokenizer.bin", _tokenizer_bin),
    Sample("SentencePiece", "spiece.model", _pieces, b"New", (b"New",), decision="reach"),
)

READ_IN_TWO_WAYS = {
    "added_tokens": [
        {"id": 2, "content": "<s>", "special": True, "normalized": False}
        | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    ],
    "normalizer": part.normalizers(part.PREPENDS, part.MARKS),
    "model": {"type": "BPE", "vocab": {"a": 0, "\u2581": 1, "<s>": 2}, "merges": []},
}
"""A tokenizer.json with Llama 2's marks, which libraries add to each segment or only at a text's start."""


def opened_sample(sample: Sample, folder: Path) -> Tokenizer:
    """Write the file of a sample to a folder; return its tokenizer."""
    sample.write(folder / sample.name)
    return open_model(folder / sample.name, "gpt-2" if sample.is_silent else None)
