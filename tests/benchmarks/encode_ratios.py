"""Measure how many times faster `fast` encodes than other tokenizers with the same vocabulary and text.

    python tests/benchmarks/encode_ratios.py --shared ../shared

All run in one process and one thread; times are its processor time.  Each contender gets a Python string and
returns ids.  Contenders take turns, so that other load affects all equally, and medians are compared.  Before
any timing, each contender encodes each text once and ids are compared.  "cold" is the first text after a
fresh load of the vocabulary.  A file of another format is compared with a GGUF converted from it: a promise
of 0.8 means that the file may take a quarter longer.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sentencepiece
import tokenizers
from gguf import TokenType

from guiapp import open_model
from guiapp.analysis.libraries.table import PEERS, peer_source
from guiapp.analysis.train.models import ModelFile, Token, write_gguf
from guiapp.core.encode.tokenizer import Tokenizer

Encode = Callable[[str], Any]  # a sequence of ids
Load = Callable[[], Encode]
"""Makes an encoder with empty caches."""

CODE_BYTES = 1_000_000
LONG_BYTES = 4 << 20
SHORT_BYTES = 128
SHORT_CALLS = 200  # per measurement: one call is too short for the clock
SLOW_MB_PER_S = 5.0  # slower contenders are timed less often


class Form(NamedTuple):
    """A tokenizer file of another format than GGUF, and llama.cpp's name of its pre-tokenizer."""

    file: str
    pre: str


GGUF_FORM = "its GGUF"
FORMS = {
    "deepseek-v4": Form("deepseek-v4.tokenizer.json", "deepseek-v3"),
    "tekken": Form("tekken_240718.json", "tekken"),
    "cl100k": Form("cl100k_base.tiktoken", "llama-bpe"),
}

LIBRARY = "its library"
OWN_FILES = {  # relative to the parent of the shared folder
    "nai-t5": "folders/sp-nai-t5/spiece.model",
    "xlnet": "folders/sp-xlnet/spiece.model",
    "j2": "shared/formats/j2-unigram.tokenizer.model",
    "nerdstash": "shared/formats/nerdstash.model",
    "mistral-v1": "shared/formats/mistral-v1.tokenizer.model",
    "t5": "folders/repos/microsoft+onnxruntime-extensions__test__data__tokenizer__t5-small/tokenizer.json",
    "clip": "folders/repos/microsoft+onnxruntime-extensions__test__data__tokenizer__clip/tokenizer.json",
    "rwkv": "shared/formats/rwkv_vocab_v20230424.txt",
}

# Vocabulary, text, state and contender: how many times faster we promise to be.
PROMISED = {
    ("llama-bpe", "English", "warm", "gigatoken"): 0.5,
    ("llama-bpe", "code", "warm", "gigatoken"): 0.5,
    ("llama-bpe", "Japanese", "warm", "gigatoken"): 1,
    ("llama-bpe", "English", "cold", "gigatoken"): 1,
    ("llama-bpe", "code", "cold", "gigatoken"): 1,
    ("llama-bpe", "Japanese", "cold", "gigatoken"): 1,
    ("llama-bpe", "English", "warm", "tiktoken"): 10,
    ("llama-bpe", "code", "warm", "tiktoken"): 5,
    ("llama-bpe", "Japanese", "warm", "tiktoken"): 2,
    ("llama-bpe", "English", "warm", "tokenizers"): 40,
    ("llama-bpe", "code", "warm", "tokenizers"): 40,
    ("llama-bpe", "4 MB", "warm", "llama.cpp"): 20,
    ("llama-bpe", "128 B", "warm", "llama.cpp"): 2,
    ("llama-spm", "English", "warm", "gigatoken"): 1,
    ("llama-spm", "English", "warm", "sentencepiece"): 20,
    ("llama-spm", "4 MB", "warm", "llama.cpp"): 20,
    ("llama-spm", "128 B", "warm", "llama.cpp"): 2,
    ("bert-bge", "English", "warm", "tokenizers"): 50,
    ("bert-bge", "Japanese", "warm", "tokenizers"): 20,
    ("bert-bge", "English", "warm", "llama.cpp"): 15,
    ("nomic-bert-moe", "English", "warm", "tokenizers"): 50,
    ("nomic-bert-moe", "Japanese", "warm", "tokenizers"): 15,
    ("nomic-bert-moe", "English", "warm", "llama.cpp"): 15,
    **{
        (name, text, "warm", LIBRARY): 10
        for name in ("t5", "clip", "rwkv")
        for text in ("English", "Japanese")
    },
    **{(name, "English", "warm", LIBRARY): 10 for name in ("nerdstash", "mistral-v1")},
    **{(name, "English", "warm", LIBRARY): 8 for name in ("nai-t5", "xlnet")},
    **{(form, text, "warm", GGUF_FORM): 0.8 for form in FORMS for text in ("English", "code", "Japanese")},
}
PEERS_OF = {
    "llama-bpe": ("gigatoken", "snaptokens", "tiktoken", "tokenizers"),
    "gpt-2": ("gigatoken", "snaptokens"),
    "qwen2": ("gigatoken", "snaptokens"),
    "llama-spm": ("gigatoken", "sentencepiece"),
    "bert-bge": ("tokenizers",),
    "nomic-bert-moe": ("sentencepiece", "tokenizers"),  # sums in single precision: a few ids differ
}
GIVE_OBJECTS = ("snaptokens", "tokenizers")  # whose results have an attribute `ids`
COLD_LIBRARIES = (
    "gigatoken",
    "sentencepiece",
    GGUF_FORM,
    LIBRARY,
)  # contenders that are also compared cold


