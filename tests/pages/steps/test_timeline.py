"""The line of all steps and the buttons over it, and the lists of steps beside it."""

import pytest
from hands import point_at
from pictures import paintings_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from guiapp.kit.widgets.theme import TEXT_FONT_PX

LEFT = Qt.MouseButton.LeftButton


def test_keys_and_drags_walk(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    line, model = page.trace.timeline, page.model
    page.trace.side.setFocus()
    button = next(each for each in page.trace.findChildren(QToolButton) if each.text().startswith("step"))
    QTest.mouseClick(button, LEFT)
    assert QApplication.focusWidget() is line  # arrow keys go on
    moves = {Qt.Key.Key_End: 17, Qt.Key.Key_Left: 16, Qt.Key.Key_Home: 0, Qt.Key.Key_Right: 1}
    for key, position in moves.items():
        qtbot.keyClick(line, key)
        assert model.position == position
    qtbot.keyClick(line, Qt.Key.Key_A)
    assert model.position == 1
    QTest.mousePress(line, LEFT, pos=QPoint(round(line.x_of(5)), 15))
    assert model.position == 5
    line.setMouseTracking(True)
    for x, position in ((line.x_of(9), 9), (-50, 0), (line.width() + 50, 17)):
        point_at(line, QPoint(round(x), 15))
        assert model.position == position
    QTest.mouseRelease(line, LEFT)


@pytest.mark.parametrize("zoom", [1, 2])
def test_a_click_on_what_was_made_goes_to_its_step(make_steps_page, qtbot, zoom):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    page.set_text_size(zoom * TEXT_FONT_PX)
    QApplication.processEvents()
    rows, model = page.trace.side.history, page.model
    model.to_end()
    assert len(rows.entries) == 4
    written = sorted(paintings_of(rows).written, key=lambda m: (round(m.place.center().y()), m.place.left()))
    for number, entry in enumerate(rows.entries):
        marks = written[3 * number : 3 * number + 3]
        assert [mark.text for mark in marks] == [f"{entry.step:,}", entry.text, entry.worth]
        model.to_end()
        qtbot.mouseClick(rows, LEFT, pos=QPoint(30, round(marks[0].place.center().y())))
        assert model.position == entry.step
    model.to_end()
    qtbot.mouseClick(rows, LEFT, pos=QPoint(30, rows.height() - 3))
    assert model.position == model.n_steps
