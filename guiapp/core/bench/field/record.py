"""What a run of the field found, as values, and as the JSON object that the page can be made from again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from guiapp.core.bench.field.exactness import STATES, Difference, Judgement
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.plan import BenchError
from guiapp.core.bench.run_form import problem_with
from guiapp.core.system.outside_json import read_json

KIND = "tokenloupe field 1"
LARGEST_S = 1e6
T = TypeVar("T")


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
class Field:
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


def json_of(found: Field) -> str:
    return json.dumps(found.record(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def load_field(path: Path) -> Field:
    """A record that was written; raises BenchError for anything else."""
    try:
        return _field(read_json(path.read_bytes()))
    except OSError as error:
        raise BenchError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise BenchError(f"{path} is not a record of `tokenloupe bench field --json`: {reason}.") from error


def _field(record: Any) -> Field:
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise ValueError(f"it is not of the kind “{KIND}”")
    return Field(
        _is(str, record["command"]),
        _environment(record["environment"]),
        tuple(_text(each) for each in _is(list, record["texts"])),
        tuple(_vocabulary(each) for each in _is(list, record["vocabularies"])),
        _texts(record["missing"]),
        {name: _is(str, how) for name, how in _is(dict, record["absent"]).items()},
        _is(bool, record["is_complete"]),
    )


def _environment(record: Any) -> Record:
    """With plain values only, and checked by the rules of a benchmark's record."""
    if problem := problem_with({"environment": record, "results": []}):
        raise ValueError(problem)
    return dict(record)


def _text(record: Any) -> UsedText:
    return UsedText(
        title=_is(str, record["title"]),
        corpus=_is(str, record["corpus"]),
        size_bytes=_count(record["size_bytes"]),
        sha256=_is(str, record["sha256"]),
    )


def _vocabulary(record: Any) -> VocabularyField:
    run = record["run"]
    if run is not None and (problem := problem_with(run)):
        raise ValueError(f"of the run with {record['title']!r:.40}, {problem}")
    return VocabularyField(
        name=_is(str, record["name"]),
        title=_is(str, record["title"]),
        about=_is(str, record["about"]),
        file=_is(str, record["file"]),
        sha256=_is(str, record["sha256"]),
        n_tokens=_count(record["n_tokens"]),
        is_detailed=_is(bool, record["is_detailed"]),
        verdicts=tuple(_verdict(each) for each in _is(list, record["verdicts"])),
        openings={name: _times(times) for name, times in _is(dict, record["openings"]).items()},
        run=run,
    )


def _verdict(record: Any) -> Judgement:
    if record["state"] not in STATES:
        raise ValueError(f"{record['state']!r:.40} is no state of a contender")
    return Judgement(
        contender=_is(str, record["contender"]),
        state=record["state"],
        version=_is(str, record["version"]),
        reason=_is(str, record["reason"]),
        from_file=_is(bool, record["from_file"]),
        n_texts=_count(record["n_texts"]),
        n_different=_count(record["n_different"]),
        difference=_maybe(_difference, record["difference"]),
    )


def _difference(record: Any) -> Difference:
    return Difference(
        text=_is(str, record["text"]),
        origin=_is(str, record["origin"]),
        expected=_ids(record["expected"]),
        found=_maybe(_ids, record["found"]),
        expected_tokens=_texts(record["expected_tokens"]),
        found_tokens=_texts(record["found_tokens"]),
        agreeing=_texts(record["agreeing"]),
        deviating=_texts(record["deviating"]),
    )


def _is(kind: type[T], value: Any) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} is not a {kind.__name__}")
    return value


def _maybe(read: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else read(value)


def _count(value: Any) -> int:
    if not 0 <= _is(int, value) < 1 << 62:
        raise ValueError(f"{value!r:.40} is not a number of anything")
    return int(value)


def _ids(values: Any) -> tuple[int, ...]:
    return tuple(_is(int, value) for value in _is(list, values))


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_is(str, value) for value in _is(list, values))


def _times(values: Any) -> tuple[tuple[float, float], ...]:
    pairs = tuple((float(built), float(first)) for built, first in _is(list, values))
    if not all(0 <= time <= LARGEST_S for pair in pairs for time in pair):
        raise ValueError("it has an opening that took no time that can be")
    return pairs
