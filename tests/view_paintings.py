"""What is painted by views that have a viewport: each text and shape, as `pictures` notes it."""

from __future__ import annotations

import sys

import pytest
from pictures import Canvas, Paintings
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea


def paintings_in(view: QAbstractScrollArea) -> Paintings:
    """In pixels of the viewport, which is painted as a whole."""
    canvas = Canvas(view.viewport())
    paintings = canvas.paintings

    class Noting(QPainter):
        def __init__(self, device: object) -> None:
            super().__init__(canvas if device is view.viewport() else device)

    with pytest.MonkeyPatch.context() as patch:
        for kind in type(view).__mro__:
            if kind.__module__.startswith("guiapp."):
                patch.setattr(sys.modules[kind.__module__], "QPainter", Noting, raising=False)
        view.paintEvent(QPaintEvent(view.viewport().rect()))
    return paintings
