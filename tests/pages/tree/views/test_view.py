"""The picture of the tree under mouse, wheel, fingers and keys."""

import numpy as np
import pytest
from hands import turn_wheel
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import (
    QContextMenuEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPointingDevice,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.analysis.tree.picture import ROOT
from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.tree.geometry import Icicle, Sunburst


def widest_child(page):
    picture = page.model.picture
    return max(picture.children(ROOT), key=lambda node: picture.span(node)[1] - picture.span(node)[0])


def center_of(page, node):
    geometry = page.view.geometry_now
    inner, outer, start, end = geometry.sector(node)
    return QPointF(*geometry.point((inner + outer) / 2, (start + end) / 2)).toPoint()


def place_at(page, point):
    geometry = page.view.geometry_now
    return geometry.view[0] + geometry.share_at(point.x(), point.y()) * (geometry.view[1] - geometry.view[0])


def point_at(page, point):
    place, none = QPointF(point), Qt.MouseButton.NoButton
    no_keys = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(page.view, QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, no_keys))


def test_pinching_a_touch_pad_zooms_at_the_pointer(page):
    page.model.set_shape("icicle")
    point, width = QPointF(300, 100), page.model.view[1] - page.model.view[0]
    place = place_at(page, point)
    for value in (0.25, 0.2):
        event = QNativeGestureEvent(
            Qt.NativeGestureType.ZoomNativeGesture,
            QPointingDevice.primaryPointingDevice(),
            2,
            point,
            point,
            QPointF(page.view.mapToGlobal(point)),
            value,
            QPointF(),
        )
        assert QApplication.sendEvent(page.view, event)
    assert page.model.view[1] - page.model.view[0] == pytest.approx(width / 1.5)
    assert place_at(page, point) == pytest.approx(place)


def test_pinching_the_screen_zooms_between_the_fingers(page):
    page.model.set_shape("icicle")
    point, width = QPoint(300, 100), page.model.view[1] - page.model.view[0]
    place = place_at(page, point)
    screen = QTest.createTouchDevice()
    for finger in range(12):
        apart = QPoint(40 + 10 * finger, 0)
        touches = QTest.touchEvent(page.view, screen, False)
        for number, place_of_finger in enumerate((point - apart, point + apart)):
            touch = touches.press if finger == 0 else touches.move
            touch(number, place_of_finger, page.view)
        touches.commit()
    assert page.model.view[1] - page.model.view[0] < width / 2
    assert place_at(page, point) == pytest.approx(place, rel=0.02)


def test_the_card_goes_when_the_picture_moves_and_comes_back_under_the_wheel(page, qtbot):
    point = center_of(page, widest_child(page))
    point_at(page, point)
    assert page.card.isVisible()
    qtbot.keyClick(page.view, Qt.Key.Key_Plus)
    assert not page.card.isVisible()
    qtbot.waitUntil(lambda: page.view.is_stable)
    assert not page.card.isVisible()
    turn_wheel(page.view, point, 120)
    qtbot.waitUntil(page.card.isVisible)


def test_a_presentation_shows_the_picture_alone_in_large_type_and_takes_clicks(page, qtbot):
    before = page.view.geometry_now
    page.set_text_size(3 * TEXT_FONT_PX)
    assert page.view.geometry_now == before
    page.set_presented(True)
    QApplication.processEvents()
    assert not page.side.isVisible()
    geometry, node = page.view.geometry_now, widest_child(page)
    assert page.view.width() > 1.5 * geometry.width_px
    point = (QPointF(center_of(page, node)) * page.view.factor).toPoint()
    point_at(page, point)
    assert page.card.isVisible()
    qtbot.mouseClick(page.view, Qt.MouseButton.LeftButton, pos=point)
    assert page.model.chosen == node
    qtbot.waitUntil(lambda: page.view.is_stable)
    shown = page.view.grab().toImage()
    assert shown.pixelColor(point) != shown.pixelColor(0, 0)
    page.set_presented(False)
    assert page.side.isVisible()
    assert page.view.factor == 1.0


def test_a_click_makes_a_node_the_centre_and_back_returns(page, qtbot):
    node, whole = widest_child(page), page.model.view
    assert page.view.node_at(center_of(page, node)) == node
    qtbot.mouseClick(page.view, Qt.MouseButton.LeftButton, pos=center_of(page, node))
    assert page.model.chosen == node
    assert page.model.view == tuple(map(float, page.model.picture.span(node)))
    qtbot.mouseClick(page.bar.back, Qt.MouseButton.LeftButton)
    assert page.model.view == whole
    qtbot.mouseClick(page.bar.forward, Qt.MouseButton.LeftButton)
    assert page.model.view == tuple(map(float, page.model.picture.span(node)))
    qtbot.mouseClick(page.view, Qt.MouseButton.LeftButton, pos=center_of(page, node))
    assert (page.model.chosen, page.model.view) == (ROOT, whole)  # what fills the view leads one step up


