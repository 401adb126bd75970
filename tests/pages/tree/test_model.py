"""What the Tree page looks at: the chosen node, the view and its history, colours and counts."""

import numpy as np
from instant_recorder import load_once
from PySide6.QtWidgets import QApplication

from guiapp.analysis.tree.picture import ROOT
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.tree import model as tree_model
from guiapp.pages.tree.model import LEAST_SHARE, TreeModel


def test_walking_goes_to_relatives_and_stops_at_the_ends(model, node_of):
    model.choose(node_of(b"a"))
    walked = []
    directions = [
        "child",
        "previous",
        "next",
        "next",
        "child",
        *["parent"] * 2,
        "next",
        "parent",
        "parent",
        "next",
    ]
    for direction in directions:
        model.walk(direction)
        walked.append(model.label(model.chosen, is_whole=True))
    assert walked == ["ab", "ab", "ac", "ac", "acbb", "ac", "a", "b", *[model.label(ROOT, is_whole=True)] * 3]


def test_labels_show_the_suffix_of_a_node_or_the_whole_token(model, node_of):
    assert [model.label(node_of(b"acbb"), whole) for whole in (False, True)] == ["bb", "acbb"]
    assert model.label(ROOT).startswith(model.name)
    assert model.label(ROOT).endswith("9")
    assert model.label(ROOT, is_whole=True) == "9\ntokens"


def test_choosing_selects_the_next_use_in_the_text(model, session, node_of, qtbot):
    with qtbot.waitSignal(session.tokens_changed):
        session.document.set_text(b"abcababc")  # ab c ab ab c
    session.select_token(1)
    model.choose(node_of(b"ab"))
    assert session.selected_token == 2
    model.choose(node_of(b"ab"))
    assert session.selected_token == 2  # it is that already
    session.select_token(4)
    model.choose(node_of(b"ab"))
    assert session.selected_token == 0  # from the beginning again
    model.choose(node_of(b"bb"))
    assert (session.selected_token, model.chosen) == (0, node_of(b"bb"))


def test_looking_at_a_token_leaves_the_text_and_the_history_alone(model, session, node_of):
    session.select_token(0)
    model.show_token(8)
    assert (model.chosen, model.chosen_token) == (node_of(b"acbb"), 8)
    assert model.chosen_path == [ROOT, node_of(b"a"), node_of(b"ac"), node_of(b"acbb")]
    assert session.selected_token == 0
    assert not model.can_go_back


def test_the_view_history_goes_back_and_forward(model, node_of, qtbot):
    whole = model.view
    with qtbot.waitSignals([model.view_changed, model.history_changed]):
        model.show(node_of(b"a"))
    near = model.view
    assert near != whole
    assert (model.can_go_back, model.can_go_forward) == (True, False)
    with qtbot.waitSignals([model.view_changed, model.history_changed]):
        model.go_back()
    assert (model.view, model.can_go_back, model.can_go_forward) == (whole, False, True)
    with qtbot.waitSignals([model.view_changed, model.history_changed]):
        model.go_forward()
    assert (model.view, model.can_go_back, model.can_go_forward) == (near, True, False)
    model.go_back()
    model.show(node_of(b"c"))
    assert not model.can_go_forward  # that way is left
    model.fit()
    assert model.view == whole


def test_a_node_out_of_view_is_revealed(model, node_of):
    model.show(node_of(b"c"))
    model.reveal(node_of(b"ab"))
    start, end = model.picture.span(node_of(b"ab"))
    assert model.view[0] <= start < end <= model.view[1]
    assert model.can_go_back


def test_the_selected_token_is_chosen_and_flown_to(model, session, node_of):
    assert model.chosen == node_of(b"ab")  # the first of the text
    model.show(node_of(b"c"))
    session.select_token(1)
    assert model.chosen == node_of(b"acbb")
    start, end = model.picture.span(model.chosen)
    assert model.view[0] <= start < end <= model.view[1]
    model.go_back()
    assert not model.can_go_back  # the flight itself is not remembered


def test_the_token_under_the_caret_is_chosen_when_the_text_is_another(model, session, node_of, qtbot):
    assert session.selected_token == 0
    session.document.replace(0, 2, b"cb")
    qtbot.waitUntil(lambda: model.chosen == node_of(b"cb"))
    assert session.selected_token == 0


def test_the_view_includes_the_token_of_a_new_text(model, session, node_of, qtbot):
    model.show(node_of(b"ab"))
    with qtbot.waitSignal(session.tokens_changed):
        session.document.set_text(b"cb")
    start, end = model.picture.span(node_of(b"cb"))
    assert model.view[0] <= start < end <= model.view[1]


