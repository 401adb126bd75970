"""What all charts can do: zoom, read values by mouse and keys, fade, become pictures."""

import re

import chart_samples as hand
import pytest
from chart_samples import KINDS, SUBTITLES, TITLES, curves_data, position_of, rows_data, texts, word_of
from controls_in_words import controls_of
from hands import turn_wheel
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QScrollArea, QToolButton, QToolTip

from guiapp.kit.charts.chart import image_of, png_of, svg_of
from guiapp.kit.widgets.notices import leave_plain_text
from guiapp.kit.widgets.theme import DARK

Key = Qt.Key
ZOOMS = {"rows": (True, False), "curves": (True, True), "scatter": (True, True), "histogram": (True, False)}


def ranges(chart):
    return [pytest.approx(each, abs=1e-6 * (each[1] - each[0])) for each in chart.box.viewRange()]


def turn(chart, angle: int) -> None:
    turn_wheel(chart.view.viewport(), chart.area.center().toPoint(), angle)
    QApplication.processEvents()


@pytest.mark.parametrize("kind", KINDS)
def test_the_wheel_zooms_and_a_double_click_goes_back(make, kind):
    chart = make(kind)
    home, middle = ranges(chart), chart.area.center().toPoint()
    turn(chart, 240)
    assert tuple(now != whole for now, whole in zip(chart.box.viewRange(), home, strict=True)) == ZOOMS[kind]
    assert hand.badly_written(chart) == []
    hand.double_click(chart, middle)
    assert (chart.box.viewRange(), chart.is_zoomed) == (home, False)
    for _ in range(3):
        turn(chart, -480)
    assert (chart.box.viewRange(), chart.is_zoomed) == (home, False), "there is nothing beyond"


@pytest.mark.parametrize("kind", KINDS)
def test_a_drag_zooms_into_its_area_and_escape_resets_it(make, kind, qtbot):
    chart = make(kind)
    home, middle = ranges(chart), chart.area.center().toPoint()
    whole = [high - low for low, high in chart.box.viewRange()]
    hand.drag(chart, middle + QPoint(60, 50), middle, middle - QPoint(90, 40))
    now = [high - low for low, high in chart.box.viewRange()]
    assert now[0] / whole[0] == pytest.approx(150 / chart.area.width(), rel=0.02)
    assert now[1] / whole[1] == pytest.approx(90 / chart.area.height() if ZOOMS[kind][1] else 1, rel=0.02)
    assert (chart.is_zoomed, chart.clicks) == (True, [])
    for _ in range(2):
        qtbot.keyClick(chart, Key.Key_Escape)
        assert (chart.box.viewRange(), chart.clicks) == (home, [(None, None)])


@pytest.mark.parametrize(("kind", "is_level"), [("rows", True), ("rows", False), ("curves", True)])
def test_a_drag_shows_what_it_will_zoom_into(make, kind, is_level):
    """Also one that goes straight across, and one along the bars."""
    chart = make(kind)
    start = chart.area.center().toPoint()
    viewport, to = chart.view.viewport(), start + QPoint(150, 0 if is_level else 6)
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for place in (start + QPoint(70, 0), to):
        QTest.mouseMove(viewport, place)
        QApplication.processEvents()
    box = chart.box.rbScaleBox
    shown = box.mapRectToScene(box.rect()) if hasattr(box, "rect") else box.sceneBoundingRect()
    assert box.isVisible()
    assert (shown.width(), shown.height()) == pytest.approx((150, chart.area.height()), abs=3)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=to)
    (_low, _high), (bottom, top) = chart.box.viewRange()
    assert (bottom, top) == pytest.approx(chart._home[1])
    assert chart.is_zoomed


@pytest.mark.parametrize("kind", KINDS)
def test_the_wheel_scrolls_the_page_until_the_chart_is_used_or_ctrl_is_held(source, qtbot, kind):
    chart_class, data = KINDS[kind]
    chart, page = chart_class(source, "Speeds"), QScrollArea()
    qtbot.addWidget(page)
    chart.show_data(data())
    chart.setFixedSize(600, 500)
    page.setWidget(chart)
    page.resize(640, 300)
    page.show()
    qtbot.waitExposed(page)
    page.activateWindow()
    page.setFocus()
    QApplication.processEvents()
    home, bar = ranges(chart), page.verticalScrollBar()

    def wheel(*turned: int, key=Qt.KeyboardModifier.NoModifier) -> None:
        for angle in turned:  # over the plot, wherever the page is
            QTest.wheelEvent(page.windowHandle(), QPointF(300, 90), QPoint(0, angle), QPoint(), key)

    wheel(-120, 240, -120)
    assert (chart.box.viewRange(), bar.value() > 0) == (home, True)
    at = bar.value()
    wheel(240, key=Qt.KeyboardModifier.ControlModifier)
    assert (chart.is_zoomed, bar.value()) == (True, at)
    wheel(240)
    assert bar.value() == at, "it goes on zooming"
    chart.reset_zoom()
    page.resize(700, 600)
    QApplication.processEvents()
    wheel(240)
    assert chart.is_zoomed, "a page that shows all of it has nothing to scroll"


