"""Points with a marker and a name each."""

import pytest
from chart_samples import badly_written, scatter_data, texts, word_of
from hypothesis import given, settings
from hypothesis import strategies as st

from guiapp.kit.charts.curves import ScatterChart


def names_in(chart) -> list[str]:
    return [word.text for word in chart.words if word.key]


def test_points_are_at_their_values_and_what_the_line_means_stands_beside_it(make):
    chart = make("scatter")
    places = [pytest.approx(each) for each in ((1e6, 1.0), (2e6, 0.99), (4e6, 0.98))]
    assert [(10**value.x, value.y) for value in chart.values] == places
    note = word_of(chart, "exact").at
    assert (note.y(), note.x() > chart.area.right()) == (pytest.approx(chart.pixel(0, 1.0).y()), True)
    assert "exact" not in texts(make("scatter", size=(120, 300)))


def test_points_out_of_sight_have_no_names(make):
    chart = make("scatter")
    chart.box.setRange(xRange=(6.1, 6.5), yRange=(0.985, 0.995), padding=0)
    assert names_in(chart) == ["heap"]


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
    chart.resize(data.draw(st.integers(700, 1900)), data.draw(st.integers(300, 1000)))
    chart.show_data(shown._replace(points=points))
    assert sorted(names_in(chart)) == sorted(point.name for point in points)
    assert badly_written(chart) == []
    assert all(chart.area.contains(chart.rect_of(word)) for word in chart.words if word.key)
    chart.deleteLater()
