"""The legend below the tree, and the small map on it."""

import numpy as np
import pytest
from pictures import badly_placed, paintings_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from guiapp.viewmodels.tree.geometry import Icicle
from guiapp.widgets.tree.colors import class_colors, number, scale_colors
from guiapp.widgets.tree.legend import LEGEND_PX, TreeLegend

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


def rgb(image, x, y):
    return image.pixel(round(x), round(y)) & 0xFFFFFF


@pytest.fixture
def legend(page):
    page.legend.setMinimumWidth(2400)  # room for all classes
    page.grab()
    return page.legend


def written(legend):
    return dict(paintings_of(legend).texts)


def test_classes_are_named_with_their_colours_those_with_most_tokens_first(page, legend):
    values, tokens = page.model.values, page.model.picture.layout.tokens >= 0
    n_tokens = {name: np.count_nonzero(values.classes[tokens] == at) for at, name in enumerate(values.names)}
    names = sorted((name for name in n_tokens if n_tokens[name]), key=lambda name: -n_tokens[name])
    wanted = [f"{name} {n_tokens[name]:,}" for name in names]
    assert list(written(legend)) == wanted
    assert legend.accessibleDescription() == ", ".join(wanted)
    assert all(each in legend.toolTip() for each in wanted)
    assert badly_placed(legend) == []
    image, middle = legend.grab().toImage(), legend.height() / 2
    colors = class_colors(values.names, page.theme_source.theme.name)
    for name, box in zip(names, written(legend).values(), strict=True):
        assert rgb(image, box.left() - 10, middle) == int(colors[values.names.index(name)])
        assert box.center().y() == pytest.approx(middle, abs=3)
    legend.setMinimumWidth(0)
    legend.resize(180, LEGEND_PX)
    assert list(written(legend)) == [wanted[0], "…"]
    assert badly_placed(legend) == []


def test_clicks_and_keys_light_one_class_and_grey_all_others(page, legend, qtbot):
    boxes, shown = list(written(legend).values()), list(range(len(written(legend))))
    theme, seen = page.theme_source.theme, []

    def lit():
        image = legend.grab().toImage()
        swatches = [rgb(image, box.left() - 10, LEGEND_PX / 2) for box in boxes]
        return [at for at, color in enumerate(swatches) if color != number(theme.line)]

    def click(at):
        qtbot.mouseClick(legend, LEFT, pos=(boxes[at].center()).toPoint())

    assert lit() == shown
    for go in (
        lambda: click(1),
        lambda: click(2),
        lambda: click(2),
        lambda: qtbot.keyClick(legend, Key.Key_Right),
        lambda: qtbot.keyClick(legend, Key.Key_Right),
        lambda: qtbot.keyClick(legend, Key.Key_Left),
        lambda: qtbot.keyClick(legend, Key.Key_Left),
        lambda: qtbot.keyClick(legend, Key.Key_Right),
        lambda: qtbot.keyClick(legend, Key.Key_A),
        lambda: qtbot.keyClick(legend, Key.Key_Escape),
        lambda: qtbot.keyClick(legend, Key.Key_Left),
        lambda: qtbot.mouseClick(legend, LEFT, pos=QPoint(legend.width() - 3, 10)),
    ):
        go()
        seen.append(lit())
    assert seen == [[1], [2], shown, [0], [1], [0], shown[-1:], [0], [0], shown, shown[-1:], shown]


def test_a_scale_goes_from_one_end_to_the_other(page, legend, qtbot):
    page.model.set_coloring("depth")
    qtbot.waitUntil(lambda: page.model.values.title == "Depth" and page.paint.is_current)
    values, (title, first, last) = page.model.values, written(legend).items()
    assert (title[0], first[0], last[0]) == (f"{values.title}:", *values.ends)
    assert legend.accessibleDescription() == legend.toolTip() == values.title
    assert title[1].right() < first[1].left() < first[1].right() < last[1].left()
    image, colors = legend.grab().toImage(), scale_colors(page.theme_source.theme.name).tolist()
    row = [rgb(image, x, LEGEND_PX / 2) for x in range(round(first[1].right()), round(last[1].left()))]
    ground = number(page.theme_source.theme.background)
    scale = [color for color in row if color != ground]
    for at in (2, len(scale) // 2, -3):
        parts = QColor(scale[at]), QColor(colors[round(at % len(scale) / len(scale) * 255)])
        assert max(abs(a - b) for a, b in zip(*(part.getRgb() for part in parts), strict=True)) < 24
    qtbot.keyClick(legend, Key.Key_Right)
    qtbot.mouseClick(legend, LEFT, pos=QPoint(20, 10))
    assert page.paint.lit_class is None


def test_the_legend_is_framed_while_it_has_the_keys(page, qtbot):
    page.activateWindow()
    frames = []
    for focused in (page.bar.query, page.legend, page.bar.query):
        focused.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.waitUntil(focused.hasFocus)
        qtbot.wait(1)
        color = page.legend.grab().toImage().pixelColor(0, LEGEND_PX // 2)
        frames.append(color == page.theme_source.theme.accent)
    assert frames == [False, True, False]
    assert page.legend.focusPolicy() == Qt.FocusPolicy.TabFocus
    assert page.findChild(TreeLegend).accessibleName()


def test_the_map_shows_the_tree_brighter_where_the_view_is(page, qtbot):
    picture, small = page.model.picture, page.mini_map
    page.model.set_view((picture.width / 4, picture.width / 2))
    for theme in ("dark", "light"):
        page.theme_source.choose(theme)
        qtbot.waitUntil(lambda: page.paint.is_current)
        image, colors, is_same = small.grab().toImage(), page.paint.colors, {True: [], False: []}
        whole = Icicle(picture, (0.0, float(picture.width)), small.width(), small.height())
        for x in range(4, small.width() - 4, 3):
            for y in range(4, small.height() - 4, 3):
                around = [(x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)]
                nodes = {(hit := whole.hit(*point)) and picture.node_at(*hit) for point in around}
                if len(nodes) == 1:
                    (node,) = nodes
                    wanted = number(page.theme_source.theme.panel) if node is None else colors.of(node)
                    share = x / small.width()
                    if not min(abs(share - 0.25), abs(share - 0.5)) < 0.03:
                        is_same[0.25 < share < 0.5].append(rgb(image, x, y) == wanted)
        assert np.mean(is_same[True]) > 0.9
        assert np.mean(is_same[False]) < 0.2


def test_a_drag_on_the_map_takes_the_view_along(page):
    width, small = page.model.picture.width, page.mini_map
    page.model.set_view((0.0, width / 10))
    before, middles = page.model.can_go_back, []
    QTest.mousePress(small, LEFT, pos=QPoint(60, 20))
    for x in (60, 90, 120, 600):
        QTest.mouseMove(small, QPoint(x, 20))
        middles.append(sum(page.model.view) / 2 / width)
    assert middles == pytest.approx(
        [60 / small.width(), 90 / small.width(), 120 / small.width(), 0.95], abs=0.01
    )
    assert page.model.can_go_back == before
    corner = page.view.rect().bottomRight() - small.geometry().bottomRight()
    assert 0 < corner.x() == corner.y() < 40
    page.resize(page.width() + 100, page.height() + 50)
    page.grab()
    assert page.view.rect().bottomRight() - small.geometry().bottomRight() == corner
