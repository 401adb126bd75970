"""Qt objects that are garbage are destroyed in the window's thread, whoever makes new objects."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject

from guiapp.kit.state.background import LatestJob
from guiapp.window import app as garbage
from guiapp.window.app import GarbageCollector


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


def test_full_collections_run_from_time_to_time(qtbot, monkeypatch):
    monkeypatch.setattr(garbage, "FULL_LOOK_MS", 5)
    threads: list[int] = []
    collector = GarbageCollector()
    collector.start()
    circle_of_garbage(threads)
    gc.collect(1)  # what is old now is found by looking at everything
    circle_of_garbage(threads)
    qtbot.waitUntil(lambda: len(threads) == 2)
    collector.stop()
    gc.unfreeze()


def test_nothing_is_collected_while_modules_are_loaded(qtbot, monkeypatch):
    monkeypatch.setattr(garbage, "LOOK_MS", 1)
    threads: list[int] = []
    collector = GarbageCollector()
    circle_of_garbage(threads)
    objects = make_objects()
    qtbot.wait(50)
    assert not gc.isenabled()
    assert (len(threads), len(objects)) == (0, 5000)
    collector.stop()


def test_stopping_leaves_it_to_python_again(collector):
    assert not gc.isenabled()
    collector.stop()
    assert gc.isenabled()
