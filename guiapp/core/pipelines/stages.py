"""What a pipeline does with a fragment, one stage after the other: for those who time or tell the stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

NORMALISE, SPLIT, ENCODE = "normalise", "split", "encode pieces"
NORMALISE_AND_SPLIT = "normalise and split"  # in one pass over the text
SPLIT_AND_ENCODE = "split and encode pieces"


class Stage(NamedTuple):
    """`run` takes what the stage before it gave, the first one the fragment; the last one gives tokens."""

    name: str
    run: Callable[[Any], Any]


Stages = tuple[Stage, ...]
