"""What the Vocabulary page shows: filters, orders, columns, and the token that is looked at."""

import json

import numpy as np
import pytest
from closing import see_that_nothing_goes_on
from PySide6.QtCore import Qt
from vocabulary_pairs import load

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.vocabulary_list.columns import BY_NAME
from guiapp.analysis.vocabulary_list.report import FORMS
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.settings import Settings
from guiapp.pages.vocabulary import model as module
from guiapp.pages.vocabulary.model import VocabularyModel
from guiapp.pages.vocabulary.page import VocabularyDetails, VocabularyTableModel


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
    settle(made, qtbot)
    yield made
    made.close()


def settle(model, qtbot):
    qtbot.waitUntil(lambda: model.is_up_to_date and not model.is_preparing)


def tokens(model):
    return [model.prepared.figures.tree.token_bytes(token).decode() for token in model.shown.ids.tolist()]


def table_of(model):
    table = VocabularyTableModel(model)
    rows = [
        [table.index(row, at).data() for at in range(table.columnCount())] for row in range(table.rowCount())
    ]
    titles = [table.headerData(at, Qt.Orientation.Horizontal) for at in range(table.columnCount())]
    return [titles, *rows]


def test_all_tokens_are_listed_until_something_is_asked_for(model, qtbot):
    assert tokens(model) == ["a", "b", "c", "ab", "cb", "ac", "bb", "cbb", "acbb"]
    model.set_query("b length:>1")
    settle(model, qtbot)
    assert tokens(model) == ["bb", "ab", "cb", "cbb", "acbb"]
    model.sort_by("length", True)
    settle(model, qtbot)
    assert tokens(model) == ["acbb", "cbb", "ab", "cb", "bb"]
    model.end()
    settle(model, qtbot)
    assert (len(model.shown.ids), model.request.sort) == (9, "length")


def test_a_filter_that_cannot_be_is_told_and_lists_nothing(model, qtbot):
    model.set_query("/(/")
    settle(model, qtbot)
    assert model.shown.problem.startswith("The regular expression is not valid")
    assert tokens(model) == []
    model.set_query("/^.b$/")
    settle(model, qtbot)
    assert (tokens(model), model.shown.problem) == (["ab", "cb", "bb"], "")


def test_bars_count_what_is_listed_and_filter_when_they_are_chosen(model, qtbot):
    scripts, lengths, ranks = model.prepared.histograms
    assert (scripts.name, lengths.name, ranks.name) == ("script", "length", "rank")
    model.toggle_term(lengths.terms[2], lengths.name)
    settle(model, qtbot)
    assert model.query == "length:2"
    assert model.shown.counts[1].tolist()[:4] == [0, 0, 4, 0]
    model.toggle_term(lengths.terms[3], lengths.name)
    settle(model, qtbot)
    assert (model.query, tokens(model)) == ("length:3", ["cbb"])
    model.toggle_term("is:byte")
    model.toggle_term(lengths.terms[3], lengths.name)
    assert model.query == "is:byte"


def test_whether_text_reaches_tokens_is_tried_once_it_is_asked_for(model, qtbot):
    assert model.prepared.figures.is_reached is None
    model.set_query("-is:unreached")
    settle(model, qtbot)
    assert len(model.shown.ids) == 9
    model.show_column("reached", True)
    settle(model, qtbot)
    table = table_of(model)
    assert (table[0][-1], table[1][-1]) == ("reached", "yes")


def test_a_trial_that_fails_is_told_once(model, qtbot, monkeypatch):
    def fail(tokenizer, progress):
        raise module.QueryError("It cannot be tried.")

    monkeypatch.setattr(module, "unreached_apart", fail)
    model.set_query("is:unreached")
    settle(model, qtbot)
    assert model.problem == "It cannot be tried."
    assert model.shown.problem == "Which tokens text reaches has not been tried yet."


