"""Measure how time and memory grow with the text, by tokenizer family and command, in one table.

    python tests/benchmarks/growth.py [--bytes N] [--shared ../shared] [--models NAME,…] [--commands NAME,…]

Each command runs at n, 2n and 4n = N bytes in a process of its own, which reads varied lines of the corpora
in the shared folder and discards its output.  Time is processor time minus that for an empty text; memory is
the peak of the process.  Each line ends with the exponents from n to 4n: 0 is constant, 1 is linear.
`bytes` is random bytes, mostly invalid UTF-8, and `one word` is a text without a split.  `worst` is the
steepest exponent of time of repeated letters, symbols and spaces as one piece, from 4 to 16 MB: shorter
pieces fit in the processor's caches, and the shortest in the cache of pieces.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import guiapp
from guiapp.core.encode.tokenizer import Tokenizer

MODELS = {
    "byte-level BPE": "vocabs/ggml-vocab-gpt-2.gguf",
    "BPE of characters": "vocabs/ggml-vocab-gemma-4.gguf",
    "SentencePiece BPE": "vocabs/ggml-vocab-llama-spm.gguf",
    "WordPiece": "vocabs/ggml-vocab-bert-bge.gguf",
    "Unigram of llama.cpp": "demo:unigram",
    "Unigram of SentencePiece": "formats/nerdstash.model",
    "longest match": "formats/rwkv_vocab_v20230424.txt",
    "tokenizer.json": "formats/deepseek-v4.tokenizer.json",
}
COMMANDS = {
    "ids": "tokenize {model} -f {text}",
    "json": "tokenize {model} -f {text} --json",
    "table": "tokenize {model} -f {text} --format table",
    "count": "count {model} -f {text}",
    "chunk": "chunk {model} -f {text} --max-tokens 512",
    "detokenize": "detokenize {model} -f {ids}",
    "compare": "compare {model} demo:spm -f {text}",
    "compare json": "compare {model} demo:spm -f {text} --json",
    "ids of bytes": "tokenize {model} -f {bytes}",
    "ids of one word": "tokenize {model} -f {word}",
}
USUAL = [name for name in COMMANDS if " " not in name]
WORST = "worst"
LONGEST_S = 900
LEAST_S = 0.01  # resolution of processor time
ROUNDS = 5
SHORT_S, SHORT_ROUNDS = 1.5, 4
SMALL, LARGE = 100_000, 1_000_000
WORST_BYTES = 4_000_000, 16_000_000
TOO_SHORT_S = 0.1  # for an exponent
UNITS = [each.encode() for each in ("a", " ", "▁", "-", "ab", "abc", "=-", "\n", "the", "あ", "汉字")]


def growth(tokenizer: Tokenizer, unit: bytes, encoder: str, small: int = SMALL, large: int = LARGE) -> float:
    """Time of `large` bytes relative to `small` bytes, each one piece of a repeated unit."""
    whole = tokenizer.without_splitting()
    return _growth(lambda text: whole.encode(text, False, False, encoder), unit, small, large)


def growth_with_spans(tokenizer: Tokenizer, unit: bytes, small: int = SMALL, large: int = LARGE) -> float:
    """The same with the file's own splitting and encoder, and with the spans of all tokens."""
    return _growth(lambda text: tokenizer.encode(text).spans, unit, small, large)


