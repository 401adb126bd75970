"""What the Hunt page's model makes of the states of a hunt, what it asks for, and what it says."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from pathlib import Path

import pytest
from fake_hunt import DIGITS, MERGE, START, batch_of, find_of, lines_of

import guiapp
from guiapp.analysis.hunt.generators import ALL_NAMES
from guiapp.analysis.hunt.pair import HuntError
from guiapp.analysis.libraries.table import PEERS
from guiapp.pages.hunt import model as module
from guiapp.pages.hunt.model import plain, where


def begun(qtbot, model, engine) -> None:
    model.run()
    qtbot.waitUntil(lambda: bool(engine.plans))


def news(qtbot, model, engine, state) -> None:
    engine.tell(state)
    qtbot.waitUntil(lambda: model.state == state)


def run_to_its_end(qtbot, model) -> None:
    with qtbot.waitSignal(model.changed):
        model.run()
    qtbot.waitUntil(lambda: not model.is_running, timeout=60_000)


def test_b_is_the_next_model_of_compare_until_another_is_chosen(make_model, engine, pair, qtbot):
    model = make_model(engine, pair[0])
    assert model.sides.second is None
    assert "Choose B: another model" in model.why_not
    with qtbot.waitSignal(model.sides.changed):
        added = model.compared.add(pair[1])
    assert model.why_not == "B is opening."
    qtbot.waitUntil(lambda: model.why_not == "")
    assert (model.sides.first.name, model.sides.second.name) == pair
    model.sides.choose_file("elsewhere/other\u202e.gguf", None)
    assert model.sides.second[:3] == ("elsewhere/other\u202e.gguf", None, "other\\u202e")
    assert model.compared.partner is model.compared.sessions[2], "of all modes of Compare"
    qtbot.waitUntil(lambda: "cannot be" in model.why_not or "no such" in model.why_not.lower())
    model.sides.choose_model(added)
    assert model.sides.second.name == pair[1]
    model.compared.choose_partner(model.compared.sessions[2])
    assert model.sides.second.title == "other\\u202e"


def test_a_file_that_compare_has_no_room_for_is_b_all_the_same(make_model, engine, pair):
    model = make_model(engine, *[pair[0]] * 4)
    model.sides.choose_file("elsewhere/other\u202e.gguf", None)
    assert model.sides.second == ("elsewhere/other\u202e.gguf", None, "other\\u202e.gguf", "")
    assert model.sides.partner is None


def test_a_library_is_offered_or_the_reason_is_given(make_model, engine, qtbot):
    model = make_model(engine, "demo:rwkv")
    reasons = {each.name: reason for each, reason in model.sides.libraries.items()}
    assert list(reasons) == ["llama.cpp", "tokenizers", "transformers", "tiktoken", "sentencepiece"]
    assert reasons["tiktoken"]
    if PEERS["llama.cpp"].is_installed:
        library = next(each for each in model.sides.libraries if each.name == "llama.cpp")
        assert reasons["llama.cpp"] == ""
        assert library.about.startswith(PEERS["llama.cpp"].version)
        model.sides.choose_library(library)
        assert model.sides.second.is_library


def test_a_library_remains_chosen_when_models_change(make_model, engine, qtbot):
    model = make_model(engine, "demo:bpe", "demo:spm")
    library = next(each for each in model.sides.libraries if each.name == "tiktoken")
    model.sides.choose_library(library)
    for name in ("demo:rwkv", "demo:bpe"):
        model.session.loader.open(name)
        qtbot.waitUntil(lambda name=name: model.sides.first.name == name)
        assert model.sides.second == library
        if name == "demo:rwkv":
            assert model.why_not == model.sides.libraries[library]


def test_the_same_file_twice_is_no_hunt(make_model, engine, pair, tmp_path, qtbot):
    model = make_model(engine, pair[0])
    model.sides.choose_file(pair[0])
    qtbot.waitUntil(lambda: "same file" in model.why_not)
    model.run()
    assert not model.is_running
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(Path(pair[0]).read_bytes())
    model.sides.choose_file(str(copy))
    qtbot.waitUntil(lambda: model.why_not == "")
    run_to_its_end(qtbot, model)
    assert "identical files" in model.problem
    assert engine.plans == []
    model.sides.choose_file(pair[0], "qwen2")
    qtbot.waitUntil(lambda: model.why_not == "")


def test_what_was_chosen_is_the_plan(make_model, engine, pair, tmp_path, qtbot):
    own = tmp_path / "own.txt"
    own.write_bytes(b"mine")
    model = make_model(engine, *pair, text=b"the present text")
    choices = replace(model.choices, generators=("digits",), seconds=5.0, seed=7)
    model.choose(choices.with_own(str(own), True).with_own("left out", True).with_own("left out", False))
    begun(qtbot, model, engine)
    (plan,) = engine.plans
    assert (plan.first, plan.second, plan.pres) == (*pair, (None, None))
    assert (plan.generators, plan.seconds, plan.seed) == (("digits",), 5.0, 7)
    assert engine.texts == [b"the present text", b"mine"]
    model.stop()
    qtbot.waitUntil(lambda: not model.is_running)
    model.choose(replace(model.choices, generators=ALL_NAMES, takes_text=False, own_texts=()))
    engine.plans.clear()
    begun(qtbot, model, engine)
    assert engine.plans[0].generators == ()  # all of them
    assert engine.plans[0].files == ()


def test_rows_are_added_while_it_runs_and_sorted_by_lines_at_the_end(make_model, engine, pair, qtbot):
    model = make_model(engine, *pair)
    begun(qtbot, model, engine)
    state = replace(START, seconds=1.0).with_batch(batch_of(find_of(b"12345")))
    news(qtbot, model, engine, state)
    assert model.selected.text == b"12345"
    state = replace(state, seconds=2.0).with_batch(batch_of(find_of(b"ab", MERGE), find_of(b"12")))
    state = state.with_batch(lines_of("own", MERGE, (1, 0, b"ab", 0)))
    news(qtbot, model, engine, state)
    assert model.kinds == [DIGITS, MERGE]
    assert model.found_at == {DIGITS: 1.0, MERGE: 2.0}
    assert [find.text for find in model.all_texts] == [b"12", b"12345", b"ab"]
    assert model.selected.text == b"12345"  # it stays where people look
    news(qtbot, model, engine, replace(state, is_over=True))
    assert model.kinds == [MERGE, DIGITS]
    assert [find.text for find in model.all_texts] == [b"ab", b"12", b"12345"]
    assert model.selected_row == 1


def test_steps_cycle_through_the_mismatches(make_model, engine, pair, qtbot):
    model = make_model(engine, *pair)
    begun(qtbot, model, engine)
    model.walk.step(1)  # nothing yet
    mismatches = find_of(b"12"), find_of(b"345"), find_of(b"ab", MERGE)
    news(qtbot, model, engine, replace(START, is_over=True).with_batch(batch_of(*mismatches)))
    seen = []
    for _ in range(4):
        seen.append(model.selected.text)
        model.walk.step(1)
    assert seen == [b"12", b"345", b"ab", b"12"]
    model.walk.step(-1)
    assert model.selected.text == b"12"
    model.select(MERGE, 0)
    assert model.selected.text == b"ab"


def test_another_model_ends_the_hunt_and_clears_its_results(make_model, engine, pair, qtbot):
    model = make_model(engine, *pair)
    begun(qtbot, model, engine)
    news(qtbot, model, engine, START.with_batch(batch_of(find_of(b"12"))))
    with qtbot.waitSignal(model.state_changed):
        model.session.loader.open("demo:spm")
    assert not model.is_running
    assert (model.state, model.kinds, model.selected, model.selected_row) == (None, [], None, -1)


def test_results_are_not_shown_for_a_rewritten_file(make_model, engine, pair, qtbot):
    model = make_model(engine, *pair)
    begun(qtbot, model, engine)
    news(qtbot, model, engine, replace(START, is_over=True).with_batch(batch_of(find_of(b"12"))))
    original = Path(pair[0]).read_bytes()
    Path(pair[0]).write_bytes(original.replace(b"qwen2", b"llama", 1) + b"\0")
    with qtbot.waitSignal(model.session.vocabulary_changed):
        model.session.loader.open(pair[0])
    assert model.finds == []


def test_results_are_not_shown_for_another_b(make_model, engine, pair, qtbot):
    model = make_model(engine, *pair)
    begun(qtbot, model, engine)
    news(qtbot, model, engine, replace(START, is_over=True).with_batch(batch_of(find_of(b"12"))))
    model.sides.choose_model(model.sides.models[0])  # the same one
    assert model.finds
    model.sides.choose_file(pair[1], "llama-bpe")
    assert model.finds == []
    model.compared.remove(model.sides.partner)
    qtbot.waitUntil(lambda: model.why_not == "")
    engine.plans.clear()
    begun(qtbot, model, engine)
    model.compared.remove(model.compared.sessions[1])
    assert not model.is_running
    assert model.sides.second is None


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (HuntError("No such hunt."), "No such hunt."),
        (OSError(2, "not there", "a\u202e.txt"), "a\\u202e.txt cannot"),
    ],
)
def test_the_reason_for_a_failed_hunt_is_reported(make_model, engine, pair, error, message, qtbot):
    model = make_model(engine, *pair)
    begun(qtbot, model, engine)
    engine.tell(error)
    qtbot.waitUntil(lambda: not model.is_running)
    assert model.problem.startswith(message)
    engine.plans.clear()
    begun(qtbot, model, engine)
    assert model.problem == ""


def test_a_line_is_pointed_out_in_the_text_even_after_it_moved(make_model, engine, pair, qtbot):
    model = make_model(engine, *pair, text="é 1984\r\ntwo 12\n".encode())
    begun(qtbot, model, engine)
    file = engine.plans[0].files[0]
    state = START.with_batch(batch_of(find_of(b"12"))).with_batch(
        lines_of(file, DIGITS, (2, 9, b"two 12", 4))
    )
    news(qtbot, model, engine, state)
    (place,) = model.finds[0].locations
    assert model.is_in_text(place)
    text, seen = model.session.text, []
    text.pointed_out.connect(lambda *span: seen.append(span))
    model.point_out(place)
    text.document.replace(0, 0, b"new ")
    model.point_out(place)
    assert seen == [(13, 14), (17, 18)]
    text.document.replace(13, 17, b"")
    with qtbot.waitSignal(model.failed) as failed:
        model.point_out(place)
    assert "no longer contains" in failed.args[0]
    assert len(seen) == 2


def test_a_line_of_a_file_is_pointed_out_when_that_is_the_text(make_model, engine, pair, tmp_path, qtbot):
    own = tmp_path / "own.txt"
    own.write_bytes(b"one\ntwo 12\n")
    model = make_model(engine, *pair)
    begun(qtbot, model, engine)
    state = START.with_batch(batch_of(find_of(b"12")))
    news(qtbot, model, engine, state.with_batch(lines_of(str(own), DIGITS, (2, 4, b"two 12", 4))))
    for _ in range(2):  # it has to be opened once
        with qtbot.waitSignal(model.session.text.pointed_out) as pointed_out:
            model.point_out(model.finds[0].locations[0])
        assert pointed_out.args == [8, 9]
    assert model.session.text.path == own


def test_the_find_is_shown_in_a_column_that_is_there_or_added(make_model, engine, pair, qtbot):
    model = make_model(engine, pair[0])
    model.sides.choose_file(pair[1])
    qtbot.waitUntil(lambda: model.why_not == "")
    begun(qtbot, model, engine)
    news(qtbot, model, engine, START.with_batch(batch_of(find_of(b"12"))))
    session = model.second_session()
    assert model.second_session() is session  # while it is opened
    assert list(model.compared.sessions[1:]) == [session]
    qtbot.waitUntil(lambda: session.loader.model is not None)
    assert model.second_session() is session
    model.show_text()
    assert model.session.document.text() == b"12"


# With the engine itself


def test_a_hunt_detects_a_planted_fault_and_its_likely_cause(make_model, pair, qtbot):
    model = make_model(None, *pair)
    model.run()
    qtbot.waitUntil(lambda: DIGITS in model.kinds and model.state.n_lines == 2, timeout=60_000)
    model.stop()
    qtbot.waitUntil(lambda: not model.is_running)
    assert model.state.is_over
    digits = model.finds[model.kinds.index(DIGITS)]
    assert digits.n_lines == 2
    assert [place.line.text for place in digits.locations] == [b"one 1984", b"two 12"]
    qtbot.waitUntil(lambda: model.likely == "qwen2")
    assert "if A is split as qwen2" in model.likely_words
    second = model.sides.second
    model.hunt_again()
    qtbot.waitUntil(lambda: model.state is not None and model.state.tried > 1000, timeout=60_000)
    model.stop()
    qtbot.waitUntil(lambda: not model.is_running)
    assert model.finds == []
    assert (model.sides.first.pre, model.sides.second) == ("qwen2", second)
    added = model.compared.sessions[-1]
    qtbot.waitUntil(lambda: added.loader.model is not None)
    assert added.vocabulary.chosen_pre == "qwen2"


@pytest.mark.parametrize("way", ["close", "stop", "another model"])
def test_no_process_is_left(make_model, pair, way, qtbot):
    before = set(multiprocessing.active_children())
    model = make_model(None, *pair)
    model.run()
    qtbot.waitUntil(lambda: model.state is not None and model.state.tried > 0, timeout=60_000)
    assert set(multiprocessing.active_children()) - before
    match way:
        case "close":
            model.close()
            assert not set(multiprocessing.active_children()) - before
        case "stop":
            model.stop()
        case "another model":
            model.session.loader.open("demo:spm")
    qtbot.waitUntil(lambda: not set(multiprocessing.active_children()) - before)
    qtbot.waitUntil(lambda: not model.is_running)


def test_a_model_that_cannot_be_opened_is_reported(make_model, pair, tmp_path, qtbot):
    model = make_model(None, pair[0])
    model.sides.choose_file(str(tmp_path / "none.gguf"))
    with pytest.raises(guiapp.VocabError) as error:
        guiapp.open_model(tmp_path / "none.gguf")
    qtbot.waitUntil(lambda: model.why_not == str(error.value))


def test_a_sentence_names_the_models_by_letters():
    find = find_of(
        b"12", sentence="`first.gguf` splits `1` | `2` and `second.gguf` splits `12`. They differ in digits."
    )
    assert plain(find, START.subjects) == "A splits 1 | 2 and B splits 12."
    assert where(find) == "Pre-tokenizer: digits, at byte 0"


QWEN = "disappear if A is split as qwen2."


@pytest.fixture
def model(make_model, engine, pair, qtbot, monkeypatch):
    """One that has found two causes."""
    asked = []
    monkeypatch.setattr(
        module, "likely_pre", lambda plan, mismatches: asked.append((plan, mismatches)) or "qwen2"
    )
    made = make_model(engine, *pair)
    made.asked = asked
    made.run()
    batch = batch_of(find_of(b"12"), find_of(b"ab", MERGE))
    engine.tell(replace(START, is_over=True).with_batch(batch))
    qtbot.waitUntil(lambda: not made.is_running and made.likely != "")
    return made


def test_the_likely_pre_tokenizer_is_reported_with_that_of_the_file(model, pair):
    ((plan, mismatches),) = model.asked
    assert (plan.first, plan.second, mismatches) == (*pair, model.state.finds)
    assert model.kinds == [DIGITS, MERGE]
    assert model.likely_words == f"The 2 causes {QWEN} The file sets llama-bpe."


def test_a_hunt_is_begun_again_with_the_likely_one_once(model, engine, pair, qtbot):
    before, n_plans = len(model.compared.sessions), len(engine.plans)
    model.hunt_again()
    qtbot.waitUntil(lambda: len(engine.plans) > n_plans)
    assert engine.plans[-1].pres == ("qwen2", None)
    assert len(model.compared.sessions) == before + 1
    model.hunt_again()
    assert len(model.compared.sessions) == before + 1


def test_nothing_can_be_hunted_without_generators(make_model, engine, pair):
    model = make_model(engine, *pair)
    model.choose(replace(model.choices, generators=()))
    assert model.why_not == "Choose at least one generator."
    model.run()
    assert not model.is_running
    model.hunt_again()
    assert (engine.plans, len(model.compared.sessions)) == ([], 2)
