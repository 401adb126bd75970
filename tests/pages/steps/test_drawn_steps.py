"""Each step of small texts is drawn as `drawn_steps.txt` says, which tells what changes from step to step."""

from pathlib import Path

import numpy as np
import pytest
from gguf_builder import write_vocab

import guiapp
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import NUMBERS
from guiapp.pages.steps import flow as flow_module
from guiapp.pages.steps import flow as lattice_module
from guiapp.pages.steps.flow import (
    MOST_OTHERS,
    ElementKind,
    ElementRole,
    MatchedPath,
    WalkNode,
    flow,
    lattice,
    made_so_far,
    matched_path,
    stack,
)

DRAWN = Path(__file__).with_name("drawn_steps.txt")
LITTLE_ROOM = {
    "TOKENS_BEFORE": 2,
    "TOKENS_AROUND": 3,
    "LONGEST_RAW": 4,
    "BEHIND_RAW": 8,
    "LATTICE_NODES": 4,
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
    ("bpe", "backtrack", "unbel", {"LATTICE_NODES": 3}),
    ("wordpiece", "wordpiece", "Lions é unbel", {"LONGEST_RAW": 6}),
    ("rwkv", "rwkv", "New 😍", {"LATTICE_NODES": 9}),
]
BOXES = {
    ElementKind.FINISHED: "{}",
    ElementKind.CONTROL: "!{}",
    ElementKind.USER_DEFINED: "?{}",
    ElementKind.TOKEN: "[{}]",
    ElementKind.TEXT: "({})",
}
MARKS = {ElementRole.NONE: "", ElementRole.LEFT: "<", ElementRole.RIGHT: ">", ElementRole.OVER: "="}


def flow_text(shown):
    boxes = [
        f"{BOXES[box.part].format(box.text)}{MARKS[box.role]} {box.start}-{box.end} {box.below}#{box.color}"
        for box in shown.elements
    ]
    made = f"→ {shown.made} {shown.made_below}"
    return "; ".join([*boxes, made])


def lattice_text(shown):
    places = [f"{place.text}{'*' * place.is_reached}{place.worth}" for place in shown.nodes]
    return "; ".join(places + [f"{edge.first}-{edge.last} {edge.text} {edge.kind}" for edge in shown.edges])


def stack_text(shown):
    return "; ".join(" ".join(row) for row in (*shown.taken, ("|",), *shown.tries))


def drawn(model, encoder, text):
    tokenizer = guiapp.open_model(f"demo:{model}")
    debugger = debugger_for(tokenizer, record(tokenizer, text, encoder))
    lines, before = [f"== {model} {encoder} {text!r}"], dict.fromkeys(("lattice", "made"), "")
    for step in range(debugger.n_steps + 1):
        debugger.go_to(step)
        rows = {
            "flow": flow_text(flow(debugger)),
            "lattice": lattice_text(lattice(debugger)),
            "stack": stack_text(stack(debugger, 3)),
            "made": "; ".join(f"{made.step} {made.text} {made.worth}" for made in made_so_far(debugger, 2)),
        }
        changed = [f"{name:8} {row}" for name, row in rows.items() if row != before.get(name)]
        lines += [f"{number:<3} {row}" for number, row in zip([step, *[""] * 3], changed, strict=False)]
        before = rows
    return "\n".join(line.rstrip() for line in lines) + "\n"


@pytest.mark.parametrize(("model", "encoder", "text", "room"), CASES)
def test_every_step_of_a_small_text_is_drawn(monkeypatch, model, encoder, text, room):
    for name, value in (LITTLE_ROOM | room).items():
        module = lattice_module if name == "LATTICE_NODES" else flow_module
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


def test_symbols_without_a_token_are_labelled(tmp_path):
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
        [("a", "id 0"), ("c", "no token"), ("d", "no token"), last],
        [("a", "id 0"), ("cd", "no token"), last],
    ]


TEXT = "How many unbelievable lions sleep in New York? 😍"


@pytest.mark.parametrize(("model", "encoder"), [("demo:bpe", "greedy"), ("demo:rwkv", "rwkv")])
def test_each_token_taken_ends_a_walk_through_its_prefixes(model, encoder):
    tokenizer = guiapp.open_model(model)
    debugger = debugger_for(tokenizer, record(tokenizer, TEXT, encoder))
    tree = tokenizer.vocabulary.token_tree
    n_walks = 0
    for step in range(debugger.n_steps + 1):
        debugger.go_to(step)
        shown = matched_path(debugger, tree)
        if step == debugger.n_steps or debugger.trace.operation(step) != "take":
            assert not shown.nodes
            continue
        n_walks += 1
        columns = debugger.trace.columns
        taken = debugger.trace.text[columns.position[step] : columns.end[step]]
        prefixes = [tokenizer.vocabulary.token_bytes(node.token_id) for node in shown.nodes]
        assert prefixes[-1] == taken
        assert all(taken.startswith(prefix) for prefix in prefixes)
        assert [len(prefix) for prefix in prefixes] == sorted({len(prefix) for prefix in prefixes})
        every_prefix = {taken[:size] for size in range(1, len(taken) + 1)}
        assert {prefix for prefix in every_prefix if tree.longest_match(prefix) is not None} >= set(prefixes)
        for node in shown.nodes:
            assert len(node.others) <= min(MOST_OTHERS, node.n_others)
    assert n_walks > 5


def toy_walk(text, step):
    tokenizer = guiapp.open_model("demo:toy")
    debugger = debugger_for(tokenizer, record(tokenizer, text, "greedy"))
    debugger.go_to(step)
    return matched_path(debugger, tokenizer.vocabulary.token_tree)


def test_each_node_of_a_path_has_its_suffix_and_siblings():
    assert toy_walk("acbbabab", 1) == MatchedPath(
        [
            WalkNode(0, "a", ("b", "c"), 2),
            WalkNode(5, "ac", ("b",), 1),
            WalkNode(8, "acbb", (), 0),
        ],
        "abab",
    )
    assert toy_walk("acbbababab", 1).text_after == "ababab"
    assert toy_walk("acbbabababa", 1).text_after == "ababab"
    assert toy_walk("acbb", 0) == toy_walk("acbb", 2) == toy_walk("acbb", 99) == MatchedPath([], "")
