"""Parts of the window: what notices, the picker, the status line and the palette do and show."""

from functools import partial
from pathlib import Path

import pytest
from pictures import badly_placed, picture_of
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QLabel, QProgressBar, QWidget

from guiapp.kit.widgets.notices import NoticeArea, Questions
from guiapp.kit.widgets.painting import Painted
from guiapp.window.status_line import ActivityView

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


class FakeActivity(QObject):
    changed = Signal()
    title, progress, can_cancel = None, 0.0, False

    def __init__(self):
        super().__init__()
        self.cancelled = 0

    def cancel(self):
        self.cancelled += 1

    def tell(self, title, progress=0.0, can_cancel=False):
        self.title, self.progress, self.can_cancel = title, progress, can_cancel
        self.changed.emit()


def test_what_goes_on_is_told_once_it_takes_long(qtbot):
    activity = FakeActivity()
    view = ActivityView(activity)
    qtbot.addWidget(view)
    assert view.isHidden()
    activity.tell("Counting tokens", 0.25, True)
    assert view.isHidden()
    qtbot.waitUntil(view.isVisible)
    bar = view.findChild(QProgressBar)
    assert (bar.maximum(), bar.value(), bar.isTextVisible()) == (1000, 250, False)
    assert view.findChild(QLabel).text().startswith("Counting")
    qtbot.mouseClick(view.cancel_button, LEFT)
    assert activity.cancelled == 1
    activity.tell("Counting tokens")
    assert (bar.maximum(), view.cancel_button.isVisible()) == (0, False)
    activity.tell(None)
    assert view.isHidden()
    activity.tell("short")
    activity.tell(None)
    qtbot.wait(2 * ActivityView.SHOWN_AFTER_MS)
    assert view.isHidden()


def test_a_notice_goes_at_once_when_it_is_closed_cleared_or_replaced(shell, qtbot):
    area = NoticeArea(shell.theme_source)
    qtbot.addWidget(area)
    area.show()
    dismissed = []
    area.dismissed.connect(dismissed.append)
    for go in (
        lambda notice: notice.close_button.click(),
        lambda notice: area.clear_notice("one"),
        lambda notice: area.show_notice("one", "again"),
    ):
        area.show_notice("one", "message", "details")
        area.show_notice("two", "another")
        notice = area.notices[0]
        assert notice.isVisible()
        go(notice)
        assert not notice.isVisible()
    assert dismissed == ["one"]
    assert len(area.notices) == 2


@pytest.mark.parametrize("name", ["/there/file.gguf", ""])
def test_dialogs_give_what_was_chosen(qtbot, monkeypatch, name):
    window, asked = QWidget(), []
    qtbot.addWidget(window)

    def answer(kind, *given):
        asked.append((kind, given))
        return name, "filter"

    for kind in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, kind, partial(answer, kind))
    questions = Questions(window)
    answers = questions.model_to_open(), questions.text_to_open(), questions.where_to_save(Path("a.txt"))
    assert answers == (Path(name) if name else None,) * 3
    assert [(kind, given[0] is window) for kind, given in asked] == [
        ("getOpenFileName", True),
        ("getOpenFileName", True),
        ("getSaveFileName", True),
    ]
    assert len({given[1] for _, given in asked}) == 3
    assert asked[2][1][2] == "a.txt"
    assert "gguf" in asked[0][1][3]
    monkeypatch.setattr(
        QFileDialog, "getExistingDirectory", lambda parent, title: asked.append(title) or name
    )
    assert questions.chosen_folder("Folder with models") == (Path(name) if name else None)
    assert asked[-1] == "Folder with models"


@pytest.mark.parametrize("page", ["inspect", "tree", "bench"])
def test_the_window_follows_themes_and_leaves_each_text_its_room(shell, qtbot, page):
    shell.window.resize(1280, 900)
    shell.window.pages.show_page(page)
    current = shell.window.pages.current
    qtbot.waitUntil(lambda: current.is_ready and shell.session.round_trip.result is not None)
    qtbot.waitUntil(lambda: not shell.window.doctor.is_waiting)
    bar, pictures = shell.window.top_bar, []
    for theme in ("dark", "light", "dark", "light", "dark"):
        shell.theme_source.choose(theme)
        pictures.append((picture_of(bar), picture_of(shell.window.statusBar() or bar)))
    for part in (0, 1):
        assert pictures[2][part].differences(pictures[4][part]) == []
        assert pictures[1][part].differences(pictures[3][part]) == []
        assert pictures[1][part].image != pictures[2][part].image
    shown = [view for view in shell.window.findChildren(Painted) if view.isVisible()]
    assert [fault for view in shown for fault in badly_placed(view)] == []
