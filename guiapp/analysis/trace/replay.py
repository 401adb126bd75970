"""The state of an encoding after any number of its steps.

Each step writes at most one cell, so a cell's content is that of the last step that wrote it.  Nothing is
replayed: the trace knows which steps write a cell (see `writers`), and where symbols are merged, when each
comes and goes (see `lifetimes`).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.operations import BEHIND, NUMBERS
from guiapp.analysis.trace.trace import MOST_TOKENS, Trace, TraceTokens

TAKE_FORWARD = ("greedy", "backtrack")  # the encoders that take tokens in the order of the text
LONGEST_SYMBOL = 1 << 12  # bytes, and more than any vocabulary has
SYMBOLS_BESIDE = 40  # of what is near, as long as the longest of the trace


class Replay:
    """States of one trace, by the number of steps taken: 0 to len(trace)."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def has_slots(self, piece: int) -> bool:
        """Whether a piece is encoded by merging start symbols."""
        cells = self.trace.piece_cells(piece)
        return cells.stop - cells.start > 0 and not self._is_bytes(piece)

    def _is_bytes(self, piece: int) -> bool:
        work = self.trace.piece_range(self.trace.pieces.first_byte, piece, len(self.trace.work))
        cells = self.trace.piece_cells(piece)
        return bool(cells.stop - cells.start == work.stop - work.start + 1)

    def best_steps(self, n_steps: int, piece: int, offsets: slice) -> NDArray[np.int32]:
        """For Viterbi and the like: the step that found the best way to each offset so far, -1 for none."""
        first = int(self.trace.pieces.first_cell[piece])
        return self.trace.best_steps.last(slice(first + offsets.start, first + offsets.stop), n_steps)

    def piece_tokens(self, n_steps: int, piece: int, near: tuple[int, int] | None = None) -> TraceTokens:
        """The symbols or tokens of a piece after `n_steps` steps of the trace, in order.

        With `near` most symbols are left out that lie wholly outside of these bytes, but not those beside.
        Symbols that the vocabulary does not have are numbers behind its tokens, or -1.
        """
        if self.has_slots(piece):
            return self._symbols(n_steps, piece, near)
        columns, steps = self.trace.columns, self.makers(n_steps, piece)
        return TraceTokens(columns.result[steps], columns.position[steps], columns.end[steps])

    def makers(self, n_steps: int, piece: int) -> NDArray[np.int32]:
        """The steps that made the tokens of a piece without slots, in the order of the text."""
        first = MOST_TOKENS * int(self.trace.pieces.first_cell[piece])
        steps = self.trace.makers.last(slice(first, first + self._depth(n_steps, piece)), n_steps)
        return steps[::-1] if self.goes_back(steps) else steps

    def goes_back(self, makers: NDArray[np.int32]) -> bool:
        """Whether these steps follow the best way from its end."""
        if len(makers) == 0 or self.trace.encoder in TAKE_FORWARD:
            return False
        return self.trace.operation(int(makers[0])) in ("choose", "join")

    def _depth(self, n_steps: int, piece: int) -> int:
        first, done = int(self.trace.pieces.first_step[piece]), int(self.trace.pieces.done_step[piece])
        last = min(n_steps, done) - 1
        return int(self.trace.columns.depth[last]) if last >= first else 0

    def _symbols(self, n_steps: int, piece: int, near: tuple[int, int] | None) -> TraceTokens:
        columns, cells = self.trace.columns, self.trace.cells
        seen = self.trace.piece_cells(piece)
        if near is not None:
            reach = min(LONGEST_SYMBOL, SYMBOLS_BESIDE * self.trace.longest_symbol)
            wide = np.array([max(0, near[0] - reach), near[1] + reach], np.int32)
            seen = slice(*(cells.start[seen].searchsorted(wide) + seen.start).tolist())
        first, done = int(self.trace.pieces.first_step[piece]), int(self.trace.pieces.done_step[piece])
        slots, merges = self.trace.lifetimes.standing(seen, n_steps)
        is_merged = merges >= 0
        ids = np.where(is_merged, columns.result[merges], cells.symbol[slots])
        starts = cells.start[slots]
        ends = np.where(is_merged, columns.end[merges], cells.end[slots])
        fallen = self._fallen[slice(*self._fallen.searchsorted([first, min(n_steps, done)]).tolist())]
        if len(fallen):
            first_cell = self.trace.pieces.first_cell[piece]
            places = columns.other_cell[fallen] + first_cell
            lasts = np.maximum(places, columns.cell[fallen] + first_cell)
            before = places.searchsorted(slots, side="right") - 1
            stays = (before < 0) | (slots > lasts[before])
            is_shown = (lasts >= seen.start) & (places < seen.stop)
            is_shown &= columns.operation[fallen] == NUMBERS["fallback"]
            fallen, places = fallen[is_shown], places[is_shown]
            order = np.argsort(np.append(slots[stays], places), kind="stable")
            ids = np.append(ids[stays], columns.result[fallen])[order]
            starts = np.append(starts[stays], columns.position[fallen])[order]
            ends = np.append(ends[stays], columns.end[fallen])[order]
        return TraceTokens(ids, starts, ends)

    @cached_property
    def _fallen(self) -> NDArray[np.int64]:
        """The steps at which bytes took the place of symbols; they are the last ones of a piece."""
        operation = self.trace.columns.operation
        return np.flatnonzero((operation == NUMBERS["fallback"]) | (operation == NUMBERS["lost"]))

    def tokens(self, n_steps: int, near: tuple[int, int] | None = None) -> TraceTokens:
        """All tokens and symbols there are after `n_steps` steps of the trace, in the order of the text.

        With `near` most are left out that lie wholly outside of these bytes.
        """
        trace, columns = self.trace, self.trace.columns
        parts: list[TraceTokens] = []
        order: list[NDArray[np.int64]] = []
        done = _insertion_point(trace.pieces.done_step, n_steps)
        first, last = 0, done
        if near is not None:
            first = min(done, _insertion_point(trace.pieces.end, near[0]))
            last = max(first, min(done, _insertion_point(trace.pieces.start, near[1] + 1)))
        bounds = np.append(trace.pieces.first_token[first : last + 1], len(trace.made.ids))[
            : last + 1 - first
        ]
        owner = np.repeat(np.arange(first, last), np.diff(bounds))
        parts.append(TraceTokens(*(column[bounds[0] : bounds[-1]] for column in trace.made)))
        order.append(trace.pieces.fragment[owner].astype(np.int64))
        if done < trace.n_pieces and trace.pieces.first_step[done] <= n_steps:
            parts.append(self.piece_tokens(n_steps, done, near))
            order.append(np.full(len(parts[-1].ids), trace.pieces.fragment[done]))
        special = self._special[: np.searchsorted(self._special, n_steps)]
        parts.append(self._results(special))
        order.append(2 * np.arange(len(special)) + 1)
        added = self._added[: np.searchsorted(self._added, n_steps)]
        parts.append(self._results(added))
        order.append(np.where(columns.cell[added] == BEHIND, 1 << 40, -1))
        sort = np.argsort(np.concatenate(order), kind="stable")
        return TraceTokens(*(np.concatenate(columns)[sort] for columns in zip(*parts, strict=True)))

    @cached_property
    def _special(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.trace.columns.operation == NUMBERS["special"])

    @cached_property
    def _added(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.trace.columns.operation == NUMBERS["add"])

    def _results(self, steps: NDArray[np.int64]) -> TraceTokens:
        columns = self.trace.columns
        return TraceTokens(columns.result[steps], columns.position[steps], columns.end[steps])


def _insertion_point(column: NDArray[np.int32], value: int) -> int:
    """Where a value belongs in a sorted column, before its equals, without a copy of the column."""
    return int(column.searchsorted(np.int32(value)))
