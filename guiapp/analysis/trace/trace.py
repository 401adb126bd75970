"""All decisions of one encoding as columns: a row for each step, from the partition to the last token.

Columns rather than objects: a million steps take 80 MB, a breakpoint is a condition on whole columns, and
the state at any step follows from the previous rows (see `replay`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.sources.files import replacement

NEVER = np.iinfo(np.int32).max
SLOT_BITS = 32  # shift of the slot in a key; the time is in the bits below
TIME = (1 << SLOT_BITS) - 1
MOST_TOKENS = 3
"""The most tokens that one byte of a piece can become: a space is "▁", which may need 3 byte tokens."""


class StepColumns(NamedTuple):
    """One entry for each step; -1 (or NaN) if a step has no such value.

    operation       uint8    index into OPERATIONS
    piece           int32
    position, end   int32    bytes [position, end) of the original text that the step covers
    right_position  int32    start of the right one of two neighbours in the original text
    left, right, result  int32   symbols or tokens
    rank            float64  rank, score or cost
    cell, other_cell     int32   what the step writes, see `Effect`
    depth           int32    tokens of the piece after the step
    candidates      int32    pairs that could merge before the step, if the algorithm has a queue
    pushed          int32    the step that put the pair into the queue that this step takes out
    """

    operation: NDArray[np.uint8]
    piece: NDArray[np.int32]
    position: NDArray[np.int32]
    end: NDArray[np.int32]
    right_position: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    result: NDArray[np.int32]
    rank: NDArray[np.float64]
    cell: NDArray[np.int32]
    other_cell: NDArray[np.int32]
    depth: NDArray[np.int32]
    candidates: NDArray[np.int32]
    pushed: NDArray[np.int32]


class PieceColumns(NamedTuple):
    """One entry for each piece, int32.

    fragment    the text alternates between plain text (0, 2, 4 …) and special tokens (1, 3, 5 …)
    start, end  bytes of the original text
    first_step  its steps are first_step to done_step inclusive; done_step has the operation "done"
    first_cell  its cells (see `Cells`) end where those of the next piece begin
    first_token likewise for its tokens
    first_byte  likewise for its bytes as the algorithm sees them
    """

    fragment: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    first_step: NDArray[np.int32]
    done_step: NDArray[np.int32]
    first_cell: NDArray[np.int32]
    first_token: NDArray[np.int32]
    first_byte: NDArray[np.int32]


class Cells(NamedTuple):
    """The cells that steps write: for pair merging the start symbols of a piece, else its bytes and its end.

    symbol      start symbol; -1 for bytes and for characters that are not in the vocabulary
    start, end  bytes of the original text
    """

    symbol: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]


class TraceTokens(NamedTuple):
    """Tokens with the bytes of the original text that they come from."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """Iterate over (id, start, end) as Python ints."""
        return zip(*(column.tolist() for column in self), strict=True)

    def part(self, first: int, last: int) -> TraceTokens:
        return TraceTokens(*(column[first:last] for column in self))


PARTS: dict[str, Any] = {
    "columns": StepColumns,
    "pieces": PieceColumns,
    "cells": Cells,
    "made": TraceTokens,
    "result": TraceTokens,
}
"""The groups of columns of a trace; the keys are also their names in a file."""


@dataclass(frozen=True, eq=False)
class Trace:
    """The steps of one encoding, and the data that they refer to.

    text     the original bytes
    encoder  the name of the encoder
    reference_name  the name of the reference implementation whose steps these are; differs for `fast`
    checks_whole    whether a piece that is a token is taken as a whole
    work     the bytes of all pieces as the algorithm sees them
    made     the tokens of the pieces
    result   the tokens of the whole text, with special tokens, BOS and EOS
    """

    text: bytes
    encoder: str
    reference_name: str
    checks_whole: bool
    columns: StepColumns
    pieces: PieceColumns
    cells: Cells
    work: bytes
    made: TraceTokens
    result: TraceTokens

    def __len__(self) -> int:
        return len(self.columns.operation)

    @property
    def name(self) -> str:
        """The name of the encoder on screen; for `fast`, the name of its reference implementation."""
        return self.reference_name if self.encoder == "fast" else self.encoder

    @property
    def n_pieces(self) -> int:
        return len(self.pieces.start)

    def prepare(self) -> None:
        """Compute the cached properties in advance; some ten milliseconds for a million steps."""
        _ = self.lifetimes, self.longest_symbol, self.best_steps, self.makers

    @cached_property
    def longest_symbol(self) -> int:
        """The size, in bytes of the text, of the longest symbol that pair merging starts with or makes."""
        columns = self.columns
        merges = np.flatnonzero(columns.operation == NUMBERS["merge"])
        made = (columns.end[merges] - columns.position[merges]).max(initial=0)
        return int((self.cells.end - self.cells.start).max(initial=made))

    @cached_property
    def lifetimes(self) -> Lifetimes:
        """When symbols appear and disappear; slots and cells are numbered across all pieces."""
        merges = np.flatnonzero(self.columns.operation == NUMBERS["merge"])
        first_cells = self.pieces.first_cell[self.columns.piece[merges]]
        lefts, rights = self.columns.cell[merges], self.columns.other_cell[merges]
        return lifetimes_of(len(self.cells.start), merges, first_cells + lefts, first_cells + rights)

    @cached_property
    def best_steps(self) -> Writers:
        """The steps that find a better path to an offset; cells are numbered across all pieces."""
        return self._writers((Effect.WAY,), 1)

    @cached_property
    def makers(self) -> Writers:
        """The steps that make the tokens of pieces without slots, by the number of the token.

        The cell of a piece's first token is MOST_TOKENS times the first cell of the piece.
        """
        return self._writers(MADE_TOKENS, MOST_TOKENS)

    def _writers(self, effects: tuple[Effect, ...], n_each: int) -> Writers:
        steps = np.flatnonzero(np.isin(EFFECTS, effects)[self.columns.operation])
        first_cells = n_each * self.pieces.first_cell[self.columns.piece[steps]]
        return writers_of(n_each * len(self.cells.start), steps, first_cells + self.columns.cell[steps])

    def operation(self, step: int) -> str:
        return OPERATIONS[self.columns.operation[step]].name

    def stage(self, step: int) -> str:
        return STAGE_NAMES[int(STAGES[self.columns.operation[step]])]

    def piece_range(self, offsets: NDArray[np.int32], piece: int, n_all: int) -> slice:
        """The entries of a piece; `offsets` is a `first_…` column of `pieces`, `n_all` the total."""
        is_last = piece + 1 == len(offsets)
        return slice(int(offsets[piece]), n_all if is_last else int(offsets[piece + 1]))

    def piece_cells(self, piece: int) -> slice:
        return self.piece_range(self.pieces.first_cell, piece, len(self.cells.start))

    def piece_work(self, piece: int) -> bytes:
        """The bytes of a piece as the algorithm sees them."""
        return self.work[self.piece_range(self.pieces.first_byte, piece, len(self.work))]

    def piece_at(self, step: int) -> int:
        """The piece that is encoded at a step, -1 for none."""
        index = int(np.searchsorted(self.pieces.first_step, np.int32(step), side="right")) - 1
        return index if index >= 0 and step <= self.pieces.done_step[index] else -1

    def save(self, path: Path) -> None:
        """Write the trace to a file that `load` reads."""
        arrays = {
            f"{name}.{field}": getattr(getattr(self, name), field)
            for name, part in PARTS.items()
            for field in part._fields
        }
        texts = {"text": self.text, "work": self.work, "encoder": self.encoder.encode()}
        texts["twin"] = self.reference_name.encode()
        arrays |= {name: np.frombuffer(data, np.uint8) for name, data in texts.items()}
        arrays["looks_whole"] = np.array(self.checks_whole)
        with replacement(path, is_private=True) as new, new.open("wb") as file:
            np.savez(file, **arrays)

    @staticmethod
    def load(path: Path) -> Trace:
        """Read a trace that `save` wrote."""
        with np.load(path) as arrays:
            return Trace(
                arrays["text"].tobytes(),
                arrays["encoder"].tobytes().decode(),
                arrays["twin"].tobytes().decode(),
                bool(arrays["looks_whole"]),
                work=arrays["work"].tobytes(),
                **{
                    name: part(*(arrays[f"{name}.{field}"] for field in part._fields))
                    for name, part in PARTS.items()
                },
            )


class Lifetimes(NamedTuple):
    """All symbols that the slots of a trace ever hold, sorted by slot, then by time.

    keys   int64[n]   the slot, and in the low bits the number of steps taken when the symbol appears
    dies   int32[n]   the merge that joins it to a neighbour; NEVER for none
    first  int32[n_slots + 1]  the symbols of slot i are first[i] : first[i + 1]
    """

    keys: NDArray[np.int64]
    dies: NDArray[np.int32]
    first: NDArray[np.int32]

    def standing(self, slots: slice, n_steps: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The slots of a range that are not empty after `n_steps` steps, and the merges that filled them.

        The merge is -1 for a start symbol.
        """
        here = slice(int(self.first[slots.start]), int(self.first[slots.stop]))
        keys = self.keys[here]
        keys = keys[((keys & TIME) <= n_steps) & (self.dies[here] >= np.int32(n_steps))]
        return keys >> SLOT_BITS, (keys & TIME) - 1

    def end_of(self, slots: NDArray[np.int32], n_steps: NDArray[np.int32]) -> NDArray[np.int32]:
        """The merges that remove the symbols that the slots hold after `n_steps` steps; NEVER for none."""
        keys = (slots.astype(np.int64) << SLOT_BITS) | n_steps
        return self.dies[np.searchsorted(self.keys, keys, side="right") - 1]


