"""Where nodes and their labels are on the screen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.picture import ROOT, tree_picture
from guiapp.pages.tree.geometry import (
    Icicle,
    Sunburst,
    icicle_slots,
    letter_size,
    on_the_way,
    sunburst_slots,
    view_of,
    view_showing,
    within,
    zoomed,
)

TOKENS = ["a", "ab", "abc", "abd", "b", "bc", "c", "漢", "漢字", *("x" * n for n in range(1, 90))]
views = st.tuples(st.floats(0, 1), st.floats(0.01, 1))


@pytest.fixture(scope="module")
def picture():
    return tree_picture(toy_vocabulary(dict.fromkeys(TOKENS, 0.0)))


def view_at(picture, shares):
    width = shares[1] * picture.width
    return within(picture, (shares[0] * picture.width, shares[0] * picture.width + width))


@given(shares=views, node=st.integers(0, 90), part=st.floats(0.05, 0.95))
@settings(max_examples=150)
def test_a_point_in_a_box_hits_its_node(picture, shares, node, part):
    node %= len(picture)
    icicle = Icicle(picture, view_at(picture, shares), 800.0, 500.0)
    left, top, right, bottom = icicle.box(node)
    x = left + part * (right - left)
    if bottom - top >= 1 and 0 <= x < 800:
        hit = icicle.hit(x, (top + bottom - 1) / 2)
        assert picture.node_at(*hit) == node


@given(shares=views, node=st.integers(0, 90), part=st.floats(0.05, 0.95))
@settings(max_examples=150)
def test_a_point_in_a_sector_hits_its_node(picture, shares, node, part):
    node %= len(picture)
    sunburst = Sunburst(picture, view_at(picture, shares), 800.0, 500.0)
    inner, outer, start, end = sunburst.sector(node)
    if outer - inner > 0.01 and end - start > 1e-6:
        hit = sunburst.hit(*sunburst.point((inner + outer) / 2, start + part * (end - start)))
        assert picture.node_at(*hit) == node


@given(shares=views, at=st.floats(0, 1), factor=st.floats(0.2, 5))
@settings(max_examples=80)
def test_zooming_keeps_what_is_under_the_pointer(picture, shares, at, factor):
    view = view_at(picture, shares)
    after = zoomed(picture, view, at, factor)
    assert after[0] >= -1e-9
    assert after[1] <= picture.width + 1e-9
    if after[0] > 1e-6 and after[1] < picture.width - 1e-6:
        before, now = (v[0] + at * (v[1] - v[0]) for v in (view, after))
        assert now == pytest.approx(before, abs=1e-6)


@given(start=views, end=views, share=st.floats(0, 1))
@settings(max_examples=80)
def test_the_way_begins_and_ends_where_it_should(picture, start, end, share):
    first, last = view_at(picture, start), view_at(picture, end)
    assert on_the_way(first, last, 0.0) == pytest.approx(first)
    assert on_the_way(first, last, 1.0) == pytest.approx(last)
    left, right = on_the_way(first, last, share)
    assert left < right


def test_every_token_can_be_brought_into_view(picture):
    for token in range(len(TOKENS)):
        node = picture.node(token)
        left, right = view_showing(picture, view_of(picture, ROOT), node, 0.05)
        start, end = picture.span(node)
        assert left <= start
        assert end <= right
        assert end - start >= 0.05 * (right - left) - 1e-9
        icicle = Icicle(picture, view_of(picture, node), 800.0, 500.0)
        left_px, top, right_px, bottom = icicle.box(node)
        assert right_px - left_px > 1
        assert bottom - top >= 1


@given(shares=views)
@settings(max_examples=60)
def test_what_has_been_passed_leaves_no_hole_in_the_middle(picture, shares):
    sunburst = Sunburst(picture, view_at(picture, shares), 800.0, 500.0)
    assert (np.diff(sunburst.radii) >= 0).all()
    middles = [place for place in sunburst_slots(sunburst) if place.is_middle]
    assert len(middles) <= 1
    for place in middles:
        assert (place.x, place.y) == sunburst.center
        assert picture.node_at(*sunburst.hit(place.x + 1.5, place.y)) == place.node


@given(shares=views)
@settings(max_examples=40)
def test_labels_lie_on_their_nodes(picture, shares):
    view = view_at(picture, shares)
    icicle = Icicle(picture, view, 800.0, 500.0)
    for place in icicle_slots(icicle):
        assert picture.node_at(*icicle.hit(min(place.x, 799.0), place.y)) == place.node
    sunburst = Sunburst(picture, view, 800.0, 500.0)
    for place in sunburst_slots(sunburst):
        if place.degrees:
            assert picture.node_at(*sunburst.hit(place.x, place.y)) == place.node


@given(shares=views)
@settings(max_examples=60)
def test_upright_labels_fit_their_sector(picture, shares):
    sunburst = Sunburst(picture, view_at(picture, shares), 800.0, 500.0)
    for place in sunburst_slots(sunburst):
        if place.degrees == 0 or place.upright_px <= 0:
            continue
        for right in (-place.upright_px / 2, place.upright_px / 2):
            for down in (-place.size_px / 2, place.size_px / 2):
                hit = sunburst.hit(place.x + right, place.y + down)
                assert hit is not None
                assert picture.node_at(*hit) == place.node


BUSHY = ["a", *(f"a{letter}" for letter in "bcdefghi"), "b", "bc", "c"]


def picture_of(tokens):
    return tree_picture(toy_vocabulary(dict.fromkeys(tokens, 0.0)))


def test_letters_grow_with_their_band():
    heights = [0, 14.9, 15, 27.9, 28, 44, 65.9, 66, 96, 500]
    assert letter_size(np.array(heights)).tolist() == [0, 0, 12, 12, 14, 18, 18, 24, 32, 32]
