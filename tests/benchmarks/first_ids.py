"""How long a fresh process takes from a model file to the ids of a text, and its memory; beside gigatoken.

    python tests/benchmarks/first_ids.py MODEL CORPUS [ROUNDS]

Each run is a process of its own, and the contenders take turns.  It is timed as a whole, from outside, and
from the file to the ids, once the library is imported.  gigatoken reads the same vocabulary from a JSON file
that is written before, where it can be.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import guiapp
from guiapp.core.bench.peer_models import hugging_face_json

TEXT_BYTES = 1_000_000
OURS = "guiapp.open_model(sys.argv[1]).encode(open(sys.argv[2], 'rb').read()).token_ids"
GIGATOKEN = "gigatoken.Tokenizer(sys.argv[1]).encode(open(sys.argv[2]).read())"
PEAK = "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"


class Run(NamedTuple):
    """Seconds of a process, and those from the file to the ids; the megabytes it held at most, on Linux."""

    process_s: float
    file_s: float
    megabytes: float


def run(package: str, work: str, *arguments: str) -> Run:
    program = (
        f"import sys, time, {package}; started = time.perf_counter(); {work}; "
        f"print(time.perf_counter() - started); {PEAK}"
    )
    started = time.perf_counter()
    told = subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True)
    elapsed_s = time.perf_counter() - started
    file_s, kilobytes = map(float, told.stdout.split())
    return Run(elapsed_s, file_s, kilobytes / 1024)


def main(model: str, corpus: str, rounds: str = "7") -> None:
    with tempfile.TemporaryDirectory() as folder:
        text, vocabulary = Path(folder, "text.txt"), Path(folder, "tokenizer.json")
        text.write_bytes(Path(corpus).read_bytes()[:TEXT_BYTES])
        vocabulary.write_text(hugging_face_json(guiapp.open_model(model)))
        contenders = {
            "tokenloupe": ("guiapp.core.tokenizer", OURS, model, str(text)),
            "gigatoken": ("gigatoken", GIGATOKEN, str(vocabulary), str(text)),
        }
        found: dict[str, list[Run]] = {name: [] for name in contenders}
        for _ in range(int(rounds)):
            for name, arguments in contenders.items():
                found[name].append(run(*arguments))
    for name, runs in found.items():
        process_s, file_s, megabytes = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{name:12} process {process_s:6.3f} s, file to ids {file_s:6.3f} s, {megabytes:4.0f} MB")
    pairs = list(zip(*found.values(), strict=True))
    for index, what in enumerate(("process", "file to ids")):
        ratio = statistics.median(theirs[index] / ours[index] for ours, theirs in pairs)
        print(f"{what}: {ratio:.2f} times as fast as gigatoken")


if __name__ == "__main__":
    main(*sys.argv[1:])
