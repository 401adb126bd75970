"""A line that says as much as there is room for."""

from functools import partial

import pytest
from PySide6.QtWidgets import QHBoxLayout, QWidget

from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel

TITLES = ["Opening a model, 0 of 92", "Opening a model", "…"]
SELECTED = ["selected: 2 tokens · 3 characters", "selected: 2 tokens", "2 tokens"]
SHORTEST = ["2 tokens", "123,456,789 tokens"]


@pytest.fixture
def labels(qtbot):
    row = QWidget()
    qtbot.addWidget(row)
    layout = QHBoxLayout(row)
    made = [FittedLabel(), FittedLabel()]
    for label, texts in zip(made, (TITLES, SELECTED), strict=True):
        layout.addWidget(label)
        label.set_texts(texts)
    row.show()
    return row, made


def test_a_label_that_is_needed_keeps_room_for_its_shortest_text(qtbot):
    row = QWidget()
    qtbot.addWidget(row)
    layout = QHBoxLayout(row)
    needed, other = FittedLabel(is_needed=True), FittedLabel()
    layout.addWidget(other)
    layout.addWidget(needed)
    row.show()
    other.set_texts(TITLES)
    widths = []
    for shortest in (*SHORTEST, SHORTEST[0]):
        needed.set_texts([f"{shortest}, and more", shortest])
        widths.append(layout.minimumSize().width())
        row.resize(layout.minimumSize())
        qtbot.waitUntil(partial(is_shown, needed, shortest))
    assert widths[0] == widths[2] < widths[1]


def is_shown(label, text):
    return label.text() == text


@pytest.mark.parametrize("width", [90, 150, 220, 300, 400])
def test_labels_say_as_much_as_there_is_room_for(labels, qtbot, width):
    row, made = labels
    row.resize(width, 30)
    qtbot.waitUntil(lambda: row.width() == width)
    for label in made:
        assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()
        assert label.accessibleName() == label.text()
        assert label.toolTip() == ("" if label.text() == label.whole_text else label.whole_text)
        assert label.minimumSizeHint().width() == 0


def test_all_is_said_where_there_is_room(labels, qtbot):
    row, made = labels
    row.resize(900, 30)
    qtbot.waitUntil(lambda: [label.text() for label in made] == [TITLES[0], SELECTED[0]])
    made[1].set_texts([""])
    made[1].set_texts(SELECTED)
    qtbot.waitUntil(lambda: made[1].text() == SELECTED[0])


def test_another_font_is_fitted_too(qtbot):
    label = FittedLabel()
    qtbot.addWidget(label)
    label.set_texts(TITLES)
    label.resize(label.sizeHint())
    label.show()
    assert label.text() == TITLES[0]
    font = label.font()
    font.setPixelSize(round(1.3 * label.fontInfo().pixelSize()))
    label.setFont(font)
    assert label.text() == TITLES[1]
    label.set_texts([*TITLES[:2], "?"])
    label.set_texts(["another", "?"])
    assert label.text() == "another"


def test_a_tip_is_never_taken_for_markup(qtbot):
    label = FittedLabel()
    qtbot.addWidget(label)
    label.resize(20, 20)
    label.set_texts(["<img src=x> and more than fits", ""])
    assert label.toolTip() == plain_tip(label.whole_text)
    assert "<img" not in label.toolTip()
