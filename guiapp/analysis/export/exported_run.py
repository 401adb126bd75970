"""Export a run or a part of it: as JSON, as a drawing (SVG), or as a page to step through (HTML)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from guiapp.analysis.explain.spelling import Spelling, without_marks
from guiapp.analysis.export.html import PageStep, page
from guiapp.analysis.export.tables import json_text, n_columns
from guiapp.core.sources.files import replacement
from guiapp.core.text.numbers_in_words import printable

CHARACTER_PX, BOX_PX, GAP_PX, MARGIN_PX = 9, 40, 4, 16
HEAD_PX = 40
NOTE_CHARACTER_PX, HEAD_CHARACTER_PX = 7.5, 9.1
NUMBERS_PX = 84
BAR_ROW_PX, BAR_PX, LONGEST_BAR_PX = 40, 20, 480
FILLS = ("#cfe3fb", "#fbe3b5", "#dcd9fa", "#c5eddd", "#f3d3ec", "#e1efb9")
ENDINGS = (".json", ".svg", ".html")
ALL = "All"
CHUNKS_PER_REPORT = 1000
PARTIAL = ".part"  # suffix of a file that is being written


class ExportedRun(ABC):
    """The steps of a run, and the current position in it.

    row_px  height of a step in a drawing
    """

    row_px: int

    @property
    def model(self) -> tuple[str, str]:
        """The model file that describing the run needs, and its pre-tokenizer; "" if it needs none."""
        return "", ""

    @property
    def spelling(self) -> Spelling:
        """How tokens are spelled."""
        return Spelling.SIGNS

    @property
    @abstractmethod
    def steps(self) -> range:
        """The numbers of all steps."""

    @abstractmethod
    def step_record(self) -> dict[str, object]:
        """The record of the current position, as in `step --json` or `train --steps`."""

    @abstractmethod
    def choices(self, ending: str) -> dict[str, range]:
        """The parts that can be saved in a format, by title; ALL is the first."""

    @abstractmethod
    def record_head(self) -> dict[str, object]:
        """The record of the run without its steps."""

    @abstractmethod
    def record(self, step: int) -> dict[str, object]: ...

    @abstractmethod
    def drawn(self, steps: range) -> list[int]:
        """The steps among `steps` that a drawing shows, at least one if there are any."""

    @abstractmethod
    def drawing_head(self) -> str: ...

    @abstractmethod
    def drawing_row(self, step: int, top: int) -> tuple[str, float]:
        """The SVG of a step, and its right edge."""

    @abstractmethod
    def page_head(self) -> tuple[str, str]:
        """Title and summary of a page."""

    @abstractmethod
    def page_states(self, steps: range) -> range:
        """The states that a page of some steps shows."""

    @abstractmethod
    def page_step(self, n_done: int) -> PageStep:
        """The state after `n_done` steps, and what happens next."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Save the run for another process."""

    def step_json(self) -> str:
        return json_text(self.step_record(), indent=2)

    def chunks(self, ending: str, steps: range) -> Iterator[str]:
        """The content of a file of some steps, about one chunk for each; `ending` is one of ENDINGS."""
        return {".json": self._json, ".svg": self._svg, ".html": self._html}[ending](steps)

    def _json(self, steps: range) -> Iterator[str]:
        yield json_text({**self.record_head(), "steps": []}).removesuffix("]}")
        for step in steps:
            yield ("" if step == steps.start else ",\n") + json_text(self.record(step))
        yield "]}\n"

    def _svg(self, steps: range) -> Iterator[str]:
        rows = enumerate(self.drawn(steps))
        drawn = (self.drawing_row(step, HEAD_PX + number * self.row_px) for number, step in rows)
        return document(drawn, self.row_px, self.drawing_head())

    def _html(self, steps: range) -> Iterator[str]:
        return page(*self.page_head(), map(self.page_step, self.page_states(steps)))

    def write(
        self,
        path: Path,
        progress: Callable[[float], None] = lambda share: None,
        steps: range | None = None,
    ) -> None:
        """Write all or some steps, in the format of the file's suffix; raises OSError."""
        written = self.steps if steps is None else steps
        write_chunks(self.chunks(path.suffix.lower(), written), path, len(written), progress)


def write_chunks(
    chunks: Iterator[str], path: Path, n_chunks: int, progress: Callable[[float], None] = lambda share: None
) -> None:
    """Write a file, which appears only when it is complete; `n_chunks` is the approximate chunk count."""
    with replacement(path, written_at=partial_of(path)) as new, new.open("w", encoding="utf-8") as file:
        for number, chunk in enumerate(chunks):
            file.write(chunk)
            if number % CHUNKS_PER_REPORT == 0:
                progress(min(1.0, number / max(1, n_chunks)))