def _growth(encode: Callable[[bytes], object], unit: bytes, small: int, large: int) -> float:
    """The ratio of the best times; both sizes take turns. Disturbances of long runs are not growth."""
    jobs = [partial(encode, unit * (size // len(unit))) for size in (small, large)]
    for job in jobs:
        job()
    rounds = [list(map(_thread_time, jobs)) for _ in range(ROUNDS)]
    of_small, of_large = map(min, zip(*rounds, strict=True))
    return of_large / of_small


def _thread_time(job: Callable[[], object]) -> float:
    started = time.thread_time_ns()
    job()
    return time.thread_time_ns() - started


def worst_exponent(tokenizer: Tokenizer) -> float:
    whole = tokenizer.without_splitting()
    return max(exponent(1, growth_with_spans(whole, unit, *WORST_BYTES)) for unit in UNITS)


def write_lines(path: Path, shared: Path, n_bytes: int) -> None:
    """Write random lines of all corpora in a fixed order, some with random numbers."""
    dice = random.Random(1)
    corpora = sorted((shared / "corpora").glob("*.txt"))
    lines = [line for corpus in corpora for line in corpus.open(encoding="utf-8")]
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < n_bytes:
            some = dice.choices(lines, k=1000)
            file.writelines(
                f"{dice.randrange(1 << 20)} {line}" if dice.random() < 0.3 else line for line in some
            )


MEASURED = """
import os, sys
process = os.posix_spawn(sys.executable, [sys.executable, "-m", "guiapp", *sys.argv[1:]], os.environ)
_, status, usage = os.wait4(process, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, file=sys.stderr)
sys.exit(status)
"""  # a small process, because a child inherits the peak memory of its parent


def run(words: list[str], output: str = os.devnull) -> tuple[float, float]:
    """Processor seconds and peak megabytes of a command; NaN if it failed."""
    with open(output, "wb") as stdout:
        command = [sys.executable, "-c", MEASURED, *words]
        ended = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, timeout=LONGEST_S, check=False)
    seconds, megabytes = map(float, ended.stderr.split()[-2:])
    return (math.nan, math.nan) if ended.returncode else (seconds, megabytes)


def runs_of(command: str, model: str, whole: Path, sizes: list[int]) -> list[tuple[float, float]]:
    """Time and memory of a command for a text of each size; the first size is 0."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        places = {name: Path(folder, name) for name in ("text", "bytes", "word", "ids")}
        for size in sizes:
            places["text"].write_bytes(whole.read_bytes()[:size])
            places["bytes"].write_bytes(random.Random(2).randbytes(size))
            places["word"].write_bytes(b"a" * size)
            if command == "detokenize":
                run(["tokenize", model, "--no-special", "-f", str(places["text"])], str(places["ids"]))
            runs.append(best_run(COMMANDS[command].format(model=model, **places).split()))
    return runs


def best_run(words: list[str]) -> tuple[float, float]:
    """The only run of a long command; the fastest run of a short one, which other load affects more."""
    first = run(words)
    more = SHORT_ROUNDS if first[0] < SHORT_S else 0
    return min([first, *(run(words) for _ in range(more))])


def exponent(first: float, last: float) -> float:
    """The exponent of growth from a text to one of four times its length."""
    return math.log(last / first, 4)


def main() -> None:
    """Print a line for each model and command, then the exponents of all as a table in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("TOKENLOUPE_SHARED", "../shared")))
    parser.add_argument("--bytes", type=int, default=16_000_000, help="of the longest text")
    parser.add_argument("--models", default=",".join(MODELS), help="families, or files")
    parser.add_argument("--commands", default=",".join([*USUAL, WORST]))
    asked = parser.parse_args()
    sizes, commands = [0, *(asked.bytes // part for part in (4, 2, 1))], asked.commands.split(",")
    table = [f"| time, memory | {' | '.join(commands)} |", f"|---|{'---|' * len(commands)}"]
    print(f"{'family':26}{'command':16}{'seconds':>27}{'MB':>27}  growth of both")
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        write_lines(whole, asked.shared, sizes[-1])
        for family in asked.models.split(","):
            path, cells = MODELS.get(family, family), list[str]()
            model = str(asked.shared / path) if path in MODELS.values() and ":" not in path else path
            for command in commands:
                if command == WORST:
                    cells.append(f"{worst_exponent(guiapp.open_model(model)):.2f}")
                    continue
                (ready_s, _), *runs = runs_of(command, model, whole, sizes)
                seconds = [max(each_s - ready_s, LEAST_S) for each_s, _ in runs]
                megabytes = [each_mb for _, each_mb in runs]
                of_time = f"{exponent(seconds[0], seconds[-1]):.2f}" if seconds[0] >= TOO_SHORT_S else "–"
                cells.append(f"{of_time}, {exponent(megabytes[0], megabytes[-1]):.2f}")
                shown = "".join(f"{each:9.2f}" for each in seconds) + "".join(
                    f"{each:9.0f}" for each in megabytes
                )
                print(f"{family:26}{command:16}{shown}  {cells[-1]}", flush=True)
            table.append(f"| {family} | {' | '.join(cells)} |")
    print("", *table, sep="\n")


if __name__ == "__main__":
    main()
