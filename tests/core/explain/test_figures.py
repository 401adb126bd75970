"""Figures as people read them."""

from guiapp.core.explain.figures import counted, percent


def test_one_thing_is_no_plural():
    assert [counted(n, "token") for n in (0, 1, 2, 2_000)] == [
        "0 tokens",
        "1 token",
        "2 tokens",
        "2,000 tokens",
    ]


def test_shares_are_told_in_hundredths_as_in_print():
    assert [percent(0.9), percent(0.954, 1), percent(1.0, 2), percent(0.0)] == [
        "90 %",
        "95.4 %",
        "100.00 %",
        "0 %",
    ]
