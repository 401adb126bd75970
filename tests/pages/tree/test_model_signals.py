"""What the model of the tree tells, in which order, and what it leaves alone."""

import numpy as np
import pytest
from told import told_by

import guiapp
from guiapp.analysis.tree.coloring import COLORINGS
from guiapp.analysis.tree.picture import ROOT
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.tree import model as tree_model
from guiapp.pages.tree.geometry import view_of
from guiapp.pages.tree.model import LEAST_SHARE, SHAPES, TreeModel


@pytest.fixture
def told(model):
    return told_by(model)


def test_without_a_model_there_is_no_tree(qapp):
    session = ModelSession(TextSession(b"abc"))
    model = TreeModel(session)
    told = told_by(model)
    assert (model.picture, model.values, model.counts, model.chosen, model.chosen_token) == (None,) * 5
    assert (model.view, model.shape, model.coloring) == ((0.0, 1.0), SHAPES[0], COLORINGS[0].name)
    assert (model.is_preparing, model.job.is_busy, model.name, model.chosen_path) == (False, False, "", [])
    for act in (model.fit, model.go_back, model.go_forward, model._count, model._evaluate):
        act()
    model.show(0)
    model.reveal(0)
    model.walk("child")
    model.show_token(0)
    model.set_view((0.0, 2.0))
    assert (told, model.evaluating.is_busy) == ([], False)
    model.set_coloring("depth")
    assert (model.coloring, model.evaluating.is_busy) == ("depth", False)
    model.close()
    session.close()


def test_a_picture_is_told_when_its_vocabulary_opens_and_when_it_is_ready(session, qtbot):
    model = TreeModel(session)
    told = told_by(model)
    assert (model.is_preparing, model.job.is_busy) == (True, True)
    qtbot.waitUntil(lambda: model.picture is not None)
    assert told == [
        "counts_changed",
        "picture_changed",
        "values_changed",
        "history_changed",
        "chosen_changed",
    ]
    assert not model.evaluating.is_busy
    told.clear()
    with qtbot.waitSignal(model.picture_changed):
        session.loader.open("demo:rwkv")
    assert [name for name in told if name != "preparing_changed"] == ["picture_changed"]
    assert told[0] == "preparing_changed"
    model.close()
    assert not model.job.is_busy


def test_moving_is_told_once_and_not_where_nothing_moves(model, told, node_of):
    view, history = "view_changed", "history_changed"

    def tells(act, *given, **named):
        told.clear()
        act(*given, **named)
        return told

    assert tells(model.go_back) == tells(model.go_forward) == tells(model.fit) == []
    assert tells(model.set_view, (1.0, 3.0)) == [history, view]
    assert tells(model.set_view, (1.0, 3.0)) == []
    assert tells(model.set_view, (2.0, 4.0), remember=False) == [view]
    assert tells(model.go_back) == [view, history]
    assert tells(model.go_forward) == [view, history]
    assert model.view == (2.0, 4.0)
    assert tells(model.go_forward) == []
    assert tells(model.show, node_of(b"a")) == [history, view]
    assert model.view == view_of(model.picture, node_of(b"a"))
    assert tells(model.set_view, (-9.0, 99.0)) == [history, view]
    assert model.view == (0.0, float(model.picture.width))


def test_choosing_is_told_once(model, told, node_of, session):
    told.clear()
    model.choose(node_of(b"c"))
    model.choose(node_of(b"c"))
    assert told == ["chosen_changed"]
    assert (model.chosen_token, model.chosen_path) == (2, [ROOT, node_of(b"c")])
    model.choose(ROOT)
    assert (model.chosen, model.chosen_token, model.chosen_path) == (ROOT, None, [ROOT])


def test_a_use_is_looked_for_behind_the_selected_token(model, session, qtbot):
    with qtbot.waitSignal(session.tokens_changed):
        session.document.set_text(b"abcababc")  # ab c ab ab c
    found = {}
    for selected in (None, 0, 1, 2, 4):
        session.select_token(selected)
        found[selected] = [session.next_use(token) for token in (3, 2, 8)]
    assert found == {
        None: [0, 1, None],
        0: [2, 1, None],
        1: [2, 4, None],
        2: [3, 4, None],
        4: [0, 1, None],
    }
    for token, selected in ((2, 4), (8, 4), (3, 0), (3, 0)):
        session.select_use(token)
        assert session.selected_token == selected


def test_a_token_without_a_place_is_not_looked_at(model, told, monkeypatch):
    monkeypatch.setattr(type(model.picture), "node", lambda picture, token: -1 if token == 3 else ROOT)
    chosen = model.chosen
    model.show_token(3)
    assert (model.chosen, told) == (chosen, [])
    model.show_token(4)
    assert model.chosen == ROOT


