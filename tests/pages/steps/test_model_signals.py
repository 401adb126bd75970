"""What the debugger tells, keeps and forgets."""

import json

import pytest
from instant_recorder import InstantRecorder
from told import told_by

from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import Granularity
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.reports import debugger_for
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.steps import model as steps_model
from guiapp.pages.steps.model import StepsModel


@pytest.fixture
def model(make_steps_model):
    return make_steps_model(text=b"How lions", encoder="heap")


@pytest.fixture
def told(model):
    return told_by(model)


def kept(settings):
    return json.loads(settings.debugger)


def test_a_trace_is_told_with_its_place_and_breakpoints(model, told):
    debugger = model.debugger
    model.show(None)
    assert told == ["trace_changed", "breakpoints_changed", "position_changed"]
    assert (model.debugger, model.position, model.n_steps, model.title) == (None, 0, 0, "the end")
    told.clear()
    debugger.go_to(0)
    model.breakpoints.add("token 318")
    told.clear()
    model.show(debugger)
    assert told == ["trace_changed", "breakpoints_changed", "position_changed"]
    assert (model.position, [hits.tolist() for hits in model.hits]) == (
        3,
        [[3]],
    )  # it begins behind what splits
    assert debugger.log_limit == steps_model.MOST_NOTES


def test_a_trace_begins_where_encoding_does(model):
    assert model.debugger.trace.operation(model.position) == "merge"
    model.restart()
    model.show(model.debugger)
    assert model.position == 3


def test_what_is_told_of_watches(model, told, settings):
    model.add_watch("rank")
    model.add_watch("end")
    assert (told, kept(settings)["watches"]) == (["watches_changed"] * 2, ["rank", "end"])
    model.remove_watch(0)
    assert (told, kept(settings)["watches"]) == (["watches_changed"] * 3, ["end"])
    assert [model.watch_value(each) for each in model.watches] == ["3"]
    with pytest.raises(Exception, match=r"\w"):
        model.add_watch("1 +")
    assert (model.watches, len(told)) == (("end",), 3)


def test_the_size_of_steps_is_kept_and_told_once(model, told, settings):
    model.set_granularity(Granularity.PIECE)
    model.set_granularity(Granularity.PIECE)
    assert (told, kept(settings)["granularity"]) == (["granularity_changed"], Granularity.PIECE.value)
    again = StepsModel(model._session, settings, InstantRecorder())
    assert again.granularity is Granularity.PIECE
    again.stop()


def test_breakpoints_of_trainings_are_kept_beside(model, settings):
    model.breakpoints.add("token 318")
    rows = (parse_breakpoint("token 3"),)
    model.keep_training_breakpoints(rows)
    assert [row["value"] for row in kept(settings)["training"]] == ["3"]
    assert [row["value"] for row in kept(settings)["breakpoints"]] == ["318"]
    settings.debugger = ""
    model.keep_training_breakpoints(rows)
    assert settings.debugger == ""
    model.keep_training_breakpoints(())
    assert kept(settings)["training"] == []
    assert model.training_breakpoints == ()


def test_all_is_restored_without_a_word(model, settings):
    model.breakpoints.add("token 318")
    model.add_watch("rank")
    model.keep_training_breakpoints((parse_breakpoint("token 3"),))
    before = settings.debugger
    again = StepsModel(model._session, settings, InstantRecorder())
    assert (again.breakpoints.rows, again.watches) == (model.breakpoints.rows, ("rank",))
    assert again.training_breakpoints == model.training_breakpoints
    assert settings.debugger == before
    again.stop()


def test_without_settings_nothing_is_kept(qtbot):
    model = StepsModel(ModelSession(TextSession(b"")), recorder=InstantRecorder())
    model.add_watch("rank")
    model.breakpoints.add("token 1")
    assert (model.watches, [model.watch_value(each) for each in model.watches], model.absence(0)) == (
        ("rank",),
        ["–"],
        "",
    )
    model.stop()


def test_to_forget_begins_anew(model, told, settings):
    model.breakpoints.add("token 318")
    model.add_watch("rank")
    model.set_granularity(Granularity.PIECE)
    model.race.choose("greedy")
    told.clear()
    model.forget()
    assert (model.breakpoints.rows, model.watches, model.race.encoder) == ((), (), "")
    assert {"breakpoints_changed", "watches_changed", "granularity_changed"} <= set(told)
    assert kept(settings) == {"breakpoints": [], "watches": [], "granularity": "decision", "training": []}


