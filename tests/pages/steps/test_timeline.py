"""The line of all steps, and the lists of steps beside it."""

import pytest
from hands import point_at
from pictures import paintings_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.timeline import TRACK_MIDDLE_PX

LEFT = Qt.MouseButton.LeftButton


def test_hits_pieces_and_the_place_are_on_the_line(make_steps_page):
    page = make_steps_page("toy", b"abacb abacb abacb", "heap")
    line, model = page.trace.timeline, page.model
    theme, middle = line._theme_source.theme, TRACK_MIDDLE_PX
    pieces = model.debugger.trace.pieces.first_step.tolist()
    model.restart()
    model.breakpoints.add("operation merge")
    model.breakpoints.add("operation done log {rank}")

    def color_at(step, below=0.0):
        return line.grab().toImage().pixelColor(int(line.x_of(step)), int(middle + below))

    noted, stopping = model.hits[1].tolist(), model.hits[0].tolist()
    assert {color_at(step).name() for step in stopping} == {theme.bad.name()}
    assert {color_at(step).name() for step in noted} == {theme.warning.name()}
    free = stopping[0] - 0.5
    assert color_at(free) == theme.raised
    assert color_at(free, -middle + 1) == theme.panel
    column = [color_at(free, at - middle + 0.5) == theme.raised for at in range(2 * middle)]
    assert column == column[::-1], "the knob lies over the middle of the line"
    for step in pieces:
        assert color_at(step, 7) != theme.panel
        assert color_at(step + 0.5, 7) == theme.panel
    model.to_end()
    assert color_at(free) not in (theme.raised, theme.panel)
    model.breakpoints.fit(())
    assert color_at(stopping[0]) == color_at(free)
    for position in range(model.n_steps + 1):
        model.go_to(position)
        knob = paintings_of(line).drawn[-1]
        assert knob.place.center().x() == pytest.approx(line.x_of(position))
        assert knob.place.center().y() == pytest.approx(middle)
        assert (knob.brush, knob.pen) == (theme.text.name(), theme.accent.name() if line.hasFocus() else "")
        assert line.step_at(line.x_of(position)) == position
    assert line.x_of(0) == line.width() - line.x_of(model.n_steps) > 0


@pytest.mark.parametrize("n_pieces", [50, 51])
def test_many_pieces_are_not_marked(make_steps_page, n_pieces):
    line = make_steps_page("toy", b"ab " * (n_pieces - 1) + b"ab", "heap").trace.timeline
    line.resize(4000, line.height())
    image, below = line.grab().toImage(), TRACK_MIDDLE_PX + 7
    panel = line._theme_source.theme.panel
    marked = [x for x in range(line.width()) if image.pixelColor(x, below) != panel]
    assert (len(marked) >= n_pieces) == (n_pieces == 50)


def test_keys_and_drags_walk(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    line, model = page.trace.timeline, page.model
    line.setFocus()
    theme = line._theme_source.theme
    assert paintings_of(line).drawn[-1].pen == theme.accent.name()
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
def test_what_was_made_is_listed_with_its_step_and_rank(make_steps_page, qtbot, zoom):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    page.set_text_size(zoom * TEXT_FONT_PX)
    QApplication.processEvents()
    rows, model = page.trace.side.history, page.model
    model.to_end()
    theme, width = rows._theme_source.theme, rows.width()
    n_entries = len(rows.entries)
    assert n_entries == 4
    written = sorted(paintings_of(rows).written, key=lambda m: (round(m.place.center().y()), m.place.left()))
    for number, entry in enumerate(rows.entries):
        step, text, worth = written[3 * number : 3 * number + 3]
        assert [mark.text for mark in (step, text, worth)] == [f"{entry.step:,}", entry.text, entry.worth]
        is_last = number == n_entries - 1
        inks = theme.faint, theme.text if is_last else theme.dim, theme.dim
        assert [mark.pen for mark in (step, text, worth)] == [color.name() for color in inks]
        assert step.place.left() == 0 < step.place.right() < text.place.left() < text.place.right()
        assert worth.place.right() == pytest.approx(width, abs=1)
        for at in (step.place.top() + 2, step.place.bottom() - 2):
            model.to_end()
            qtbot.mouseClick(rows, LEFT, pos=QPoint(30, round(at)))
            assert model.position == entry.step
    model.to_end()
    qtbot.mouseClick(rows, LEFT, pos=QPoint(30, rows.height() - 3))
    assert model.position == model.n_steps
    model.restart()
    (nothing,) = paintings_of(rows).written
    assert nothing.pen == theme.faint.name()
    assert nothing.place.center().y() == pytest.approx(written[0].place.center().y())
    model.to_end()
    assert {part.cursor().shape() for part in (rows, page.trace.timeline)} == {
        Qt.CursorShape.PointingHandCursor
    }
    narrow = width // 3
    rows.resize(narrow, rows.height())
    assert any(text.endswith("…") for text, _ in paintings_of(rows).texts)
    model.breakpoints.add("operation merge log {rank}")
    model.restart()
    model.run()
    notes = page.trace.side.notes.rows
    assert [entry.text for entry in notes.entries] == ["0", "1", "0", "1"]
    assert notes.height() * 10 == rows.height() * 4