@dataclass(frozen=True)
class Ratio:
    """One contender on one text.

    state             "warm" or "cold"
    first_difference  index of the first id that differs from ours; None if all are equal
    """

    vocabulary: str
    text: str
    state: str
    contender: str
    speed_mb_per_s: float
    our_speed_mb_per_s: float
    first_difference: int | None

    @property
    def times(self) -> float:
        return self.our_speed_mb_per_s / self.speed_mb_per_s

    @property
    def promised(self) -> float | None:
        return PROMISED.get((self.vocabulary, self.text, self.state, self.contender))

    @property
    def keeps_promise(self) -> bool:
        return self.promised is None or (self.times >= self.promised and self.first_difference is None)

    def __str__(self) -> str:
        ids = "equal ids" if self.first_difference is None else f"ids differ from {self.first_difference} on"
        promise = f"promised {self.promised:g}" if self.promised else ""
        return (
            f"{self.vocabulary:14} {self.text:9} {self.state:5} {self.contender:14}"
            f" {self.our_speed_mb_per_s:8.2f} to {self.speed_mb_per_s:8.2f} MB/s {self.times:7.2f}x "
            f" {promise:12} {ids}{'' if self.keeps_promise else '  <- BROKEN'}"
        )


def texts(shared: Path) -> dict[str, str]:
    """English and Japanese books, code of Python's standard library, Markdown, and parts of these."""
    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    code = "".join(path.read_text("utf-8") for path in library)
    english = (shared / "corpora" / "shakespeare.txt").read_text("utf-8")
    japanese = (shared / "corpora" / "soseki.txt").read_text("utf-8")
    mixed = english + code + japanese
    docs = "".join(path.read_text("utf-8") for path in sorted(shared.glob("*.md")))
    return {
        "English": english,
        "code": code[:CODE_BYTES],
        "docs": docs,
        "Japanese": japanese,
        "4 MB": mixed.encode()[:LONG_BYTES].decode("utf-8", "ignore"),
        "128 B": english[:SHORT_BYTES],
        "16 B": english[:16],
    }


def compare(shared: Path, name: str, rounds: int) -> list[Ratio]:
    """The ratios of one vocabulary on all texts."""
    with tempfile.TemporaryDirectory() as folder:
        if name in OWN_FILES:
            path = shared.resolve().parent / OWN_FILES[name]
            loaders = {"fast": partial(_load_ours, path), LIBRARY: partial(_load_library, path)}
        else:
            loaders = _forms(shared, name, Path(folder)) if name in FORMS else _peers(shared, name)
        return _compare(loaders, shared, name, rounds)


def _load_library(path: Path) -> Encode:
    """The library that a file is made for."""
    if path.suffix == ".json":
        theirs = tokenizers.Tokenizer.from_file(str(path))
        theirs.encode_special_tokens = True
        return lambda text: theirs.encode(text, add_special_tokens=False).ids
    if path.suffix == ".txt":
        from rwkv.rwkv_tokenizer import TRIE_TOKENIZER

        return TRIE_TOKENIZER(str(path)).encode
    return sentencepiece.SentencePieceProcessor(str(path)).encode


def _peers(shared: Path, name: str) -> dict[str, Load]:
    path = shared / "vocabs" / f"ggml-vocab-{name}.gguf"
    tokenizer = open_model(path)
    loaders: dict[str, Load] = {"fast": partial(_load_ours, path)}
    loaders |= {peer: _peer(peer, tokenizer) for peer in PEERS_OF[name] if PEERS[peer].is_installed}
    return loaders | {"llama.cpp": _llama_cpp(shared, path)}


def _forms(shared: Path, name: str, folder: Path) -> dict[str, Load]:
    path, other = shared / "formats" / FORMS[name].file, folder / f"{name}.gguf"
    write_gguf(other, gguf_form(open_model(path), FORMS[name].pre))
    return {"fast": partial(_load_ours, path), GGUF_FORM: partial(_load_ours, other)}


