"""Where chips lie."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize

from guiapp.kit.spans.layout import ChipGrid

grids = st.builds(
    ChipGrid,
    n_chips=st.integers(0, 5_000_000),
    chip_size=st.builds(QSize, st.integers(8, 90), st.integers(8, 40)),
    gaps=st.builds(QSize, st.integers(0, 10), st.integers(0, 10)),
    width=st.integers(0, 3000),
)


@given(grids, st.data())
def test_a_chip_is_found_where_it_lies(grid, data):
    if grid.n_chips == 0:
        return
    index = data.draw(st.integers(0, grid.n_chips - 1))
    chip = grid.chip(index)
    assert grid.index_at(chip.topLeft()) == index
    assert grid.index_at(chip.bottomRight()) == index
    assert chip.bottom() < grid.height


@given(grids, st.integers(0, 2_000_000), st.integers(0, 2000))
def test_exactly_the_rows_that_are_seen_are_named(grid, top, height):
    first, last = grid.chips_between(top, top + height)
    assert 0 <= first <= last <= grid.n_chips
    assert first == 0 or grid.chip(first - 1).bottom() + grid.gaps.height() < top
    assert last == grid.n_chips or grid.chip(last).top() > top + height
    assert last - first <= (height // grid.cell.height() + 2) * grid.n_columns


def test_beyond_the_chips_there_is_none():
    grid = ChipGrid(3, QSize(20, 10), QSize(5, 5), 100)
    below = grid.chip(3).center()
    assert grid.index_at(below) is None
    assert grid.index_at(grid.chip(0).topLeft() * 0) is None


def test_rows_hold_as_many_chips_as_fit_and_at_least_one():
    columns = {
        width: ChipGrid(7, QSize(20, 10), QSize(5, 4), width).n_columns
        for width in (0, 51, 52, 76, 77, 101, 102)
    }
    assert columns == {0: 1, 51: 1, 52: 1, 76: 1, 77: 2, 101: 2, 102: 3}


def test_places_of_seven_chips_in_rows_of_three():
    grid = ChipGrid(7, QSize(20, 10), QSize(5, 4), 110)
    assert (grid.cell, grid.n_columns, grid.n_rows, grid.height) == (QSize(25, 14), 3, 3, 50)
    assert list(grid.corners(0, 7)) == [
        *[(16, 4), (41, 4), (66, 4)],
        *[(16, 18), (41, 18), (66, 18)],
        (16, 32),
    ]
    assert list(grid.corners(3, 4)) == [(16, 18)]
    assert grid.chip(4) == QRect(41, 18, 20, 10)
    assert [ChipGrid(n, QSize(20, 10), QSize(5, 4), 110).n_rows for n in (0, 1, 3, 4, 6)] == [0, 1, 1, 2, 2]
    assert ChipGrid(0, QSize(20, 10), QSize(5, 4), 110).height == 8


@pytest.mark.parametrize(
    ("top", "bottom", "chips"),
    [
        (-50, -40, (0, 0)),
        (-50, -11, (0, 0)),
        (-50, 3, (0, 0)),
        (-50, 4, (0, 3)),
        (0, 17, (0, 3)),
        (0, 18, (0, 6)),
        (17, 17, (0, 3)),
        (18, 31, (3, 6)),
        (18, 32, (3, 7)),
        (45, 45, (6, 7)),
        (46, 99, (7, 7)),
    ],
)
def test_rows_that_touch_a_stretch(top, bottom, chips):
    assert ChipGrid(7, QSize(20, 10), QSize(5, 4), 110).chips_between(top, bottom) == chips


@pytest.mark.parametrize(
    ("x", "y", "index"),
    [
        (16, 4, 0),
        (40, 17, 0),
        (41, 17, 1),
        (90, 17, 2),
        (91, 4, None),
        (15, 4, None),
        (16, 3, None),
        (16, 18, 3),
        (40, 45, 6),
        (41, 45, None),
        (16, 46, None),
    ],
)
def test_the_chip_at_a_place_has_the_gap_behind_it(x, y, index):
    assert ChipGrid(7, QSize(20, 10), QSize(5, 4), 110).index_at(QPoint(x, y)) == index
