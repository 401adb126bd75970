"""Measure time and additional memory to read the embeddings of 128,256 tokens × 4,096 in Q4_K.

python tests/benchmarks/undertrained.py [--tokens N] [--width N]
Writes the model into a temporary folder (300 MB), with 200 planted rows; 50 of these are marked as unused.
"""

import argparse
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from embedded_models import write_model
from gguf import GGMLQuantizationType
from quantised_by_ggml import quantised

from guiapp import open_model
from guiapp.analysis.vocabulary_list.embeddings import token_indicators

Q4_K = GGMLQuantizationType.Q4_K
FIRST, N_DEAD, N_KNOWN, N_DRAWN = 1000, 200, 50, 256
LONGEST_S, MOST_MB = 60, 500


class StopError(Exception):
    pass


def write(path: Path, n_tokens: int, width: int) -> None:
    """Write a model whose rows repeat some random rows, rotated by one more block each time."""
    rows = 0.05 * np.random.default_rng(0).standard_normal((N_DRAWN, width)).astype(np.float32)
    drawn, raw = quantised(rows, Q4_K), []
    for start in range(0, n_tokens, N_DRAWN):
        raw.append(np.roll(drawn, 144 * (start // N_DRAWN), axis=1)[: n_tokens - start])
    whole = np.concatenate(raw)
    whole[FIRST : FIRST + N_DEAD] = quantised(0.02 * rows[:N_DEAD], Q4_K)
    tensors = {"token_embd.weight": (Q4_K, whole)}
    write_model(path, tensors, n_tokens, range(FIRST, FIRST + N_KNOWN))


def memory_mb(key: str) -> float:
    """`VmRSS` or its peak `VmHWM`, of this process."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tokens", type=int, default=128_256)
    parser.add_argument("--width", type=int, default=4096)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        write(path, options.tokens, options.width)
        Path("/proc/self/clear_refs").write_text("5")  # reset the peak, which includes writing
        vocabulary = open_model(path).vocabulary
        assert vocabulary.token_tree
        before = memory_mb("VmRSS")
        start, start_cpu = time.perf_counter(), time.process_time()
        indicators = token_indicators(vocabulary)
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        more_mb = memory_mb("VmHWM") - before
        cancelled_s = time_to_stop(vocabulary)
    planted = set(range(FIRST + N_KNOWN, FIRST + N_DEAD))
    print(f"{seconds:.1f} s ({cpu:.1f} s of processors), {more_mb:.0f} MB more memory")
    print(f"given up {1000 * cancelled_s:.0f} ms after the last report of progress")
    print(f"{len(planted & {*indicators.suspects.tolist()})} of {len(planted)} planted rows found")
    print(f"{len({*indicators.suspects.tolist()} - planted)} others")
    is_met = seconds < LONGEST_S and more_mb < MOST_MB and planted == {*indicators.suspects.tolist()}
    return 0 if is_met else 1


def time_to_stop(vocabulary) -> float:
    """The longest time between two reports of progress, which bounds the time to cancel."""
    reports = [time.perf_counter()]

    def report(share: float) -> None:
        reports.append(time.perf_counter())
        if share > 0.6:
            raise StopError

    with suppress(StopError):
        token_indicators(vocabulary, report)
    return max(np.diff(reports))


if __name__ == "__main__":
    sys.exit(main())
