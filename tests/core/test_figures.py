"""Figures as people read them."""

from __future__ import annotations

from guiapp.core.figures import counted


def test_one_thing_is_no_plural():
    assert [counted(n, "token") for n in (0, 1, 2, 2_000)] == [
        "0 tokens",
        "1 token",
        "2 tokens",
        "2,000 tokens",
    ]
