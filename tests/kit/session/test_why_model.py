"""What is told of the selected token follows the selection, the text and the options while people look."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import guiapp
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.explain.why.excerpt import REACH_BYTES, excerpt_of
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.kit.session.token_details import WhyModel, excerpt_in


@pytest.fixture
def session(make_session):
    return make_session(b"Hello lions<|im_end|>", "demo:bpe")  # <|begin_of_text|> Hello ·l ions <|im_end|>


@pytest.fixture
def model(session):
    made = WhyModel(session)
    yield made
    made.close()


def select(session, model, index, qtbot):
    session.select_token(index)
    qtbot.waitUntil(lambda: not model.is_busy)


def test_only_a_selected_token_is_explained(session, model, qtbot):
    model.watch(True)
    assert (model.value, model.problem) == (None, "")
    for index, token_id, style in (
        (2, 280, (b" l", False)),
        (4, 2552, (b"<|im_end|>", True)),
        (0, 2549, (b"<|begin_of_text|>", True)),
    ):
        select(session, model, index, qtbot)
        explanation, *shown = model.value
        assert (explanation.token_id, tuple(shown), model.is_current) == (token_id, style, True)
    select(session, model, None, qtbot)
    assert model.value is None


def test_the_explanation_is_computed_only_while_watched(session, model, qtbot):
    session.select_token(2)
    assert not model.is_busy
    model.watch(True)
    assert model.is_busy
    qtbot.waitUntil(lambda: model.is_current)
    model.watch(True)
    assert not model.is_busy
    model.watch(False)
    session.select_token(3)
    assert (model.is_busy, model.is_current, model.value.explanation.token_id) == (False, False, 280)


@pytest.mark.parametrize(
    "change",
    [
        lambda session: session.document.insert(b"Oh! "),
        lambda session: session.set_encoder("greedy"),
        lambda session: session.set_add_special(False),
        lambda session: session.spelling.choose(Spelling.FILE),
    ],
)
def test_a_changed_input_makes_it_stale_until_recomputed(session, model, qtbot, change):
    model.watch(True)
    select(session, model, 2, qtbot)
    before = model.value
    change(session)
    assert (model.is_current, model.is_busy) == (False, True)
    qtbot.waitUntil(lambda: not model.is_busy and not session.is_encoding)
    assert model.value is not before


UNKNOWN = "\U0010fffd" * (REACH_BYTES // 4 + 1)  # one token


@pytest.mark.parametrize("text", [f"{UNKNOWN} </s>a", f"a </s>{UNKNOWN}", "a </s>b …", ""])
def test_an_excerpt_is_that_of_the_encoding(text):
    encoding = guiapp.open_model("demo:unigram").encode(text)
    data = encoding.text_bytes
    document = SimpleNamespace(size=len(data), slice=lambda start, end: data[start:end])
    tokens = TokenStore(FragmentTokens(encoding.token_ids, *encoding.spans.T), len(data))
    for index in range(len(encoding)):
        actual = excerpt_in(SimpleNamespace(tokens=tokens, document=document), index)
        assert as_lists(actual) == as_lists(excerpt_of(encoding, index))


def as_lists(excerpt):
    return {
        name: getattr(value, "tolist", lambda value=value: value)() for name, value in vars(excerpt).items()
    }
