"""What was taken from a run by others, and from which of its results."""

import pytest

from guiapp.core.bench.disturbance import is_crowded, was_busy, was_busy_before, was_disturbed


def row(share=1.0, threads=1):
    return {"threads": threads, "processor_share": share}


@pytest.mark.parametrize(
    ("environment", "rows", "is_busy"),
    [
        ({}, [], False),
        ({}, [row(None)], False),
        ({"cores": 2, "load_before": [1.0]}, [row()], False),
        ({"cores": 2, "load_before": [1.01]}, [row()], True),
        ({"load_before": [0.6]}, [row()], True),
        ({"cores": 2, "load_highest": 2.0}, [row()], False),
        ({"cores": 2, "load_highest": 2.1}, [row()], True),
        ({"cores": 2, "load_highest": 2.1}, [row(), row(threads=2)], False),
        ({"cores": 2, "load_highest": 1.9}, [], False),
        ({"cores": 2, "load_highest": 2.1}, [], True),
        ({"stolen_share": 0.05}, [row()], False),
        ({"stolen_share": 0.06}, [row()], True),
        ({}, [row(0.89), *[row()] * 9], False),
        ({}, [row(0.89), *[row()] * 8], True),
        ({}, [row(0.9)], False),
        ({}, [row(0.5, threads=2)], False),
    ],
)
def test_a_run_was_busy_by_load_theft_or_many_results_without_a_core(environment, rows, is_busy):
    run = {"results": rows, "environment": environment}
    assert was_busy(run) is is_busy
    assert was_busy_before(run) is (environment.get("load_before", [0])[0] > environment.get("cores", 1) / 2)


def test_on_several_threads_nothing_is_sure_of_a_busy_run():
    calm, busy = {"results": []}, {"results": [], "environment": {"stolen_share": 0.5}}
    disturbed = [
        was_disturbed(each, run) for run in (calm, busy) for each in (row(), row(0.8), row(threads=2))
    ]
    assert disturbed == [False, True, False, False, True, True]


@pytest.mark.parametrize(
    ("shares", "load", "n_threads", "crowded"),
    [
        ([1.0] * 9 + [0.8], 0.0, 1, False), ([1.0] * 8 + [0.8], 0.0, 1, True), ([0.9] * 5, 0.0, 1, False),
        ([], 0.0, 1, False), ([1.0], 2.0, 1, False), ([1.0], 2.1, 1, True), ([1.0], None, 1, False),
        ([], 3.0, 2, False), ([], 3.1, 2, True),
    ],
)  # fmt: skip
def test_a_machine_is_crowded_by_samples_without_a_core_or_by_load(shares, load, n_threads, crowded):
    assert is_crowded(shares, load, 2, n_threads) is crowded


def test_results_of_a_crowded_machine_make_a_run_busy():
    assert was_busy({"results": [{**row(), "crowded": True}, row()]})
    assert not was_busy({"results": [{**row(), "crowded": True}, *[row()] * 9]})
