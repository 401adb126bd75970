"""Records a trace: runs the reference implementations over a text and stores every step."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.trace import (
    BEFORE,
    BEHIND,
    EFFECTS,
    MADE_TOKENS,
    NUMBERS,
    Cells,
    Effect,
    PieceColumns,
    StepColumns,
    Trace,
    TraceTokens,
)
from guiapp.core.encode.encoding import as_bytes
from guiapp.core.encode.families.pipeline import Symbols, Tracer
from guiapp.core.encode.reference import backtrack, longest_match, plamo2, viterbi, wordpiece
from guiapp.core.encode.reference.merge import Merge, Push, Stale
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.normalized import NormalizedText
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import Progress

STEPS_PER_REPORT = 4096
PAIRS = ("merge", "push", "stale")
OUTSIDE_PIECES = ("special", "text", "normalise", "add")
Key = tuple[int, int, int, int]
"""Left slot, right slot, and the symbols in them."""
BYTES_PER_STEP = 80  # in memory, including `Lifetimes` and `Writers`
SECONDS_PER_STEP = 40e-6
SECONDS_PER_PAIR = 2.5e-6  # for each pair of neighbours that the encoder `scan` looks up
STEPS_PER_BYTE = {"scan": 1.0, "viterbi": 6.0, "plamo2": 6.0, "table": 5.0, "fewest": 5.0, "wordpiece": 2.0}
USUAL_STEPS_PER_BYTE = 2.6
ONE_PIECE = (VocabType.SPM, VocabType.UGM, VocabType.RWKV, VocabType.PLAMO2)  # do not split texts
LONGEST_WITHOUT_ASKING = 100_000  # bytes
LONGEST_SECONDS_WITHOUT_ASKING = 20.0
FIRST_BYTES = 20_000  # recorded of a longer text


def record(
    tokenizer: Tokenizer,
    text: str | bytes,
    encoder: str | None = None,
    add_special: bool = True,
    parse_special: bool = True,
    progress: Progress = lambda share: None,
    after_special: bool = True,
) -> Trace:
    """Record the trace of a text; `progress` gets the fraction done now and then, and may raise to cancel.

    `after_special`: the text begins a document or follows a special token.  Raises EncodeError as
    `Tokenizer.encode` does.
    """
    name = encoder or next(iter(tokenizer.encoders))
    if name not in tokenizer.encoders:
        raise EncodeError(
            f"This vocabulary has no encoder “{name}”. Choose one of: {', '.join(tokenizer.encoders)}."
        )
    data = as_bytes(text)
    expected_steps = estimate(name, False, len(data)).n_steps
    recorder = _Recorder(data, expected_steps, progress)
    before, after = tokenizer.special_affixes() if add_special else ([], [])
    partition = tokenizer.special_tokens.partition_readable(data, parse_special)
    special = _rows(partition.ids, partition.starts, partition.ends)
    segments = _rows(partition.raw_starts, partition.raw_ends)
    for token in special:
        recorder.write("special", token[1], token[2], result=token[0])
    tokens = [(token_id, 0, 0) for token_id in before]
    for index, (start, end) in enumerate(segments):
        if start < end:
            if special:
                recorder.write("text", start, end)
            recorder.begin_fragment(2 * index, start)
            pipeline = tokenizer.pipeline_of(name, parse_special)
            begins = tokenizer.begins_text_at(start, after_special)
            encoded = pipeline.encode_readable(data[start:end], begins, name, recorder)
            tokens += _rows(encoded.ids, encoded.starts + start, encoded.ends + start)
        tokens += special[index : index + 1]
    for token_id in before:
        recorder.write("add", 0, 0, result=token_id, cell=BEFORE)
    for token_id in after:
        recorder.write("add", len(data), len(data), result=token_id, cell=BEHIND)
    tokens += [(token_id, len(data), len(data)) for token_id in after]
    rules = tokenizer.vocabulary.rules
    checks_whole = tokenizer.encoders[name].exact and (rules.ignore_merges or rules.ignore_newline_merges)
    return recorder.trace(name, tokenizer.reference_encoder(name), checks_whole, tokens)


def _rows(*columns: NDArray[Any]) -> list[Any]:
    """Columns of the same length as a list of rows of Python numbers."""
    return list(zip(*(column.tolist() for column in columns), strict=True))


class StepRow(NamedTuple):
    """One row of `StepColumns`.

    In rows from an algorithm, `position` and `end` count bytes of its piece; for PAIRS they are slots.
    """

    operation: str
    position: int
    end: int
    right_position: int = -1
    left: int = -1
    right: int = -1
    result: int = -1
    rank: float = math.nan
    cell: int = -1
    other_cell: int = -1
    depth: int = 0
    candidates: int = -1
    pushed: int = -1


class _Rows:
    """Growing columns; `types` has one type code of `array` for each column."""

    def __init__(self, types: str) -> None:
        self.columns: list[array[Any]] = [array(each) for each in types]

    def __len__(self) -> int:
        return len(self.columns[0])

    def append(self, *row: float) -> None:
        for column, value in zip(self.columns, row, strict=True):
            column.append(value)

    def arrays(self) -> Iterator[NDArray[Any]]:
        return map(np.asarray, self.columns)


class _Recorder(Tracer):
    """The tracer that fills the columns."""

    def __init__(self, text: bytes, expected_steps: int, progress: Progress) -> None:
        self._text = text
        self._expected_steps = expected_steps
        self._progress = progress
        self._steps = _Rows("B" + 7 * "i" + "d" + 5 * "i")
        self._pieces = _Rows(len(PieceColumns._fields) * "i")
        self._cells = _Rows(len(Cells._fields) * "i")
        self._made = _Rows(len(TraceTokens._fields) * "i")
        self._work = bytearray()
        self._fragment, self._fragment_start = 0, 0
        self._piece = -1
        self._layers: list[tuple[NormalizedText | None, int]] = []

    # The stages

    def begin_fragment(self, fragment: int, start: int) -> None:
        self._fragment, self._fragment_start = fragment, start

    def begin(self, data: bytes, normalized: NormalizedText | None, start: int) -> None:
        self._layers = [(normalized, self._fragment_start + start)]
        source_end = self._fragment_start + start + len(data)
        if normalized is not None:
            source_end = self._fragment_start + start + int(normalized.ends.max(initial=0))
            self.write("normalise", self._fragment_start + start, source_end)

    def split(self, piece_ends: Sequence[int]) -> None:
        start, n_before = 0, len(self._pieces)
        for number, end in enumerate(piece_ends, n_before):
            self._piece = number
            self.write("piece", *self._source(start, end))
            start = end
        self._piece = n_before - 1

    def piece(self, start: int, data: bytes, marked: NormalizedText | None, symbols: Symbols | None) -> None:
        self._piece += 1
        del self._layers[1:]
        self._layers.append((None, start))
        if marked is not None:
            self._layers.append((marked, 0))
        span = self._source(0, len(data))
        first = (len(self._steps), 0, len(self._cells), len(self._made), len(self._work))
        self._pieces.append(self._fragment, *span, *first)
        self._work += data
        self._data_size = len(data)
        self._n_own_steps, self._depth = 0, 0
        self._ends: list[int] = []
        self._has_slots = symbols is not None
        self._slot_starts = [start for _, start, _ in symbols] if symbols is not None else []
        self._slot_ends = [end for _, _, end in symbols] if symbols is not None else []
        self._symbols: list[int] = [symbol for symbol, _, _ in symbols] if symbols is not None else []
        self._pushed: dict[Key, int] = {}
        cells = symbols if symbols is not None else [(-1, at, at + 1) for at in range(len(data))]
        for symbol, cell_start, cell_end in cells:
            self._cells.append(symbol, *self._source(cell_start, cell_end))
        if symbols is None:
            self._cells.append(-1, span[1], span[1])

    def step(self, step: object) -> None:
        row = DECISIONS[type(step)](step)
        self._n_own_steps += 1
        if row.operation in PAIRS:
            self._pair_step(row)
        else:
            self._span_step(row)

    def end_piece(self, tokens: Symbols) -> None:
        if self._has_slots:
            self._fall_back(tokens)
        elif not self._n_own_steps:
            for token_id, start, end in tokens:
                self._span_step(StepRow("whole", start, end, result=token_id))
        for token_id, start, end in tokens:
            self._made.append(token_id, *self._source(start, end))
        self._pieces.columns[4][-1] = len(self._steps)
        self.write("done", *self._source(0, self._data_size), depth=len(tokens))

    # Rows

    def _pair_step(self, row: StepRow) -> None:
        left, right, operation = row.position, row.end, row.operation
        start, end = self._source(self._slot_starts[left], self._slot_ends[right])
        middle, _ = self._source(self._slot_starts[right], self._slot_ends[right])
        pushed, key = -1, (left, right, row.left, row.right)
        if operation == "push":
            self._pushed[key] = len(self._steps)
        else:
            pushed = self._pushed.pop(key, -1)  # -1 if the algorithm has no queue
        if operation == "merge":
            self._slot_ends[left] = self._slot_ends[right]
            self._symbols[left], self._symbols[right] = row.result, -2
        tokens = row.left, row.right, row.result, row.rank
        self._add(StepRow(operation, start, end, middle, *tokens, left, right, pushed=pushed))

    def _span_step(self, row: StepRow) -> None:
        effect = EFFECTS[NUMBERS[row.operation]]
        end, cell, other_cell = row.end, row.cell, row.other_cell
        if effect in MADE_TOKENS:
            other_cell = row.position
        if effect == Effect.APPEND:
            cell = self._depth
            self._ends.append(end)
        elif effect == Effect.JOIN:
            cell, end = self._depth - 1, max(end, self._ends[-1])
            self._ends[-1] = end
        elif effect == Effect.RESTART:
            cell = 0
            self._ends = [end]
        elif effect == Effect.POP:
            cell = self._depth - 1
            self._ends.pop()
        self._depth = len(self._ends)
        start, end = self._source(row.position, end)
        tokens = row.left, row.right, row.result, row.rank
        self._add(StepRow(row.operation, start, end, -1, *tokens, cell, other_cell, self._depth))

    def _fall_back(self, tokens: Symbols) -> None:
        """Add steps that replace symbols that are not usable tokens; `cell` is the last slot of several."""
        at = covered = 0
        for slot, symbol in enumerate(self._symbols):
            if symbol == -2 or self._slot_ends[slot] <= covered:
                continue
            first, end = at, self._slot_ends[slot]
            if at < len(tokens) and (tokens[at][0], tokens[at][2]) == (symbol, end):
                at += 1
                continue
            while at < len(tokens) and (tokens[at][2] <= end or tokens[at][1] < end):
                token, start, covered = tokens[at]
                last = bisect_left(self._slot_starts, covered) - 1 if covered > end else -1
                self.write(
                    "fallback", *self._source(start, covered), result=token, cell=last, other_cell=slot
                )
                at += 1
            if at == first:
                self.write("lost", *self._source(self._slot_starts[slot], end), other_cell=slot)

    def write(self, operation: str, position: int, end: int, **more: Any) -> None:
        """Add a step; `more` are further fields of `StepRow`."""
        self._add(StepRow(operation, position, end, **more))

    def _add(self, row: StepRow) -> None:
        piece = -1 if row.operation in OUTSIDE_PIECES else self._piece
        self._steps.append(NUMBERS[row.operation], piece, *row[1:])
        if len(self._steps) % STEPS_PER_REPORT == 0:
            self._progress(min(1.0, len(self._steps) / max(1, self._expected_steps)))

    def _source(self, start: int, end: int) -> tuple[int, int]:
        """Map a byte range of normalised text to the bytes of the original text that it came from."""
        for normalized, offset in reversed(self._layers):
            if normalized is not None and len(normalized.data):
                last = int(normalized.ends[end - 1]) if end else 0
                start, end = (int(normalized.starts[start]) if start < end else last), last
            start, end = start + offset, end + offset
        return start, end

    def trace(
        self, encoder: str, reference_name: str, checks_whole: bool, tokens: Sequence[tuple[int, int, int]]
    ) -> Trace:
        """The trace of all recorded steps."""
        result = np.array(tokens, np.int32).reshape(-1, 3).T
        columns = StepColumns(*self._steps.arrays())
        trace = Trace(
            self._text,
            encoder,
            reference_name,
            checks_whole or bool((columns.operation == NUMBERS["whole"]).any()),
            columns,
            PieceColumns(*self._pieces.arrays()),
            Cells(*self._cells.arrays()),
            bytes(self._work),
            TraceTokens(*self._made.arrays()),
            TraceTokens(*(np.ascontiguousarray(column) for column in result)),
        )
        count_candidates(trace)
        return trace


# One row of DECISIONS for each class of steps of the reference implementations


def _pair(operation: str) -> Callable[[Any], StepRow]:
    return lambda step: StepRow(
        operation,
        step.position,
        step.right_position,
        left=step.left,
        right=step.right,
        result=step.made,
        rank=step.rank,
    )


def _way(operation: str, step: Any, worth: float) -> StepRow:
    token_id = -1 if step.token_id is None else step.token_id
    start, end = step.start, step.end
    return StepRow(operation, start, end, result=token_id, rank=worth, cell=end, other_cell=start)


def _found(step: Any, worth: float) -> StepRow:
    return _way("reach" if step.is_better else "worse", step, worth)


def _take(step: Any, operation: str = "take") -> StepRow:
    return StepRow(operation, step.start, step.end, result=step.token_id)


DECISIONS: dict[type, Callable[[Any], StepRow]] = {
    Merge: _pair("merge"),
    Push: _pair("push"),
    Stale: _pair("stale"),
    longest_match.Miss: lambda step: StepRow("miss", step.start, step.end),
    wordpiece.Fail: lambda step: StepRow("fail", step.start, step.end),
    wordpiece.GiveUp: lambda step: StepRow("give up", 0, step.word_end, result=step.unknown_id),
    wordpiece.TooLong: lambda step: StepRow("too long", 0, step.word_end, result=step.unknown_id),
    longest_match.Take: _take,
    longest_match.Choose: lambda step: _take(step, "choose"),
    backtrack.Reject: lambda step: _take(step, "dead end" if step.is_dead_end else "reject"),
    backtrack.Back: lambda step: _take(step, "back"),
    backtrack.Reach: lambda step: _way("reach" if step.is_compatible else "reject", step, math.nan),
    longest_match.Reach: lambda step: _found(step, step.n_tokens),
    longest_match.RuleOut: lambda step: _take(step, "rule out"),
    viterbi.Reach: lambda step: _found(step, step.score),
    longest_match.Join: lambda step: _take(step, "join"),
    viterbi.Choose: lambda step: _take(step, "join" if step.joins else "choose"),
    viterbi.Spell: lambda step: _take(step, "fallback"),
    plamo2.Try: lambda step: _found(step, step.cost)._replace(cell=step.start, other_cell=step.end),
    plamo2.Choose: _take,
}


def count_candidates(trace: Trace) -> None:
    """Fill the column `candidates`: the pairs in the queue whose two symbols have not merged since."""
    columns, n_steps = trace.columns, len(trace)
    entered = np.flatnonzero(columns.operation == NUMBERS["push"]).astype(np.int32)
    slots = trace.pieces.first_cell[columns.piece[entered]] + columns.cell[entered]
    others = slots - columns.cell[entered] + columns.other_cell[entered]
    gone = np.minimum(*(trace.lifetimes.end_of(each, entered) for each in (slots, others)))
    changes = np.bincount(entered + 1, minlength=n_steps + 1)[:n_steps]
    changes = changes - np.bincount(gone[gone < n_steps] + 1, minlength=n_steps + 1)[:n_steps]
    has_queue = np.isin(columns.piece, columns.piece[entered])
    has_queue &= np.isin(columns.operation, [NUMBERS[name] for name in PAIRS])
    columns.candidates[has_queue] = np.cumsum(changes)[has_queue]


# The cost of recording, and how much of a text to record at first


class TraceCost(NamedTuple):
    """A rough estimate of what recording takes."""

    n_steps: int
    size_bytes: int
    seconds: float


def estimate(encoder: str, is_one_piece: bool, n_bytes: int) -> TraceCost:
    """Estimate the cost of recording; `is_one_piece`: the whole text is one piece, as for SPM."""
    n_steps = round(n_bytes * STEPS_PER_BYTE.get(encoder, USUAL_STEPS_PER_BYTE))
    seconds = n_steps * SECONDS_PER_STEP
    if encoder == "scan" and is_one_piece:
        seconds += n_bytes * n_bytes * SECONDS_PER_PAIR
    return TraceCost(n_steps, n_steps * BYTES_PER_STEP, seconds)


def must_ask(cost: TraceCost, n_bytes: int) -> bool:
    """Whether recording takes so long that the user should decide."""
    return n_bytes > LONGEST_WITHOUT_ASKING or cost.seconds > LONGEST_SECONDS_WITHOUT_ASKING


def n_first_bytes(encoder: str, is_one_piece: bool, n_bytes: int) -> int:
    """How many bytes to record by default: all, or 20,000, or fewer if these take long."""
    n_first = n_bytes
    while must_ask(estimate(encoder, is_one_piece, n_first), n_first):
        n_first = min(FIRST_BYTES, n_first // 2)
    return n_first


def first_start(text: bytes) -> int:
    """Where to begin in an excerpt of a text: at a line, else at a word, else at a character."""
    if (line := text.find(b"\n")) >= 0:
        return line + 1
    if (space := text.find(b" ")) >= 0:
        return space
    return next((start for start, byte in enumerate(text[:4]) if byte & 0xC0 != 0x80), 0)


def beginning(text: bytes, n_bytes: int) -> bytes:
    """At most `n_bytes` of a text, cut after a line, else before a word, else between characters."""
    if len(text) <= n_bytes:
        return text
    least = n_bytes - n_bytes // 10
    if (line := text.rfind(b"\n", least, n_bytes)) >= 0:
        return text[: line + 1]
    if (space := text.rfind(b" ", least, n_bytes)) > 0:
        return text[:space]
    ends = range(n_bytes, max(n_bytes - 4, -1), -1)  # a character has at most 4 bytes
    return text[: next((end for end in ends if text[end] & 0xC0 != 0x80), n_bytes)]
