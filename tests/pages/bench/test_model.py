"""The Bench page's model: the plan, and what it makes of the engine's events."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from fake_engine import CELL, EVENTS, fake_engine, run_to_its_end, whole_run

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.corpus import BenchText, corpus_named
from guiapp.analysis.bench.engine import run
from guiapp.analysis.bench.measurement import key_of
from guiapp.analysis.bench.plan import Plan
from guiapp.pages.bench.choice import CODE, ENGLISH, LANGUAGES
from guiapp.pages.bench.history import YOUR_TEXT, RunHistory
from guiapp.pages.bench.model import BenchRunner


def test_samples_show_before_the_result_does(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.stdin.readline()"))
    model.run()
    qtbot.waitUntil(lambda: any(row["n"] == 2 for row in model.results))
    (row,) = model.results
    assert key_of(row) == ("throughput", "encode", "fast", "tutorial", 1000, 1)
    assert (row["median_s"], row["ci_s"]) == (0.002, [0.001, 0.003])
    assert row["mb_per_s"] == pytest.approx(0.5)
    assert row["tokens_per_s"] == pytest.approx(250_000)


def test_a_process_that_dies_loses_nothing_and_says_so(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.exit('out of luck')"))
    with qtbot.waitSignal(model.failed) as failed:
        run_to_its_end(qtbot, model)
    assert "out of luck" in failed.args[0]
    assert [row["n"] for row in model.results] == [2]


def test_a_plan_at_fault_is_told_as_it_stands(qtbot, make_model):
    model = make_model(fake_engine([{"event": "failed", "message": "No such text."}]))
    with qtbot.waitSignal(model.failed) as failed:
        run_to_its_end(qtbot, model)
    assert failed.args == ["No such text."]
    assert model.progress == "Nothing was measured"


def test_a_program_that_is_not_there_is_told(qtbot, make_model):
    model = make_model(BenchRunner(("no-such-program",)))
    with qtbot.waitSignal(model.failed) as failed:
        model.run()
    assert "could not be started" in failed.args[0]
    assert not model.is_running


def test_your_text_stays_where_a_run_can_be_repeated_with_it(qtbot, make_model, session, tmp_path):
    runner = fake_engine([], "sys.stdin.read()")
    plans: list[Plan] = []
    runner.start = plans.append
    model = make_model(runner, RunHistory(tmp_path / "runs"))
    model.run()
    assert model.is_running
    qtbot.waitUntil(lambda: bool(plans))
    model.close()
    (text,) = plans[0].corpora
    assert corpus_named(text, session.vocabulary) == BenchText(YOUR_TEXT, b"some text")
    assert model.saved.runs == []


def test_a_text_that_a_full_disk_does_not_take_is_told_and_nothing_runs(qtbot, make_model, tmp_path):
    (tmp_path / "runs").touch()
    model = make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs"))
    with qtbot.waitSignal(model.failed) as failed:
        model.run()
    assert "Your text cannot be put into" in failed.args[0]
    assert not model.is_running


def test_how_far_ids_deviate_is_told_of_the_text_that_is_asked_for(make_model):
    model = make_model()
    deviating = {**CELL, "contender": "greedy", "n": 1, "first_difference": {"byte_offset": 0}}
    sizes = {"short": 100, "long": 9_000}
    model.show_run({"results": [{**deviating, "corpus": name, "size_bytes": n} for name, n in sizes.items()]})
    assert model.deviations("short")["greedy"]["corpus"] == "short"
    assert model.deviations("another")["greedy"]["corpus"] == "long"


def test_closing_ends_the_process(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.stdin.read()"))
    model.run()
    qtbot.waitUntil(lambda: bool(model.results))
    model.close()
    assert not model.is_running


def test_a_real_run_gives_the_records_of_the_command_line(qtbot):
    texts = ENGLISH, CODE, LANGUAGES
    plan = Plan("demo:bpe", texts, ("fast",), scenarios=("throughput",), time_budget_s=0.1)
    runner = BenchRunner()
    told: list[dict] = []
    runner.told.connect(told.append)
    with qtbot.waitSignal(runner.ended):
        runner.start(plan)

    def untimed(events: Iterable[dict]) -> dict:
        """What two runs of one plan have in common: everything but times."""
        facts = ("exact", "agreement", "first_difference", "n_tokens")
        results = [event for event in events if event["event"] == "result"]
        return {key_of(row): (sorted(row), [row[name] for name in facts]) for row in results}

    here = untimed(run(plan, Control()))
    assert untimed(told) == here
    assert len(here) == 3


def test_a_model_with_a_chosen_pre_tokenizer_is_measured_with_it(qtbot, session, make_model, monkeypatch):
    plans: list[Plan] = []
    monkeypatch.setattr(BenchRunner, "start", lambda self, plan: plans.append(plan))
    model = make_model()
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe", "qwen2")
    model.run()
    assert (plans[0].model, plans[0].pre) == ("demo:bpe", "qwen2")
    assert "not as “qwen2”" in next(peer.reason for peer in model.choice.missing if peer.name == "llama.cpp")
    deviating = {**CELL, "contender": "greedy", "n": 1, "first_difference": {"byte_offset": 0}}
    model.show_run({"plan": {"model": "demo:bpe"}, "results": [deviating]})
    with qtbot.waitSignal(model.failed) as failed:
        model.open_difference("greedy")
    assert "as the file asks" in failed.args[0]


def test_a_run_that_ends_while_it_is_paused_is_no_longer_paused(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.stdin.readline(); sys.stdin.readline()"))
    model.run()
    qtbot.waitUntil(lambda: bool(model.results))
    model.toggle_pause()
    assert model.is_paused
    model.stop()
    qtbot.waitUntil(lambda: not model.is_running)
    assert not model.is_paused
