"""What the Vocabulary page shows: filters, orders, columns, and the token that is looked at."""

import json

import numpy as np
import pytest
from closing import see_that_nothing_goes_on
from PySide6.QtCore import Qt
from vocabulary_pairs import load

from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list.listing import FORMS
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table import vocabulary as module
from guiapp.kit.token_table.table_view import TokenTableModel
from guiapp.kit.token_table.vocabulary import VocabularyModel


@pytest.fixture
def session(qapp):
    made = ModelSession(TextSession(b"abacbb"), load=load)  # ab acbb
    yield made
    made.close()


@pytest.fixture
def model(session, settings, qtbot):
    made = VocabularyModel(session, settings)
    made.set_active(True)
    session.loader.open("demo:toy")
    wait_until_idle(made, qtbot)
    yield made
    made.close()


def wait_until_idle(model, qtbot):
    qtbot.waitUntil(lambda: model.is_up_to_date and not model.is_gathering)


def tokens(model):
    return [model.source.tree.token_bytes(token).decode() for token in list(model.shown.rows)]


def table_of(model):
    table = TokenTableModel(model)
    rows = [
        [table.index(row, at).data() for at in range(table.columnCount())] for row in range(table.rowCount())
    ]
    titles = [table.headerData(at, Qt.Orientation.Horizontal) for at in range(table.columnCount())]
    return [titles, *rows]


def test_all_tokens_are_listed_until_something_is_asked_for(model, qtbot):
    assert tokens(model) == ["a", "b", "c", "ab", "cb", "ac", "bb", "cbb", "acbb"]
    model.set_query("b length:>1")
    wait_until_idle(model, qtbot)
    assert tokens(model) == ["bb", "ab", "cb", "cbb", "acbb"]
    model.sort_by("length", True)
    wait_until_idle(model, qtbot)
    assert tokens(model) == ["acbb", "cbb", "ab", "cb", "bb"]
    model.end()
    wait_until_idle(model, qtbot)
    assert (len(model.shown.rows), model.request.sort) == (9, "length")


def test_an_invalid_filter_is_reported_and_lists_nothing(model, qtbot):
    model.set_query("/(/")
    wait_until_idle(model, qtbot)
    assert model.shown.problem.startswith("The regular expression is not valid")
    assert tokens(model) == []
    model.set_query("/^.b$/")
    wait_until_idle(model, qtbot)
    assert (tokens(model), model.shown.problem) == (["ab", "cb", "bb"], "")


def test_whether_text_reaches_tokens_is_tried_once_it_is_asked_for(model, qtbot):
    assert model.source.is_reached is None
    model.set_query("-is:unreached")
    wait_until_idle(model, qtbot)
    assert len(model.shown.rows) == 9
    model.show_column("reached", True)
    wait_until_idle(model, qtbot)
    table = table_of(model)
    assert (table[0][-1], table[1][-1]) == ("reached", "yes")


def test_columns_are_saved_and_unavailable_ones_are_omitted(model, qtbot, settings):
    assert table_of(model)[0] == ["id", "token", "length (bytes)", "script", "rank"]
    model.show_column("bytes", True)
    model.show_column("script", False)
    assert table_of(model)[4] == ["3", "ab", "61 62", "2", "0"]
    settings.save()
    other = VocabularyModel(model.session, Settings(settings.folder / "settings.ini"))
    assert other.columns == model.columns
    model.session.loader.open("spm")
    wait_until_idle(model, qtbot)
    assert table_of(model)[:2] == [
        ["id", "token", "bytes", "length (bytes)", "score"],
        ["0", "a", "61", "1", "-1"],
    ]
    for name in model.columns:
        model.show_column(name, False)
    assert len(model.columns) == 1, "one is there in any case"
    other.close()


def test_a_column_that_the_next_model_lacks_sorts_no_more(model, qtbot):
    model.sort_by("rank", True)
    model.session.loader.open("spm")
    wait_until_idle(model, qtbot)
    assert (model.request.sort, tokens(model)) == ("", ["a", "b", "zz"])


def test_a_token_is_the_chosen_one_on_all_pages(model, qtbot):
    session = model.session
    qtbot.waitUntil(lambda: len(session.tokens) > 0)
    model.choose(8)
    assert (session.selected_token, model.chosen) == (1, 8)
    session.select_token(0)
    assert model.chosen == 3
    model.choose(2)
    assert (session.selected_token, model.chosen) == (0, 2), "no token of the text"
    model.step(1)
    assert model.chosen == 3
    model.step(-4)
    assert model.chosen == 8
    model.set_query("b")
    wait_until_idle(model, qtbot)
    model.step(1)
    assert model.chosen == 1, "the first one of a new list, whatever was chosen before"


@pytest.mark.parametrize("form", FORMS)
def test_what_is_shown_is_exported(model, qtbot, form):
    model.set_query("b length:3..")
    wait_until_idle(model, qtbot)
    text = model.export(FORMS[form])(lambda share: None).decode()
    assert "acbb" in text
    assert "ab " not in text
    if form == "json":
        assert [token["id"] for token in json.loads(text)["tokens"]] == [7, 8]


def test_nothing_is_gathered_while_the_page_is_hidden(session, settings, qtbot):
    made = VocabularyModel(session, settings)
    session.loader.open("one")
    qtbot.waitUntil(lambda: session.tokenizer is not None)
    assert not made.is_gathering
    assert np.array_equal(made.shown.rows, [])
    made.set_active(True)
    wait_until_idle(made, qtbot)
    assert len(made.shown.rows) == 9
    made.close()


def test_nothing_runs_after_closing(session, settings, qtbot):
    made = VocabularyModel(session, settings)
    see_that_nothing_goes_on(made, made.close)


def test_a_trial_that_failed_is_repeated_only_where_people_ask_for_it(model, qtbot, monkeypatch):
    def fail(tokenizer, progress):
        tried.append(tokenizer)
        raise QueryError("It cannot be tried.")

    tried = []
    monkeypatch.setattr(module, "unreached_apart", fail)
    for query in ("is:unreached", "-is:unreached"):
        model.set_query(query)
        wait_until_idle(model, qtbot)
        assert (len(tried), model.problem) == (1, "It cannot be tried.")
        assert model.shown.problem == "The search for unreached tokens is not finished."
    model.try_reaching()
    assert model.problem == ""
    model.end()
    wait_until_idle(model, qtbot)
    assert (len(tried), model.problem) == (2, "It cannot be tried.")
    model.session.loader.open("spm")
    wait_until_idle(model, qtbot)
    assert model.problem == ""
