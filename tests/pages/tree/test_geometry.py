"""Where nodes and their labels are on the screen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.picture import ROOT, tree_picture
from guiapp.pages.tree import geometry as labels
from guiapp.pages.tree.geometry import (
    Icicle,
    LabelSlot,
    Sunburst,
    first_labelled,
    icicle_places,
    letter_size,
    on_the_way,
    places,
    sunburst_places,
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
def test_a_node_is_found_within_its_box(picture, shares, node, part):
    node %= len(picture)
    icicle = Icicle(picture, view_at(picture, shares), 800.0, 500.0)
    left, top, right, bottom = icicle.box(node)
    x = left + part * (right - left)
    if bottom - top >= 1 and 0 <= x < 800:
        hit = icicle.hit(x, (top + bottom - 1) / 2)
        assert picture.node_at(*hit) == node


@given(shares=views, node=st.integers(0, 90), part=st.floats(0.05, 0.95))
@settings(max_examples=150)
def test_a_node_is_found_within_its_sector(picture, shares, node, part):
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
    middles = [place for place in sunburst_places(sunburst) if place.is_middle]
    assert len(middles) <= 1
    for place in middles:
        assert (place.x, place.y) == sunburst.center
        assert picture.node_at(*sunburst.hit(place.x + 1.5, place.y)) == place.node


@given(shares=views)
@settings(max_examples=40)
def test_labels_lie_on_their_nodes(picture, shares):
    view = view_at(picture, shares)
    icicle = Icicle(picture, view, 800.0, 500.0)
    for place in icicle_places(icicle):
        assert picture.node_at(*icicle.hit(min(place.x, 799.0), place.y)) == place.node
    sunburst = Sunburst(picture, view, 800.0, 500.0)
    for place in sunburst_places(sunburst):
        if place.degrees:
            assert picture.node_at(*sunburst.hit(place.x, place.y)) == place.node


@given(shares=views)
@settings(max_examples=60)
def test_labels_that_need_not_be_turned_stay_within_their_sector(picture, shares):
    sunburst = Sunburst(picture, view_at(picture, shares), 800.0, 500.0)
    for place in sunburst_places(sunburst):
        if place.degrees == 0 or place.upright_px <= 0:
            continue
        for right in (-place.upright_px / 2, place.upright_px / 2):
            for down in (-place.size_px / 2, place.size_px / 2):
                hit = sunburst.hit(place.x + right, place.y + down)
                assert hit is not None
                assert picture.node_at(*hit) == place.node


FEW = ["a", "ab", "abc", "abd", "b", "bc", "c"]  # four leaves side by side, three levels below the root
BUSHY = ["a", *(f"a{letter}" for letter in "bcdefghi"), "b", "bc", "c"]


def picture_of(tokens):
    return tree_picture(toy_vocabulary(dict.fromkeys(tokens, 0.0)))


def rounded(found):
    return [
        LabelSlot._make(round(value, 1) if isinstance(value, float) else value for value in place)
        for place in found
    ]


def test_letters_grow_with_their_band():
    heights = [0, 14.9, 15, 27.9, 28, 44, 65.9, 66, 96, 500]
    assert letter_size(np.array(heights)).tolist() == [0, 0, 12, 12, 14, 18, 18, 24, 32, 32]


ICICLES = {
    "all turned one way": (
        Icicle(picture_of(FEW), (1.0, 4.0), 90.0, 200.0),
        [
            (0, 5.0, 16.0, 80.0, 14, 0.0, False, 0.0, 27.0, False),
            (1, 2.4, 66.5, 25.2, 14, 0.0, False, 0.0, 62.0, False),
            (2, 32.4, 66.5, 25.2, 14, 0.0, False, 0.0, 62.0, False),
            (3, 62.4, 66.5, 25.2, 14, 0.0, False, 0.0, 62.0, False),
            (4, 2.4, 129.0, 25.2, 14, 0.0, False, 0.0, 51.0, False),
            (5, 32.4, 129.0, 25.2, 14, 0.0, False, 0.0, 51.0, False),
            (7, 2.4, 178.5, 25.2, 14, 0.0, False, 0.0, 36.0, False),
        ],
    ),
    "narrow ones downwards": (
        Icicle(picture_of(BUSHY), (0.5, 8.5), 120.0, 140.0),
        [
            (0, 5.0, 13.5, 110.0, 14, 0.0, False, 0.0, 22.0, False),
            (1, 5.0, 55.5, 102.5, 18, 0.0, False, 0.0, 50.0, False),
            (5, 15.0, 111.5, 50.0, 12, 90.0, True, 15.0, 0.0, False),
            (6, 30.0, 111.5, 50.0, 12, 90.0, True, 15.0, 0.0, False),
            (7, 45.0, 111.5, 50.0, 12, 90.0, True, 15.0, 0.0, False),
            (8, 60.0, 111.5, 50.0, 12, 90.0, True, 15.0, 0.0, False),
            (9, 75.0, 111.5, 50.0, 12, 90.0, True, 15.0, 0.0, False),
            (10, 90.0, 111.5, 50.0, 12, 90.0, True, 15.0, 0.0, False),
            (11, 105.0, 111.5, 50.0, 12, 90.0, True, 15.0, 0.0, False),
        ],
    ),
    "low bands": (
        Icicle(picture_of(BUSHY), (0.0, 10.0), 150.0, 60.0),
        [
            (1, 5.0, 24.5, 110.0, 12, 0.0, False, 0.0, 18.0, False),
            (2, 127.5, 24.5, 18.0, 12, 90.0, True, 15.0, 0.0, False),
            (3, 142.5, 24.5, 18.0, 12, 90.0, True, 15.0, 0.0, False),
        ],
    ),
    "the lowest that have letters": (
        Icicle(picture_of(BUSHY), (1.0, 11.0), 230.0, 80.0),
        [
            (0, 5.0, 8.5, 197.0, 12, 0.0, False, 0.0, 12.0, False),
            (1, 5.0, 33.5, 151.0, 14, 0.0, False, 0.0, 26.0, False),
            (2, 163.0, 33.5, 19.0, 14, 0.0, False, 0.0, 26.0, False),
            (3, 186.0, 33.5, 19.0, 14, 0.0, False, 0.0, 26.0, False),
            (5, 2.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
            (6, 25.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
            (7, 48.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
            (8, 71.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
            (9, 94.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
            (10, 117.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
            (11, 140.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
            (12, 163.0, 64.5, 19.0, 14, 0.0, False, 0.0, 24.0, False),
        ],
    ),
}


SUNBURSTS = {
    "a disc in the middle": (
        Sunburst(picture_of(FEW), (0.0, 4.0), 400.0, 320.0),
        [
            (0, 200.0, 160.0, 93.0, 24, 0.0, True, 0.0, 0.0, True),
            (1, 121.1, 160.0, 94.9, 14, 270.0, True, 35.5, 0.0, False),
            (2, 255.8, 215.8, 94.9, 14, -45.0, True, 35.5, 0.0, False),
            (3, 255.8, 104.2, 94.9, 14, 45.0, True, 35.5, 0.0, False),
            (4, 84.3, 160.0, 86.4, 14, 270.0, True, 24.4, 0.0, False),
            (5, 281.8, 241.8, 86.4, 14, -45.0, True, 24.4, 0.0, False),
            (6, 99.0, 59.0, 66.5, 12, 315.0, True, 13.6, 0.0, False),
            (7, 99.0, 261.0, 66.5, 12, 45.0, True, 13.6, 0.0, False),
        ],
    ),
    "a hole in the middle": (
        Sunburst(picture_of(FEW), (1.0, 4.0), 301.0, 200.0),
        [
            (0, 150.0, 100.0, 31.4, 14, 0.0, True, 0.0, 0.0, True),
            (1, 115.5, 80.1, 70.5, 14, 300.0, True, 34.2, 0.0, False),
            (2, 150.0, 139.8, 70.5, 14, 0.0, True, 34.2, 0.0, False),
            (3, 184.5, 80.1, 70.5, 14, 60.0, True, 34.2, 0.0, False),
            (4, 88.4, 64.5, 47.9, 12, 300.0, True, 13.4, 0.0, False),
            (5, 150.0, 171.1, 47.9, 12, 0.0, True, 13.4, 0.0, False),
        ],
    ),
    "outwards where they do not fit along": (
        Sunburst(picture_of(BUSHY), (1.0, 9.5), 230.0, 190.0),
        [
            (0, 115.0, 95.0, 48.0, 18, 0.0, True, 0.0, 0.0, True),
            (1, 91.0, 133.8, 56.1, 14, 31.8, True, 23.3, 0.0, False),
            (2, 145.7, 61.3, 25.1, 14, 312.4, True, 23.3, 0.0, False),
            (3, 123.4, 50.2, 25.1, 12, 280.6, True, 0.0, 0.0, False),
            (5, 87.9, 25.0, 45.5, 12, 338.8, True, 21.0, 0.0, False),
            (6, 47.8, 61.5, 45.5, 12, 296.5, True, 21.0, 0.0, False),
            (7, 42.8, 115.5, 45.5, 12, 74.1, True, 21.0, 0.0, False),
            (8, 75.5, 158.8, 45.5, 12, 31.8, True, 21.0, 0.0, False),
            (9, 128.8, 168.8, 45.5, 12, -10.6, True, 21.0, 0.0, False),
            (10, 174.9, 140.2, 45.5, 12, -52.9, True, 21.0, 0.0, False),
            (11, 189.8, 88.1, 45.5, 12, 84.7, True, 21.0, 0.0, False),
            (12, 165.6, 39.5, 45.5, 12, 42.4, True, 21.0, 0.0, False),
        ],
    ),
    "one node": (
        Sunburst(picture_of(BUSHY), (2.0, 3.0), 250.0, 240.0),
        [
            (6, 125.0, 120.0, 166.1, 32, 0.0, True, 0.0, 0.0, True),
        ],
    ),
}


@pytest.mark.parametrize("name", ICICLES)
def test_labels_of_an_icicle(name):
    icicle, expected = ICICLES[name]
    assert rounded(icicle_places(icicle)) == list(map(LabelSlot._make, expected))
    assert places(icicle) == icicle_places(icicle)


@pytest.mark.parametrize("name", SUNBURSTS)
def test_labels_of_a_sunburst(name):
    sunburst, expected = SUNBURSTS[name]
    assert rounded(sunburst_places(sunburst)) == list(map(LabelSlot._make, expected))
    assert places(sunburst) == sunburst_places(sunburst)


def test_the_first_nodes_to_have_labels_are_as_wide_as_a_part_of_the_whole(monkeypatch):
    picture = picture_of(BUSHY)
    assert first_labelled(picture) == list(range(len(picture)))
    monkeypatch.setattr(labels, "FIRST_LABELLED", 5)
    assert first_labelled(picture) == [0, 1]
