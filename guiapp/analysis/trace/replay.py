"""The state of an encoding after any number of its steps, and the candidates that its steps rejected.

Each step writes at most one cell, so the last step that wrote a cell determines its content.  Nothing is
replayed: the trace knows which steps write each cell (see `Writers`) and, for pair merging, when each symbol
appears and disappears (see `Lifetimes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.trace import BEHIND, MOST_TOKENS, NUMBERS, Trace, TraceTokens
from guiapp.core.vocabulary.merges import MergeRule

Token = tuple[int, int, int]
"""A token id, and the bytes [start, end) of the text that it covers."""
Rules = Mapping[tuple[int, int], MergeRule]
TAKE_FORWARD = ("greedy", "backtrack")  # encoders that take tokens in the order of the text
LONGEST_SYMBOL = 1 << 12  # bytes; longer than any token of a vocabulary
SYMBOLS_BESIDE = 40  # margin around `near`, in lengths of the longest symbol of the trace


class Replay:
    """The states of one trace by the number of steps taken: 0 to len(trace)."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def has_slots(self, piece: int) -> bool:
        """Whether a piece is encoded by merging start symbols."""
        cells = self.trace.piece_cells(piece)
        work = self.trace.piece_range(self.trace.pieces.first_byte, piece, len(self.trace.work))
        return bool(0 < cells.stop - cells.start != work.stop - work.start + 1)

    def best_steps(self, n_steps: int, piece: int, offsets: slice) -> NDArray[np.int32]:
        """For Viterbi and the like: the step that found the best path to each offset so far, -1 for none."""
        first = int(self.trace.pieces.first_cell[piece])
        return self.trace.best_steps.last(slice(first + offsets.start, first + offsets.stop), n_steps)

    def piece_tokens(self, n_steps: int, piece: int, near: tuple[int, int] | None = None) -> TraceTokens:
        """The symbols or tokens of a piece after `n_steps` steps of the trace, in order.

        `near` is a byte range: most symbols wholly outside of it are left out, except those next to it.
        Symbols that are not in the vocabulary have numbers after its last token, or -1.
        """
        if self.has_slots(piece):
            return self._symbols(n_steps, piece, near)
        columns, steps = self.trace.columns, self.makers(n_steps, piece)
        return TraceTokens(columns.result[steps], columns.position[steps], columns.end[steps])

    def makers(self, n_steps: int, piece: int) -> NDArray[np.int32]:
        """The steps that made the tokens of a piece without slots, in text order."""
        first = MOST_TOKENS * int(self.trace.pieces.first_cell[piece])
        steps = self.trace.makers.last(slice(first, first + self._depth(n_steps, piece)), n_steps)
        return steps[::-1] if self.goes_back(steps) else steps

    def goes_back(self, makers: NDArray[np.int32]) -> bool:
        """Whether these steps trace the best path from its end back to its start."""
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
            firsts = columns.other_cell[fallen] + first_cell
            lasts = np.maximum(firsts, columns.cell[fallen] + first_cell)
            before = firsts.searchsorted(slots, side="right") - 1
            stays = (before < 0) | (slots > lasts[before])
            is_shown = (lasts >= seen.start) & (firsts < seen.stop)
            is_shown &= columns.operation[fallen] == NUMBERS["fallback"]
            fallen, firsts = fallen[is_shown], firsts[is_shown]
            order = np.argsort(np.append(slots[stays], firsts), kind="stable")
            ids = np.append(ids[stays], columns.result[fallen])[order]
            starts = np.append(starts[stays], columns.position[fallen])[order]
            ends = np.append(ends[stays], columns.end[fallen])[order]
        return TraceTokens(ids, starts, ends)

    @cached_property
    def _fallen(self) -> NDArray[np.int64]:
        """The steps that replaced symbols by byte tokens or skipped them; the last steps of a piece."""
        operation = self.trace.columns.operation
        return np.flatnonzero((operation == NUMBERS["fallback"]) | (operation == NUMBERS["lost"]))

    def tokens(self, n_steps: int, near: tuple[int, int] | None = None) -> TraceTokens:
        """All tokens and symbols after `n_steps` steps of the trace, in text order.

        `near` is a byte range: most tokens wholly outside of it are left out.
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
        parts.append(trace.made.part(bounds[0], bounds[-1]))
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
    """The leftmost insertion point of a value in a sorted column; the int32 value avoids a cast copy."""
    return int(column.searchsorted(np.int32(value)))


# The pairs that compete for the next merge


class Candidate(NamedTuple):
    """A pair that could merge.

    position, right_position, end   byte offsets: start of the left symbol, start of the right one, end
    is_stale  still in the queue, although one of its symbols has merged meanwhile
    """

    left: int
    right: int
    result: int
    rank: float
    position: int
    right_position: int
    end: int
    is_stale: bool = False


class Waiting(NamedTuple):
    """The pairs that wait at a step, best first; `n_live` and `n_stale` include the pairs left out."""

    candidates: list[Candidate]
    n_live: int
    n_stale: int


def waiting(states: Replay, step: int, rules: Rules, limit: int = 60) -> Waiting:
    """The pairs that could merge before a step; empty outside of pieces encoded by merging."""
    piece = states.trace.piece_at(step)
    if piece < 0 or not states.has_slots(piece):
        return Waiting([], 0, 0)
    trace = states.trace
    first, done = int(trace.pieces.first_step[piece]), int(trace.pieces.done_step[piece])
    if trace.columns.operation[first] == NUMBERS["push"]:
        return _in_queue(trace, piece, slice(first, done), step, limit)
    return _by_rules(states, piece, step, rules, limit)


def _by_rules(states: Replay, piece: int, step: int, rules: Rules, limit: int) -> Waiting:
    tokens = states.piece_tokens(step, piece)
    symbols = list(tokens.rows())
    matches = [
        Candidate(left, right, rule.made, rule.rank, start, middle, end)
        for (left, start, _), (right, middle, end) in pairwise(symbols)
        if (rule := rules.get((left, right))) is not None
    ]
    matches.sort(key=lambda candidate: candidate.rank)
    return Waiting(matches[:limit], len(matches), 0)


def _in_queue(trace: Trace, piece: int, steps: slice, step: int, limit: int) -> Waiting:
    columns = trace.columns
    n_entered = int(np.count_nonzero(columns.operation[steps.start : step] == NUMBERS["push"]))
    n_left = min(step - steps.start - n_entered, n_entered)  # later steps do not take from the queue
    n_live = max(0, int(columns.candidates[step]))  # counted at each step that uses the queue
    shown = _next_out(columns.pushed[: steps.stop], step, limit)
    fields = (
        *(columns.left, columns.right, columns.result, columns.rank),
        *(columns.position, columns.right_position, columns.end),
    )
    values = [*(column[shown].tolist() for column in fields), _is_stale(trace, piece, step, shown).tolist()]
    candidates = list(map(Candidate._make, zip(*values, strict=True)))
    return Waiting(candidates, n_live, n_entered - n_left - n_live)


def _next_out(pushed: NDArray[np.int32], step: int, limit: int) -> NDArray[np.int32]:
    """The push steps of the waiting pairs that leave the queue first, at most `limit`, in that order.

    The queue returns the lowest rank first, and the leftmost of equal ranks, so this order is best first.
    The pairs mostly leave soon: search in growing ranges of steps.
    """
    matches = np.empty(0, np.int32)
    start, size = step, 16 * limit
    while start < len(pushed) and len(matches) < limit:
        entered = pushed[start : start + size]
        matches = np.append(matches, entered[(entered >= 0) & (entered < np.int32(step))])
        start, size = start + size, 2 * size
    return matches[:limit]


def _is_stale(trace: Trace, piece: int, step: int, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether one of the symbols of a pair has merged between its push and `step`."""
    first_cell = trace.pieces.first_cell[piece]
    slots = np.stack([trace.columns.cell[rows], trace.columns.other_cell[rows]])
    ends = trace.lifetimes.end_of(first_cell + slots, rows)
    return ends.min(axis=0) < np.int32(step)  # type: ignore[no-any-return]


