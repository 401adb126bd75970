"""What is said of the pre-tokenizer that explains what was found, and of the one that A has."""

from dataclasses import replace

import pytest
from fake_hunt import DIGITS, MERGE, START, batch_of, find_of

from guiapp.pages.hunt import model as module

QWEN = "all vanish when A is split as qwen2."


@pytest.fixture
def model(make_model, engine, pair, qtbot, monkeypatch):
    """One that has found two causes."""
    asked = []
    monkeypatch.setattr(module, "likely_pre", lambda plan, finds: asked.append((plan, finds)) or "qwen2")
    made = make_model(engine, *pair)
    made.asked = asked
    made.run()
    found = batch_of(find_of(b"12"), find_of(b"ab", MERGE))
    engine.tell(replace(START, is_over=True).with_batch(found))
    with qtbot.waitSignal(made.likely_changed):
        pass
    qtbot.waitUntil(lambda: not made.is_running and made.likely != "")
    return made


def test_the_likely_one_is_told_beside_what_the_file_says(model, pair):
    ((plan, finds),) = model.asked
    assert (plan.first, plan.second, finds) == (*pair, model.state.finds)
    assert model.kinds == [DIGITS, MERGE]
    assert model.likely_words == f"The 2 causes {QWEN} The file names llama-bpe."


def test_what_was_chosen_by_hand_is_told(model, qtbot):
    model.kinds = model.kinds[:1]
    assert model.likely_words.startswith("The 1 cause vanishes when A is split as qwen2. ")
    with qtbot.waitSignal(model.session.vocabulary_changed):
        model.session.loader.use_pre("gpt-2")
    model.likely, model.kinds = "qwen2", [DIGITS, MERGE]
    assert model.likely_words == f"The 2 causes {QWEN} It is split as gpt-2, chosen by hand."


def test_a_hunt_is_begun_again_with_the_likely_one_once(model, engine, pair, qtbot):
    before, n_plans = len(model.compared.sessions), len(engine.plans)
    model.hunt_again()
    qtbot.waitUntil(lambda: len(engine.plans) > n_plans)
    assert engine.plans[-1].pres == ("qwen2", None)
    assert len(model.compared.sessions) == before + 1
    model.hunt_again()
    assert len(model.compared.sessions) == before + 1


def test_the_length_of_a_hunt_is_that_of_the_one_that_is_shown(model):
    seconds = model.choices.seconds
    model.choose(replace(model.choices, seconds=seconds + 1))
    assert model.hunted_s == seconds
    model.sides.choose_file("other.gguf")
    assert (model.hunted_s, model.state, model.likely, model.kinds) == (seconds + 1, None, "", [])


def test_nothing_can_be_hunted_without_generators(make_model, engine, pair):
    model = make_model(engine, *pair)
    model.choose(replace(model.choices, generators=()))
    assert model.why_not == "Tick a generator of texts."
    model.run()
    assert not model.is_running
    model.hunt_again()
    assert (engine.plans, len(model.compared.sessions)) == ([], 2)
