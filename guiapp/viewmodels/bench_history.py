"""The runs of the Bench page that are kept, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from guiapp.core.bench.history import Change, compare_runs, load_run, save_run
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.plan import BenchError

RUNS = "runs"  # the folder beside the settings
SUFFIX = ".json"
MOST_LISTED = 20


@dataclass(frozen=True)
class SavedRun:
    """A run on disk; its title says when it began and of which model."""

    path: Path
    title: str


class RunHistory:
    """A folder of runs, named by their beginning."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, record: Record) -> None:
        """Keep a run; raises BenchError where the disk does not take it."""
        started = record["environment"]["started"].replace(":", "").replace("+", "-")
        model = Path(record["vocabulary"]["path"]).stem
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BenchError(f"{self._folder} cannot be made: {error.strerror}.") from error
        save_run(self._folder / f"{started} {model}{SUFFIX}", record)

    def runs(self) -> list[SavedRun]:
        """The newest runs."""
        paths = sorted(self._folder.glob(f"*{SUFFIX}"), reverse=True)[:MOST_LISTED]
        return [SavedRun(path, path.stem) for path in paths]

    def changes(self, record: Record) -> list[Change]:
        """What is surely faster or slower than in the newest kept run of the same vocabulary."""
        for run in self.runs():
            try:
                old = load_run(run.path)
            except BenchError:  # somebody else's file
                continue
            if old.get("vocabulary", {}).get("sha256") == record["vocabulary"]["sha256"]:
                return [change for change in compare_runs(old, record) if change.verdict != "same"]
        return []