def test_keys_walk_from_node_to_node(page, qtbot):
    page.view.setFocus()
    page.model.choose(ROOT)
    qtbot.keyClick(page.view, Qt.Key.Key_Down)
    first = page.model.chosen
    assert page.model.picture.parent(first) == ROOT
    qtbot.keyClick(page.view, Qt.Key.Key_Right)
    assert page.model.chosen == first + 1
    qtbot.keyClick(page.view, Qt.Key.Key_Left)
    qtbot.keyClick(page.view, Qt.Key.Key_Up)
    assert page.model.chosen == ROOT


def test_keys_go_back_and_forward_and_show_all(page, qtbot):
    whole, node = page.model.view, widest_child(page)
    alt = Qt.KeyboardModifier.AltModifier
    page.model.choose(node)
    qtbot.keyClick(page.view, Qt.Key.Key_Return)
    near = page.model.view
    assert near == tuple(map(float, page.model.picture.span(node)))
    qtbot.keyClick(page.view, Qt.Key.Key_Left, alt)
    assert page.model.view == whole
    qtbot.keyClick(page.view, Qt.Key.Key_Right, alt)
    assert page.model.view == near
    qtbot.mouseClick(page.view, Qt.MouseButton.BackButton)
    assert page.model.view == whole
    qtbot.mouseClick(page.view, Qt.MouseButton.ForwardButton)
    assert page.model.view == near
    qtbot.keyClick(page.view, Qt.Key.Key_Home)
    assert page.model.view == whole
    qtbot.keyClick(page.view, Qt.Key.Key_Plus)
    assert page.model.view[1] - page.model.view[0] < whole[1]


@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
@pytest.mark.parametrize("size", [(300, 0), (300, 1), (1, 300), (7, 7), (8, 8)])
def test_a_view_without_room_shows_no_tree(page, shape, size):
    page.model.set_shape(shape)
    page.view.show_at_once()
    page.view.resize(*size)
    page.view.repaint()
    page.view.grab()
    page.export.copy()
    assert (page.view.geometry_now is None) == (min(size) < 8)


def test_the_node_under_the_pointer_is_signalled_once(page):
    emitted, node = [], widest_child(page)
    page.view.hovered.connect(emitted.append)
    for right in (0, 1, 2):
        point_at(page, center_of(page, node) + QPoint(right, 0))
    QApplication.sendEvent(page.view, QEvent(QEvent.Type.Leave))
    assert emitted == [node, None]


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
def test_each_place_has_the_colour_of_the_node_that_is_there(page, shape, scale):
    page.model.set_shape(shape)
    page.model.set_view((page.model.picture.width / 5, page.model.picture.width / 2))
    page.view.show_at_once()
    image, colors, is_right, seen = page.view.plain_image(scale), page.view.colors, [], set()
    for y in range(4, page.view.height() - 4, 13):
        for x in range(4, page.view.width() - 4, 13):
            nearby = [QPointF(x + right, y + down) for right in (-2, 0, 2) for down in (-2, 0, 2)]
            if len(nodes := set(map(page.view.node_at, nearby))) == 1:
                (node,) = nodes
                expected_color = colors.ground if node is None else colors.of(node)
                is_right.append(image.pixel(round(x * scale), round(y * scale)) & 0xFFFFFF == expected_color)
                seen |= nodes
    assert np.mean(is_right) > 0.97  # all but some nodes of one pixel
    assert len(seen) > 20


def test_the_view_flies_to_what_is_shown_and_bends_to_another_shape(page, qtbot):
    page.view.set_animated(True)
    views, shapes = [], []
    whole, node = page.model.view, widest_child(page)

    def note():
        views.append(page.view.geometry_now.view)
        shapes.append(type(page.view.geometry_now))
        return page.view.is_stable

    page.model.show(node)
    assert not note()
    qtbot.waitUntil(note)
    widths = [right - left for left, right in views]
    assert (views[0], views[-1]) == (whole, page.model.view)
    assert widths == sorted(widths, reverse=True)
    for shape, geometry in (("icicle", Icicle), ("sunburst", Sunburst)):
        shapes.clear()
        page.model.set_shape(shape)
        assert not note()
        qtbot.waitUntil(note)
        assert shapes == [shapes[0]] * shapes.count(shapes[0]) + [geometry] * shapes.count(geometry)
        assert len(set(shapes)) == 2
    QTest.mousePress(page.view, Qt.MouseButton.LeftButton, pos=QPoint(250, 120))
    QTest.mouseMove(page.view, QPoint(300, 100))
    assert page.view.geometry_now.view == page.model.view != views[-1]
    QTest.mouseRelease(page.view, Qt.MouseButton.LeftButton, pos=QPoint(300, 100))
    page.view.set_animated(False)
    page.model.fit()
    assert page.view.geometry_now.view == whole


def test_the_view_has_a_menu_and_describes_the_chosen_node(page, qtbot):
    node = widest_child(page)
    page.model.choose(node)
    assert page.view.accessibleDescription() == page.model.label(node)
    seen = []

    def collect_actions():
        menu = QApplication.activePopupWidget()
        seen.extend(menu.actions())
        menu.close()

    QTimer.singleShot(0, collect_actions)
    reason, place = QContextMenuEvent.Reason.Mouse, QPoint(5, 5)
    QApplication.sendEvent(page.view, QContextMenuEvent(reason, place, page.view.mapToGlobal(place)))
    assert seen == [*page.export.actions, page.export.animated]
