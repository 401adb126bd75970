"""Each step of small texts is drawn as `drawn_steps.txt` says, which tells what changes from step to step."""

from pathlib import Path

import numpy as np
import pytest
from gguf_builder import write_vocab

import guiapp
from guiapp.analysis.trace.operations import NUMBERS
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.reports import debugger_for
from guiapp.pages.steps import flow as flow_module
from guiapp.pages.steps import flow as lattice_module
from guiapp.pages.steps.flow import ElementKind, ElementRole, flow, lattice, made_so_far, stack

DRAWN = Path(__file__).with_name("drawn_steps.txt")
LITTLE_ROOM = {
    "TOKENS_BEFORE": 2,
    "TOKENS_AROUND": 3,
    "PIECES_BEHIND": 2,
    "LONGEST_RAW": 4,
    "MOST_RAW": 2,
    "LATTICE_PLACES": 4,
    "LONG_TEXT_BYTES": 24,
}
CASES = [  # model, encoder, text, room around the step where it is another
    ("bpe", "heap", "<|im_start|>How lions do", {}),
    ("bpe", "heap", "How lions do it so well", {"TOKENS_AROUND": 1, "LONG_TEXT_BYTES": 5}),
    ("spm", "heap", "a lion. ", {}),
    ("toy", "greedy", "abacbb", {}),
    ("unigram", "viterbi", "a lion é", {}),
    ("bpe", "table", "lion", {}),
    ("bpe", "fewest", "lions", {}),
    ("bpe", "backtrack", "unbel", {"LATTICE_PLACES": 3}),
    ("wordpiece", "wordpiece", "Lions é unbel", {"LONGEST_RAW": 6}),
    ("rwkv", "rwkv", "New 😍", {"LATTICE_PLACES": 9}),
]
BOXES = {
    ElementKind.FINISHED: "{}",
    ElementKind.CONTROL: "!{}",
    ElementKind.USER_DEFINED: "?{}",
    ElementKind.TOKEN: "[{}]",
    ElementKind.TEXT: "({})",
}
MARKS = {ElementRole.NONE: "", ElementRole.LEFT: "<", ElementRole.RIGHT: ">", ElementRole.OVER: "="}


def told_flow(shown):
    boxes = [
        f"{BOXES[box.part].format(box.text)}{MARKS[box.role]} {box.start}-{box.end} {box.below}#{box.color}"
        for box in shown.elements
    ]
    made = f"→ {shown.made} {shown.made_below}"
    return "; ".join(["…"] * shown.is_cut_before + boxes + ["…"] * shown.is_cut_after + [made])


def told_lattice(shown):
    places = [f"{place.text}{'*' * place.is_reached}{place.worth}" for place in shown.places]
    return "; ".join(places + [f"{edge.first}-{edge.last} {edge.text} {edge.kind}" for edge in shown.edges])


def told_stack(shown):
    return "; ".join(" ".join(row) for row in (*shown.taken, ("|",), *shown.tries))


def drawn(model, encoder, text):
    tokenizer = guiapp.open_model(f"demo:{model}")
    debugger = debugger_for(tokenizer, record(tokenizer, text, encoder))
    lines, before = [f"== {model} {encoder} {text!r}"], dict.fromkeys(("lattice", "made"), "")
    for step in range(debugger.n_steps + 1):
        debugger.go_to(step)
        rows = {
            "flow": told_flow(flow(debugger)),
            "lattice": told_lattice(lattice(debugger)),
            "stack": told_stack(stack(debugger, 3)),
            "made": "; ".join(f"{made.step} {made.text} {made.worth}" for made in made_so_far(debugger, 2)),
        }
        changed = [f"{name:8} {row}" for name, row in rows.items() if row != before.get(name)]
        lines += [f"{number:<3} {row}" for number, row in zip([step, *[""] * 3], changed, strict=False)]
        before = rows
    return "\n".join(line.rstrip() for line in lines) + "\n"


@pytest.mark.parametrize(("model", "encoder", "text", "room"), CASES)
def test_every_step_of_a_small_text_is_drawn(monkeypatch, model, encoder, text, room):
    for name, value in (LITTLE_ROOM | room).items():
        module = lattice_module if name == "LATTICE_PLACES" else flow_module
        monkeypatch.setattr(module, name, value)
    shown = drawn(model, encoder, text)
    expected = DRAWN.read_text(encoding="utf-8").split("== ")[1:]
    assert shown == "== " + next(part for part in expected if part.startswith(shown[3:].split("\n")[0]))


def test_a_space_in_front_of_the_text_is_the_left_part_of_its_pair():
    tokenizer = guiapp.open_model("demo:spm")
    debugger = debugger_for(tokenizer, record(tokenizer, "a lion", "heap"))
    debugger.go_to(2)
    roles = [(box.text, box.role) for box in flow(debugger).elements[:3]]
    assert roles == [("·", ElementRole.LEFT), ("a", ElementRole.RIGHT), ("·", ElementRole.NONE)]


def test_special_tokens_stand_on_both_sides_of_the_piece_that_is_encoded():
    text = "<|im_start|>How<|im_end|> lions<|im_end|>"
    tokenizer = guiapp.open_model("demo:bpe")
    debugger = debugger_for(tokenizer, record(tokenizer, text, "heap"))
    for step in np.flatnonzero(debugger.trace.columns.operation == NUMBERS["merge"]).tolist():
        debugger.go_to(step)
        shown = flow(debugger)
        covered = sorted((box.start, box.end) for box in shown.elements)
        assert [box.text for box in shown.elements if box.part is ElementKind.CONTROL] == [
            *("<|im_start|>", "<|im_end|>", "<|im_end|>")
        ]
        assert [0, *(end for _, end in covered)] == [*(start for start, _ in covered), len(text)]
        assert not shown.is_cut_before
        assert not shown.is_cut_after


def test_symbols_that_are_no_tokens_are_told(tmp_path):
    path = write_vocab(
        tmp_path / "odd.gguf", model="gpt2", pre="gpt-2", tokens=["a", "b", "ab"], merges=["a b", "c d"]
    )
    tokenizer = guiapp.open_model(path)
    debugger = debugger_for(tokenizer, record(tokenizer, "acdx", "heap"))
    shown = []
    for step in np.flatnonzero(debugger.trace.columns.operation == NUMBERS["merge"]).tolist():
        for position in (step, step + 1):
            debugger.go_to(position)
            shown.append([(box.text, box.below) for box in flow(debugger).elements])
    last = ("x", "no token")
    assert shown == [
        [("a", "0"), ("c", "no token"), ("d", "no token"), last],
        [("a", "0"), ("cd", "no token"), last],
    ]
