"""A training so far, for elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.drawing import (
    GAP_PX,
    MARGIN_PX,
    NOTE_CHARACTER_PX,
    NUMBERS_PX,
    box,
    label_at,
    n_columns,
    note,
    printable,
)
from guiapp.analysis.export.exported_run import ALL, ExportedRun
from guiapp.analysis.export.page import PagePair, PageStep
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.steps import MergeStep
from guiapp.core.sources.files import replace_file
from guiapp.core.text.figures import counted

MOST_WORDS = 8  # told of each step
WORD_GAP_PX = 22
MOST_PAGE_WORDS = 30
MOST_PAGE_PAIRS = 10


class TrainingRun(ExportedRun):
    """The steps of a training, and how many of them are taken where it is shown; 0 is the start."""

    row_px = 84

    def __init__(self, record: TrainingRecord, position: int = 0) -> None:
        self._record = record
        self._position = position

    @property
    def spelling(self) -> Spelling:
        return self._record.values.symbols.spelling

    @property
    def steps(self) -> range:
        return range(1, self._record.n_steps + 1)

    def step_record(self) -> dict[str, object]:
        return self.record(self._position) if self._position else self.record_head()

    def choices(self, ending: str) -> dict[str, range]:
        place = range(self._position, self._position + 1) if self._position else range(0)
        parts = {ALL: self.steps, "This step": place}
        return {title: steps for title, steps in parts.items() if len(steps)}

    def record_head(self) -> dict[str, object]:
        return asdict(self._record.start) | {"n_steps": self._record.n_steps}

    def record(self, step: int) -> dict[str, object]:
        record, description = self._record, self._record.step(step)
        operation = record.values.description("operation", step - 1)
        row = {"index": step, "operation": operation, "size": record.n_tokens(step)}
        return row | asdict(description) | {"sentence": record.sentence(step)}

    def drawn(self, steps: range) -> list[int]:
        return list(steps)

    def drawing_head(self) -> str:
        record = self._record
        size = counted(record.n_tokens(record.n_steps), "token")
        return (
            f"Training of {record.start.algorithm}: {counted(record.n_steps, 'step')}, a vocabulary of {size}"
        )

    def drawing_row(self, step: int, top: int) -> tuple[str, float]:
        """The words that a step cuts anew, what it made outlined, and what happened."""
        description = self._record.step(step)
        made = description.left + description.right if isinstance(description, MergeStep) else ""
        left = x = float(MARGIN_PX + NUMBERS_PX)
        sentence = printable(self._record.sentence(step))
        parts = [note(MARGIN_PX, top + 25, f"{step:,}"), note(left, top + 58, sentence)]
        for _, cut in description.recuts[:MOST_WORDS]:
            for tint, symbol in enumerate(cut):
                drawn, width = box(x, top, self._record.write(symbol), tint, symbol == made)
                parts.append(drawn)
                x += width + GAP_PX
            x += WORD_GAP_PX
        if len(description.recuts) > MOST_WORDS:
            parts.append(label_at(x, top, "…"))
        return "".join(parts) + "\n", max(x, left + NOTE_CHARACTER_PX * n_columns(sentence))

    def page_head(self) -> tuple[str, str]:
        head, _, size = self.drawing_head().partition(": ")
        return head, f"{size}."

    def page_places(self, steps: range) -> range:
        """The start, and the state after each step."""
        return range(steps.start - (steps.start == 1), steps.stop)

    def page_step(self, place: int) -> PageStep:
        """The state after so many steps, what led to it, and what competes for the next one."""
        record = self._record
        description = record.step(place) if place else None
        made = description.left + description.right if isinstance(description, MergeStep) else ""
        rows = tuple(
            tuple((record.write(symbol), symbol == made) for symbol in cut)
            for cut, _, _ in record.words(place)[:MOST_PAGE_WORDS]
        )
        size = counted(record.n_tokens(place), "token")
        at = f"Step {place:,} of {record.n_steps:,} · {size} in the vocabulary"
        following = record.step(place + 1) if place < record.n_steps else None
        pairs = self._pairs(following) if isinstance(following, MergeStep) else ()
        sentence = (
            record.sentence(place)
            if description
            else "The start: each word is cut into the smallest symbols."
        )
        return PageStep(at, rows=rows, sentence=sentence, pairs=pairs, pairs_title="Pairs, and their worth")

    def save(self, path: Path) -> None:
        replace_file(path, b"\n".join(self._record.lines()), is_private=True)

    def _pairs(self, merge: MergeStep) -> tuple[PagePair, ...]:
        """What competes, the one that is learned first."""
        best = [((merge.left, merge.right), merge.worth), *((pair, merge.worth) for pair in merge.ties)]
        found = [*best, *merge.rivals][:MOST_PAGE_PAIRS]
        return tuple(
            PagePair(" + ".join(map(self._record.write, pair)), f"{worth:,.4g}", number == 0)
            for number, (pair, worth) in enumerate(found)
        )
