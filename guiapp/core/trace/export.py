"""A step or a whole run to paste elsewhere: as Markdown, as JSON, as a drawing (SVG)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import numpy as np

from guiapp.core.explain.visible_text import visible_text
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import FORMS
from guiapp.core.trace.reports import step_record, trace_record

MOST_DRAWN = 60  # states in an SVG drawing
N_SAMPLED = 50  # steps, to estimate a size from
CHUNKS_PER_REPORT = 1000
PARTIAL = ".part"  # behind the name of a file that is being written
CHARACTER_PX, ROW_PX, BOX_PX, GAP_PX, MARGIN_PX = 9, 54, 40, 4, 16
FILLS = ("#cfe3fb", "#fbe3b5", "#dcd9fa", "#c5eddd", "#f3d3ec", "#e1efb9")


def step_markdown(debugger: Debugger) -> str:
    """The present step: what there is, and what happens."""
    where = f"step {debugger.position:,} of {debugger.n_steps:,}"
    tokens = " ".join(f"`{text}`" for text, _ in _labels(debugger, debugger.position))
    return (
        f"**{debugger.trace.encoder}, {where}**\n\n{tokens or '(no tokens yet)'}\n\n{debugger.sentence()}\n"
    )


def markdown_chunks(debugger: Debugger) -> Iterator[str]:
    """All steps as a table, a chunk for each."""
    trace = debugger.trace
    yield (
        f"**{trace.encoder}** on `{visible_text(trace.text, 60)}`: {len(trace):,} steps, "
        f"{len(trace.result.ids):,} tokens\n\n| step | operation | what happens |\n|---:|---|---|\n"
    )
    for step in range(len(trace)):
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


def json_chunks(debugger: Debugger) -> Iterator[str]:
    """All steps as `step --json` has them, a chunk for each."""
    head = json.dumps(trace_record(debugger, []), ensure_ascii=False)
    yield head.removesuffix("]}")
    for step in range(debugger.n_steps):
        yield ("" if step == 0 else ",\n") + _json_row(debugger, step)
    yield "]}\n"


def _json_row(debugger: Debugger, step: int) -> str:
    return json.dumps(step_record(debugger, step), ensure_ascii=False)


def svg_chunks(debugger: Debugger) -> Iterator[str]:
    """A row of boxes for each of the first states in which something new was formed, the new one outlined."""
    columns = debugger.trace.columns
    steps = np.flatnonzero(FORMS[columns.operation])
    rows, width = [], 0.0
    for number, step in enumerate(steps[:MOST_DRAWN].tolist()):
        row, right = _svg_row(debugger, step, MARGIN_PX + number * ROW_PX)
        rows.append(row)
        width = max(width, right)
    height = 2 * MARGIN_PX + ROW_PX * len(rows)
    if len(steps) > MOST_DRAWN:
        rows.append(f'<text x="{MARGIN_PX}" y="{height}">… and {len(steps) - MOST_DRAWN:,} more</text>\n')
        height += MARGIN_PX
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + MARGIN_PX:.0f}" height="{height}" '
        'font-family="monospace" font-size="15">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
    )
    yield from rows
    yield "</svg>\n"


WRITERS: dict[str, Callable[[Debugger], Iterator[str]]] = {
    ".md": markdown_chunks,
    ".json": json_chunks,
    ".svg": svg_chunks,
}
ROWS: dict[str, Callable[[Debugger, int], str]] = {".md": _markdown_row, ".json": _json_row}


def write_run(debugger: Debugger, path: Path, progress: Callable[[float], None] = lambda share: None) -> None:
    """Write all steps in the format that the ending of the file names; raises OSError."""
    partial = path.with_name(path.name + PARTIAL)
    with partial.open("w", encoding="utf-8") as file:
        for number, chunk in enumerate(WRITERS[path.suffix.lower()](debugger)):
            file.write(chunk)
            if number % CHUNKS_PER_REPORT == 0:
                progress(number / max(1, debugger.n_steps))
    partial.replace(path)


def estimated_bytes(debugger: Debugger, ending: str) -> int:
    """About how large the file of a run will be, from some of its steps; the debugger stays where it is."""
    if ending not in ROWS or not debugger.n_steps:
        return 0
    place = debugger.position
    steps = np.linspace(0, debugger.n_steps - 1, min(debugger.n_steps, N_SAMPLED)).astype(int).tolist()
    size = sum(len(ROWS[ending](debugger, step).encode()) for step in steps)
    debugger.go_to(place)
    return size * debugger.n_steps // len(steps)


def _svg_row(debugger: Debugger, step: int, top: int) -> tuple[str, float]:
    columns = debugger.trace.columns
    made = int(columns.position[step]), int(columns.end[step])
    parts, x = [], float(MARGIN_PX)
    for number, (text, span) in enumerate(_labels(debugger, step + 1)):
        width = CHARACTER_PX * max(1, len(text)) + 14
        outline = ' stroke="#2f5fd0" stroke-width="2.5"' if span == made else ""
        fill = FILLS[number % len(FILLS)]
        parts.append(
            f'<rect x="{x}" y="{top}" width="{width}" height="{BOX_PX}" rx="6" fill="{fill}"{outline}/>'
        )
        middle = f'x="{x + width / 2}" y="{top + 25}" text-anchor="middle"'
        parts.append(f'<text {middle} fill="#1b1f27">{escape(text)}</text>\n')
        x += width + GAP_PX
    return "".join(parts), x


def _labels(debugger: Debugger, n_steps: int) -> list[tuple[str, tuple[int, int]]]:
    """The tokens after so many steps, with their bytes."""
    tokens = debugger.states.tokens(n_steps)
    columns = (column[:400].tolist() for column in tokens)
    return [
        (debugger.teller.label(token_id, start, end), (start, end))
        for token_id, start, end in zip(*columns, strict=True)
    ]
