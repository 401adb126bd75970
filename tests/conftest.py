"""Shared by all tests: no display, isolation from other tests, and the folder of real vocabularies."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from guiapp.kit.state import background

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TOKENLOUPE_SHARED", ROOT.parent / "shared"))
VOCABS = SHARED / "vocabs"
CORPORA = SHARED / "corpora"

PATIENCE_S = 60.0  # for work that takes far less than a second on an idle machine

if (SHARED / "tools").is_dir():
    sys.path.insert(0, str(SHARED / "tools"))


def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the files first in each xdist worker, else all rewrite the asserts of all files."""
    gc.disable()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    number, count = os.environ["PYTEST_XDIST_WORKER"][2:], os.environ["PYTEST_XDIST_WORKER_COUNT"]
    given = [ROOT / argument.partition("::")[0] for argument in session.config.args]
    files = sorted(file for path in given for file in (path.rglob("test_*.py") if path.is_dir() else [path]))
    for file in files[int(number) :: int(count)]:
        with suppress(Exception, pytest.skip.Exception):  # reported when it is collected
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Freeze the tests, else each garbage collection traverses all twelve thousand in each process."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests of real vocabularies if there are none; with TOKENLOUPE_SHARED set, they are required."""
    if VOCABS.is_dir() or "TOKENLOUPE_SHARED" in os.environ:
        return
    left_out = pytest.mark.skip(reason=f"the real vocabularies are not in {VOCABS}")
    for item in items:
        if "real_vocabs" in item.keywords:
            item.add_marker(left_out)


class LongTimeoutBot(QtBot):
    """The bot of pytest-qt, with longer default timeouts for busy machines."""

    def waitSignal(self, signal, *, timeout=PATIENCE_S * 1000, **more):
        return super().waitSignal(signal, timeout=timeout, **more)

    def waitSignals(self, signals, *, timeout=PATIENCE_S * 1000, **more):
        return super().waitSignals(signals, timeout=timeout, **more)

    def waitUntil(self, callback, *, timeout=PATIENCE_S * 1000):
        super().waitUntil(callback, timeout=timeout)

    def waitExposed(self, widget, *, timeout=PATIENCE_S * 1000):
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture(autouse=True)
def jobs_end_with_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for jobs at the end: one that a window gives up would disturb the next test."""
    monkeypatch.setattr(background, "PATIENCE_AT_THE_END_S", PATIENCE_S)


@pytest.fixture(autouse=True)
def hands_are_off(request: pytest.FixtureRequest) -> Iterator[None]:
    """Move the pointer away and release its buttons, else later windows see a hover or a drag.

    QTest keeps a button pressed after a double click, also for windows of later tests.
    """
    if "qapp" not in request.fixturenames:
        yield
        return
    QCursor.setPos(-1000, -1000)
    yield
    elsewhere = QWidget()
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        QTest.mouseRelease(elsewhere, button)


@pytest.fixture(autouse=True)
def collect_garbage_in_this_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collect Qt objects only in this thread; see `GarbageCollector` in `guiapp/window/app.py`."""
    if "qapp" not in request.fixturenames:
        yield
        return
    gc.disable()
    yield
    gc.collect(0)  # objects of the test
    gc.enable()


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[LongTimeoutBot]:
    """Deletes all widgets, which the style sheet of the next test would have to style."""
    yield LongTimeoutBot(request)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[ModuleType, str], threading.Event]]:
    """Delays the return of a function that jobs call until the event that `hold` returns is set."""
    gates = []

    def hold_one(module: ModuleType, name: str) -> threading.Event:
        work, gate = getattr(module, name), threading.Event()

        def held(*given, **named):
            result = work(*given, **named)
            gate.wait(PATIENCE_S)
            return result

        monkeypatch.setattr(module, name, held)
        gates.append(gate)
        return gate

    yield hold_one
    for gate in gates:
        gate.set()


IN_CI = "CI" in os.environ  # there the same examples each time; elsewhere more, and new ones
settings.register_profile("default", deadline=None, derandomize=IN_CI, max_examples=60 if IN_CI else 100)
settings.load_profile("default")


from model_fixtures import *  # noqa: E402, F403
from view_fixtures import *  # noqa: E402, F403
