"""Compares two runs on one text, of two encoders or two models: where their tokens differ, and why.

Byte spans are compared; ids as well if both models have the same tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.spans import SPECIAL, SpanColumn, compare_spans
from guiapp.analysis.explain.spelling import code
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.sentences import LONGEST_LABEL
from guiapp.analysis.trace.trace import BEFORE, FORMS, NUMBERS, PieceColumns, Trace
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import Vocabulary

MOST_TOLD = 4  # tokens listed for one difference
MOST_DIFFERENCES = 70  # differences explained: as many as take one frame
ONE_OPERATION = (
    *("whole", "push", "stale", "merge", "miss", "fail", "reject", "dead end", "rule out", "take"),
    *("give up", "reach", "worse"),
)
LOOKS_UP = np.isin(list(NUMBERS), ONE_OPERATION)


@dataclass(frozen=True)
class RaceDifference:
    """A difference between two runs.

    byte           offset in the text from which the tokens differ
    steps          for each run, the step that made its first differing token
    reason         in plain words
    """

    byte: int
    steps: tuple[int, int]
    reason: str


class _Difference(NamedTuple):
    """Bytes [start, end) that two runs tokenize differently, and each run's tokens [first, last) there."""

    start: int
    end: int
    ours: tuple[int, int]
    theirs: tuple[int, int]


def first_difference(
    ours: Debugger, theirs: Debugger, names: tuple[str, str] | None = None, offset: int | None = None
) -> RaceDifference | None:
    """The first difference that ends after byte `offset`, else the last one before it; None if none.

    Tokens without text, such as BOS, count only if no others differ, or if they alone differ at the byte.
    `names` name the runs in the reason; the default is the names of the encoders.
    """
    span_differences = _span_differences(ours, theirs)
    return (
        _race_difference(ours, theirs, names, _nearest(span_differences, offset))
        if span_differences
        else None
    )


def differences(ours: Debugger, theirs: Debugger, names: tuple[str, str]) -> list[RaceDifference]:
    """The first MOST_DIFFERENCES, in the order of the first run's steps; only the first one of each step."""
    by_step: dict[int, RaceDifference] = {}
    for span in _span_differences(ours, theirs)[:MOST_DIFFERENCES]:
        difference = _race_difference(ours, theirs, names, span)
        by_step.setdefault(difference.steps[0], difference)
    return [by_step[step] for step in sorted(by_step)]


def _race_difference(
    ours: Debugger, theirs: Debugger, names: tuple[str, str] | None, difference: _Difference
) -> RaceDifference:
    sides = (ours, theirs, difference.ours), (theirs, ours, difference.theirs)
    first, second = (_decider(mine, other, difference, tokens) for mine, other, tokens in sides)
    called = names or (ours.trace.name, theirs.trace.name)
    descriptions = "; ".join(
        f"{name} {_deed(mine, step, difference, tokens)}"
        for name, (mine, _, tokens), step in zip(called, sides, (first, second), strict=True)
    )
    reason = f"From byte {difference.start:,} on they differ: {descriptions}."
    return RaceDifference(difference.start, (first, second), reason)


def first_other_step(ours: Debugger, theirs: Debugger) -> int | None:
    """The first step at which two runs do different things; None if all steps are the same."""
    names = ["operation", "position", "end"]
    names += ["result"] if means_the_same(ours.vocabulary, theirs.vocabulary) else []
    n_both = min(ours.n_steps, theirs.n_steps)
    is_other = np.zeros(n_both, bool)
    for name in names:
        mine, other = (getattr(each.trace.columns, name)[:n_both] for each in (ours, theirs))
        is_other |= mine != other
    if is_other.any():
        return int(is_other.argmax())
    return None if ours.n_steps == theirs.n_steps else n_both


