"""Plans to begin with: which texts and scenarios each measures, and that the engine takes them."""

import pytest

from guiapp import open_model
from guiapp.core.bench.engine import cells_of
from guiapp.viewmodels.bench.presets import PRESETS, YOUR_TEXT

TEXTS = {
    "Quick look": ["sample:english", "sample:code", "sample:languages"],
    "Worst case": ["sample:english"],
    "The papers' tables": ["sample:english", "sample:code", "tutorial"],
    "My text": [YOUR_TEXT],
    "Everything": ["sample:english", "sample:code", "sample:languages", "tutorial", "random"],
}


def test_each_preset_has_the_texts_that_it_names():
    assert {preset.title: list(preset.texts) for preset in PRESETS} == TEXTS


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_a_preset_is_a_plan_that_can_be_run(preset):
    tokenizer = open_model("demo:bpe")
    texts = ["sample:welcome"]  # shorter than its own
    plan = preset.plan("demo:bpe", texts, ["fast", "heap"], "gpt-2")
    assert (plan.model, plan.pre, plan.corpora) == ("demo:bpe", "gpt-2", tuple(texts))
    assert (plan.contenders, plan.time_budget_s) == (("fast", "heap"), preset.time_budget_s)
    assert {cell.scenario for cell in cells_of(plan, tokenizer)} == set(preset.scenarios)
