"""What is said about the selected token."""

from __future__ import annotations

import numpy as np
import pytest
from instant_recorder import load_once
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds, VocabType, special_role
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.session.token_details import TokenDetailsModel, WrittenPath, hex_bytes

TOKENS = {
    "<s>": Attribute.CONTROL,
    "▁York": -1.5,
    "汉": -2.0,
    b"\xe6\xb1": -3.0,
    b"\x89": -4.0,
    "▁Yorker": -9.0,
    "▁Y": -9.0,
}


@pytest.fixture
def source():
    special = SpecialIds(bos=0, eos=0, fim_pre=6)
    return ToySource(toy_vocabulary(TOKENS, special_ids=special, eog=[0]), [0, 1, 2, 3, 4, 1])


@pytest.fixture
def model(source, qtbot):
    details = TokenDetailsModel(source)
    qtbot.waitUntil(lambda: details.explainer is not None)
    yield details
    details.close()


def facts(model: TokenDetailsModel) -> dict[str, str]:
    assert model.details is not None
    return dict(model.details.facts)


def select(qtbot, source: ToySource, model: TokenDetailsModel, index: int) -> None:
    with qtbot.waitSignal(model.details_changed):
        source.select_token(index)


@pytest.mark.parametrize(
    ("score", "expected"),
    [(-1e9, "-1,000,000,000"), (-30, "-30"), (-1.25, "-1.25"), (3e38, "3e+38"), (-np.inf, "-inf")],
)
def test_a_score_is_written_as_people_do(qtbot, score, expected):
    source = ToySource(toy_vocabulary({"a": score}), [0])
    model = TokenDetailsModel(source)
    select(qtbot, source, model, 0)
    assert facts(model)["score"] == expected
    model.close()


def test_an_ordinary_token_has_all_its_details(source, model, qtbot):
    select(qtbot, source, model, 1)
    assert facts(model) == {
        "id": "1",
        "bytes": "20 59 6F 72 6B",
        "characters": "5 characters",
        "kind": "normal",
        "score": "-1.5",
        "span": "3–8",
        "in this text": "2 times",
    }
    assert model.details.path == WrittenPath(("·Y",), "·York", ("·Yorker",), 1)
    assert (model.details.index, model.details.n_tokens) == (1, 6)


def test_spans_are_counted_in_bytes_and_characters_where_these_differ(source, model, qtbot):
    select(qtbot, source, model, 5)
    assert facts(model)["span"] == "14–19 bytes, 10–15 characters"


def test_special_tokens_show_their_roles(source, model, qtbot):
    select(qtbot, source, model, 0)
    assert facts(model)["role"] == "BOS · EOS · EOG"
    assert facts(model)["kind"] == "control"
    assert "special token" in model.details.tree.note
    assert special_role(source.vocabulary, 6) == "FIM PRE"


def test_details_are_updated_after_an_edit(source, model, qtbot):
    select(qtbot, source, model, 1)
    with qtbot.waitSignal(model.details_changed):
        source.set_tokens([0, 2])
    assert facts(model)["bytes"] == "E6 B1 89"


def test_a_token_that_an_edit_removed_is_forgotten(source, model, qtbot):
    select(qtbot, source, model, 5)
    with qtbot.waitSignal(model.details_changed):
        source.set_tokens([0])
    assert model.details is None


def test_what_needs_tables_comes_when_they_are_ready(qtbot):
    source = ToySource(toy_vocabulary({"a": 0.0, "b": 0.0, "ab": 0.0}, VocabType.BPE, ["a b"]), [2])
    source.select_token(0)
    model = TokenDetailsModel(source)
    assert model.details.tree is None
    assert "merge rank" not in facts(model)
    qtbot.waitUntil(lambda: model.explainer is not None)
    assert model.details.tree.is_reached
    assert facts(model)["merge rank"] == "0"
    model.close()


def test_a_smaller_vocabulary_opens_while_a_token_is_selected(qtbot):
    session = ModelSession(TextSession(b" lions"), load=load_once)
    model = TokenDetailsModel(session)
    session.loader.open("demo:bpe")
    qtbot.waitUntil(lambda: len(session.tokens) > 0)
    session.select_token(len(session.tokens) - 1)
    qtbot.waitUntil(lambda: model.details is not None and model.details.token_id > 100)
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:toy")
    assert model.details is None
    model.close()
    session.close()


def test_a_huge_token_is_cut():
    assert hex_bytes(b"\xff" * 1_000_000) == "FF " * 63 + "FF … (1,000,000 bytes)"
    assert hex_bytes(b"") == ""


def test_tables_can_be_put_off(source, qtbot):
    model = TokenDetailsModel(source)
    model.put_off(600)
    source.select_token(1)
    qtbot.waitUntil(lambda: model.details is not None)
    assert model.is_preparing
    assert model.explainer is None
    qtbot.waitUntil(lambda: model.explainer is not None)
    model.close()
