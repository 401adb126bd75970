"""Bars in rows and in histograms, with the mouse and in words."""

from itertools import product

import chart_samples as samples
import numpy as np
import pytest
from chart_samples import (
    COUNTS,
    badly_written,
    click,
    drag,
    histogram_data,
    hover,
    marker_style,
    rows_data,
    texts,
    word_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, qGray

from guiapp.kit.charts.bars import BarList, BarPart, BarRow, HistogramData, RowChart
from guiapp.kit.charts.chart import STRONG
from guiapp.kit.widgets.theme import ThemeSource


@pytest.fixture
def counted(source, show):
    """Shows counts as a list of bars."""

    def make(is_shared_out=False, counts=COUNTS):
        bars = BarList(source, "Tokens", is_shared_out)
        bars.show_counts(counts, samples.LANGUAGES, samples.PARTS, samples.COLORS)
        return show(bars, (500, 130))

    return make


def test_bars_begin_at_zero_and_their_intervals_and_words_are_seen_too(make):
    chart = make("rows")
    assert [(value.key, value.x) for value in chart.values] == [
        ("fast", 3e6),
        ("heap", 1.5e6),
        ("greedy", 75e4),
    ]
    low, high = chart.box.viewRange()[0]
    assert (low, high > 3.6e6, chart.scales[0].label) == (0, True, "tokens/s")
    for value in chart.values:
        end = chart.pixel(value.x * 1.2, value.y)
        words_after = [word for word in chart.words if word.key == value.key and word.at.x() > end.x()]
        assert [word.text for word in words_after[1:]] == ["12 MB/s", "± 15 %", "✓ equal"]
        assert {round(word.at.y()) for word in words_after} == {round(end.y())}


def test_a_value_whose_bar_ends_out_of_sight_points_to_where_it_is(make):
    chart = make("rows")
    chart.box.setRange(xRange=(1e6, 2e6), padding=0)
    values = {word.key: word.text for word in chart.words if word.font == STRONG}
    arrows = {key: [arrow for arrow in "←→" if arrow in text] for key, text in values.items()}
    assert arrows == {"fast": ["→"], "heap": [], "greedy": ["←"]}
    assert badly_written(chart) == []


def test_zooming_never_shows_a_bar_or_whisker_behind_a_value(make):
    chart = make("rows")
    for end, is_dimmed in product((3.4e6, 2e6, 1.6e6, 1e6), (False, True)):
        chart.set_dimmed(is_dimmed)
        chart.box.setRange(xRange=(0.0, end), padding=0)
        picture = chart.grab().toImage()
        for word in chart.words:
            if word.font == STRONG:
                line, middle = chart.rect_of(word).toRect(), round(word.at.y())
                colors = (picture.pixelColor(x, middle) for x in range(line.left(), line.right()))
                assert all(color.hslSaturation() < 90 for color in colors), (end, word.text)
        for value in chart.values:
            if value.x > end:
                edge = chart.pixel(end, value.y).toPoint() - QPoint(4, 0)
                assert picture.pixelColor(edge).hslSaturation() > 30, "its bar goes on to the edge"


def test_whiskers_are_seen_on_bars_of_any_kind_in_both_themes(source, show, qapp):
    """Each has two lines of pixels that differ from what is above and below them."""
    for theme in ("dark", "light"):
        shown = ThemeSource(qapp, theme)
        colors = [(color, is_hatched) for color in shown.theme.contenders for is_hatched in (False, True)]
        colors += [(QColor(c.red(), c.green(), c.blue(), 90), False) for c in shown.theme.contenders]
        rows = [
            BarRow(number, f"{number}", marker_style(0), parts=[BarPart(0, 8, *each)], interval=(3, 9))
            for number, each in enumerate(colors)
        ]
        chart = RowChart(shown, "Speeds")
        chart.show_data(rows_data()._replace(rows=rows, headings=[]))
        show(chart, (760, 30 * len(rows) + 90))
        picture = chart.grab().toImage()
        for value in chart.values:
            at = chart.pixel(5, value.y).toPoint()
            line = picture.pixelColor(at - QPoint(0, 1))
            nearby_colors = [picture.pixelColor(at - QPoint(0, away)) for away in (-3, 3)]
            contrast = [abs(qGray(line.rgb()) - qGray(each.rgb())) for each in nearby_colors]
            assert min(contrast) > 60, (theme, value.key)


def test_a_row_without_results_shows_its_progress(make):
    row, data = BarRow("new", "new", marker_style(4), detail="reads it, 62 %", progress=0.62), rows_data()
    chart = make("rows", data._replace(rows=[*data.rows, row]))
    click(chart, chart.rect_of(word_of(chart, "reads it, 62 %")).center())
    assert chart.clicks == [("new", None)]


def test_a_click_reports_the_part_of_a_bar(counted):
    bars = counted(is_shared_out=True)
    right = bars.area.right()
    for x, part in ((4, None), (bars.pixel(0.05, 0).x(), 0), (right - 4, 1), (right + 20, None)):
        click(bars, QPointF(x, bars.pixel(0, -1).y()))
        assert bars.clicks.pop() == (0, part)
    click(bars, QPointF(9, bars.height() - 2))
    assert bars.clicks == [(None, None)]


def test_counts_are_listed_with_the_largest_first_and_walked_through(counted, qtbot):
    for is_shared_out, totals in ((True, ["400", "100", "1", "1"]), (False, ["300", "10", "0", "1"])):
        bars = counted(is_shared_out)
        assert [value.key for value in bars.values] == [2, 0, 3, 4]
        assert [text for text in texts(bars) if text.isdigit()] == totals
    hover(bars, bars.pixel(0, -1))
    assert (bars.told, badly_written(bars)) == (["Latin: 10 listed, 90 others"], [])
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Up):
        qtbot.keyClick(bars, key)
    assert (bars.clicks, bars.current.key) == ([(4, None)], 3)
    nothing = counted(counts=np.zeros((2, 5), np.int64))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(nothing, key)
    assert (nothing.values, nothing.clicks) == ([], [])


