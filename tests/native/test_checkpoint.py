"""Long work is given up where somebody says so."""

import threading

import pytest

from guiapp.native.checkpoint import at_checkpoints, checkpoint, has_visitor, stoppable


def test_visits_go_to_the_innermost_visitor():
    visits = []
    with at_checkpoints(lambda: visits.append("outer")):
        assert has_visitor()
        checkpoint()
        with at_checkpoints(lambda: visits.append("inner")):
            checkpoint()
        checkpoint()
    checkpoint()
    assert visits == ["outer", "inner", "outer"]
    assert not has_visitor()


@pytest.mark.parametrize(("n_items", "n_visits"), [(0, 0), (1, 1), (1024, 1), (1025, 2), (2049, 3)])
def test_every_so_many_items_are_a_checkpoint(n_items, n_visits):
    visits = []
    with at_checkpoints(lambda: visits.append(1)):
        assert list(stoppable(range(n_items))) == list(range(n_items))
    assert len(visits) == n_visits


def test_an_exception_of_a_visitor_ends_the_work_and_its_visits():
    def stop():
        raise InterruptedError

    with pytest.raises(InterruptedError), at_checkpoints(stop):
        list(stoppable("abc"))
    assert not has_visitor()


def test_other_threads_have_no_visitor():
    results = []
    with at_checkpoints(lambda: None):
        thread = threading.Thread(target=lambda: results.append(has_visitor()))
        thread.start()
        thread.join()
    assert results == [False]
