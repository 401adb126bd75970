"""The encoding that a debugger walks through, for elsewhere."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.drawing import (
    GAP_PX,
    MARGIN_PX,
    NOTE_CHARACTER_PX,
    NUMBERS_PX,
    box,
    label_at,
    n_columns,
    note,
    printable,
)
from guiapp.analysis.export.exported_run import ALL, ExportedRun
from guiapp.analysis.export.page import PagePair, PageStep
from guiapp.analysis.trace.candidates import Candidate
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.operations import EFFECTS, FORMS, NUMBERS, Effect
from guiapp.analysis.trace.reports import step_record, trace_record
from guiapp.analysis.trace.trace import TraceTokens
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import visible_text

MOST_PAIRS = 10
PAGE_BYTES = 100  # of the text on either side
NEAR_BYTES = 300  # of the text on either side of what is formed
TOKENS_AROUND = 15  # on either side of it
RECENT_STEPS = 2000
FINDS = [NUMBERS["reach"], NUMBERS["worse"]]
DRAWN = FORMS | (np.arange(len(FORMS)) == NUMBERS["back"])


class TraceRun(ExportedRun):
    """A trace, and where the debugger is now; it is never moved."""

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
        """A drawing of a step is that of what was formed last."""
        step = max(0, min(self._position, self._debugger.n_steps - 1))
        if ending == ".svg" and len(formed := self.forming(range(step + 1))):
            step = int(formed[-1])
        parts = {ALL: self.steps, "This piece": self.piece_steps, "This step": self.steps[step : step + 1]}
        return {title: steps for title, steps in parts.items() if len(steps)}

    @property
    def piece_steps(self) -> range:
        """The steps of the present piece; none outside of pieces."""
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
        """Those of the steps after which a token or symbol is new, or gone again."""
        operations = self._debugger.trace.columns.operation[steps.start : steps.stop]
        return np.flatnonzero(DRAWN[operations]) + steps.start

    def drawing_head(self) -> str:
        trace = self._debugger.trace
        tokens = counted(len(trace.result.ids), "token")
        return f"{trace.encoder} on “{visible_text(trace.text, 60)}”: {tokens}"

    def drawing_row(self, step: int, top: int) -> tuple[str, float]:
        """The state that a step leads to, with what was formed outlined, and what happened."""
        debugger, columns = self._debugger, self._debugger.trace.columns
        made = int(columns.position[step]), int(columns.end[step])
        first_byte = made[0] - NEAR_BYTES
        tokens = debugger.states.tokens(step + 1, (first_byte, made[1] + NEAR_BYTES))
        shown, is_cut = _nearby_tokens(tokens, made, first_byte > 0)
        if EFFECTS[columns.operation[step]] == Effect.WAY:  # it is on no way that is taken yet
            shown = TraceTokens(*(np.array([value], np.int32) for value in (columns.result[step], *made)))
            is_cut = False, False
        left = x = float(MARGIN_PX + NUMBERS_PX)
        sentence = printable(self._sentence(step))
        parts = [note(MARGIN_PX, top + 25, f"{step:,}"), note(left, top + 58, sentence)]
        if is_cut[0]:
            parts.append(label_at(x - 14, top, "…"))
        for number, token in enumerate(zip(*(column.tolist() for column in shown), strict=True)):
            drawn, width = box(x, top, debugger.describer.label(*token), number, token[1:] == made)
            parts.append(drawn)
            x += width + GAP_PX
        if is_cut[1]:
            parts.append(label_at(x + 10, top, "…"))
        return "".join(parts) + "\n", max(x + 20, left + NOTE_CHARACTER_PX * n_columns(sentence))

    def page_head(self) -> tuple[str, str]:
        trace = self._debugger.trace
        told = f"{counted(len(trace), 'step')}, {counted(len(trace.result.ids), 'token')}"
        return f"{trace.encoder} on “{visible_text(trace.text, 60)}”", f"{told}."

    def page_places(self, steps: range) -> range:
        """The state before each step, and the last one behind them."""
        return range(steps.start, steps.stop + (steps.stop == self._debugger.n_steps))

    def page_step(self, place: int) -> PageStep:
        """The state before a step, with what it is about marked, and what could merge instead."""
        debugger, trace = self._debugger, self._debugger.trace
        debugger.go_to(place)
        at = f"Step {place:,} of {debugger.n_steps:,}"
        if place == debugger.n_steps:
            about = len(trace.text), len(trace.text)
        else:
            about = int(trace.columns.position[place]), int(trace.columns.end[place])
            at += f" · {trace.operation(place)} · bytes {about[0]:,}–{about[1]:,}"
        tokens = debugger.states.tokens(place, (about[0] - NEAR_BYTES, about[1] + NEAR_BYTES))
        shown, (is_cut_before, is_cut_behind) = _nearby_tokens(tokens, about, about[0] > NEAR_BYTES)
        row = [
            (debugger.describer.label(token_id, start, end), about[0] <= start < end <= about[1])
            for token_id, start, end in zip(*(column.tolist() for column in shown), strict=True)
        ]
        row = [("…", False)] * is_cut_before + row + [("…", False)] * is_cut_behind
        waiting = debugger.waiting(MOST_PAIRS)
        pairs, title = (
            tuple(map(self._page_pair, waiting.candidates)),
            f"Pairs: {waiting.n_live:,} could merge",
        )
        if ways := self._page_candidates(place):
            pairs, title = ways, "Ways that end here, so far"
        return PageStep(
            at, _text_context(trace.text, about), (tuple(row),), debugger.sentence(), pairs, title
        )

    def _page_candidates(self, place: int) -> tuple[PagePair, ...]:
        """For Viterbi and the like: what has competed to end at the same place, from left to right."""
        columns, describer = self._debugger.trace.columns, self._debugger.describer
        recent = slice(max(0, place - RECENT_STEPS), place + 1)
        finds = np.isin(columns.operation[recent], FINDS)
        if place == self._debugger.n_steps or not finds[-1]:
            return ()
        finds &= columns.end[recent] == columns.end[place]
        steps = (np.flatnonzero(finds)[-MOST_PAIRS:] + recent.start).tolist()
        return tuple(PagePair(describer.made(step), describer.worth(step), step == place) for step in steps)

    def _page_pair(self, pair: Candidate) -> PagePair:
        label, at = self._debugger.describer.label, pair.position
        left, right = (
            label(pair.left, at, pair.right_position),
            label(pair.right, pair.right_position, pair.end),
        )
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
    """What stands before, at and behind a stretch of bytes; it is cut between characters."""
    first, last = max(0, about[0] - PAGE_BYTES), min(len(text), about[1] + PAGE_BYTES)
    while 0 < first < about[0] and text[first] & 0xC0 == 0x80:
        first += 1
    while about[1] < last < len(text) and text[last] & 0xC0 == 0x80:
        last -= 1
    stretches = text[first : about[0]], text[about[0] : about[1]], text[about[1] : last]
    before, at, behind = (visible_text(stretch, PAGE_BYTES) for stretch in stretches)
    return "…" * (first > 0) + before, at, behind + "…" * (last < len(text))


def _nearby_tokens(
    tokens: TraceTokens, made: tuple[int, int], is_cut_before: bool
) -> tuple[TraceTokens, tuple[bool, bool]]:
    """The tokens around what was formed, and whether some are left out before and behind."""
    at = int(np.searchsorted(tokens.starts, made[0]))
    first, last = max(0, at - TOKENS_AROUND), at + TOKENS_AROUND
    shown = TraceTokens(*(column[first:last] for column in tokens))
    return shown, (is_cut_before or first > 0, last < len(tokens.ids))