# The best segmentation without a given token, from the steps of the Viterbi algorithm


class ScoredTokens(NamedTuple):
    """Adjacent tokens, and the sum of their scores."""

    tokens: list[Token]
    score: float


class _Edge(NamedTuple):
    """A token that was tried between two offsets of the piece, and the step that tried it."""

    start: int
    end: int
    score: float
    step: int


def rejected_cut(trace: Trace, piece: int, maker: int) -> tuple[ScoredTokens, ScoredTokens, int] | None:
    """The chosen segmentation around the token that step `maker` chose, and the best one without that token.

    Both are limited to the shortest span in which they differ; the number is the step that tried the last
    token of the second.  None if the piece has no other segmentation.
    """
    edges = _edges(trace, piece)
    size = max((edge.end for edge in edges), default=0)
    uses = _uses(trace, piece, maker)
    operation, reach = trace.columns.operation, NUMBERS["reach"]
    # not `_best`: sums that are calculated again may be rounded differently
    best = _back({edge.end: edge for edge in edges if operation[edge.step] == reach}, size)
    other = _best((edge for edge in edges if edge.step not in uses), size)
    if best is None or other is None or not uses:
        return None
    won, lost = _differing(best, other)
    return _cut(trace, won), _cut(trace, lost), lost[-1].step


