"""The differences between two lists of token ids, with as few removed and inserted tokens as possible.

The longest common subsequence is computed with rows of its table as bits of integers (Hyyrö 2004,
"Bit-parallel LCS-length computation revisited"), half of a list at a time (Hirschberg 1975,
https://doi.org/10.1145/360825.360861).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.comparison import count_unknown
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.tables import NONE, Table, page_of
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.normalized import n_equal_from_start
from guiapp.core.text.numbers_in_words import capitalized, counted, elided, percent
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import stoppable

LISTED = 10  # changes
LONGEST_CELL = 40  # characters
TOO_LONG = "One part is too long to compare token by token: it is shown as changed."
LONGEST_LIST = 20  # tokens of a change that are shown
Ids = NDArray[np.int32]
LARGEST_TABLE = 1 << 31  # cells; about a second
QUICK_TABLE = 1 << 16  # some milliseconds
ANCHOR = 16  # tokens
FACTOR = np.uint64(0x9E3779B97F4A7C15)


class IdChange(NamedTuple):
    """first[first_start:first_end] became second[second_start:second_end]; one of them may be empty."""

    first_start: int
    first_end: int
    second_start: int
    second_end: int


@dataclass(frozen=True, eq=False)
class IdChanges:
    """All changes from one list to another, in order; the tokens between them are equal.

    rows      int64[n, 4]: `changes` as a table
    n_common  length of the common prefix, which a prefix cache can reuse
    is_whole  False if some span was too long to compare token by token, and is one change as a whole
    """

    first: Ids
    second: Ids
    rows: NDArray[np.int64]
    n_common: int
    is_whole: bool

    @cached_property
    def changes(self) -> tuple[IdChange, ...]:
        return tuple(map(IdChange._make, self.rows.tolist()))

    @property
    def n_removed(self) -> int:
        return int((self.rows[:, 1] - self.rows[:, 0]).sum())

    @property
    def n_inserted(self) -> int:
        return int((self.rows[:, 3] - self.rows[:, 2]).sum())

    @property
    def n_unchanged(self) -> int:
        return len(self.first) - self.n_removed


def id_changes(first: Ids, second: Ids) -> IdChanges:
    """Compare two lists.

    If both are long and differ at distant positions, spans of 16 tokens that both contain exactly once are
    matched first, and the fewest changes are computed between them.
    """
    rows, is_whole = _rows(first, second, LARGEST_TABLE)
    return IdChanges(first, second, rows, n_equal_from_start(first, second), is_whole)


def changes_after_edits(result: IdChanges, first: Ids, second: Ids) -> IdChanges:
    """Compare the lists after edits, fast: only the neighbourhood of the edits is compared again.

    The changes are correct but perhaps not the fewest; near a long edit, all tokens count as changed.
    """
    rows, is_whole = result.rows, result.is_whole
    lists = [result.first, result.second]
    for side, edited in enumerate((first, second)):
        before, lists[side] = lists[side], edited
        rows, is_near_whole = _edited_rows(rows, side, before, lists)
        is_whole &= is_near_whole
    return IdChanges(first, second, rows, n_equal_from_start(first, second), is_whole)


def is_fast(first: Ids, second: Ids) -> bool:
    """Whether `id_changes` takes no longer than a frame."""
    return _n_cells(*_without_ends(first, second)[0]) <= QUICK_TABLE


def _edited_rows(
    rows: NDArray[np.int64], side: int, before: Ids, lists: list[Ids]
) -> tuple[NDArray[np.int64], bool]:
    """The table of changes after an edit of one of the `lists`, and whether all of it was compared."""
    after = lists[side]
    start = n_equal_from_start(before, after)
    end = len(before) - n_equal_from_start(before[start:][::-1], after[start:][::-1])
    shift = len(after) - len(before)
    if start == end and not shift:
        return rows, True
    own, other = (slice(0, 2), slice(2, 4)) if side == 0 else (slice(2, 4), slice(0, 2))
    starts, ends = rows[:, own].T
    touched = slice(int(ends.searchsorted(start)), int(starts.searchsorted(end, side="right")))
    near = np.empty(4, np.int64)
    near[own] = start, end
    near[other] = counterpart(rows, side, start), counterpart(rows, side, end)
    near[::2] = np.minimum(near[::2], rows[touched, ::2].min(axis=0, initial=near[::2].max()))
    near[1::2] = np.maximum(near[1::2], rows[touched, 1::2].max(axis=0, initial=0))
    near[own] += 0, shift
    behind = rows[touched.stop :].copy()
    behind[:, own] += shift
    fresh, is_whole = _rows(lists[0][near[0] : near[1]], lists[1][near[2] : near[3]], QUICK_TABLE)
    fresh += near[[0, 0, 2, 2]]
    return np.concatenate((rows[: touched.start], fresh, behind)), is_whole


def counterpart(rows: NDArray[np.int64], side: int, index: int) -> int:
    """The index in the other list that corresponds to `index` in list 0 or 1 (`side`).

    Within a change: as far from its start, but not beyond its end.
    """
    return int(counterparts(rows, side, np.array([index]))[0])


def counterparts(rows: NDArray[np.int64], side: int, indexes: NDArray[np.int64]) -> NDArray[np.int64]:
    """`counterpart` of each index."""
    table = np.concatenate((np.zeros((1, 4), np.int64), rows))
    own, other = (table[:, :2], table[:, 2:]) if side == 0 else (table[:, 2:], table[:, :2])
    at = own[:, 0].searchsorted(indexes, side="right") - 1
    within = np.minimum(other[at, 0] + indexes - own[at, 0], other[at, 1])
    after = other[at, 1] + indexes - own[at, 1]
    result: NDArray[np.int64] = np.where(indexes < own[at, 1], within, after)
    return result


Run = tuple[int, int, int]  # of equal tokens: the start in both lists, and the length


def _rows(first: Ids, second: Ids, most_cells: int) -> tuple[NDArray[np.int64], bool]:
    """The table of changes, and whether all tokens were compared."""
    result, is_whole = _matches(first, second, most_cells)
    changes = list(_changes_between(result, len(first), len(second)))
    return np.array(changes, np.int64).reshape(-1, 4), is_whole


def _without_ends(first: Ids, second: Ids) -> tuple[list[Ids], int, int]:
    """The lists without their common prefix and suffix, and the lengths of these."""
    head = n_equal_from_start(first, second)
    tail = n_equal_from_start(first[head:][::-1], second[head:][::-1])
    return [each[head : len(each) - tail] for each in (first, second)], head, tail


def _n_cells(first: Ids, second: Ids) -> int:
    return len(first) * len(second)


def _matches(first: Ids, second: Ids, most_cells: int) -> tuple[list[Run], bool]:
    """Runs of equal tokens in order, and whether all tokens were compared."""
    inner, head, tail = _without_ends(first, second)
    result = [(0, 0, head)]
    is_whole = True
    if _n_cells(*inner) <= most_cells:
        result += [(head + at, head + other, 1) for at, other in _common(*inner)]
    elif most_cells < LARGEST_TABLE:
        is_whole = False
    else:
        anchored, is_whole = _anchored_matches(*inner)
        result += [(head + at, head + other, length) for at, other, length in anchored]
    result.append((len(first) - tail, len(second) - tail, tail))
    return result, is_whole


def _changes_between(runs: list[Run], n_first: int, n_second: int) -> Iterator[IdChange]:
    """The gaps between runs, in lists of these lengths."""
    at, other = 0, 0
    for start, other_start, length in [*runs, (n_first, n_second, 0)]:
        if length == 0 and start < n_first:
            continue
        if start > at or other_start > other:
            yield IdChange(at, start, other, other_start)
        at, other = start + length, other_start + length


def _anchored_matches(first: Ids, second: Ids) -> tuple[list[Run], bool]:
    """Runs of equal tokens: anchors, and runs between them; and whether all tokens were compared."""
    runs: list[Run] = []
    at, other = 0, 0
    is_whole = True
    for start, other_start, length in [*_anchors(first, second), (len(first), len(second), 0)]:
        overlap = max(at - start, other - other_start, 0)  # with the previous one
        if overlap > length:
            continue
        start, other_start, length = start + overlap, other_start + overlap, length - overlap
        gap = first[at:start], second[other:other_start]
        if _n_cells(*gap) <= LARGEST_TABLE:
            matches, _ = _matches(*gap, LARGEST_TABLE)
            runs += [(at + begin, other + other_begin, size) for begin, other_begin, size in matches]
        else:
            is_whole = False
        runs.append((start, other_start, length))
        at, other = start + length, other_start + length
    return runs, is_whole


def _anchors(first: Ids, second: Ids) -> list[Run]:
    """Runs of spans of ANCHOR tokens that both lists contain exactly once and in the same order."""
    (sums, span_starts), (other_sums, other_span_starts) = (
        _unique(_span_sums(each)) for each in (first, second)
    )
    _, rows, other_rows = np.intersect1d(sums, other_sums, assume_unique=True, return_indices=True)
    starts, others = span_starts[rows], other_span_starts[other_rows]
    offsets = np.arange(ANCHOR)
    are_equal = (first[starts[:, None] + offsets] == second[others[:, None] + offsets]).all(axis=1)
    order = np.flatnonzero(are_equal)[np.argsort(starts[are_equal])]
    order = order[longest_increasing(others[order])]
    starts, others = starts[order], others[order]
    if not len(starts):
        return []
    steps, other_steps = (np.diff(each, prepend=-2 * ANCHOR) for each in (starts, others))
    begins = np.flatnonzero((steps != other_steps) | (steps > ANCHOR))
    lengths = starts[np.append(begins[1:], len(starts)) - 1] + ANCHOR - starts[begins]
    return list(zip(starts[begins].tolist(), others[begins].tolist(), lengths.tolist(), strict=True))


def _span_sums(ids: Ids) -> NDArray[np.uint64]:
    """A hash of each span of ANCHOR tokens."""
    sums = np.zeros(max(len(ids) - ANCHOR + 1, 0), np.uint64)
    for offset in range(ANCHOR):
        sums = sums * FACTOR + ids[offset : offset + len(sums)].astype(np.uint64)
    return sums


def _unique(values: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """The values that occur once, and their indexes."""
    result, indexes, counts = np.unique(values, return_index=True, return_counts=True)
    return result[counts == 1], indexes[counts == 1]


def _common(first: Ids, second: Ids) -> list[tuple[int, int]]:
    """The indexes of a longest common subsequence in both lists."""
    rows, columns = (np.flatnonzero(np.isin(one, other)) for one, other in ((first, second), (second, first)))
    ids, others = first[rows].tolist(), second[columns].tolist()
    if len(ids) <= len(others):
        return [(int(rows[at]), int(columns[other])) for at, other in _common_of(ids, others)]
    return [(int(rows[at]), int(columns[other])) for other, at in _common_of(others, ids)]


def _common_of(first: list[int], second: list[int]) -> list[tuple[int, int]]:
    """The same for lists of numbers, by dividing the first into halves."""
    pairs = []
    parts = [(0, len(first), 0, len(second))]
    while parts:
        start, end, other_start, other_end = parts.pop()
        while start < end and other_start < other_end and first[start] == second[other_start]:
            pairs.append((start, other_start))
            start, other_start = start + 1, other_start + 1
        tail = []
        while start < end and other_start < other_end and first[end - 1] == second[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            tail.append((end, other_end))
        pairs += tail
        if end - start == 1 and first[start] in (ids := second[other_start:other_end]):
            pairs.append((start, other_start + ids.index(first[start])))
        elif end - start > 1 and other_start < other_end:
            middle = (start + end) // 2
            halves = first[start:middle], first[middle:end]
            cut = other_start + _best_cut(*halves, second[other_start:other_end])
            parts += [(middle, end, cut, other_end), (start, middle, other_start, cut)]
    return sorted(pairs)


def _best_cut(head: list[int], tail: list[int], others: list[int]) -> int:
    """The index to cut `others` at so that its parts have most in common with `head` and `tail`."""
    before = _common_lengths(head, others)
    after = _common_lengths(tail[::-1], others[::-1])[::-1]
    return int((before + after).argmax())


def _common_lengths(ids: list[int], others: list[int]) -> NDArray[np.int64]:
    """int64[n + 1]: the length of the longest common subsequence of `ids` and each prefix of `others`."""
    width = len(others)
    indexes: dict[int, list[int]] = {}
    for index, token_id in enumerate(others):
        indexes.setdefault(token_id, []).append(index)
    masks = {token_id: _mask(where, width) for token_id, where in indexes.items()}
    full = (1 << width) - 1
    row = full
    for token_id in stoppable(ids):
        if mask := masks.get(token_id):
            same = row & mask
            row = ((row + same) | (row - same)) & full
    bits = np.frombuffer(row.to_bytes(width // 8 + 1, "little"), np.uint8)
    return np.append(0, np.cumsum(1 - np.unpackbits(bits, bitorder="little", count=width).astype(np.int64)))


def _mask(bits: list[int], width: int) -> int:
    """An integer with these bits set."""
    data = bytearray(width // 8 + 1)
    for bit in bits:
        data[bit >> 3] |= 1 << (bit & 7)
    return int.from_bytes(data, "little")


def longest_increasing(values: NDArray[np.integer]) -> NDArray[np.int64]:
    """The indexes of a longest increasing subsequence of distinct numbers, ascending.

    O(n log n).  Source: Fredman 1975, https://doi.org/10.1016/0012-365X(75)90103-X.
    """
    last_values: list[int] = []  # the least value that a subsequence of each length ends with
    last_indexes: list[int] = []
    before = np.full(len(values), -1, np.int64)
    for index, value in enumerate(stoppable(values.tolist())):
        length = bisect_left(last_values, value)
        if length:
            before[index] = last_indexes[length - 1]
        last_values[length : length + 1] = [value]
        last_indexes[length : length + 1] = [index]
    result = np.empty(len(last_indexes), np.int64)
    index = last_indexes[-1] if last_indexes else -1
    for at in range(len(result) - 1, -1, -1):
        result[at] = index
        index = int(before[index])
    return result


# The report of changes between two lists of tokens, as sentences, tables and a record


@dataclass(frozen=True, eq=False)
class ChangesReport:
    """Two lists of tokens of one model, compared.

    names         of the lists
    is_same_text  whether both decode to the same bytes, without control tokens
    """

    tokenizer: Tokenizer
    names: tuple[str, str]
    outcome: IdChanges
    is_same_text: bool


def compare_ids(
    tokenizer: Tokenizer, names: tuple[str, str], first: NDArray[np.int32], second: NDArray[np.int32]
) -> ChangesReport:
    """Compare two lists of ids, which must all be tokens of the vocabulary."""
    is_control = (tokenizer.vocabulary.attributes & Attribute.CONTROL.value) != 0
    texts = [tokenizer.decode_bytes(ids[~is_control[ids]]) for ids in (first, second)]
    return ChangesReport(tokenizer, names, id_changes(first, second), texts[0] == texts[1])


def sentences(report: ChangesReport) -> Iterator[str]:
    """How many tokens both have in common, and how many changed."""
    outcome = report.outcome
    first, second = report.names
    text = "the same text" if report.is_same_text else "different texts"
    if not outcome.changes:
        yield f"{first} and {second} are the same: {counted(len(outcome.first), 'token')}."
        return
    yield f"{first} has {counted(len(outcome.first), 'token')}, {second} {len(outcome.second):,}: {text}."
    share = f" ({percent(outcome.n_common / len(outcome.second))} of {second})" if len(outcome.second) else ""
    common = counted(outcome.n_common, "token")
    yield f"{common} in common from the start{share}: a prefix cache can reuse them."
    removed = f"{counted(outcome.n_removed, 'token')} removed"
    kept = f"{outcome.n_inserted:,} inserted, {outcome.n_unchanged:,} kept"
    yield f"{counted(len(outcome.changes), 'change')}: {removed}, {kept}."
    yield from notes(report)
    if not outcome.is_whole:
        yield TOO_LONG


def notes(report: ChangesReport) -> Iterator[str]:
    """The share of unknown tokens, and BOS, EOS or SEP that one list lacks at an end or has more often."""
    for name, ids in zip(report.names, (report.outcome.first, report.outcome.second), strict=True):
        if n_unknown := count_unknown(report.tokenizer.vocabulary, ids):
            yield f"{capitalized(name)}: {percent(n_unknown / len(ids), 1)} unknown tokens."
    control = Attribute.CONTROL.value
    attributes, special = report.tokenizer.vocabulary.attributes, report.tokenizer.vocabulary.special_ids
    heads, tails = [], []
    for ids in (report.outcome.first, report.outcome.second):
        others = np.flatnonzero((attributes[ids] & control) == 0)
        head_end = int(others[0]) if len(others) else len(ids)
        heads.append(ids[:head_end])
        tails.append(ids[int(others[-1]) + 1 if len(others) else len(ids) :])
    ends = (("BOS", special.bos, heads), ("EOS", special.eos, tails), ("SEP", special.sep, tails))
    for role, token_id, (first, second) in ends:
        if token_id is not None:
            counts = (int(np.count_nonzero(first == token_id)), int(np.count_nonzero(second == token_id)))
            yield from _note(role, *report.names, *counts)


def _note(role: str, first: str, second: str, n_first: int, n_second: int) -> Iterator[str]:
    """The sentence about different numbers of tokens of a role."""
    if n_first == n_second:
        return
    if not n_second:
        yield f"{role} is missing in {second}."
    elif n_second == 1:
        few = "none" if not n_first else f"{n_first:,}"
        yield f"{second} has one {role}, {first} has {few}."
    elif n_second == 2 and n_first == 1:
        yield f"There is a second {role} in {second}."
    else:
        yield f"{second} has {role} {n_second:,} times, {first} {n_first:,}."


def as_text(report: ChangesReport, is_markdown: bool, spelling: Spelling = Spelling.SIGNS) -> str:
    """The whole report with the first changes, for a terminal or as Markdown."""
    n_changes = len(report.outcome.rows)
    tables = [change_table(report, LISTED, spelling)] if n_changes else []
    more = [f"… {n_changes - LISTED:,} more. List all with --json."] if n_changes > LISTED else []
    return page_of(tables, list(sentences(report)), more, is_markdown=is_markdown)


def change_table(report: ChangesReport, most: int, spelling: Spelling = Spelling.SIGNS) -> Table:
    """The first changes: their indexes in both lists, and their tokens."""
    rows = [["at", "removed", "at", "inserted"]]
    outcome = report.outcome
    for change in islice(outcome.changes, most):
        removed = outcome.first[change.first_start : change.first_end]
        inserted = outcome.second[change.second_start : change.second_end]
        texts = [tokens_in_words(report.tokenizer.vocabulary, each, spelling) for each in (removed, inserted)]
        rows.append([f"{change.first_start:,}", texts[0], f"{change.second_start:,}", texts[1]])
    return Table("Changes, by token number", rows)


def tokens_in_words(vocabulary: Vocabulary, ids: NDArray[np.int32], spelling: Spelling) -> str:
    """Tokens, with the id if there is only one; long lists are elided."""
    shown = "|".join(spelling.token(vocabulary, token_id) for token_id in ids[:LONGEST_LIST].tolist()) or NONE
    shown = (
        f"{shown} …"
        if len(ids) > LONGEST_LIST and len(shown) <= LONGEST_CELL
        else elided(shown, LONGEST_CELL)
    )
    return f"{shown} (id {ids[0]})" if len(ids) == 1 else shown


def record(report: ChangesReport) -> dict[str, object]:
    """The record of `compare --against … --json`."""
    outcome = report.outcome
    return {
        "tokens": [len(outcome.first), len(outcome.second)],
        "common_from_start": outcome.n_common,
        "kept": outcome.n_unchanged,
        "removed": outcome.n_removed,
        "inserted": outcome.n_inserted,
        "same_text": report.is_same_text,
        "changes": [
            {
                "first": [change.first_start, change.first_end],
                "second": [change.second_start, change.second_end],
                "removed_ids": outcome.first[change.first_start : change.first_end].tolist(),
                "inserted_ids": outcome.second[change.second_start : change.second_end].tolist(),
            }
            for change in outcome.changes
        ],
    }
