"""Figures as people read them."""

import pytest

from guiapp.core.text.figures import (
    counted,
    in_bytes,
    percent,
    short_number,
    three_digits,
    times,
    with_prefix,
)


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


@pytest.mark.parametrize(
    ("value", "short", "aligned"),
    [(0.5, "0.5", "0.500"), (1234, "1.23 k", "1.23 k"), (5e7, "50 M", "50.0 M"), (2e9, "2 G", "2.00 G")],
)
def test_large_numbers_have_a_prefix(value, short, aligned):
    assert (short_number(value), with_prefix(value)) == (short, aligned)


@pytest.mark.parametrize(
    ("size_bytes", "written"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_260_000, "1.3 MB"),
        (4 * 10**9, "4.0 GB"),
        (2 * 10**12, "2.0 TB"),
    ],
)
def test_sizes_are_written_in_the_unit_that_suits(size_bytes, written):
    assert in_bytes(size_bytes) == written


@pytest.mark.parametrize(
    ("n", "text"), [(0, "not once"), (1, "once"), (2, "2 times"), (1_000, "1,000 times")]
)
def test_how_often_is_told_in_words_where_there_are_some(n, text):
    assert times(n) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *((0, "0.00"), (0.014, "0.01"), (1, "1.00"), (9.876, "9.88")),
        *((10, "10.0"), (99.94, "99.9"), (100, "100"), (1234.4, "1,234")),
    ],
)
def test_about_three_digits_are_told(number, text):
    assert three_digits(number) == text
