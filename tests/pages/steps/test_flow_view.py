"""The rows in which the text stands as tokens."""

import pytest
from hands import point_at, turn_wheel
from pictures import paintings_of
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.core.text.visible_text import visible_text
from guiapp.kit.widgets.theme import TEXT_FONT_PX, ThemeSource
from guiapp.pages.steps.flow import ElementKind, ElementRole, flow
from guiapp.pages.steps.flow_view import height_of_rows, rows_within


def test_rows_that_there_is_room_for_are_counted_in_any_size():
    for n_rows in (1, 2, 3):
        for size_px in range(9, 49):
            factor = size_px / TEXT_FONT_PX
            assert rows_within(round(height_of_rows(n_rows) * factor) / factor) == n_rows


def test_the_tip_of_a_token_has_its_id_and_bytes(make_steps_page):
    page = make_steps_page("rwkv", "für".encode())
    page.model.to_end()
    box = next(box for box in page.trace.flow.boxes if "ü" in box.element.text)
    tip = tip_at(page.trace.flow, box.rect.center().toPoint())
    assert f"id {box.element.below}" in tip
    assert "C3 BC" in tip


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_end_shows_tokens_as_the_other_pages_do(make_steps_page, theme):
    page = make_steps_page(text="Wo\tsind die Löwen?<|im_start|> in\n New York".encode(), theme=theme)
    page.model.to_end()
    flow, colors = page.trace.flow, ThemeSource(QApplication.instance(), theme).theme
    picture = flow.grab().toImage()
    text = page.model.debugger.trace.text
    for box in flow.boxes:
        element = box.element
        is_control = element.text in ("<|begin_of_text|>", "<|im_start|>")
        assert element.text == "<|begin_of_text|>" or element.text == visible_text(
            text[element.start : element.end]
        )
        inner = box.rect.adjusted(4, 4, -4, -4).topLeft().toPoint()
        edge = QPoint(round(box.rect.center().x()), round(box.rect.top()) + 1)
        assert (picture.pixelColor(inner) in colors.span_colors) is not is_control
        assert (picture.pixelColor(edge) != picture.pixelColor(inner)) is is_control  # a ring
    assert any(box.element.text.startswith("·") for box in flow.boxes)


@pytest.mark.parametrize(
    ("name", "encoder", "text", "zoom"),
    [
        ("toy", "heap", b"abacb abacb", 1),
        ("wordpiece", None, b"the lions", 1),
        ("bpe", None, b"How do lions<|im_start|> sleep in New York, I wonder?", 2),
    ],
)
def test_boxes_and_what_is_made_of_them_are_painted_at_each_step(make_steps_page, name, encoder, text, zoom):
    page = make_steps_page(name, text, encoder)
    page.set_text_size(zoom * TEXT_FONT_PX)
    view, theme = page.trace.flow, page.trace.flow._theme_source.theme
    view.resize(700 * zoom, view.maximumHeight())
    for position in range(page.model.n_steps + 1):
        page.model.go_to(position)
        shown, paintings = flow(page.model.debugger), paintings_of(view)
        assert view.accessibleDescription() == " ".join(box.element.text for box in view.boxes)
        seen = [box for box in view.boxes if view.rect().contains(box.rect.toRect())]
        about = [box for box in seen if box.element.role is not ElementRole.NONE]
        assert len(about) == len([box for box in view.boxes if box.element.role is not ElementRole.NONE])
        for element, rect in seen:
            inside = [(m.text, m.pen) for m in paintings.written if rect.contains(m.place.center())]
            shapes = [shape for shape in paintings.drawn if near(shape.place, rect)]
            is_about, is_text = element.role is not ElementRole.NONE, element.part is ElementKind.TEXT
            color = theme.faint if is_text and not is_about else theme.span_text
            below = [(element.below, theme.dim.name())] * (element.part is ElementKind.TOKEN)
            assert inside == [(element.text, color.name()), *below]
            assert bool(shapes) is (is_about or not is_text)
            for shape in shapes:
                rings = {
                    ElementKind.FINISHED: "",
                    ElementKind.CONTROL: theme.warning.name(),
                    ElementKind.TOKEN: theme.line.name(),
                }
                assert shape.pen == (theme.accent.name() if is_about else rings[element.part])
                assert shape.look == "dashed" * (is_about and is_text)
                assert (
                    element.part is not ElementKind.FINISHED
                    or shape.brush == theme.span_color(element.color).name()
                )
        bubbles = [shape.place for shape in paintings.drawn if shape.brush == theme.accent.name()]
        brackets = [s.place for s in paintings.drawn if s.pen == theme.accent.name() and not s.brush]
        assert len(bubbles) == len(brackets) == bool(about and shown.made)
        for bubble, bracket in zip(bubbles, brackets, strict=True):
            row = [box.rect for box in about if box.rect.center().y() == about[0].rect.center().y()]
            assert row[0].left() < bracket.left() < bracket.right() < row[-1].right()
            assert bracket.left() - row[0].left() == pytest.approx(row[-1].right() - bracket.right())
            assert bubble.bottom() <= bracket.top() + 1 < bracket.bottom() < row[0].top()
            (made,) = [mark for mark in paintings.written if mark.pen == theme.on_accent.name()]
            assert made.text.endswith(f"  {shown.made_below}")
            assert shown.made in made.text
            assert bubble.contains(made.place)
            assert bubble.center().x() == pytest.approx(bracket.center().x(), abs=1) or (
                bubble.left() == pytest.approx(row[0].left()) or bubble.right() > view.width() - 20 * zoom
            )
        starts = {row.start: row.middle for row in view.gutter_rows if 0 < row.middle < view.height()}
        numbers = [mark for mark in paintings.written if mark.place.right() < seen[0].rect.left()]
        assert [mark.text for mark in numbers] == [f"{start:,}" for start in starts]
        assert [mark.place.center().y() for mark in numbers] == [
            pytest.approx(y, abs=1) for y in starts.values()
        ]
        assert {mark.pen for mark in numbers} == {theme.faint.name()}


