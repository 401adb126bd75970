"""Loading kernels costs the window no more than it must."""

from __future__ import annotations

import pytest

from guiapp.core.kernels.compile import is_interpreted
from guiapp.core.kernels.compiled import leave_out_extensions


@pytest.mark.skipif(is_interpreted(), reason="nothing is compiled")
def test_numba_asks_no_package_to_extend_it(monkeypatch):
    from numba.core import entrypoints

    asked = []
    monkeypatch.setattr(entrypoints, "_already_initialized", False)
    monkeypatch.setattr(entrypoints.importlib_metadata, "entry_points", lambda: asked.append(True) or {})
    leave_out_extensions()
    entrypoints.init_all()
    assert not asked
