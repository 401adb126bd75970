"""Values of JSON become those of a type, or are refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest

from guiapp.core.text.outside_json import MOST, read_as


@dataclass(frozen=True)
class Inner:
    name: str
    kind: Literal["a", "b"] = "a"


@dataclass(frozen=True)
class Outer:
    numbers: tuple[int, ...]
    pair: tuple[float, str]
    inner: Inner | None
    by_name: Mapping[str, tuple[Inner, ...]]
    is_on: bool


RIGHT = {"numbers": [1, 2], "pair": [1, "x"], "inner": None, "by_name": {"k": [{"name": "n", "kind": "b"}]}}


def test_values_of_json_become_those_of_a_type():
    assert read_as(Outer, {**RIGHT, "is_on": True, "more": 1}) == Outer(
        (1, 2), (1, "x"), None, {"k": (Inner("n", "b"),)}, True
    )


@pytest.mark.parametrize(
    "changes",
    [
        *({"numbers": odd} for odd in (1, [1.0], ["1"], [True], [-1], [MOST + 1], {}, None)),
        *({"pair": odd} for odd in ([1], [1, "x", "y"], ["x", 1], [float("nan"), "x"], [10**400, "x"])),
        *({"inner": odd} for odd in ([], {"name": "n"}, {"name": "n", "kind": "c"}, {"name": 1})),
        *({"by_name": odd} for odd in ([], {"k": {}}, {"k": [1]})),
        {"is_on": 1},
    ],
)
def test_what_is_not_of_the_type_is_refused(changes):
    with pytest.raises(ValueError, match=r"is not of the type|has no “kind”|argument"):
        read_as(Outer, {**RIGHT, "is_on": True, **changes})
