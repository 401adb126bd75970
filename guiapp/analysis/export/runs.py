"""Export an encoding or a training so far, and write a long run to a file in a process of its own.

The sentences for a million steps take a minute or two.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.exported_run import (
    ALL,
    MARGIN_PX,
    NUMBERS_PX,
    ExportedRun,
    boxes,
    label_at,
    partial_of,
    row_of,
)
from guiapp.analysis.export.html import PagePair, PageStep
from guiapp.analysis.trace.debugger import Debugger, debugger_for, step_record, trace_record
from guiapp.analysis.trace.replay import Candidate
from guiapp.analysis.trace.trace import EFFECTS, FORMS, NUMBERS, Effect, Trace, TraceTokens
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.steps import MergeStep
from guiapp.core.open_model import open_model
from guiapp.core.processes import ApartError, PersistentProcess, serve
from guiapp.core.sources.files import replace_file
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import TokenloupeError, not_written

MODULE = "guiapp.analysis.export.runs"
MOST_PAIRS = 10
PAGE_BYTES = 100  # of the text on either side
NEAR_BYTES = 300  # of the text on either side of the new token
TOKENS_AROUND = 15  # on either side of the new token
RECENT_STEPS = 2000
FINDS = [NUMBERS["reach"], NUMBERS["worse"]]
DRAWN = FORMS | (np.arange(len(FORMS)) == NUMBERS["back"])
MOST_WORDS = 8  # shown for each step
WORD_GAP_PX = 22
MOST_PAGE_WORDS = 30
MOST_PAGE_PAIRS = 10


class TraceRun(ExportedRun):
    """A trace and the debugger's present position; works on a copy of the debugger."""

    row_px = 78

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = copy(debugger)
        self._position = debugger.position

    @property
    def model(self) -> tuple[str, str]:
        vocabulary = self._debugger.vocabulary
        return str(vocabulary.path), vocabulary.chosen_pre

    @property
    def spelling(self) -> Spelling:
        return self._debugger.spelling

    @property
    def steps(self) -> range:
        return range(self._debugger.n_steps)

    def step_record(self) -> dict[str, object]:
        n_steps = self._debugger.n_steps
        return self.record(min(self._position, n_steps - 1)) if n_steps else self.record_head()

    def choices(self, ending: str) -> dict[str, range]:
        """The parts to save; for a drawing, “This step” is the last one that formed a token."""
        step = max(0, min(self._position, self._debugger.n_steps - 1))
        if ending == ".svg" and len(formed := self.forming(range(step + 1))):
            step = int(formed[-1])
        parts = {ALL: self.steps, "This piece": self.piece_steps, "This step": self.steps[step : step + 1]}
        return {title: steps for title, steps in parts.items() if len(steps)}

    @property
    def piece_steps(self) -> range:
        """The steps of the present piece; empty outside of pieces."""
        trace = self._debugger.trace
        piece = trace.piece_at(self._position)
        if piece < 0:
            return range(0)
        return range(int(trace.pieces.first_step[piece]), int(trace.pieces.done_step[piece]) + 1)

    def record_head(self) -> dict[str, object]:
        return trace_record(self._debugger, [])

    def record(self, step: int) -> dict[str, object]:
        return step_record(self._debugger, step)

    def drawn(self, steps: range) -> list[int]:
        formed: list[int] = self.forming(steps).tolist()
        return formed or list(steps[:1])

    def forming(self, steps: range) -> NDArray[np.int64]:
        """The steps that form a token or symbol, or remove one again."""
        operations = self._debugger.trace.columns.operation[steps.start : steps.stop]
        return np.flatnonzero(DRAWN[operations]) + steps.start

    def drawing_head(self) -> str:
        trace = self._debugger.trace
        tokens = counted(len(trace.result.ids), "token")
        return f"{trace.name} on “{visible_text(trace.text, 60)}”: {tokens}"

    def drawing_row(self, step: int, top: int) -> tuple[str, float]:
        """The state after a step, with the new token outlined, and the sentence of the step."""
        debugger, columns = self._debugger, self._debugger.trace.columns
        made = int(columns.position[step]), int(columns.end[step])
        first_byte = made[0] - NEAR_BYTES
        tokens = debugger.states.tokens(step + 1, (first_byte, made[1] + NEAR_BYTES))
        shown, is_cut = _nearby_tokens(tokens, made, first_byte > 0)
        if EFFECTS[columns.operation[step]] == Effect.WAY:  # a candidate, not yet on the chosen path
            shown = TraceTokens(*(np.array([value], np.int32) for value in (columns.result[step], *made)))
            is_cut = False, False
        parts, right = row_of(step, self._sentence(step), top)
        left = float(MARGIN_PX + NUMBERS_PX)
        drawn, x = boxes(
            left, top, ((debugger.describer.label(*row), row[1:] == made) for row in shown.rows())
        )
        if is_cut[0]:
            parts.append(label_at(left - 14, top, "…"))
        parts.append(drawn)
        if is_cut[1]:
            parts.append(label_at(x + 10, top, "…"))
        return "".join(parts) + "\n", max(x + 20, right)

    def page_head(self) -> tuple[str, str]:
        trace = self._debugger.trace
        summary = f"{counted(len(trace), 'step')}, {counted(len(trace.result.ids), 'token')}"
        return f"{trace.name} on “{visible_text(trace.text, 60)}”", f"{summary}."

    def page_states(self, steps: range) -> range:
        """The state before each step, and the final state if the last step is included."""
        return range(steps.start, steps.stop + (steps.stop == self._debugger.n_steps))

    def page_step(self, n_done: int) -> PageStep:
        """The state before a step, with its span marked, and the pairs that could merge instead."""
        debugger, trace = self._debugger, self._debugger.trace
        debugger.go_to(n_done)
        at = f"Step {n_done:,} of {debugger.n_steps:,}"
        if n_done == debugger.n_steps:
            about = len(trace.text), len(trace.text)
        else:
            about = int(trace.columns.position[n_done]), int(trace.columns.end[n_done])
            at += f" · {trace.operation(n_done)} · bytes {about[0]:,}–{about[1]:,}"
        tokens = debugger.states.tokens(n_done, (about[0] - NEAR_BYTES, about[1] + NEAR_BYTES))
        shown, (is_cut_before, is_cut_behind) = _nearby_tokens(tokens, about, about[0] > NEAR_BYTES)
        row = [
            (debugger.describer.label(token_id, start, end), about[0] <= start < end <= about[1])
            for token_id, start, end in shown.rows()
        ]
        row = [("…", False)] * is_cut_before + row + [("…", False)] * is_cut_behind
        waiting = debugger.waiting(MOST_PAIRS)
        pairs = tuple(map(self._page_pair, waiting.candidates))
        title = f"Pairs: {waiting.n_live:,} could merge"
        if ways := self._page_candidates(n_done):
            pairs, title = ways, "Paths that end here, so far"
        context = _text_context(trace.text, about)
        return PageStep(at, context, (tuple(row),), debugger.sentence(), pairs, title)

    def _page_candidates(self, n_done: int) -> tuple[PagePair, ...]:
        """For Viterbi and similar: the recent candidates that end at the same position, in order."""
        columns, describer = self._debugger.trace.columns, self._debugger.describer
        recent = slice(max(0, n_done - RECENT_STEPS), n_done + 1)
        finds = np.isin(columns.operation[recent], FINDS)
        if n_done == self._debugger.n_steps or not finds[-1]:
            return ()
        finds &= columns.end[recent] == columns.end[n_done]
        steps = (np.flatnonzero(finds)[-MOST_PAIRS:] + recent.start).tolist()
        return tuple(PagePair(describer.made(step), describer.worth(step), step == n_done) for step in steps)

    def _page_pair(self, pair: Candidate) -> PagePair:
        label, at = self._debugger.describer.label, pair.position
        left = label(pair.left, at, pair.right_position)
        right = label(pair.right, pair.right_position, pair.end)
        worth = f"{pair.rank:,.10g}" + " (stale)" * pair.is_stale
        columns, step = self._debugger.trace.columns, self._debugger.position
        is_next = (columns.position[step], columns.end[step]) == (at, pair.end)
        return PagePair(f"{left} + {right} → {label(pair.result, at, pair.end)}", worth, is_next)

    def save(self, path: Path) -> None:
        self._debugger.trace.save(path)

    def _sentence(self, step: int) -> str:
        self._debugger.go_to(step)
        return self._debugger.sentence()


