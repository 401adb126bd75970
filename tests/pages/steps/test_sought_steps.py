"""Steps that others ask for: of a token, of a place, of another model, of a session that was left."""

from dataclasses import replace

import pytest

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.sessions.session_file import SessionFile
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import Granularity
from guiapp.analysis.trace.trace import START, StepKey
from guiapp.pages.steps import recording

TEXT = b"How do lions sleep"
SPACE_L, LEEP = 280, 1514  # ·l  ·sleep
LEFT = SessionFile(
    "demo:bpe", TEXT, breakpoints=(parse_breakpoint("token 318"),), watches=("rank",),
    step_size=Granularity.PIECE, recorded=(7, 18), step=4, race="greedy",
)  # fmt: skip


@pytest.fixture
def model(make_steps_model):
    return make_steps_model(text=TEXT, encoder="heap")


@pytest.fixture
def document(model):
    return model.kept_session.document


@pytest.fixture
def short_parts(monkeypatch):
    """Only eight bytes are recorded unless people ask for more."""
    monkeypatch.setattr(recording, "n_first_bytes", lambda reference, is_one_piece, n_bytes: min(n_bytes, 8))


def step_of(model):
    trace, at = model.debugger.trace, model.position
    return trace.operation(at), int(trace.columns.position[at]), int(trace.columns.result[at])


def part(model):
    return model.recording.text_start, model.recording.text_end


def test_a_breakpoint_stops_where_a_token_is_formed_over_a_byte(model):
    model.stop_where_formed(SPACE_L, 7)
    assert step_of(model) == ("merge", 6, SPACE_L)
    model.stop_where_formed(SPACE_L, 8)
    assert step_of(model) == ("merge", 8, 419)
    assert [row.title for row in model.breakpoints.rows] == [f"token {SPACE_L}"]
    model.stop_where_formed(5, 14)
    assert step_of(model) == ("merge", 14, 296)
    assert [row.title for row in model.breakpoints.rows] == [f"token {SPACE_L}", "token 5"]


def test_what_is_not_recorded_yet_is_recorded_before_it_is_sought(short_parts, model, document):
    assert part(model) == (0, 8)
    model.go_where(StepKey("merge", 14, 18, LEEP))
    assert (part(model), step_of(model)) == ((12, 18), ("merge", 2, LEEP))
    model.stop_where_formed(403, 3)
    assert (part(model), step_of(model)) == ((0, 8), ("whole", 3, 403))
    model.go_where(StepKey("merge", 13, 15, 5))
    assert part(model)[0] > 3
    assert step_of(model)[1] + part(model)[0] <= 13


def test_a_place_is_gone_to_or_else_the_next_token_over_its_first_byte(model):
    model.go_where(StepKey("merge", 6, 8, SPACE_L))
    assert step_of(model) == ("merge", 6, SPACE_L)
    model.go_where(StepKey("merge", 9, 11, 5))
    assert step_of(model) == ("merge", 9, 291)
    model.go_where(START)
    assert model.position == 0


def test_what_was_left_is_taken_up_once_it_is_recorded(model, qtbot, settings):
    emitted = []
    model.watches_changed.connect(lambda: emitted.append(model.watches))
    model.resume(LEFT)
    assert (model.breakpoints.rows, model.watches, emitted) == (
        LEFT.breakpoints,
        LEFT.watches,
        [LEFT.watches],
    )
    assert (model.granularity, model.race.encoder) == (LEFT.step_size, "greedy")
    model.recording.record_part()
    assert (part(model), model.position) == ((7, 18), 4)
    assert model.captured(SessionFile("demo:bpe", TEXT)) == LEFT
    model.restart()
    assert model.captured(SessionFile("demo:bpe", TEXT)) == replace(LEFT, step=0)
    model.recording.record_part()
    assert part(model) == (0, 18)


def test_an_unfinished_session_is_saved_until_the_text_changes(model, document):
    model.watch(False)
    document.insert(b"x")
    document.undo()
    model.resume(LEFT)
    assert model.captured(SessionFile("demo:bpe", TEXT)) == LEFT
    document.replace(0, 1, b"N")
    assert model.captured(SessionFile("demo:bpe", TEXT)) == LEFT
    document.replace(8, 9, b"X")
    assert model.captured(SessionFile("demo:bpe", TEXT)) == replace(LEFT, recorded=None, step=0)


def test_another_text_than_the_one_that_was_left_begins_as_ever(model, document):
    begun = model.position
    model.resume(LEFT)
    model.recording.record_all()
    assert (part(model), model.position) == ((0, 18), begun)
    assert begun != LEFT.step


def test_notes_are_rewritten_when_the_spelling_changes(model, qtbot):
    model.breakpoints.add("token 280 log {result} here")
    model.restart()
    model.run()
    before, expected, emitted = model.notes, model.debugger.sentence(), []
    model.position_changed.connect(lambda: emitted.append(model.debugger.sentence()))
    model.kept_session.spelling.choose(Spelling.FILE)
    assert (before, model.notes) == (((13, "·l here"),), ((13, "Ġl here"),))
    assert emitted == [expected]


def test_a_race_with_another_model_goes_where_they_part(model, make_session, qtbot):
    competitor = make_session(TEXT, "demo:spm")
    model.to_end()
    model.race_with(competitor)
    qtbot.waitUntil(lambda: model.race.is_ready)
    assert (model.position, part(model)) == (model.race.difference_step, (0, 18))
    assert model.position < model.n_steps
    model.restart()
    model.race.changed.emit()
    assert model.position == 0
    model.to_difference()
    assert model.position == model.race.difference_step


def test_a_race_from_a_byte_that_is_not_recorded_has_it_recorded(short_parts, model, make_session, qtbot):
    model.race_with(make_session(TEXT, "demo:spm"), 16)
    assert part(model) == (12, 18)
    qtbot.waitUntil(lambda: model.race.is_ready)
    assert model.position == model.race.difference_step
