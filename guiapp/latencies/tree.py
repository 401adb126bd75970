"""The Tree page: until the tree is laid out, and the frames while somebody flies through it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPoint

from guiapp import open_model
from guiapp.core.sources.locate import plain_path
from guiapp.core.tree.painting import NodeColors
from guiapp.core.tree.picture import tree_picture
from guiapp.core.vocab.token_tree import token_tree
from guiapp.latencies.measured_window import MeasuredWindow, turn_wheel
from guiapp.latencies.measurement import Measurement
from guiapp.viewmodels.tree.model import TreeModel
from guiapp.widgets.tree.page import TreePage
from guiapp.widgets.tree.view import TreeView

SIZE = (1600, 1000)
N_RUNS = 5
N_FRAMES = 60
LONGEST_FLIGHT = 15  # frames around one place
VIEWS = {"all": 1.0, "mid": 0.02, "near": 0.0004}  # shares of the tree that are in view


def measure_tree(model: str) -> list[Measurement]:
    """Layout from scratch, then frames of both shapes at three distances; memory goes to standard error."""
    with MeasuredWindow(model) as measured:
        ready = _ready(model)
        measured.wait_until(lambda: len(measured.shell.session.tokens) > 0)
        before = _resident_bytes()
        page = measured.shell.window.pages.show_page("tree")
        assert isinstance(page, TreePage)
        measured.wait_until(lambda: page.model.picture is not None and page.view.is_settled)
        measured.shell.window.hide()
        frames = _frames(measured, page)
        print(f"Memory for the page: {(_resident_bytes() - before) / 1e6:.0f} MB", file=sys.stderr)
    return [ready, *frames]


def _ready(model: str) -> Measurement:
    """From a loaded vocabulary to a tree that can be painted."""
    values = []
    for _ in range(N_RUNS + 1):
        vocabulary = open_model(plain_path(model)).vocabulary
        _ = vocabulary.token_bytes_table
        started = time.perf_counter()
        token_tree(vocabulary)  # anew: opening a model may have made one already
        picture = tree_picture(vocabulary)
        _ = NodeColors(picture, np.zeros(len(picture), np.uint32), 0).painter
        values.append(time.perf_counter() - started)
    return Measurement("tree_ready", "s", tuple(values[1:]))


def _frames(measured: MeasuredWindow, page: TreePage) -> list[Measurement]:
    """Frames of both shapes for each distance, in a window as large as SIZE: moving ones, and still ones."""
    view = TreeView(page.model, page.search, page.paint, page.theme_source)
    view.is_animated = False
    view.resize(*SIZE)
    view.show()
    measured.wait_until(lambda: view.is_settled)
    moving: dict[str, list[float]] = {name: [] for name in VIEWS}
    still: dict[str, list[float]] = {name: [] for name in VIEWS}
    for shape in ("sunburst", "icicle"):
        page.model.set_shape(shape)
        for name, share in VIEWS.items():
            for frame in range(N_FRAMES):
                if frame % LONGEST_FLIGHT == 0:
                    still[name].append(jump(page.model, view, share, frame // LONGEST_FLIGHT))
                moving[name].extend(move_view(page.model, view, frame))
    view.close()
    return [
        *(Measurement(f"tree_frame_{name}", "ms", tuple(times)) for name, times in moving.items()),
        *(Measurement(f"tree_still_{name}", "ms", tuple(times)) for name, times in still.items()),
    ]


def jump(model: TreeModel, view: TreeView, share: float, number: int) -> float:
    """Go somewhere else; the milliseconds for painting it sharply, with labels that were not drawn before."""
    picture = model.picture
    assert picture is not None
    middle = picture.width * (0.2 + 0.15 * number)
    half = picture.width * share / 2
    model.set_view((middle - half, middle + half), remember=False)
    view.show_at_once()
    started = time.perf_counter()
    view.repaint()
    return (time.perf_counter() - started) * 1000


def move_view(model: TreeModel, view: TreeView, frame: int) -> Iterator[float]:
    """Milliseconds from one of some zooms and moves until it is painted; none where nothing moved."""
    turn = QPoint(0, 40 if frame % 2 else -40) if frame % 3 else QPoint(60, 0)
    before = model.view
    started = time.perf_counter()
    turn_wheel(view, turn)
    QCoreApplication.sendPostedEvents(view.window(), QEvent.Type.UpdateRequest)
    elapsed_ms = (time.perf_counter() - started) * 1000
    if model.view != before:
        yield elapsed_ms


def _resident_bytes() -> int:
    """Memory of this process, 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0
