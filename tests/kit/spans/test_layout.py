from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QSize

from guiapp.kit.spans.layout import (
    ChipGrid,
    RowGeometry,
    SpanWindow,
    row_segments,
    split_cells,
    token_at,
    token_boxes,
)


def row(cells, edges, characters=None, trailing=None) -> RowGeometry:
    """A row from left to right between `edges`; with `trailing`, in mixed directions."""
    edges = np.array(edges, float)
    return RowGeometry(
        np.array(cells),
        edges if trailing is not None else edges[:-1],
        np.array(trailing, float) if trailing is not None else edges[1:],
        np.array(characters if characters is not None else cells),
        trailing is not None,
    )


def window(*spans, first_index=0) -> SpanWindow:
    starts, ends = np.array(spans, np.int64).T
    return SpanWindow(
        first_index,
        np.zeros(len(spans), np.int32),
        starts.copy(),
        ends.copy(),
        np.zeros(len(spans), np.uint8),
    )


PLAIN = row([10, 11, 12, 13, 14], [0, 10, 20, 30, 40])
# Latin "ab", then two letters from right to left, which stand at x = 20 to 40.
MIXED = row([0, 1, 2, 3, 4], [0, 10, 40, 30], trailing=[10, 20, 30, 20])


def test_tokens_lie_where_their_characters_lie():
    boxes = token_boxes(window((0, 10), (10, 12), (12, 13), (13, 20)), PLAIN)
    assert boxes.indexes.tolist() == [1, 2, 3]
    assert list(zip(boxes.left, boxes.right, strict=True)) == [(0, 20), (20, 30), (30, 40)]


def test_a_token_that_goes_on_in_the_next_row_is_square_there():
    boxes = token_boxes(window((8, 11), (11, 14)), PLAIN)
    assert boxes.round_left.tolist() == [False, True]
    assert boxes.round_right.tolist() == [True, True]


def test_empty_spans_have_no_box():
    assert token_boxes(window((10, 10), (10, 14), (14, 14)), PLAIN).indexes.tolist() == [1]


def test_a_token_across_a_change_of_direction_has_two_boxes():
    boxes = token_boxes(window((0, 1), (1, 3), (3, 4)), MIXED)
    assert boxes.indexes.tolist() == [0, 1, 1, 2]
    assert list(zip(boxes.left, boxes.right, strict=True)) == [(0, 10), (10, 20), (30, 40), (20, 30)]
    assert boxes.round_left.tolist() == [True, True, True, True]
    assert boxes.round_right.tolist() == [True, False, False, True]


def test_letters_that_touch_from_right_to_left_are_one_box():
    boxes = token_boxes(window((2, 4)), MIXED)
    assert list(zip(boxes.left, boxes.right, strict=True)) == [(20, 40)]


def test_a_selection_covers_what_lies_in_the_row():
    assert row_segments(PLAIN, 0, 12) == [(0, 20)]
    assert row_segments(PLAIN, 14, 20) == []
    assert row_segments(MIXED, 1, 3) == [(10, 20), (30, 40)]


def test_tokens_share_the_width_of_a_character_by_its_bytes():
    emoji = row([0, 1, 5], [0, 10, 30])
    cells = split_cells(window((0, 1), (1, 2), (2, 5)), emoji)
    assert cells is not None
    assert cells.tokens.tolist() == [1, 2]
    assert list(zip(cells.left, cells.right, strict=True)) == [(10, 15), (15, 30)]
    assert (cells.torn_left.tolist(), cells.torn_right.tolist()) == ([10], [30])


def test_a_grapheme_split_between_its_characters_is_not_torn():
    accented = row([0, 3, 4], [0, 10, 20], characters=[0, 1, 3, 4])
    cells = split_cells(window((0, 1), (1, 4)), accented)
    assert cells is not None
    assert cells.tokens.tolist() == [0, 1]
    assert not len(cells.torn_left)


def test_whole_characters_are_not_split():
    assert split_cells(window((10, 12), (12, 14)), PLAIN) is None


@pytest.mark.parametrize(("offset", "token"), [(0, 7), (2, 7), (3, -1), (4, 9), (5, -1)])
def test_the_token_at_an_offset_is_the_one_whose_span_holds_it(offset, token):
    assert token_at(window((0, 3), (4, 4), (4, 5), first_index=7), offset) == token


def test_a_narrower_window_keeps_the_indexes_of_its_tokens():
    narrow = window((0, 2), (2, 4), (4, 4), (4, 6), (6, 8), first_index=3).within(3, 4)
    assert narrow.first_index == 4
    assert narrow.starts.tolist() == [2, 4, 4]


grids = st.builds(
    ChipGrid,
    n_chips=st.integers(0, 5_000_000),
    chip_size=st.builds(QSize, st.integers(8, 90), st.integers(8, 40)),
    gaps=st.builds(QSize, st.integers(0, 10), st.integers(0, 10)),
    width=st.integers(0, 3000),
)


@given(grids, st.data())
def test_a_chip_is_found_at_its_position(grid, data):
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
