"""Views of the tree and places on the screen, of a picture with four leaves, to the pixel."""

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.picture import ROOT, tree_picture
from guiapp.pages.tree.geometry import (
    NARROWEST,
    Sunburst,
    on_the_way,
    view_of,
    view_showing,
    within,
    zoomed,
)

A, B, C, AB, BC, ABC, ABD = range(1, 8)  # nodes: a and ab lie on the leaves of abc and abd, bc on that of b


@pytest.fixture(scope="module")
def picture():
    return tree_picture(toy_vocabulary(dict.fromkeys(["a", "ab", "abc", "abd", "b", "bc", "c"], 0.0)))


@pytest.fixture(scope="module")
def wide_picture():
    """A hundred leaves below eleven nodes; the first of those has the first 91."""
    tokens = ["a", *(f"a{number:02}" for number in range(91)), *"bcdefghij"]
    return tree_picture(toy_vocabulary(dict.fromkeys(tokens, 0.0)))


@pytest.mark.parametrize(
    ("share", "right", "down"),
    [(0.0, 0, -40), (0.125, -28.28, -28.28), (0.25, -40, 0), (0.5, 0, 40), (0.75, 40, 0)],
)
def test_places_of_a_sunburst_go_round_counterclockwise_from_the_top(picture, share, right, down):
    sunburst = Sunburst(picture, (1.0, 4.0), 301.0, 200.0)
    point = sunburst.point(40.0, share)
    assert point == pytest.approx((150 + right, 100 + down), abs=0.01)
    assert sunburst.share_at(*point) == pytest.approx(share, abs=1e-9)
    assert sunburst.hit(*point) == (1, pytest.approx(1.0 + 3 * share))
    assert sunburst.share(1.0 + 3 * share) == pytest.approx(share)


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        ((1.0, 3.0), (1.0, 3.0)),
        ((-1.0, 1.0), (0.0, 2.0)),
        ((3.0, 6.0), (1.0, 4.0)),
        ((-9.0, 9.0), (0.0, 4.0)),
        ((2.0, 2.0), (2.0 - NARROWEST / 2, 2.0 + NARROWEST / 2)),
        ((0.0, 0.0), (0.0, NARROWEST)),
        ((4.0, 4.0), (4.0 - NARROWEST, 4.0)),
    ],
)
def test_a_view_lies_in_the_picture(picture, view, expected):
    assert within(picture, view) == expected


@pytest.mark.parametrize(
    ("view", "share", "factor", "expected"),
    [
        ((0.0, 4.0), 0.5, 2, (1.0, 3.0)),
        ((0.0, 4.0), 0.0, 2, (0.0, 2.0)),
        ((0.0, 4.0), 1.0, 2, (2.0, 4.0)),
        ((1.0, 3.0), 0.25, 2, (1.25, 2.25)),
        ((1.0, 3.0), 0.75, 0.5, (0.0, 4.0)),
        ((1.0, 2.0), 0.5, 0.5, (0.5, 2.5)),
        ((0.0, 1.0), 0.5, 0.5, (0.0, 2.0)),
        ((3.0, 4.0), 0.5, 0.5, (2.0, 4.0)),
        ((1.0, 3.0), 0.5, 100, (2 - NARROWEST / 2, 2 + NARROWEST / 2)),
        ((1.0, 3.0), 0.5, 0.01, (0.0, 4.0)),
    ],
)
def test_zooming_keeps_a_point_fixed_within_the_picture(picture, view, share, factor, expected):
    assert zoomed(picture, view, share, factor) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("start", "end", "share", "expected"),
    [
        ((0, 4), (0, 4), 0.3, (0, 4)),
        ((0, 1), (2, 3), 0.25, (0.5, 1.5)),
        ((0, 8), (0, 2), 0.5, (0, 4)),
        ((0, 8), (6, 8), 0.5, (4, 8)),
        ((10, 12), (10, 18), 0.5, (10, 14)),
        ((0, 1), (99, 100), 0.25, (0, 10)),  # half way to what shows both
        ((0, 1), (99, 100), 0.5, (0, 100)),
        ((0, 1), (99, 100), 0.75, (90, 100)),
        ((0, 1), (99, 100), 1.0, (99, 100)),
        ((99, 100), (0, 1), 0.25, (90, 100)),
        ((0, 1), (2, 3), 0.5, (1, 2)),  # three times as wide as each: not far away
        ((0, 1), (2.1, 3.1), 0.5, (0, 3.1)),
    ],
)
def test_the_way_from_view_to_view(start, end, share, expected):
    assert on_the_way(start, end, share) == pytest.approx(expected)


def test_the_view_of_a_node_is_its_leaves(picture):
    assert [view_of(picture, node) for node in (ROOT, A, B, ABD)] == [(0, 4), (0, 2), (2, 3), (1, 2)]


@pytest.mark.parametrize(
    ("view", "node", "expected"),
    [
        ((0, 100), 1, (0, 100)),  # it is there, and large enough
        ((20, 40), 1, (20, 40)),  # there is nothing else in view
        ((0, 91), 1, (0, 91)),
        ((0, 20), 12, (0, 20)),  # just as large as it has to be
        ((0, 20.5), 12, (0.0, 10.0)),  # where the view changes, twice as large
        ((10, 30), 12, (0.0, 10.0)),
        ((46, 66), 57, (46, 66)),
        ((27, 47), 57, (27, 47)),
        ((0, 100), 57, (41.5, 51.5)),
        ((0, 40), 57, (41.5, 51.5)),
        ((0, 100), 101, (81.0, 91.0)),
        ((95, 100), 1, (0.0, 100.0)),
        ((0, 10), 10, (90.0, 100.0)),
        ((0, 10), 2, (86.5, 96.5)),
        ((1.5, 20), 12, (0.0, 10.0)),
        ((0, 1.9), 12, (0.0, 10.0)),
        ((1, 1.9), 12, (1, 1.9)),
        ((1, 2), 12, (1, 2)),
        ((1.2, 1.9), 12, (1.2, 1.9)),
    ],
)
def test_a_node_is_brought_into_view_within_its_parent(wide_picture, view, node, expected):
    assert view_showing(wide_picture, view, node, 0.05) == pytest.approx(expected)