def _uses(trace: Trace, piece: int, maker: int) -> set[int]:
    """The steps that tried the token that step `maker` chose, at its position; or parts of an unknown one."""
    columns, steps = trace.columns, _way_steps(trace, piece)
    is_it = columns.result[steps] == columns.result[maker]
    is_it &= columns.other_cell[steps] >= columns.other_cell[maker]
    is_it &= columns.end[steps] <= columns.end[maker]
    return {*steps[is_it].tolist()}


def _way_steps(trace: Trace, piece: int) -> NDArray[np.int64]:
    first, done = int(trace.pieces.first_step[piece]), int(trace.pieces.done_step[piece])
    here = trace.columns.operation[first:done]
    return np.flatnonzero((here == NUMBERS["reach"]) | (here == NUMBERS["worse"])) + first


def _edges(trace: Trace, piece: int) -> list[_Edge]:
    """All tokens that were tried, each with its own score."""
    columns, best, edges = trace.columns, {0: 0.0}, list[_Edge]()
    for step in _way_steps(trace, piece).tolist():
        start, end, total = int(columns.other_cell[step]), int(columns.cell[step]), float(columns.rank[step])
        if start not in best:
            continue
        edges.append(_Edge(start, end, total - best[start], step))
        if columns.operation[step] == NUMBERS["reach"]:
            best[end] = total
    return edges


def _best(edges: Iterable[_Edge], size: int) -> list[_Edge] | None:
    """The best path from 0 to `size`; `edges` must be in the order of their starts."""
    best_by_end: dict[int, tuple[float, _Edge | None]] = {0: (0.0, None)}
    for edge in edges:
        if edge.start in best_by_end:
            score = best_by_end[edge.start][0] + edge.score
            if edge.end not in best_by_end or score > best_by_end[edge.end][0]:
                best_by_end[edge.end] = score, edge
    return _back({end: edge for end, (_, edge) in best_by_end.items() if edge is not None}, size)


def _back(last: dict[int, _Edge], size: int) -> list[_Edge] | None:
    """The path from 0 to `size`, given the last edge of the path to each offset; None if there is no path."""
    path, at = list[_Edge](), size
    while at > 0:
        if at not in last:
            return None
        path.append(last[at])
        at = last[at].start
    return path[::-1]


def _differing(one: list[_Edge], other: list[_Edge]) -> tuple[list[_Edge], list[_Edge]]:
    """Both paths without their common prefix and suffix."""
    first = 0
    while first < min(len(one), len(other)) and one[first] == other[first]:
        first += 1
    last = 0
    while last < min(len(one), len(other)) - first and one[-1 - last] == other[-1 - last]:
        last += 1
    return one[first : len(one) - last], other[first : len(other) - last]


def _cut(trace: Trace, edges: list[_Edge]) -> ScoredTokens:
    columns = trace.columns
    tokens = [
        (int(columns.result[edge.step]), int(columns.position[edge.step]), int(columns.end[edge.step]))
        for edge in edges
    ]
    return ScoredTokens(tokens, sum(edge.score for edge in edges))
