"""Each key, button and wheel of the Tree page does what it is there for, and is enabled when it can."""

import pytest
from hands import turn_wheel
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from guiapp.analysis.tree.picture import ROOT
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.widgets.labels import StyledText
from guiapp.pages.tree.page import about

LEFT, RIGHT, Key = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.Key
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def width(page):
    return page.model.view[1] - page.model.view[0]


@pytest.fixture
def near(page):
    """The page with a quarter of the tree in view."""
    whole = page.model.picture.width
    page.model.set_view((whole / 4, whole / 2), remember=False)
    page.view.show_at_once()
    return page


@pytest.mark.parametrize(
    ("key", "factor"), [(Key.Key_Plus, -1), (Key.Key_Minus, 1), (Key.Key_Home, 3), (Key.Key_Escape, 3)]
)
def test_keys_zoom_at_the_centre(near, qtbot, key, factor):
    before, middle = width(near), sum(near.model.view) / 2
    qtbot.keyClick(near.view, key)
    if factor == 3:
        assert near.model.view == (0.0, float(near.model.picture.width))
    else:
        assert (width(near) - before) * factor > 0
        assert sum(near.model.view) / 2 == pytest.approx(middle)
    assert not near.model.can_go_back or factor == 3


@pytest.mark.parametrize("turned", [120, -120])
def test_the_wheel_moves_the_view_sidewards_with_shift_and_zooms_without(near, turned):
    start, before = near.model.view[0], width(near)
    turn_wheel(near.view, QPoint(300, 300), turned, SHIFT)
    assert width(near) == pytest.approx(before)
    assert (near.model.view[0] - start) * turned < 0
    turn_wheel(near.view, QPoint(300, 300), turned)
    assert (width(near) - before) * turned < 0
    assert not near.model.can_go_back


@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
def test_dragging_moves_what_is_under_the_pointer(near, shape):
    near.model.set_shape(shape)
    near.view.show_at_once()
    geometry, before, chosen = near.view.geometry_now, near.model.view, near.model.chosen
    here, there = QPoint(250, 120), QPoint(290, 130)
    under = geometry.view[0] + geometry.share_at(here.x(), here.y()) * width(near)
    QTest.mousePress(near.view, LEFT, pos=here)
    QTest.mouseMove(near.view, here + QPoint(1, 0))
    assert near.model.view == before  # a hand is never quite still
    QTest.mouseMove(near.view, there)
    assert near.view.cursor().shape() is Qt.CursorShape.ClosedHandCursor
    QTest.mouseRelease(near.view, LEFT, pos=there)
    assert near.view.cursor().shape() is not Qt.CursorShape.ClosedHandCursor
    near.view.show_at_once()
    geometry = near.view.geometry_now
    now = geometry.view[0] + geometry.share_at(there.x(), there.y()) * width(near)
    assert now == pytest.approx(under, abs=width(near) / 200)
    assert (width(near), near.model.chosen) == (pytest.approx(before[1] - before[0]), chosen)


def test_the_right_button_neither_chooses_nor_moves(near, qtbot):
    before = near.model.view, near.model.chosen
    QTest.mouseClick(near.view, RIGHT, pos=QPoint(250, 120))
    QTest.mouseMove(near.view, QPoint(290, 130))
    assert (near.model.view, near.model.chosen) == before


def test_typing_begins_a_search_and_ctrl_f_selects_it(page, qtbot):
    page.activateWindow()
    page.view.setFocus()
    qtbot.waitUntil(page.view.hasFocus)
    qtbot.keyClick(page.view, "x", CONTROL)
    assert page.bar.query.text() == ""
    qtbot.keyClick(page.view, "t")
    assert (page.bar.query.text(), page.bar.query.hasFocus()) == ("t", True)
    qtbot.waitUntil(lambda: page.search.title != "")
    assert page.side.current is page.node_panel
    page.view.setFocus()
    qtbot.keyClick(page.view, Key.Key_F, CONTROL)
    assert (page.bar.query.selectedText(), page.bar.query.hasFocus()) == ("t", True)


def test_tabs_show_their_panels_and_f6_goes_to_the_one_that_shows(page, qtbot):
    seen = []
    for button in page.side.tabs.findChildren(QToolButton):
        qtbot.mouseClick(button, LEFT)
        seen.append(page.side.current)
        assert page.panels == [page.view, page.editor, page.bar.query, seen[-1]]
    assert seen == [page.node_panel, page.results_panel, page.figures_panel]
    assert page.figures_panel.figures.is_watched


def test_the_walk_bar_steps_plays_and_pauses(page, qtbot):
    bar = page.walk_bar
    back, play, on = bar.findChildren(QToolButton)
    at = []
    for button in (on, on, back, back):
        qtbot.mouseClick(button, LEFT)
        at.append(None if page.walk.step is None else page.walk.step.offset)
    assert at == [0, 1, 0, None]
    assert play.text() == "Play"
    qtbot.mouseClick(play, LEFT)
    assert (page.walk.is_playing, play.text()) == (True, "Pause")
    qtbot.mouseClick(play, LEFT)
    assert (page.walk.is_playing, play.text()) == (False, "Play")