def lifetimes_of(
    n_slots: int, merges: NDArray[np.int64], lefts: NDArray[np.int32], rights: NDArray[np.int32]
) -> Lifetimes:
    """The lifetimes that follow from merges: each fills its left slot and empties its right one."""
    starts = np.arange(n_slots, dtype=np.int64) << SLOT_BITS
    keys = np.append(starts, (lefts.astype(np.int64) << SLOT_BITS) | (merges + 1))
    keys.sort()
    born = (keys & TIME).astype(np.int32)
    first = np.append(np.flatnonzero(born == 0), len(born)).astype(np.int32)
    gone = np.full(n_slots, NEVER, np.int32)
    gone[rights] = merges
    dies = np.append(born[1:] - np.int32(1), np.int32(0))[: len(born)]
    dies[first[1:] - 1] = gone
    return Lifetimes(keys, dies, first)


class Writers(NamedTuple):
    """The steps that write to the cells of a trace, sorted by cell, then by time.

    steps  int32[n]
    first  int32[n_cells + 1]  the steps of cell i are steps[first[i] : first[i + 1]]
    """

    steps: NDArray[np.int32]
    first: NDArray[np.int32]

    def last(self, cells: slice, n_steps: int) -> NDArray[np.int32]:
        """For each cell of a range, the last of the first `n_steps` steps that wrote it, -1 for none."""
        bounds = self.first[cells.start : cells.stop + 1]
        steps = self.steps[bounds[0] : bounds[-1]]
        last_steps = np.full(cells.stop - cells.start, -1, np.int32)
        is_written = bounds[:-1] < bounds[1:]
        if len(steps):
            past = np.where(steps < np.int32(n_steps), steps, np.int32(-1))
            last_steps[is_written] = np.maximum.reduceat(past, (bounds[:-1] - bounds[0])[is_written])
        return last_steps