@settings(max_examples=40)
@given(data=st.data())
def test_labels_next_to_bars_never_overlap_or_overflow(source, data):
    """Whatever names, values and width, where rows have the height that they ask for."""
    name = st.one_of(st.sampled_from(["fast", "llama.cpp"]), st.text("abcWM.-", min_size=1, max_size=60))
    names = data.draw(st.lists(name, min_size=1, max_size=20, unique=True))
    shown, chart = rows_data(*names, end=10.0 ** data.draw(st.floats(-9, 12))), RowChart(source, "Speeds")
    loading = [BarRow(f"l{n}", f"l{n}", marker_style(n), detail="reads it", progress=0.5) for n in range(2)]
    chart.show_data(shown._replace(rows=[*shown.rows, *loading]))
    chart.resize(data.draw(st.integers(320, 1900)), chart.minimumSizeHint().height())
    chart.redraw()
    assert badly_written(chart) == []
    chart.deleteLater()


def test_columns_stand_side_by_side_and_a_click_is_on_one_and_its_part(make):
    chart = make("histogram")
    assert [(value.key, value.y) for value in chart.values] == [*enumerate([100, 0, 400, 1, 1])]
    assert (chart.box.viewRange(), texts(chart)) == ([[-0.5, 4.5], [0, 400]], ["Latin", "a long name"])
    hover(chart, chart.pixel(2.3, 10))
    assert chart.told == ["Cyrillic: 300 listed, 100 others"]
    below = QPointF(chart.pixel(1, 0).x(), chart.height() - 2)
    for place in (chart.pixel(2.3, 150), chart.pixel(2.3, 350), chart.pixel(0, 300), below):
        click(chart, place)
    assert chart.clicks == [(2, 0), (2, 1), (0, None), (1, None)]


def test_columns_before_the_first_are_left_out_and_of_nothing_there_are_none(make):
    chart = make("histogram", histogram_data(first=3))
    assert ([value.key for value in chart.values], chart.box.viewRange()) == ([3, 4], [[2.5, 4.5], [0, 1]])
    nothing = make("histogram", HistogramData(np.zeros((2, 0), np.int64), (), ()))
    click(nothing, nothing.area.center())
    assert (nothing.values, nothing.clicks) == ([], [(None, None)])


@pytest.mark.parametrize(("to", "column"), [(2.6, 3), (1.9, 2), (-9, 0), (99, 5)])
def test_the_line_is_dragged_to_the_nearest_edge_of_a_column(make, to, column):
    chart, moved = make("histogram", histogram_data(least=1)), []
    chart.line_moved.connect(moved.append)
    drag(chart, *(chart.pixel(x, 200).toPoint() for x in (0.5, 1.2, to)))
    assert (moved, chart.is_zoomed, chart.clicks) == ([column], False, [])