def partial_of(path: Path) -> Path:
    """The path of a file while it is being written."""
    path = path.resolve()
    return path.with_name(path.name + PARTIAL)


# Runs as drawings (SVG): rows of boxes, each with a sentence below it


def document(rows: Iterable[tuple[str, float]], row_px: int, head: str) -> Iterator[str]:
    """A drawing of rows, given with their right edges; the first chunks are empty, one for each row.

    The file begins with its size, which is known last; until then, the rows are in a temporary file.
    """
    width, n_rows = MARGIN_PX + HEAD_CHARACTER_PX * n_columns(head), 0
    with TemporaryFile("w+", encoding="utf-8") as waiting:
        for row, right in rows:
            waiting.write(row)
            width, n_rows = max(width, right), n_rows + 1
            yield ""
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + MARGIN_PX:.0f}" '
            f'height="{HEAD_PX + row_px * n_rows}" font-family="monospace" font-size="15">\n'
            '<rect width="100%" height="100%" fill="#ffffff"/>\n'
            f'<text x="{MARGIN_PX}" y="26" fill="#1b1f27" font-weight="bold">{escape(head)}</text>\n'
        )
        waiting.seek(0)
        yield from waiting
        yield "</svg>\n"


def row_of(number: int, sentence: str, top: int) -> tuple[list[str], float]:
    """The SVG parts for the number and sentence of a step, and their right edge."""
    words, left = printable(without_marks(sentence)), MARGIN_PX + NUMBERS_PX
    parts = [note(MARGIN_PX, top + 25, f"{number:,}"), note(float(left), top + 58, words)]
    return parts, left + NOTE_CHARACTER_PX * n_columns(words)


def boxes(x: float, top: int, labels: Iterable[tuple[str, bool]]) -> tuple[str, float]:
    """Adjacent boxes, given as labels and whether they are new; and the x of the next box."""
    parts = []
    for tint, (label, is_made) in enumerate(labels):
        width = CHARACTER_PX * max(1, n_columns(label)) + 14
        outline = ' stroke="#2f5fd0" stroke-width="2.5"' if is_made else ""
        fill = f'fill="{FILLS[tint % len(FILLS)]}"{outline}'
        parts.append(f'<rect x="{x}" y="{top}" width="{width}" height="{BOX_PX}" rx="6" {fill}/>')
        parts.append(label_at(x + width / 2, top, label))
        x += width + GAP_PX
    return "".join(parts), x


def label_at(middle: float, top: int, text: str) -> str:
    """The label in a box."""
    return f'<text x="{middle}" y="{top + 25}" text-anchor="middle" fill="#1b1f27">{escape(text)}</text>'


def note(x: float, baseline: int, text: str) -> str:
    """Text next to boxes or below them."""
    return f'<text x="{x}" y="{baseline}" fill="#5a6372" font-size="12">{escape(text)}</text>'


class DrawnBar(NamedTuple):
    """A bar: its name, its length as a share of the longest bar, the text after it, and its fill."""

    name: str
    share: float
    figure: str
    is_marked: bool = False
    tint: int = 0


def bars_svg(head: str, bars: Sequence[DrawnBar]) -> str:
    """A drawing of bars, one below the other."""
    left = MARGIN_PX + NOTE_CHARACTER_PX * max(n_columns(bar.name) for bar in bars) + 12

    def rows() -> Iterator[tuple[str, float]]:
        for row, (name, share, figure, is_marked, tint) in enumerate(bars):
            top, width = HEAD_PX + row * BAR_ROW_PX, LONGEST_BAR_PX * share
            outline = ' stroke="#1b1f27" stroke-width="1.25"' if is_marked else ""
            bar = (
                f'<rect x="{left:.0f}" y="{top}" width="{width:.1f}" height="{BAR_PX}" rx="4" '
                f'fill="{FILLS[tint % len(FILLS)]}"{outline}/>'
            )
            baseline, after = top + BAR_PX - 5, left + width + 8
            yield (
                f"{note(MARGIN_PX, baseline, name)}{bar}{note(after, baseline, figure)}\n",
                after + NOTE_CHARACTER_PX * n_columns(figure),
            )

    return "".join(document(rows(), BAR_ROW_PX, head))
