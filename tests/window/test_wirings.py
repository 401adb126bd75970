"""Parts of the window: what notices, the picker, the status line and the palette do and show."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar

from guiapp.kit.widgets.notices import NoticeArea
from guiapp.window.status_line import ActivityView, Work

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


class FakeActivity(QObject):
    changed = Signal()
    now = None

    def tell(self, work):
        self.now = work
        self.changed.emit()


def test_long_activities_are_shown(qtbot):
    activity, cancelled = FakeActivity(), []
    view = ActivityView(activity)
    qtbot.addWidget(view)
    assert view.isHidden()
    activity.tell(Work("Counting tokens", 0.25, lambda: cancelled.append(1)))
    assert view.isHidden()
    qtbot.waitUntil(view.isVisible)
    bar = view.findChild(QProgressBar)
    assert (bar.maximum(), bar.value(), bar.isTextVisible()) == (1000, 250, False)
    assert view.findChild(QLabel).text().startswith("Counting")
    qtbot.mouseClick(view.cancel_button, LEFT)
    assert cancelled == [1]
    activity.tell(Work("Counting tokens", 0.0, None))
    assert (bar.maximum(), view.cancel_button.isVisible()) == (0, False)
    activity.tell(None)
    assert view.isHidden()
    activity.tell(Work("short", 0.0, None))
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
        [notice] = [each for each in area.notices if each.message == "message"]
        assert notice.isVisible()
        go(notice)
        assert not notice.isVisible()
    assert dismissed == ["one"]
    assert len(area.notices) == 2