def writers_of(n_cells: int, steps: NDArray[np.int64], cells: NDArray[np.int32]) -> Writers:
    """Sort steps by the cell that they write; step i of `steps`, which are in order, writes cells[i]."""
    order = np.argsort(cells, kind="stable")
    first = np.zeros(n_cells + 1, np.int32)
    np.cumsum(np.bincount(cells, minlength=n_cells), out=first[1:])
    return Writers(steps[order].astype(np.int32), first)


# The kinds of steps: the stage in which they happen, and their effect on the tokens


class Stage(IntEnum):
    """The stages of encoding, in order."""

    PARTITION = 0
    NORMALISE = 1
    SPLIT = 2
    ENCODE = 3
    ASSEMBLE = 4


STAGE_NAMES = tuple(stage.name.lower() for stage in Stage)


class Effect(IntEnum):
    """What a step changes.

    MERGE    the slot `cell` gets the result, and the slot `other_cell` becomes empty
    WAY      the best path to `cell`, an offset in the piece, now comes from the offset `other_cell`
    APPEND   a token is appended to those of the piece; `cell` is its index, `other_cell` the offset in the
             piece where it begins, as for JOIN and RESTART
    JOIN     the last token is extended by this one
    POP      the last token is removed
    RESTART  this token replaces all tokens of the piece
    """

    NOTHING = 0
    MERGE = 1
    WAY = 2
    APPEND = 3
    JOIN = 4
    POP = 5
    RESTART = 6


@dataclass(frozen=True)
class StepOperation:
    """One kind of step; `forms` is True if the step makes `result`, a token or symbol."""

    name: str
    stage: Stage
    effect: Effect
    forms: bool
    meaning: str


S, E = Stage, Effect

