"""The measurement of the Tree page, on the small demo model."""

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from guiapp.latencies import tree
from guiapp.latencies.tree import VIEWS, jump, measure_tree, move_view
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.text_session import TextSession
from guiapp.widgets.shared.theme import ThemeSource
from guiapp.widgets.tree.page import TreePage


@pytest.mark.usefixtures("qapp")
def test_each_distance_has_frames_of_both_shapes_and_none_in_which_nothing_moves(monkeypatch):
    monkeypatch.setattr(tree, "N_FRAMES", 3)
    monkeypatch.setattr(tree, "N_RUNS", 1)
    monkeypatch.setattr(tree, "SIZE", (320, 200))
    measurements = {measurement.name: measurement for measurement in measure_tree("demo:bpe")}
    assert measurements["tree_ready"].unit == "s"
    assert len(measurements["tree_ready"].values) == 1
    for name in tree.VIEWS:
        assert len(measurements[f"tree_frame_{name}"].values) == 2 * (3 if name == "mid" else 2)
        assert len(measurements[f"tree_still_{name}"].values) == 2 * 1
    assert all(value > 0 for measurement in measurements.values() for value in measurement.values)


class PaintCount(QObject):
    """How often something was painted."""

    n_painted = 0

    def eventFilter(self, watched, event):
        self.n_painted += event.type() == QEvent.Type.Paint
        return False


def test_a_frame_is_over_when_the_tree_within_a_page_is_painted(qtbot, tmp_path):
    session = ModelSession(TextSession(b""))
    page = TreePage(
        session, ThemeSource(QApplication.instance(), "dark"), Settings(tmp_path / "settings.json")
    )
    qtbot.addWidget(page)
    page.show()
    session.loader.open("demo:bpe")
    qtbot.waitUntil(lambda: page.is_ready and page.view.is_settled)
    count = PaintCount()
    page.view.installEventFilter(count)
    page.view.set_animated(False)
    jump(page.model, page.view, VIEWS["mid"], 0)
    QApplication.processEvents()
    count.n_painted = 0
    assert len(list(move_view(page.model, page.view, frame=1))) == 1
    assert count.n_painted == 1
    session.close()
