"""What is known of the places of a lattice: each number is read, or left out."""

import pytest

from guiapp.pages.steps.picture_painting import LEAST_GAP_PX, number_lines


@pytest.mark.parametrize(("step", "lines"), [(60, [0, 0, 0, 0]), (42, [0, 1, 0, 1]), (15, [0, 1, None, 0])])
def test_numbers_that_are_too_near_stand_in_a_second_line(step, lines):
    assert number_lines([(n * step, n * step + 38) for n in range(4)]) == lines


def test_numbers_of_a_line_keep_a_gap():
    assert number_lines([(0, 10), (10 + LEAST_GAP_PX, 30), (30, 40)]) == [0, 0, 1]