def near(one, other):
    return (one.center() - other.center()).manhattanLength() < 1 and abs(one.width() - other.width()) < 1


def test_a_strip_at_the_right_says_which_rows_are_in_sight(make_steps_page, qtbot):
    page = make_steps_page(text=b"How do the lions sleep in New York? " * 8)
    view = page.trace.flow
    theme = view._theme_source.theme
    line, faint = theme.line.name(), theme.faint.name()

    def strips():
        shapes = paintings_of(view).drawn
        return [s.place for s in shapes if s.place.right() == view.width() and s.brush == line]

    page.model.to_end()
    view.resize(300, height_of_rows(2))
    n_rows, n_seen = len(view.gutter_rows), rows_within(view.height())
    assert n_rows > n_seen + 1
    tops = []
    for _ in range(n_rows - n_seen + 1):
        (strip,) = strips()
        assert strip.height() == pytest.approx(n_seen * view.height() / n_rows)
        in_sight = [f"{row.start:,}" for row in view.gutter_rows if 0 < row.middle < view.height()]
        assert len(in_sight) >= n_seen
        written = paintings_of(view).written
        assert [mark.text for mark in written if mark.pen == faint] == in_sight
        tops.append(strip.top())
        turn_wheel(view, QPoint(200, 30), -120)
    assert tops == [pytest.approx(number * view.height() / n_rows) for number in range(len(tops))]
    assert turn_wheel(view, QPoint(200, 30), 120)
    assert strips()[0].top() == pytest.approx(tops[-2])
    view.setMaximumHeight(5000)
    view.resize(300, height_of_rows(n_rows))
    assert strips() == []
    page.kept_session.text.show(b"How do the lions sleep in New York? " * 30)
    qtbot.waitUntil(lambda: page.is_ready)
    page.model.to_end()
    view.resize(300, height_of_rows(1))
    ends = [max(row.end for row in view.gutter_rows)]
    for _ in range(4):
        turn_wheel(view, QPoint(200, 30), -120)
        ends.append(max(row.end for row in view.gutter_rows))
    assert ends == sorted(set(ends))
    assert strips() == []


def test_the_pointer_over_the_gutter_shows_what_a_click_would_do(make_steps_page, qtbot):
    page = make_steps_page(text=b"How do lions sleep in New York? " * 3)
    view, theme = page.trace.flow, page.trace.flow._theme_source.theme
    page.model.to_end()
    view.resize(500, height_of_rows(2))
    rows = view.gutter_rows

    def dots():
        return [s for s in paintings_of(view).drawn if s.place.right() < 16 and s.place.width() > 5]

    for row in rows[:2]:
        for y in (row.middle - 20, row.middle + 20):
            point_at(view, QPoint(5, round(y)))
            assert [dot.place.center().y() for dot in dots()] == [pytest.approx(row.middle)]
    point_at(view, QPoint(200, round(rows[0].middle)))
    assert dots() == []
    point_at(view, QPoint(5, round(rows[0].middle)))
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert dots() == []
    qtbot.mouseClick(view, Qt.MouseButton.RightButton, pos=QPoint(5, round(rows[0].middle)))
    assert page.model.breakpoints.rows == ()
    start = rows[0].start
    for text in (f"byte {start + 1} log x", f"byte {rows[1].start}"):
        page.model.breakpoints.add(text)
    assert [dot.brush for dot in dots()] == [theme.warning.name(), theme.bad.name()]
    box = next(box for box in view.boxes if box.element.start <= start + 1 < box.element.end)
    dots_in_text = [s for s in paintings_of(view).drawn if s.place.width() < 8 and s.place.left() > 16]
    small = [s for s in dots_in_text if s.brush == theme.warning.name()]
    assert (small[0].place.center() - box.rect.topLeft()).manhattanLength() < 8
    page.model.breakpoints.enable(1, False)
    assert [(dot.brush, dot.pen) for dot in dots()] == [(theme.warning.name(), ""), ("", theme.bad.name())]


