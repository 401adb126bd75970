"""What a search in the text tells, when, and which match is looked at then."""

import pytest
from fake_tokenizer import FakeTokenizer
from told import told_by

from guiapp.analysis.search.matches import TextMatches
from guiapp.kit.document import search as text_search
from guiapp.kit.document.search import TextSearch
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession

QUERY, FOUND, CURRENT = "query_changed", "found_changed", "current_changed"


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(b"one two one, two One"), load=lambda *asked: FakeTokenizer())
    with qtbot.waitSignal(made.spans.encoded):
        made.loader.open("fake.gguf")
    yield made
    made.close()


@pytest.fixture
def search(session):
    made = TextSearch(session)
    yield made
    made.stop()


@pytest.fixture
def settle(search, qtbot):
    return lambda: qtbot.waitUntil(lambda: not search.is_searching)


@pytest.fixture
def told(search):
    return told_by(search)


def test_it_begins_with_nothing(search):
    assert (search.is_open, search.kind, search.query, search.matches_case) == (False, "text", "", False)
    assert (search.problem, search.current, search.n_matches, search.is_searching) == ("", None, 0, False)
    assert (search._pause.isSingleShot(), search._pause.interval()) == (True, text_search.PAUSE_MS)


def test_a_search_that_is_not_open_only_keeps_what_it_is_asked(search, told, session):
    search.set_query("one")
    assert (told, search.is_searching) == ([QUERY], False)
    search.set_query("one")
    search.set_kind("text")
    session.document.set_caret(3)
    session.document.insert(b"x")
    session.tokens_changed.emit(None, session.tokens)
    assert (told, search.is_searching, search._origin) == ([QUERY], False, 4)


def test_what_is_told_from_the_beginning_to_the_end(search, told, session, settle):
    search.open()
    assert told == [QUERY, FOUND]
    told.clear()
    search.set_query("one")
    assert (told, search.is_searching, search.job.is_busy) == ([QUERY], True, False)
    told.clear()
    search._search()
    assert (told, search.is_searching) == ([FOUND], True)
    told.clear()
    settle()
    assert (told, search.current, search.n_matches) == ([FOUND, FOUND, CURRENT], 0, 3)
    told.clear()
    search.step(1)
    assert (told, search.current) == ([CURRENT], 1)
    told.clear()
    search.set_matches_case(True)
    search._search()
    settle()
    assert (told, search.current, search.n_matches) == ([QUERY, FOUND, FOUND, FOUND, CURRENT], 1, 2)
    told.clear()
    search.close()
    assert (told, search.current, search.n_matches, search.is_open) == (
        [QUERY, CURRENT, FOUND],
        None,
        0,
        False,
    )
    assert session.document.selection == (8, 11)


def test_an_edit_that_is_followed_is_told_at_once(search, told, session, settle):
    search.search_for("text", "one", 0)
    settle()
    told.clear()
    session.document.replace(0, 0, b"x")
    assert told == [CURRENT, FOUND]
    settle()
    told.clear()
    session.document.set_caret(2)
    session.document.set_caret(3)
    assert told == []
    session.document.select(1, 4)
    session.document.select(4, 1)
    assert (told, search.current) == ([CURRENT], 0)


def test_a_problem_is_told_and_forgotten_with_the_next_search(search, told, settle):
    search.search_for("regex", "(", 0)
    settle()
    assert search.problem
    assert told[-1] == FOUND
    search.search_for("token", "no such token", 0)
    assert search.problem == "No token has this text. An id is a number."
    search.search_for("text", "one", 0)
    settle()
    assert search.problem == ""


def test_tokens_are_not_looked_for_without_a_model(qtbot):
    session = ModelSession(TextSession(b"one"))
    search = TextSearch(session)
    search.search_for("token", "one", 0)
    assert (search.problem, search.n_matches) == ("Open a model first.", 0)
    session.close()


def test_only_a_search_for_tokens_follows_the_tokens(search, session, settle):
    search.search_for("text", "one", 0)
    settle()
    session.tokens_changed.emit(None, session.tokens)
    assert not search.is_searching
    search.search_for("token", "3", 0)
    session.tokens_changed.emit(None, session.tokens)
    assert search.is_searching
    search.close()
    session.tokens_changed.emit(None, session.tokens)
    assert not search.is_searching


@pytest.mark.parametrize(
    ("origin", "step", "expected"),
    [(0, 1, 0), (1, 1, 1), (8, 1, 1), (9, 1, 2), (18, 1, 0), (0, -1, 2), (8, -1, 0), (17, -1, 1)],
)
def test_the_first_match_from_a_place_on_or_the_last_before_it(
    search, session, settle, origin, step, expected
):
    search.search_for("text", "one", 0)
    settle()
    search.close()
    session.document.set_caret(origin)
    search.open(step)
    settle()
    assert search.current == expected


@pytest.mark.parametrize(("step", "expected"), [(1, 2), (-1, 0), (0, None)])
def test_it_opens_behind_what_is_selected_or_before_it_or_leaves_it(search, session, settle, step, expected):
    search.set_query("one")
    session.document.select(7, 12)
    search.open(step)
    settle()
    assert search.current == expected
    assert (session.document.selection == (7, 12)) is (expected is None)


def test_steps_begin_at_the_selection_and_the_next_search_where_they_led(search, session, settle):
    search.search_for("text", "one", 0)
    settle()
    for caret, by, current in ((8, 1, 1), (8, -1, 0), (20, 1, 0), (0, -1, 2)):
        session.document.set_caret(caret)
        search.step(by)
        assert search.current == current
    assert search._origin == 17
    search.step(1)
    assert search.current == 0


def test_a_step_during_a_search_is_taken_once_it_is_done(search, session, settle):
    session.document.set_caret(8)
    search.open()
    search.set_query("one")
    search.step(-1)
    assert (search._pause.isActive(), search.job.is_busy) == (False, True)
    search.step(-1)
    settle()
    assert search.current == 0
    search.set_query("none")
    settle()
    search.step(1)
    assert (search.current, session.document.selection) == (None, (0, 3))


@pytest.mark.parametrize(
    ("start", "end", "first", "starts"),
    [(0, 20, 0, [0, 8, 17]), (0, 0, 0, []), (2, 3, 0, [0]), (3, 8, 1, []), (3, 9, 1, [8]), (19, 20, 2, [17])],
)
def test_matches_of_a_stretch_are_those_that_overlap_it(search, settle, start, end, first, starts):
    search.search_for("text", "one", 0)
    settle()
    window = search.matches_in(start, end)
    assert (window.first_index, window.starts.tolist()) == (first, starts)
    assert window.ends.tolist() == [at + 3 for at in starts]
    assert window.ids.tolist() == window.tints.tolist() == [0] * len(starts)


def test_matches_that_are_not_all_say_so(search):
    assert search.has_all
    search._take(TextMatches(*search._found[:2], False))
    assert not search.has_all


def test_the_search_ends_with_its_owner(search):
    search.open()
    search.set_query("one")
    search.stop()
    assert not search.is_searching
