"""Measure all libraries: with each vocabulary, first compare their ids, then time them.

Every contender has a process of its own, which is loaded once: after its ids are compared, the benchmark's
engine times it in the same process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from guiapp.analysis.bench import engine
from guiapp.analysis.bench.control import Control, begin_early
from guiapp.analysis.bench.corpus import corpus_named
from guiapp.analysis.bench.field.exactness import (
    LEFT_OUT,
    LOST,
    REFERENCES,
    ExactnessCheck,
    Judgement,
    with_references,
)
from guiapp.analysis.bench.field.record import FieldRun, UsedText, VocabularyField
from guiapp.analysis.bench.field.texts import BUILT_IN, DETAILED, KNOWN, Given, TimedText, compared_texts
from guiapp.analysis.bench.machine import corpus_record, environment, environment_after, vocabulary_record
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.analysis.bench.run_results import BenchRun, Record
from guiapp.analysis.bench.wording import size_text
from guiapp.analysis.bench.worker import (
    AskedProcess,
    ContenderFailed,
    LoadedContender,
    Stopped,
    WorkerLost,
    WorkerProcess,
)
from guiapp.analysis.libraries.table import PEERS, reason_against, version_of
from guiapp.core import interrupts
from guiapp.core.open_model import open_model

FEW_SCENARIOS = ("throughput",)
ALL_SCENARIOS = ("throughput", "short", "worst", "memory", "threads")
DETAILED_SHARE = 0.5  # of the time, for the vocabulary with which all scenarios are measured
LARGEST_BYTES = 100_000  # of the worst case
CALL_LIMIT_S, LOAD_LIMIT_S, OPENING_LIMIT_S = 3.0, 90.0, 60.0

Notify = Callable[[str], None]
Start = Callable[
    [str, str, int, Callable[[], bool]], AskedProcess
]  # file, contender, threads, whether to stop


@dataclass(frozen=True)
class FieldPlan:
    """What to measure.

    contenders     names of libraries; (): all that are installed.  Tokenloupe always takes part
    time_budget_s  for timing only
    """

    given: tuple[Given, ...]
    texts: tuple[TimedText, ...] = BUILT_IN
    contenders: tuple[str, ...] = ()
    time_budget_s: float = 200.0
    seed: int = 0

    @property
    def detailed(self) -> str:
        """The name of the vocabulary with which all scenarios are measured."""
        names = [each.name for each in self.given]
        return DETAILED if DETAILED in names else names[0]

    def budget_s(self, given: Given) -> float:
        n_others = len(self.given) - 1
        if given.name == self.detailed:
            return self.time_budget_s * (DETAILED_SHARE if n_others else 1.0)
        return self.time_budget_s * (1 - DETAILED_SHARE) / n_others


def run_field(
    plan: FieldPlan, control: Control, notify: Notify, command: str, start: Start = WorkerProcess
) -> FieldRun:
    """Measure all; if stopped, return the results so far.  Raises BenchError for an invalid plan."""
    if not plan.given:
        raise BenchError(
            "There is no vocabulary to measure with. Name model files, or folders that have model files."
        )
    begin_early()
    first = open_model(plan.given[0].path).vocabulary
    corpora = [corpus_named(text.corpus, first) for text in plan.texts]
    if len({corpus.name for corpus in corpora}) < len(corpora):
        raise BenchError("Two texts have the same file name. Rename one of them.")
    before = environment("wall")
    found: list[VocabularyField] = []
    is_complete = False
    try:
        for given in plan.given:
            found.append(_VocabularyRun(plan, given, control, notify, start).measure())
            interrupts.has_results.set()
            if control.shall_stop():
                raise Stopped
        is_complete = True
    except Stopped:
        pass
    records = map(corpus_record, corpora)
    texts = tuple(
        UsedText(text.title, each["name"], each["size_bytes"], each["sha256"])
        for text, each in zip(plan.texts, records, strict=True)
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


class _VocabularyRun:
    """One vocabulary: contenders are judged, then timed, each in a process that is started once."""

    def __init__(self, plan: FieldPlan, given: Given, control: Control, notify: Notify, start: Start) -> None:
        self._plan, self._given, self._control = plan, given, control
        self._notify, self._start = notify, start
        self._tokenizer = open_model(given.path)
        self._is_detailed = given.name == plan.detailed
        self._kept: dict[str, AskedProcess] = {}

    def measure(self) -> VocabularyField:
        """Measure all while the threads that start processes live: a process ends with its thread."""
        given, record = self._given, vocabulary_record(self._tokenizer.vocabulary)
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            try:
                verdicts = self._judge_all(threads)
                taking = [each.contender for each in verdicts if each.contender in self._kept]
                openings = self._openings(taking) if self._is_detailed else {}
                run = self._timed(taking) if taking else None
            finally:
                for process in [*self._kept.values()]:  # a copy: threads may still add some
                    process.end()
        return VocabularyField(
            given.name,
            given.title,
            given.about,
            Path(record["path"]).name,
            record["sha256"] or "",
            record["tokens"],
            self._is_detailed,
            tuple(verdicts),
            openings,
            run,
        )

    def _judge_all(self, threads: ThreadPoolExecutor) -> list[Judgement]:
        """Judge in parallel; the processes of contenders that can be timed keep running."""
        texts = compared_texts(self._tokenizer, self._plan.texts, self._plan.seed)
        self._notify(f"{self._given.title}: comparing ids on {len(texts):,} texts …")
        check = ExactnessCheck(self._tokenizer, texts)
        verdicts = list(threads.map(partial(self._judge, check), self._names()))
        return with_references(
            verdicts, {name: self._kept[name] for name in REFERENCES if name in self._kept}
        )

    def _names(self) -> Sequence[str]:
        """Our encoder, then the references, then all others."""
        installed = [name for name, peer in PEERS.items() if peer.is_installed]
        chosen = [name for name in installed if not self._plan.contenders or name in self._plan.contenders]
        ours = next(iter(self._tokenizer.encoders))
        return [ours, *sorted(chosen, key=lambda name: name not in REFERENCES)]

    def _judge(self, check: ExactnessCheck, name: str) -> Judgement:
        vocabulary, version = self._tokenizer.vocabulary, version_of(name) if name in PEERS else ""
        if name in PEERS and (reason := reason_against(name, vocabulary)):
            return Judgement(name, LEFT_OUT, version, reason)
        process = self._kept[name] = self._start(self._given.path, name, 1, self._control.shall_stop)
        try:
            loaded: LoadedContender = process.ask(LOAD_LIMIT_S, "load")
        except (ContenderFailed, WorkerLost) as error:
            state = LOST if isinstance(error, WorkerLost) else LEFT_OUT
            return self._without(name, Judgement(name, state, version, str(error)))
        if loaded.other_vocabulary:
            reason = f"It supports only {loaded.other_vocabulary}."
            return self._without(name, Judgement(name, LEFT_OUT, loaded.version, reason))
        from_file = name not in PEERS or PEERS[name].file_source(vocabulary) is not None
        verdict = replace(check.check(name, process), version=loaded.version, from_file=from_file)
        if verdict.state == LOST:
            return self._without(name, verdict)
        self._notify(f"{self._given.title}: {name} {verdict.state}")
        return verdict

    def _without(self, name: str, verdict: Judgement) -> Judgement:
        """End a process that is not needed any more, and return the verdict."""
        self._kept.pop(name).end()
        return verdict

    def _openings(self, names: Sequence[str]) -> dict[str, tuple[tuple[float, float], ...]]:
        text = corpus_named(self._plan.texts[0].corpus, self._tokenizer.vocabulary).text
        openings = {}
        for name in names:
            self._notify(f"Opening {name} again …")
            try:
                openings[name] = tuple(self._kept[name].ask(OPENING_LIMIT_S, "opening", text))
            except (ContenderFailed, WorkerLost):
                continue  # the engine starts it again, and reports what happens then
        return openings

    def _timed(self, names: Sequence[str]) -> Record:
        timing = Plan(
            self._given.path,
            tuple(text.corpus for text in self._plan.texts),
            tuple(names),
            scenarios=ALL_SCENARIOS if self._is_detailed else FEW_SCENARIOS,
            time_budget_s=self._plan.budget_s(self._given),
            largest_bytes=LARGEST_BYTES,
            repeat="fresh",
            call_limit_s=CALL_LIMIT_S,
            seed=self._plan.seed,
        )
        report = BenchRun()
        for event in engine.run(timing, self._control, self._process):
            report.add(event)
            if event["event"] == "cell":
                of = f"{event['number']}/{event['of']}"
                text = f"{event['corpus']}, {size_text(event['size_bytes'])}"
                self._notify(f"{self._given.title}: [{of}] {event['scenario']}: {text}")
        return report.record()

    def _process(self, name: str, threads: int) -> AskedProcess:
        """A process for the engine, which ends it: the loaded one if possible, else a new one."""
        kept = self._kept.pop(name, None) if threads == 1 else None
        return kept or self._start(self._given.path, name, threads, self._control.shall_stop)