OPERATIONS = (
    StepOperation("special", S.PARTITION, E.NOTHING, True, "a special token is cut out of the text"),
    StepOperation("text", S.PARTITION, E.NOTHING, False, "text between special tokens"),
    StepOperation("normalise", S.NORMALISE, E.NOTHING, False, "the text is normalized"),
    StepOperation("piece", S.SPLIT, E.NOTHING, False, "a piece is split off"),
    StepOperation("whole", S.ENCODE, E.APPEND, True, "the piece is a token as it stands"),
    StepOperation("push", S.ENCODE, E.NOTHING, False, "a pair that could merge enters the queue"),
    StepOperation("stale", S.ENCODE, E.NOTHING, False, "a pair that has already merged leaves the queue"),
    StepOperation("merge", S.ENCODE, E.MERGE, True, "two neighbours become one"),
    StepOperation("miss", S.ENCODE, E.NOTHING, False, "a text that is not a token is tried"),
    StepOperation("fail", S.ENCODE, E.NOTHING, False, "no token continues as the text does"),
    StepOperation(
        "reject", S.ENCODE, E.NOTHING, False, "a token that cannot follow the previous one is tried"
    ),
    StepOperation("dead end", S.ENCODE, E.NOTHING, False, "a token that nothing can follow is tried"),
    StepOperation("rule out", S.ENCODE, E.NOTHING, False, "a token is skipped at random"),
    StepOperation("take", S.ENCODE, E.APPEND, True, "a token is taken"),
    StepOperation("back", S.ENCODE, E.POP, False, "the last token is taken back"),
    StepOperation("give up", S.ENCODE, E.RESTART, True, "the piece becomes one unknown token"),
    StepOperation(
        "too long", S.ENCODE, E.RESTART, True, "a piece that is too long becomes one unknown token"
    ),
    StepOperation("reach", S.ENCODE, E.WAY, True, "a better path to a position is found"),
    StepOperation("worse", S.ENCODE, E.NOTHING, False, "a path that is not better is tried"),
    StepOperation("choose", S.ENCODE, E.APPEND, True, "a token of the best path is chosen"),
    StepOperation("join", S.ENCODE, E.JOIN, True, "an unknown token grows"),
    StepOperation("fallback", S.ENCODE, E.NOTHING, True, "a token stands for what the vocabulary lacks"),
    StepOperation("lost", S.ENCODE, E.NOTHING, False, "a symbol that has no token is skipped"),
    StepOperation("done", S.ENCODE, E.NOTHING, False, "the piece is finished"),
    StepOperation("add", S.ASSEMBLE, E.NOTHING, True, "a token is added before or after the text"),
)
NUMBERS = {operation.name: number for number, operation in enumerate(OPERATIONS)}
STAGES = np.array([operation.stage for operation in OPERATIONS], np.uint8)
EFFECTS = np.array([operation.effect for operation in OPERATIONS], np.uint8)
FORMS = np.array([operation.forms for operation in OPERATIONS])
MADE_TOKENS = (Effect.APPEND, Effect.JOIN, Effect.RESTART)

BEFORE, BEHIND = 0, 1  # `cell` of "add": the token is added before or after the text


# Keys that identify a step by what it covers, in any trace of the same text


class StepKey(NamedTuple):
    """Identifies a step: its operation, the bytes of the whole text that it covers, its result or -1.

    Without an operation it is the start of a trace.
    """

    operation: str = ""
    start: int = 0
    end: int = 0
    result: int = -1


START = StepKey()
INSTEAD = {"text": "", "normalise": "piece"}  # fallbacks for stages that may have no step


def step_at(trace: Trace, step_key: StepKey, text_start: int = 0) -> int | None:
    """The step with this key in a trace whose text begins at byte `text_start` of the whole; None if missing.

    Of several steps that cover the bytes, the one that covers the fewest: pieces may be split differently.
    """
    operation: str | None = step_key.operation
    while operation:
        step = _step_of(trace, operation, step_key, text_start)
        if step is not None:
            return step
        operation = INSTEAD.get(operation)
    return 0 if operation == "" else None


def _step_of(trace: Trace, operation: str, step_key: StepKey, text_start: int) -> int | None:
    columns = trace.columns
    steps = np.flatnonzero(columns.operation == NUMBERS[operation])
    starts, ends = columns.position[steps], columns.end[steps]
    is_it = (starts <= step_key.start - text_start) & (ends >= step_key.end - text_start)
    if step_key.result >= 0:
        is_it &= columns.result[steps] == step_key.result
    sizes = (ends - starts)[is_it]
    return int(steps[is_it][sizes.argmin()]) if len(sizes) else None
