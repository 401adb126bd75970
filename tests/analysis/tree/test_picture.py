"""The picture of the token tree: what lies where, and whether it is painted where it is found."""

import threading
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from conftest import VOCABS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from model_files import opened
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree import picture as pictures
from guiapp.analysis.tree.picture import (
    EMOJI_BLOCKS,
    ROOT,
    SCRIPT_BLOCKS,
    SCRIPT_NAMES,
    NodeColors,
    paint_icicle,
    paint_sunburst,
    share_work,
    token_scripts,
    tree_picture,
)
from guiapp.core.vocabulary.vocabulary import token_tree
from guiapp.pages.tree.geometry import ICICLE, SUNBURST, band_tops

TEXTS = st.lists(st.text("ab1 漢", min_size=1, max_size=6), unique=True, min_size=1, max_size=25)
BACKGROUND = 0x102030
WIDTH, HEIGHT = 160, 120


def picture_of(tokens):
    return tree_picture(toy_vocabulary(dict.fromkeys(tokens, 0.0)))


@pytest.fixture(params=[1, 3, 128], ids=lambda crowd: f"crowd {crowd}")
def crowd(request, monkeypatch):
    monkeypatch.setattr(pictures, "CROWD", request.param)


def tokens_under(picture, node):
    result = []
    for child in picture.children(node):
        result += [] if picture.token(child) is None else [picture.token(child)]
        result += tokens_under(picture, child)
    return result


def check_layout(picture):
    layout = picture.layout
    for token in range(len(picture.vocabulary)):
        assert picture.token(picture.node(token)) == token
        above = [picture.token(node) for node in picture.path(picture.node(token))]
        assert [step for step in above if step is not None] == picture.tree.path(token)
    for node in range(1, len(picture)):
        children, (start, end) = picture.children(node), picture.span(node)
        assert picture.level(picture.parent(node)) + 1 == picture.level(node)
        assert all(picture.parent(child) == node for child in children)
        edges = [start, *layout.ends[list(children)].tolist()]
        assert layout.starts[list(children)].tolist() == edges[:-1]
        assert edges[-1] == end if children else end == start + 1
        assert picture.node_at(picture.level(node), (start + end) / 2) == node
    for node in range(len(picture)):
        below = tokens_under(picture, node)
        assert sorted(picture.tokens_below(node).tolist()) == sorted(below)
        assert picture.n_below(node) == len(below)
    levels = [range(*pair) for pair in pairwise(layout.level_offsets.tolist())]
    spans = layout.ends - layout.starts
    assert picture.widest.tolist() == [max(spans[list(level)]) for level in levels]
    assert picture.node_at(-1, 0.5) is picture.node_at(picture.n_levels, 0.5) is None


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
            assert {int(picture.scripts[token]) for token in members} == {picture.layout.kinds[node]}
            assert picture.n_below(node) == sum(len(picture.tree.subtree(token)) for token in members)


def test_an_empty_vocabulary_has_only_a_root():
    picture = picture_of([])
    assert (len(picture), picture.width, picture.span(ROOT)) == (1, 1, (0, 1))
    assert picture.node_at(0, 0.5) is None
    image = np.zeros((HEIGHT, WIDTH), np.uint32)
    colors = NodeColors(picture, np.array([0xFFFFFF], np.uint32), BACKGROUND)
    paint_icicle(colors, (0, 1), band_tops(picture, 0, 1, (WIDTH, HEIGHT), ICICLE), image)
    assert set(np.unique(image).tolist()) == {0xFF000000 | BACKGROUND}


views = st.tuples(st.floats(0, 1), st.floats(0.0005, 1))


def view_of(picture, shares):
    width = max(shares[1] * picture.width, 0.5)
    left = shares[0] * max(0.0, picture.width - width)
    return left, left + width


def own_colors(picture):
    """Colours that differ in every channel, one for each node."""
    values = (np.arange(1, len(picture) + 1, dtype=np.uint32) * 0x9E3779) & 0xFFFFFF
    return NodeColors(picture, values, BACKGROUND)


def check_icicle(picture, shares):
    """Each pixel that lies within a node has its colour."""
    view = view_of(picture, shares)
    tops = band_tops(picture, *view, (WIDTH, HEIGHT), ICICLE)
    image = np.zeros((HEIGHT, WIDTH), np.uint32)
    colors = own_colors(picture)
    paint_icicle(colors, view, tops, image, has_gaps=False)
    unit = (view[1] - view[0]) / WIDTH
    edges = np.round(tops).astype(int)
    for level in np.flatnonzero(np.diff(edges) > 0).tolist():
        row = image[edges[level]]
        for column in range(WIDTH):
            start, end = view[0] + column * unit, view[0] + (column + 1) * unit
            result = picture.node_at(level, (start + end) / 2)
            if result is None:
                continue
            node_start, node_end = picture.span(result)
            if node_start <= start and end <= node_end:
                assert row[column] == 0xFF000000 | colors.of(result)


