"""What is found in the tree, which of it is looked at, and what happens while a search runs."""

import numpy as np
import pytest

from guiapp.pages.tree import model as tree_search
from guiapp.pages.tree.model import FOUND, TreeSearch


@pytest.fixture
def search(model):
    made = TreeSearch(model)
    yield made
    made.close()


@pytest.fixture
def find(search, qtbot):
    def find_and_wait(query):
        with qtbot.waitSignal(search.found_changed):
            search.set_query(query)

    return find_and_wait


@pytest.fixture
def found(model, search):
    return lambda: [model.label(node, is_whole=True) for node in search.result_nodes.tolist()]


def test_what_is_found_is_lit_with_all_above_it(search, found, find, model, node_of):
    find("bb")
    assert (search.title, found()) == (FOUND, ["bb", "acbb", "cbb"])
    dark = {node_of(b"ab")}
    assert set(np.flatnonzero(~search.is_lit).tolist()) == dark
    assert (search.current, search.current_node) == (None, None)


def test_steps_go_around_in_both_directions(search, find, model, qtbot):
    search.step(1)  # through nothing
    find("bb")
    walked = []
    for by in (-1, 1, 1, -1, -1):
        with qtbot.waitSignal(search.current_changed):
            search.step(by)
        walked.append(search.current)
        assert model.chosen == search.current_node == search.result_nodes[search.current]
    assert walked == [2, 0, 1, 0, 2]
    find("bb|")
    find("bb")
    search.step(1)
    assert search.current == 0


def test_what_is_looked_at_is_shown(search, find, model, node_of):
    find("bb")
    model.show(node_of(b"ab"))
    search.go_to_result(2)
    start, end = model.picture.span(node_of(b"cbb"))
    assert model.view[0] <= start < end <= model.view[1]


def test_tokens_found_elsewhere_are_listed_and_the_first_is_looked_at(
    search, found, find, model, node_of, qtbot
):
    find("bb")
    with qtbot.waitSignal(search.found_changed):
        search.list_tokens("leaves", np.array([7, 3], np.int32))
    assert (search.query, search.title, found()) == ("", "leaves", ["cbb", "ab"])
    assert (search.current, model.chosen) == (0, node_of(b"cbb"))
    with qtbot.waitSignal(search.found_changed):
        search.end()
    assert (search.title, found(), search.is_lit) == ("", [], None)
    with qtbot.assertNotEmitted(search.found_changed):
        search.end()


def test_a_problem_is_told_until_the_query_is_another(search, found, find):
    find("/(/")
    assert "not valid" in search.problem
    assert found() == []
    find("c")
    assert search.problem == ""


def test_typing_is_waited_for_but_not_where_nothing_is_left(search, found, find, qtbot):
    search.set_query("b")
    search.set_query("bb")
    assert not search.job.is_busy
    with qtbot.waitSignal(search.found_changed):
        pass
    assert found() == ["bb", "acbb", "cbb"]
    search.set_query("b")
    search.set_query("")
    assert found() == []
    with qtbot.assertNotEmitted(search.found_changed, wait=2 * tree_search.PAUSE_MS):
        pass


def test_another_vocabulary_is_searched_for_the_same(search, find, model, session, qtbot):
    find("ab")
    session.loader.open("demo:bpe")
    qtbot.waitUntil(lambda: len(search.result_nodes) > 0 and len(session.vocabulary) > 9)
    assert search.title == FOUND
    assert len(search.is_lit) == len(model.picture)


def test_typing_after_a_list_was_shown_is_not_lost(search, found, find, qtbot):
    with qtbot.waitSignal(search.found_changed):
        search.list_tokens("one", np.array([0], np.int32))
    find("cbb")
    assert found() == ["cbb", "acbb"]
    search.set_query("b")
    search.list_tokens("one", np.array([0], np.int32))  # while the other waits for a pause
    with qtbot.waitSignal(search.found_changed):
        pass
    with qtbot.assertNotEmitted(search.found_changed, wait=2 * tree_search.PAUSE_MS):
        pass
    assert search.title == "one"
