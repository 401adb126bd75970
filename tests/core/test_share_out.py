"""Work shared out among threads: all of it is done, in order, and an error ends it."""

from __future__ import annotations

import threading

import pytest

from guiapp.core.share_out import share_out


@pytest.mark.parametrize("n_threads", [-1, 0, 1, 2, 100])
def test_results_come_in_order(n_threads):
    assert share_out(lambda item: item * 2, list(range(50)), n_threads) == list(range(0, 100, 2))
    assert share_out(str, [], n_threads) == []


def test_threads_work_side_by_side():
    meeting = threading.Barrier(3, timeout=60)
    threads = share_out(lambda _: (meeting.wait(), threading.get_ident())[1], range(3), 3)
    assert len(set(threads)) == 3
    assert threading.get_ident() in threads


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_is_raised_once_nothing_runs_any_more(n_threads):
    begun = []

    def fail_at_three(item):
        begun.append(item)
        if item == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        share_out(fail_at_three, range(1_000_000), n_threads)
    assert len(begun) < 1_000_000