def test_counts_and_their_colours_are_updated_with_the_text(model, session, qtbot):
    assert model.counts.tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 1]
    model.set_coloring("use")
    qtbot.waitUntil(lambda: not model.evaluating.is_busy)
    before = model.evaluating.value
    with qtbot.waitSignals([model.counts_changed, model.evaluating.changed]):
        session.document.set_text(b"cc")
    qtbot.waitUntil(lambda: model.counts.tolist() == [0, 0, 2, 0, 0, 0, 0, 0, 0])
    qtbot.waitUntil(lambda: not model.evaluating.is_busy)
    assert model.evaluating.value is not before


def test_another_vocabulary_forgets_all_of_the_one_before(model, session, node_of, qtbot):
    model.show(node_of(b"a"))
    before = model.picture
    with qtbot.waitSignal(model.picture_changed):
        session.loader.open("demo:rwkv")
    assert model.picture is model.evaluating.value is model.chosen is model.counts is None
    assert model.chosen_path == []
    assert not model.can_go_back
    model.walk("child")
    model.set_view((0.0, 1.0))
    qtbot.waitUntil(lambda: model.picture not in (None, before))
    assert model.view == (0.0, float(model.picture.width))
    qtbot.waitUntil(lambda: model.counts is not None and len(model.counts) == len(session.vocabulary))


def test_a_coloring_chosen_while_the_tree_is_made_is_the_one_of_its_values(session, hold, qtbot):
    gate = hold(tree_model, "tree_picture")
    made = TreeModel(session)
    made.set_coloring("depth")
    gate.set()
    qtbot.waitUntil(lambda: made.evaluating.value is not None and not made.evaluating.is_busy)
    by_depth = made.evaluating.value
    made.set_coloring("script")
    qtbot.waitUntil(lambda: made.evaluating.value is not by_depth)
    made.set_coloring("depth")
    qtbot.waitUntil(lambda: not made.evaluating.is_busy)
    assert np.array_equal(made.evaluating.value.classes, by_depth.classes)
    made.close()


def test_values_of_another_vocabulary_do_not_arrive(model, session, hold, qtbot):
    values, picture = hold(tree_model, "node_values"), hold(tree_model, "tree_picture")
    model.set_coloring("depth")
    with qtbot.waitSignal(model.picture_changed):
        session.loader.open("demo:rwkv")
    values.set()
    QApplication.processEvents()
    assert model.evaluating.value is None
    picture.set()
    qtbot.waitUntil(lambda: model.evaluating.value is not None)
    assert len(model.evaluating.value.classes) == len(model.picture)


def test_the_view_is_unchanged_when_the_same_token_is_selected(model, session, node_of, qtbot):
    session.document.set_text(b"abab")
    qtbot.waitUntil(lambda: model.counts[3] == 2)
    model.show(node_of(b"c"))
    near = model.view
    session.select_token(1)
    assert (model.chosen, model.view) == (node_of(b"ab"), near)


def test_the_next_use_is_searched_after_the_selected_token(model, session, qtbot):
    with qtbot.waitSignal(session.tokens_changed):
        session.document.set_text(b"abcababc")  # ab c ab ab c
    next_uses = {}
    for selected in (None, 0, 1, 2, 4):
        session.select_token(selected)
        next_uses[selected] = [session.next_use(token) for token in (3, 2, 8)]
    assert next_uses == {
        None: [0, 1, None],
        0: [2, 1, None],
        1: [2, 4, None],
        2: [3, 4, None],
        4: [0, 1, None],
    }
    for token, selected in ((2, 4), (8, 4), (3, 0), (3, 0)):
        session.select_use(token)
        assert session.selected_token == selected


def test_a_shown_node_fills_a_minimum_share_of_the_view(model, node_of):
    model.show(node_of(b"c"))
    for act in (model.show_token, lambda token: model.reveal(model.picture.node(token))):
        model.set_view((3.0, 4.0), remember=False)
        act(3)
        start, end = model.picture.span(node_of(b"ab"))
        assert model.view[0] <= start < end <= model.view[1]
        assert end - start >= LEAST_SHARE * (model.view[1] - model.view[0])


def test_labels_of_groups_empty_tokens_and_parts_of_characters(qtbot):
    session = ModelSession(TextSession(b""), load=load_once)
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


def test_a_token_that_was_chosen_in_a_list_is_shown_though_the_text_does_not_have_it(
    model, session, node_of, qtbot
):
    with qtbot.waitSignal(session.tokens_changed):
        session.document.set_text(b"abab")
    session.select_use(3)
    assert model.chosen_token == 3
    session.select_use(6)
    assert (model.chosen_token, session.selected_id) == (6, 3)
    session.select_token(1)
    assert model.chosen_token == 3
