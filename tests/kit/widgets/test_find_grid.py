"""The tokens of both sides stand over the same characters, wide enough for their ids."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.mismatches import Find
from guiapp.kit.widgets.find_picture import MOST_CHARACTERS, Need, bounds_of, find_grid, places_of

REASON = Reason(Cause.PIECES, "signs", "")
MODELS = {name: guiapp.open_model(f"demo:{name}") for name in ("bpe", "spm", "rwkv")}


def width(text: str) -> float:
    return 10.0 * len(text)


def grid_of(text: bytes, *sides):
    ids, spans = zip(*sides, strict=True)
    return find_grid(Find(text, ids, 0, REASON, spans=spans), width, width)


def test_a_cut_that_one_makes_is_told_from_those_of_both():
    grid = grid_of(b"abc", ((1, 2, 3), ((0, 1), (1, 2), (2, 3))), ((4, 5), ((0, 1), (1, 3))))
    assert [cell.text for cell in grid.cells] == ["a", "b", "c"]
    a, b, c = grid.cells
    assert grid.common == (a.right,)
    assert grid.apart == (b.right,)
    assert [(box.left, box.right) for box in grid.rows[1]] == [(a.left, a.right), (b.left, c.right)]
    assert grid.rows[0][0].tint == grid.rows[1][0].tint != grid.rows[1][1].tint


def test_what_is_put_around_has_a_place_of_its_own():
    grid = grid_of(b"a", ((7, 1, 8), ((0, 0), (0, 1), (1, 1))), ((1,), ((0, 1),)))
    (cell,) = grid.cells
    before, token, behind = grid.rows[0]
    assert before.tint == behind.tint == -1
    assert 0 == before.left < before.right <= cell.left == token.left
    assert token.right == cell.right <= behind.left < behind.right == grid.width
    assert grid.rows[1][0][1:3] == token[1:3]


def test_parts_of_a_character_share_its_cell_and_stray_bytes_have_their_own():
    grid = grid_of("é".encode() + b"\xff", ((1, 2, 3), ((0, 1), (1, 2), (2, 3))), ((4,), ((0, 3),)))
    assert [cell.text for cell in grid.cells] == ["é", "<FF>"]
    first, second, _ = grid.rows[0]
    assert first.right == second.left == (grid.cells[0].left + grid.cells[0].right) / 2


@pytest.mark.parametrize("nothing", [((1,), None), (None, None)])
def test_a_side_of_which_nothing_is_known_has_no_boxes(nothing):
    grid = grid_of(b"a\xff", nothing, ((1,), ((0, 2),)))
    assert grid.rows[0] is None
    assert grid.apart == ()


@given(
    st.text(alphabet="a '1é中\u0301\n\u202e😀"),
    st.tuples(st.sampled_from(sorted(MODELS)), st.sampled_from(sorted(MODELS))),
)
def test_boxes_never_overlap_and_end_where_their_characters_do(text, names):
    sides = [MODELS[name].encode(text) for name in names]
    data = text.encode()
    grid = grid_of(data, *((tuple(e.token_ids.tolist()), tuple(map(tuple, e.spans.tolist()))) for e in sides))
    assert len(grid.cells) == min(len(text), MOST_CHARACTERS)
    for row in grid.rows:
        shown = [box for box in row if box.tint >= 0]
        for one, other in pairwise(shown):
            assert one.right <= other.left + 1e-6 or one[1:3] == other[1:3]
        assert all(0 <= box.left <= box.right <= grid.width + 1e-6 for box in row)


def test_what_is_cut_off_a_long_text_takes_its_tokens_along():
    n = MOST_CHARACTERS + 9
    grid = grid_of(b"a" * n, *((tuple(range(n)), tuple((i, i + 1) for i in range(n))) for _ in range(2)))
    assert [len(row) for row in grid.rows] == [len(grid.cells)] * 2


def test_tokens_without_text_have_room_of_their_own_before_those_with_text():
    rows = [[(0, 0), (0, 2), (2, 2), (2, 2), (2, 3)], [(0, 1), (1, 3)]]
    bounds = bounds_of(rows)
    x = places_of(Need(start, end, 10) for row in bounds for start, end in row)
    for row in bounds:
        edges = [x[place] for bound in row for place in bound]
        assert edges == sorted(edges)
        assert all(right - left >= 10 for left, right in zip(edges[::2], edges[1::2], strict=True))
    assert x[bounds[0][1][0]] == x[bounds[1][0][0]], "what begins at the same byte begins at the same place"
