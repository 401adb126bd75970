"""A step or a whole run to paste elsewhere: as Markdown, as JSON, as a drawing (SVG)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guiapp.core.explain.code_marks import code
from guiapp.core.explain.figures import counted
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.drawing import forming_steps, svg_chunks, svg_row
from guiapp.core.trace.reports import step_record, trace_record

N_SAMPLED = 50  # steps, to estimate a size from
CHUNKS_PER_REPORT = 1000
PARTIAL = ".part"  # behind the name of a file that is being written


def step_markdown(debugger: Debugger) -> str:
    """The present step: what there is, and what happens."""
    where = f"step {debugger.position:,} of {debugger.n_steps:,}"
    tokens = " ".join(code(text) for text, _ in _labels(debugger, debugger.position))
    return (
        f"**{debugger.trace.encoder}, {where}**\n\n{tokens or '(no tokens yet)'}\n\n{debugger.sentence()}\n"
    )


def markdown_chunks(debugger: Debugger, steps: range) -> Iterator[str]:
    """Steps as a table, a chunk for each."""
    trace = debugger.trace
    part = "" if len(steps) == len(trace) else f" ({steps.start:,}–{steps.stop - 1:,} here)"
    yield (
        f"**{trace.encoder}** on {code(visible_text(trace.text, 60))}: {counted(len(trace), 'step')}{part}, "
        f"{counted(len(trace.result.ids), 'token')}\n\n| step | operation | what happens |\n|---:|---|---|\n"
    )
    for step in steps:
        yield _markdown_row(debugger, step)


def _markdown_row(debugger: Debugger, step: int) -> str:
    debugger.go_to(step)
    sentence = debugger.sentence().replace("|", "\\|")
    return f"| {step:,} | {debugger.trace.operation(step)} | {sentence} |\n"


def step_json(debugger: Debugger) -> str:
    """The present step as `step --json` has it."""
    place = debugger.position
    text = json.dumps(step_record(debugger, min(place, debugger.n_steps - 1)), ensure_ascii=False, indent=2)
    debugger.go_to(place)
    return text


def json_chunks(debugger: Debugger, steps: range) -> Iterator[str]:
    """Steps as `step --json` has them, a chunk for each."""
    head = json.dumps(trace_record(debugger, []), ensure_ascii=False)
    yield head.removesuffix("]}")
    for step in steps:
        yield ("" if step == steps.start else ",\n") + _json_row(debugger, step)
    yield "]}\n"


def _json_row(debugger: Debugger, step: int) -> str:
    return json.dumps(step_record(debugger, step), ensure_ascii=False)


WRITERS: dict[str, Callable[[Debugger, range], Iterator[str]]] = {
    ".md": markdown_chunks,
    ".json": json_chunks,
    ".svg": svg_chunks,
}
ROWS: dict[str, Callable[[Debugger, int], str]] = {
    ".md": _markdown_row,
    ".json": _json_row,
    ".svg": lambda debugger, step: svg_row(debugger, step, step)[0],
}


def write_run(
    debugger: Debugger,
    path: Path,
    progress: Callable[[float], None] = lambda share: None,
    steps: range | None = None,
) -> None:
    """Write all steps, or some, in the format that the ending of the file names; raises OSError."""
    written = range(debugger.n_steps) if steps is None else steps
    write_chunks(WRITERS[path.suffix.lower()](debugger, written), path, len(written), progress)


def write_chunks(
    chunks: Iterator[str], path: Path, n_chunks: int, progress: Callable[[float], None] = lambda share: None
) -> None:
    """Write a file that is there when it is whole; `n_chunks` is about how many there are."""
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("w", encoding="utf-8") as file:
            for number, chunk in enumerate(chunks):
                file.write(chunk)
                if number % CHUNKS_PER_REPORT == 0:
                    progress(min(1.0, number / max(1, n_chunks)))
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def estimated_bytes(debugger: Debugger, ending: str) -> int:
    """About how large the file of a run will be, from some of its steps; the debugger stays where it is."""
    everything = range(debugger.n_steps)
    told = forming_steps(debugger, everything) if ending == ".svg" else np.array(everything)
    if ending not in ROWS or not len(told):
        return 0
    place = debugger.position
    size = size_by_samples(lambda step: ROWS[ending](debugger, step), told)
    debugger.go_to(place)
    return size


def size_by_samples(row: Callable[[int], str], steps: NDArray[np.int64]) -> int:
    """About how many bytes the rows of at least one step take, from some of them."""
    sampled = steps[np.linspace(0, len(steps) - 1, min(len(steps), N_SAMPLED)).astype(int)].tolist()
    return sum(len(row(step).encode()) for step in sampled) * len(steps) // len(sampled)


def _labels(debugger: Debugger, n_steps: int) -> list[tuple[str, tuple[int, int]]]:
    """The tokens after so many steps, with their bytes."""
    tokens = debugger.states.tokens(n_steps)
    columns = (column[:400].tolist() for column in tokens)
    return [
        (debugger.teller.label(token_id, start, end), (start, end))
        for token_id, start, end in zip(*columns, strict=True)
    ]
