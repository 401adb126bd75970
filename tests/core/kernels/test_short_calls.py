"""Routines are called with parts of arrays, and what kernels do most is told to LLVM in few instructions."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import allocating, borrowing
from guiapp.core.kernels.compile import NEVER_COMPILED, Kernel, argument_types, kernel_options, routine

pytestmark = pytest.mark.skipif(NEVER_COMPILED, reason="kernels are never compiled here")

WHOLE = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


class Numbers(NamedTuple):
    scale: int
    counts: NDArray[np.uint16]
    flags: NDArray[np.bool_]


class Tables(NamedTuple):
    numbers: Numbers
    weights: NDArray[np.float64]


@borrowing
def weighed(tables: Tables, at: int) -> float:
    numbers = tables.numbers
    return numbers.counts[at] * tables.weights[at] * numbers.scale if numbers.flags[at] else 0.0


@borrowing
def turn_off(flags: NDArray[np.bool_], from_here: int) -> int:
    n_off = 0
    for at in range(from_here, len(flags)):
        n_off += int(flags[at])
        flags[at] = False
    return n_off


@allocating
def doubled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    twice = np.empty(len(weights))
    for at in range(len(weights)):
        twice[at] = 2 * weights[at]
    return twice


@routine
def itself(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return weights


@borrowing
def total_of(tables: Tables) -> float:
    total = 0.0
    for at in range(len(tables.weights)):
        total += weighed(tables, at)
    return total + doubled(tables.weights)[0]


@Kernel
def weigh(tables: Tables, out: NDArray[np.float64]) -> int:
    out[0] = total_of(tables)
    n_off = turn_off(tables.numbers.flags, 1)
    out[1] = total_of(tables)
    out[2] = itself(doubled(itself(tables.weights)))[1]
    return n_off


@borrowing
def ratio(numbers: NDArray[np.int64], at: int) -> int:
    return numbers[at] // numbers[at + 1]


@routine
def ratio_or_more(numbers: NDArray[np.int64], at: int) -> int:
    return 1 + ratio(numbers, at)


for each in (ratio, ratio_or_more):  # errors are handed on shortly by those whose names are ours
    each.__module__ = "guiapp.core.kernels.short_calls"


@Kernel
def ratio_of_first(numbers: NDArray[np.int64], n_reserved: int) -> int:
    return ratio_or_more(numbers, 0) + len(np.empty(n_reserved, np.uint8))


@Kernel
def choose(
    small: NDArray[np.uint8], signed: NDArray[np.int64], large: NDArray[np.uint64], out: NDArray[np.int64]
) -> None:
    for at in range(len(small)):
        out[4 * at] = min(small[at], signed[at])
        out[4 * at + 1] = max(int(signed[at]), len(small))
        out[4 * at + 2] = int(max(large[at], np.uint64(7)) >> np.uint64(40))
        out[4 * at + 3] = int(small[at] > signed[at]) + min(at, 2, 1)


def make_tables() -> Tables:
    counts, flags = np.array([1, 60_000, 3], np.uint16), np.array([True, True, False])
    return Tables(Numbers(10, counts, flags), np.array([0.5, 0.25, 100.0]))


def test_tuples_of_arrays_arrive_whole():
    tables, out = make_tables(), np.zeros(3)
    assert weigh(tables, out) == 1
    assert out.tolist() == [5 + 150_000 + 1, 5 + 1, 0.5]
    assert tables.numbers.flags.tolist() == [True, False, False]


def test_nobody_keeps_an_array_that_was_lent():
    tables, out = make_tables(), np.zeros(3)
    weigh(tables, out)
    lent = [tables.weights, tables.numbers.counts, tables.numbers.flags, out]
    before = [sys.getrefcount(each) for each in lent]
    for _ in range(20):
        weigh(tables, out)
    assert [sys.getrefcount(each) for each in lent] == before


def last_of_differences(numbers: NDArray[np.int64]) -> int:
    return np.diff(numbers)[len(numbers) - 2] + _last(numbers)


def _last(numbers):
    raise NotImplementedError  # stands for a function of numba's


def test_functions_of_numbas_still_count_from_the_end():
    import numba

    weigh.load()
    numba.extending.overload(_last)(lambda numbers: lambda numbers: numbers[-1])
    compiled = numba.njit(**kernel_options(numba))(last_of_differences)
    assert compiled(np.array([1, 5, 12])) == 7 + 12


def test_what_goes_wrong_in_a_routine_reaches_python():
    assert ratio_of_first(np.array([7, 2]), 4) == 8
    with pytest.raises(ZeroDivisionError):
        ratio_of_first(np.array([7, 0]), 4)
    with pytest.raises(ValueError, match="negative dimensions"):
        ratio_of_first(np.array([7, 2]), -1)


def test_the_smaller_and_the_larger_number():
    small, signed = np.array([0, 255, 9], np.uint8), np.array([-5, 300, 9])
    large, out = np.array([0, 2**64 - 1, 2**63], np.uint64), np.zeros(12, np.int64)
    choose(small, signed, large, out)
    assert out.tolist() == [-5, 3, 0, 1, 255, 300, 2**24 - 1, 1, 9, 9, 2**23, 1]


@pytest.mark.parametrize(
    ("dtype", "index"),
    [
        *((each, "int64") for each in [*WHOLE, "float32", "float64", "bool"]),
        *(("int32", each) for each in WHOLE),
    ],
)
def test_items_are_read_and_written(dtype, index):
    import numba

    weigh.load()  # which tells numba how to compile
    compiled = numba.njit(**kernel_options(numba))(_move)
    given = np.arange(250, 260).astype(dtype)
    numbers = given.copy()
    compiled(numbers, np.array([3, 0], index))
    assert numbers.tolist() == [given[0], *given[1:3], given[0], *given[4:]]


def _move(numbers, places):
    numbers[places[0]] = numbers[places[1]]


def test_ours_are_spared_the_long_form_and_others_are_not(monkeypatch):
    import numba
    from numba.np import arrayobj

    weigh.load()
    usual, asked = arrayobj.basic_indexing, []
    monkeypatch.setattr(
        arrayobj, "basic_indexing", lambda *given, **more: asked.append(1) or usual(*given, **more)
    )
    kinds = argument_types(choose.function)
    numba.njit(**kernel_options(numba))(choose.function).compile(kinds)
    assert not asked
    numba.njit(choose.function).compile(kinds)
    assert len(asked) == 6 + 4  # items read and written


def test_functions_of_others_work_beside_ours():
    import numba

    weigh.load()
    ratio_of_first.load()

    @numba.njit
    def sums(numbers, n_made):
        made = np.zeros(n_made, np.uint8)
        made[-1] = int(numbers[0] / 2)
        try:
            return made, numbers, numbers[1] // numbers[0] + min(numbers[0], 3.5)
        except Exception:
            return made, numbers, -1.0

    numbers = np.array([6, 13])
    made, same, total = sums(numbers, 3)
    assert (made.tolist(), total) == ([0, 0, 3], 5.5)
    assert same is numbers
    assert sums(np.array([0, 1]), 1)[2] == -1
