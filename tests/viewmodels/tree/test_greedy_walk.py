"""The walk of the text through the tree: step by step, played, and begun anew."""

import pytest

from guiapp.viewmodels.tree import greedy_walk
from guiapp.viewmodels.tree.greedy_walk import TreeWalk


@pytest.fixture
def walk(model, workspace, monkeypatch):
    monkeypatch.setattr(greedy_walk, "STEP_MS", 1)
    made = TreeWalk(model, workspace)
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


def test_it_begins_at_the_selected_token_and_reads_from_there(walk, workspace):
    workspace.select_token(1)
    walk.move(1)
    assert (walk.step.token, walk.read(2), walk.read(4, 1)) == (0, b"ac", b"cbb")
    assert len(walk.steps) == 4


def test_playing_goes_to_the_end_by_itself_and_begins_anew(walk, qtbot):
    walk.play()
    assert walk.is_playing
    with qtbot.waitSignal(walk.changed, check_params_cb=lambda: not walk.is_playing):
        pass
    assert (walk.step.taken, walk.step.offset) == (8, 5)
    walk._timer.setInterval(100_000)
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
def test_another_text_or_token_ends_the_walk(walk, workspace, qtbot, what):
    walk._timer.setInterval(100_000)
    walk.move(2)
    walk.play()
    with qtbot.waitSignals([walk.text_changed, walk.changed]):
        if what == "token":
            workspace.select_token(1)
        elif what == "text":
            workspace.document.set_text(b"cb")
        else:
            workspace.loader.open("demo:bpe")
    assert not walk.is_playing
    assert walk.step is None


def test_the_prefixes_are_those_around_the_selected_token(walk, workspace):
    workspace.select_token(1)
    tree = walk.prefix_tree()
    assert tree.text == b"abacbb"
    workspace.select_token(None)
    assert walk.prefix_tree() is None