def test_notes_are_told_where_they_are_new_and_only_the_last_are_kept(model, told, monkeypatch):
    monkeypatch.setattr(steps_model, "MOST_NOTES", 3)
    model.restart()
    told.clear()
    model.run()
    assert (model.notes, told) == ((), ["position_changed"])
    model.breakpoints.add("operation merge log {result}")
    model.restart()
    told.clear()
    model.run()
    assert told == ["notes_changed", "position_changed"]
    assert [step for step, _ in model.notes] == [11, 13, 18]
    told.clear()
    model.forget_notes()
    model.forget_notes()
    assert (model.notes, told) == ((), ["notes_changed"])
    model.run()
    model.show(model.debugger)
    assert model.notes == ()


def test_what_competes_is_looked_up_once_for_each_place(model, told):
    model.go_to(13)
    first = model.waiting
    assert first is model.waiting
    model.debugger.go_to(2)
    told.clear()
    model.refresh()
    assert (told, model.waiting.candidates) == (["position_changed"], [])
    model.go_to(13)
    assert model.waiting is not first
    assert model.waiting == first


def test_the_tree_follows_only_where_an_encoder_walks_down_it(model, qtbot):
    session = model._session
    assert model.tree is None
    assert not model._trees.is_busy
    session.set_encoder("greedy")
    qtbot.waitUntil(lambda: model.tree is not None)
    assert model.tree is session.vocabulary.token_tree
    session.set_encoder("heap")
    qtbot.waitUntil(lambda: model.debugger is not None and model.debugger.trace.encoder == "heap")
    assert model.tree is None


def test_why_a_breakpoint_cannot_be_hit(model):
    model.breakpoints.add("operation merge")
    model.breakpoints.add("difference viterbi")
    assert model.absence(0) == ""
    assert model.absence(1).startswith("The model has no encoder “viterbi”. It has: ")
    model.show(None)
    assert model.absence(1) == ""


def test_a_page_that_is_hidden_does_not_play_on(model):
    model.play()
    model.watch(True)
    assert model.clock.is_playing
    model.watch(False)
    assert not model.clock.is_playing


def test_another_text_takes_the_steps_away_once(model, told):
    model.play()
    model._session.document.insert(b"x")
    assert (model.debugger, model.clock.is_playing) == (None, False)
    assert told.count("trace_changed") == 1
    model._forget_trace()
    assert told.count("trace_changed") == 1


def test_playing_takes_steps_of_the_chosen_size_but_not_past_a_parting(make_steps_model, qtbot):
    model = make_steps_model("toy", b"abacb", "heap")
    model.race.choose("greedy")
    qtbot.waitUntil(lambda: model.race.difference_step is not None)
    difference_step = model.race.difference_step
    model.restart()
    model.play()
    model.clock.ticked.emit()
    assert model.position == 1
    model.set_granularity(Granularity.PIECE)
    while model.clock.is_playing:
        model.clock.ticked.emit()
    assert model.position == difference_step
    model.play()
    while model.clock.is_playing:
        model.clock.ticked.emit()
    assert model.position == model.n_steps


def test_runs_go_to_a_parting_that_lies_on_their_way_only(make_steps_model, qtbot):
    model = make_steps_model("toy", b"abacb", "heap")
    before = model.position
    model.to_difference()
    assert model.position == before
    model.race.choose("greedy")
    qtbot.waitUntil(lambda: model.race.difference_step is not None)
    difference_step = model.race.difference_step
    for start, run_to, back_to in (
        (0, difference_step, 0),
        (difference_step, model.n_steps, 0),
        (difference_step + 1, model.n_steps, difference_step),
    ):
        model.go_to(start)
        model.run()
        assert model.position == run_to
        model.go_to(start)
        model.reverse()
        assert model.position == back_to
    model.restart()
    assert model.race.competitor.position == 0
    model.to_difference()
    assert (model.position, model.race.competitor.position > 0) == (difference_step, True)


def test_steps_back_have_the_chosen_size_too(model):
    visited = []
    for granularity in (Granularity.DECISION, Granularity.PIECE):
        model.set_granularity(granularity)
        model.go_to(16)
        model.back()
        visited.append(model.position)
    assert visited == [15, 5]


def test_encodings_of_another_text_are_not_compared(model, told, qtbot):
    tokenizer = model._session.tokenizer
    compared = []
    model.debugger.compare_with = lambda name, tokens: compared.append((name, tokens.ids.tolist()))
    same, other = (tokenizer.encode(text, True, True, "greedy") for text in (b"How lions", b"other"))
    told.clear()
    model._take_others({"greedy": same, "scan": other})
    assert (compared, told) == ([("greedy", same.token_ids.tolist())], ["breakpoints_changed"])
    model.show(None)
    told.clear()
    model._take_others({"greedy": same})
    assert told == []


def test_a_trace_of_somebody_else_is_walked_from_its_start(model):
    tokenizer = model._session.tokenizer
    debugger = debugger_for(tokenizer, record(tokenizer, "sheep", "heap"))
    debugger.go_to(debugger.n_steps)
    model.show(debugger)
    assert 0 < model.position < debugger.n_steps
    assert model.race.leader is debugger
