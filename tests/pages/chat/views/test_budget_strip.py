"""The words below the bar of tokens by origin."""

import pytest

from guiapp.pages.chat.prompt_view import labelled_shares


@pytest.mark.parametrize(
    ("sizes", "places", "shares"),
    [
        ([], [], []),
        ([23, 1, 29, 8], [(16, 90), (475, 530), (495, 550), (1075, 1160)], [0, 2, 3]),
        ([5, 1, 1], [(0, 10), (10, 20), (19, 29)], [0, 1]),
        ([1, 1], [(0, 10), (10, 20)], [0, 1]),
    ],
)
def test_large_shares_are_told_before_small_ones_beside_them(sizes, places, shares):
    assert labelled_shares(sizes, places) == shares
