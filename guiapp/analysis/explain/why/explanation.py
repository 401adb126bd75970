"""What is told about one token: stages in order, each in lines that lead to a step of the debugger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from guiapp.analysis.explain.code_marks import without_marks
from guiapp.analysis.trace.trace import START, StepKey

TITLE_COLUMNS = 19


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
class WhyLine:
    """A sentence, with what stands for itself between backticks, and what it weighs.

    worth   the rank of a merge as people read it
    note    what lost, or what else there is to say
    merged  of a merge the pair, and of the candidates the one that lost: see `lost_to`
    """

    text: str
    place: StepKey = START
    worth: str = ""
    note: str = ""
    merged: RankedPair | None = None
    lost: RankedPair | None = None


@dataclass(frozen=True)
class WhyStage:
    """`name` is stable, `title` for people."""

    name: str
    title: str
    lines: tuple[WhyLine, ...]


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
    stages: tuple[WhyStage, ...]

    @property
    def merges(self) -> list[WhyLine]:
        """The lines of its merges, in the order in which they were made."""
        return [line for stage in self.stages for line in stage.lines if line.merged is not None]


# Why tokens are there, as JSON records and as lines: what `why` prints


def why_record(tokens: Iterable[TokenWhy]) -> dict[str, object]:
    """The record of `why --json`; what a line does not have is null."""
    return {"tokens": [_token_record(token) for token in tokens]}


def _token_record(token: TokenWhy) -> dict[str, object]:
    return {
        "index": token.index,
        "id": token.token_id,
        "span": [token.start, token.end],
        "encoder": token.encoder,
        "stages": [
            {"stage": stage.name, "lines": [_line_record(line) for line in stage.lines]}
            for stage in token.stages
        ],
    }


def _line_record(line: WhyLine) -> dict[str, object]:
    place = line.place
    return {
        "text": without_marks(line.text),
        "note": without_marks(line.note) or None,
        "operation": place.operation or None,
        "step_span": [place.start, place.end] if place.operation else None,
        "merged": _pair_record(line.merged),
        "lost": _pair_record(line.lost),
    }


def _pair_record(pair: RankedPair | None) -> dict[str, object] | None:
    if pair is None:
        return None
    rank = int(pair.rank) if pair.rank.is_integer() else pair.rank
    ids = {"left": pair.left, "right": pair.right, "result": pair.result}
    return {**ids, "rank": rank, "span": [pair.start, pair.end]}


def why_lines(token: TokenWhy) -> Iterator[str]:
    """The stages for people, each title before its first line."""
    yield f"token {token.index}, bytes {token.start}–{token.end}"
    for stage in token.stages:
        title = stage.title
        for line in stage.lines:
            worth = f"  rank {line.worth}" if line.worth else ""
            yield f"  {title:{TITLE_COLUMNS}}{without_marks(line.text)}{worth}"
            if line.note:
                yield f"  {'':{TITLE_COLUMNS + 2}}{without_marks(line.note)}"
            title = ""
