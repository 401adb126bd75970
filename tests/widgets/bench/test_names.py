"""Where the names of points go."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guiapp.widgets.bench.names import Box, Line, Name, place_names

LINE, ROOM = 12.0, (500.0, 400.0)


def across(*heights: float) -> list[Line]:
    return [Line((0.0, y), (400.0, y)) for y in heights]


@pytest.mark.parametrize(
    ("place", "room", "drawn", "name"),
    [
        ((100.0, 50.0), (400.0, 100.0), [], Name((100.0, 62.0), None)),
        ((100.0, 95.0), (400.0, 100.0), [], Name((100.0, 83.0), None)),
        ((10.0, 50.0), (400.0, 100.0), [], Name((30.0, 62.0), None)),
        ((395.0, 50.0), (400.0, 100.0), [], Name((370.0, 62.0), None)),
        ((100.0, 10.0), (400.0, 20.0), [], Name((137.0, 10.0), None)),
        ((390.0, 10.0), (400.0, 20.0), [], Name((353.0, 10.0), None)),
        ((100.0, 50.0), (400.0, 100.0), across(62), Name((100.0, 38.0), None)),
        ((100.0, 50.0), (400.0, 100.0), [Line((100.0, 0.0), (100.0, 100.0))], Name((137.0, 50.0), None)),
        (
            *((100.0, 50.0), (400.0, 100.0), across(38, 50, 62)),
            Name((100.0, 28.0), Line((100.0, 50.0), (100.0, 33.0))),
        ),
    ],
)
def test_a_lonely_point_has_its_name_at_the_nearest_free_place(place, room, drawn, name):
    assert place_names([place], [60.0], 10.0, room, drawn) == [name]


def test_points_that_nearly_touch_have_their_names_in_one_block_the_rightmost_on_top():
    places = [(100.0, 200.0), (108.0, 200.0), (104.0, 201.0)]
    left, right, between = place_names(places, [60.0, 80.0, 40.0], LINE, ROOM)
    assert left.middle[0] == right.middle[0] == between.middle[0]
    assert right.middle[1] - between.middle[1] == between.middle[1] - left.middle[1] == LINE


def covered(names: list[Name], widths: list[float]) -> bool:
    boxes = [
        Box.around(name.middle, width * 0.99, LINE * 0.99) for name, width in zip(names, widths, strict=True)
    ]
    return any(box.covers(other) for index, box in enumerate(boxes) for other in boxes[:index])


@given(
    places=st.lists(st.tuples(st.floats(0, 500), st.floats(40, 200)), min_size=1, max_size=14),
    width=st.floats(20, 90),
)
def test_no_name_covers_another_or_leaves_the_plot(places, width):
    names = place_names(places, [width] * len(places), LINE, ROOM)
    assert all(width / 2 <= x <= 500 - width / 2 for (x, _), _ in names)
    assert all(5.99 <= y <= 394.01 for (_, y), _ in names)
    assert not covered(names, [width] * len(places))


@example(shares=[0.1, 0.0, 0.1, 0.05, 0.05], width=54.0)  # the order of choosing matters
@example(shares=[0.5, 0.15, 0.3, 0.1, 0.05, 0.5, 0.15, 1.0, 0.3], width=90.0)  # and of many, who is first
@given(shares=st.lists(st.floats(0, 1), min_size=1, max_size=7), width=st.floats(30, 90))
def test_no_line_to_a_name_crosses_another_name(shares, width):
    """Places as charts have them: nearly all at the same height, within the plot."""
    places = [(60 + 380 * share, 200.0 - 20 * (index % 3)) for index, share in enumerate(shares)]
    names = place_names(places, [width] * len(places), LINE, ROOM)
    boxes = [Box.around(name.middle, width * 0.98, LINE * 0.98) for name in names]
    leaders = [name.leader for name in names if name.leader is not None]
    assert not any(box.is_crossed_by(leader) for box in boxes for leader in leaders)


@pytest.mark.parametrize(
    ("line", "is_crossed"),
    [
        (Line((0.0, 5.0), (20.0, 5.0)), True),
        (Line((0.0, 0.0), (20.0, 20.0)), False),
        (Line((12.0, 0.0), (12.0, 20.0)), True),
        (Line((12.0, 8.0), (12.0, 20.0)), False),
        (Line((18.0, 0.0), (18.0, 20.0)), False),
        (Line((0.0, 8.0), (20.0, 8.0)), False),
        (Line((0.0, 9.0), (9.0, 5.0)), False),
    ],
)
def test_lines_are_known_to_cross_a_box_or_not(line, is_crossed):
    assert Box(10.0, 15.0, 3.0, 7.0).is_crossed_by(line) is is_crossed


def test_names_that_find_no_room_cover_something_rather_than_fail():
    places = [(float(x), float(y)) for x in range(0, 60, 20) for y in range(0, 60, 20)]
    names = place_names(places, [60.0] * 9, LINE, (60.0, 60.0))
    assert all(30 <= name.middle[0] <= 30 and 6 <= name.middle[1] <= 54 for name in names)
