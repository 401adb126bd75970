"""Labels of the tree: which nodes have one, where it begins, how long and how large it may be."""

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.core.tree.picture import tree_picture
from guiapp.viewmodels.tree import labels
from guiapp.viewmodels.tree.geometry import Icicle, Sunburst
from guiapp.viewmodels.tree.labels import (
    Place,
    first_labelled,
    icicle_places,
    letter_size,
    places,
    sunburst_places,
)

FEW = ["a", "ab", "abc", "abd", "b", "bc", "c"]  # four leaves side by side, three levels below the root
BUSHY = ["a", *(f"a{letter}" for letter in "bcdefghi"), "b", "bc", "c"]


def picture_of(tokens):
    return tree_picture(toy_vocabulary(dict.fromkeys(tokens, 0.0)))


def rounded(found):
    return [
        Place._make(round(value, 1) if isinstance(value, float) else value for value in place)
        for place in found
    ]


def test_letters_grow_with_their_band():
    heights = [0, 12.9, 13, 20.9, 21, 33, 48, 69.9, 70, 100, 500]
    assert letter_size(np.array(heights)).tolist() == [0, 0, 11, 11, 12, 14, 18, 18, 24, 32, 32]


ICICLES = {
    "all turned one way": (
        Icicle(picture_of(FEW), (1.0, 4.0), 90.0, 200.0),
        [
            (0, 5.0, 11.5, 80.0, 12, 0.0, False, 0.0, 18.0, False),
            (1, 2.4, 48.5, 25.2, 14, 0.0, False, 0.0, 44.0, False),
            (2, 32.4, 48.5, 25.2, 14, 0.0, False, 0.0, 44.0, False),
            (3, 62.4, 48.5, 25.2, 14, 0.0, False, 0.0, 44.0, False),
            (4, 2.4, 95.0, 25.2, 14, 0.0, False, 0.0, 37.0, False),
            (5, 32.4, 95.0, 25.2, 14, 0.0, False, 0.0, 37.0, False),
            (7, 2.4, 133.5, 25.2, 14, 0.0, False, 0.0, 28.0, False),
        ],
    ),
    "narrow ones downwards": (
        Icicle(picture_of(BUSHY), (0.5, 8.5), 100.0, 140.0),
        [
            (0, 5.0, 8.0, 90.0, 11, 0.0, False, 0.0, 11.0, False),
            (1, 5.0, 34.0, 83.8, 14, 0.0, False, 0.0, 29.0, False),
            (5, 12.5, 69.0, 29.0, 11, 90.0, True, 12.5, 0.0, False),
            (6, 25.0, 69.0, 29.0, 11, 90.0, True, 12.5, 0.0, False),
            (7, 37.5, 69.0, 29.0, 11, 90.0, True, 12.5, 0.0, False),
            (8, 50.0, 69.0, 29.0, 11, 90.0, True, 12.5, 0.0, False),
            (9, 62.5, 69.0, 29.0, 11, 90.0, True, 12.5, 0.0, False),
            (10, 75.0, 69.0, 29.0, 11, 90.0, True, 12.5, 0.0, False),
            (11, 87.5, 69.0, 29.0, 11, 90.0, True, 12.5, 0.0, False),
        ],
    ),
    "low bands": (
        Icicle(picture_of(BUSHY), (0.0, 10.0), 150.0, 60.0),
        [
            (1, 5.0, 15.0, 110.0, 11, 0.0, False, 0.0, 9.0, False),
        ],
    ),
    "the lowest that have letters": (
        Icicle(picture_of(BUSHY), (1.0, 11.0), 230.0, 80.0),
        [
            (1, 5.0, 20.0, 151.0, 11, 0.0, False, 0.0, 13.0, False),
            (2, 163.0, 20.0, 19.0, 11, 0.0, False, 0.0, 13.0, False),
            (3, 186.0, 20.0, 19.0, 11, 0.0, False, 0.0, 13.0, False),
            (5, 2.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
            (6, 25.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
            (7, 48.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
            (8, 71.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
            (9, 94.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
            (10, 117.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
            (11, 140.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
            (12, 163.0, 38.5, 19.0, 11, 0.0, False, 0.0, 12.0, False),
        ],
    ),
}


SUNBURSTS = {
    "a disc in the middle": (
        Sunburst(picture_of(FEW), (0.0, 4.0), 400.0, 320.0),
        [
            (0, 200.0, 160.0, 86.5, 24, 0.0, True, 0.0, 0.0, True),
            (1, 126.6, 160.0, 85.9, 14, 270.0, True, 32.2, 0.0, False),
            (2, 251.9, 211.9, 85.9, 14, -45.0, True, 32.2, 0.0, False),
            (3, 251.9, 108.1, 85.9, 14, 45.0, True, 32.2, 0.0, False),
            (4, 91.6, 160.0, 89.2, 12, 270.0, True, 25.5, 0.0, False),
            (5, 276.7, 236.7, 89.2, 12, -45.0, True, 25.5, 0.0, False),
            (6, 103.8, 63.8, 71.5, 12, 315.0, True, 15.8, 0.0, False),
            (7, 103.8, 256.2, 71.5, 12, 45.0, True, 15.8, 0.0, False),
        ],
    ),
    "a hole in the middle": (
        Sunburst(picture_of(FEW), (1.0, 4.0), 301.0, 200.0),
        [
            (1, 122.3, 84.0, 56.9, 14, 300.0, True, 37.2, 0.0, False),
            (2, 150.0, 131.9, 56.9, 14, 0.0, True, 37.2, 0.0, False),
            (3, 177.7, 84.0, 56.9, 14, 60.0, True, 37.2, 0.0, False),
            (4, 94.4, 67.9, 43.2, 12, 300.0, True, 12.3, 0.0, False),
            (5, 150.0, 164.2, 43.2, 12, 0.0, True, 12.3, 0.0, False),
            (7, 79.5, 59.3, 0.0, 11, 300.0, True, 0.0, 0.0, False),
        ],
    ),
    "outwards where they do not fit along": (
        Sunburst(picture_of(BUSHY), (1.0, 9.5), 230.0, 190.0),
        [
            (0, 115.0, 95.0, 38.1, 14, 0.0, True, 0.0, 0.0, True),
            (1, 93.8, 129.3, 57.3, 14, 31.8, True, 25.6, 0.0, False),
            (2, 142.2, 65.2, 27.0, 12, 312.4, True, 22.6, 0.0, False),
            (3, 122.4, 55.4, 27.0, 11, 280.6, True, 0.0, 0.0, False),
            (5, 89.7, 29.8, 41.7, 12, 338.8, True, 19.0, 0.0, False),
            (6, 52.4, 63.8, 41.7, 12, 296.5, True, 19.0, 0.0, False),
            (7, 47.8, 114.1, 41.7, 12, 74.1, True, 19.0, 0.0, False),
            (8, 78.2, 154.4, 41.7, 12, 31.8, True, 19.0, 0.0, False),
            (9, 127.8, 163.7, 41.7, 12, -10.6, True, 19.0, 0.0, False),
            (10, 170.8, 137.1, 41.7, 12, -52.9, True, 19.0, 0.0, False),
            (11, 184.6, 88.5, 41.7, 12, 84.7, True, 19.0, 0.0, False),
            (12, 162.1, 43.3, 41.7, 12, 42.4, True, 19.0, 0.0, False),
        ],
    ),
    "one node": (
        Sunburst(picture_of(BUSHY), (2.0, 3.0), 250.0, 240.0),
        [
            (6, 125.0, 120.0, 83.3, 24, 0.0, True, 0.0, 0.0, True),
        ],
    ),
}


@pytest.mark.parametrize("name", ICICLES)
def test_labels_of_an_icicle(name):
    icicle, expected = ICICLES[name]
    assert rounded(icicle_places(icicle)) == list(map(Place._make, expected))
    assert places(icicle) == icicle_places(icicle)


@pytest.mark.parametrize("name", SUNBURSTS)
def test_labels_of_a_sunburst(name):
    sunburst, expected = SUNBURSTS[name]
    assert rounded(sunburst_places(sunburst)) == list(map(Place._make, expected))
    assert places(sunburst) == sunburst_places(sunburst)


def test_the_first_nodes_to_have_labels_are_as_wide_as_a_part_of_the_whole(monkeypatch):
    picture = picture_of(BUSHY)
    assert first_labelled(picture) == list(range(len(picture)))
    monkeypatch.setattr(labels, "FIRST_LABELLED", 5)
    assert first_labelled(picture) == [0, 1]
