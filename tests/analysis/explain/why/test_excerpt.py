"""Which tokens around one are looked at."""

import numpy as np
import pytest

from guiapp.analysis.explain.why.excerpt import tokens_near

SPANS = np.array([(0, 0), (0, 9), (9, 18), (18, 18), (18, 18), (18, 27), (27, 36), (36, 36)])


@pytest.mark.parametrize(
    ("index", "reach", "expected"),
    [
        (2, 0, slice(2, 5)),
        (2, 8, slice(2, 5)),
        (2, 9, slice(0, 6)),
        (5, 0, slice(3, 6)),
        (0, 0, slice(0, 2)),
        (3, 0, slice(2, 6)),
        (4, 0, slice(2, 6)),
        (4, 9, slice(2, 6)),
        (4, 18, slice(0, 8)),
        (7, 0, slice(6, 8)),
    ],
)
def test_whole_tokens_within_reach_are_near_and_of_one_without_text_some_on_both_sides(
    index, reach, expected
):
    assert tokens_near(*SPANS.T, index, reach) == expected