def outcome(
    ours: Debugger, theirs: Debugger, names: tuple[str, str] | None = None, offset: int | None = None
) -> str:
    """How many operations each run took, and whether their tokens agree or differ nearest to a byte."""
    first, second = names or (ours.trace.name, theirs.trace.name)
    n_ours, n_theirs = (int(work(each.trace)[-1]) for each in (ours, theirs))
    effort = f"Operations in all: {first} {n_ours:,}, {second} {n_theirs:,}."
    span_differences = _span_differences(ours, theirs)
    if not span_differences:
        descriptions = counted(len(theirs.trace.result.ids), "token")
        is_same = means_the_same(ours.vocabulary, theirs.vocabulary)
        return f"{effort} Both {'give the same' if is_same else 'cut the text into'} {descriptions}."
    difference = _nearest(span_differences, offset)
    mine, other = _listed(ours, difference.ours), _listed(theirs, difference.theirs)
    positions = f"{len(span_differences):,} positions, such as " if len(span_differences) > 1 else ""
    return f"{effort} Their tokens differ at {positions}byte {difference.start:,}: {mine} against {other}."


def work(trace: Trace) -> NDArray[np.int64]:
    """int64[n + 1]: the number of operations before each step, and in total.

    An operation looks up a pair or a token, goes one byte down the tree of tokens, or adds to or removes
    from a queue; steps need different numbers.  Textbook merging looks up all neighbours for each merge;
    with a queue, each pair once, and the two that a merge makes.
    """
    columns, pieces = trace.columns, trace.pieces
    n_operations = LOOKS_UP[columns.operation].astype(np.int64)
    if trace.reference_name in ("greedy", "rwkv"):
        takes = np.flatnonzero(columns.operation == NUMBERS["take"])
        n_operations[takes] += columns.end[takes] - columns.position[takes]
    if trace.reference_name in ("scan", "heap") and trace.n_pieces:
        is_whole = columns.operation[pieces.first_step] == NUMBERS["whole"]
        n_symbols = np.diff(np.append(pieces.first_cell, np.int32(len(trace.cells.start))))
        n_pairs = np.where(is_whole, 0, np.maximum(n_symbols - 1, 0))
        merges = np.flatnonzero(columns.operation == NUMBERS["merge"])
        owners = columns.piece[merges]
        if trace.reference_name == "scan":
            n_before = np.arange(len(merges)) - np.searchsorted(owners, owners)
            n_operations[merges] = n_pairs[owners] - n_before
            n_merges = np.bincount(owners, minlength=trace.n_pieces)
            n_operations[pieces.done_step] += np.maximum(n_pairs - n_merges, 0)
        else:
            n_operations[merges] += 2
            n_operations[pieces.first_step] += n_pairs
    return np.append(np.int64(0), np.cumsum(n_operations))


def _listed(debugger: Debugger, tokens: tuple[int, int]) -> str:
    """The first tokens of a range of the result, in code quotes; at most MOST_TOLD."""
    first, last = tokens
    shown = min(last, first + MOST_TOLD)
    tokens_shown = debugger.trace.result.part(first, shown).rows()
    descriptions = [code(debugger.describer.label(*token)) for token in tokens_shown]
    return " ".join(descriptions + ["…"] * (last > shown)) or "none"


def means_the_same(ours: Vocabulary, theirs: Vocabulary) -> bool:
    """Whether the ids of both vocabularies stand for the same tokens."""
    if ours is theirs:
        return True
    tables = ((each.token_offsets, each.token_data) for each in (ours, theirs))
    return all(np.array_equal(*pair) for pair in zip(*tables, strict=True))


def keep_in_step(leader: Debugger, follower: Debugger) -> int:
    """Move the follower as many decisions into the same piece as the leader, or to the end of that piece.

    If the follower has no such piece, move it to where it has encoded as much of the text; an unfinished
    piece counts in proportion to its decisions.  Between pieces the follower stays after the finished ones.
    """
    pieces, others = leader.trace.pieces, follower.trace.pieces
    piece = leader.trace.piece_at(leader.position)
    if piece < 0:
        n_done = int(np.searchsorted(pieces.done_step, leader.position, side="right"))
        if n_done == leader.trace.n_pieces and (n_done or leader.position == leader.n_steps):
            return follower.go_to(follower.n_steps)
        return follower.go_to(_step_at(others, int(pieces.end[n_done - 1])) if n_done else 0)
    first, done = int(pieces.first_step[piece]), int(pieces.done_step[piece])
    same = _same_piece(pieces, others, piece)
    if same is None:
        share = (leader.position - first) / (done + 1 - first)
        start, end = int(pieces.start[piece]), int(pieces.end[piece])
        return follower.go_to(_step_at(others, start + share * (end - start)))
    if leader.position == done:
        return follower.go_to(int(others.done_step[same]))
    return follower.go_to(
        min(int(others.first_step[same]) + leader.position - first, int(others.done_step[same]))
    )


