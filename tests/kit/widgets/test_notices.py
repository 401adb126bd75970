"""What a notice shows, offers and copies; and what a hint leaves out."""

import pytest
from controls_in_words import controls_of
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel

from guiapp.kit.widgets.notices import BYTES_FORMAT, NoticeArea, announce, copy_text, leave_plain_text

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def area(qtbot, theme_source):
    area = NoticeArea(theme_source)
    qtbot.addWidget(area)
    area.resize(600, 200)
    area.show()
    return area


def test_a_failure_can_be_copied_and_a_hint_cannot(area):
    area.show_notice("one", "It <b>failed</b>.", "details")
    area.show_notice("two", "It may not be meant.", is_hint=True)
    failure, hint = area.notices
    assert [(notice.property("role"), notice.accessibleName()) for notice in area.notices] == [
        ("notice", "Notice: It <b>failed</b>."),
        ("hint", "Hint: It may not be meant."),
    ]
    assert [notice.copy_button.isVisible() for notice in area.notices] == [True, False]
    assert [notice.remedy_button.isVisible() for notice in area.notices] == [False, False]
    for notice in area.notices:
        _, words = notice.findChildren(QLabel)
        assert (words.text(), words.textFormat()) == (notice.message, Qt.TextFormat.PlainText)
        assert words.wordWrap()
        assert notice.close_button.accessibleName() == "Dismiss notice"
        assert notice.close_button.toolTip() == "Dismiss"
    assert hint.y() > failure.y()


def test_a_notice_offers_what_helps(area, qtbot):
    done, remedy = [], QAction("Mend it", area)
    remedy.triggered.connect(lambda: done.append(1))
    area.show_notice("one", "It failed.", remedy=remedy)
    (notice,) = area.notices
    assert (notice.remedy_button.isVisible(), notice.remedy_button.text()) == (True, "Mend it")
    qtbot.mouseClick(notice.remedy_button, LEFT)
    assert done == [1]
    assert area.notices == [notice], "it stays until it works"
    buttons = notice.remedy_button, notice.copy_button, notice.close_button
    assert {button.focusPolicy() for button in buttons} == {Qt.FocusPolicy.StrongFocus}


@pytest.mark.parametrize(("details", "copied"), [("details", "It failed.\n\ndetails"), ("", "It failed.")])
def test_the_copied_text_includes_the_versions(area, qtbot, monkeypatch, details, copied):
    monkeypatch.setattr("guiapp.core.versions._version", lambda package: "1.2.3")
    area.show_notice("one", "It failed.", details)
    with qtbot.waitSignal(QGuiApplication.clipboard().dataChanged):
        qtbot.mouseClick(area.notices[0].copy_button, LEFT)
    copied_text = QGuiApplication.clipboard().text()
    assert copied_text.startswith(f"{copied}\n\n")
    assert "numpy 1.2.3" in copied_text.removeprefix(copied)


def test_what_is_copied_is_announced_for_a_moment_in_its_window_and_takes_no_room(area, qtbot):
    before = area.geometry()
    for data, what in (("b\n", "2 characters"), (b"\xff\xfe", "2 bytes")):
        copy_text(area, data, what)
        assert f"Copied {what}" in controls_of(area.window())
    assert bytes(QGuiApplication.clipboard().mimeData().data(BYTES_FORMAT).data()) == b"\xff\xfe"
    leave_plain_text()
    assert area.geometry() == before
    qtbot.waitUntil(lambda: "Copied 2 bytes" not in controls_of(area.window()))


def test_a_long_message_fits_its_window(area):
    announce(area, "Saved /" + "folder/" * 99 + "file.txt")
    frame = next(each for each in area.window().findChildren(QFrame) if "file.txt" in each.accessibleName())
    assert area.window().rect().contains(frame.geometry())


def test_a_message_of_two_subjects_is_shown_once_until_both_end(area, qtbot):
    dismissed = []
    area.dismissed.connect(dismissed.append)
    for subject in ("one", "two", "one"):
        area.show_notice(subject, "the same")
    area.clear_notice("one")
    assert [notice.message for notice in area.notices] == ["the same"]
    area.show_notice("one", "the same")
    qtbot.mouseClick(area.notices[0].close_button, LEFT)
    assert (sorted(dismissed), area.notices) == (["one", "two"], [])


def test_a_subject_has_one_notice_and_only_people_dismiss_it(area, qtbot):
    dismissed = []
    area.dismissed.connect(dismissed.append)
    for subject, message in (("one", "first"), ("two", "other"), ("one", "second")):
        area.show_notice(subject, message)
    assert [notice.message for notice in area.notices] == ["other", "second"]
    area.clear_notice("two")
    area.clear_notice("nothing")
    assert (dismissed, [notice.message for notice in area.notices]) == ([], ["second"])
    qtbot.mouseClick(area.notices[0].close_button, LEFT)
    assert (dismissed, area.notices) == (["one"], [])
