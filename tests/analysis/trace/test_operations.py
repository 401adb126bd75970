"""The table of operations: where each belongs, what it changes, and which leave a token or symbol behind."""

from __future__ import annotations

from guiapp.analysis.trace.trace import EFFECTS, FORMS, NUMBERS, OPERATIONS, STAGE_NAMES, STAGES, Effect

BY_STAGE = {
    "partition": "special text",
    "normalise": "normalise",
    "split": "piece",
    "assemble": "add",
}
BY_EFFECT = {
    Effect.MERGE: ["merge"],
    Effect.WAY: ["reach"],
    Effect.APPEND: ["whole", "take", "choose"],
    Effect.JOIN: ["join"],
    Effect.POP: ["back"],
    Effect.RESTART: ["give up", "too long"],
}
FORMING = "special whole merge take give_up too_long reach choose join fallback add"


def test_each_operation_is_of_its_stage():
    stages = {name: [] for name in STAGE_NAMES}
    for name, number in NUMBERS.items():
        stages[STAGE_NAMES[STAGES[number]]].append(name)
    encoding = stages.pop("encode")
    assert {stage: " ".join(names) for stage, names in stages.items()} == BY_STAGE
    assert len(encoding) == len(OPERATIONS) - 5


def test_each_operation_has_its_effect():
    found = {
        effect: [name for name, number in NUMBERS.items() if EFFECTS[number] == effect] for effect in Effect
    }
    nothing = found.pop(Effect.NOTHING)
    assert found == BY_EFFECT
    assert len(nothing) == len(OPERATIONS) - 9


def test_those_that_form_something_are_known():
    forming = {name.replace("_", " ") for name in FORMING.split()}
    assert {name for name, number in NUMBERS.items() if FORMS[number]} == forming
