"""A race of contenders whose calls take what they are said to take: what is asked and told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fake_workers import AnswersAtOnce

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.engine import Race
from guiapp.analysis.bench.operations import TimingSample
from guiapp.analysis.bench.plan import BenchCell, Plan
from guiapp.analysis.bench.worker import ContenderFailed, LoadedContender, Stopped, WorkerLost, Workers
from guiapp.analysis.libraries.contender import ContenderTokens

IDS = {True: [1, 2, 3], False: [1, 2, 2]}  # whether the text is split
CELL = BenchCell("scaling", ("encode",), "english", (b"x" * 100,))


class Machine:
    """Everybody's calls, on a clock that only they move.

    seconds  of one call by contender, operation and bytes; an error instead is raised
    """

    def __init__(self, seconds=lambda name, operation, size: 0.5, other_vocabulary="") -> None:
        self.seconds = seconds
        self.loaded = LoadedContender("1", other_vocabulary, 7_000)
        self.now_s = 1_000.0
        self.log: list[tuple[object, ...]] = []

    def start(self, name: str, threads: int) -> MadeUpWorker:
        self.log.append((name, "start", threads))
        return MadeUpWorker(self, name)

    def race(self, control: Control | None = None, **plan) -> Race:
        def reference(texts, is_split):
            return ContenderTokens(np.array(IDS[is_split], np.int32), None)

        lengths = np.array([1, 1, 1, 1])
        requested = Plan("model", **plan)
        return Race(
            requested, Workers(self.start), control or Control(), reference, lengths, lambda: self.now_s
        )


class MadeUpWorker(AnswersAtOnce):
    def __init__(self, machine: Machine, name: str) -> None:
        self._machine, self._name = machine, name

    def ask(self, limit_s: float, command: str, *arguments: object) -> object:
        self._machine.log.append((self._name, command, limit_s, *arguments))
        if command == "load":
            return self._machine.loaded
        if command == "prepare":
            self._size = sum(map(len, arguments[1]))
            return ContenderTokens(np.array(IDS["unsplit" not in self._name], np.int32), None)
        operation = arguments[0] if command == "sample" else "memory"
        size = self._size if command == "sample" else 0
        seconds = self._machine.seconds(self._name, operation, size)
        if isinstance(seconds, Exception):
            raise seconds
        self._machine.now_s += seconds
        return TimingSample(seconds, seconds / 4) if command == "sample" else int(seconds * 1000)

    def end(self) -> None:
        self._machine.log.append((self._name, "end"))


def event_summaries(events) -> list[tuple[object, ...]]:
    """The names of events, with who and how long or why."""
    return [
        (each["event"], each["contender"], each.get("seconds", each.get("reason", ""))) for each in events
    ]


def test_a_call_that_would_take_longer_than_allowed_is_left_out():
    def races(*sizes_and_seconds: tuple[int, float]) -> list[str]:
        seconds = dict(sizes_and_seconds)
        machine = Machine(lambda name, operation, size: seconds[size])
        race = machine.race(call_limit_s=10.0)
        return [
            next((each["reason"] for each in events if each["event"] == "left out"), "")
            for size in seconds
            for events in [list(race.run(replace(CELL, texts=(b"x" * size,)), ["fast"], 0.0))]
        ]

    too_long = "One call would take about {} s.".format
    assert races((100, 1.0), (1_000, 9.0)) == ["", ""]
    assert races((100, 1.0), (1_010, 9.0), (2_000, 9.0)) == ["", too_long(10), too_long(20)]
    assert races((100, 0.1), (200, 0.4), (1_000, 1.0)) == ["", "", ""]
    assert races((100, 0.1), (200, 0.4), (2_000, 1.0)) == ["", "", too_long(40)]
    assert races((1_000, 50.0), (100, 1.0)) == ["", ""]


def failing_at(name: str, operation: str, nth: int, error: Exception):
    left = [nth]

    def seconds(who: str, what: str, size: int) -> float | Exception:
        left[0] -= (who, what) == (name, operation)
        return error if left[0] == 0 and (who, what) == (name, operation) else 1.0

    return seconds


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_failure_names_its_cell_and_the_others_continue(is_lost):
    error = (WorkerLost if is_lost else ContenderFailed)("It broke.")
    machine = Machine(failing_at("heap", "encode", 3, error))
    race = machine.race()
    events = list(race.run(CELL, ["heap", "fast"], 0.0))
    place = {"scenario": "scaling", "operation": "encode", "corpus": "english", "size_bytes": 100}
    (gone,) = (each for each in events if each["event"] == "left out")
    assert gone == {"event": "left out", "contender": "heap", **place, "reason": "It broke."}
    results = [(each["contender"], each["n"]) for each in events if each["event"] == "result"]
    assert results == [("heap", 2), ("fast", 5)]
    assert (("heap", "end") in machine.log) is is_lost


@pytest.mark.parametrize("operations", [("encode",), ("memory",)])
@pytest.mark.parametrize("n_calls", [0, 1, 4])
def test_measured_results_are_reported_before_a_run_stops(operations, n_calls):
    control = Control()
    calls = []

    def seconds(name: str, operation: str, size: int) -> float:
        calls.append(name)
        if len(calls) == n_calls:
            control.stop()
        return 1.0

    if not n_calls:
        control.stop()
    race, results = Machine(seconds).race(control), []
    events = race.run(replace(CELL, operations=operations), list("abcdef"), 0.0)
    with pytest.raises(Stopped):
        results.extend(event["contender"] for event in events if event["event"] == "result")
    assert sorted(results) == sorted(calls)
    assert len(calls) == n_calls
