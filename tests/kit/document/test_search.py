"""What is found in the text stays right while people type in it."""

import pytest
from fake_tokenizer import FakeTokenizer
from PySide6.QtWidgets import QApplication

from guiapp.kit.document import search as text_search
from guiapp.kit.document.search import TextSearch
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession

TEXT = b"one two one, two One"


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(TEXT), load=lambda *asked: FakeTokenizer())
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
def wait_for_search(search, qtbot):
    return lambda: qtbot.waitUntil(lambda: not search.is_searching)


@pytest.fixture
def find(search, qtbot):
    def find_and_wait(query, kind="text"):
        if not search.is_open:
            search.open()
        search.set_kind(kind)
        search.set_query(query)
        qtbot.waitUntil(lambda: not search.is_searching)

    return find_and_wait


def places(search, session):
    window = search.matches_in(0, session.document.size)
    return list(zip(window.starts.tolist(), window.ends.tolist(), strict=True))


def test_a_longer_query_goes_on_from_where_the_search_began(search, session, find):
    session.document.set_caret(4)
    find("one")
    find("one,")
    assert session.document.selection == (8, 12)
    find("t")
    assert session.document.selection == (4, 5)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ((0, 0, b"xx"), [(2, 5), (10, 13), (19, 22)]),
        ((3, 7, b""), [(0, 3), (4, 7), (13, 16)]),
        ((9, 9, b"x"), [(0, 3), (18, 21)]),
        ((2, 9, b"one"), [(13, 16)]),
        ((8, 8, b"x"), [(0, 3), (9, 12), (18, 21)]),
        ((11, 11, b"x"), [(0, 3), (8, 11), (18, 21)]),
        ((0, 20, b"none"), []),
    ],
)
def test_matches_move_with_the_text_until_it_is_searched_again(search, session, find, qtbot, change, left):
    find("one")
    session.document.replace(*change)
    assert search.is_searching
    assert places(search, session) == left
    qtbot.waitUntil(lambda: not search.is_searching)
    text = session.document.text().lower()
    again = [at for at in range(len(text)) if text.startswith(b"one", at)]
    assert [start for start, _ in places(search, session)] == again
    assert session.document.selection == (change[0] + len(change[2]),) * 2  # nobody is led away from there


def test_tokens_are_found_by_id_and_by_text(search, session, find):
    find("3", "token")
    assert places(search, session) == [(3, 7), (12, 16)]
    find("one", "token")
    assert places(search, session) == [(0, 3)]
    find("0", "token")
    assert places(search, session) == []  # it came from no text


def test_the_search_is_repeated_when_tokens_change(search, session, find, qtbot):
    find("3", "token")
    with qtbot.waitSignal(session.spans.encoded):
        session.set_encoder("slow")
    qtbot.waitUntil(lambda: not search.is_searching)
    assert places(search, session) == []


def test_half_a_character_is_selected_as_a_whole(search, session, find):
    session.document.set_text("a漢b".encode())
    find("BC", "bytes")
    assert places(search, session) == [(2, 3)]
    assert session.document.selection == (1, 4)
    assert search.current == 0


def test_a_match_that_people_select_is_the_present_one(search, session, find):
    find("one")
    session.document.set_caret(5)
    assert search.current is None
    session.document.select(17, 20)
    assert search.current == 2
    session.document.set_caret(9)
    search.step(-1)
    assert search.current == 1


def test_a_step_before_the_search_began_goes_to_the_first_match(search, session, qtbot):
    search.open()
    search.set_query("two")
    search.step(1)
    qtbot.waitUntil(lambda: not search.is_searching)
    assert session.document.selection == (4, 7)


@pytest.mark.parametrize("way", ["close", "empty", "token"])
def test_a_search_that_is_left_delivers_nothing(search, hold, find, qtbot, way):
    find("two")
    gate = hold(text_search, "find")
    search.set_query("one")
    qtbot.waitUntil(lambda: search.job.is_busy)
    if way == "close":
        search.end()
        assert (search.is_open, search.is_searching) == (False, False)
    else:
        search.set_kind("token" if way == "token" else "text")
        search.set_query("3" if way == "token" else "")
        qtbot.waitUntil(lambda: not search.is_searching)
    gate.set()
    search.job.finish(60)
    QApplication.processEvents()
    assert search.n_matches == (2 if way == "token" else 0)


def test_a_query_can_be_searched_at_once_from_an_offset(search, session, qtbot):
    search.search_for("text", "one", 9)
    qtbot.waitUntil(lambda: not search.is_searching)
    assert (search.kind, search.query, search.current) == ("text", "one", 2)
    search.search_for("token", "nothing", 0)
    assert search.problem
    assert search.n_matches == 0


def test_searching_for_tokens_requires_a_model(qtbot):
    session = ModelSession(TextSession(b"one"))
    search = TextSearch(session)
    search.search_for("token", "one", 0)
    assert (search.problem, search.n_matches) == ("Open a model first.", 0)
    session.close()


@pytest.mark.parametrize(
    ("origin", "step", "expected"),
    [(0, 1, 0), (1, 1, 1), (8, 1, 1), (9, 1, 2), (18, 1, 0), (0, -1, 2), (8, -1, 0), (17, -1, 1)],
)
def test_the_first_match_from_a_place_on_or_the_last_before_it(
    search, session, wait_for_search, origin, step, expected
):
    search.search_for("text", "one", 0)
    wait_for_search()
    search.end()
    session.document.set_caret(origin)
    search.open(step)
    wait_for_search()
    assert search.current == expected


@pytest.mark.parametrize(("step", "expected"), [(1, 2), (-1, 0), (0, None)])
def test_opening_goes_to_the_match_after_or_before_the_selection(
    search, session, wait_for_search, step, expected
):
    search.set_query("one")
    session.document.select(7, 12)
    search.open(step)
    wait_for_search()
    assert search.current == expected
    assert (session.document.selection == (7, 12)) is (expected is None)


@pytest.mark.parametrize(
    ("start", "end", "first", "starts"),
    [(0, 20, 0, [0, 8, 17]), (0, 0, 0, []), (2, 3, 0, [0]), (3, 8, 1, []), (3, 9, 1, [8]), (19, 20, 2, [17])],
)
def test_matches_in_a_span_are_those_that_overlap_it(search, wait_for_search, start, end, first, starts):
    search.search_for("text", "one", 0)
    wait_for_search()
    window = search.matches_in(start, end)
    assert (window.first_index, window.starts.tolist()) == (first, starts)
    assert window.ends.tolist() == [at + 3 for at in starts]
    assert window.ids.tolist() == window.tints.tolist() == [0] * len(starts)


def test_a_problem_is_reported_and_cleared_by_the_next_search(search, wait_for_search):
    search.search_for("regex", "(", 0)
    wait_for_search()
    assert search.problem
    search.search_for("token", "no such token", 0)
    assert search.problem
    search.search_for("text", "one", 0)
    wait_for_search()
    assert search.problem == ""
