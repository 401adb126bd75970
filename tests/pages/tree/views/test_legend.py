"""The legend below the tree, and the small map on it."""

import pytest
from pictures import paintings_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from guiapp.pages.tree.legend import LEGEND_PX

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


@pytest.fixture
def legend(page):
    page.color_legend.setMinimumWidth(2400)  # room for all classes
    page.grab()
    return page.color_legend


def written(legend):
    return dict(paintings_of(legend).texts)


def test_a_click_after_the_last_class_lists_the_others(page, legend, qtbot):
    everything = list(written(legend))
    legend.setMinimumWidth(0)
    legend.resize(400, LEGEND_PX)
    *shown, more = written(legend)
    assert 0 < len(shown) < len(everything)
    qtbot.mouseClick(legend, LEFT, pos=written(legend)[more].center().toPoint())
    menu = legend.findChild(QMenu)
    qtbot.waitUntil(menu.isVisible)
    assert [action.text() for action in menu.actions()] == everything[len(shown) :]
    assert not any(action.icon().isNull() for action in menu.actions())
    menu.actions()[2].trigger()
    menu.close()
    assert list(written(legend)) == [*shown, everything[len(shown) + 2]]


def test_clicks_and_keys_light_one_class_and_grey_all_others(page, legend, qtbot):
    boxes, seen = list(written(legend).values()), []
    shown = list(range(len(boxes)))
    places = {at: boxes[at].center().toPoint() for at in (1, 2)} | {"end": QPoint(legend.width() - 3, 10)}
    keys = Key.Key_Right, Key.Key_Right, Key.Key_Left, Key.Key_Left, Key.Key_Right, Key.Key_A, Key.Key_Escape
    for way in (1, 2, 2, *keys, Key.Key_Left, "end"):
        if way in places:
            qtbot.mouseClick(legend, LEFT, pos=places[way])
        else:
            qtbot.keyClick(legend, way)
        accent = page.theme_source.theme.accent.name()
        seen.append([at for at in shown if paintings_of(legend).written[at].pen == accent])
        assert bool(seen[-1]) == (page.paint.lit_class is not None)
    last = shown[-1:]
    assert seen == [[1], [2], [], [0], [1], [0], last, [0], [0], [], last, []]


def test_a_scale_goes_from_one_end_to_the_other(page, legend, qtbot):
    page.paint.light_class(1)
    page.model.set_coloring("depth")
    qtbot.waitUntil(
        lambda: (
            page.paint.is_current
            and page.model.evaluating.value.title == "Tokens on the path"
            and page.paint.is_current
        )
    )
    assert page.paint.lit_class is None
    values, (title, first, last, nothing) = page.model.evaluating.value, written(legend).items()
    assert (title[0], first[0], last[0]) == (f"{values.title}:", *values.ends)
    assert nothing[0] == values.nothing
    assert legend.accessibleDescription() == legend.toolTip() == values.title
    qtbot.mouseClick(legend, LEFT, pos=QPoint(20, 10))
    qtbot.keyClick(legend, Key.Key_Right)
    assert page.paint.lit_class is None


def test_a_drag_on_the_map_takes_the_view_along(page):
    width, small, middles = page.model.picture.width, page.mini_map, []
    page.model.set_view((0.0, width / 10), remember=False)
    QTest.mousePress(small, LEFT, pos=QPoint(60, 20))
    for x in (60, 90, 120, 600):
        QTest.mouseMove(small, QPoint(x, 20))
        middles.append(sum(page.model.view) / 2 / width)
    QTest.mouseRelease(small, LEFT)
    shares = [x / small.width() for x in (60, 90, 120)]
    assert middles == pytest.approx([*shares, 0.95], abs=0.01)
    assert not page.model.can_go_back
