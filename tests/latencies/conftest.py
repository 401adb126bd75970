"""Measurements leave their windows to the end of their process, behind which there are no other tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def no_window_stays(qapp: QApplication) -> Iterator[None]:
    """Each style sheet of a later test would have to dress hundreds of widgets, for a second or two."""
    yield
    for window in qapp.topLevelWidgets():
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not qapp.allWidgets()