def test_what_is_looked_at_takes_its_share_of_the_view(model, node_of):
    model.show(node_of(b"c"))
    for act in (model.show_token, lambda token: model.reveal(model.picture.node(token))):
        model.set_view((3.0, 4.0), remember=False)
        act(3)
        start, end = model.picture.span(node_of(b"ab"))
        assert model.view[0] <= start < end <= model.view[1]
        assert end - start >= LEAST_SHARE * (model.view[1] - model.view[0])


def test_neighbours_at_all_ends(model, node_of):
    ways = ("parent", "child", "next", "previous")
    found = {
        name: [tree_model._neighbour(model.picture, node, way) for way in ways]
        for name, node in (("root", ROOT), ("a", node_of(b"a")), ("b", node_of(b"b")), ("c", node_of(b"c")))
    }
    a, b, c = node_of(b"a"), node_of(b"b"), node_of(b"c")
    assert found == {
        "root": [None, a, None, None],
        "a": [ROOT, node_of(b"ab"), b, None],
        "b": [ROOT, node_of(b"bb"), c, a],
        "c": [ROOT, node_of(b"cb"), None, b],
    }


def test_walking_goes_there_and_shows_it(model, told, node_of):
    model._set_chosen(None)
    model.walk("parent")
    assert model.chosen is None
    model.walk("child")
    assert model.chosen == node_of(b"a")
    model.set_view((3.0, 4.0), remember=False)
    told.clear()
    model.walk("child")
    assert told == ["chosen_changed", "history_changed", "view_changed"]
    assert model.can_go_back


def test_labels_of_groups_empty_tokens_and_parts_of_characters(qtbot):
    session = ModelSession(TextSession(b""), load=lambda name, pre, progress: guiapp.open_model(name))
    model = TreeModel(session)
    session.loader.open("demo:rwkv")
    qtbot.waitUntil(lambda: model.picture is not None)
    picture = model.picture
    tokens = {picture.tree.token_bytes(token): token for token in range(len(picture.vocabulary))}
    begun = model.label(picture.node(tokens[b"\xe4"]))
    assert begun.startswith(f"<E4>{tree_model.MORE_SIGN}")
    group = next((node for node in range(1, len(picture)) if picture.token(node) is None), None)
    if group is not None:
        assert (
            model.label(group) == f"{picture.script(group)}{tree_model.MORE_SIGN}{picture.n_below(group):,}"
        )
    assert model.label(ROOT) == f"{model.name}{tree_model.MORE_SIGN}{picture.n_below(ROOT):,}"
    model.close()
    session.close()


def test_uses_are_counted_when_typing_pauses(model, told, session, qtbot):
    assert (model._counting.isSingleShot(), model._counting.interval()) == (True, tree_model.COUNT_MS)
    session.document.set_text(b"cc")
    assert "counts_changed" not in told
    qtbot.waitUntil(lambda: "counts_changed" in told)
    assert model.counts.tolist() == [0, 0, 2, 0, 0, 0, 0, 0, 0]
    assert model.counts.dtype == np.int64
    assert not model.evaluating.is_busy
    session.document.set_text(b"a")
    qtbot.waitUntil(lambda: model._counting.isActive())
    model.close()
    assert not model._counting.isActive()


def test_colours_are_told_when_they_are_there(model, told, qtbot):
    model.set_coloring("depth")
    assert told == []
    qtbot.waitUntil(lambda: not model.evaluating.is_busy)
    assert told == ["values_changed"]
    model.set_coloring("depth")
    assert not model.evaluating.is_busy
    model.set_coloring("use")
    qtbot.waitUntil(lambda: not model.evaluating.is_busy)
    told.clear()
    model._count()
    assert (told, model.evaluating.is_busy) == (["counts_changed"], True)


def test_the_shape_is_told_once(model, told):
    model.set_shape(SHAPES[0])
    model.set_shape(SHAPES[1])
    model.set_shape(SHAPES[1])
    assert (told, model.shape) == (["shape_changed"], SHAPES[1])


def test_nothing_is_flown_to_where_the_chosen_node_stays(model, told, session, node_of):
    session.select_token(1)
    model.set_view((3.0, 4.0), remember=False)
    told.clear()
    session.selected_token_changed.emit()
    assert told == []
    model._set_chosen(None)
    told.clear()
    session.selected_token_changed.emit()
    assert (told, model.view) == (["chosen_changed"], (3.0, 4.0))  # as a new text does
