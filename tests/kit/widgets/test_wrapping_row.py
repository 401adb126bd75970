"""Where parts stand: beside or below each other, and below where there is no room beside."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from guiapp.kit.widgets.layouts import (
    STRETCH,
    WrappingRow,
    framed,
    head_row,
    in_column,
    in_row,
    in_splitter,
    scrolling,
)
from guiapp.kit.widgets.theme import GAP_PX


@pytest.fixture
def row(qtbot):
    labels = [QLabel(text) for text in ("one label", "another label", "third label", "the last")]
    window = QWidget()
    made = WrappingRow(labels[:3], labels[3])
    layout = QVBoxLayout(window)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(made)
    layout.addStretch()
    qtbot.addWidget(window)
    window.resize(800, 200)
    window.show()
    qtbot.waitExposed(window)
    return made, labels, window


def tops(labels):
    return [label.y() for label in labels if label.isVisible()]


def test_a_wide_row_is_one_line_with_its_end_at_the_right(row, qtbot):
    made, labels, _ = row
    assert len(set(tops(labels))) == 1
    assert labels[3].geometry().right() == made.width() - 1
    assert made.height() == made.minimumSizeHint().height() == max(each.height() for each in labels)
    labels[1].setMargin(5)
    qtbot.waitUntil(lambda: labels[1].height() == labels[1].sizeHint().height() > labels[0].height())
    assert {2 * each.y() + each.height() for each in labels} == {labels[1].height()}, "in the middle"
    labels[1].setMargin(0)
    qtbot.waitUntil(lambda: labels[1].height() == labels[0].height())
    made.resize(made.sizeHint())
    assert len(set(tops(labels))) == 1
    assert [next_.x() - each.geometry().right() - 1 for each, next_ in pairwise(labels)][:2] == [GAP_PX] * 2


def test_a_narrow_row_goes_on_below_and_cuts_nothing(row, qtbot):
    made, labels, window = row
    low = made.height()
    window.resize(made.minimumSizeHint().width() + 4, 200)
    qtbot.waitUntil(lambda: made.height() > 3 * low)
    assert tops(labels) == sorted(set(tops(labels)))
    assert {below.y() - each.geometry().bottom() - 1 for each, below in pairwise(labels)} == {GAP_PX}
    assert all(label.width() >= label.sizeHint().width() for label in labels)
    assert all(label.geometry().right() < made.width() for label in labels)


def test_what_is_hidden_takes_no_room(row, qtbot):
    made, labels, window = row
    window.resize(labels[0].sizeHint().width() + labels[3].sizeHint().width() + 20, 200)
    qtbot.waitUntil(lambda: labels[3].y() > 0)
    labels[1].hide()
    labels[2].hide()
    qtbot.waitUntil(lambda: labels[3].y() == labels[0].y())
    labels[1].show()
    qtbot.waitUntil(lambda: labels[3].y() > labels[0].y())
    for label in labels:
        label.hide()
    assert made.sizeHint().height() == made.minimumSizeHint().height() == 0


def test_parts_stand_as_far_apart_as_it_is_said(qtbot):
    a, b, c, d, e = parts = [QWidget() for _ in range(5)]
    for part in parts:
        part.setFixedHeight(20)
    window, button = QWidget(), QLabel("x")
    frame = framed(in_row((d, 1), (e, 3), spacing=0, margins=(1, 2, 3, 4)), "card")
    in_column(
        head_row("Title", button), in_row((a, 1), 7, b), (STRETCH, 1), c, frame, on=window, margins=(5, 9)
    )
    for part in (b, c):
        part.setFixedWidth(30)
    qtbot.addWidget(window)
    window.resize(400, 300)
    window.show()
    qtbot.waitExposed(window)
    places = [QRect(part.mapTo(window, QPoint()), part.size()) for part in (a, b, c, d, e, frame, button)]
    first, second, third, fourth, fifth, around, last = places
    assert (first.left(), second.right()) == (5, 400 - 5 - 1)
    assert second.left() - first.right() - 1 == 7 + GAP_PX
    assert third.top() > second.bottom() + 50
    assert around.top() - third.bottom() - 1 == GAP_PX
    assert around.bottom() == 300 - 9 - 1
    assert fifth.width() == pytest.approx(3 * fourth.width(), abs=3)
    assert fifth.left() == fourth.right() + 1
    inside = (fourth.left(), fourth.top(), around.right() - fifth.right(), around.bottom() - fourth.bottom())
    assert inside == (around.left() + 1, around.top() + 2, 3, 4)
    assert (last.right(), last.top()) == (400 - 5 - 1, 9)
    assert frame.property("role") == "card"


def test_the_part_that_grows_takes_the_room_and_what_is_inside_scrolls_down_only(qtbot):
    splitter, inner = QSplitter(Qt.Orientation.Horizontal), QLabel("wide " * 100)
    inner.setFixedHeight(900)
    area = scrolling(inner, 120)
    in_splitter(QWidget(), area, on=splitter, sizes=(100, 200), grows=1)
    qtbot.addWidget(splitter)
    splitter.resize(301, 200)
    splitter.show()
    qtbot.waitExposed(splitter)
    assert (splitter.sizes(), splitter.handleWidth()) == ([100, 200], 1)
    splitter.resize(401, 200)
    assert splitter.sizes() == [100, 300]
    assert area.verticalScrollBar().maximum() > 0
    assert not area.horizontalScrollBar().isVisible()
    assert (area.minimumWidth(), area.frameShape()) == (120, QScrollArea.Shape.NoFrame)
    assert not any(part.autoFillBackground() for part in (inner, area.viewport()))
    assert area.focusPolicy() is Qt.FocusPolicy.NoFocus