def _same_piece(pieces: PieceColumns, others: PieceColumns, piece: int) -> int | None:
    """The other run's piece over the same bytes; of several (empty) ones, the one with the same ordinal."""
    spans, other_spans = _spans(pieces), _spans(others)
    n_alike = piece - int(np.searchsorted(spans, spans[piece]))
    same = int(np.searchsorted(other_spans, spans[piece])) + n_alike
    return same if same < len(other_spans) and other_spans[same] == spans[piece] else None


def _spans(pieces: PieceColumns) -> NDArray[np.int64]:
    """The start and end of each piece packed into one number, sorted."""
    return (pieces.start.astype(np.int64) << 32) | pieces.end


def _step_at(pieces: PieceColumns, offset: float) -> int:
    """The first step at which the bytes before `offset` are encoded."""
    piece = int(np.searchsorted(pieces.start, offset, side="right")) - 1
    if piece < 0:
        return 0
    start, end = int(pieces.start[piece]), int(pieces.end[piece])
    first, stop = int(pieces.first_step[piece]), int(pieces.done_step[piece]) + 1
    share = (offset - start) / (end - start) if offset < end else 1.0
    return first + int(share * (stop - first))


# Where two runs differ


def _nearest(span_differences: list[_Difference], offset: int | None) -> _Difference:
    """The difference to show for a byte offset, or for the start of the text if `offset` is None."""
    with_text = [each for each in span_differences if each.start < each.end] or span_differences
    nearest = next((each for each in with_text if each.end > (offset or 0)), with_text[-1])
    if offset is None or nearest.start <= offset < nearest.end:
        return nearest
    return next((each for each in span_differences if each.start == offset), nearest)


def _span_differences(ours: Debugger, theirs: Debugger) -> list[_Difference]:
    """All differences, in the order of the text."""
    columns = [_column(each) for each in (ours, theirs)]
    compared = compare_spans(columns)
    rows = zip(compared.differences.tolist(), compared.tokens.tolist(), strict=True)
    rows_that_differ = [_Difference(*span, *map(tuple, tokens)) for span, tokens in rows]
    if means_the_same(ours.vocabulary, theirs.vocabulary):
        first, second = (np.flatnonzero(shares == 2) for shares in compared.shares)
        is_other = ours.trace.result.ids[first] != theirs.trace.result.ids[second]
        for mine, other in zip(first[is_other].tolist(), second[is_other].tolist(), strict=True):
            span = int(columns[0].starts[mine]), int(columns[0].ends[mine])
            rows_that_differ.append(_Difference(*span, (mine, mine + 1), (other, other + 1)))
    return sorted(rows_that_differ)


def _column(debugger: Debugger) -> SpanColumn:
    ids, starts, ends = debugger.trace.result
    are_special = debugger.vocabulary.attributes[ids] & SPECIAL > 0
    return SpanColumn(starts.astype(np.int64), ends.astype(np.int64), are_special)


def _decider(debugger: Debugger, other: Debugger, difference: _Difference, tokens: tuple[int, int]) -> int:
    """The step that decided how a run tokenizes the text at a difference."""
    if difference.start == difference.end:
        return _maker(debugger, difference, tokens)
    step = _last_miss(debugger, difference)
    if step is None:
        step = _split(debugger, other, difference)
    if step is None:
        step = _crossing(debugger, other.trace.result.ends, difference)
    if step is None and (crossed := _crossing(other, debugger.trace.result.ends, difference)) is not None:
        columns = other.trace.columns  # our step that overlaps the other's token and so prevented it here
        step = _crossing(debugger, np.array([columns.position[crossed], columns.end[crossed]]), difference)
    return _maker(debugger, difference, tokens) if step is None else step


