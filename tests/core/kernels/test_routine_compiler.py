"""Routines are compiled with the kernels that call them."""

import numpy as np
import pytest
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import allocating, borrowing
from guiapp.core.kernels.compile import (
    NEVER_COMPILED,
    Kernel,
    argument_types,
    kernel_options,
    routine,
    routine_options,
)
from guiapp.core.kernels.routine_compiler import DONE_WITHOUT

pytestmark = pytest.mark.skipif(NEVER_COMPILED, reason="kernels are never compiled here")


@routine
def square(number: int) -> int:
    return number * number


@borrowing
def sum_of_squares(numbers: NDArray[np.int64]) -> int:
    total = 0
    for number in numbers:
        total += square(number)
    return total


@allocating
def sum_of_first_squares(n_numbers: int) -> int:
    return sum_of_squares(np.arange(n_numbers))


def sums(numbers: NDArray[np.int64], n_numbers: int) -> int:
    return sum_of_squares(numbers) + sum_of_first_squares(n_numbers) + square(n_numbers)


@routine
def cube(number: int) -> int:
    return number**3


@borrowing
def sum_of_cubes(numbers: NDArray[np.int64]) -> int:
    total = 0
    for number in numbers:
        total += cube(number)
    return total


@allocating
def sum_of_first_cubes(n_numbers: int) -> int:
    return sum_of_cubes(np.arange(n_numbers))


def sums_of_cubes(numbers: NDArray[np.int64], n_numbers: int) -> int:
    return sum_of_cubes(numbers) + sum_of_first_cubes(n_numbers) + cube(n_numbers)


add_sums = Kernel(sums)


def test_routines_that_call_routines_give_what_python_gives():
    numbers = np.array([1, 2, 3])
    assert add_sums(numbers, 4) == (1 + 4 + 9) + (0 + 1 + 4 + 9) + 16


@pytest.mark.parametrize(("version", "is_known"), [("0.68.1", True), ("0.61.2", False), ("1.0.0", False)])
def test_only_a_known_numba_is_told_how_to_compile(monkeypatch, version, is_known):
    import numba

    monkeypatch.setattr(numba, "__version__", version)
    assert ("pipeline_class" in routine_options(numba)) is is_known
    assert ("pipeline_class" in kernel_options(numba)) is is_known


def test_numba_has_the_passes_that_ours_are_spared():
    import numba

    core = numba.core
    state = core.compiler.StateDict(func_ir=None, flags=core.compiler.Flags())
    usual = core.compiler.DefaultPassBuilder.define_nopython_pipeline(state).passes
    assert {each.__name__ for each, _ in usual} >= DONE_WITHOUT


def test_a_kernel_is_optimised_once(monkeypatch):
    import numba

    add_sums.load()  # which tells numba of the routines
    library, optimised = numba.core.codegen.CPUCodeLibrary, []
    for stage in ("_optimize_functions", "_optimize_final_module"):
        usual = getattr(library, stage)

        def optimise_and_note(self, *given, usual=usual):
            optimised.append(self.name)
            return usual(self, *given)

        monkeypatch.setattr(library, stage, optimise_and_note)
    compiled = numba.njit(**kernel_options(numba))(sums)
    compiled.compile(argument_types(sums))
    assert compiled(np.array([1, 2, 3]), 4) == (1 + 4 + 9) + (0 + 1 + 4 + 9) + 16
    assert not [name for name in optimised if "sum" in name or "square" in name]


def test_a_routine_leaves_no_code_of_its_own_behind():
    import numba

    add_sums.load()  # which tells numba of the routines
    compiled = numba.njit(sums)  # what comes from the disk cache does not tell its functions
    compiled.compile(argument_types(sums))
    library = compiled.overloads[compiled.signatures[0]].library
    engine = library.codegen._engine
    names = [function.name for function in library.get_defined_functions()]
    assert engine.is_symbol_defined(next(name for name in names if "sums" in name))
    assert not any(engine.is_symbol_defined(name) for name in names if "sum_of" in name)


def test_a_routine_is_compiled_once_for_callers_of_all_kinds(monkeypatch):
    import numba

    add_sums.load()
    compiler, names = numba.core.compiler.CompilerBase, []
    compile_usually = compiler.compile_extra

    def compile_and_note(self, function):
        names.append(function.__name__)
        return compile_usually(self, function)

    monkeypatch.setattr(compiler, "compile_extra", compile_and_note)
    numba.njit(sums_of_cubes).compile(argument_types(sums_of_cubes))
    assert sorted(name for name in names if name in {"cube", "sum_of_cubes", "sum_of_first_cubes"}) == [
        "cube",  # for those who count references
        "cube",
        "sum_of_cubes",
        "sum_of_first_cubes",
    ]


def element(numbers: NDArray[np.int64], at: int) -> int:
    return int(numbers[at])


def test_only_functions_of_ours_take_indices_as_they_are(monkeypatch):
    import numba

    add_sums.load()
    behind = np.arange(10)[6:]
    assert numba.njit(element)(behind, -1) == 9
    monkeypatch.setattr(element, "__module__", "guiapp.core.kernels.made_up")
    assert numba.njit(element)(behind, -1) == 5
