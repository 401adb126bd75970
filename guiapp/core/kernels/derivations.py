"""How pair merging makes each symbol, and which symbols it leaves side by side.

Merging goes through a text by rank and, for equal ranks, from left to right.  What happens inside a symbol
that comes out whole depends on nothing around it, so two neighbours come out side by side exactly if no
merge ever crosses between them: they are *compatible*.  A text's symbols are the one sequence in which all
neighbours are compatible (github/rust-gems, crates/bpe, corollaries).

Compatibility is found by undoing merges.  The later of the two last merges is undone first; a rule for what
is then side by side crosses if its turn would have come before the undone merge's.  Merges of two sides
take turns by their *peaks*, the highest ranks up to and including them, the left side first where these
are equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import allocating
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.merges import NO_MERGE, MergeArrays, find_merge

NO_RANK = NO_MERGE >> 32
START = -1  # rank of a start symbol
N_ANSWERS = 1 << 12
MIX = 0x9E3779B1
UNREACHED = -2  # rank of a symbol that does not come out of merging its own text


class DerivationArrays(NamedTuple):
    """The last merge of each symbol, when its text is merged by itself.

    rows   int32[4 s]  of each symbol: the two that it joins, the rank of the rule, or START or UNREACHED,
                       and the peak, or START
    sizes  int32[s]    how many start symbols it is made of
    pairs  bool[1 << 16]  by two bytes, whether they stand side by side in some symbol: nothing is ever merged
                       across two others
    """

    rows: NDArray[np.int32]
    sizes: NDArray[np.int32]
    pairs: NDArray[np.bool_]


@routine
def stay_apart(merges: MergeArrays, derivations: DerivationArrays, left: int, right: int, limit: int) -> bool:
    """Whether no rule of a rank below `limit` joins two symbols, and no rule joins parts of them.

    With the limit NO_RANK: whether they are compatible.
    """
    rows = derivations.rows
    whole_left, whole_right, peak, lower_limit = left, right, limit, limit
    while True:
        rank = find_merge(merges, left, right) >> 32
        left_peak, right_peak = int(rows[4 * left + 3]), int(rows[4 * right + 3])
        if rank < limit:
            if rank < lower_limit or max(left_peak, right_peak) < peak:
                return False
            return _make_apart(merges, derivations, whole_left, whole_right)
        if left_peak > right_peak:
            peak = left_peak
            limit, lower_limit = peak, int(rows[4 * left + 2])
            left = int(rows[4 * left + 1])
        elif right_peak >= 0:
            peak = right_peak
            limit, lower_limit = peak + 1, int(rows[4 * right + 2]) + 1
            right = int(rows[4 * right])
        else:
            return True


@routine
def are_compatible(
    answers: NDArray[np.int64], merges: MergeArrays, derivations: DerivationArrays, left: int, right: int
) -> bool:
    """Whether two symbols come out side by side; looked up in `no_answers()` that were given before."""
    key = np.int64(left) << 32 | np.int64(right)
    slot = int(key * MIX >> 32) & (N_ANSWERS - 1)
    if answers[slot] != key and answers[slot] != ~key:
        answers[slot] = key if stay_apart(merges, derivations, left, right, NO_RANK) else ~key
    return bool(answers[slot] == key)


@routine
def no_answers() -> NDArray[np.int64]:
    """Room for pairs of symbols; text has few that stand side by side often."""
    return np.full(N_ANSWERS, NO_MERGE, np.int64)


@allocating
def _make_apart(merges: MergeArrays, derivations: DerivationArrays, left: int, right: int) -> bool:
    """Whether two symbols are made whole before a merge crosses between them, by making them.

    Needed where a merge of a low rank waited for one of a higher rank, so that peaks do not tell its turn.
    """
    border = int(derivations.sizes[left])
    count = border + int(derivations.sizes[right])
    ids = np.empty(count, np.int32)
    _write_parts(derivations, left, ids, 0)
    _write_parts(derivations, right, ids, border)
    while True:
        best_value, best = NO_MERGE, -1
        for at in range(count - 1):
            value = find_merge(merges, int(ids[at]), int(ids[at + 1]))
            if value >> 32 < best_value >> 32:
                best_value, best = value, at
        if best < 0 or best == border - 1:
            return border == 1 and count == 2
        ids[best] = best_value & 0xFFFFFFFF
        count -= 1
        for at in range(best + 1, count):
            ids[at] = ids[at + 1]
        if best < border:
            border -= 1


@routine
def _write_parts(derivations: DerivationArrays, symbol: int, out: NDArray[np.int32], start: int) -> None:
    """Write the start symbols that a symbol is made of at out[start:].

    What is still whole waits in `out` at the place of its first part.
    """
    rows, end = derivations.rows, start + derivations.sizes[symbol]
    out[start] = symbol
    for at in range(start, end):
        whole = int(out[at])
        while rows[4 * whole + 2] != START:
            right, whole = int(rows[4 * whole + 1]), int(rows[4 * whole])
            out[at + derivations.sizes[whole]] = right
        out[at] = whole


@kernel
def derive(
    merges: MergeArrays,
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    ranks: NDArray[np.int32],
    made: NDArray[np.int32],
    derivations: DerivationArrays,
) -> None:
    """Find the derivation of every symbol, from rules sorted by the length of what they make.

    In the beginning start symbols have rank and peak START and size 1, the others the rank UNREACHED.
    """
    found, sizes = derivations.rows, derivations.sizes
    for index in range(len(lefts)):
        left, right = int(lefts[index]), int(rights[index])
        if found[4 * left + 2] == UNREACHED or found[4 * right + 2] == UNREACHED:
            continue
        if not stay_apart(merges, derivations, left, right, 0):
            continue
        row = 4 * int(made[index])
        found[row] = left
        found[row + 1] = right
        found[row + 2] = ranks[index]
        found[row + 3] = max(ranks[index], found[4 * left + 3], found[4 * right + 3])
        sizes[made[index]] = sizes[left] + sizes[right]
