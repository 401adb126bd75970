"""What the next run measures: chosen at first, made of that by somebody, and contenders of one's own."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace

import pytest
from bench_runs import run_with
from signals import record_signals

from guiapp import open_model
from guiapp.analysis.bench.corpus import RANDOM_BYTES, TUTORIAL_LINE, TUTORIAL_TIMES
from guiapp.analysis.bench.engine import cells_of
from guiapp.analysis.bench.findings import YOUR_TEXT
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.libraries.contender import UNSPLIT
from guiapp.analysis.libraries.custom import CustomContender, make_custom
from guiapp.core.demo import sample_text
from guiapp.core.encode.catalogue import encoder_label, encoder_name
from guiapp.kit.state.settings import Settings
from guiapp.pages.bench import choice as bench_choice
from guiapp.pages.bench.choice import (
    AIMS,
    CODE,
    ENGLISH,
    MOST_USED,
    N_FIRST,
    THROUGHPUT,
    BenchCandidate,
    BenchChoice,
    CustomContenders,
    size_of_text,
)


@pytest.fixture
def choice(session):
    made = BenchChoice(session)
    made.libraries = [BenchCandidate(name, "1.0") for name in ("rs-bpe", *reversed(MOST_USED))]
    made.libraries.append(BenchCandidate("gone", "", "It is missing."))
    yield made
    made.close()


@pytest.fixture
def signals(choice):
    return record_signals(choice)


def test_at_first_the_best_of_ours_and_the_most_used_libraries_encode_your_text(choice, session):
    best = next(iter(session.encoders))
    assert set(choice.contenders) == {encoder_label(best), *MOST_USED[:N_FIRST]}
    assert (choice.texts, choice.scenarios, choice.is_whole) == ((YOUR_TEXT,), (THROUGHPUT,), True)
    plan = choice.plan
    assert (plan.model, plan.pre, plan.contenders) == (
        "demo:bpe",
        None,
        tuple(map(encoder_name, choice.contenders)),
    )
    assert choice.contenders == tuple(e.name for e in choice.candidates if e.name in choice.contenders)


def test_where_nothing_is_typed_it_is_english(choice, session):
    session.text.show(b"")
    assert choice.texts == (ENGLISH,)
    session.text.show(b"words")
    assert choice.texts == (YOUR_TEXT,)


def test_who_is_missing_takes_no_part_however_chosen(choice):
    assert [each.name for each in choice.missing] == ["gone"]
    choice.set_contender("gone", True)
    assert "gone" not in choice.contenders
    choice.libraries[-1] = BenchCandidate("gone", "1.0")
    assert "gone" in choice.contenders, "it waited"


def test_each_change_is_emitted_once_and_nothing_without_one(choice, signals):
    def signals_of(change, *given) -> list[str]:
        signals.clear()
        change(*given)
        return list(signals)

    once = ["changed"]
    assert signals_of(choice.set_contender, "heap", False) == []
    assert signals_of(choice.set_contender, "heap", True) == once
    assert signals_of(choice.set_text, CODE, True) == once
    assert signals_of(choice.set_text, CODE, True) == []
    assert choice.texts == (YOUR_TEXT, CODE)
    assert signals_of(choice.set_texts, [ENGLISH]) == once
    assert signals_of(choice.set_text, ENGLISH, False) == [], "one stays"
    assert signals_of(choice.set_scenario, "decode", True) == once
    assert signals_of(choice.set_scenario, THROUGHPUT, False) == once
    assert signals_of(choice.set_scenario, "decode", False) == [], "one stays"
    assert (choice.texts, choice.scenarios) == ((ENGLISH,), ("decode",))
    assert signals_of(lambda: choice.adjust(time_budget_s=3.0)) == once
    assert signals_of(lambda: choice.adjust(threads=(1, 7))) == once
    assert (choice.plan.time_budget_s, choice.plan.threads) == (3.0, (1, 7))


def test_files_and_folders_are_offered_and_chosen(choice, signals, tmp_path):
    names = [str(tmp_path / name) for name in ("one.txt", "two")]
    choice.add_texts(names)
    choice.add_texts([])
    assert (list(choice.texts), signals) == (names, ["changed"])
    assert [choice.known_texts[name] for name in names] == ["one.txt", "two"]
    choice.add_texts(names[:1])
    assert (choice.texts, len(choice.known_texts)) == ((names[0],), 8)


def test_what_something_adds_is_what_the_time_grows_by(choice):
    """The sum of all is no such thing: each takes less of what others share."""
    for which, choose in (
        ({"contender": "heap"}, choice.set_contender),
        ({"scenario": "scaling"}, choice.set_scenario),
        ({"text": ENGLISH}, choice.set_text),
    ):
        before, adds_s = choice.expected_s, choice.adds_s(**which)
        choose(*which.values(), True)
        assert choice.expected_s == pytest.approx(before + adds_s)
        assert choice.adds_s(**which) == pytest.approx(adds_s)
        assert adds_s > 0.5


@pytest.mark.parametrize("aim", AIMS, ids=lambda aim: aim.title)
def test_an_aim_is_a_plan_that_can_be_run(choice, aim):
    choice.aim_at(aim)
    assert (choice.texts, choice.scenarios) == (aim.texts, aim.scenarios)
    assert {each.name for each in choice.candidates} <= set(choice.contenders)
    ours = [name for name in aim.unsplit if name in [each.name for each in choice.candidates]]
    assert {name + UNSPLIT for name in ours} <= set(choice.contenders)
    choice.set_texts([ENGLISH])
    cells = cells_of(choice.plan, open_model("demo:bpe"))
    assert {cell.scenario for cell in cells} == set(aim.scenarios)


def test_another_vocabulary_has_other_contenders(choice, session, qtbot, signals):
    choice.set_contender("heap (unsplit)", True)
    assert "heap (unsplit)" in choice.contenders
    with qtbot.waitSignal(choice.changed):
        session.loader.open("demo:wordpiece")
    assert {each.name for each in choice.candidates[: len(session.encoders)]} == {
        *map(encoder_label, session.encoders)
    }
    assert not [name for name in choice.contenders if name.endswith(UNSPLIT)]
    assert "gone" not in [each.name for each in choice.missing], "libraries were asked again"


def test_without_a_model_there_is_nothing_to_run(choice, session, monkeypatch):
    monkeypatch.setattr(session.loader, "model", None)
    choice.libraries = []
    assert (choice.contenders, choice.is_whole, choice.expected_s) == ((), False, 0.0)
    assert choice.plan.model == ""


# How long a plan is expected to take, while the sizes of its texts become known


def test_a_slow_folder_does_not_block(choice, qtbot, tmp_path, monkeypatch):
    is_there, size_of_text = threading.Event(), bench_choice.size_of_text
    monkeypatch.setattr(bench_choice, "size_of_text", lambda name: is_there.wait() and size_of_text(name))
    for name, size in (("large", 10_000_000), ("small", 10)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text").write_bytes(bytes(size))
    choice.add_texts([str(tmp_path / "large")])
    unknown_s = choice.expected_s
    with qtbot.waitSignal(choice.changed):
        is_there.set()
    large_s = choice.expected_s
    assert choice.size_of(str(tmp_path / "large")) == 10_000_000
    with qtbot.waitSignals([choice.changed] * 2):
        choice.add_texts([str(tmp_path / "small")])
        assert choice.expected_s == unknown_s
    assert choice.expected_s < large_s


def test_sizes_of_texts_of_each_kind(tmp_path, monkeypatch):
    (tmp_path / "folder" / "deeper").mkdir(parents=True)
    for name, size in (("folder/a", 3), ("folder/deeper/b", 4)):
        (tmp_path / name).write_bytes(bytes(size))
    assert size_of_text("random") == RANDOM_BYTES
    assert size_of_text("tutorial") == len(TUTORIAL_LINE.encode()) * TUTORIAL_TIMES
    assert size_of_text("sample:english") == len(sample_text("english"))
    assert [size_of_text(str(tmp_path / name)) for name in ("folder", "folder/a", "gone")] == [
        *(7, 3),
        bench_choice.USUAL_BYTES,
    ]
    monkeypatch.setattr(bench_choice, "MOST_FILES", 0)
    assert size_of_text(str(tmp_path / "folder")) == 0


@pytest.fixture
def settings(tmp_path):
    settings = Settings(tmp_path / "settings.ini")
    yield settings
    settings.save()


def test_they_are_there_again_after_a_restart(settings, tmp_path, qtbot):
    own = CustomContenders(settings)
    mine, yours = (CustomContender(name, "command", "tok --x") for name in ("mine", "yours"))
    with qtbot.waitSignals([own.changed, own.changed]):
        own.add(mine)
        own.add(yours)
    own.add(replace(mine, target="tok --y"))
    settings.save()
    again = CustomContenders(Settings(tmp_path / "settings.ini"))
    assert again.contenders == (yours, replace(mine, target="tok --y"))
    with qtbot.waitSignal(again.changed):
        again.remove("yours")
    with qtbot.assertNotEmitted(again.changed):
        again.remove("yours")
    assert [each.name for each in again.contenders] == ["mine"]


@pytest.mark.parametrize("spoiled", ["", "5", "[5]", '[{"name": "a"}]', "{", '[{"name": "a", "kind": "x"}]'])
def test_spoiled_settings_hold_none(settings, spoiled):
    settings.own_contenders = spoiled
    assert CustomContenders(settings).contenders == ()


def test_those_that_ran_in_other_pythons_are_left_out(settings):
    mine = {"name": "mine", "kind": "command", "target": "tok", "python": ""}
    old = {"name": "old", "kind": "library", "target": "tiktoken", "python": "/env/bin/python"}
    settings.own_contenders = json.dumps([old, mine])
    own = CustomContenders(settings)
    assert own.contenders == (CustomContender("mine", "command", "tok"),)


def test_a_run_that_names_one_runs_nothing_and_offers_none(settings, make_model, tmp_path):
    trace = tmp_path / "trace"
    own = make_custom("theirs", "command", f'{sys.executable} -c \'open("{trace}", "w")\'')
    model = make_model()
    plan = Plan("demo:bpe", contenders=("fast", "theirs"), own=(own,))
    model.show_run(run_with(plan=json.loads(json.dumps(plan.record()))))
    assert CustomContenders(settings).contenders == ()
    assert not trace.exists()
