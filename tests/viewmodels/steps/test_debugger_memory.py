"""What the debugger keeps from one session to the next."""

import pytest

from guiapp.viewmodels.steps.debugger_memory import Remembered, recall


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"breakpoints": [{"kind": "fly"}]}', '{"watches": ["1 +"]}']
)
def test_spoiled_memory_counts_as_none(text):
    assert recall(text) == Remembered()
