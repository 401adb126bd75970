"""Compiling with less to do gives the same code."""

import re
import subprocess
import sys

import pytest

from guiapp.core.kernels.compile import NEVER_COMPILED, Kernel, routine

pytestmark = pytest.mark.skipif(NEVER_COMPILED, reason="kernels are never compiled here")

PRINT_CODE = """
import sys
from guiapp.core.kernels import compile
if sys.argv[1] == "usual":
    compile.shorten_front_end = lambda numba: None
from guiapp.core.kernels.derivations import derive
from guiapp.core.kernels.utf8 import plain_prefix
for kernel in (derive, plain_prefix):
    kernel.load()
    print(*kernel.dispatcher.inspect_asm().values())
"""
LABEL = re.compile(r"\.L\w+")


@pytest.fixture
def code_of(monkeypatch, tmp_path):
    """The machine code of two kernels, one of them over tuples of arrays."""

    def run(way: str) -> str:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / way))
        command = [sys.executable, "-c", PRINT_CODE, way]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
        return LABEL.sub("label", done.stdout)

    return run


def test_the_machine_code_is_the_same(code_of):
    shortened = code_of("shortened")
    assert "ret" in shortened
    assert shortened == code_of("usual")


@routine
def add_text(number: int) -> int:
    return number + "text"  # type: ignore[operator, no-any-return]


def add_nonsense(number: int) -> int:
    return add_text(number)


def test_what_cannot_be_compiled_is_still_told():
    import numba.core.errors

    with pytest.raises(numba.core.errors.TypingError, match=r"add.*int64.*(text|unicode)"):
        Kernel(add_nonsense).load()


def test_variables_of_a_statement_are_found_in_all_it_holds():
    from guiapp.core.kernels.compile import _numba

    ir = _numba().core.ir
    place = ir.Loc("somewhere", 1)
    scope = ir.Scope(None, place)
    a, b, c, d = (scope.define(name, place) for name in "abcd")
    call = ir.Expr.call(a, [b, c], [("key", d)], place)
    assert call.list_vars() == [a, b, c, d]
    assert ir.Assign(call, a, place).list_vars() == [a, b, c, d, a]
    assert ir.Assign(ir.Const(1, place), b, place).list_vars() == [b]
    assert ir.Jump(3, place).list_vars() == []
