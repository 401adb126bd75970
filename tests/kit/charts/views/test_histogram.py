"""Histograms: columns in parts, the labels below them, and the line that is dragged."""

import numpy as np
import pytest
from chart_samples import click, drag, histogram_data, hover, texts
from PySide6.QtCore import QPointF

from guiapp.kit.charts.bars import HistogramData


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
