"""How many times faster `fast` encodes than other tokenizers do with the same vocabulary and text.

    python -m guiapp.core.bench.encode_ratios --shared ../shared

One thread, one process, warm: each contender encodes each text once before anything is timed, and its ids
are compared then.  Contenders take turns, so that what else the machine does hits all alike, and medians
are compared.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from guiapp import open_model
from guiapp.core.bench.sentencepiece_model import sentencepiece_model
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.byte_alphabet import unspell
from guiapp.core.vocab.vocabulary import Attribute, Vocabulary

Encode = Callable[[], Sequence[int]]

LLAMA_3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CODE_BYTES = 1_000_000

# Vocabulary, text and contender: how many times faster we promise to be.
PROMISED = {
    ("llama-bpe", "English", "tiktoken"): 5,
    ("llama-bpe", "code", "tiktoken"): 5,
    ("llama-bpe", "Japanese", "tiktoken"): 2,
    ("llama-bpe", "English", "tokenizers"): 40,
    ("llama-bpe", "code", "tokenizers"): 40,
    ("llama-spm", "English", "sentencepiece"): 20,
}


@dataclass(frozen=True)
class Ratio:
    """One contender on one text.

    first_difference  index of the first id that differs from ours; None if all are equal
    """

    vocabulary: str
    text: str
    contender: str
    speed_mb_per_s: float
    our_speed_mb_per_s: float
    first_difference: int | None

    @property
    def times(self) -> float:
        return self.our_speed_mb_per_s / self.speed_mb_per_s

    @property
    def promised(self) -> int | None:
        return PROMISED.get((self.vocabulary, self.text, self.contender))

    @property
    def keeps_promise(self) -> bool:
        return self.promised is None or (self.times >= self.promised and self.first_difference is None)

    def __str__(self) -> str:
        ids = "equal ids" if self.first_difference is None else f"ids differ from {self.first_difference} on"
        promise = f"promised {self.promised}" if self.promised else ""
        return (
            f"{self.vocabulary:10} {self.text:9} {self.contender:14} {self.speed_mb_per_s:8.2f} MB/s"
            f" {self.times:7.1f}x  {promise:12} {ids}"
        )


def texts(shared: Path) -> dict[str, str]:
    """English and Japanese books, and code that everyone has: Python's own."""
    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    code = "".join(path.read_text("utf-8") for path in library)
    return {
        "English": (shared / "corpora" / "shakespeare.txt").read_text("utf-8"),
        "code": code[:CODE_BYTES],
        "Japanese": (shared / "corpora" / "soseki.txt").read_text("utf-8"),
    }


def compare(shared: Path, name: str, rounds: int) -> list[Ratio]:
    """The ratios of one vocabulary on all texts."""
    path = shared / "vocabs" / f"ggml-vocab-{name}.gguf"
    tokenizer = open_model(path)
    make = {"llama-bpe": _byte_pair_contenders, "llama-spm": _sentence_piece_contenders}[name]
    contenders = make(tokenizer.vocabulary) | {"llama.cpp": _llama_cpp(shared, path)}
    ratios = []
    for title, text in texts(shared).items():
        encoders = {"fast": _ours(tokenizer, text)}
        encoders |= {contender: encoder(text) for contender, encoder in contenders.items()}
        ids = {contender: list(encode()) for contender, encode in encoders.items()}
        speeds = _speeds_mb_per_s(encoders, len(text.encode()), rounds)
        ratios.append(Ratio(name, title, "fast", speeds["fast"], speeds["fast"], None))
        for contender in contenders:
            difference = _first_difference(ids["fast"], ids[contender])
            ratios.append(Ratio(name, title, contender, speeds[contender], speeds["fast"], difference))
    return ratios


def _speeds_mb_per_s(encoders: dict[str, Encode], size_bytes: int, rounds: int) -> dict[str, float]:
    """Median speeds; all contenders run once in each round."""
    elapsed_ns: dict[str, list[int]] = {name: [] for name in encoders}
    for _ in range(rounds):
        for name, encode in encoders.items():
            start_ns = time.perf_counter_ns()
            encode()
            elapsed_ns[name].append(time.perf_counter_ns() - start_ns)
    return {name: size_bytes * 1e3 / statistics.median(times) for name, times in elapsed_ns.items()}


def _first_difference(ours: Sequence[int], theirs: Sequence[int]) -> int | None:
    shorter = min(len(ours), len(theirs))
    differs = np.flatnonzero(np.array(ours[:shorter]) != np.array(theirs[:shorter]))
    if len(differs):
        return int(differs[0])
    return None if len(ours) == len(theirs) else shorter


def _ours(tokenizer: Tokenizer, text: str) -> Encode:
    """Our pipeline, spans included; special tokens are off for all."""
    data = np.frombuffer(bytearray(text.encode()), np.uint8)
    return lambda: tokenizer.pipeline.encode(data, True, "fast").ids  # type: ignore[return-value]


def _byte_pair_contenders(vocabulary: Vocabulary) -> dict[str, Callable[[str], Encode]]:
    import tiktoken
    import tokenizers

    normal = [token for token in range(len(vocabulary)) if vocabulary.attributes[token] & Attribute.NORMAL]
    ranks = {unspell(vocabulary.raw_text(token).decode()): token for token in normal}
    fast = tiktoken.Encoding("ours", pat_str=LLAMA_3_PATTERN, mergeable_ranks=ranks, special_tokens={})

    offsets = vocabulary.merge_offsets
    merges = [
        vocabulary.merge_data[offsets[row] : offsets[row + 1]].tobytes().decode().partition(" ")
        for row in range(len(offsets) - 1)
    ]
    texts_to_ids = {vocabulary.raw_text(token).decode(): token for token in range(len(vocabulary))}
    model = tokenizers.models.BPE(
        texts_to_ids, [(left, right) for left, _, right in merges], ignore_merges=True
    )
    hugging_face = tokenizers.Tokenizer(model)
    hugging_face.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(LLAMA_3_PATTERN), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return {
        "tiktoken": lambda text: lambda: fast.encode_ordinary(text),
        "tokenizers": lambda text: lambda: hugging_face.encode(text, add_special_tokens=False).ids,
    }


def _sentence_piece_contenders(vocabulary: Vocabulary) -> dict[str, Callable[[str], Encode]]:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(vocabulary))
    return {"sentencepiece": lambda text: lambda: processor.encode(text)}


def _llama_cpp(shared: Path, path: Path) -> Callable[[str], Encode]:
    sys.path.insert(0, str(shared / "tools"))
    from llama_oracle import LlamaOracle  # type: ignore[import-not-found]

    oracle = LlamaOracle().load(path)
    return lambda text: lambda: oracle.tokenize(text.encode(), False, False)


def main() -> int:
    """Print all ratios; exit status 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shared", type=Path, required=True, help="folder with vocabs, corpora and tools")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    kept = True
    for name in ("llama-bpe", "llama-spm"):
        for ratio in compare(arguments.shared, name, arguments.rounds):
            print(ratio, flush=True)
            kept &= ratio.keeps_promise
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
