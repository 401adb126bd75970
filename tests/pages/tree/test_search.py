"""What is found in the tree, which of it is looked at, and what happens while a search runs."""

import numpy as np
import pytest

from guiapp.kit.token_table.table_view import TokenTableModel
from guiapp.pages.tree.model import FOUND, TreeSearch


@pytest.fixture
def search(model, settings, qtbot):
    made = TreeSearch(model, settings)
    made.set_active(True)
    qtbot.waitUntil(lambda: made.source is not None and made.is_up_to_date)
    yield made
    made.close()


@pytest.fixture
def find(search, qtbot):
    def find_and_wait(query):
        search.set_query(query)
        qtbot.waitUntil(lambda: search.is_up_to_date)

    return find_and_wait


@pytest.fixture
def result_labels(model, search):
    return lambda: [model.label(node, is_whole=True) for node in search.result_nodes.tolist()]


@pytest.mark.parametrize(
    ("query", "tokens"),
    [
        ("bb", ["bb", "acbb", "cbb"]),
        ("length:2 -b", ["ac"]),
        ("below:0 c", ["cbb", "acbb"]),
        ("#8", ["acbb"]),
        ("/^.b$/", ["ab", "bb", "cb"]),
        ("zz", []),
        (" ", []),
    ],
)
def test_a_filter_lists_the_nearest_results_first(search, result_labels, find, query, tokens):
    find(query)
    assert (search.title, result_labels()) == (FOUND if query.strip() else "", tokens)
    assert (search.current, search.current_node) == (None, None)


def test_steps_cycle_through_the_results_in_both_directions(search, find, model):
    search.step(1)  # through nothing
    find("bb")
    walked = []
    for by in (-1, 1, 1, -1, -1):
        search.step(by)
        walked.append(search.current)
        assert model.chosen == search.current_node == search.result_nodes[search.current]
    assert walked == [2, 0, 1, 0, 2]
    find("bb|")
    find("bb")
    search.step(1)
    assert search.current == 0


def test_return_waits_for_the_search_that_is_under_way(search, find, model, node_of, qtbot):
    find("ab")
    search.step(1)
    search.set_query("bb")
    search.step(1)
    assert model.chosen == node_of(b"ab")
    qtbot.waitUntil(lambda: search.is_up_to_date)
    assert (search.current, model.chosen) == (0, node_of(b"bb"))


def test_the_chosen_result_is_shown(search, find, model, node_of):
    find("bb")
    model.show(node_of(b"ab"))
    search.choose(int(search.shown.rows[2]))
    start, end = model.picture.span(node_of(b"cbb"))
    assert model.view[0] <= start < end <= model.view[1]


def test_tokens_from_elsewhere_are_listed_and_the_first_is_chosen(
    search, result_labels, find, model, node_of, qtbot
):
    find("bb")
    search.list_tokens("leaves", np.array([7, 3], np.int32))
    qtbot.waitUntil(lambda: search.is_up_to_date)
    assert (search.query, search.title, result_labels()) == ("", "leaves", ["cbb", "ab"])
    assert (search.current, model.chosen) == (0, node_of(b"cbb"))
    for query in ("", "cbb"):
        find(query)
        assert (search.title, result_labels()) == ((FOUND, ["cbb", "acbb"]) if query else ("", []))


def test_an_error_is_shown_until_the_query_changes(search, result_labels, find):
    find("/(/")
    assert "not valid" in search.note
    assert (search.title, result_labels()) == ("", [])
    find("c")
    assert search.note == ""


def test_which_tokens_text_reaches_is_tried_when_a_search_asks(search, result_labels, find):
    find("-is:unreached")
    assert (search.note, len(result_labels())) == ("", 9)


def test_another_vocabulary_is_searched_for_the_same(search, find, model, session, qtbot):
    find("ab")
    session.loader.open("demo:bpe")
    qtbot.waitUntil(lambda: len(search.result_nodes) > 0 and len(session.vocabulary) > 9)
    assert search.title == FOUND
    assert search.result_nodes.max() < len(model.picture)


def test_tokens_that_come_before_the_tree_are_listed_once_it_is_there(search, model, session, qtbot):
    session.loader.open("demo:rwkv")
    search.list_tokens("some", np.array([300, 301], np.int32))
    qtbot.waitUntil(lambda: len(search.result_nodes) == 2 and len(session.vocabulary) > 9)
    assert (search.current, search.current_node) == (0, model.picture.node(300))


def test_results_are_rows_in_their_own_order_until_sorted(search, qtbot):
    table = TokenTableModel(search)

    def cells():
        return [[table.index(row, at).data() for at in range(3)] for row in range(table.rowCount())]

    search.list_tokens("some", np.array([8, 5, 0], np.int32))
    qtbot.waitUntil(lambda: table.rowCount() == 3)
    assert [column.title for column in table.columns] == ["id", "token", "below"]
    rows = [["8", "acbb", "0"], ["5", "ac", "1"], ["0", "a", "3"]]
    assert cells() == rows
    search.sort_by("below", True)
    qtbot.waitUntil(lambda: search.is_up_to_date)
    assert cells() == rows[::-1]
    search.end()
    qtbot.waitUntil(lambda: table.rowCount() == 0)
