"""Figures as people read them."""

import pytest

from guiapp.core.explain.figures import counted, percent


@pytest.mark.parametrize(
    ("n", "text"), [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens"), (2_000, "2,000 tokens")]
)
def test_one_thing_is_no_plural(n, text):
    assert counted(n, "token") == text


@pytest.mark.parametrize(
    ("share", "n_digits", "text"),
    [(0.9, 0, "90 %"), (0.954, 1, "95.4 %"), (1.0, 2, "100.00 %"), (0.0, 0, "0 %")],
)
def test_shares_are_told_in_hundredths_as_in_print(share, n_digits, text):
    assert percent(share, n_digits) == text


def test_shares_have_no_decimals_unless_asked_for():
    assert percent(0.954) == "95 %"
