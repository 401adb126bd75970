"""Contenders of one's own: remembered, tried, and never taken from what somebody else wrote."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.libraries.custom import CustomContender, make_custom
from guiapp.kit.state.settings import Settings
from guiapp.pages.bench.choice import CustomContenders, CustomTrial

IDS = "import sys; print(len(sys.stdin.read()), 2)"


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


def test_those_that_ran_in_other_pythons_are_left_out_and_named(settings):
    mine = {"name": "mine", "kind": "command", "target": "tok", "python": ""}
    old = {"name": "old", "kind": "library", "target": "tiktoken", "python": "/env/bin/python"}
    settings.own_contenders = json.dumps([old, mine])
    own = CustomContenders(settings)
    assert (own.contenders, own.removed) == ((CustomContender("mine", "command", "tok"),), ["old"])


def test_a_run_that_names_one_runs_nothing_and_offers_none(settings, make_model, tmp_path):
    trace = tmp_path / "trace"
    own = make_custom("theirs", "command", f'{sys.executable} -c \'open("{trace}", "w")\'')
    model = make_model()
    plan = Plan("demo:bpe", contenders=("fast", "theirs"), own=(own,))
    model.show_run({"plan": json.loads(json.dumps(plan.record())), "results": []})
    assert CustomContenders(settings).contenders == ()
    assert not trace.exists()


def test_one_is_tried_on_the_beginning_of_the_text(session, qtbot):
    trial = CustomTrial(session)
    assert trial.is_possible
    own = make_custom("a", "command", f"{sys.executable} -c '{IDS}'")
    trial.start(own)
    assert (trial.is_busy, trial.message) == (True, "")
    qtbot.waitUntil(lambda: not trial.is_busy)
    assert trial.message.endswith("not those of the model.\n9 2")
    assert trial.message.startswith("2 ids in ")
    assert not trial.is_bad
    with qtbot.waitSignal(trial.changed):
        trial.forget()
    assert trial.message == ""
    trial.close()


def test_what_goes_wrong_is_told(session, qtbot):
    trial = CustomTrial(session)
    trial.start(CustomContender("a", "python", "nowhere:encode"))
    qtbot.waitUntil(lambda: not trial.is_busy)
    assert (trial.message, trial.is_bad) == ("ModuleNotFoundError: No module named 'nowhere'", True)
    trial.close()


def test_whoever_types_on_or_closes_waits_for_no_trial(session, qtbot):
    trial = CustomTrial(session)
    trial.start(make_custom("a", "command", f"{sys.executable} -c 'import time; time.sleep(600)'"))
    trial.forget()
    assert not trial.is_busy
    trial.close()
