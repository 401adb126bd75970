"""The word about compiling: once, only where it is done, and only where it takes long."""

from __future__ import annotations

import numba
import numba.core.event as events
import pytest

from guiapp.commands import compiling
from guiapp.commands.compiling import tell_of_compiling


@pytest.fixture(autouse=True)
def other_listeners():
    """No listener stays."""
    with events.install_recorder("numba:compile"):
        before = list(events._registered["numba:compile"])
        yield
        events._registered["numba:compile"][:] = before


def compile_something():
    numba.njit(lambda number: number + 1)(1)


@pytest.mark.parametrize(("patience_s", "n_lines"), [(-1.0, 1), (1000.0, 0)])
def test_it_is_told_once_and_only_if_it_takes_long(monkeypatch, capsys, patience_s, n_lines):
    monkeypatch.setattr(compiling, "PATIENCE_S", patience_s)
    tell_of_compiling(numba)
    compile_something()
    compile_something()
    assert capsys.readouterr().err.count("Compiling the encoder") == n_lines