@pytest.mark.parametrize(
    ("kind", "more"), [("rows", rows_data(end=2.95e6)), ("curves", curves_data(factor=1.1))]
)
def test_new_data_preserve_the_zoom(make, kind, more):
    chart = make(kind)
    whole = ranges(chart)
    chart.show_data(more)
    assert chart.box.viewRange() == whole, "ranges move in steps"
    turn(chart, 240)
    zoomed = ranges(chart)
    for data in (more, KINDS[kind][1]()):
        chart.show_data(data)
        assert (chart.box.viewRange(), chart.is_zoomed) == (zoomed, True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_mouse_reads_what_it_points_at_and_a_click_means_it(make, kind):
    chart = make(kind)
    for index in (1, 2):
        place, value = position_of(chart, index), chart.values[index]
        hand.hover(chart, place)
        assert chart.told.pop() == chart.accessibleDescription() == value.tip != ""
        assert (chart.current, QToolTip.text() != "") == (value, chart.shows_tips)
        assert chart.view.cursor().shape() is Qt.CursorShape.PointingHandCursor
        hand.click(chart, place)
        assert chart.clicks.pop()[0] == value.key
    hand.click(chart, place, Qt.MouseButton.RightButton)
    assert chart.clicks == []
    QApplication.sendEvent(chart, QEvent(QEvent.Type.Leave))
    assert (chart.told.pop(), chart.current) == ("", None)
    if kind != "histogram":  # where columns have all of the height
        for outside in (place, QPoint(1, 1)):
            hand.hover(chart, outside)
        assert (chart.told.pop(), chart.current) == ("", None)
        assert chart.view.cursor().shape() is Qt.CursorShape.ArrowCursor
        hand.click(chart, QPoint(1, 1))
        assert chart.clicks == [(None, None)]


def test_what_is_pointed_at_is_read_again_when_it_has_another_value(make):
    chart = make("rows")
    hand.hover(chart, position_of(chart, 1))
    chart.show_data(rows_data(end=2.95e6))
    assert chart.told == ["heap: 1.5 M", "heap: 1.48 M"]
    assert chart.accessibleDescription() == chart.told[-1]


@pytest.mark.parametrize("kind", ["rows", "curves", "scatter"])
def test_a_click_on_a_name_means_it_and_the_others_can_be_faded(make, kind):
    chart = make(kind)
    hand.click(chart, hand.middle_of(chart, "heap"))
    assert [key for key, _ in chart.clicks] == ["heap"]
    for key, color in (("heap", DARK.faint), (None, DARK.text)):
        chart.emphasize(key)
        assert [word_of(chart, name).color for name in ("fast", "heap")] == [color, DARK.text]
        assert (chart.color(DARK.good, "fast").alpha() < chart.color(DARK.good, "heap").alpha()) == bool(key)


def test_arrows_walk_through_values_and_from_curve_to_curve(make, qtbot):
    chart, rows = make("curves"), make("rows")
    for key, tip in (
        *(("Right", "fast: 100"), ("Right", "fast: 10 k"), ("Down", "heap: 10 k"), ("Right", "heap: 1 M")),
        *(("Right", "heap: 1 M"), ("Down", "greedy: 1 M"), ("Down", "greedy: 1 M"), ("Up", "heap: 1 M")),
    ):
        qtbot.keyClick(chart, Key[f"Key_{key}"])
        assert chart.accessibleDescription() == tip
    for key in (Key.Key_Return, Key.Key_Enter, Key.Key_Space):
        qtbot.keyClick(chart, key)
    assert chart.clicks == [("heap", None)] * 3
    chart.show_data(curves_data("fast"))
    assert chart.current is None, "it is gone"
    for key in (Key.Key_Up, Key.Key_Up, Key.Key_Down, Key.Key_Right):
        qtbot.keyClick(rows, key)
    rows.clearFocus()
    assert rows.told == ["fast: 3 M", "heap: 1.5 M", "greedy: 750 k", ""]


def test_a_chart_shows_mouse_hints_while_hovered(make):
    chart, seen, saved = make("scatter", size=(900, 420)), [], []
    chart.clearFocus()
    for is_over in (False, True, False):
        chart.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_over)
        seen.append(chart.grab().toImage())
        saved.append(png_of(chart))
    assert seen[0] == seen[2] != seen[1]
    assert len({*saved}) == 1, "pictures of it say nothing of a mouse"
    hand.hover(chart, chart.area.topLeft() + QPoint(3, 3))
    assert chart.view.cursor().shape() is Qt.CursorShape.CrossCursor