def tip_at(view, place):
    """What is told there; a tip that is to go stays for a while."""
    QToolTip.showText(QPoint(), "something")
    event = QHelpEvent(QEvent.Type.ToolTip, place, view.mapToGlobal(place))
    QApplication.sendEvent(view, event)
    return QToolTip.text()


def test_tips_tell_bytes_and_ids(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb")
    view, model = page.trace.flow, page.model
    model.go_to(2)
    box = view.boxes[0]
    assert tip_at(view, box.rect.center().toPoint()).splitlines() == [
        f"{box.element.part.value}, id {box.element.below}",
        f"bytes {box.element.start}–{box.element.end}: {b'abacb'[: box.element.end].hex(' ').upper()}",
        "Click for a breakpoint here.",
    ]
    assert tip_at(view, QPoint(5, round(box.rect.center().y()))).startswith("from byte 0\n")
    assert tip_at(view, QPoint(view.width() - 20, 5)) == "something"
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    model.go_to(0)
    first, data, _ = tip_at(view, view.boxes[0].rect.center().toPoint()).splitlines()
    assert first == view.boxes[0].element.part.value
    assert data == "bytes 0–5: 61 62 61 63 62"


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


def test_the_menu_of_a_box_runs_there_and_sets_breakpoints(make_steps_page):
    page = make_steps_page("toy", b"abacb")
    view, model = page.trace.flow, page.model
    model.go_to(0)
    assert choose(view, view.boxes[0].rect.center().toPoint(), 0) == 2
    model.to_end()
    box = view.boxes[1]
    for number in (1, 2, 0):
        assert choose(view, box.rect.center().toPoint(), number) == 3
    titles = [row.title for row in model.breakpoints.rows]
    assert titles == [f"byte {box.element.start}", f"token {box.element.below}"]
    columns = model.debugger.trace.columns
    assert columns.position[model.position] <= box.element.start < columns.end[model.position]
    assert choose(view, QPoint(view.width() - 20, 5), 0) == 0


@pytest.mark.parametrize(("competitor", "n_entries"), [("toy", 3), ("bpe", 2)])
def test_no_breakpoint_is_set_on_an_id_of_another_vocabulary(make_steps_page, qtbot, competitor, n_entries):
    page = make_steps_page("toy", b"abacb")
    race, view = page.model.race, page.trace.race_card.flow
    if competitor == "toy":
        race.choose("greedy")
    else:
        race.choose_model(page.compared.add(f"demo:{competitor}"))
    qtbot.waitUntil(lambda: race.competitor is not None)
    page.model.to_end()
    box = view.boxes[0]
    assert box.element.below.isdecimal()
    assert choose(view, box.rect.center().toPoint(), 1) == n_entries
    assert [row.kind for row in page.model.breakpoints.rows] == ["byte"]


def test_a_text_gets_as_much_height_as_it_needs_and_keeps_it(make_steps_page):
    page = make_steps_page(text=b"How do lions sleep in New York? " * 6)
    view, model = page.trace.flow, page.model
    view.resize(500, view.height())
    model.to_end()
    high = view.maximumHeight()
    assert high == height_of_rows(len(view.gutter_rows))
    assert height_of_rows(1) <= view.minimumHeight() <= height_of_rows(2)
    model.restart()
    assert view.maximumHeight() == high
    page.kept_session.text.show(b"short")
    assert view.maximumHeight() < high


def test_without_tokens_the_reason_is_painted(make_steps_page):
    page = make_steps_page("toy", b"")
    view = page.trace.flow
    assert [text for text, _ in paintings_of(view).texts] == ["The text is empty."]
    page.model.show(None)
    assert [text for text, _ in paintings_of(view).texts] == ["Nothing is recorded yet."]