def test_columns_are_kept_and_those_that_a_vocabulary_lacks_are_left_out(model, qtbot, settings):
    assert table_of(model)[0] == ["id", "token", "length", "kind", "script", "rank", "children"]
    model.show_column("bytes", True)
    for name in ("script", "kind", "children"):
        model.show_column(name, False)
    assert table_of(model)[4] == ["3", "ab", "61 62", "2", "0"]
    settings.save()
    other = VocabularyModel(model.session, Settings(settings.folder / "settings.ini"))
    assert other.columns == model.columns
    model.session.loader.open("spm")
    settle(model, qtbot)
    assert table_of(model)[:2] == [["id", "token", "bytes", "length", "score"], ["0", "a", "61", "1", "-1"]]
    for name in model.columns:
        model.show_column(name, False)
    assert len(model.columns) == 1, "one is there in any case"
    other.close()


def test_the_table_asks_for_other_orders_and_tells_what_columns_are(model, qtbot):
    table = VocabularyTableModel(model)
    titles, (up, down) = table_of(model)[0], Qt.SortOrder
    for title, order, request in (
        ("length", down, ("length", True)),
        ("id", down, ("id", True)),
        ("children", up, ("children", False)),
        (None, down, ("", False)),
    ):
        table.sort(-1 if title is None else titles.index(title), order)
        settle(model, qtbot)
        assert table.order == model.request[1:] == request
    table.sort(len(titles), down)
    assert model.request.sort == ""
    tip, across = Qt.ItemDataRole.ToolTipRole, Qt.Orientation.Horizontal
    assert [table.headerData(at, across, tip) for at in range(len(titles))] == [
        BY_NAME[title].about for title in titles
    ]
    assert table.headerData(0, Qt.Orientation.Vertical, tip) is None
    assert (table.token(8), table.row(8).token, table.row(9)) == (8, 8, None)
    with qtbot.waitSignal(table.dataChanged):
        model.session.spelling.choose(Spelling.FILE)


def test_a_column_that_the_next_model_lacks_sorts_no_more(model, qtbot):
    model.sort_by("rank", True)
    model.session.loader.open("spm")
    settle(model, qtbot)
    assert (model.request.sort, tokens(model)) == ("", ["a", "b", "zz"])


def test_a_token_is_the_chosen_one_on_all_pages(model, qtbot):
    session = model.session
    assert model.chosen == int(session.tokens.ids(0, 1)[0]) == 3
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
    settle(model, qtbot)
    model.step(1)
    assert model.chosen == 1, "the first one of a new list, whatever was chosen before"


def test_details_tell_all_about_the_chosen_token(model, qtbot):
    details = VocabularyDetails(model)
    with qtbot.waitSignal(details.details_changed):
        model.choose(7)
    facts = dict(details.details.facts)
    assert (facts["id"], facts["bytes"], facts["in this text"], facts["merge rank"]) == (
        "7",
        "63 62 62",
        "not once",
        "4",
    )
    assert details.details.index is None
    assert details.visible(7) == details.part(b"cbb", 9) == "cbb"
    model.session.loader.open("spm")
    settle(model, qtbot)
    assert details.details is None or details.details.token_id < 3


@pytest.mark.parametrize("form", FORMS)
def test_what_is_shown_is_exported(model, qtbot, form):
    model.set_query("b length:3..")
    settle(model, qtbot)
    text = model.export(form)(lambda share: None).decode()
    assert "acbb" in text
    assert "ab " not in text
    if form == "json":
        assert [token["id"] for token in json.loads(text)["tokens"]] == [7, 8]


def test_nothing_is_gathered_while_nobody_looks(session, settings, qtbot):
    made = VocabularyModel(session, settings)
    session.loader.open("one")
    qtbot.waitUntil(lambda: session.tokenizer is not None)
    assert not made.is_preparing
    assert np.array_equal(made.shown.ids, [])
    made.set_active(True)
    settle(made, qtbot)
    assert len(made.shown.ids) == 9
    made.close()


def test_no_process_is_kept_for_a_list_that_nobody_waited_for(model, qtbot):
    model.set_query("/b$/")
    qtbot.waitUntil(lambda: model.listing.is_busy)
    model.set_active(False)
    settle(model, qtbot)
    assert tokens(model) == ["b", "ab", "cb", "bb", "cbb", "acbb"]
    assert not model.prepared.figures.matcher._process.is_running


def test_nothing_goes_on_behind_the_end(session, settings, qtbot):
    made = VocabularyModel(session, settings)
    see_that_nothing_goes_on(made, made.close)