def test_a_chart_without_values_shows_the_reason(make):
    chart = make("curves")
    before = texts(chart)
    chart.set_reason("Nothing measured yet")
    assert (chart.values, chart.words, chart.title) == ([], [], "Speeds")
    hand.hover(chart, chart.area.center())
    assert chart.told == []
    chart.set_reason("")
    assert texts(chart) == before


def test_its_menu_shows_all_again_where_there_is_more_than_is_seen(make):
    chart, seen = make("scatter"), []
    place = chart.area.center().toPoint()
    for angle in (0, 240):
        turn(chart, angle)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, chart.mapToGlobal(place))
        QApplication.sendEvent(chart, event)
        (menu,) = (each for each in chart.findChildren(QMenu) if each.isVisible())
        *_, reset = menu.actions()
        seen.append(reset.isEnabled())
        menu.close()
    reset.trigger()
    assert (seen, chart.is_zoomed) == ([False, True], False)


@pytest.mark.parametrize("kind", ["rows", "curves", "scatter"])
def test_the_tip_of_a_value_remains_while_the_mouse_rests(make, qtbot, kind):
    chart = make(kind)
    value = chart.values[0]
    at = chart.pixel(value.x, value.y).toPoint()
    hand.hover(chart, at)
    assert QToolTip.isVisible()
    rest = QHelpEvent(QEvent.Type.ToolTip, at, chart.mapToGlobal(at))
    QApplication.sendEvent(chart.view.viewport(), rest)
    qtbot.wait(500)  # tips fade for 300 ms
    assert QToolTip.isVisible()


def take(chart, title: str) -> None:
    """By the menu of the button at its title."""
    (button,) = (each for each in chart.findChildren(QToolButton) if each.isVisible())
    next(action for action in button.menu().actions() if action.text() == title).trigger()


@pytest.mark.parametrize("kind", KINDS)
def test_an_svg_has_all_words_as_text_and_a_png_twice_the_dots(make, kind):
    chart = make(kind)
    svg = svg_of(chart)
    pieces = re.findall(r"<text[^>]*>([^<]*)</text>", svg)  # a sign of another font is one of its own
    written = " ".join("".join(pieces).split())
    assert [text for text in texts(chart) if text not in written] == []
    assert "<image" not in svg, "nothing is pixels"
    if chart.n_head_lines:
        assert all(text in written for text in (TITLES[0], SUBTITLES[0], chart.scales[0].label))
        assert f"<title>{TITLES[0]}</title>" in svg
    width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    image = QImage.fromData(png_of(chart))
    assert image.size().toTuple() == (2 * width, 2 * height)
    assert image.pixelColor(2, 2) == getattr(chart.theme, chart.ground)


def test_a_chart_is_copied_as_picture_and_as_svg(make):
    chart, clipboard = make("rows"), QGuiApplication.clipboard()
    take(chart, "Copy picture")
    assert clipboard.image().size() == image_of(chart).size()
    take(chart, "Copy as SVG")
    svg = bytes(clipboard.mimeData().data("image/svg+xml").data()).decode()
    assert clipboard.text() == svg
    assert svg == svg_of(chart)
    leave_plain_text()
    assert clipboard.mimeData().formats() == ["text/plain"], "what is made in Python would crash at the end"


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("b.svg", b"<?xml"), ("c", b"\x89PNG")])
def test_a_chart_is_saved_in_the_format_of_the_name(make, tmp_path, monkeypatch, name, start):
    chart = make("rows")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(tmp_path / name), ""))
    take(chart, "Save picture…")
    (path,) = tmp_path.iterdir()
    assert path.read_bytes()[: len(start)] == start
    assert f"Saved {path}" in controls_of(chart)


def test_a_failed_save_is_reported_and_no_name_saves_nothing(make, tmp_path, monkeypatch):
    chart = make("rows")
    for name in (str(tmp_path / "missing" / "one.png"), ""):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked, name=name: (name, ""))
        take(chart, "Save picture…")
    assert "one.png cannot be written" in "\n".join(controls_of(chart))
    assert not [*tmp_path.iterdir()]
