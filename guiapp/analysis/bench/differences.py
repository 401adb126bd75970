"""The first location in a benchmark's text where a contender's tokens differ from the right ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

from guiapp.analysis.bench.engine import cells_of
from guiapp.analysis.bench.plan import BenchCell, BenchError, Plan
from guiapp.analysis.bench.run_results import BenchResult
from guiapp.core.encode.tokenizer import Tokenizer


@dataclass(frozen=True)
class DifferenceLocation:
    """A text that the contender was given, and the span of the expected token in it."""

    text: bytes
    start: int
    end: int


def first_difference(result: BenchResult, plan: Plan, tokenizer: Tokenizer) -> DifferenceLocation:
    """Where the tokens of a result first differ, in the plan's texts; raises BenchError or CorpusError."""
    difference = result.first_difference
    cells = cells_of(replace(plan, scenarios=(result.scenario,)), tokenizer)
    cell = next((cell for cell in cells if _is_of(result, cell)), None)
    if difference is None or cell is None:
        raise BenchError(f"The text on which {result.contender} differs was not saved.")
    text, start = _text_at(cell, difference.byte_offset)
    expected, vocabulary = difference.expected_id, tokenizer.vocabulary
    length = 1
    if expected is not None and expected < len(vocabulary):  # the file may be untrusted
        length = max(len(vocabulary.token_bytes(expected)), 1)
    return DifferenceLocation(text, start, min(start + length, len(text)))


def _is_of(result: BenchResult, cell: BenchCell) -> bool:
    if result.operation not in cell.operations:
        return False
    return all(getattr(result, name) == getattr(cell, name) for name in ("corpus", "size_bytes", "threads"))


def _text_at(cell: BenchCell, offset: int) -> tuple[bytes, int]:
    """The text of a cell at an offset into all its texts together, and the offset in that text."""
    for text in cell.texts[:-1]:
        if offset < len(text):
            return text, offset
        offset -= len(text)
    return cell.texts[-1], offset
