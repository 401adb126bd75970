"""How long the plan of the Bench page will take: from its texts' sizes and what kept runs took."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.bench.corpus import RANDOM, RANDOM_BYTES, SAMPLE, TUTORIAL, TUTORIAL_LINE, TUTORIAL_TIMES
from guiapp.core.bench.estimate import Duration, expected, weights_of
from guiapp.core.bench.forecast import NOTHING_KNOWN, Known
from guiapp.core.bench.plan import Plan
from guiapp.core.demo import sample_text
from guiapp.viewmodels.background import LatestJob
from guiapp.viewmodels.bench.history import RunHistory

MOST_FILES = 2_000  # of a folder that are looked at
USUAL_BYTES = 100_000  # of a text that nobody knows


class BenchForecast(QObject):
    """Looks kept runs through for the vocabulary that is open, off the window's thread.

    Signals:
        changed(): more is known.
    """

    changed = Signal()

    def __init__(self, history: RunHistory | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._known = NOTHING_KNOWN
        self._sizes: dict[str, int] = {}
        self._job = LatestJob[Known](self)
        self._job.done.connect(self._take)

    def look_through(self, vocabulary_path: str) -> None:
        """Go by the runs of this vocabulary from now on."""
        if (history := self._history) is not None:
            self._job.start(lambda _: Known.of(history.runs_of(vocabulary_path)))

    def duration(self, plan: Plan, your_bytes: dict[str, int]) -> Duration:
        """`your_bytes`: sizes of texts that are not on the disk."""
        return expected(plan, self._text_bytes(plan.corpora, your_bytes), self._known)

    def weights_s(self, plan: Plan, your_bytes: dict[str, int]) -> list[float]:
        """What each cell is expected to take."""
        return weights_of(plan, self._text_bytes(plan.corpora, your_bytes), self._known)

    def close(self) -> None:
        self._job.wait()

    def _text_bytes(self, names: Sequence[str], your_bytes: dict[str, int]) -> list[int]:
        return [your_bytes[name] if name in your_bytes else self._size_of(name) for name in names]

    def _size_of(self, name: str) -> int:
        """Looked up once."""
        if name not in self._sizes:
            self._sizes[name] = size_of_text(name)
        return self._sizes[name]

    def _take(self, known: Known) -> None:
        self._known = known
        self.changed.emit()


def size_of_text(name: str) -> int:
    """The bytes of a text of a plan; of large folders those of some files, of what is not there a guess."""
    if name == RANDOM:
        return RANDOM_BYTES
    if name == TUTORIAL:
        return len(TUTORIAL_LINE.encode()) * TUTORIAL_TIMES
    if name.startswith(SAMPLE):
        return len(sample_text(name.removeprefix(SAMPLE)))
    path = Path(name)
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sum(file.stat().st_size for file in islice(path.rglob("*"), MOST_FILES) if file.is_file())
    except OSError:
        return USUAL_BYTES
