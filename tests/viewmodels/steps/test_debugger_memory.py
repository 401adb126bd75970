"""What the debugger keeps from one session to the next."""

from __future__ import annotations

import pytest

from guiapp.core.trace.breakpoints import parse_breakpoint
from guiapp.core.trace.debugger import Granularity
from guiapp.viewmodels.steps.debugger_memory import Remembered, recall


def test_all_comes_back():
    rows = (parse_breakpoint("token 99999999"), parse_breakpoint("rank < 100 once"))
    kept = Remembered(rows, ("end - position",), Granularity.PIECE)
    assert recall(kept.to_json()) == kept


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"breakpoints": [{"kind": "fly"}]}', '{"watches": ["1 +"]}']
)
def test_spoiled_memory_counts_as_none(text):
    assert recall(text) == Remembered()
