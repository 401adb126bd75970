"""What a run of the field found, as values, and as the JSON object that the page can be made from again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from guiapp.analysis.bench.field.exactness import STATES, Judgement
from guiapp.analysis.bench.history import problem_with
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.export.tables import file_text
from guiapp.core.system.input_files import read_input
from guiapp.core.system.outside_json import read_as, read_json

KIND = "tokenloupe field 1"


@dataclass(frozen=True)
class UsedText:
    """A text that was timed.  `corpus` is what results call it."""

    title: str
    corpus: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class VocabularyField:
    """All that was found with one vocabulary.

    file         the name alone
    is_detailed  whether more than throughput was measured
    openings     by contender, each time: seconds of building it, and of its first call
    run          the benchmark's record; None where nobody took the vocabulary
    """

    name: str
    title: str
    about: str
    file: str
    sha256: str
    n_tokens: int
    is_detailed: bool
    verdicts: tuple[Judgement, ...]
    openings: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    run: Record | None = None

    def results(self, contender: str, scenario: str) -> list[Record]:
        """What was measured of somebody, the smallest first."""
        rows = self.run["results"] if self.run is not None else []
        mine = [row for row in rows if row["contender"] == contender and row["scenario"] == scenario]
        return sorted(mine, key=lambda row: (row["size_bytes"], row["threads"]))


@dataclass(frozen=True)
class FieldRun:
    """A run of the field.

    command      what repeats it
    missing      titles of the field's vocabularies that were not given
    absent       how to install the contenders that are not
    environment  the machine and versions, as a benchmark tells them
    is_complete  false where it was stopped
    """

    command: str
    environment: Record
    texts: tuple[UsedText, ...]
    vocabularies: tuple[VocabularyField, ...]
    missing: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    is_complete: bool = True

    def record(self) -> Record:
        return {"kind": KIND, **asdict(self)}


def json_of(field_run: FieldRun) -> str:
    return file_text(field_run.record())


def load_field(path: Path) -> FieldRun:
    """A record that was written; raises BenchError for anything else."""
    try:
        return _field(read_json(read_input(path)))
    except OSError as error:
        raise BenchError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BenchError(f"{path} is not a record of `tokenloupe bench field --json`: {error}.") from error


def _field(record: Any) -> FieldRun:
    """Its runs and environment are checked by the rules of a benchmark's record."""
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise ValueError(f"it is not of the kind “{KIND}”")
    field_run: FieldRun = read_as(FieldRun, record)
    runs = [each.run for each in field_run.vocabularies if each.run is not None]
    for run in ({"environment": field_run.environment, "results": []}, *runs):
        if problem := problem_with(run):
            raise ValueError(problem)
    for verdict in (verdict for each in field_run.vocabularies for verdict in each.verdicts):
        if verdict.state not in STATES:
            raise ValueError(f"{verdict.state!r:.40} is no state of a contender")
    return field_run
