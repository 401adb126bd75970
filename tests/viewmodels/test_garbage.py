"""Qt objects that are garbage are destroyed in the window's thread, whoever makes new objects."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject

from guiapp.viewmodels import garbage
from guiapp.viewmodels.background import LatestJob
from guiapp.viewmodels.garbage import GarbageCollector


@pytest.fixture
def collector(qapp, monkeypatch):
    monkeypatch.setattr(garbage, "LOOK_MS", 5)
    collector = GarbageCollector()
    collector.start()
    yield collector
    collector.stop()
    gc.unfreeze()


def circle_of_garbage(threads: list[int]) -> None:
    """Make a Qt object that only refers to itself; note the thread that destroys it."""
    lost = QObject()
    lost.itself = lost
    weakref.finalize(lost, lambda: threads.append(threading.get_ident()))


def make_objects() -> list[list[int]]:
    """More than are made between two looks for garbage."""
    return [[number] for number in range(5000)]


def test_other_threads_destroy_no_garbage(qtbot, collector):
    threads: list[int] = []
    for _ in range(20):
        circle_of_garbage(threads)
    job = LatestJob[list[list[int]]]()
    with qtbot.waitSignal(job.done) as objects:
        job.start(lambda progress: make_objects())
    qtbot.waitUntil(lambda: len(threads) == 20)
    assert set(threads) == {threading.get_ident()}
    assert objects.args


@pytest.mark.parametrize("is_due", [True, False])
def test_everything_is_looked_at_seldom_and_not_what_was_there_to_begin_with(
    qtbot, collector, monkeypatch, is_due
):
    monkeypatch.setattr(garbage, "FULL_EVERY_S", 0.0 if is_due else 1000.0)
    collector.spare()  # again
    assert gc.get_freeze_count() > 0
    generations = []
    monkeypatch.setattr(garbage.gc, "get_count", lambda: (0, 0, garbage.OLD + 1))
    monkeypatch.setattr(garbage.gc, "collect", generations.append)
    qtbot.wait(50)
    assert (2 in generations) is is_due


def test_nothing_is_looked_at_while_modules_are_loaded(qtbot, monkeypatch):
    monkeypatch.setattr(garbage, "LOOK_MS", 1)
    threads: list[int] = []
    collector = GarbageCollector()
    collector.spare()
    circle_of_garbage(threads)
    objects = make_objects()
    qtbot.wait(50)
    assert not gc.isenabled()
    assert (len(threads), len(objects)) == (0, 5000)
    collector.stop()
    gc.unfreeze()


def test_stopping_leaves_it_to_python_again(collector):
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
