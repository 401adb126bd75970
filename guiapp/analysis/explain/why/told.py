"""What is told about one token: stages in order, each in lines that lead to a step of the debugger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from guiapp.analysis.trace.places import START, Place


class RankedPair(NamedTuple):
    """Two neighbours that can become one; bytes are those of the text."""

    left: int
    right: int
    result: int
    rank: float
    start: int
    middle: int
    end: int


@dataclass(frozen=True)
class Line:
    """A sentence, with what stands for itself between backticks, and what it weighs.

    worth   the rank of a merge as people read it
    note    what lost, or what else there is to say
    merged  of a merge the pair, and of the candidates the one that lost: see `lost_to`
    """

    text: str
    place: Place = START
    worth: str = ""
    note: str = ""
    merged: RankedPair | None = None
    lost: RankedPair | None = None


@dataclass(frozen=True)
class Stage:
    """`name` is stable, `title` for people."""

    name: str
    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class TokenWhy:
    """Why one token of a text is there; offsets in bytes of the whole text.

    index    its number among the tokens of the text
    encoder  whose decisions these are
    stages   bytes, partition, normalise, split, encode, token; special tokens have fewer
    """

    index: int
    token_id: int
    start: int
    end: int
    encoder: str
    stages: tuple[Stage, ...]

    @property
    def merges(self) -> list[Line]:
        """The lines of its merges, in the order in which they were made."""
        return [line for stage in self.stages for line in stage.lines if line.merged is not None]
