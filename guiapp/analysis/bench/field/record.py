"""The results of comparing all libraries: the JSON object from which the page is made, and the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from guiapp.analysis.bench.field.exactness import DISPUTED, EQUAL, LEFT_OUT, LOST, STATES, WRONG, Judgement
from guiapp.analysis.bench.findings import leaders
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.bench.run_results import BenchResult, BenchRun, Record, run_of
from guiapp.analysis.bench.wording import speed_text
from guiapp.analysis.export.tables import file_text
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.catalogue import TOKENLOUPE
from guiapp.core.sources.files import read_input
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.outside_json import read_as, read_json

KIND = "tokenloupe field 1"


def title_of(contender: str) -> str:
    """The displayed name of a contender."""
    return contender if contender in PEERS else TOKENLOUPE


@dataclass(frozen=True)
class UsedText:
    """A text that was timed.  `corpus` is its name in results."""

    title: str
    corpus: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class VocabularyField:
    """All results with one vocabulary.

    file         the name without its folder
    is_detailed  whether more than throughput was measured
    openings     by contender, for each opening: seconds of building it, and of its first call
    run          the benchmark's record; None if no contender takes part
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

    @cached_property
    def measured(self) -> BenchRun:
        """The run of the record, validated; raises ValueError."""
        return BenchRun() if self.run is None else run_of(self.run)

    def judgement(self, title: str) -> Judgement | None:
        return next((each for each in self.verdicts if title_of(each.contender) == title), None)

    def results(self, title: str, scenario: str) -> list[BenchResult]:
        """The results of a contender in a scenario, the smallest size first."""
        rows = [row for row in self.measured.finished if row.scenario == scenario]
        mine = [row for row in rows if title_of(row.contender) == title]
        return sorted(mine, key=lambda row: (row.size_bytes, row.threads))

    def row(self, title: str, text: UsedText | None) -> BenchResult | None:
        """The throughput of a contender on a text."""
        if text is None:
            return None
        return next((row for row in self.results(title, "throughput") if row.corpus == text.corpus), None)

    def opening(self, title: str) -> list[float] | list[None]:
        """The median seconds of opening a library, and of its first call; None if not measured."""
        times = next((each for name, each in self.openings.items() if title_of(name) == title), ())
        return list(map(median, zip(*times, strict=True))) if times else [None, None]


class ContenderStanding(NamedTuple):
    """The results of a contender with all vocabularies.

    verdicts  one for each vocabulary, in their order; None if unknown, as after a run was stopped
    speed     MB/s on the first text with the detailed vocabulary; 0 if not measured
    """

    contender: str
    verdicts: tuple[Judgement | None, ...]
    speed: float

    @property
    def version(self) -> str:
        return next((each.version for each in self.verdicts if each is not None and each.version), "")

    @property
    def taken(self) -> list[Judgement]:
        """The verdicts with the vocabularies for which it took part, whatever the outcome."""
        return [each for each in self.verdicts if each is not None and each.state != LEFT_OUT]

    @property
    def is_exact(self) -> bool:
        """Whether its ids are right wherever it took part."""
        return len(self.taken) > 0 and all(each.state == EQUAL for each in self.taken)


class Fastest(NamedTuple):
    """The fastest exact contender with a vocabulary on a text.

    row         its result
    comparable  contenders whose intervals touch its own, which may be as fast
    ratio       how many times as fast as Tokenloupe; None for Tokenloupe, and if that was not measured
    """

    contender: str
    row: BenchResult
    comparable: tuple[str, ...]
    ratio: float | None


