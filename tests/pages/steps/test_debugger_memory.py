"""What the debugger keeps from one session to the next."""

import json
from dataclasses import replace

import pytest

from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import Granularity
from guiapp.analysis.train.breakpoints import TRAINING_DIALECT
from guiapp.pages.steps.model import Remembered, recall


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"breakpoints": [{"kind": "fly"}]}', '{"watches": ["1 +"]}']
)
def test_spoiled_memory_counts_as_none(text):
    assert recall(text) == Remembered()


def test_all_of_it_comes_back():
    remembered = Remembered(
        (parse_breakpoint("token 3 hit 2"), replace(parse_breakpoint("rank < 9 once"), is_enabled=False)),
        ("end - position", "rank"),
        Granularity.PIECE,
        (parse_breakpoint("count > 3", TRAINING_DIALECT),),
    )
    assert recall(remembered.to_json()) == remembered
    assert recall(Remembered().to_json()) == recall("{}") == Remembered((), (), Granularity.DECISION, ())


@pytest.mark.parametrize("name", ["breakpoints", "watches", "granularity", "training"])
def test_what_is_missing_is_as_at_the_first_start(name):
    state = json.loads(Remembered((parse_breakpoint("token 3"),), ("rank",), Granularity.PIECE).to_json())
    del state[name]
    assert getattr(recall(json.dumps(state)), name) == getattr(Remembered(), name)


@pytest.mark.parametrize(
    "changes",
    [
        {"granularity": "huge"},
        {"watches": ["rank", "1 +"]},
        {"watches": 7},
        {"breakpoints": [{"kind": "rank", "value": "<"}]},
        {"breakpoints": [{"kind": "token", "value": "3"}, {"kind": "fly", "value": ""}]},
        {"breakpoints": [{"none": 1}]},
        {"training": [{"kind": "fly", "value": ""}]},
        {"training": [{"kind": "byte", "value": "3"}]},
    ],
)
def test_one_spoiled_part_spoils_all(changes):
    state = json.loads(Remembered((), ("rank",), Granularity.PIECE).to_json())
    assert recall(json.dumps(state | changes)) == Remembered()
