"""Another encoder beside the debugger."""

from __future__ import annotations

import pytest
from instant_recorder import InstantRecorder

import guiapp
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.race import first_difference
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.steps.race import RaceModel
from guiapp.viewmodels.text_session import TextSession


@pytest.fixture
def race(qtbot):
    session = ModelSession(TextSession(b"abacb"), load=lambda model, pre, progress: guiapp.open_model(model))
    with qtbot.waitSignal(session.tokens_changed):
        session.loader.open("demo:toy")
    model = RaceModel(session, InstantRecorder())
    yield model
    model.stop()
    session.close()


def leader(race: RaceModel, text: bytes) -> Debugger:
    tokenizer = race._session.tokenizer
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
    with qtbot.waitSignal(race._session.vocabulary_changed):
        race._session.loader.open("demo:bpe")
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


def told_with_rival(race):
    told = []
    race.changed.connect(lambda: told.append((race.encoder, race.rival is not None, race.failure)))
    return told


def test_who_can_run_beside(race, qtbot):
    names = set(race._session.tokenizer.encoders)
    twin = race._session.tokenizer.readable_twin(race._session.algorithm.name)
    assert set(race.encoders) == names - {"fast", twin}
    race._session.set_encoder("greedy")
    assert set(race.encoders) == names - {"fast", "greedy"}
    nobody = RaceModel(ModelSession(TextSession(b"")), InstantRecorder())
    assert nobody.encoders == []
    nobody.choose("greedy")
    assert (nobody.encoder, nobody.rival, nobody.failure) == ("greedy", None, "")  # a model may yet come
    nobody.stop()


def test_a_race_is_told_as_it_begins_and_ends(race):
    told = told_with_rival(race)
    assert (race.is_ready, race.parting, race.is_parting, race.difference) == (True, None, False, None)
    race.choose("greedy")
    assert (race.is_ready, told) == (False, [("greedy", False, "")])
    told.clear()
    race.run_beside(leader(race, b"abacb"))
    assert told == [("greedy", True, ""), ("greedy", True, "")]
    assert race.is_ready
    told.clear()
    race._fail("odd")
    assert (told, race.is_ready) == ([("greedy", True, "odd")], True)
    told.clear()
    race.choose("")
    assert told == [("", False, "")]
    assert (race.difference, race.parting, race.is_parting, race.is_ready) == (None, None, False, True)


def test_the_rival_goes_where_the_leader_is(race):
    lead = leader(race, b"abacb")
    race.follow()
    race.run_beside(lead)
    race.choose("greedy")
    assert race.parting == race.difference.steps[0]
    assert race.difference == first_difference(lead, race.rival)
    told = told_with_rival(race)
    seen = []
    for position in range(lead.n_steps + 1):
        lead.go_to(position)
        race.follow()
        seen.append(race.rival.position)
        assert race.is_parting is (position == race.parting)
    assert (seen == sorted(seen), seen[0], seen[-1]) == (True, 0, race.rival.n_steps)
    assert len(told) == lead.n_steps + 1
    race.run_beside(None)
    assert (race.rival, race.is_ready, race.is_parting) == (None, False, False)
    race.follow()
    assert len(told) == lead.n_steps + 2


def test_the_rival_has_the_same_text_and_options(race, monkeypatch):
    asked = []
    monkeypatch.setattr(race._recorder, "record", lambda *given: asked.append(given))
    race._session.set_add_special(False)
    race.run_beside(leader(race, b"abacb"))
    race.choose("greedy")
    assert asked == [(race._session.tokenizer, b"abacb", "greedy", False, True)]
    race.choose("no such encoder")
    assert len(asked) == 1


def test_a_recording_of_another_text_or_encoder_is_not_taken(race):
    race.run_beside(leader(race, b"abacb"))
    race.choose("greedy")
    present, tokenizer = race.rival, race._session.tokenizer
    for text, encoder in ((b"abacb", "heap"), (b"abacbb", "greedy")):
        race._take(debugger_for(tokenizer, record(tokenizer, text, encoder)))
        assert race.rival is present
