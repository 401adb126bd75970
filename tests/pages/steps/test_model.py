"""The debugger behind the Steps page: recording in a process of its own, moving, breakpoints, memory."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from signals import record_signals

import guiapp
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import Granularity, debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import FORMS, NUMBERS, OPERATIONS
from guiapp.analysis.train.record import TRAINING_DIALECT
from guiapp.pages.steps import model as steps_model
from guiapp.pages.steps.flow import (
    TOKENS_AROUND,
    TRIES,
    VERDICTS,
    ElementKind,
    ElementRole,
    flow,
    lattice,
    made_so_far,
    stack,
)
from guiapp.pages.steps.model import Remembered, recall


@pytest.mark.parametrize("name", ["bpe", "spm", "wordpiece", "unigram", "rwkv", "toy"])
def test_there_is_something_to_draw_at_every_step(make_steps_model, name):
    model = make_steps_model(name, "New York 😍 unbelievable\nlions".encode())
    seen = set()
    for position in range(model.n_steps + 1):
        model.go_to(position)
        shown = flow(model.debugger)
        assert shown.elements
        places = [(element.start, element.end) for element in shown.elements]
        assert places == sorted(places)
        seen |= {element.role for element in shown.elements}
        lattice(model.debugger)
        stack(model.debugger)
        assert len(made_so_far(model.debugger, 5)) <= 5
        assert model.titles[0]
    assert seen & {ElementRole.LEFT, ElementRole.OVER}


def test_boxes_do_not_grow_with_the_text(make_steps_model):
    model = make_steps_model("spm", b"lions and sheep " * 300)
    model.go_to(model.n_steps // 2)
    assert len(flow(model.debugger).elements) < 8 * TOKENS_AROUND
    assert {OPERATIONS[number].name for number in model.debugger.trace.columns.operation} >= {"merge", "push"}


def test_text_next_to_a_special_token_is_split_into_short_parts():
    tokenizer = guiapp.open_model("demo:bpe")
    text = "One or two words 汉武帝 before ".encode() * 3 + b"<|im_start|>" + b"and more behind\r\nit " * 30
    debugger = debugger_for(tokenizer, record(tokenizer, text, "heap"))
    elements = flow(debugger).elements
    assert all(left.end == right.start for left, right in pairwise(elements))
    assert [element.text for element in elements if element.role is not ElementRole.NONE] == ["<|im_start|>"]
    others = [element for element in elements if element.role is ElementRole.NONE]
    assert max(len(element.text) for element in others) <= 30
    for element in others:
        text[element.start : element.end].decode()  # no character is torn


def test_the_chosen_path_of_a_lattice_is_drawn_at_the_current_step():
    unigram = guiapp.open_model("demo:unigram")
    walk = debugger_for(unigram, record(unigram, "How do lions sleep in New York? " * 4, "viterbi"))
    for step in range(int(walk.trace.pieces.done_step[0])):
        if walk.trace.operation(step) == "choose":
            walk.go_to(step + 1)
            chosen = [edge for edge in lattice(walk).edges if edge.kind == "chosen"]
            taken = [element.text for element in flow(walk).elements if element.part is ElementKind.TOKEN]
            assert all(before.last == after.first for before, after in pairwise(chosen))
            drawn = [edge.text for edge in chosen]
            assert drawn
            assert set(drawn) <= set(taken)


@pytest.mark.parametrize(("name", "encoder"), [("unigram", "viterbi"), ("bpe", "table"), ("bpe", "fewest")])
def test_the_arc_that_is_chosen_now_is_marked_on_the_way_back(name, encoder):
    tokenizer = guiapp.open_model(f"demo:{name}")
    walk = debugger_for(tokenizer, record(tokenizer, "How do lions sleep", encoder))
    trace = walk.trace
    for step in np.flatnonzero(trace.columns.operation == NUMBERS["choose"]).tolist():
        walk.go_to(step)
        shown = lattice(walk)
        marked = [edge for edge in shown.edges if edge.kind == "now"]
        assert [edge.text for edge in marked] == [walk.describer.made(step)]
        candidate_edges = {(edge.first, edge.last, edge.text) for edge in shown.edges if edge.kind == "way"}
        assert {edge[:3] for edge in shown.edges if edge.kind != "way"} <= candidate_edges
        chosen_starts = [edge.first for edge in shown.edges if edge.kind == "chosen"]
        assert marked[0].last == min(chosen_starts, default=len(shown.nodes) - 1)


def walk_at(name, text, encoder, step):
    tokenizer = guiapp.open_model(f"demo:{name}")
    walk = debugger_for(tokenizer, record(tokenizer, text, encoder))
    walk.go_to(min(step, walk.n_steps))
    return walk


def test_a_stack_holds_what_is_tried_now():
    backtrack = walk_at("bpe", "unbelievable", "backtrack", 0)
    for step in range(backtrack.n_steps):
        backtrack.go_to(step)
        if backtrack.trace.operation(step) in VERDICTS:
            tried = stack(backtrack).tries
            assert tried[-1].verdict == VERDICTS[backtrack.trace.operation(step)]
            before = [backtrack.trace.operation(earlier) for earlier in range(step - len(tried) + 1, step)]
            assert set(before) <= set(TRIES)


def test_the_last_that_was_made_is_listed_however_long_the_walk():
    walk = walk_at("bpe", "How lions sleep " * 200, "heap", 10_000)
    walk.go_to(5_500)
    forms = FORMS[walk.trace.columns.operation[:5_500]]
    assert [made.step for made in made_so_far(walk)] == np.flatnonzero(forms)[-9:].tolist()


def test_the_title_names_the_stage_or_the_piece(make_steps_model):
    model = make_steps_model(text=b"How lions", encoder="heap")
    titles = []
    for position in (0, 2, 5, model.n_steps - 1, model.n_steps):
        model.go_to(position)
        titles.append(model.titles[0])
    pieces = ["piece 1 of 2 · bytes 0–3 · “How”", "piece 2 of 2 · bytes 3–9 · “·lions”"]
    assert titles == ["split", *pieces, "assemble", "the end"]


def test_a_breakpoint_is_set_on_what_the_step_makes_or_does(make_steps_model):
    model = make_steps_model(text=b"How lions", encoder="heap")
    for position, condition in ((3, "token 318"), (4, "operation done"), (0, "operation piece")):
        model.go_to(position)
        model.toggle_breakpoint()
        assert [row.title for row in model.breakpoints.rows] == [condition]
        model.toggle_breakpoint()
        assert not model.breakpoints.rows
    model.go_to(model.n_steps)
    model.toggle_breakpoint()
    assert not model.breakpoints.rows


def test_a_difference_is_hit_once_the_other_encoder_has_finished(make_steps_model, qtbot):
    model = make_steps_model(text=b"How do lions sleep in New York?", encoder="greedy")
    model.breakpoints.add("difference heap")
    qtbot.waitUntil(lambda: len(model.hits[0]) > 0)
    model.breakpoints.remove(0)
    model.breakpoints.add("token 318")
    with qtbot.assertNotEmitted(model.breakpoints_changed, wait=100):
        pass


def test_each_way_of_moving_ends_where_it_should(make_steps_model, qtbot):
    """Steps of “How lions”: 0–1 split, 2–4 the first piece, 5–19 the second, 20 what is put in front."""
    model = make_steps_model(text=b"How lions", encoder="heap")
    model.breakpoints.add("operation stale")
    model.restart()
    visited = []
    for move in (
        model.step, model.into, model.over, model.over, model.back_over, model.back, model.out, model.run,
        model.run, model.reverse, model.restart, model.to_end, model.step, model.reverse, model.restart,
    ):  # fmt: skip
        move()
        visited.append(model.position)
    assert visited == [1, 2, 5, 15, 5, 4, 15, 16, 17, 16, 0, 21, 21, 17, 0]
    model.breakpoints.remove(0)
    with qtbot.waitSignal(model.granularity_changed):
        model.set_granularity(Granularity.PIECE)
    with qtbot.assertNotEmitted(model.granularity_changed):
        model.set_granularity(Granularity.PIECE)
    visited.clear()
    for move in (model.step, model.step, model.into, model.back, model.out):
        move()
        visited.append(model.position)
    assert visited == [1, 2, 3, 2, 4]
    model.to_byte(8)
    assert model.position == 18
    model.kept_session.document.set_caret(1)
    model.restart()
    model.to_caret()
    assert model.position == 3
    model.forget()
    assert model.granularity is Granularity.DECISION


def test_what_competes_is_what_the_queue_holds(make_steps_model):
    model = make_steps_model(text=b"How lions", encoder="heap")
    model.go_to(13)
    assert [entry.rank for entry in model.waiting.candidates] == [163, 201, 570, 1247]
    model.go_to(2)
    assert [entry.rank for entry in model.waiting.candidates] == []
    model.add_watch("rank")
    assert [model.watch_value(each) for each in model.watches] == ["62"]
    model.show(None)
    assert (
        model.waiting.candidates,
        [model.watch_value(each) for each in model.watches],
        model.titles[0],
    ) == (
        [],
        ["–"],
        "the end",
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"breakpoints": [{"kind": "fly"}]}', '{"watches": ["1 +"]}']
)
def test_spoiled_memory_counts_as_none(text):
    assert recall(text) == Remembered()


def test_all_of_it_comes_back():
    remembered = Remembered(
        (parse_breakpoint("token 3 hit 2"), replace(parse_breakpoint("rank < 9 once"), is_enabled=False)),
        ("end - position", "rank"),
        Granularity.PIECE,
        (parse_breakpoint("count > 3", TRAINING_DIALECT),),
    )
    assert recall(remembered.to_json()) == remembered
    assert recall(Remembered().to_json()) == recall("{}") == Remembered((), (), Granularity.DECISION, ())


@pytest.mark.parametrize("name", ["breakpoints", "watches", "granularity", "training"])
def test_what_is_missing_is_as_at_the_first_start(name):
    state = json.loads(Remembered((parse_breakpoint("token 3"),), ("rank",), Granularity.PIECE).to_json())
    del state[name]
    assert getattr(recall(json.dumps(state)), name) == getattr(Remembered(), name)


@pytest.mark.parametrize(
    "changes",
    [
        {"granularity": "huge"},
        {"watches": ["rank", "1 +"]},
        {"watches": 7},
        {"breakpoints": [{"kind": "rank", "value": "<"}]},
        {"breakpoints": [{"kind": "token", "value": "3"}, {"kind": "fly", "value": ""}]},
        {"breakpoints": [{"none": 1}]},
        {"training": [{"kind": "fly", "value": ""}]},
        {"training": [{"kind": "byte", "value": "3"}]},
    ],
)
def test_one_spoiled_part_spoils_all(changes):
    state = json.loads(Remembered((), ("rank",), Granularity.PIECE).to_json())
    assert recall(json.dumps(state | changes)) == Remembered()


@pytest.fixture
def model(make_steps_model):
    return make_steps_model(text=b"How lions", encoder="heap")


@pytest.fixture
def signals(model):
    return record_signals(model)


def saved_state(settings):
    return json.loads(settings.debugger)


def test_a_trace_begins_where_encoding_does(model):
    assert model.debugger.trace.operation(model.position) == "merge"
    model.restart()
    model.show(model.debugger)
    assert model.position == 3


def test_forget_resets_everything(model, signals, settings):
    model.breakpoints.add("token 318")
    model.add_watch("rank")
    model.set_granularity(Granularity.PIECE)
    model.race.choose("greedy")
    signals.clear()
    model.forget()
    assert (model.breakpoints.rows, model.watches, model.race.encoder) == ((), (), "")
    assert {"breakpoints_changed", "watches_changed", "granularity_changed"} <= set(signals)
    assert saved_state(settings) == {
        "breakpoints": [],
        "watches": [],
        "granularity": "decision",
        "training": [],
    }


def test_new_notes_are_signalled_and_only_the_last_are_stored(model, signals, monkeypatch):
    monkeypatch.setattr(steps_model, "MOST_NOTES", 3)
    model.restart()
    signals.clear()
    model.run()
    assert (model.notes, signals) == ((), ["position_changed"])
    model.breakpoints.add("operation merge log {result}")
    model.restart()
    signals.clear()
    model.run()
    assert signals == ["notes_changed", "position_changed"]
    assert [step for step, _ in model.notes] == [11, 13, 18]
    signals.clear()
    model.forget_notes()
    model.forget_notes()
    assert (model.notes, signals) == ((), ["notes_changed"])
    model.run()
    model.show(model.debugger)
    assert model.notes == ()


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


def test_playing_takes_steps_of_the_chosen_size_up_to_a_difference(make_steps_model, qtbot):
    model = make_steps_model("toy", b"abacb", "heap")
    model.race.choose("greedy")
    qtbot.waitUntil(lambda: model.race.difference_step is not None)
    difference_step = model.race.difference_step
    model.restart()
    model.play()
    model.clock.timeout.emit()
    assert model.position == 1
    model.set_granularity(Granularity.PIECE)
    while model.clock.is_playing:
        model.clock.timeout.emit()
    assert model.position == difference_step
    model.play()
    while model.clock.is_playing:
        model.clock.timeout.emit()
    assert model.position == model.n_steps


def test_runs_stop_at_a_difference_ahead_of_them(make_steps_model, qtbot):
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
