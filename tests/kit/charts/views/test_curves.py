"""Curves and points: their values, bands, and names at ends of curves and beside points."""

from math import log10

import numpy as np
import pytest
from chart_samples import badly_written, click, curves_data, hover, marker_style, scatter_data, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from guiapp.kit.charts.curves import MOST_NAMED, Curve, CurveChart, ScatterChart
from guiapp.kit.charts.scales import log_range
from guiapp.kit.widgets.theme import DARK

TWELVE = [f"c{number}" for number in range(12)]
IN_ORDER = ["greedy", "heap", "fast"]  # from the top down


def names_in(chart) -> list[str]:
    """From the top down."""
    words = [word for word in chart.words if word.key and word.text == word.key]
    return [word.text for word in sorted(words, key=lambda word: word.at.y())]


@pytest.mark.parametrize("is_log", [True, False])
def test_curves_go_through_their_values_and_their_bands_are_seen(make, is_log):
    chart = make("curves", curves_data(is_log=is_log))
    assert [value.key for value in chart.values] == ["fast"] * 3 + ["heap"] * 3 + ["greedy"] * 3
    places = [(value.x, 10**value.y if is_log else value.y) for value in chart.values[:3]]
    assert places == [pytest.approx(each) for each in ((2, 1e-7), (4, 1e-5), (6, 1e-3))]
    (left, right), (bottom, top) = chart.box.viewRange()
    lowest, highest = (log10(each) if is_log else each for each in (0.9e-7, 3.6e-3))
    assert left < 2 < 6 < right
    assert bottom < lowest < highest < top
    labels = [scale.label for scale in chart.scales]
    assert labels == ["length of the text, log scale", "s, log scale" if is_log else "s"]
    assert names_in(chart) == IN_ORDER


def test_at_most_eight_have_names_and_the_others_are_read_by_pointing(make):
    chart = make("curves", curves_data(*TWELVE))
    assert names_in(chart)[::-1] == TWELVE[:MOST_NAMED]
    assert "4 more in grey: point at one for its name" in texts(chart)
    last = next(value for value in chart.values if value.key == TWELVE[-1])
    hover(chart, chart.pixel(last.x, last.y))
    click(chart, chart.pixel(last.x, last.y))
    assert (chart.told, chart.clicks) == ([last.tip], [(TWELVE[-1], None)])
    chart.emphasize(TWELVE[-1])
    assert [word.text for word in chart.words if word.color == DARK.text] == [TWELVE[-1]]


def test_a_curve_is_under_the_mouse_along_all_of_its_way(make):
    chart = make("curves")
    for x, y, tip in ((3.2, -5.8, "fast: 10 k"), (2.8, -6.2, "fast: 100"), (3, -3, "")):
        hover(chart, chart.pixel(x, y))
        assert chart.told.pop() == tip


def test_names_belong_to_what_is_seen_of_their_curves(make):
    chart = make("curves")
    for y_range, names in (((-5.2, -4.4), IN_ORDER), ((-7.4, -5.5), [])):
        chart.box.setRange(xRange=(2, 4), yRange=y_range, padding=0)
        assert names_in(chart) == names
    chart.reset_zoom()
    assert names_in(chart) == IN_ORDER


def test_two_curves_of_the_same_key_are_two(make, qtbot):
    """As of a contender with two operations."""
    curve, second, _ = curves_data().curves
    same = second._replace(key="fast", name="fast", marker_style=curve.marker_style)
    chart = make("curves", curves_data()._replace(curves=[curve, same]))
    for _ in range(2):
        qtbot.keyClick(chart, Qt.Key.Key_Down)
    assert chart.told == ["fast: 100", "heap: 100"]