@given(tokens=TEXTS, shares=views, least=st.floats(0.01, 5))
@settings(max_examples=60)
def test_wide_nodes_are_all_of_which_so_much_is_seen(tokens, shares, least):
    picture = picture_of(tokens)
    left, right = view_of(picture, shares)
    levels = np.repeat(np.arange(picture.n_levels), np.diff(picture.layout.level_offsets))
    leasts = least * 2.0 ** np.arange(picture.n_levels)
    starts, ends = picture.layout.starts, picture.layout.ends
    seen = np.minimum(ends, right) - np.maximum(starts, left)
    expected = np.flatnonzero((seen >= leasts[levels]) & (starts < right))
    assert picture.wide_nodes(left, right, leasts).tolist() == expected.tolist()


@given(tokens=TEXTS, shares=views)
@settings(max_examples=40)
def test_picture_and_hit_test_agree(tokens, shares):
    check_icicle(picture_of(tokens), shares)


def painted_slowly(picture, colors, view, level):
    """A row of an icicle without gaps: each pixel the mean of what it covers, node by node."""
    unit, low, high = (view[1] - view[0]) / WIDTH, *picture.layout.level_offsets[level : level + 2]
    row = []
    for column in range(WIDTH):
        start = view[0] + column * unit
        seen = np.minimum(picture.layout.ends[low:high], start + unit)
        weights = np.clip(seen - np.maximum(picture.layout.starts[low:high], start), 0, None) / unit
        mixed = [
            (weights * (colors.values[low:high] >> shift & 255)).sum()
            + max(0.0, 1 - weights.sum()) * (BACKGROUND >> shift & 255)
            for shift in (16, 8, 0)
        ]
        row.append(mixed)
    return np.array(row)


def channels(pixels):
    return np.stack([pixels >> shift & 255 for shift in (16, 8, 0)], axis=-1).astype(float)


@given(tokens=TEXTS, shares=views)
@settings(max_examples=40)
def test_an_icicle_shows_the_mean_of_what_each_pixel_covers(tokens, shares):
    picture = picture_of(tokens)
    view, colors, image = view_of(picture, shares), own_colors(picture), np.zeros((HEIGHT, WIDTH), np.uint32)
    tops = np.linspace(0, 2 * picture.n_levels, picture.n_levels + 1)
    paint_icicle(colors, view, tops, image[: 2 * picture.n_levels], has_gaps=False)
    for level in range(picture.n_levels):
        expected = painted_slowly(picture, colors, view, level)
        assert np.abs(channels(image[2 * level]) - expected).max() < 0.51
        assert (image[2 * level] == image[2 * level + 1]).all()


@given(tokens=TEXTS, shares=views, is_coarse=st.booleans())
@example(tokens=["1"], shares=(0.0, 1.0), is_coarse=False)  # goes around twice
@settings(max_examples=30)
def test_the_sunburst_shows_what_lies_there(tokens, shares, is_coarse):
    picture = picture_of(tokens)
    view, colors, size = view_of(picture, shares), own_colors(picture), 2 * HEIGHT
    radii = band_tops(picture, *view, (np.pi * size, size / 2), SUNBURST)
    image = np.zeros((size + 8, size + 20), np.uint32)
    paint_sunburst(colors, view, radii, image, (20, 8), size, is_coarse)
    assert not image[:8].any()
    assert not image[:, :20].any()
    for level in np.flatnonzero(np.diff(radii) > 8).tolist():
        radius = (radii[level] + radii[level + 1]) / 2
        for turn in np.linspace(0.01, 0.99, 40):
            place = view[0] + turn * (view[1] - view[0])
            margin = 6 * (view[1] - view[0]) / (2 * np.pi * radius)
            nodes = {picture.node_at(level, place + margin * away) for away in (-1, -0.5, 0, 0.5, 1)}
            x = int(size / 2 - radius * np.sin(2 * np.pi * turn))
            y = int(size / 2 - radius * np.cos(2 * np.pi * turn))
            if len(nodes) == 1 and view[0] <= place - margin and place + margin <= view[1]:
                node = nodes.pop()
                assert image[8 + y, 20 + x] == 0xFF000000 | (BACKGROUND if node is None else colors.of(node))


