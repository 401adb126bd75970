"""The first start, with child processes that compile nothing."""

from __future__ import annotations

import sys

import pytest

from guiapp.viewmodels.kernel_warm_up import KernelWarmUp

STEPS = """
import json
for done in range(3):
    print(json.dumps({"done": done, "of": 2, "name": "step"}), flush=True)
"""


@pytest.fixture
def start(qapp):
    made = []

    def make(*command: str) -> tuple[KernelWarmUp, list[bool]]:
        interpreted: list[bool] = []
        warm_up = KernelWarmUp(command, interpreted.append)
        made.append(warm_up)
        return warm_up, interpreted

    yield make
    for warm_up in made:
        warm_up.stop()


def test_kernels_are_interpreted_until_all_is_compiled(start, qtbot):
    warm_up, interpreted = start(sys.executable, "-c", STEPS)
    with qtbot.waitSignal(warm_up.finished):
        warm_up.start()
        assert interpreted == [True]
    assert interpreted == [True, False]
    assert (warm_up.done, warm_up.n_steps) == (2, 2)
    assert not warm_up.is_running


def test_if_compiling_fails_they_stay_interpreted(start, qtbot):
    warm_up, interpreted = start(sys.executable, "-c", "raise SystemExit('no compiler')")
    with qtbot.waitSignal(warm_up.failed) as failed:
        warm_up.start()
    assert "no compiler" in failed.args[0]
    assert interpreted == [True]


def test_a_program_that_cannot_start_is_a_failure(start, qtbot):
    warm_up, interpreted = start("/nonexistent/python")
    with qtbot.waitSignal(warm_up.failed):
        warm_up.start()
    assert interpreted == [True]


def test_stopping_tells_nothing(start, qtbot):
    warm_up, _ = start(sys.executable, "-c", "import time; time.sleep(60)")
    warm_up.start()
    qtbot.waitUntil(lambda: warm_up.is_running)
    with qtbot.assertNotEmitted(warm_up.failed):
        warm_up.stop()
    assert not warm_up.is_running
