"""The whole field: with each vocabulary first whose ids are right, then who is how fast.

Every contender has a process of its own, which is loaded once: what is compared in it is then timed by the
benchmark's engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from guiapp.analysis.bench import engine
from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.corpus import corpus_named
from guiapp.analysis.bench.field.exactness import (
    LEFT_OUT,
    LOST,
    REFERENCES,
    ExactnessCheck,
    FieldProcess,
    Judgement,
    with_references,
)
from guiapp.analysis.bench.field.record import FieldRun, UsedText, VocabularyField
from guiapp.analysis.bench.field.texts import BUILT_IN, DETAILED, KNOWN, Given, TimedText, compared_texts
from guiapp.analysis.bench.measurement import (
    Record,
    Report,
    corpus_record,
    environment,
    environment_after,
    vocabulary_record,
)
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.analysis.bench.wording import place_text
from guiapp.analysis.bench.worker import LoadedContender
from guiapp.analysis.bench.worker_process import AskedProcess, ContenderFailed, Stopped, WorkerLost
from guiapp.analysis.libraries.table import PEERS, reason_against
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.system import interrupts

FEW_SCENARIOS = ("throughput",)
ALL_SCENARIOS = ("throughput", "short", "worst", "memory", "threads")
DETAILED_SHARE = 0.5  # of the time, for the vocabulary with which all is measured
LARGEST_BYTES = 100_000  # of the worst case
CALL_LIMIT_S, LOAD_LIMIT_S, OPENING_LIMIT_S = 3.0, 90.0, 60.0

Notify = Callable[[str], None]
Start = Callable[
    [str, str, int, Callable[[], bool]], AskedProcess
]  # file, contender, threads, whether to stop


@dataclass(frozen=True)
class FieldPlan:
    """What shall be measured.

    contenders     names of peers; none: all that are installed.  Ours is always among them
    time_budget_s  for timing alone
    """

    given: tuple[Given, ...]
    texts: tuple[TimedText, ...] = BUILT_IN
    contenders: tuple[str, ...] = ()
    time_budget_s: float = 200.0
    seed: int = 0

    @property
    def detailed(self) -> str:
        """The name of the vocabulary with which all is measured."""
        names = [each.name for each in self.given]
        return DETAILED if DETAILED in names else names[0]

    def budget_s(self, given: Given) -> float:
        n_others = len(self.given) - 1
        if given.name == self.detailed:
            return self.time_budget_s * (DETAILED_SHARE if n_others else 1.0)
        return self.time_budget_s * (1 - DETAILED_SHARE) / n_others


class _Ready(NamedTuple):
    """A contender that was judged, with its process where that can go on."""

    verdict: Judgement
    process: AskedProcess | None


def run_field(
    plan: FieldPlan, control: Control, notify: Notify, command: str, start: Start = FieldProcess
) -> FieldRun:
    """Measure all; when stopped, what was found until then.  Raises BenchError for a plan that cannot be."""
    if not plan.given:
        raise BenchError(
            "There is no vocabulary to measure with. Name model files, or folders that hold some."
        )
    first = open_model(plan.given[0].path).vocabulary
    corpora = [corpus_named(text.corpus, first) for text in plan.texts]
    if len({corpus.name for corpus in corpora}) < len(corpora):
        raise BenchError("Two texts have the same file name. Rename one of them.")
    before = environment("wall")
    found, is_complete = [], False
    try:
        for given in plan.given:
            found.append(_with_vocabulary(plan, given, control, notify, start))
            interrupts.has_results.set()
            if control.shall_stop():
                raise Stopped
        is_complete = True
    except Stopped:
        pass
    texts = tuple(
        UsedText(title=text.title, corpus=corpus.name, **_size_and_hash(corpus_record(corpus)))
        for text, corpus in zip(plan.texts, corpora, strict=True)
    )
    names = {each.name for each in plan.given}
    return FieldRun(
        command,
        {**before, **environment_after(control.held_s)},
        texts,
        tuple(found),
        tuple(known.title for known in KNOWN if known.name not in names),
        {name: peer.how_to_install for name, peer in PEERS.items() if not peer.is_installed},
        is_complete,
    )


def _size_and_hash(record: Record) -> Record:
    return {key: record[key] for key in ("size_bytes", "sha256")}


def _with_vocabulary(
    plan: FieldPlan, given: Given, control: Control, notify: Notify, start: Start
) -> VocabularyField:
    """Judge, then time.  Processes end before the threads that started them: they would end with these."""
    tokenizer = open_model(given.path)
    is_detailed = given.name == plan.detailed
    record = vocabulary_record(tokenizer.vocabulary)
    with (
        ThreadPoolExecutor(os.cpu_count() or 1) as threads,
        _Processes(given.path, control, start) as processes,
    ):
        ready = _check_contenders(plan, given, tokenizer, processes, threads, notify)
        verdicts = _by_references(ready)
        taking = [each for each in ready if each.process is not None]
        openings = _openings(plan, taking, tokenizer, notify) if is_detailed else {}
        names = tuple(each.verdict.contender for each in taking)
        run = _timed(plan, given, names, is_detailed, control, processes, notify) if names else None
    return VocabularyField(
        given.name,
        given.title,
        given.about,
        Path(record["path"]).name,
        record["sha256"] or "",
        record["tokens"],
        is_detailed,
        tuple(verdicts),
        openings,
        run,
    )


class _Processes:
    """Those with one vocabulary: started once, handed over when they are asked for, ended at last."""

    def __init__(self, path: str, control: Control, start: Start) -> None:
        self._path, self._control, self._start = path, control, start
        self._kept: dict[str, AskedProcess] = {}

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for process in [*self._kept.values()]:  # of which threads may still begin some
            process.end()

    def begin(self, name: str) -> AskedProcess:
        process = self._start(self._path, name, 1, self._control.shall_stop)
        self._kept[name] = process
        return process

    def drop(self, name: str) -> None:
        self._kept.pop(name).end()

    def take(self, name: str, threads: int) -> AskedProcess:
        """For the engine, which ends what it has."""
        kept = self._kept.pop(name, None) if threads == 1 else None
        return kept or self._start(self._path, name, threads, self._control.shall_stop)


def _check_contenders(
    plan: FieldPlan,
    given: Given,
    tokenizer: Tokenizer,
    processes: _Processes,
    threads: ThreadPoolExecutor,
    notify: Notify,
) -> list[_Ready]:
    texts = compared_texts(tokenizer, plan.texts, plan.seed)
    notify(f"{given.title}: comparing ids on {len(texts):,} texts …")
    check = ExactnessCheck(tokenizer, texts)

    def check_named(name: str) -> _Ready:
        ready = _check_contender(name, tokenizer, check, processes)
        if ready.process is not None:
            notify(f"{given.title}: {name} {ready.verdict.state}")
        return ready

    return list(threads.map(check_named, _names(plan, tokenizer)))


def _names(plan: FieldPlan, tokenizer: Tokenizer) -> Sequence[str]:
    """Ours, then the references, which are waited for, and all others."""
    installed = [name for name, peer in PEERS.items() if peer.is_installed]
    chosen = [name for name in installed if not plan.contenders or name in plan.contenders]
    return [next(iter(tokenizer.encoders)), *sorted(chosen, key=lambda name: name not in REFERENCES)]


def _check_contender(name: str, tokenizer: Tokenizer, check: ExactnessCheck, processes: _Processes) -> _Ready:
    vocabulary = tokenizer.vocabulary
    if name in PEERS and (reason := reason_against(name, vocabulary)):
        return _Ready(Judgement(name, LEFT_OUT, _version(name), reason), None)
    process = processes.begin(name)
    try:
        loaded: LoadedContender = process.ask(LOAD_LIMIT_S, "load")
    except (ContenderFailed, WorkerLost) as error:
        processes.drop(name)
        state = LOST if isinstance(error, WorkerLost) else LEFT_OUT
        return _Ready(Judgement(name, state, _version(name), str(error)), None)
    if loaded.other_vocabulary:
        processes.drop(name)
        reason = f"It brings {loaded.other_vocabulary}, whatever it is given."
        return _Ready(Judgement(name, LEFT_OUT, loaded.version, reason), None)
    from_file = name not in PEERS or PEERS[name].file_source(vocabulary) is not None
    verdict = replace(check.check(name, process), version=loaded.version, from_file=from_file)
    if verdict.state == LOST:
        processes.drop(name)
        return _Ready(verdict, None)
    return _Ready(verdict, process)


def _version(name: str) -> str:
    return PEERS[name].version if name in PEERS else ""


def _by_references(ready: Sequence[_Ready]) -> list[Judgement]:
    references = {
        each.verdict.contender: each.process
        for each in ready
        if each.process is not None and each.verdict.contender in REFERENCES
    }
    return with_references([each.verdict for each in ready], references)


def _openings(
    plan: FieldPlan, taking: Sequence[_Ready], tokenizer: Tokenizer, notify: Notify
) -> dict[str, tuple[tuple[float, float], ...]]:
    text = corpus_named(plan.texts[0].corpus, tokenizer.vocabulary).text
    openings = {}
    for each in taking:
        assert each.process is not None
        notify(f"Opening {each.verdict.contender} again …")
        try:
            times = each.process.ask(OPENING_LIMIT_S, "opening", text)
        except (ContenderFailed, WorkerLost):
            continue  # the engine starts it again, and tells what happens then
        openings[each.verdict.contender] = tuple(times)
    return openings


def _timed(
    plan: FieldPlan,
    given: Given,
    names: tuple[str, ...],
    is_detailed: bool,
    control: Control,
    processes: _Processes,
    notify: Notify,
) -> Record:
    timing = Plan(
        given.path,
        tuple(text.corpus for text in plan.texts),
        names,
        scenarios=ALL_SCENARIOS if is_detailed else FEW_SCENARIOS,
        time_budget_s=plan.budget_s(given),
        largest_bytes=LARGEST_BYTES,
        repeat="fresh",
        call_limit_s=CALL_LIMIT_S,
        seed=plan.seed,
    )
    report = Report()
    for event in engine.run(timing, control, processes.take):
        report.add(event)
        if event["event"] == "cell":
            of = f"{event['number']}/{event['of']}"
            notify(f"{given.title}: [{of}] {event['scenario']}: {place_text(event)}")
    return report.record()
