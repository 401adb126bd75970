"""Another encoder beside the debugger."""

from __future__ import annotations

import pytest
from instant_recorder import InstantRecorder

import guiapp
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.viewmodels.steps.race import RaceModel
from guiapp.viewmodels.workspace import Workspace


@pytest.fixture
def race(qtbot):
    workspace = Workspace(b"abacb", load=lambda model, pre, progress: guiapp.open_model(model))
    with qtbot.waitSignal(workspace.encoding_changed):
        workspace.loader.open("demo:toy")
    model = RaceModel(workspace, InstantRecorder())
    yield model
    model.stop()
    workspace.close()


def leader(race: RaceModel, text: bytes) -> Debugger:
    tokenizer = race._workspace.tokenizer
    return debugger_for(tokenizer, record(tokenizer, text, "heap"))


def test_what_is_too_long_or_unknown_is_told(race):
    race.choose("greedy")
    race.run_beside(leader(race, b"a" * 100_001))
    assert race.rival is None
    assert "too long" in race.failure
    race.choose("no such encoder")
    assert race.encoder == race.failure == ""


def test_a_recording_that_was_given_up_is_not_taken(race):
    race.run_beside(leader(race, b"abacb"))
    race.choose("greedy")
    late = race.rival
    race.choose("")
    race._take(late)
    assert race.rival is None


def test_a_recording_with_the_model_before_is_not_taken(race, qtbot):
    race.run_beside(leader(race, b"abacb"))
    race.choose("greedy")
    late = race.rival
    with qtbot.waitSignal(race._workspace.vocabulary_changed):
        race._workspace.loader.open("demo:bpe")
    race.run_beside(leader(race, b"abacb"))
    assert race.rival.vocabulary is not late.vocabulary
    present = race.rival
    race._recorder.recorded.emit(late)
    assert race.rival is present


def test_a_recording_that_fails_is_told(race):
    race.run_beside(leader(race, b"abacb"))
    race.choose("greedy")
    race._recorder.failed.emit("no room")
    assert race.failure == "no room"
