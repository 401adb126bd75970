"""Measure how fast training records are examined, compared with the usual method of `transformers`:

    python tests/benchmarks/data_speed.py MODEL TEMPLATE [--megabytes 200]

MODEL is a GGUF of byte-level BPE; TEMPLATE has generation tags.  Both read the same file of conversations in
turns, on one core, and must give the same ids and masks.  The output is the median ratio of processor time of
all processes, for ids and masks alone, and with all findings.  With --megabytes a file of this size is
examined on all cores, and the output is its time and memory.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import re
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from transformers_models import in_transformers

import guiapp
from guiapp.analysis.data.batches import BATCH_RECORDS, batches
from guiapp.analysis.data.examined import DataExaminer, DataOptions
from guiapp.analysis.data.records import open_records
from guiapp.analysis.data.summary import training_data
from guiapp.core.processes import PROCESSES

WORDS = re.split(
    " ", "the model reads tokens and learns what follows while nobody looks Straße 你好 🙂 x = f(y)\n"
)
ROUNDS, RECORDS = 5, 4_000
PSS = re.compile(r"^Pss: +(\d+)", re.MULTILINE)


def conversation(draw: random.Random) -> dict[str, object]:
    def text(most: int) -> str:
        return " ".join(draw.choices(WORDS, k=draw.randint(8, most)))

    messages = [{"role": "system", "content": text(40)}]
    for _ in range(draw.randint(1, 4)):
        messages += [{"role": "user", "content": text(80)}, {"role": "assistant", "content": text(160)}]
    return {"messages": messages}


def lines() -> Iterator[str]:
    draw = random.Random(1)
    while True:
        yield json.dumps(conversation(draw), ensure_ascii=False) + "\n"


def running(process: int) -> Iterator[Path]:
    """The /proc folders of a process and of its running children, such as sandboxes."""
    folder = PROCESSES / str(process)
    yield folder
    started = " ".join((each / "children").read_text() for each in (folder / "task").iterdir()).split()
    for child in started:
        yield from running(int(child))


def processor_s() -> float:
    stats = ((each / "stat").read_text().rpartition(")")[2].split() for each in running(os.getpid()))
    return sum(int(each) for fields in stats for each in fields[11:13]) / os.sysconf("SC_CLK_TCK")


def memory_bytes() -> int:
    """Memory of all processes, shared pages counted once (PSS); 0 if a process has just ended."""
    with suppress(OSError):
        texts = [(each / "smaps_rollup").read_text() for each in running(os.getpid())]
        return sum(int(kilobytes) << 10 for text in texts for kilobytes in PSS.findall(text))
    return 0


def usual(library: Any, file: Path) -> tuple[list[list[int]], list[list[int]]]:
    ids, masks = [], []
    for line in file.open(encoding="utf-8"):
        made = library.apply_chat_template(
            json.loads(line)["messages"], return_dict=True, return_assistant_tokens_mask=True
        )
        ids.append(made["input_ids"])
        masks.append(made["assistant_masks"])
    return ids, masks


def ours(examiner: DataExaminer, file: Path) -> tuple[list[list[int]], list[list[int]]]:
    records = open_records(file)
    ids, masks, start = [], [], 0
    while records.up_to(start + 1):
        rows = examiner.examine(records.raw(start, start + BATCH_RECORDS))
        ids += [row.token_ids.tolist() for row in rows]
        masks += [row.is_trained.astype(int).tolist() for row in rows]
        start += len(rows)
    return ids, masks


def whole(examiner: DataExaminer, file: Path) -> None:
    for _ in batches(examiner, open_records(file), n_workers=0):
        pass


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time of all processes, and the result."""
    start = processor_s()
    result = work()
    return processor_s() - start, result


def compare(model: str, template: Path, file: Path) -> None:
    tokenizer = guiapp.open_model(model).with_threads(1)
    library = in_transformers(tokenizer)
    library.chat_template = template.read_text("utf-8")
    examiner, times = DataExaminer(tokenizer, DataOptions(str(template))), []
    whole(examiner, file)  # starts the sandbox
    gc.freeze()
    for _ in range(ROUNDS):
        usual_s, theirs = timed(lambda: usual(library, file))
        own_s, own = timed(lambda: ours(examiner, file))
        whole_s, _ = timed(lambda: whole(examiner, file))
        assert own == theirs
        times.append((usual_s, own_s, whole_s))
    n_records = len(own[0])
    print(f"{n_records:,} records, ids and masks equal")
    for row, name in enumerate(("transformers", "ids and masks", "with findings")):
        rate = statistics.median(n_records / each[row] for each in times)
        ratios = [each[0] / each[row] for each in times]
        ratio_text = f"{statistics.median(ratios):.1f} times (from {min(ratios):.1f} to {max(ratios):.1f})"
        print(f"{name:15}{rate:8,.0f} records a second, {ratio_text}")


def measure_large(model: str, template: Path, file: Path) -> None:
    most, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.5):
            most[0] = max(most[0], memory_bytes())

    watching = threading.Thread(target=watch)
    watching.start()
    start = time.monotonic()
    firsts = []
    examiner = DataExaminer(guiapp.open_model(model), DataOptions(str(template)))
    data = training_data(
        examiner, open_records(file), progress=lambda _: firsts.append(time.monotonic() - start)
    )
    seconds = time.monotonic() - start
    done.set()
    watching.join()
    size = file.stat().st_size / 1e6
    n_tokens = int(np.sum(data.lengths))
    print(f"{size:.0f} MB, {len(data.records):,} records, {n_tokens:,} tokens: {seconds:.1f} s")
    print(f"first records after {firsts[0]:.2f} s, at most {most[0] / 1e6:.0f} MB in all processes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("template", type=Path)
    parser.add_argument("--megabytes", type=int, default=0)
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        file, made = Path(folder) / "data.jsonl", lines()
        with file.open("w", encoding="utf-8") as opened:
            if options.megabytes:
                while opened.tell() < options.megabytes * 1_000_000:
                    opened.write(next(made))
            else:
                opened.writelines(next(made) for _ in range(RECORDS))
        if options.megabytes:
            measure_large(options.model, options.template, file)
        else:
            compare(options.model, options.template, file)


if __name__ == "__main__":
    main()
