"""Another encoder beside the debugger, and another model."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from conftest import VOCABS
from instant_recorder import InstantRecorder, load_once

from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.race import first_difference
from guiapp.analysis.trace.recorder import record
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.steps.race import RaceModel

FAMILY = "Tokenloupe demo: "  # not told where both names begin with it


@pytest.fixture
def session(make_session):
    return make_session(b"abacb", "demo:toy")


@pytest.fixture
def recorder(qapp):
    return InstantRecorder()


@pytest.fixture
def race(session, recorder):
    model = RaceModel(session, recorder)
    yield model
    model.stop()


@pytest.fixture
def leader(session):
    """Runs the open model on a text."""
    tokenizer = session.tokenizer
    return lambda text: debugger_for(tokenizer, record(tokenizer, text, "heap"))


def test_a_text_that_is_too_long_or_an_unknown_encoder_is_rejected(race, leader):
    race.choose("greedy")
    race.set_leader(leader(b"a" * 100_001))
    assert race.competitor is None
    assert "too long" in race.failure
    race.choose("no such encoder")
    assert race.encoder == race.failure == ""


def test_a_recording_that_was_given_up_is_not_taken(race, leader, recorder):
    race.set_leader(leader(b"abacb"))
    race.choose("greedy")
    late = race.competitor
    race.choose("")
    recorder.done.emit(late)
    assert race.competitor is None


def test_a_recording_that_fails_is_reported(race, leader, recorder):
    race.set_leader(leader(b"abacb"))
    race.choose("greedy")
    recorder.failed.emit("no room")
    assert race.failure == "no room"


def record_changes(race):
    description = []
    race.changed.connect(
        lambda: description.append((race.encoder, race.competitor is not None, race.failure))
    )
    return description


def test_the_encoders_that_can_race_are_listed(race, session, qtbot):
    names = set(session.tokenizer.encoders)
    reference = session.tokenizer.reference_encoder(session.algorithm.name)
    assert set(race.encoders) == names - {"fast", reference}
    session.set_encoder("greedy")
    assert set(race.encoders) == names - {"fast", "greedy"}
    without_model = RaceModel(ModelSession(TextSession(b"")), InstantRecorder())
    assert without_model.encoders == []
    without_model.choose("greedy")
    assert (without_model.encoder, without_model.competitor, without_model.failure) == (
        "greedy",
        None,
        "",
    )  # a model may yet come
    without_model.stop()


def test_the_competitor_moves_in_step_with_the_leader(race, leader):
    lead = leader(b"abacb")
    race.keep_in_step()
    race.set_leader(lead)
    race.choose("greedy")
    assert race.difference_step == race.difference.steps[0]
    assert race.difference == first_difference(lead, race.competitor)
    description = record_changes(race)
    seen = []
    for position in range(lead.n_steps + 1):
        lead.go_to(position)
        race.keep_in_step()
        seen.append(race.competitor.position)
        assert race.is_at_difference is (position == race.difference_step)
    assert seen.pop(race.difference_step) == race.difference.steps[1]
    assert (seen == sorted(seen), seen[0], seen[-1]) == (True, 0, race.competitor.n_steps)
    assert len(description) == lead.n_steps + 1
    race.set_leader(None)
    assert (race.competitor, race.is_ready, race.is_at_difference) == (None, False, False)
    race.keep_in_step()
    assert len(description) == lead.n_steps + 2


def test_proposals_are_described_after_scouting(race, leader, recorder):
    race.set_leader(leader(b"abacb"))
    assert all(
        each.differs and ALGORITHMS[each.encoder].title.lower() == each.description for each in race.proposals
    )
    description = []
    race.proposals_changed.connect(lambda: description.append(1))
    race.scout()
    assert len(description) == len(race.encoders)
    by_encoder = {each.encoder: each for each in race.proposals}
    assert by_encoder["greedy"].description == "longest match in the token tree · 8 operations, other tokens"
    assert by_encoder["scan"].description == "textbook pair merging · 9 operations, same tokens"
    assert [ALGORITHMS[name].exact for name in race.encoders] == [False] * 3 + [True] * 3
    asked = []
    recorder.record = lambda *given: asked.append(given)
    race.choose("greedy")  # whose run is known
    assert (race.competitor.trace.encoder, asked) == ("greedy", [])


def test_what_would_do_the_same_is_not_proposed(race, leader):
    race.set_leader(leader(b"a"))
    race.scout()
    assert [each.encoder for each in race.proposals if not each.differs]
    for each in race.proposals:
        race.choose(each.encoder)
        assert (race.difference_step is not None) is each.differs
        assert each.differs or each.description.endswith("takes the same steps on this text")
        assert each.differs or race.verdict == "Both take the same steps."


def test_runs_part_at_a_step_where_their_tokens_do_not(race, leader):
    race.set_leader(leader(b"abacb"))
    race.choose("scan")
    step = race.difference_step
    assert (race.difference, race.stops) == (None, [])
    assert race.verdict == f"Their steps differ from step {step} on."
    mine, other = (run.trace.operation(step) for run in (race.leader, race.competitor))
    assert (mine, other) == ("push", "merge")
    race.leader.go_to(step)
    race.keep_in_step()
    assert (race.is_at_difference, race.competitor.position) == (True, step)


TEXT = "How do the lions sleep in New York? abacb unbelievably 東京 é".encode()
REAL = [
    pytest.param(path, marks=pytest.mark.real_vocabs, id=path.name) for path in sorted(VOCABS.glob("*.gguf"))
]
MODELS = [f"demo:{name}" for name in ("bpe", "spm", "wordpiece", "unigram", "rwkv", "toy")]


@pytest.mark.parametrize("name", [*MODELS, *REAL])
def test_proposals_and_outcomes_match_the_recorded_runs(name, qtbot):
    session = ModelSession(TextSession(TEXT), load=load_once)
    with qtbot.waitSignal(session.tokens_changed, timeout=20_000):
        session.loader.open(str(name))
    race, tokenizer = RaceModel(session, InstantRecorder()), session.tokenizer
    recorded = cache(partial(record, tokenizer, TEXT))
    leaders = list(tokenizer.encoders) if str(name).startswith("demo:") else list(tokenizer.encoders)[:1]
    for encoder in leaders:
        session.set_encoder(encoder)
        ours = recorded(encoder)
        race.set_leader(debugger_for(tokenizer, ours))
        race.scout()
        for proposal in race.proposals:
            assert proposal.encoder not in ("fast", encoder, tokenizer.reference_encoder(encoder))
            race.choose(proposal.encoder)
            theirs = recorded(proposal.encoder)
            assert race.outcome.startswith(f"Operations in all: {ours.name} {int(race.work[0][-1]):,}, ")
            ids = [tokenizer.encode(TEXT, encoder=each).token_ids for each in (encoder, proposal.encoder)]
            is_same = np.array_equal(*ids)
            assert (f"the same {len(ids[1])} token" in race.outcome) is is_same
            assert ("tokens differ at " in race.outcome) is not is_same
            assert (race.difference is None) is is_same
            same_steps = [ours.operation(step) for step in range(len(ours))] == [
                theirs.operation(step) for step in range(len(theirs))
            ]
            assert proposal.differs or (is_same and same_steps)
            assert (race.difference_step is not None) is proposal.differs
    race.stop()
    session.close()


# Another model


@pytest.fixture
def other(session, qtbot):
    made = ModelSession(session.text, load=load_once)
    with qtbot.waitSignal(made.tokens_changed):
        made.loader.open("demo:bpe")
    yield made
    made.close()


def test_another_model_races_with_its_own_vocabulary_and_options(
    race, leader, session, recorder, other, monkeypatch
):
    assert (race.is_on, race.name) == (False, "")
    race.set_leader(leader(b"abacb acb"))
    other.set_encoder("greedy")
    other.set_add_special(False)
    race.choose_model(other)
    assert (race.is_on, race.encoder, race.other) == (True, "", other)
    assert race.competitor.vocabulary is other.vocabulary
    assert race.competitor.trace.encoder == "greedy"
    ours, theirs = (tokenizer.vocabulary.name for tokenizer in (session.tokenizer, other.tokenizer))
    assert race.name == f"{theirs.removeprefix(FAMILY)} · greedy"
    assert race.verdict == race.difference.reason
    first, second = (name.removeprefix(FAMILY) for name in (ours, theirs))
    assert f"{first} merges `cb`, rank 1; {second} · greedy takes `ac`" in race.verdict
    asked = []
    monkeypatch.setattr(recorder, "record", lambda *given: asked.append(given))
    race.set_leader(leader(b"ab"))
    assert asked == [(other.tokenizer, b"ab", "greedy", False, True)]
    assert (race.competitor, race.verdict, race.is_ready) == (None, "Recording …", False)


def test_a_race_is_updated_with_the_other_model(race, leader, recorder, other, qtbot):
    race.set_leader(leader(b"abacb"))
    race.choose_model(other)
    other.set_encoder("scan")
    assert race.competitor.trace.encoder == "scan"
    late = race.competitor
    with qtbot.waitSignal(other.vocabulary_changed):
        other.loader.open("demo:spm")
    assert race.competitor.vocabulary is other.vocabulary is not late.vocabulary
    present = race.competitor
    recorder.done.emit(late)
    assert race.competitor is present
    other.close()
    assert (race.is_on, race.other, race.competitor, race.difference, race.name) == (
        False,
        None,
        None,
        None,
        "",
    )
    other.set_encoder("greedy")
    assert race.competitor is None


def test_models_with_the_same_steps_are_reported_as_equal(race, leader, session, other, qtbot):
    race.set_leader(leader(b"abacb"))
    with qtbot.waitSignal(other.vocabulary_changed):
        other.loader.open("demo:toy")
    race.choose_model(other)
    assert race.outcome.endswith("the same 3 tokens.")
    assert (race.verdict, race.difference_step) == ("Both take the same steps.", None)
    other.set_encoder("greedy")
    name = other.vocabulary.name
    short = name.removeprefix(FAMILY)
    assert f"{short} merges `cb`, rank 1; {short} · greedy takes `ac`" in race.verdict
    session.set_encoder("greedy")
    race.set_leader(leader(b"abacb"))
    assert f"this {short} · greedy merges `cb`, rank 1; the other {short} · greedy takes" in race.verdict
    with qtbot.waitSignal(other.vocabulary_changed):
        other.loader.open("demo:wordpiece")
    other.set_encoder(None)
    other.set_add_special(False)
    race.set_leader(leader(b"a"))
    assert race.outcome.endswith(" Both cut the text into 1 token.")


def test_two_models_part_from_the_byte_on_that_was_asked_for(race, leader, session, other):
    text = b"abacb abacb abacb"
    other.set_encoder("greedy")
    race.choose_model(other, 107)
    race.set_leader(leader(text), 100)
    first, later = (
        first_difference(race.leader, race.competitor, (session.vocabulary.name, race.name), offset).byte
        for offset in (None, 7)
    )
    assert first < later == race.difference.byte
    race.choose_model(other)
    assert race.difference.byte == first


def test_who_has_finished_a_piece_waits_for_the_other(race, leader):
    run = leader(b"abacb")
    race.set_leader(run)
    race.choose("greedy")
    waits = []
    for step in range(run.n_steps + 1):
        run.go_to(step)
        race.keep_in_step()
        waits.append(race.waits)
    assert any(waits)
    assert (waits[0], waits[-1]) == (False, False)
