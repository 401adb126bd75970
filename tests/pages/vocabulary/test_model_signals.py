"""What the model of the vocabulary tells, in which order, and what it leaves alone."""

import pytest
from told import told_by
from vocabulary_pairs import load

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.vocabulary import model as module
from guiapp.pages.vocabulary.model import REACHED, ListRequest, VocabularyModel


@pytest.fixture
def session(qapp):
    made = ModelSession(TextSession(b"abacbb"), load=load)
    yield made
    made.close()


@pytest.fixture
def model(session, settings):
    made = VocabularyModel(session, settings)
    yield made
    made.close()


@pytest.fixture
def tells(model, qtbot):
    """What is told until all is settled after something was done."""
    told = told_by(model)

    def tell(act, *given):
        told.clear()
        act(*given)
        qtbot.waitUntil(lambda: model.is_up_to_date and not (model.is_preparing or model.session.is_encoding))
        return list(told)

    return tell


def opened(model, tells, name="demo:toy"):
    model.set_active(True)
    return tells(model.session.loader.open, name)


def test_without_a_model_there_is_nothing_to_list_or_to_choose(model, tells):
    assert (model.prepared, model.chosen, model.problem, model.choices) == (None, None, "", [])
    assert (model.request, model.shown.request, model.shown.ids.tolist()) == (
        ListRequest(),
        ListRequest(),
        [],
    )
    assert tells(model.set_active, True) == tells(model.step, 1) == tells(model.try_reaching) == []
    assert (model.shown_columns, model.is_preparing, model.row_of(None)) == ([], False, None)


def test_a_list_is_told_while_somebody_looks_and_its_end_in_any_case(model, tells):
    loading = ["prepared_changed"] * 2
    assert tells(model.session.loader.open, "demo:toy") == [*loading, "shown_changed", "prepared_changed"]
    assert tells(model.set_active, True) == [
        *("prepared_changed", "request_changed", "prepared_changed", "columns_changed"),
        *("chosen_changed", "shown_changed"),
    ]
    model.add_columns(["bytes"])
    assert "bytes" in model.columns
    assert tells(model.set_active, False) == []
    ended = ["chosen_changed", "shown_changed", "prepared_changed"]
    assert tells(model.session.loader.open, "spm") == [*loading, *ended]
    assert (model.prepared, model.chosen, model.shown.ids.tolist()) == (None, None, [])
    assert "bytes" not in model.columns


def test_each_change_is_told_once(model, tells):
    opened(model, tells)
    listed, known = ["request_changed", "shown_changed"], ["prepared_changed", "columns_changed"]
    for request, act, *given in (
        (listed, model.set_query, "b"),
        (listed, model.sort_by, "length", True),
        (listed, model.end),
        (["chosen_changed"], model.choose, 8),
        (["columns_changed"], model.show_column, "bytes", True),
        (["columns_changed"], model.show_column, "bytes", False),
        (["columns_changed", "prepared_changed", *known, "shown_changed"], model.show_column, REACHED, True),
        ([], model.try_reaching),
    ):
        assert (tells(act, *given), tells(act, *given)) == (request, [])
    model.set_query("/b/")  # waits, and for nothing
    assert tells(model.set_query, "b") == listed
    model.add_columns(["bytes"])
    assert tells(model.show_column, "bytes", False) == ["columns_changed"]
    assert "bytes" not in model.columns


def test_a_trial_that_failed_is_repeated_only_where_people_ask_for_it(model, tells, monkeypatch):
    def fail(tokenizer, progress):
        tried.append(tokenizer)
        raise module.QueryError("It cannot be tried.")

    tried = []
    monkeypatch.setattr(module, "unreached_apart", fail)
    opened(model, tells)
    for query in ("is:unreached", "-is:unreached"):
        tells(model.set_query, query)
        assert (len(tried), model.problem) == (1, "It cannot be tried.")
    model.try_reaching()
    assert model.problem == ""
    assert tells(model.end)[-2:] == ["prepared_changed", "shown_changed"]
    assert (len(tried), model.problem) == (2, "It cannot be tried.")
    opened(model, tells, "spm")
    assert model.problem == ""