@settings(max_examples=40)
@given(data=st.data())
def test_at_most_eight_curves_are_named_and_no_name_covers_another(source, data):
    """Any values and names, at any size."""
    name, values = (
        st.text("abcWM.-", min_size=1, max_size=20),
        st.lists(st.floats(-6.5, 0.5), min_size=1, max_size=4),
    )
    names = data.draw(st.lists(name, min_size=1, max_size=20, unique=True))
    curves, sizes = [], np.array([128.0, 4096, 131072, 4194304])
    for number, each in enumerate(names):
        y = 10.0 ** np.array(data.draw(values))
        x, tips = sizes[: len(y)], [each] * len(y)
        curves.append(Curve(each, each, marker_style(number), x, y, y * 0.9, y * 1.2, tips, ["linear"]))
    chart = CurveChart(source, "Times")
    chart.resize(data.draw(st.integers(380, 1900)), data.draw(st.integers(200, 1000)))
    chart.show_data(curves_data()._replace(curves=curves))
    rects = {word.key: chart.rect_of(word) for word in chart.words if word.key is not None}
    assert 1 <= len(rects) <= MOST_NAMED
    n_grey = len(names) - len(rects)
    assert not n_grey or any(text.startswith(f"{n_grey} more") for text in texts(chart))
    assert badly_written(chart) == []
    assert all(chart.area.right() < rect.left() for rect in rects.values()), "none within the plot"
    assert all(rect.top() >= chart.area.top() - 1 for rect in rects.values())
    assert all(chart.area.adjusted(-1, -1, 1, 1).contains(chart.pixel(v.x, v.y)) for v in chart.values)
    chart.deleteLater()


def names_of_points(chart) -> list[str]:
    return [word.text for word in chart.words if word.key]


def test_points_are_at_their_values(make):
    places = [pytest.approx(each) for each in ((1e6, 1.0), (2e6, 0.99), (4e6, 0.98))]
    assert [(10**value.x, value.y) for value in make("scatter").values] == places


def test_a_point_between_two_others_has_its_label(source, show):
    data = scatter_data("above", "between", "below")
    points = [point._replace(x=1e7, y=0.97 - 0.01 * index) for index, point in enumerate(data.points)]
    chart = ScatterChart(source, "Exactness")
    chart.show_data(data._replace(points=points))
    show(chart, (600, 330))
    assert {*names_of_points(chart)} == {"above", "between", "below"}


def test_two_adjacent_points_both_have_their_labels(source, show):
    """As of the two fastest of a run, at the right edge of a low chart."""
    data = scatter_data("tokenizers", "tiktoken", "gigatoken", "Tokenloupe")
    places = (4.5e5, 3.9e6, 8.84e7, 9.9e7)
    points = [point._replace(x=x, y=1.0) for point, x in zip(data.points, places, strict=True)]
    chart = ScatterChart(source, "Exactness")
    shown = data._replace(points=points[::-1], ranges=(log_range(2e5, 1.6e8), (0.94, 1.02)))
    chart.show_data(shown)
    show(chart, (1150, 160))
    assert {*names_of_points(chart)} == {"tokenizers", "tiktoken", "gigatoken", "Tokenloupe"}


@settings(max_examples=40)
@given(data=st.data())
def test_no_name_covers_another_one_or_leaves_the_plot(source, data):
    """As of a dozen contenders, most of them exact."""
    name, shares = st.text("abcW.-", min_size=1, max_size=12), st.one_of(st.just(1.0), st.floats(0.9, 1.0))
    shown = scatter_data(*data.draw(st.lists(name, min_size=1, max_size=12, unique=True)))
    points = [
        point._replace(x=10.0 ** data.draw(st.floats(6, 8)), y=data.draw(shares)) for point in shown.points
    ]
    chart = ScatterChart(source, "Exactness")
    size = data.draw(st.integers(500, 1900)), data.draw(st.integers(140, 1000))
    chart.resize(*size)
    chart.show_data(shown._replace(points=points))
    named = names_of_points(chart)
    assert {*named} <= {point.names[0] for point in points}
    if size[0] >= 700 and size[1] >= 300:
        n_unnamed = len(points) - len(named)  # these are read by pointing at them
        assert not n_unnamed or any(text.startswith(f"{n_unnamed} ") for text in texts(chart))
    assert badly_written(chart) == []
    assert all(chart.area.contains(chart.rect_of(word)) for word in chart.words if word.key)
    chart.deleteLater()