def _text_context(text: bytes, about: tuple[int, int]) -> tuple[str, str, str]:
    """The visible text before, in and after a span of bytes; the outer parts are cut between characters."""
    first, last = max(0, about[0] - PAGE_BYTES), min(len(text), about[1] + PAGE_BYTES)
    while 0 < first < about[0] and text[first] & 0xC0 == 0x80:
        first += 1
    while about[1] < last < len(text) and text[last] & 0xC0 == 0x80:
        last -= 1
    stretches = text[first : about[0]], text[about[0] : about[1]], text[about[1] : last]
    before, at, after = (visible_text(stretch, PAGE_BYTES) for stretch in stretches)
    return "…" * (first > 0) + before, at, after + "…" * (last < len(text))


def _nearby_tokens(
    tokens: TraceTokens, made: tuple[int, int], is_cut_before: bool
) -> tuple[TraceTokens, tuple[bool, bool]]:
    """The tokens around the span `made`, and whether some are left out before and after."""
    at = int(np.searchsorted(tokens.starts, made[0]))
    first, last = max(0, at - TOKENS_AROUND), at + TOKENS_AROUND
    return tokens.part(first, last), (is_cut_before or first > 0, last < len(tokens.ids))


class TrainingRun(ExportedRun):
    """The steps of a training; `position` is the number of steps taken, 0 at the start."""

    row_px = 84

    def __init__(self, record: TrainingRecord, position: int = 0) -> None:
        self._record = record
        self._position = position

    @property
    def spelling(self) -> Spelling:
        return self._record.values.symbols.spelling

    @property
    def steps(self) -> range:
        return range(1, self._record.n_steps + 1)

    def step_record(self) -> dict[str, object]:
        return self.record(self._position) if self._position else self.record_head()

    def choices(self, ending: str) -> dict[str, range]:
        current = range(self._position, self._position + 1) if self._position else range(0)
        parts = {ALL: self.steps, "This step": current}
        return {title: steps for title, steps in parts.items() if len(steps)}

    def record_head(self) -> dict[str, object]:
        return asdict(self._record.start) | {"n_steps": self._record.n_steps}

    def record(self, step: int) -> dict[str, object]:
        record, description = self._record, self._record.step(step)
        operation = record.values.description("operation", step - 1)
        row = {"index": step, "operation": operation, "size": record.n_tokens(step)}
        return row | asdict(description) | {"sentence": record.sentence(step)}

    def drawn(self, steps: range) -> list[int]:
        return list(steps)

    def drawing_head(self) -> str:
        record = self._record
        size = counted(record.n_tokens(record.n_steps), "token")
        return (
            f"Training of {record.start.algorithm}: {counted(record.n_steps, 'step')}, a vocabulary of {size}"
        )

    def drawing_row(self, step: int, top: int) -> tuple[str, float]:
        """The words that a step cuts differently, with the new symbol outlined, and the step's sentence."""
        description = self._record.step(step)
        parts, right = row_of(step, self._record.sentence(step), top)
        x = float(MARGIN_PX + NUMBERS_PX)
        for _, cut in description.recuts[:MOST_WORDS]:
            labels = ((self._record.write(symbol), symbol == description.made) for symbol in cut)
            drawn, end = boxes(x, top, labels)
            parts.append(drawn)
            x = end + WORD_GAP_PX
        if len(description.recuts) > MOST_WORDS:
            parts.append(label_at(x, top, "…"))
        return "".join(parts) + "\n", max(x, right)

    def page_head(self) -> tuple[str, str]:
        head, _, size = self.drawing_head().partition(": ")
        return head, f"{size}."

    def page_states(self, steps: range) -> range:
        """The start, and the state after each step."""
        return range(steps.start - (steps.start == 1), steps.stop)

    def page_step(self, n_done: int) -> PageStep:
        """The state after `n_done` steps, the sentence of the last one, and the pairs that compete next."""
        record = self._record
        made = record.step(n_done).made if n_done else ""
        rows = tuple(
            tuple((record.write(symbol), symbol == made) for symbol in cut)
            for cut, _, _ in record.words(n_done)[:MOST_PAGE_WORDS]
        )
        size = counted(record.n_tokens(n_done), "token")
        at = f"Step {n_done:,} of {record.n_steps:,} · {size} in the vocabulary"
        following = record.step(n_done + 1) if n_done < record.n_steps else None
        pairs = self._pairs(following) if isinstance(following, MergeStep) else ()
        title = "Pairs and their counts or scores"
        return PageStep(at, rows=rows, sentence=record.sentence(n_done), pairs=pairs, pairs_title=title)

    def save(self, path: Path) -> None:
        replace_file(path, b"\n".join(self._record.lines()), is_private=True)

    def _pairs(self, merge: MergeStep) -> tuple[PagePair, ...]:
        """The competing pairs, with the one that is learned first."""
        return tuple(
            PagePair(" + ".join(map(self._record.write, pair)), f"{worth:,.4g}", number == 0)
            for number, (pair, worth) in enumerate(islice(merge.competitors, MOST_PAGE_PAIRS))
        )


