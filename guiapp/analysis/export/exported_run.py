"""A run, or a part of it, for elsewhere: as JSON, a drawing (SVG), a page that steps (HTML)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.drawing import HEAD_PX, document
from guiapp.analysis.export.json_text import json_text
from guiapp.analysis.export.page import PageStep, page, section
from guiapp.core.sources.files import replacement

ENDINGS = (".json", ".svg", ".html")
ALL = "All"
N_SAMPLED = 50  # steps, to estimate a size from
CHUNKS_PER_REPORT = 1000
PARTIAL = ".part"  # behind the name of a file that is being written


class ExportedRun(ABC):
    """The steps of a run, and the place in it that is shown.

    row_px  how high a step is in a drawing
    """

    row_px: int

    @property
    def model(self) -> tuple[str, str]:
        """The model file that the run is told with, and its pre-tokenizer; "" where it needs none."""
        return "", ""

    @property
    def spelling(self) -> Spelling:
        """How tokens are written."""
        return Spelling.SIGNS

    @property
    @abstractmethod
    def steps(self) -> range:
        """The numbers of all steps."""

    @abstractmethod
    def step_record(self) -> dict[str, object]:
        """The place as `step --json` or `train --steps` have it."""

    @abstractmethod
    def choices(self, ending: str) -> dict[str, range]:
        """The parts that can be saved in a format, by title; ALL is the first."""

    @abstractmethod
    def record_head(self) -> dict[str, object]:
        """All but the steps."""

    @abstractmethod
    def record(self, step: int) -> dict[str, object]: ...

    @abstractmethod
    def drawn(self, steps: range) -> list[int]:
        """Those of some steps that a drawing shows, at least one if there are any."""

    @abstractmethod
    def drawing_head(self) -> str: ...

    @abstractmethod
    def drawing_row(self, step: int, top: int) -> tuple[str, float]:
        """A step, and how far to the right that reaches."""

    @abstractmethod
    def page_head(self) -> tuple[str, str]:
        """Title and summary of a page."""

    @abstractmethod
    def page_places(self, steps: range) -> range:
        """The states that a page of some steps shows."""

    @abstractmethod
    def page_step(self, place: int) -> PageStep:
        """A state, and what happens then."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Keep it for another process."""

    def step_json(self) -> str:
        return json_text(self.step_record(), indent=2)

    def chunks(self, ending: str, steps: range) -> Iterator[str]:
        """A file of some steps, about one chunk for each; `ending` is one of ENDINGS."""
        return {".json": self._json, ".svg": self._svg, ".html": self._html}[ending](steps)

    def _json(self, steps: range) -> Iterator[str]:
        yield json_text({**self.record_head(), "steps": []}).removesuffix("]}")
        for step in steps:
            yield ("" if step == steps.start else ",\n") + self._json_row(step)
        yield "]}\n"

    def _json_row(self, step: int) -> str:
        return json_text(self.record(step))

    def _svg(self, steps: range) -> Iterator[str]:
        rows = enumerate(self.drawn(steps))
        drawn = (self.drawing_row(step, HEAD_PX + number * self.row_px) for number, step in rows)
        return document(drawn, self.row_px, self.drawing_head())

    def _html(self, steps: range) -> Iterator[str]:
        return page(*self.page_head(), map(self.page_step, self.page_places(steps)))

    def estimated_bytes(self, ending: str) -> int:
        """About how large the file of all steps will be, from some of them."""
        told = np.array(self.drawn(self.steps) if ending == ".svg" else self.steps)
        if ending not in ENDINGS or not len(told):
            return 0
        row: Callable[[int], str] = {
            ".json": self._json_row,
            ".svg": lambda step: self.drawing_row(step, step)[0],
            ".html": lambda step: section(self.page_step(step)),
        }[ending]
        sampled = told[np.linspace(0, len(told) - 1, min(len(told), N_SAMPLED)).astype(int)].tolist()
        return sum(len(row(step).encode()) for step in sampled) * len(told) // len(sampled)

    def write(
        self,
        path: Path,
        progress: Callable[[float], None] = lambda share: None,
        steps: range | None = None,
    ) -> None:
        """Write all steps, or some, as the ending of the file says; raises OSError."""
        written = self.steps if steps is None else steps
        write_chunks(self.chunks(path.suffix.lower(), written), path, len(written), progress)


def write_chunks(
    chunks: Iterator[str], path: Path, n_chunks: int, progress: Callable[[float], None] = lambda share: None
) -> None:
    """Write a file that is there when it is whole; `n_chunks` is about how many there are."""
    with replacement(path, written_at=partial_of(path)) as new, new.open("w", encoding="utf-8") as file:
        for number, chunk in enumerate(chunks):
            file.write(chunk)
            if number % CHUNKS_PER_REPORT == 0:
                progress(min(1.0, number / max(1, n_chunks)))


def partial_of(path: Path) -> Path:
    """Where a file is written before it is whole."""
    path = path.resolve()
    return path.with_name(path.name + PARTIAL)
