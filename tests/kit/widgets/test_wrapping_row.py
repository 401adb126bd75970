"""Where parts stand: beside or below each other, and below where there is no room beside."""

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from guiapp.kit.widgets.layouts import (
    WrappingRow,
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
