"""A line that says as much as there is room for."""

import pytest
from PySide6.QtWidgets import QHBoxLayout, QWidget

from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel

TITLES = ["Opening a model, 0 of 92", "Opening a model", "…"]
SELECTED = ["selected: 2 tokens · 3 characters", "selected: 2 tokens", "2 tokens"]


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


def test_full_texts_are_shown_if_there_is_room(labels, qtbot):
    row, made = labels
    row.resize(900, 30)
    qtbot.waitUntil(lambda: [label.text() for label in made] == [TITLES[0], SELECTED[0]])
    made[1].set_texts([""])
    made[1].set_texts(SELECTED)
    qtbot.waitUntil(lambda: made[1].text() == SELECTED[0])


def test_a_tip_is_never_taken_for_markup(qtbot):
    label = FittedLabel()
    qtbot.addWidget(label)
    label.resize(20, 20)
    label.set_texts(["<img src=x> and more than fits", ""])
    assert label.toolTip() == plain_tip(label.whole_text)
    assert "<img" not in label.toolTip()


def test_the_last_text_is_elided_if_none_fits(qtbot):
    label = FittedLabel(elides=True)
    qtbot.addWidget(label)
    label.resize(label.fontMetrics().horizontalAdvance("A shorter"), 20)
    label.set_texts(["A sentence that is long", "A shorter one"])
    beginning, is_cut, rest = label.text().partition("…")
    assert (is_cut, rest) == ("…", "")
    assert beginning
    assert "A shorter one".startswith(beginning)
    assert label.toolTip() == label.whole_text == "A sentence that is long"
