"""Where two texts part."""

from __future__ import annotations

import pytest

from guiapp.viewmodels.round_trip import first_difference


@pytest.mark.parametrize(
    ("one", "other", "offset"),
    [
        (b"", b"", None),
        (b"same", b"same", None),
        (b"abc", b"abd", 2),
        (b"abc", b"ab", 2),
        (b"", b"a", 0),
        (b"\xff1", b"\xfe1", 0),
    ],
)
def test_the_first_difference_is_found(one, other, offset):
    assert first_difference(one, other) == offset