def _last_miss(debugger: Debugger, difference: _Difference) -> int | None:
    """The step that skipped the first differing byte; None if a token covers it, or no step skipped it."""
    result, columns, byte = debugger.trace.result, debugger.trace.columns, difference.start
    if np.any((result.starts <= byte) & (byte < result.ends)):
        return None
    missed = np.isin(columns.operation, [NUMBERS["miss"], NUMBERS["lost"]])
    steps = np.flatnonzero(missed & (columns.position <= byte) & (byte < columns.end))
    return int(steps[-1]) if len(steps) else None


def _split(debugger: Debugger, other: Debugger, difference: _Difference) -> int | None:
    """The first step whose piece ends in the middle of one of the other run's tokens."""
    columns, result = debugger.trace.columns, other.trace.result
    is_inside = (columns.end > difference.start) & (columns.end < difference.end)
    steps = np.flatnonzero(is_inside & (columns.operation == NUMBERS["piece"]))
    holders = np.searchsorted(result.ends, columns.end[steps], side="right")
    starts = np.append(result.starts, np.int32(len(other.trace.text)))
    cutting = steps[starts[holders] < columns.end[steps]]
    return int(cutting[0]) if len(cutting) else None


def _crossing(debugger: Debugger, ends: NDArray[np.int32], difference: _Difference) -> int | None:
    """The step, leftmost in the text, that formed a token across one of the byte offsets `ends`."""
    columns = debugger.trace.columns
    forms = FORMS[columns.operation] & (columns.operation != NUMBERS["reach"])
    steps = np.flatnonzero(forms & (columns.end > difference.start) & (columns.position < difference.end))
    first_inside = np.searchsorted(ends, columns.position[steps], side="right")
    crossing = steps[first_inside < np.searchsorted(ends, columns.end[steps])]
    return int(crossing[np.argmin(columns.position[crossing])]) if len(crossing) else None


def _maker(debugger: Debugger, difference: _Difference, tokens: tuple[int, int]) -> int:
    """The step that formed the first differing token; if none did, the one that finished its piece."""
    result, columns = debugger.trace.result, debugger.trace.columns
    forms = FORMS[columns.operation] & (columns.operation != NUMBERS["reach"])
    at, last = tokens
    if at < last:
        makes = forms & (columns.position == result.starts[at]) & (columns.end == result.ends[at])
        steps = np.flatnonzero(makes & (columns.result == result.ids[at]))
        if len(steps):
            return int(steps[-1])
    done = np.flatnonzero((columns.operation == NUMBERS["done"]) & (columns.end > difference.start))
    return int(done[0]) if len(done) else max(0, len(debugger.trace) - 1)


def _deed(debugger: Debugger, step: int, difference: _Difference, tokens: tuple[int, int]) -> str:
    """What a run did at the step that decided the difference."""
    if not len(debugger.trace):  # an empty text without BOS or EOS
        return "has no token there"
    operation, columns = debugger.trace.operation(step), debugger.trace.columns
    made, covered = debugger.describer.result(step), debugger.describer.covered(step)
    if operation in ("miss", "lost"):
        return f"skips {covered}: it is not a token"
    if tokens[0] == tokens[1]:
        return "has no token there"
    if operation == "done":
        return _left(debugger, step, difference, tokens[0])
    descriptions = {
        "merge": f"merges {made}, rank {debugger.describer.worth(step)}",
        "piece": f"splits off the piece {covered}",
        "special": f"cuts out the special token {made}",
        "add": f"adds {made} {'before' if columns.cell[step] == BEFORE else 'after'} the text",
    }
    verb = {"take": "takes", "choose": "chooses", "whole": "takes the whole piece"}.get(operation, "makes")
    return descriptions.get(operation) or f"{verb} {made}, {debugger.describer.span(step)}"


def _left(debugger: Debugger, done: int, difference: _Difference, token: int) -> str:
    """Describe that nothing was joined: not the parts of the piece, or not a token in a longer piece."""
    columns, result = debugger.trace.columns, debugger.trace.result
    is_other_empty = any(first == last for first, last in (difference.ours, difference.theirs))
    is_inside = difference.start <= columns.position[done] and columns.end[done] <= difference.end
    if is_inside or is_other_empty:
        return f"leaves {debugger.describer.covered(done)} in parts: no rule joins them"
    text = debugger.trace.text[result.starts[token] : result.ends[token]]
    return f"joins nothing with {code(visible_text(text, LONGEST_LABEL))}"
