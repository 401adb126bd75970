"""Breakpoints by clicks in the gutters of the text and of the code, and steps over pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QToolButton

from guiapp.pages.steps.cards import GutterRow
from guiapp.pages.steps.flow import ElementRole, flow

LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def titles(page):
    return [row.title for row in page.model.breakpoints.rows]


def gutter_place(page, row: GutterRow) -> QPoint:
    return QPoint(7, round(row.middle))


def color_at(widget, place: QPoint) -> str:
    return widget.grab().toImage().pixelColor(place).name()


@pytest.mark.parametrize("text_px", [15, 26])
def test_a_click_in_the_gutter_sets_a_breakpoint_and_the_next_one_removes_it(make_steps_page, qtbot, text_px):
    page = make_steps_page(text=b"How do lions sleep in New York? " * 20)
    page.set_text_size(text_px)
    flow = page.trace.flow
    row = flow.gutter_rows[0]
    place = gutter_place(page, row)
    plain = color_at(flow, place)
    qtbot.mouseClick(flow, LEFT, pos=place)
    assert titles(page) == [f"byte {row.start}"]
    assert color_at(flow, place) == page.trace.flow._theme_source.theme.bad.name()
    qtbot.mouseClick(flow, LEFT, pos=place)
    assert titles(page) == []
    qtbot.mouseMove(flow, QPoint(flow.width() // 2, flow.height() - 1))
    assert color_at(flow, place) == plain


def test_a_breakpoint_from_the_gutter_stops_a_run(make_steps_page, qtbot):
    page = make_steps_page(text=b"How do lions sleep in New York? " * 20)
    page.model.to_end()
    flow = page.trace.flow
    second = flow.gutter_rows[1]
    assert second.start > 0
    qtbot.mouseClick(flow, LEFT, pos=gutter_place(page, second))
    page.model.restart()
    qtbot.keyClick(page.window(), Qt.Key.Key_F5)
    columns = page.model.debugger.trace.columns
    assert columns.position[page.model.position] <= second.start < columns.end[page.model.position]


def test_a_box_with_a_dot_is_freed_wherever_in_it_the_breakpoint_is(make_steps_page, qtbot):
    page = make_steps_page()
    page.model.to_end()
    box = next(box for box in page.trace.flow.boxes if box.element.end - box.element.start > 2)
    page.model.breakpoints.add(f"byte {box.element.start + 1}")
    qtbot.mouseClick(page.trace.flow, LEFT, pos=box.rect.center().toPoint())
    assert titles(page) == []


def test_what_is_switched_off_keeps_a_ring(make_steps_page, qtbot):
    page = make_steps_page()
    flow = page.trace.flow
    row = flow.gutter_rows[0]
    qtbot.mouseClick(flow, LEFT, pos=gutter_place(page, row))
    qtbot.mouseMove(flow, QPoint(flow.width() // 2, flow.height() - 1))
    filled = flow.grab().toImage()
    page.model.breakpoints.enable(0, False)
    ring = flow.grab().toImage()
    around = [QPoint(x, round(row.middle)) for x in range(16)]
    assert color_at(flow, gutter_place(page, row)) != filled.pixelColor(gutter_place(page, row)).name()
    assert len({ring.pixelColor(place).name() for place in around}) > 2


def test_a_line_of_the_code_is_broken_at_by_a_click(make_steps_page, qtbot):
    page = make_steps_page()
    code = page.trace.code
    lines, present = code.present()
    place = code.line_rect(present).center().toPoint()
    assert lines.operations_of(present) == ("merge",)
    qtbot.mouseClick(code, LEFT, pos=place)
    assert titles(page) == ["operation merge"]
    page.model.restart()
    qtbot.keyClick(page.window(), Qt.Key.Key_F5)
    assert page.model.debugger.trace.operation(page.model.position) == "merge"
    qtbot.mouseClick(code, LEFT, pos=place)
    assert titles(page) == []
    does_nothing = lines.lines.index("while the queue is not empty:")
    qtbot.mouseClick(code, LEFT, pos=code.line_rect(does_nothing).center().toPoint())
    assert titles(page) == []


def test_a_piece_is_stepped_over_by_keys_and_by_the_button(make_steps_page, qtbot):
    page = make_steps_page()
    window, model = page.window(), page.model
    first_steps = model.debugger.trace.pieces.first_step.tolist()
    model.go_to(first_steps[1] + 1)
    qtbot.keyClick(window, Qt.Key.Key_F11, CONTROL)
    assert model.position == first_steps[2]
    qtbot.keyClick(window, Qt.Key.Key_F11, CONTROL | SHIFT)
    assert model.position == first_steps[1]
    (button,) = [
        found for found in page.findChildren(QToolButton) if found.text() == "piece ▷▷" and found.isVisible()
    ]
    qtbot.mouseClick(button, LEFT)
    assert model.position == first_steps[2]


def test_playing_stops_at_a_breakpoint_for_once_and_uses_it_up(make_steps_page, qtbot):
    page = make_steps_page()
    model = page.model
    model.restart()
    model.breakpoints.add("operation merge once")
    model.clock.set_speed(30)
    model.play()
    qtbot.waitUntil(lambda: not model.clock.is_playing)
    assert model.debugger.trace.operation(model.position) == "merge"
    assert not model.breakpoints.rows[0].is_enabled


def test_rows_out_of_sight_are_not_laid_out(make_steps_page):
    page = make_steps_page(text=b"How do lions sleep in New York? " * 60)
    model, view = page.model, page.trace.flow
    for step in range(0, model.n_steps, 331):
        model.go_to(step)
        marked = [
            element for element in flow(model.debugger).elements if element.role is not ElementRole.NONE
        ]
        assert [box.element for box in view.boxes if box.element.role is not ElementRole.NONE] == marked
        assert len(view.gutter_rows) <= 6
        starts = [box.element.start for box in view.boxes]
        assert starts == sorted(starts)


def test_a_long_piece_is_cut_without_the_tokens_of_others_beside_it(make_steps_page):
    page = make_steps_page("spm", b"x" * 600 + b"<s>" + b"lions sleep " * 60, "scan")
    page.model.to_byte(1000)
    shown = flow(page.model.debugger)
    assert shown.is_cut_before
    boxes = shown.elements
    assert all(left.end == right.start for left, right in pairwise(boxes))
