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


@pytest.fixture
def full_looks(qapp, monkeypatch):
    """When everything is looked at, of five looks a second in so many; somebody may be at work at each."""
    now_s, looks, holes = 0.0, [], []
    monkeypatch.setattr(garbage.gc, "get_count", lambda: (0, 0, garbage.OLD + 1))
    monkeypatch.setattr(garbage.gc, "collect", lambda generation: looks.append((generation, now_s)))
    monkeypatch.setattr(garbage, "give_holes_back", lambda: holes.append(now_s))
    collector = GarbageCollector(lambda: now_s)
    collector.start()
    assert gc.get_freeze_count() > 0

    def collect_due(seconds, is_at_work=lambda now_s: False):
        nonlocal now_s
        for _ in range(5 * seconds):
            now_s = round(now_s + 0.2, 1)
            if is_at_work(now_s):
                collector.put_off()
            collector.collect_due()
        full = [now_s for generation, now_s in looks if generation == 2]
        assert holes == full
        return full

    yield collect_due
    collector.stop()
    gc.unfreeze()


def test_everything_is_looked_at_seldom(full_looks):
    assert full_looks(200) == [60.2, 120.4, 180.6]


def test_it_waits_until_nobody_is_at_work(full_looks):
    assert full_looks(100, lambda now_s: 30 < now_s < 70) == [70.8, 90.8]


def test_who_never_pauses_is_interrupted_at_last(full_looks):
    assert full_looks(400, lambda now_s: True) == [180.2, 360.4]


def test_who_has_stopped_working_leaves_a_window_that_holds_no_more_than_it_shows(full_looks):
    assert full_looks(59, lambda now_s: now_s < 10) == [30.8]


def test_nothing_is_looked_at_while_modules_are_loaded(qtbot, monkeypatch):
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
