"""What those that weigh ways know before a step: the best way to each place, and the tokens that are kept."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.trace import EFFECTS, MADE_TOKENS

LATTICE_PLACES = 22


class LatticeNode(NamedTuple):
    """A node of a lattice: the character that begins there, and what the best way to it is worth."""

    text: str
    worth: str
    is_reached: bool


class Edge(NamedTuple):
    """A token of a lattice between two places.

    kind     "way", "chosen", "now" or "worse"
    is_left  whether the way that it is part of leads to the left
    """

    first: int
    last: int
    text: str
    kind: str
    is_left: bool = False


class StepLattice(NamedTuple):
    """The places of a piece around the present step, and the best way to each."""

    places: list[LatticeNode]
    edges: list[Edge]


def lattice(debugger: Debugger, most_places: int | None = None) -> StepLattice:
    """What Viterbi and the like know before the present step; of a long piece so many places around it."""
    trace, position = debugger.trace, debugger.position
    n_places = most_places or LATTICE_PLACES
    piece = trace.piece_at(position)
    work = b"" if piece < 0 else trace.piece_work(piece)
    if not work or debugger.states.has_slots(piece):  # empty where nothing but blanks was dropped
        return StepLattice([], [])
    columns = trace.columns
    bounds = np.flatnonzero(np.frombuffer(work + b"\n", np.uint8) & 0xC0 != 0x80)  # its end included
    middle = int(bounds.searchsorted(_offset(debugger, piece)))
    first = max(0, min(middle - n_places // 2, len(bounds) - n_places))
    shown = bounds[first : first + n_places].tolist()
    best_steps = debugger.states.best_steps(position, piece, slice(shown[0], shown[-1] + 1)).tolist()
    number = {offset: index for index, offset in enumerate(shown)}
    places, edges = [], []
    for index, offset in enumerate(shown):
        end = int(bounds[first + index + 1]) if first + index + 1 < len(bounds) else offset
        step = best_steps[offset - shown[0]]
        worth = _worth(float(columns.rank[step])) if step >= 0 else ""
        places.append(LatticeNode(debugger.describer.character(work[offset:end]), worth, step >= 0))
        origin = int(columns.other_cell[step]) if step >= 0 else -1
        if step >= 0 and origin in number:
            edges.append(_edge(debugger, step, number[origin], index, "way"))
    edges += _chosen(debugger, piece, number)
    cell, other = int(columns.cell[position]), int(columns.other_cell[position])
    if trace.operation(position) in ("reach", "worse", "reject") and cell in number and other in number:
        kind = "now" if trace.operation(position) == "reach" else "worse"
        edges.append(_edge(debugger, position, number[other], number[cell], kind))
    return StepLattice(places, edges)


def _offset(debugger: Debugger, piece: int) -> int:
    """The place of a piece that the present step reaches, or where the token ends that it is about."""
    columns, step = debugger.trace.columns, debugger.position
    if columns.cell[step] >= 0 and EFFECTS[columns.operation[step]] not in MADE_TOKENS:
        return int(columns.cell[step])
    starts = debugger.trace.cells.start[debugger.trace.piece_cells(piece)]
    return int(starts.searchsorted(columns.end[step]))


def _edge(debugger: Debugger, step: int, first: int, last: int, kind: str) -> Edge:
    text = debugger.describer.made(step) if debugger.trace.columns.result[step] >= 0 else "bytes"
    return Edge(min(first, last), max(first, last), text, kind, last < first)


def _chosen(debugger: Debugger, piece: int, number: dict[int, int]) -> list[Edge]:
    """The tokens of the best way that were followed so far, the one of the present step marked."""
    columns, position = debugger.trace.columns, debugger.position
    is_made_now = EFFECTS[columns.operation[position]] in MADE_TOKENS
    steps = debugger.states.makers(position + is_made_now, piece)
    if not len(steps):
        return []
    last = len(debugger.trace.piece_work(piece))
    goes_back = debugger.states.goes_back(steps)
    if not goes_back:
        starts = debugger.trace.cells.start[debugger.trace.piece_cells(piece)]
        last = int(starts.searchsorted(columns.end[steps[-1]]))
    bounds = [*columns.other_cell[steps].tolist(), last]
    edges = []
    for step, (start, end) in zip(steps.tolist(), pairwise(bounds), strict=True):
        if start in number and end in number:
            way = (number[end], number[start]) if goes_back else (number[start], number[end])
            edges.append(_edge(debugger, step, *way, "now" if step == position else "chosen"))
    return edges


def _worth(worth: float) -> str:
    if np.isnan(worth):
        return "✓"
    return f"{worth:,.0f}" if worth.is_integer() else f"{worth:,.2f}".replace("-", "−")
