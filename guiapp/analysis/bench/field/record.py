"""What a run of the field found, as the JSON object that the page is made of, and who stands where in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.analysis.bench.field.exactness import DISPUTED, EQUAL, LEFT_OUT, LOST, STATES, WRONG, Judgement
from guiapp.analysis.bench.history import problem_with
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.bench.wording import leaders, speed_text
from guiapp.analysis.export.tables import file_text
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.sources.files import read_input
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.outside_json import read_as, read_json

OURS = "Tokenloupe"
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


# Who stands where in the field: what the top of the page says, and the order of its rows


class ContenderStanding(NamedTuple):
    """A contender with all vocabularies.

    verdicts  one for each vocabulary, in their order; None where nothing is known, as when a run was stopped
    speed     MB/s of the first text with the detailed vocabulary
    """

    contender: str
    version: str
    verdicts: tuple[Judgement | None, ...]
    speed: float | None

    @property
    def taken(self) -> list[Judgement]:
        """Where it took part, whatever came of it."""
        return [each for each in self.verdicts if each is not None and each.state != LEFT_OUT]

    @property
    def is_exact(self) -> bool:
        """Whether its ids are right wherever it took part."""
        return len(self.taken) > 0 and all(each.state == EQUAL for each in self.taken)


def title_of(contender: str) -> str:
    """What people know a contender by."""
    return contender if contender in PEERS else OURS


def detailed(field_run: FieldRun) -> VocabularyField | None:
    """The vocabulary with which all was measured."""
    return next((each for each in field_run.vocabularies if each.is_detailed), None)


def standings(field_run: FieldRun) -> list[ContenderStanding]:
    """Those whose ids are right first, of these the fastest; behind them those that took part nowhere."""
    names: dict[str, None] = {}  # ours has one name whatever the vocabulary's first encoder is called
    for vocabulary in field_run.vocabularies:
        names.update(dict.fromkeys(title_of(each.contender) for each in vocabulary.verdicts))
    every = [_standing(field_run, title) for title in names]
    return sorted(every, key=lambda each: (not each.taken, not each.is_exact, -(each.speed or 0)))


def _standing(field_run: FieldRun, title: str) -> ContenderStanding:
    verdicts = tuple(judgement_of(each, title) for each in field_run.vocabularies)
    version = next((each.version for each in verdicts if each is not None and each.version), "")
    main, speed = detailed(field_run), None
    if (
        main is not None
        and field_run.texts
        and (row := throughput(main, title, field_run.texts[0])) is not None
    ):
        speed = row["mb_per_s"]
    return ContenderStanding(title, version, verdicts, speed)


def judgement_of(vocabulary: VocabularyField, title: str) -> Judgement | None:
    return next((each for each in vocabulary.verdicts if title_of(each.contender) == title), None)


def throughput(vocabulary: VocabularyField, title: str, text: UsedText) -> Record | None:
    """What was measured of somebody with a text."""
    verdict = judgement_of(vocabulary, title)
    rows = [] if verdict is None else vocabulary.results(verdict.contender, "throughput")
    return next((row for row in rows if row["corpus"] == text.corpus), None)


class Fastest(NamedTuple):
    """Of those whose ids are right with a vocabulary, the fastest with a text.

    row     what was measured of it
    comparable  those whose intervals touch its own, so that nobody knows
    ratio   how many times as fast as ours; None where ours was not measured
    """

    contender: str
    row: Record
    comparable: tuple[str, ...]
    ratio: float | None


def fastest(field_run: FieldRun, vocabulary: VocabularyField, text: UsedText) -> Fastest | None:
    """Of those that are exact everywhere; None where none was measured."""
    rows = {}
    for standing in standings(field_run):
        row = throughput(vocabulary, standing.contender, text)
        if standing.is_exact and row is not None and row["exact"]:
            rows[standing.contender] = row
    if not rows:
        return None
    best, *touching = map(title_of, leaders(list(rows.values())))
    ours = rows.get(OURS)
    ratio = ours["median_s"] / rows[best]["median_s"] if ours is not None else None
    return Fastest(best, rows[best], tuple(touching), ratio)


def headline(field_run: FieldRun) -> tuple[str, str]:
    """How many are right, and who of them is the fastest, as two sentences."""
    taking = [each for each in standings(field_run) if each.taken]
    n_exact, n_vocabularies = sum(each.is_exact for each in taking), len(field_run.vocabularies)
    with_them = f"{n_vocabularies} vocabularies" if n_vocabularies != 1 else "one vocabulary"
    gives = "gives" if n_exact == 1 else "give"
    does = "does" if len(taking) - n_exact == 1 else "do"
    first = (
        f"{counted(len(taking), 'tokenizer')}, {with_them}: {n_exact} {gives} the right ids with all "
        f"{'it takes' if n_exact == 1 else 'they take'}, {len(taking) - n_exact} {does} not."
    )
    main = detailed(field_run)
    best = fastest(field_run, main, field_run.texts[0]) if main is not None and field_run.texts else None
    if main is None or best is None:
        return first, "Nothing was timed."
    return first, _headline_sentence(best, main.title, field_run.texts[0].title)


def _headline_sentence(best: Fastest, vocabulary: str, text: str) -> str:
    place, speeds = f"on {text} with {vocabulary}", ("tokens_per_s", "mb_per_s")
    speed = "{} ({})".format(*(speed_text(best.row[key], key) for key in speeds))
    speed = speed.replace("\N{NO-BREAK SPACE}", " ")  # the page would show it as an escape
    if best.comparable:
        names = " and ".join((", ".join((best.contender, *best.comparable[:-1])), best.comparable[-1]))
        return f"The fastest exact {place}, as far as this run can tell: {names}, {speed}."
    than = ""
    if best.ratio is not None and best.contender != OURS:
        than = f", {best.ratio:.2g} × as fast as {OURS}"
    return f"The fastest exact one {place} is {best.contender}: {speed}{than}."


def wrong_ones(field_run: FieldRun) -> list[tuple[VocabularyField, Judgement]]:
    """All that are wrong, disputed or lost, by contender in the order of the rows."""
    order: Sequence[str] = [each.contender for each in standings(field_run)]
    every = [
        (vocabulary, verdict)
        for vocabulary in field_run.vocabularies
        for verdict in vocabulary.verdicts
        if verdict.state in (WRONG, DISPUTED, LOST)
    ]
    return sorted(every, key=lambda each: order.index(title_of(each[1].contender)))
