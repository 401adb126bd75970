"""What the Bench page is told, in which order, by a runner that only notes what it is asked."""

import pytest
from PySide6.QtCore import QObject, Signal
from told import told_by

from guiapp.pages.bench.choice import ENGLISH
from guiapp.pages.bench.history import YOUR_TEXT, RunHistory
from guiapp.pages.bench.model import BenchModel


class Runner(QObject):
    told = Signal(dict)
    ended = Signal(str)
    is_running = False

    def __init__(self):
        super().__init__()
        self.log = []

    def start(self, plan):
        self.is_running = True
        self.log.append(plan)

    def end(self, why=""):
        self.is_running = False
        self.ended.emit(why)

    def __getattr__(self, name):
        if name not in ("pause", "resume", "hold", "stop", "close"):
            raise AttributeError(name)
        return lambda: self.log.append(name)


@pytest.fixture
def runner(qapp):
    return Runner()


@pytest.fixture
def model(session, runner):
    made = BenchModel(session, runner, None)
    made.choice.set_texts([ENGLISH])
    yield made
    made.close()


@pytest.fixture
def told(model):
    return told_by(model)


def test_what_somebody_asks_of_a_run_reaches_it(model, runner, told):
    model.hold()
    assert runner.log == []
    model.run()
    told.clear()
    for act in (model.hold, model.toggle_pause, model.toggle_pause, model.stop):
        act()
    assert runner.log[1:] == ["hold", "pause", "resume", "stop"]
    assert (told, model.is_paused) == (["running_changed"] * 2, False)
    model.toggle_pause()
    assert model.is_paused
    runner.end()
    assert not model.is_paused
    model.toggle_pause()
    model.run()
    assert not model.is_paused


def test_a_start_that_waits_for_the_disk_can_be_stopped(session, runner, tmp_path, qtbot):
    model = BenchModel(session, runner, RunHistory(tmp_path))
    model.choice.set_texts([YOUR_TEXT])
    model.run()
    assert model.is_running
    told = told_by(model)
    model.toggle_pause()
    assert told == []
    model.stop()
    assert (told, model.progress, model.is_running) == (
        ["progress_changed", "running_changed"],
        "Stopped",
        False,
    )
    assert runner.log == []
    model.close()
    assert runner.log == ["close"]
