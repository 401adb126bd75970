"""The picture of the token tree: what lies where, and whether it is painted where it is found."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import VOCABS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.kernels.tree_raster import Strips, paint_strips
from guiapp.core.tree import picture as pictures
from guiapp.core.tree.bands import ICICLE, SUNBURST, band_tops
from guiapp.core.tree.painting import color_sums, paint_icicle, paint_sunburst
from guiapp.core.tree.picture import ROOT, tree_picture

TEXTS = st.lists(st.text("ab1 漢", min_size=1, max_size=6), unique=True, min_size=1, max_size=25)
BACKGROUND = 0x102030
WIDTH, HEIGHT = 160, 120


def picture_of(tokens):
    return tree_picture(toy_vocabulary(dict.fromkeys(tokens, 0.0)))


@pytest.fixture(params=[1, 3, 128], ids=lambda crowd: f"crowd {crowd}")
def crowd(request, monkeypatch):
    monkeypatch.setattr(pictures, "CROWD", request.param)


def check_layout(picture):
    arrays = picture.arrays
    for token in range(len(picture.vocabulary)):
        assert picture.token(picture.node(token)) == token
        above = [picture.token(node) for node in picture.path(picture.node(token))]
        assert [step for step in above if step is not None] == picture.tree.path(token)
    for node in range(1, len(picture)):
        children, (start, end) = picture.children(node), picture.span(node)
        assert picture.level(picture.parent(node)) + 1 == picture.level(node)
        assert all(picture.parent(child) == node for child in children)
        edges = [start, *arrays.ends[list(children)].tolist()]
        assert arrays.starts[list(children)].tolist() == edges[:-1]
        assert edges[-1] == end if children else end == start + 1
        assert picture.node_at(picture.level(node), (start + end) / 2) == node


@given(tokens=TEXTS)
@settings(max_examples=40, suppress_health_check=[])
def test_children_lie_side_by_side_below_their_parents(tokens):
    check_layout(picture_of(tokens))


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize(
    "tokens",
    [
        ["a"],
        ["a", "漢", "1", " ", " a", " 漢"],
        ["a" * n for n in range(1, 90)],
        ["a", "ab", "b漢", "b1", "b"],
    ],
    ids=["one token", "scripts", "chain of 89", "groups below"],
)
def test_groups_hold_siblings_of_one_script(tokens):
    picture = picture_of(tokens)
    check_layout(picture)
    for node in range(1, len(picture)):
        if picture.token(node) is None:
            members = [picture.token(child) for child in picture.children(node)]
            assert {int(picture.scripts[token]) for token in members} == {picture.arrays.kinds[node]}
            assert picture.n_below(node) == sum(len(picture.tree.subtree(token)) for token in members)


def test_a_crowd_of_twenty_thousand_is_grouped_by_script_the_largest_first():
    letters = [chr(0x4E00 + n) for n in range(20_000)] + [f"a{n}" for n in range(200)] + ["1", "!"]
    picture = picture_of(letters)
    groups = list(picture.children(ROOT))
    assert [picture.script(node) for node in groups[:2]] == ["Han", "Latin"]
    assert [picture.n_below(node) for node in groups] == [20_000, 200, 1, 1]
    check_icicle(picture, (0.5, 1.0))
    check_icicle(picture, (0.5, 0.01))


def test_an_empty_vocabulary_has_only_a_root():
    picture = picture_of([])
    assert (len(picture), picture.width, picture.span(ROOT)) == (1, 1, (0, 1))
    assert picture.node_at(0, 0.5) is None
    image = np.zeros((HEIGHT, WIDTH), np.uint32)
    sums = color_sums(picture, np.array([0xFFFFFF], np.uint32))
    paint_icicle(picture, sums, (0, 1), band_tops(picture, 0, 1, HEIGHT, ICICLE), BACKGROUND, image)
    assert set(np.unique(image).tolist()) == {0xFF000000 | BACKGROUND}


views = st.tuples(st.floats(0, 1), st.floats(0.0005, 1))


def view_of(picture, shares):
    width = max(shares[1] * picture.width, 0.5)
    left = shares[0] * max(0.0, picture.width - width)
    return left, left + width


def own_colors(picture):
    return np.arange(1, len(picture) + 1, dtype=np.uint32) * 37


def check_icicle(picture, shares):
    """Each pixel that lies within a node has its colour; each node wider than a pixel is seen."""
    view = view_of(picture, shares)
    tops = band_tops(picture, *view, HEIGHT, ICICLE)
    image = np.zeros((HEIGHT, WIDTH), np.uint32)
    colors = own_colors(picture)
    paint_icicle(picture, color_sums(picture, colors), view, tops, BACKGROUND, image, gap_scale=0.0)
    unit = (view[1] - view[0]) / WIDTH
    edges = np.round(tops).astype(int)
    for level in np.flatnonzero(np.diff(edges) > 0).tolist():
        row = image[edges[level]]
        for column in range(WIDTH):
            start, end = view[0] + column * unit, view[0] + (column + 1) * unit
            found = picture.node_at(level, (start + end) / 2)
            if found is None:
                continue
            node_start, node_end = picture.span(found)
            if node_start <= start and end <= node_end:
                assert row[column] == 0xFF000000 | int(colors[found])
            if node_end - node_start >= unit:
                assert row[column] != 0xFF000000 | BACKGROUND


@given(tokens=TEXTS, shares=views, least=st.floats(0.01, 5))
@settings(max_examples=60)
def test_wide_nodes_are_all_of_which_so_much_is_seen(tokens, shares, least):
    picture = picture_of(tokens)
    left, right = view_of(picture, shares)
    levels = np.repeat(np.arange(picture.n_levels), np.diff(picture.arrays.level_offsets))
    leasts = least * 2.0 ** np.arange(picture.n_levels)
    starts, ends = picture.arrays.starts, picture.arrays.ends
    seen = np.minimum(ends, right) - np.maximum(starts, left)
    expected = np.flatnonzero((seen >= leasts[levels]) & (starts < right))
    assert picture.wide_nodes(left, right, leasts).tolist() == expected.tolist()


@given(tokens=TEXTS, shares=views)
@settings(max_examples=40)
def test_picture_and_hit_test_agree(tokens, shares):
    check_icicle(picture_of(tokens), shares)


@given(tokens=TEXTS, shares=views, first=st.integers(0, 39), gap_scale=st.sampled_from([0.0, 1.0]))
@example(tokens=["1"], shares=(0.0, 1.0), first=39, gap_scale=0.0)  # goes around twice
@settings(max_examples=25)
def test_columns_painted_at_once_are_like_those_painted_alone(tokens, shares, first, gap_scale):
    picture = picture_of(tokens)
    sums, view = color_sums(picture, own_colors(picture)), view_of(picture, shares)

    def painted(firsts, n_pixels):
        n_levels, counts = picture.n_levels, np.full(picture.n_levels, 40, np.int32)
        offsets = np.arange(n_levels + 1, dtype=np.int32) * n_pixels
        pixels = np.zeros(n_levels * n_pixels, np.uint32)
        strips = Strips(pixels, offsets, np.full(n_levels, firsts, np.int32), counts)
        paint_strips(picture.arrays, sums, *view, BACKGROUND, gap_scale, strips)
        return pixels.reshape(n_levels, n_pixels)

    alone = [painted(column % 40, 1) for column in range(first, first + 42)]
    assert painted(first, 42).tolist() == np.concatenate(alone, axis=1).tolist()


@given(tokens=TEXTS, shares=views)
@settings(max_examples=15)
def test_the_sunburst_shows_what_lies_there(tokens, shares):
    picture = picture_of(tokens)
    view = view_of(picture, shares)
    radii = band_tops(picture, *view, HEIGHT / 2, SUNBURST)
    image = np.zeros((HEIGHT, HEIGHT), np.uint32)
    colors = own_colors(picture)
    paint_sunburst(picture, color_sums(picture, colors), view, radii, BACKGROUND, image)
    for level in np.flatnonzero(np.diff(radii) > 4).tolist():
        radius = (radii[level] + radii[level + 1]) / 2
        for turn in np.linspace(0.01, 0.99, 40):
            place = view[0] + turn * (view[1] - view[0])
            margin = 3 * (view[1] - view[0]) / (2 * np.pi * max(radius, 1))
            nodes = {picture.node_at(level, place + offset) for offset in (-margin, 0, margin)}
            x = int(HEIGHT / 2 - radius * np.sin(2 * np.pi * turn))
            y = int(HEIGHT / 2 - radius * np.cos(2 * np.pi * turn))
            if len(nodes) == 1 and view[0] <= place - margin and place + margin <= view[1]:
                node = nodes.pop()
                expected = BACKGROUND if node is None else int(colors[node])
                assert image[y, x] == 0xFF000000 | expected


@given(tokens=TEXTS, shares=views)
@settings(max_examples=40)
def test_bands_fit_the_height_and_hold_all_that_is_in_view(tokens, shares):
    picture = picture_of(tokens)
    left, right = view_of(picture, shares)
    for style in (ICICLE, SUNBURST):
        tops = band_tops(picture, left, right, HEIGHT, style)
        assert tops[0] == 0
        assert tops[-1] <= HEIGHT + 1e-6
        for level in range(1, picture.n_levels):
            is_seen = any(
                picture.span(node)[0] < right and picture.span(node)[1] > left
                for node in range(*picture.arrays.level_offsets[level : level + 2].tolist())
            )
            assert is_seen == (tops[level + 1] > tops[level]) or style is SUNBURST


@pytest.fixture(scope="module")
def gemma():
    return tree_picture(guiapp.open_model(VOCABS / "ggml-vocab-gemma-4.gguf").vocabulary)


@pytest.mark.real_vocabs
def test_of_a_quarter_of_a_million_tokens_each_has_its_place(gemma):
    tokens = np.arange(len(gemma.vocabulary))
    nodes = gemma.arrays.nodes[tokens]
    assert (gemma.arrays.tokens[nodes] == tokens).all()
    for level in range(gemma.n_levels):
        low, high = gemma.arrays.level_offsets[level : level + 2]
        assert (gemma.arrays.ends[low : high - 1] <= gemma.arrays.starts[low + 1 : high]).all()


@pytest.mark.real_vocabs
@given(shares=views)
@settings(max_examples=15)
def test_large_picture_and_hit_test_agree(gemma, shares):
    check_icicle(gemma, (shares[0], shares[1] ** 4))
