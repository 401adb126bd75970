"""A step or a whole run to paste elsewhere: as Markdown, as JSON, as a drawing (SVG)."""

from __future__ import annotations

import json
from html import escape

from guiapp.core.explain.visible_text import visible_text
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import FORMS
from guiapp.core.trace.reports import step_record, trace_record
from guiapp.core.trace.sentences import label

MOST_ROWS = 5000
CHARACTER_PX, ROW_PX, BOX_PX, GAP_PX, MARGIN_PX = 9, 54, 40, 4, 16
FILLS = ("#cfe3fb", "#fbe3b5", "#dcd9fa", "#c5eddd", "#f3d3ec", "#e1efb9")


def step_markdown(debugger: Debugger) -> str:
    """The present step: what there is, and what happens."""
    where = f"step {debugger.position:,} of {debugger.n_steps:,}"
    tokens = " ".join(f"`{text}`" for text, _ in _labels(debugger, debugger.position))
    return (
        f"**{debugger.trace.encoder}, {where}**\n\n{tokens or '(no tokens yet)'}\n\n{debugger.sentence()}\n"
    )


def run_markdown(debugger: Debugger) -> str:
    """All steps as a table."""
    trace = debugger.trace
    lines = [
        f"**{trace.encoder}** on `{visible_text(trace.text, 60)}`: {len(trace):,} steps, "
        f"{len(trace.result.ids):,} tokens",
        "",
        "| step | operation | what happens |",
        "|---:|---|---|",
    ]
    place = debugger.position
    for step in range(min(len(trace), MOST_ROWS)):
        debugger.go_to(step)
        sentence = debugger.sentence().replace("|", "\\|")
        lines.append(f"| {step:,} | {trace.operation(step)} | {sentence} |")
    if len(trace) > MOST_ROWS:
        lines.append(f"| … | | {len(trace) - MOST_ROWS:,} more |")
    debugger.go_to(place)
    return "\n".join(lines) + "\n"


def step_json(debugger: Debugger) -> str:
    """The present step as `step --json` has it."""
    place = debugger.position
    text = json.dumps(step_record(debugger, min(place, debugger.n_steps - 1)), ensure_ascii=False, indent=2)
    debugger.go_to(place)
    return text


def run_json(debugger: Debugger) -> str:
    """The steps as `step --json` has them, the first `MOST_ROWS` of a long run."""
    place = debugger.position
    steps = list(range(min(debugger.n_steps, MOST_ROWS)))
    text = json.dumps(trace_record(debugger, steps), ensure_ascii=False)
    debugger.go_to(place)
    return text


def run_svg(debugger: Debugger) -> str:
    """A row of boxes for each state in which something new was formed, the new one outlined."""
    trace = debugger.trace
    columns = trace.columns
    steps = [step for step in range(min(len(trace), MOST_ROWS)) if FORMS[columns.operation[step]]][:60]
    rows, width = [], 0.0
    for number, step in enumerate(steps):
        row, right = _svg_row(debugger, step, MARGIN_PX + number * ROW_PX)
        rows.append(row)
        width = max(width, right)
    height = 2 * MARGIN_PX + ROW_PX * len(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + MARGIN_PX:.0f}" height="{height}" '
        'font-family="monospace" font-size="15">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{"".join(rows)}</svg>\n'
    )


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
        (label(debugger.trace, debugger.vocabulary, token_id, start, end), (start, end))
        for token_id, start, end in zip(*columns, strict=True)
    ]