@given(tokens=TEXTS, data=st.data())
@settings(max_examples=20)
def test_arrays_that_do_not_fit_are_refused(tokens, data):
    picture = picture_of(tokens)
    colors, image = own_colors(picture), np.zeros((HEIGHT, WIDTH), np.uint32)
    wrong = data.draw(
        st.sampled_from(
            [
                ((0.0, 1.0), np.zeros(picture.n_levels)),
                ((0.0, 0.0), np.zeros(picture.n_levels + 1)),
                ((0.0, np.inf), np.zeros(picture.n_levels + 1)),
                ((0.0, 1.0), np.full(picture.n_levels + 1, -1.0)),
                ((0.0, 1.0), np.arange(picture.n_levels + 1)[::-1] * 1.0),
                ((0.0, 1.0), np.full(picture.n_levels + 1, 1e6)),
            ]
        )
    )
    for paint in (paint_icicle, paint_sunburst):
        with pytest.raises(ValueError, match="fit"):
            paint(colors, *wrong, image)
    with pytest.raises(ValueError, match="fit"):
        _ = NodeColors(picture, colors.values[:-1], 0).painter
    with pytest.raises(ValueError, match="fit"):
        paint_sunburst(colors, (0.0, 1.0), np.zeros(picture.n_levels + 1), image, (WIDTH - 2, 0), 8)


@given(tokens=TEXTS, shares=views)
@settings(max_examples=40)
def test_bands_fit_the_height_and_hold_all_that_is_in_view(tokens, shares):
    picture = picture_of(tokens)
    left, right = view_of(picture, shares)
    for style in (ICICLE, SUNBURST):
        tops = band_tops(picture, left, right, (WIDTH, HEIGHT), style)
        assert tops[0] == 0
        assert tops[-1] <= HEIGHT + 1e-6
        for level in range(1, picture.n_levels):
            is_seen = any(
                picture.span(node)[0] < right and picture.span(node)[1] > left
                for node in range(*picture.layout.level_offsets[level : level + 2].tolist())
            )
            assert is_seen == (tops[level + 1] > tops[level]) or style is SUNBURST


@pytest.fixture(scope="module")
def gemma():
    return tree_picture(opened(VOCABS / "ggml-vocab-gemma-4.gguf").vocabulary)


@pytest.mark.real_vocabs
def test_of_a_quarter_of_a_million_tokens_each_has_its_place(gemma):
    tokens = np.arange(len(gemma.vocabulary))
    nodes = gemma.layout.nodes[tokens]
    assert (gemma.layout.tokens[nodes] == tokens).all()
    for level in range(gemma.n_levels):
        low, high = gemma.layout.level_offsets[level : level + 2]
        assert (gemma.layout.ends[low : high - 1] <= gemma.layout.starts[low + 1 : high]).all()


@pytest.mark.real_vocabs
@given(shares=views)
@settings(max_examples=15)
def test_large_picture_and_hit_test_agree(gemma, shares):
    check_icicle(gemma, (shares[0], shares[1] ** 4))


ALL_BLOCKS = (*SCRIPT_BLOCKS.values(), EMOJI_BLOCKS)
NOT_OF_BLOCKS = {"Bytes of characters", "Spaces", "Punctuation", "Symbols", "Digits", "Other letters"}


def lies_in(character, blocks):
    return any(first <= ord(character) <= last for first, last in blocks)


def scripts_of(tokens):
    vocabulary = toy_vocabulary(tokens)
    return [SCRIPT_NAMES[script] for script in token_scripts(vocabulary, token_tree(vocabulary))]


def test_blocks_are_whole_and_end_where_they_end():
    codes = {
        edge + away for blocks in ALL_BLOCKS for block in blocks for edge in block for away in (-1, 0, 1)
    }
    letters = {chr(code): 0.0 for code in sorted(codes) if not 0xD800 <= code < 0xE000}
    script_of_letter = dict(zip(letters, scripts_of(letters), strict=True))
    for character, script in script_of_letter.items():
        of_blocks = {name for name, blocks in SCRIPT_BLOCKS.items() if lies_in(character, blocks)}
        if lies_in(character, EMOJI_BLOCKS):
            of_blocks = {"Emoji"}
        elif unicodedata.category(character)[0] == "N":
            of_blocks.add("Digits")
        assert script in (of_blocks or NOT_OF_BLOCKS), hex(ord(character))


def test_a_part_of_a_character_is_of_no_script():
    parts = b"\xe6", b"\xe6\xbc", b"\xff", b" \xe0\xb8", "漢".encode() + b"\xe6", b"\xb8\x81a"
    assert scripts_of(dict.fromkeys(parts, 0.0)) == ["Bytes of characters"] * len(parts)
    assert scripts_of({"漢": 0.0, b"\xe6": 0.0, "ก": 0.0}) == ["Han", "Bytes of characters", "Thai"]


def fail():
    raise RuntimeError("failed")


def test_a_failure_here_waits_for_what_is_under_way_there():
    started, sums = threading.Event(), []

    def other():
        started.set()
        sums.append(sum(range(1_000_000)))

    def own():
        started.wait(60)
        fail()

    with pytest.raises(RuntimeError, match="failed"):
        share_work(own, other)
    assert sums == [499_999_500_000]
