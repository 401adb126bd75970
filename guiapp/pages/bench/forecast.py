"""How long the plan of the Bench page will take, from the sizes of its texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.corpus import RANDOM, RANDOM_BYTES, SAMPLE, TUTORIAL, TUTORIAL_LINE, TUTORIAL_TIMES
from guiapp.analysis.bench.plan import Plan, expected_s
from guiapp.core.demo import sample_text
from guiapp.kit.state.background import LatestJob, Working

MOST_FILES = 2_000  # of a folder that are looked at
LONGEST_IN_SECONDS_S = 100
USUAL_BYTES = 100_000  # of a text that nobody knows


class BenchForecast(Working):
    """Looks at texts off the window's thread.

    Signals:
        changed(): more sizes are known.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sizes: dict[str, int] = {}
        self._asked: frozenset[str] = frozenset()  # texts whose sizes are known or being looked up
        self._measuring = LatestJob[dict[str, int]](self, self._take_sizes)

    def seconds(self, plan: Plan, your_bytes: dict[str, int]) -> float:
        """`your_bytes`: sizes of texts that are not on the disk."""
        return expected_s(plan, self._text_bytes(plan.corpora, your_bytes))

    def size_of(self, name: str) -> int | None:
        """The bytes of a text, None while they are looked up."""
        self._request_sizes([name])
        return self._sizes.get(name)

    def _text_bytes(self, names: Sequence[str], your_bytes: dict[str, int]) -> list[int]:
        """As far as they are known by now."""
        self._request_sizes(name for name in names if name not in your_bytes)
        sizes = self._sizes | your_bytes
        return [sizes.get(name, USUAL_BYTES) for name in names]

    def _request_sizes(self, names: Iterable[str]) -> None:
        """Each once."""
        if not (requested := frozenset(names)) <= self._asked:
            self._asked |= requested
            unknown = self._asked - self._sizes.keys()  # also those of a job that this one takes the place of
            self._measuring.start(lambda _: {name: size_of_text(name) for name in unknown})

    def _take_sizes(self, sizes: dict[str, int]) -> None:
        self._sizes |= sizes
        self.changed.emit()


def duration_text(seconds: float) -> str:
    """`12 s`, `2 min 40 s`, `1 h 5 min`: no finer than anybody can know."""
    if seconds < LONGEST_IN_SECONDS_S:
        return f"{max(round(seconds), 1)} s"
    minutes, rest_s = divmod(round(seconds, -1), 60)
    if minutes < 60:
        return f"{minutes:.0f} min {rest_s:.0f} s" if rest_s else f"{minutes:.0f} min"
    return f"{minutes // 60:.0f} h {minutes % 60:.0f} min"


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