@dataclass(frozen=True)
class FieldRun:
    """A run that compares all libraries.

    command      the command that repeats it
    missing      titles of the known vocabularies that were not given
    absent       by contender that is not installed, how to install it
    environment  the machine and versions, as in a benchmark's record
    is_complete  false if it was stopped
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

    @property
    def detailed(self) -> VocabularyField | None:
        """The vocabulary with which all scenarios were measured."""
        return next((each for each in self.vocabularies if each.is_detailed), None)

    @property
    def text(self) -> UsedText | None:
        """The first text, whose speeds order the contenders."""
        return self.texts[0] if self.texts else None

    @cached_property
    def standings(self) -> list[ContenderStanding]:
        """All contenders: exact ones first, those that took part nowhere last; then by speed."""
        names = dict.fromkeys(
            title_of(each.contender) for part in self.vocabularies for each in part.verdicts
        )
        every = [self._standing(title) for title in names]
        return sorted(every, key=lambda each: (not each.taken, not each.is_exact, -each.speed))

    def _standing(self, title: str) -> ContenderStanding:
        row = self.detailed.row(title, self.text) if self.detailed is not None else None
        verdicts = tuple(each.judgement(title) for each in self.vocabularies)
        return ContenderStanding(title, verdicts, 0.0 if row is None else row.mb_per_s)

    def fastest(self, vocabulary: VocabularyField | None, text: UsedText | None) -> Fastest | None:
        """The fastest of the contenders that are exact everywhere; None if none was measured."""
        rows = {}
        for each in self.standings:
            row = None if vocabulary is None else vocabulary.row(each.contender, text)
            if each.is_exact and row is not None and row.exact:
                rows[each.contender] = row
        if not rows:
            return None
        best, *touching = map(title_of, leaders(list(rows.values())))
        ours = None if best == TOKENLOUPE else rows.get(TOKENLOUPE)
        ratio = None if ours is None else ours.median_s / rows[best].median_s
        return Fastest(best, rows[best], tuple(touching), ratio)

    @property
    def headline(self) -> tuple[str, str]:
        """Two sentences: how many contenders are exact, and which of these is the fastest."""
        taking = [each for each in self.standings if each.taken]
        n_exact, n_vocabularies = sum(each.is_exact for each in taking), len(self.vocabularies)
        n_others = len(taking) - n_exact
        with_them = f"{n_vocabularies} vocabularies" if n_vocabularies != 1 else "one vocabulary"
        give = (
            "gives correct ids with all that it supports"
            if n_exact == 1
            else "give correct ids with all that they support"
        )
        do = "does" if n_others == 1 else "do"
        first = f"{counted(len(taking), 'tokenizer')}, {with_them}: {n_exact} {give}, {n_others} {do} not."
        best = self.fastest(self.detailed, self.text)
        if best is None or self.detailed is None or self.text is None:
            return first, "Nothing was timed."
        return first, _fastest_sentence(best, f"on {self.text.title} with {self.detailed.title}")

    @property
    def wrong(self) -> list[tuple[VocabularyField, Judgement]]:
        """All verdicts that are wrong, disputed or lost, by contender in the order of `standings`."""
        order = [each.contender for each in self.standings]
        every = [
            (vocabulary, verdict)
            for vocabulary in self.vocabularies
            for verdict in vocabulary.verdicts
            if verdict.state in (WRONG, DISPUTED, LOST)
        ]
        return sorted(every, key=lambda each: order.index(title_of(each[1].contender)))


def _fastest_sentence(best: Fastest, where: str) -> str:
    speeds = (speed_text(getattr(best.row, key), key) for key in ("tokens_per_s", "mb_per_s"))
    speed = "{} ({})".format(*speeds)
    if best.comparable:
        names = " and ".join((", ".join((best.contender, *best.comparable[:-1])), best.comparable[-1]))
        return f"Fastest exact tokenizers {where}, equal within this run's accuracy: {names}, {speed}."
    than = "" if best.ratio is None else f", {best.ratio:.2g} × as fast as {TOKENLOUPE}"
    return f"The fastest exact tokenizer {where} is {best.contender}: {speed}{than}."


def json_of(field_run: FieldRun) -> str:
    return file_text(field_run.record())


def load_field(path: Path) -> FieldRun:
    """Read a saved record; raises BenchError for anything else."""
    try:
        return _field(read_json(read_input(path)))
    except OSError as error:
        raise BenchError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BenchError(
            f"{path} is not a record that `tokenloupe bench field --json` wrote: {error}."
        ) from error


def _field(record: Any) -> FieldRun:
    """The run of a JSON object, all parts checked like a benchmark's record; raises ValueError."""
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise ValueError(f"it is not of the kind “{KIND}”")
    field_run: FieldRun = read_as(FieldRun, record)
    run_of({"environment": field_run.environment, "results": []})
    for vocabulary in field_run.vocabularies:
        vocabulary.measured  # noqa: B018  # raises if invalid
        for verdict in vocabulary.verdicts:
            if verdict.state not in STATES:
                raise ValueError(f"{verdict.state!r:.40} is not a state of a library")
    return field_run