def gguf_form(tokenizer: Tokenizer, pre: str) -> ModelFile:
    """The GGUF contents of a byte-level vocabulary: tokens, their types, and merges by rank."""
    vocabulary, merging = tokenizer.vocabulary, tokenizer.merging
    assert merging is not None
    texts = [vocabulary.raw_text(token).decode() for token in range(len(vocabulary))]
    types = map(TokenType, vocabulary.stored_types.tolist())
    left, right, rank, _ = merging.rules.table.T
    rules = merging.rules.table[np.lexsort((right, left, rank)), :2].tolist()
    return ModelFile(
        architecture="llama",
        name=vocabulary.name,
        description="",
        model="gpt2",
        pre=pre,
        tokens=tuple(map(Token, texts, types)),
        merges=tuple(f"{texts[left]} {texts[right]}" for left, right in rules),
        flags={"add_bos_token": False},
    )


def _compare(loaders: dict[str, Load], shared: Path, name: str, rounds: int) -> list[Ratio]:
    warm = {contender: load() for contender, load in loaders.items()}
    ratios = []
    for title, text in texts(shared).items():
        ids = {contender: list(encode(text)) for contender, encode in warm.items()}
        speeds = {"warm": _warm_speeds(warm, text, rounds)}
        if title in ("English", "code", "Japanese"):
            cold = {name: load for name, load in loaders.items() if name in ("fast", *COLD_LIBRARIES)}
            speeds["cold"] = _cold_speeds(cold, text, rounds)
        for state, by_contender in speeds.items():
            ours = by_contender.pop("fast")
            for contender, speed in by_contender.items():
                difference = _first_difference(ids["fast"], ids[contender])
                ratios.append(Ratio(name, title, state, contender, speed, ours, difference))
    return ratios


def _warm_speeds(encoders: dict[str, Encode], text: str, rounds: int) -> dict[str, float]:
    """Median speeds in MB/s; all contenders run once in each round, slow ones only in the first two."""
    n_calls = SHORT_CALLS if len(text) <= SHORT_BYTES else 1
    size = n_calls * len(text.encode())
    speeds: dict[str, list[float]] = {name: [] for name in encoders}
    for number in range(rounds):
        for name, encode in encoders.items():
            if number < 2 or size < LONG_BYTES // 8 or min(speeds[name]) > SLOW_MB_PER_S:
                encode(text)  # a warm-up, else it would pay for memory that the previous one freed
                speeds[name].append(_speed(encode, text, size, n_calls))
    return {name: statistics.median(measured) for name, measured in speeds.items()}


def _cold_speeds(loaders: dict[str, Load], text: str, rounds: int) -> dict[str, float]:
    """Median speeds in MB/s of the first text after loading."""
    size = len(text.encode())
    speeds: dict[str, list[float]] = {name: [] for name in loaders}
    for _ in range(rounds):
        for name, load in loaders.items():
            speeds[name].append(_speed(load(), text, size, 1))
    return {name: statistics.median(measured) for name, measured in speeds.items()}


def _speed(encode: Encode, text: str, size_bytes: int, n_calls: int) -> float:
    start_ns = time.process_time_ns()
    for _ in range(n_calls):
        encode(text)
    return size_bytes * 1e3 / (time.process_time_ns() - start_ns)


def _first_difference(ours: Sequence[int], theirs: Sequence[int]) -> int | None:
    shorter = min(len(ours), len(theirs))
    differs = np.flatnonzero(np.array(ours[:shorter]) != np.array(theirs[:shorter]))
    if len(differs):
        return int(differs[0])
    return None if len(ours) == len(theirs) else shorter


def _load_ours(path: Path) -> Encode:
    """An encoder from string to ids on one thread, without special tokens, as for all."""
    tokenizer = open_model(path).with_threads(1)
    tokenizer.make_tables()
    encode = tokenizer.encode
    encode("a")  # makes the cache of pieces
    return lambda text: encode(text, add_special=False, parse_special=False).token_ids


def _peer(name: str, tokenizer: Tokenizer) -> Load:
    source = peer_source(name, tokenizer)

    def load() -> Encode:
        encode = PEERS[name].open(source).encode
        return (lambda text: encode(text).ids) if name in GIVE_OBJECTS else encode

    return load


def _llama_cpp(shared: Path, path: Path) -> Load:
    sys.path.insert(0, str(shared / "tools"))
    from llama_oracle import LlamaOracle  # type: ignore[import-not-found]

    oracle = LlamaOracle().load(path)
    return lambda: lambda text: oracle.tokenize(text, False, False)


def main() -> int:
    """Print all ratios; return 1 as exit status if a promise is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="folder with vocabs, corpora and tools")
    parser.add_argument(
        "--vocabulary", action="append", choices=(*PEERS_OF, *FORMS, *OWN_FILES), help="all if none is named"
    )
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    promises_met = True
    for name in arguments.vocabulary or (*PEERS_OF, *FORMS, *OWN_FILES):
        for ratio in compare(arguments.shared, name, arguments.rounds):
            print(ratio, flush=True)
            promises_met &= ratio.keeps_promise
    return 0 if promises_met else 1


if __name__ == "__main__":
    sys.exit(main())
