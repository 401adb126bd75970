"""A training, or a step of it, to paste elsewhere: as Markdown, as JSON, as a drawing (SVG)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from guiapp.core.explain.code_marks import code
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.trace.drawing import (
    GAP_PX,
    HEAD_PX,
    MARGIN_PX,
    NOTE_CHARACTER_PX,
    NUMBERS_PX,
    box,
    document,
    label_at,
    note,
    printable,
)
from guiapp.core.trace.export import size_by_samples, write_chunks
from guiapp.core.training.record import TrainingRecord
from guiapp.core.training.telling import Cut, ToldMerge

MOST_WORDS = 8  # told of each step
TRAINING_ROW_PX = 84
WORD_GAP_PX = 22


def step_markdown(record: TrainingRecord, number: int) -> str:
    """A step, with the words as it leaves them; step 0 is the start."""
    words = " ".join(_in_code(cut) for cut, _, _ in record.words(number)[:MOST_WORDS])
    told = record.step(number).sentence if number else "The start."
    where = f"step {number:,} of {record.n_steps:,}"
    size = f"{record.vocabulary_size(number):,} in the vocabulary"
    return f"**Training of {record.start.algorithm}, {where}, {size}**\n\n{words}\n\n{told}\n"


def step_json(record: TrainingRecord, number: int) -> str:
    """A step as `train --steps` has it in JSON; step 0 is what there is before the first one."""
    row = _row(record, number) if number else _head(record)
    return json.dumps(row, ensure_ascii=False, indent=2)


def markdown_chunks(record: TrainingRecord, steps: range) -> Iterator[str]:
    """Steps as a table, a chunk for each."""
    yield (
        f"**Training of {record.start.algorithm}**: {record.n_steps:,} steps, "
        f"{record.start.n_words:,} different words\n\n"
        "| step | vocabulary | what happens | words that it cuts anew |\n|---:|---:|---|---|\n"
    )
    for number in steps:
        yield _markdown_row(record, number)


def _markdown_row(record: TrainingRecord, number: int) -> str:
    told = record.step(number)
    words = " ".join(_in_code(cut) for _, cut in told.recuts[:MOST_WORDS])
    more = " …" if len(told.recuts) > MOST_WORDS else ""
    cells = [told.sentence, words + more]
    escaped = " | ".join(cell.replace("|", "\\|") for cell in cells)
    return f"| {number:,} | {record.vocabulary_size(number):,} | {escaped} |\n"


def json_chunks(record: TrainingRecord, steps: range) -> Iterator[str]:
    """The start, and steps, a chunk for each."""
    yield json.dumps({**_head(record), "steps": []}, ensure_ascii=False).removesuffix("]}")
    for number in steps:
        yield ("" if number == steps.start else ",\n") + _json_row(record, number)
    yield "]}\n"


def _head(record: TrainingRecord) -> dict[str, object]:
    return asdict(record.start) | {"n_steps": record.n_steps}


def _row(record: TrainingRecord, number: int) -> dict[str, object]:
    told = record.step(number)
    operation = record.values.told("operation", number - 1)
    row = {"index": number, "operation": operation, "size": record.vocabulary_size(number)}
    return row | asdict(told) | {"sentence": told.sentence}


def _json_row(record: TrainingRecord, number: int) -> str:
    return json.dumps(_row(record, number), ensure_ascii=False)


def svg_chunks(record: TrainingRecord, steps: range) -> Iterator[str]:
    """Of each step the words that it cuts anew, what it made outlined, and below what happened."""
    return document(
        (_svg_row(record, step, HEAD_PX + number * TRAINING_ROW_PX) for number, step in enumerate(steps)),
        TRAINING_ROW_PX,
        f"Training of {record.start.algorithm}: {record.n_steps:,} steps, "
        f"a vocabulary of {record.vocabulary_size(record.n_steps):,}",
    )


def _svg_row(record: TrainingRecord, number: int, top: int) -> tuple[str, float]:
    told = record.step(number)
    made = told.left + told.right if isinstance(told, ToldMerge) else ""
    left = x = float(MARGIN_PX + NUMBERS_PX)
    sentence = printable(told.sentence)
    parts = [note(MARGIN_PX, top + 25, f"{number:,}"), note(left, top + 58, sentence)]
    for _, cut in told.recuts[:MOST_WORDS]:
        for tint, symbol in enumerate(cut):
            drawn, width = box(x, top, visible_text(symbol.encode()), tint, symbol == made)
            parts.append(drawn)
            x += width + GAP_PX
        x += WORD_GAP_PX
    if len(told.recuts) > MOST_WORDS:
        parts.append(label_at(x, top, "…"))
    return "".join(parts) + "\n", max(x, left + NOTE_CHARACTER_PX * len(sentence))


def _in_code(cut: Cut) -> str:
    return code(" ".join(cut))


WRITERS: dict[str, Callable[[TrainingRecord, range], Iterator[str]]] = {
    ".md": markdown_chunks,
    ".json": json_chunks,
    ".svg": svg_chunks,
}
ROWS: dict[str, Callable[[TrainingRecord, int], str]] = {
    ".md": _markdown_row,
    ".json": _json_row,
    ".svg": lambda record, number: _svg_row(record, number, number)[0],
}


def all_steps(record: TrainingRecord) -> range:
    """The numbers of the steps so far."""
    return range(1, record.n_steps + 1)


def write_training(
    record: TrainingRecord,
    path: Path,
    progress: Callable[[float], None] = lambda share: None,
    steps: range | None = None,
) -> None:
    """Write all steps, or some, in the format that the ending of the file names; raises OSError."""
    written = all_steps(record) if steps is None else steps
    write_chunks(WRITERS[path.suffix.lower()](record, written), path, len(written), progress)


def estimated_bytes(record: TrainingRecord, ending: str) -> int:
    """About how large the file of a training will be, from some of its steps."""
    numbers = np.array(all_steps(record))
    if ending not in ROWS or not len(numbers):
        return 0
    return size_by_samples(lambda number: ROWS[ending](record, number), numbers)
