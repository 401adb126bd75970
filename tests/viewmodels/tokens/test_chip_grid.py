"""Where chips lie."""

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QSize

from guiapp.viewmodels.tokens.chip_grid import ChipGrid

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
