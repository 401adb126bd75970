"""Why tokens are there, as JSON records and as lines: what `why` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from guiapp.analysis.explain.code_marks import without_marks
from guiapp.analysis.explain.why.told import Line, RankedPair, TokenWhy

TITLE_COLUMNS = 19


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


def _line_record(line: Line) -> dict[str, object]:
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
