"""The walk of the text through the tree: step by step, played, and begun anew."""

import pytest

from guiapp.pages.tree import model as greedy_walk
from guiapp.pages.tree.model import TreeWalk


@pytest.fixture
def walk(model, session, monkeypatch):
    monkeypatch.setattr(greedy_walk, "STEP_MS", 1)
    made = TreeWalk(model, session)
    yield made
    made.close()


def test_steps_go_on_and_back_and_stop_at_both_ends(walk, model):
    seen = []
    for by in (1, 1, 1, -1, -1, -1, -1, 100, 1):
        walk.move(by)
        seen.append((None if walk.step is None else walk.step.offset, model.chosen_token))
    assert seen == [
        *[(0, 0), (1, 3), (2, 0)],
        *[(1, 3), (0, 0), (None, 0), (None, 0)],
        *[(5, 8), (5, 8)],
    ]


def test_it_begins_at_the_selected_token_and_reads_from_there(walk, session):
    session.select_token(1)
    walk.move(1)
    assert (walk.step.token, walk.read(2), walk.read(4, 1)) == (0, b"ac", b"cbb")
    assert len(walk.steps) == 4


def test_playing_stops_at_the_end_and_can_be_restarted(walk, qtbot):
    walk.play()
    assert walk.is_playing
    with qtbot.waitSignal(walk.changed, check_params_cb=lambda: not walk.is_playing):
        pass
    assert (walk.step.taken, walk.step.offset) == (8, 5)
    walk.play()
    assert (walk.step, walk.is_playing) == (None, True)
    walk.play()
    assert not walk.is_playing


def test_playing_goes_on_from_where_it_was_paused(walk, qtbot):
    walk.move(3)
    with qtbot.waitSignal(walk.changed):
        walk.play()
    assert walk.step.offset == 2


@pytest.mark.parametrize("what", ["token", "text", "model"])
def test_another_text_or_token_ends_the_walk(walk, session, qtbot, what):
    walk.move(2)
    walk.play()
    if what == "token":
        session.select_token(1)
    elif what == "text":
        session.document.set_text(b"cb")
    else:
        session.loader.open("demo:bpe")
    qtbot.waitUntil(lambda: walk.step is None)
    assert not walk.is_playing


def test_only_the_beginning_of_a_long_text_is_walked(walk, session, monkeypatch, qtbot):
    monkeypatch.setattr(greedy_walk, "MOST_TEXT", 4)
    session.select_token(1)
    walk.restart()
    assert "".join(walk.read(step.offset + 1, step.offset).decode() for step in walk.steps) == "acbb"
    session.select_token(0)
    walk.restart()
    assert [step.offset for step in walk.steps] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("before", "after", "most", "selected", "text"),
    [
        (16, 24, 256, 0, b"abcabcab"),
        (0, 0, 256, 0, b"ab"),
        (0, 0, 256, 2, b"ab"),
        (0, 1, 256, 2, b"abc"),
        (1, 0, 256, 2, b"cab"),
        (2, 0, 256, 2, b"cab"),
        (3, 0, 256, 2, b"abcab"),
        (9, 9, 4, 3, b"abca"),
        (9, 0, 256, 4, b"abcabcab"),
        (9, 0, 256, None, None),
    ],
)
def test_prefixes_include_context_of_the_selected_token(
    walk, session, monkeypatch, qtbot, before, after, most, selected, text
):
    with qtbot.waitSignal(session.tokens_changed):
        session.document.set_text(b"abcabcab")  # ab c ab c ab
    monkeypatch.setattr(greedy_walk, "PREFIX_BEFORE", before)
    monkeypatch.setattr(greedy_walk, "PREFIX_BEHIND", after)
    monkeypatch.setattr(greedy_walk, "MOST_PREFIXES", most)
    session.select_token(selected)
    tree = walk.prefix_tree()
    assert (None if tree is None else tree.text) == text
    monkeypatch.setattr(type(session), "selected_token", 5)
    assert walk.prefix_tree() is None  # as it is for a moment when the text is another
