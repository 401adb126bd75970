"""The rows in which the text stands as tokens, and the code."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pictures import paintings_of
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolButton, QToolTip

from guiapp.pages.steps.flow import ElementKind, flow


def test_the_tip_of_a_token_has_its_id_and_bytes(show_steps_page):
    page = show_steps_page("rwkv", "für".encode())
    page.model.to_end()
    box = next(box for box in page.trace.flow.boxes if "ü" in box.element.text)
    tip = tip_at(page.trace.flow, box.rect.center().toPoint())
    assert f", {box.element.below}" in tip
    assert "C3 BC" in tip


def tip_at(view, place):
    """What is told there; a tip that is to go stays for a while."""
    QToolTip.showText(QPoint(), "something")
    event = QHelpEvent(QEvent.Type.ToolTip, place, view.mapToGlobal(place))
    QApplication.sendEvent(view, event)
    return QToolTip.text()


def choose(view, place, number):
    """The entry of that number in the menu that opens there; how many entries there are."""
    counts = []

    def click():
        if (menu := QApplication.activePopupWidget()) is not None:
            counts.append(len(menu.actions()))
            menu.actions()[number].trigger()
            menu.close()

    QTimer.singleShot(0, click)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.mapToGlobal(place))
    QApplication.sendEvent(view, event)
    QApplication.processEvents()
    return sum(counts)


def test_the_menu_of_a_box_runs_there_and_sets_breakpoints(show_steps_page):
    page = show_steps_page("toy", b"abacb")
    view, model = page.trace.flow, page.model
    model.go_to(0)
    assert choose(view, view.boxes[0].rect.center().toPoint(), 0) == 2
    model.to_end()
    box = view.boxes[1]
    for number in (1, 2, 0):
        assert choose(view, box.rect.center().toPoint(), number) == 3
    titles = [row.title for row in model.breakpoints.rows]
    assert titles == [f"byte {box.element.start}", box.element.below.replace("id", "token")]
    columns = model.debugger.trace.columns
    assert columns.position[model.position] <= box.element.start < columns.end[model.position]
    assert choose(view, QPoint(view.width() - 20, 5), 0) == 0


@pytest.mark.parametrize(("competitor", "n_entries"), [("toy", 3), ("bpe", 2)])
def test_no_breakpoint_is_set_on_an_id_of_another_vocabulary(show_steps_page, qtbot, competitor, n_entries):
    page = show_steps_page("toy", b"abacb")
    race, view = page.model.race, page.trace.race_card.flow
    if competitor == "toy":
        race.choose("greedy")
    else:
        race.choose_model(page.compared.add(f"demo:{competitor}"))
    qtbot.waitUntil(lambda: race.competitor is not None)
    page.model.to_end()
    box = view.boxes[0]
    assert box.element.below.startswith("id")
    assert choose(view, box.rect.center().toPoint(), 1) == n_entries
    assert [row.kind for row in page.model.breakpoints.rows] == ["byte"]


def test_without_tokens_the_reason_is_painted(show_steps_page):
    page = show_steps_page("toy", b"")
    view = page.trace.flow
    assert [text for text, _ in paintings_of(view).texts] == ["The text is empty."]
    page.model.show(None)
    assert not paintings_of(view).texts  # the panel that records says why


LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def titles(page):
    return [row.title for row in page.model.breakpoints.rows]


@pytest.mark.parametrize("text_px", [15, 26])
def test_a_click_on_a_box_sets_a_breakpoint_that_stops_and_the_next_one_removes_it(
    show_steps_page, qtbot, text_px
):
    page = show_steps_page(text=b"How do lions sleep in New York? " * 20)
    page.set_text_size(text_px)
    page.model.to_end()
    flow = page.trace.flow
    box = next(box for box in flow.boxes if box.element.start > 0)
    qtbot.mouseClick(flow, LEFT, pos=box.rect.center().toPoint())
    assert titles(page) == [f"byte {box.element.start}"]
    page.model.restart()
    qtbot.keyClick(page.window(), Qt.Key.Key_F5)
    columns = page.model.debugger.trace.columns
    assert columns.position[page.model.position] <= box.element.start < columns.end[page.model.position]
    page.model.to_end()
    qtbot.mouseClick(flow, LEFT, pos=box.rect.center().toPoint())
    assert titles(page) == []


def test_a_box_with_a_dot_is_freed_wherever_in_it_the_breakpoint_is(show_steps_page, qtbot):
    page = show_steps_page()
    page.model.to_end()
    box = next(box for box in page.trace.flow.boxes if box.element.end - box.element.start > 2)
    page.model.breakpoints.add(f"byte {box.element.start + 1}")
    qtbot.mouseClick(page.trace.flow, LEFT, pos=box.rect.center().toPoint())
    assert titles(page) == []


def test_a_line_of_the_code_is_broken_at_by_a_click(show_steps_page, qtbot):
    page = show_steps_page()
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


def test_a_piece_is_stepped_over_by_keys_and_by_the_button(show_steps_page, qtbot):
    page = show_steps_page()
    window, model = page.window(), page.model
    first_steps = model.debugger.trace.pieces.first_step.tolist()
    model.go_to(first_steps[1] + 1)
    qtbot.keyClick(window, Qt.Key.Key_F11, CONTROL)
    assert model.position == first_steps[2]
    qtbot.keyClick(window, Qt.Key.Key_F11, CONTROL | SHIFT)
    assert model.position == first_steps[1]
    (button,) = [
        candidate
        for candidate in page.findChildren(QToolButton)
        if candidate.text() == "piece ▷▷" and candidate.isVisible()
    ]
    qtbot.mouseClick(button, LEFT)
    assert model.position == first_steps[2]


def test_a_long_piece_is_shown_without_tokens_of_adjacent_pieces(show_steps_page):
    page = show_steps_page("spm", b"x" * 600 + b"<s>" + b"lions sleep " * 60, "scan")
    page.model.to_byte(1000)
    shown = flow(page.model.debugger)
    boxes = shown.elements
    assert boxes[0].start > 600
    assert all(left.end == right.start for left, right in pairwise(boxes))


@pytest.mark.parametrize(
    ("size", "competitor"), [((1280, 800), ""), ((1280, 800), "greedy"), ((900, 560), "")]
)
def test_what_a_step_is_about_is_in_sight_with_its_whole_piece(show_steps_page, qtbot, size, competitor):
    page = show_steps_page("bpe", b"How do all the lions sleep? Unbelievable lions, I wonder. " * 3, "heap")
    page.model.race.choose(competitor)
    qtbot.waitUntil(lambda: page.model.race.is_ready)
    page.window().resize(*size)
    qtbot.wait(50)
    pieces, view = page.model.debugger.trace.pieces, page.trace.flow
    heights = set()
    for step in range(0, page.model.n_steps, 3):
        page.model.go_to(step)
        heights.add(view.height())
        piece = page.model.debugger.trace.piece_at(step)
        if piece < 0:
            continue
        start, end = pieces.start[piece], pieces.end[piece]
        boxes = [box for box in view.boxes if start <= box.element.start and box.element.end <= end]
        hidden = [box.element.text for box in boxes if not view.rect().contains(box.rect.toRect())]
        assert boxes
        assert not hidden
    assert len(heights) == 1


def test_text_after_the_step_is_shown_before_distant_special_tokens(show_steps_page):
    page = show_steps_page("bpe", b"How lions sleep. " * 40 + b"<|im_start|>" * 60)
    page.model.go_to(int(page.model.debugger.trace.pieces.first_step[0]) + 1)
    last = flow(page.model.debugger).elements[-1]
    assert last.part is ElementKind.TEXT
    assert last.end > 400
