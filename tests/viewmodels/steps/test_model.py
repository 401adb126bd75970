"""The debugger behind the Steps page: recording in a process of its own, moving, breakpoints, memory."""

from itertools import pairwise

import numpy as np
import pytest

import guiapp
from guiapp.core.trace.operations import NUMBERS, OPERATIONS
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.viewmodels.steps import diagrams as step_pictures
from guiapp.viewmodels.steps.diagrams import Part, Role, flow, lattice, made_so_far, stack


def test_breakpoints_and_watches_are_kept_for_the_next_session(make_steps_model, settings):
    first = make_steps_model()
    first.breakpoints.add("token 99999999")
    first.breakpoints.add("rank < 100 once")
    first.add_watch("end - position")
    second = make_steps_model()
    assert [row.title for row in second.breakpoints.rows] == ["token 99999999", "rank < 100 once"]
    assert len(second.hits[0]) == 0
    assert second.watch_values() == ["2"]


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
        assert model.title
    assert seen & {Role.LEFT, Role.OVER}


def test_a_merge_shows_its_two_parts_and_what_they_become(make_steps_model):
    model = make_steps_model(text=b"lions")
    assert model.debugger.trace.operation(model.position) == "merge"
    shown = flow(model.debugger)
    roles = [element.role for element in shown.elements if element.part is Part.TOKEN]
    assert roles.count(Role.LEFT) == roles.count(Role.RIGHT) == 1
    left, right = (element.text for element in shown.elements if element.role is not Role.NONE)
    assert shown.made == left + right


def test_boxes_do_not_grow_with_the_text(make_steps_model):
    model = make_steps_model("spm", b"lions and sheep " * 300)
    model.go_to(model.n_steps // 2)
    assert len(flow(model.debugger).elements) < 8 * step_pictures.TOKENS_AROUND
    assert {OPERATIONS[number].name for number in model.debugger.trace.columns.operation} >= {"merge", "push"}


def test_text_around_a_special_token_can_be_broken_into_rows():
    tokenizer = guiapp.open_model("demo:bpe")
    text = "One or two words 汉武帝 before ".encode() * 3 + b"<|im_start|>" + b"and more behind\r\nit " * 30
    debugger = debugger_for(tokenizer, record(tokenizer, text, "heap"))
    elements = flow(debugger).elements
    assert all(left.end == right.start for left, right in pairwise(elements))
    assert [element.text for element in elements if element.role is not Role.NONE] == ["<|im_start|>"]
    others = [element for element in elements if element.role is Role.NONE]
    assert max(len(element.text) for element in others) <= 30
    for element in others:
        text[element.start : element.end].decode()  # no character is torn


def test_the_way_back_through_a_lattice_is_drawn_where_one_looks():
    unigram = guiapp.open_model("demo:unigram")
    walk = debugger_for(unigram, record(unigram, "How do lions sleep in New York? " * 4, "viterbi"))
    for step in range(int(walk.trace.pieces.done_step[0])):
        if walk.trace.operation(step) == "choose":
            walk.go_to(step + 1)
            chosen = [edge for edge in lattice(walk).edges if edge.kind == "chosen"]
            taken = [element.text for element in flow(walk).elements if element.part is Part.TOKEN]
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
        assert [edge.text for edge in marked] == [walk.teller.made(step)]
        ways = {(edge.first, edge.last, edge.text) for edge in shown.edges if edge.kind == "way"}
        assert {edge[:3] for edge in shown.edges if edge.kind != "way"} <= ways
        behind = [edge.first for edge in shown.edges if edge.kind == "chosen"]
        assert marked[0].last == min(behind, default=len(shown.places) - 1)
