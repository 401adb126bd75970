"""Runs of the field with processes that make everything up, and one small real one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from field_runs import IdsWorker

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.field import run as field_run
from guiapp.analysis.bench.field.exactness import EQUAL, LEFT_OUT, LOST, WRONG
from guiapp.analysis.bench.field.run import FieldPlan, run_field
from guiapp.analysis.bench.field.texts import TimedText, given_vocabularies
from guiapp.analysis.bench.plan import SCENARIOS, BenchError
from guiapp.analysis.bench.worker import ContenderFailed, LoadedContender, WorkerLost

WELCOME = (TimedText("Welcome", "sample:welcome"),)


class Processes:
    """Starts fake ones; `special` are those of some contenders."""

    def __init__(self, **special: IdsWorker) -> None:
        self.special = special
        self.started: list[tuple[str, int]] = []
        self.all: list[IdsWorker] = []

    def __call__(self, path: str, name: str, threads: int, shall_stop) -> IdsWorker:
        self.started.append((name, threads))
        self.all.append(self.special.get(name) or IdsWorker(name))
        return self.all[-1]


class Answering(IdsWorker):
    """Answers one command otherwise."""

    def __init__(self, command: str, answer: object) -> None:
        super().__init__()
        self._command, self._answer = command, answer

    def ask(self, limit_s: float, command: str, *arguments: object) -> object:
        if command != self._command:
            return super().ask(limit_s, command, *arguments)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.fixture(autouse=True)
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("guiapp.analysis.bench.field.texts.GENERATORS", ())
    for name in ("threads", "memory"):
        monkeypatch.setitem(SCENARIOS, name, replace(SCENARIOS[name], sizes=(1 << 14,)))


def plan(*models: str, contenders: tuple[str, ...] = ("tiktoken",)) -> FieldPlan:
    return FieldPlan(tuple(given_vocabularies(models or ("demo:bpe",))), WELCOME, contenders, 0.1)


def run(asked: FieldPlan, start: Processes, control: Control | None = None):
    return run_field(asked, control or Control(), lambda _line: None, "tokenloupe bench field", start)


def test_each_library_runs_in_one_process_that_is_ended():
    start = Processes()
    record = run(plan(), start)
    (vocabulary,) = record.vocabularies
    assert [(each.contender, each.state) for each in vocabulary.verdicts] == [
        ("fast", EQUAL),
        ("tiktoken", EQUAL),
    ]
    assert {row["scenario"] for row in vocabulary.run["results"]} == set(field_run.ALL_SCENARIOS)
    assert set(vocabulary.openings) == {"fast", "tiktoken"}
    assert start.started.count(("tiktoken", 1)) == 1
    assert all(process.is_ended for process in start.all)
    assert record.is_complete
    assert "Llama 3" in record.missing


@pytest.mark.parametrize(
    ("process", "state", "reason"),
    [
        (Answering("load", ContenderFailed("It refuses.")), LEFT_OUT, "It refuses."),
        (Answering("load", WorkerLost("It crashed: SIGSEGV.")), LOST, "It crashed: SIGSEGV."),
        (
            Answering("load", LoadedContender("1.0", "o200k_base", 0)),
            LEFT_OUT,
            "It supports only o200k_base.",
        ),
        (Answering("ids", WorkerLost("It ended with status 1.")), LOST, "It ended with status 1."),
    ],
)
def test_one_that_fails_is_a_line_and_the_others_go_on(process, state, reason):
    start = Processes(tiktoken=process)
    (vocabulary,) = run(plan(), start).vocabularies
    assert [(each.state, each.reason) for each in vocabulary.verdicts] == [(EQUAL, ""), (state, reason)]
    assert {row["contender"] for row in vocabulary.run["results"]} == {"fast"}
    assert all(each.is_ended for each in start.all)


def test_a_wrong_one_is_timed_all_the_same_and_asked_about():
    wrong = IdsWorker("tokenizers", lambda text, ids: ids[:-1])
    (vocabulary,) = run(plan(contenders=("tiktoken", "tokenizers")), Processes(tokenizers=wrong)).vocabularies
    (verdict,) = (each for each in vocabulary.verdicts if each.contender == "tokenizers")
    assert (verdict.state, verdict.difference.agreeing) == (WRONG, ("tiktoken",))
    assert "tokenizers" in {row["contender"] for row in vocabulary.run["results"]}


def test_a_plan_without_vocabularies_or_with_texts_of_one_name_is_refused(tmp_path):
    with pytest.raises(BenchError, match="no vocabulary to measure with"):
        run(FieldPlan(()), Processes())
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "text.txt").write_text("words")
    texts = tuple(TimedText(name, str(tmp_path / name / "text.txt")) for name in ("a", "b"))
    with pytest.raises(BenchError, match="Two texts have the same file name"):
        run(FieldPlan(plan().given, texts), Processes())


def test_a_real_run_reports_equal_ids_and_positive_speeds(monkeypatch):
    monkeypatch.setattr(field_run, "ALL_SCENARIOS", ("throughput",))
    record = run_field(plan(), Control(), lambda _line: None, "")
    (vocabulary,) = record.vocabularies
    assert [(each.contender, each.state) for each in vocabulary.verdicts] == [
        ("fast", EQUAL),
        ("tiktoken", EQUAL),
    ]
    assert all(row["mb_per_s"] > 0 for row in vocabulary.run["results"])
    assert all(built > 0 and first > 0 for times in vocabulary.openings.values() for built, first in times)
