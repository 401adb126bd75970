"""How long a fresh process takes from a model file to the ids of a text, and its memory; beside gigatoken.

    python tests/benchmarks/first_ids.py MODEL CORPUS [ROUNDS]

Each run is a process of its own, timed from outside; the contenders take turns.  gigatoken reads the same
vocabulary from a JSON file that is written before, where it can be.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import guiapp
from guiapp.core.bench.peer_models import hugging_face_json

TEXT_BYTES = 1_000_000
OURS = "guiapp.open_model(sys.argv[1]).encode(open(sys.argv[2], 'rb').read()).token_ids"
GIGATOKEN = "gigatoken.Tokenizer(sys.argv[1]).encode(open(sys.argv[2]).read())"
PEAK = "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"


def run(package: str, work: str, *arguments: str) -> tuple[float, float]:
    """Seconds and megabytes that a process takes; the latter on Linux only."""
    program = f"import sys, {package}; {work}; {PEAK}"
    started = time.perf_counter()
    told = subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True)
    return time.perf_counter() - started, int(told.stdout.split()[-1]) / 1024


def main(model: str, corpus: str, rounds: str = "7") -> None:
    with tempfile.TemporaryDirectory() as folder:
        text, vocabulary = Path(folder, "text.txt"), Path(folder, "tokenizer.json")
        text.write_bytes(Path(corpus).read_bytes()[:TEXT_BYTES])
        vocabulary.write_text(hugging_face_json(guiapp.open_model(model)))
        contenders = {
            "tokenloupe": ("guiapp", OURS, model, str(text)),
            "gigatoken": ("gigatoken", GIGATOKEN, str(vocabulary), str(text)),
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
        for _ in range(int(rounds)):
            for name, arguments in contenders.items():
                found[name].append(run(*arguments))
    for name, runs in found.items():
        seconds, megabytes = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{name:12} {seconds:6.3f} s {megabytes:6.0f} MB")
    ratios = [theirs[0] / ours[0] for ours, theirs in zip(*found.values(), strict=True)]
    print(f"{statistics.median(ratios):.2f} times as fast as gigatoken")


if __name__ == "__main__":
    main(*sys.argv[1:])
