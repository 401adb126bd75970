"""When a machine counts as busy with other programs."""

import pytest

from guiapp.analysis.bench.measurement import is_busy, was_busy


@pytest.mark.parametrize(
    ("shares", "load", "n_threads", "busy"),
    [
        ([1.0] * 9 + [0.8], 0.0, 1, False), ([1.0] * 8 + [0.8], 0.0, 1, True), ([0.9] * 5, 0.0, 1, False),
        ([], 0.0, 1, False), ([1.0], 2.0, 1, False), ([1.0], 2.1, 1, True), ([1.0], None, 1, False),
        ([], 3.0, 2, False), ([], 3.1, 2, True),
    ],
)  # fmt: skip
def test_a_machine_is_busy_by_samples_without_a_core_or_by_load(shares, load, n_threads, busy):
    assert is_busy(shares, load, 2, n_threads) is busy


@pytest.mark.parametrize(
    ("row", "busy"),
    [
        ({"threads": 1}, False),
        ({"threads": 1, "crowded": True}, True),
        ({"threads": 1, "processor_share": 0.8}, True),  # all that earlier versions noted
        ({"threads": 2, "processor_share": 0.5}, False),
        ({"threads": 1, "processor_share": None}, False),
    ],
)
def test_a_result_says_whether_it_was(row, busy):
    assert was_busy(row) is busy
