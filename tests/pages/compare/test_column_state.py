"""What stands over a column while its model opens, is there, cannot be opened, or cannot encode."""

import pytest
from summaries import compared_over

import guiapp
from guiapp.errors import UnknownPreError
from guiapp.pages.compare.column_head import ColumnState
from guiapp.pages.compare.models import ModelsComparison

TITLE, KIND = "Tokenloupe demo: byte-level BPE", "BPE · llama-bpe · 2,560"
NAMES = ["name", "kind", "tip", "message", "progress", "problem", "has_model", "needs_pre"]


def load(name, pre, progress):
    if name.startswith("/odd") and pre is None:
        raise UnknownPreError("Choose one.", "odd")
    return guiapp.open_model("demo:bpe" if pre else name, None, progress)


@pytest.fixture
def state(qapp):
    with compared_over(b"a text", load) as compared:
        comparison = ModelsComparison(compared)
        yield ColumnState(comparison.columns[0])
        comparison.close()


def shown(state):
    return tuple(getattr(state, name) for name in NAMES)


def open_and_settle(state, name, qtbot):
    """What is shown while it is being opened."""
    state.session.loader.open(name)
    during = shown(state)
    qtbot.waitUntil(lambda: state.session.loader.loading_name is None and not state.session.is_encoding)
    return during


def test_before_while_and_after_a_model_is_opened(state, qtbot):
    assert shown(state) == ("No model", "", "No model", "No model is open.", None, "", False, False)
    during = open_and_settle(state, "demo:bpe", qtbot)
    tip, message = "demo:bpe · Opening… 0%", "Opening demo:bpe …"
    assert during == ("demo:bpe", "Opening… 0%", tip, message, 0.0, "", False, False)
    assert shown(state) == (TITLE, KIND, f"{TITLE} · {KIND}", "", None, "", True, False)


def test_switches_that_differ_stand_before_the_kind(state, qtbot):
    open_and_settle(state, "demo:bpe", qtbot)
    with qtbot.waitSignal(state.changed):
        state.session.set_encoder("greedy")
    assert state.kind == f"greedy · {KIND}"
    state.session.set_add_special(False)
    assert state.kind == f"greedy · none added · {KIND}"
    state.session.set_parse_special(False)
    assert state.kind == f"greedy · none added · special as text · {KIND}"


def test_a_model_that_cannot_be_opened_is_named_with_the_reason(state, qtbot):
    open_and_settle(state, "/nowhere/some.gguf", qtbot)
    problem = "some.gguf cannot be opened: No such file or directory. Check its path and permissions."
    assert shown(state) == ("some", "", f"some · {problem}", problem, None, problem, False, False)
    open_and_settle(state, "demo:bpe", qtbot)
    assert (state.name, state.problem) == (TITLE, "")


def test_a_model_that_asks_for_a_pre_tokenizer_says_so_until_one_is_chosen(state, qtbot):
    open_and_settle(state, "/odd.gguf", qtbot)
    assert shown(state) == ("odd", "", "odd", "Choose one.", None, "", False, True)
    state.session.loader.use_pre("gpt-2")
    qtbot.waitUntil(lambda: state.has_model)
    assert not state.needs_pre
