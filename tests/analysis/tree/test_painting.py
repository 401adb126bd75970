"""What painting takes for granted, and how its work is shared."""

import threading

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.picture import (
    NodeColors,
    _helper,
    paint_icicle,
    paint_sunburst,
    share_work,
    tree_picture,
)
from guiapp.pages.tree.geometry import ICICLE, SUNBURST, band_tops

PICTURE = tree_picture(toy_vocabulary(dict.fromkeys(["a", "b", "ab"], 0.0)))
VALUES = np.array([0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00], np.uint32)
WHOLE = (0.0, float(PICTURE.width))


def test_nodes_are_lit_where_nothing_is_dimmed():
    assert NodeColors(PICTURE, VALUES, 0).is_lit(1)
    dimmed = NodeColors(PICTURE, VALUES, 0, np.array([True, False, True, False]))
    assert [dimmed.is_lit(node) for node in range(4)] == [True, False, True, False]
    assert [dimmed.of(node) for node in range(4)] == VALUES.tolist()


def test_wide_nodes_have_gaps_between_them_unless_told_otherwise():
    tops = np.array([0.0, 20.0, 40.0, 60.0])
    images = [np.zeros((60, 80), np.uint32) for _ in range(3)]
    colors = NodeColors(PICTURE, VALUES, 0x102030)
    paint_icicle(colors, WHOLE, tops, images[0])
    paint_icicle(colors, WHOLE, tops, images[1], has_gaps=True)
    paint_icicle(colors, WHOLE, tops, images[2], has_gaps=False)
    assert (images[0] == images[1]).all()
    assert (images[0] != images[2]).any()
    assert (images[2][25] != 0xFF102030).all()
    assert (images[0][25] == 0xFF102030).any()


def test_a_sunburst_fills_its_image_finely_from_the_corner_on():
    radii = np.array([0.0, 10.0, 20.0, 30.0])
    images = [np.zeros((60, 62), np.uint32) for _ in range(3)]
    colors = NodeColors(PICTURE, VALUES, 0x102030)
    paint_sunburst(colors, WHOLE, radii, images[0])
    paint_sunburst(colors, WHOLE, radii, images[1], (0, 0), 60, False)
    paint_sunburst(colors, WHOLE, radii, images[2], (0, 0), 60, True)
    assert (images[0] == images[1]).all()
    assert (images[0] != images[2]).any()
    assert (images[0][:, :60] != 0).all()
    assert (images[0][:, 60:] == 0).all()


def test_the_root_is_lower_in_an_icicle_and_higher_in_a_sunburst_than_a_full_level():
    picture = tree_picture(toy_vocabulary(dict.fromkeys("ab", 0.0)))
    assert band_tops(picture, 0, 2, (90, 120), ICICLE).tolist() == pytest.approx([0, 33, 93])
    assert band_tops(picture, 0, 2, (90, 120), SUNBURST).tolist() == pytest.approx([0, 70, 120])


def test_work_is_done_here_where_the_helper_is_busy():
    started, gate, ran = threading.Event(), threading.Event(), []
    _helper().submit(lambda: (started.set(), gate.wait(60)))
    assert started.wait(60)
    try:
        share_work(lambda: ran.append("own"), lambda: ran.append("other"))
    finally:
        gate.set()
    assert ran == ["own", "other"]


def fail():
    raise RuntimeError("failed")


def test_what_fails_in_either_half_fails_as_a_whole():
    started = threading.Event()
    with pytest.raises(RuntimeError, match="failed"):
        share_work(lambda: started.wait(60), lambda: (started.set(), fail()))


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
