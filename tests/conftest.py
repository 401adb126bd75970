"""What all tests share: no display, no leftovers from other runs, and where the real vocabularies lie."""

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

PATIENCE_S = 60.0  # for what takes far less than a second on a machine with nothing else to do

if (SHARED / "tools").is_dir():
    sys.path.insert(0, str(SHARED / "tools"))


def pytest_collection(session: pytest.Session) -> None:
    """Each worker of xdist first imports a share of its own, else all rewrite the asserts of all files."""
    gc.disable()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    number, count = os.environ["PYTEST_XDIST_WORKER"][2:], os.environ["PYTEST_XDIST_WORKER_COUNT"]
    given = [ROOT / argument.partition("::")[0] for argument in session.config.args]
    files = sorted(file for path in given for file in (path.rglob("test_*.py") if path.is_dir() else [path]))
    for file in files[int(number) :: int(count)]:
        with suppress(Exception, pytest.skip.Exception):  # collecting it tells
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Tests are no garbage: else all twelve thousand are looked through, now and then, in each process."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs real vocabularies where there are none; TOKENLOUPE_SHARED set means: must be there."""
    if VOCABS.is_dir() or "TOKENLOUPE_SHARED" in os.environ:
        return
    left_out = pytest.mark.skip(reason=f"the real vocabularies are not in {VOCABS}")
    for item in items:
        if "real_vocabs" in item.keywords:
            item.add_marker(left_out)


class PatientBot(QtBot):
    """pytest-qt's, with patience enough for a busy machine where a test asks for no more."""

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
    """A window gives up a job that hangs; here it would disturb the next test."""
    monkeypatch.setattr(background, "PATIENCE_AT_THE_END_S", PATIENCE_S)


@pytest.fixture(autouse=True)
def hands_are_off(request: pytest.FixtureRequest) -> Iterator[None]:
    """Else a window that opens under the pointer draws what lies there as hovered, and moves of it are drags.

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
def garbage_stays_in_this_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where there are Qt objects; see `GarbageCollector` in `guiapp/window/app.py`."""
    if "qapp" not in request.fixturenames:
        yield
        return
    gc.disable()
    yield
    gc.collect(0)  # what the test has made
    gc.enable()


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[PatientBot]:
    """Leaves no widgets behind that the next test's style sheet would have to dress."""
    yield PatientBot(request)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[ModuleType, str], threading.Event]]:
    """Keeps a function that jobs call from returning until the event is set that this gives."""
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


IN_CI = "CI" in os.environ  # where the same examples are drawn each time: other runs draw more, and new ones
settings.register_profile("default", deadline=None, derandomize=IN_CI, max_examples=60 if IN_CI else 100)
settings.load_profile("default")


from model_fixtures import *  # noqa: E402, F403
from view_fixtures import *  # noqa: E402, F403
