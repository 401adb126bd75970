"""The Bench page's model: the plan, what it makes of the engine's events, and the way to a difference."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from bench_runs import record, run_with
from closing import see_that_nothing_goes_on
from fake_engine import EVENTS, SilentRunner, fake_engine, run_to_its_end, whole_run

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.corpus import BenchText, corpus_named
from guiapp.analysis.bench.differences import DifferenceLocation
from guiapp.analysis.bench.engine import run
from guiapp.analysis.bench.findings import YOUR_TEXT
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.analysis.bench.run_results import KEY
from guiapp.pages.bench import model as bench_model
from guiapp.pages.bench.choice import CODE, ENGLISH, LANGUAGES, BenchChoice
from guiapp.pages.bench.history import RunHistory
from guiapp.pages.bench.model import BenchModel, BenchRunner

PLAN = {"model": "demo:bpe", "corpora": ["sample:english"], "contenders": ["greedy"]}
OWNERS = {
    "bench": lambda session: (
        made := BenchModel(session),
        made.close,
        (made.saved._saving, made.saved._renaming),  # kept runs are saved to the end
    ),
    "choice": lambda session: (made := BenchChoice(session), made.close),
}


def test_a_process_that_dies_loses_no_results_and_is_reported(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.exit('out of luck')"))
    with qtbot.waitSignal(model.failed) as failed:
        run_to_its_end(qtbot, model)
    assert "out of luck" in failed.args[0]
    assert [row.n for row in model.results] == [2]


def test_the_message_about_a_faulty_plan_is_shown_unchanged(qtbot, make_model):
    model = make_model(fake_engine([{"event": "failed", "message": "No such text."}]))
    with qtbot.waitSignal(model.failed) as failed:
        run_to_its_end(qtbot, model)
    assert failed.args == ["No such text."]
    assert model.progress == "No results"


def test_a_missing_program_is_reported(qtbot, make_model):
    model = make_model(BenchRunner(("no-such-program",)))
    with qtbot.waitSignal(model.failed) as failed:
        model.run()
    assert "could not be started" in failed.args[0]
    assert not model.is_running


def test_your_text_remains_available_to_repeat_a_run(qtbot, make_model, session, tmp_path):
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


def test_a_text_that_cannot_be_saved_is_reported_and_nothing_runs(qtbot, make_model, tmp_path):
    (tmp_path / "runs").touch()
    model = make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs"))
    with qtbot.waitSignal(model.failed) as failed:
        model.run()
    assert "Your text cannot be saved to" in failed.args[0]
    assert not model.is_running


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
    messages: list[dict] = []
    runner.told.connect(messages.append)
    with qtbot.waitSignal(runner.ended):
        runner.start(plan)

    def untimed(events: Iterable[dict]) -> dict:
        """What two runs of one plan have in common: everything but times."""
        facts = ("exact", "agreement", "first_difference", "n_tokens")
        results = [event for event in events if event["event"] == "result"]
        return {
            tuple(row[name] for name in KEY): (sorted(row), [row[name] for name in facts]) for row in results
        }

    here = untimed(run(plan, Control()))
    assert untimed(messages) == here
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
    model.show_run(run_with(record("throughput", "greedy", 10, 1.0, 0.5), plan={"model": "demo:bpe"}))
    with qtbot.waitSignal(model.failed) as failed:
        model.open_difference("greedy")
    assert "as the file specifies" in failed.args[0]


def test_a_run_that_ends_while_it_is_paused_is_no_longer_paused(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.stdin.readline(); sys.stdin.readline()"))
    model.run()
    qtbot.waitUntil(lambda: bool(model.results))
    model.toggle_pause()
    assert model.is_paused
    model.stop()
    qtbot.waitUntil(lambda: not model.is_running)
    assert not model.is_paused


def test_a_start_that_waits_for_the_disk_can_be_stopped(make_model, qapp, tmp_path):
    runner = SilentRunner()
    model = make_model(runner, RunHistory(tmp_path))
    model.choice.set_texts([YOUR_TEXT])
    model.run()
    assert model.is_running
    model.toggle_pause()
    assert not model.is_paused
    model.stop()
    assert (model.progress, model.is_running, runner.asked) == ("Stopped", False, [])


def test_requests_of_the_user_reach_the_run(make_model, qapp):
    runner = SilentRunner()
    model = make_model(runner)
    model.hold()
    assert runner.asked == []
    model.run()
    for act in (model.hold, model.toggle_pause, model.toggle_pause, model.stop):
        act()
    assert runner.asked == ["start", "hold", "pause", "resume", "stop"]


@pytest.fixture
def deviating(make_model):
    """A model with a run in which one contender deviates."""
    model = make_model()
    model.show_run(run_with(record("throughput", "greedy", 10_000, 1e-3, 0.9), plan=PLAN))
    return model


@pytest.mark.parametrize(
    ("text", "start", "end", "pointed"),
    [(b"some text", 5, 7, (5, 7)), (b"some text", 5, 5, (5, 6)), ("a世b".encode(), 1, 2, (1, 4))],
)
def test_the_place_is_shown_in_its_text(deviating, session, monkeypatch, qtbot, text, start, end, pointed):
    monkeypatch.setattr(bench_model, "first_difference", lambda *given: DifferenceLocation(text, start, end))
    left = []
    session.text.left.connect(lambda: left.append(True))
    with qtbot.waitSignal(session.text.pointed_out) as shown:
        deviating.open_difference("greedy")
    assert tuple(shown.args) == pointed
    assert (session.document.text(), len(left)) == (text, int(text != b"some text"))


def test_a_difference_no_longer_known_is_reported(deviating, monkeypatch, qtbot):
    def refuse(*given):
        raise BenchError("It is no longer known.")

    monkeypatch.setattr(bench_model, "first_difference", refuse)
    with qtbot.waitSignal(deviating.failed) as failed:
        deviating.open_difference("greedy")
    assert failed.args == ["It is no longer known."]


@pytest.mark.parametrize("name", OWNERS)
def test_no_work_continues_after_closing(name, make_session):
    see_that_nothing_goes_on(*OWNERS[name](make_session()))
