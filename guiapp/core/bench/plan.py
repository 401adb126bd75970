"""What shall be measured, as a value that travels to the process that measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from guiapp.core.bench import corpus
from guiapp.core.bench.contenders.own import OwnContender, OwnError, own_of
from guiapp.core.bench.scenarios import DEFAULT_SCENARIOS
from guiapp.core.errors import TokenloupeError

RUN_OWN = "--run-own"
MOST, MOST_THREADS = 1 << 53, 1024  # of a plan that comes from outside
Repeat = Literal["never", "same", "fresh"]
Clock = Literal["auto", "wall", "cpu"]


class BenchError(TokenloupeError):
    """A benchmark that cannot be run as it was asked for; the message says why."""


@dataclass(frozen=True)
class Plan:
    """One run of the benchmark.

    pre            the pre-tokenizer that splits text instead of the one the file asks for
    corpora        names as `corpus_named` knows them
    contenders     names of encoders and peers; none: all of our encoders
    own            contenders of one's own, which take part too
    with_peers     also every peer that is installed and takes the vocabulary
    threads        the numbers of threads that the scenario `threads` tries
    time_budget_s  for timing alone, shared by all cells; each gets a few rounds in any case
    largest_bytes  of the texts of scenarios that go through sizes; None: all of them
    repeat         what stands for sizes above a text's own: "never" are there any, the "same" text again, or
                   "fresh" text, words drawn from the samples
    call_limit_s   a contender that needs longer for one call is left out
    clock          "wall"; "cpu", what the process got of the processor; or "auto", that only beside other
                   programs; the scenario `threads` has the wall clock whatever is asked for
    """

    model: str
    corpora: tuple[str, ...] = corpus.DEFAULT
    contenders: tuple[str, ...] = ()
    with_peers: bool = False
    scenarios: tuple[str, ...] = DEFAULT_SCENARIOS
    threads: tuple[int, ...] = tuple(sorted({1, os.cpu_count() or 1}))
    time_budget_s: float = 60.0
    largest_bytes: int | None = None
    call_limit_s: float = 10.0
    clock: Clock = "auto"
    seed: int = 0
    pre: str | None = None
    own: tuple[OwnContender, ...] = ()
    repeat: Repeat = "never"

    def record(self) -> dict[str, Any]:
        return asdict(self)


def from_any_folder(plan: Plan) -> Plan:
    """The same plan with the whole paths of its files, to be repeated from wherever one is."""
    corpora = tuple(name if corpus.is_made(name) else whole_path(name) for name in plan.corpora)
    return replace(plan, model=whole_path(plan.model), corpora=corpora)


def whole_path(name: str) -> str:
    """Where a file or folder is, wherever one is; names that are none stay as they are."""
    return str(Path(name).resolve()) if Path(name).exists() else name


def plan_from(record: dict[str, Any]) -> Plan:
    """The plan of a JSON object; raises BenchError for one that is none.

    Whoever runs it has somebody say yes to what is `own` first: the file may be a stranger's.
    """
    if not isinstance(record, dict):
        raise BenchError("This is not a plan for a benchmark: it is no object.")
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in record.items()
    }
    for name, is_right in PARTS.items():
        if name in values and not is_right(values[name]):
            raise BenchError(f"This is not a plan for a benchmark: its “{name}” is not what it should be.")
    try:
        return Plan(**values | {"own": own_of(values.get("own", ()))})
    except (TypeError, OwnError) as error:
        raise BenchError(f"This is not a plan for a benchmark: {error}.") from error


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, float) and 0 <= value <= MOST)


PARTS: Mapping[str, Callable[[object], bool]] = {  # what the types of `Plan` say, of one that comes as JSON
    **dict.fromkeys(("corpora", "contenders", "scenarios"), _are_texts),
    **dict.fromkeys(("time_budget_s", "call_limit_s"), _is_number),
    "model": _is_text,
    "pre": lambda value: value is None or _is_text(value),
    "with_peers": lambda value: isinstance(value, bool),
    "threads": lambda value: (
        isinstance(value, tuple) and all(isinstance(n, int) and 0 < n <= MOST_THREADS for n in value)
    ),
    "largest_bytes": lambda value: value is None or _is_whole(value),
    "seed": _is_whole,
    "clock": get_args(Clock).__contains__,
    "repeat": get_args(Repeat).__contains__,
    "own": lambda value: isinstance(value, tuple) and all(isinstance(each, dict) for each in value),
}
