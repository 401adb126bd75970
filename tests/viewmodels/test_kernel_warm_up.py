"""The first seconds, with child processes that compile nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import PATIENCE_S
from PySide6.QtCore import QCoreApplication

import guiapp
from guiapp.viewmodels.background import SupersededError
from guiapp.viewmodels.kernel_warm_up import USUAL_COMPILER, Compiler, KernelWarmUp

STEPS = """
import json
for done in range(3):
    print(json.dumps({"done": done, "of": 2, "name": "step"}), flush=True)
"""


@pytest.fixture
def prepare(qapp):
    """A warm-up with a compiler of this command, and what happens, in order."""
    made = []

    def make(*command: str) -> tuple[KernelWarmUp, list[str]]:
        events: list[str] = []
        compiler = Compiler(
            command,
            is_needed=lambda: bool(command),
            load=lambda progress: events.append("load"),
            interpret=lambda interpreted: events.append("interpreted" if interpreted else "compiled"),
        )
        made.append(KernelWarmUp(compiler))
        return made[-1], events

    yield make
    for warm_up in made:
        warm_up.stop()


def test_kernels_are_interpreted_until_all_is_compiled_and_loaded(prepare, qtbot):
    warm_up, events = prepare(sys.executable, "-c", STEPS)
    with qtbot.waitSignal(warm_up.finished):
        with qtbot.waitSignal(warm_up.running_changed):
            warm_up.start()
            assert events == ["interpreted"]
        assert warm_up.is_running
    assert events == ["interpreted", "load", "compiled"]
    assert (warm_up.done, warm_up.n_steps) == (2, 2)
    assert not warm_up.is_running


def test_compiled_before_they_are_only_loaded(prepare, qtbot):
    warm_up, events = prepare()
    with qtbot.waitSignal(warm_up.finished):
        warm_up.start()
        assert not warm_up.is_running
    assert events == ["interpreted", "load", "compiled"]


@pytest.mark.parametrize("is_awaited", [False, True])
def test_loading_leaves_other_work_a_head_start(prepare, qtbot, is_awaited):
    warm_up, events = prepare()
    warm_up.start(head_start_s=PATIENCE_S)
    qtbot.wait(50)
    assert events == ["interpreted"]
    with qtbot.waitSignal(warm_up.finished):
        if is_awaited:
            warm_up.wait_until_settled(lambda share: QCoreApplication.processEvents())
        else:
            warm_up.hurry()
    assert events == ["interpreted", "load", "compiled"]


def test_compiling_leaves_other_work_a_head_start(prepare, qtbot):
    warm_up, events = prepare(sys.executable, "-c", STEPS)
    warm_up.start(head_start_s=PATIENCE_S)
    qtbot.wait(50)
    assert (events, warm_up.is_running) == (["interpreted"], False)
    with qtbot.waitSignal(warm_up.finished):
        warm_up.hurry()


def test_if_compiling_fails_they_stay_interpreted(prepare, qtbot):
    warm_up, events = prepare(sys.executable, "-c", "raise SystemExit('no compiler')")
    with qtbot.waitSignal(warm_up.failed) as failed:
        warm_up.start()
    assert "no compiler" in failed.args[0]
    assert events == ["interpreted"]


def test_a_program_that_cannot_start_is_a_failure(prepare, qtbot):
    warm_up, events = prepare("/nonexistent/python")
    with qtbot.waitSignal(warm_up.failed):
        warm_up.start()
    assert events == ["interpreted"]
    warm_up.wait_until_settled(pytest.fail)


def test_large_work_waits_until_it_is_no_longer_wanted(prepare, qtbot):
    def no_longer_wanted(share: float) -> None:
        raise SupersededError

    warm_up, _ = prepare()
    warm_up.wait_until_settled(no_longer_wanted)  # nothing to wait for before the start
    with qtbot.waitSignal(warm_up.finished):
        warm_up.start()
        with pytest.raises(SupersededError):
            warm_up.wait_until_settled(no_longer_wanted)
    warm_up.wait_until_settled(no_longer_wanted)


def test_it_is_known_whether_anything_waits(prepare, qtbot):
    def look(share: float) -> None:
        seen.append(warm_up.is_awaited)
        raise SupersededError

    seen: list[bool] = []
    warm_up, _ = prepare()
    with qtbot.waitSignal(warm_up.finished):
        warm_up.start()
        assert not warm_up.is_awaited
        with pytest.raises(SupersededError):
            warm_up.wait_until_settled(look)
    assert seen == [True]
    assert not warm_up.is_awaited


def test_kernels_are_compiled_for_the_package_that_runs(tmp_path):
    """A folder of that name in the present one is no reason: a clone has it beside the installed package."""
    (tmp_path / "guiapp").mkdir()
    (tmp_path / "guiapp" / "__init__.py").touch()
    program, *options = USUAL_COMPILER.command[: USUAL_COMPILER.command.index("-m")]
    show = [program, *options, "-c", "import guiapp; print(guiapp.__file__)"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    found = subprocess.run(show, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == guiapp.__file__


def test_stopping_tells_nothing(prepare, qtbot):
    warm_up, _ = prepare(sys.executable, "-c", "import time; time.sleep(60)")
    warm_up.start()
    qtbot.waitUntil(lambda: warm_up.is_running)
    with qtbot.assertNotEmitted(warm_up.failed):
        warm_up.stop()
    assert not warm_up.is_running
