"""The tokens of both sides stand over the same characters, wide enough for their ids."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QScrollArea

import guiapp
from guiapp.kit.side_by_side.grid import (
    MOST_CHARACTERS,
    GridRow,
    Need,
    SpanGrid,
    bounds_of,
    row_layouts,
    x_positions,
)
from guiapp.kit.widgets.theme import ThemeSource

MODELS = {name: guiapp.open_model(f"demo:{name}") for name in ("bpe", "spm", "rwkv")}


def width(text: str) -> float:
    return 10.0 * len(text)


def rightmost(grid):
    return max(box.right for row in grid for box in (*row.cells, *(row.tokens or ())))


def grid_of(text: bytes, *sides):
    rows = [GridRow(f"model {at}", at, text, *side) for at, side in enumerate(sides)]
    return row_layouts(rows, width, width)


def test_cuts_of_one_model_are_distinguished_from_common_cuts():
    grid = grid_of(b"abc", ((1, 2, 3), ((0, 1), (1, 2), (2, 3))), ((4, 5), ((0, 1), (1, 3))))
    assert [cell.text for cell in grid[0].cells] == ["a", "b", "c"]
    a, b, c = grid[0].cells
    assert grid[0].common == (a.right,)
    assert grid[0].apart == (b.right,)
    assert [(box.left, box.right) for box in grid[1].tokens] == [(a.left, a.right), (b.left, c.right)]
    assert grid[0].tokens[0].tint == grid[1].tokens[0].tint != grid[1].tokens[1].tint


def test_added_special_tokens_have_boxes_of_their_own():
    grid = grid_of(b"a", ((7, 1, 8), ((0, 0), (0, 1), (1, 1))), ((1,), ((0, 1),)))
    (cell,) = grid[0].cells
    before, token, after = grid[0].tokens
    assert before.tint == after.tint == -1
    assert 0 == before.left < before.right <= cell.left == token.left
    assert token.right == cell.right <= after.left < after.right == rightmost(grid)
    assert grid[1].tokens[0][1:3] == token[1:3]


def test_parts_of_a_character_share_its_cell_and_stray_bytes_have_their_own():
    grid = grid_of("é".encode() + b"\xff", ((1, 2, 3), ((0, 1), (1, 2), (2, 3))), ((4,), ((0, 3),)))
    assert [cell.text for cell in grid[0].cells] == ["é", "<FF>"]
    first, second, _ = grid[0].tokens
    assert first.right == second.left == (grid[0].cells[0].left + grid[0].cells[0].right) / 2


@pytest.mark.parametrize("nothing", [((1,), None), (None, None)])
def test_a_side_of_which_nothing_is_known_has_no_boxes(nothing):
    grid = grid_of(b"a\xff", nothing, ((1,), ((0, 2),)))
    assert grid[0].tokens is None
    assert grid[0].apart == ()


@given(
    st.text(alphabet="a '1é中\u0301\n\u202e😀"),
    st.tuples(st.sampled_from(sorted(MODELS)), st.sampled_from(sorted(MODELS))),
)
def test_boxes_never_overlap_and_end_where_their_characters_do(text, names):
    sides = [MODELS[name].encode(text) for name in names]
    data = text.encode()
    grid = grid_of(data, *((tuple(e.token_ids.tolist()), tuple(map(tuple, e.spans.tolist()))) for e in sides))
    assert len(grid[0].cells) == min(len(text), MOST_CHARACTERS)
    for row in grid:
        shown = [box for box in row.tokens if box.tint >= 0]
        for one, other in pairwise(shown):
            assert one.right <= other.left + 1e-6 or one[1:3] == other[1:3]
        assert all(0 <= box.left <= box.right <= rightmost(grid) + 1e-6 for box in row.tokens)


def test_what_is_cut_off_a_long_text_takes_its_tokens_along():
    n = MOST_CHARACTERS + 9
    grid = grid_of(b"a" * n, *((tuple(range(n)), tuple((i, i + 1) for i in range(n))) for _ in range(2)))
    assert [len(row.tokens) for row in grid] == [len(grid[0].cells)] * 2


def test_tokens_without_text_have_room_of_their_own_before_those_with_text():
    rows = [[(0, 0), (0, 2), (2, 2), (2, 2), (2, 3)], [(0, 1), (1, 3)]]
    bounds = bounds_of(rows)
    x = x_positions(Need(start, end, 10) for row in bounds for start, end in row)
    for row in bounds:
        edges = [x[place] for bound in row for place in bound]
        assert edges == sorted(edges)
        assert all(right - left >= 10 for left, right in zip(edges[::2], edges[1::2], strict=True))
    assert x[bounds[0][1][0]] == x[bounds[1][0][0]], "what begins at the same byte begins at the same place"


def test_each_of_several_rows_is_compared_with_the_next_one_and_other_texts_have_a_grid_of_their_own():
    cut, whole = ((1, 2), ((0, 1), (1, 2))), ((3,), ((0, 2),))
    rows = [GridRow("", at, b"ab", *side) for at, side in enumerate((cut, whole, whole))]
    grid = row_layouts([*rows, GridRow("", 3, b"c", (5,), ((0, 1),), (4,))], width, width)
    assert [(len(row.common), len(row.apart)) for row in grid] == [(0, 1), (0, 0), (0, 0), (0, 0)]
    assert grid[1][:2] == grid[2][:2]
    assert [cell.text for cell in grid[3].cells] == ["c"]
    assert grid[3].tokens[0].tint == 4


def test_what_does_not_fit_is_scrolled_to_and_all_is_read_aloud(qtbot, qapp):
    grid = SpanGrid(ThemeSource(qapp, "dark"))
    qtbot.addWidget(grid)
    grid.resize(200, 100)
    grid.show()
    grid.show_rows(
        [GridRow("A", 0, b"<s>", (7,), ((0, 0),), labels=("<s>",)), GridRow("B", 1, b"<s>", None, None)]
    )
    low = grid.height()
    assert "A, 1 token: 7. B, refuses it: no ids" in grid.accessibleDescription()
    grid.show_rows([GridRow("A", 0, b"a" * 60, (7,), ((0, 60),)), GridRow("B", 1, b"a" * 60, (), ())])
    area = grid.findChild(QScrollArea)
    assert area.horizontalScrollBar().maximum() > 0
    assert grid.height() > low


def test_no_line_goes_through_an_id_and_the_number_of_tokens_is_of_all(qapp):
    grid = SpanGrid(ThemeSource(qapp, "dark"))
    whole, parts = ((7,), ((0, 2),)), ((1, 2), ((0, 1), (1, 2)))
    grid.show_rows([GridRow("a", 0, b"ab", *whole, n_all=492), GridRow("b", 1, b"ab", *parts)])
    upper = grid.layouts[0]
    assert (len(upper.apart), len(upper.below)) == (0, 1), "a line at the other's cut begins below the ids"
    assert "492 tokens" in grid.accessibleDescription()