def test_buttons_of_the_bar_choose_shape_and_colours_and_show_all(near, qtbot):
    bar, shapes = near.bar, near.bar.shapes
    assert not any(button.icon().isNull() for button in (bar.back, bar.forward, bar.fit, *shapes.values()))
    qtbot.mouseClick(bar.fit, LEFT)
    assert near.model.view == (0.0, float(near.model.picture.width))
    for name in ("icicle", "icicle", "sunburst"):  # a click on the chosen one leaves it chosen
        qtbot.mouseClick(shapes[name], LEFT)
        assert near.model.shape == name
        assert [each for each, button in shapes.items() if button.isChecked()] == [name]
    for action in bar.coloring.menu().actions():
        action.trigger()
        qtbot.waitUntil(lambda: not near.model.evaluating.is_busy)
        assert bar.coloring.text() == f"Colour by: {action.text()}"
        assert action.text() in bar.coloring.accessibleName()
        assert [each for each in bar.coloring.menu().actions() if each.isChecked()] == [action]
        assert near.model.coloring == action.data()


def test_search_keys_step_and_the_bar_shows_the_current_result(page, qtbot):
    query, line, seen = page.bar.query, page.head.line, []
    page.side.tabs.choose(1)
    page.search.listing.changed.connect(lambda: seen.append(line.text()))
    query.setText("th")
    qtbot.waitUntil(lambda: len(page.search.result_nodes) > 3)
    n_results = len(page.search.result_nodes)
    assert "Searching …" in seen
    assert line.text().startswith(f"{n_results:,} tokens found")
    way = [("Return", 0), ("Enter", 1), ("Down", 2), ("Up", 1), ("Shift+Return", 0)]
    for keys, at in (*way, ("Shift+Return", n_results - 1)):
        qtbot.keySequence(query, keys)
        assert line.text().startswith(f"{at + 1:,} of {n_results:,}")
        assert page.results_panel.view.currentIndex().row() == page.search.current == at
        assert page.model.chosen == page.search.result_nodes[at]
    page.model.choose(page.model.picture.node(0))  # is about another token now
    assert line.text().startswith(f"{n_results:,} tokens found")
    qtbot.keyClick(query, Key.Key_Escape)
    assert (query.text(), line.text() in about(page.model.shape), page.search.title) == ("", True, "")
    query.setText("/(/")
    qtbot.waitUntil(lambda: bool(page.search.shown.problem))
    assert page.search.shown.problem in line.whole_text
    query.clear()
    assert line.text() in about(page.model.shape)


def test_names_on_the_path_can_be_clicked(page, qtbot):
    way, node = page.bar.breadcrumb, page.model.picture.children(ROOT)[0]
    way.setFixedWidth(300)
    page.model.choose(node)
    way.grab()
    name, outside = QPoint(10, 20), QPoint(298, 20)
    for button, place, chosen in ((RIGHT, name, node), (LEFT, outside, node), (LEFT, name, ROOT)):
        qtbot.mouseClick(way, button, pos=place)
        assert page.model.chosen == chosen
    page.model.choose(node)
    page.model.show(node)
    way.grab()
    qtbot.mouseClick(way, LEFT, pos=name)
    assert page.model.view == (0.0, float(page.model.picture.width))


def test_the_walk_lists_continuations_and_its_end(page, qtbot):
    page.kept_session.select_token(1)
    story = page.walk_bar.findChild(StyledText)
    on = next(button for button in page.walk_bar.findChildren(QToolButton) if button.text() == "On ›")
    states, picture = [], page.model.picture
    for _ in range(12):
        qtbot.mouseClick(on, Qt.MouseButton.LeftButton)
        step, text = page.walk.step, story.toPlainText()
        states.append((step.taken is not None, step.n_children > 0))
        assert ("may continue with" in text) == (step.taken is None and step.n_children > 0)
        assert ("takes" in text) == (step.taken is not None)
        assert ("no match among" in text) == (step.taken is not None and step.n_children > 0)
        read = visible_text(page.walk.read(step.offset + 1, step.start))
        assert visible_text(page.walk.read(step.offset + 19)).startswith(text.partition("   ")[0])
        assert read in text
        if step.taken is None and step.n_children:
            names, _, more = text.partition(" may continue with ")[2].partition(" … of ")
            expected = [visible_text(picture.tree.token_bytes(token)) for token in step.continuations]
            assert names.split(", ") == expected[: names.count(", ") + 1]
            assert more == (f"{step.n_children:,}" if step.n_children > names.count(", ") + 1 else "")
        assert page.model.chosen_token == step.token
    assert {(False, True), (True, True)} <= set(states)
