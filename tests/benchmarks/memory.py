"""Time and peak memory of commands on long texts: at n, 2n and 4n bytes, and how they grow.

    python tests/benchmarks/memory.py [--quick] [--shared ../shared] [--models NAME,…] [--commands NAME,…]

Each run is a process of its own, which reads a text of varied lines of the corpora in the shared folder and
writes to nowhere.  Memory is what the process held at most; an exponent of 0 is none that grows, 1 is as the
text does.  `bytes` is random bytes, most of which are no UTF-8, and `one word` a text without any cut.
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
from pathlib import Path

MODELS = "gpt-2", "llama-bpe", "llama-spm", "gemma-4", "bert-bge", "demo:unigram", "demo:rwkv"
COMMANDS = {
    "count": "count {model} -f {text}",
    "ids": "tokenize {model} -f {text}",
    "json": "tokenize {model} -f {text} --json",
    "table": "tokenize {model} -f {text} --format table",
    "color": "tokenize {model} -f {text} --format color",
    "detokenize": "detokenize {model} -f {ids}",
    "chunk": "chunk {model} -f {text} --max-tokens 512",
    "compare": "compare {model} demo:spm -f {text}",
    "compare json": "compare {model} demo:spm -f {text} --json",
    "ids of bytes": "tokenize {model} -f {bytes}",
    "ids of one word": "tokenize {model} -f {word}",
}
LONGEST_S = 600
LEAST_FACTOR = 1e-9


def write_lines(path: Path, shared: Path, n_bytes: int) -> None:
    """Lines of all corpora in an order of their own, some with numbers that are nowhere else."""
    dice = random.Random(1)
    lines = [
        line
        for corpus in sorted((shared / "corpora").glob("*.txt"))
        for line in corpus.open(encoding="utf-8")
    ]
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < n_bytes:
            some = dice.choices(lines, k=1000)
            file.writelines(
                f"{dice.randrange(1 << 20)} {line}" if dice.random() < 0.3 else line for line in some
            )


def run(words: list[str], output: str = os.devnull) -> tuple[float, float]:
    """Seconds and megabytes of a command."""
    started = time.monotonic()
    with open(output, "wb") as stdout:
        process = subprocess.Popen(
            ["timeout", str(LONGEST_S), sys.executable, "-m", "guiapp", *words], stdout=stdout
        )
        _, process.returncode, usage = os.wait4(process.pid, 0)
    return (
        (math.nan, math.nan) if process.returncode else (time.monotonic() - started, usage.ru_maxrss / 1024)
    )


def exponent(first: float, last: float) -> float:
    """Of growth from a text to one of four times its length."""
    return math.log(max(last / first, LEAST_FACTOR), 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path(os.environ.get("TOKENLOUPE_SHARED", "../shared")))
    parser.add_argument("--bytes", type=int, default=111_000_000, help="of the longest text")
    parser.add_argument("--quick", action="store_true", help="8 MB")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--commands", default=",".join(COMMANDS))
    asked = parser.parse_args()
    sizes = [(8 << 20 if asked.quick else asked.bytes) // part for part in (4, 2, 1)]
    print(f"{'model':14}{'command':16}{'seconds':>24}{'MB':>24}  growth of both")
    with tempfile.TemporaryDirectory() as folder:
        whole, text, data, word, ids = (
            Path(folder, name) for name in ("whole", "text", "bytes", "word", "ids")
        )
        write_lines(whole, asked.shared, sizes[-1])
        for name in asked.models.split(","):
            model = name if ":" in name else str(asked.shared / f"vocabs/ggml-vocab-{name}.gguf")
            for command in asked.commands.split(","):
                runs = []
                for size in sizes:
                    text.write_bytes(whole.read_bytes()[:size])
                    data.write_bytes(random.Random(2).randbytes(size))
                    word.write_bytes(b"a" * size)
                    if command == "detokenize":
                        run(["tokenize", model, "--no-special", "-f", str(text)], str(ids))
                    places = {"model": model, "text": text, "bytes": data, "word": word, "ids": ids}
                    runs.append(run(COMMANDS[command].format(**places).split()))
                seconds, megabytes = zip(*runs, strict=True)
                shown = "".join(f"{each:8.2f}" for each in seconds) + "".join(
                    f"{each:8.0f}" for each in megabytes
                )
                growth = (
                    f"{exponent(seconds[0], seconds[-1]):6.2f}{exponent(megabytes[0], megabytes[-1]):6.2f}"
                )
                print(f"{name:14}{command:16}{shown}{growth}", flush=True)


if __name__ == "__main__":
    main()
