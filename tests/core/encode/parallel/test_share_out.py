"""Work shared out among threads: all of it is done, in order, and an error ends it."""

import threading

import pytest

from guiapp.core.encode.many_texts import share_out


@pytest.mark.parametrize("n_threads", [-1, 0, 1, 2, 100])
def test_results_come_in_order(n_threads):
    assert share_out(lambda item: item * 2, list(range(50)), n_threads) == list(range(0, 100, 2))
    assert share_out(str, [], n_threads) == []


def test_threads_work_side_by_side():
    meeting = threading.Barrier(3, timeout=60)
    threads = share_out(lambda _: (meeting.wait(), threading.get_ident())[1], range(3), 3)
    assert len(set(threads)) == 3
    assert threading.get_ident() in threads


@pytest.mark.parametrize("n_given", [0, 1])
def test_threads_that_are_refused_leave_the_work_to_the_others(monkeypatch, n_given):
    left, workers = [None] * n_given, set()

    def start(work, arguments):
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        threading.Thread(target=work, args=arguments).start()

    monkeypatch.setattr("guiapp.core.encode.many_texts.start_new_thread", start)
    meeting = threading.Barrier(n_given + 1, timeout=60)

    def double(item):
        if item <= n_given:  # all who work begin before anybody goes on
            meeting.wait()
        workers.add(threading.get_ident())
        return item * 2

    assert share_out(double, range(50), 4) == list(range(0, 100, 2))
    assert len(workers) == n_given + 1


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


def test_of_several_errors_the_first_in_order_is_raised():
    second_failed = threading.Event()

    def fail(item):
        if item == 0:
            second_failed.wait(60)
        if item == 1:
            second_failed.set()
        raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        share_out(fail, range(2), 2)