# The process that writes a file


@dataclass(frozen=True)
class ExportRequest:
    """A saved run, the steps to export, and the file to write; its suffix determines the format.

    model, pre  of a trace; "" for a training
    spelling    of tokens, see `Spelling`
    """

    run_file: str
    output: str
    first: int
    end: int
    model: str = ""
    pre: str = ""
    spelling: str = Spelling.SIGNS.value


def write_apart(
    run: ExportedRun, path: Path, steps: range, progress: Callable[[float], None], module: str = MODULE
) -> Path:
    """Write some steps of a run in a process of its own, and return the path.

    An exception in `progress` ends the process.  Raises TokenloupeError.
    """
    process = PersistentProcess(module)
    with TemporaryDirectory(prefix="tokenloupe-") as folder:
        run_file = Path(folder) / "run"
        files = str(run_file), str(path.absolute())
        request = ExportRequest(*files, steps.start, steps.stop, *run.model, run.spelling.value)
        try:
            run.save(run_file)
            process.work(asdict(request), progress)
        except OSError as error:
            raise TokenloupeError(not_written(run_file, error)) from error
        except ApartError as error:
            raise TokenloupeError("Saving stopped unexpectedly. Try again.") from error
        finally:
            process.close()
            partial_of(path).unlink(missing_ok=True)
    return path


def work(row: dict[str, object], progress: Callable[[float], None]) -> None:
    """Write the file of an ExportRequest.  Raises TokenloupeError."""
    request = ExportRequest(**row)  # type: ignore[arg-type]
    try:
        _run(request).write(Path(request.output), progress, range(request.first, request.end))
    except OSError as error:
        raise TokenloupeError(not_written(request.output, error)) from error


def _run(request: ExportRequest) -> ExportedRun:
    path, spelling = Path(request.run_file), Spelling(request.spelling)
    if not request.model:
        return TrainingRun(TrainingRecord.load(path, spelling))
    tokenizer = open_model(request.model, request.pre or None)
    return TraceRun(debugger_for(tokenizer, Trace.load(path), spelling))


if __name__ == "__main__":
    serve(work)
