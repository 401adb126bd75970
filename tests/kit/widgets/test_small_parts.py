"""Small parts that pages share: lines, buttons, what stands in the place of contents, and files to save."""

import pytest
from hands import drop
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from guiapp.kit.widgets.controls import (
    SEARCH_HINT,
    SEARCH_PX,
    SearchField,
    WalkButtons,
    presses_button,
    push_button,
)
from guiapp.kit.widgets.layouts import Contents, RoomySplitter, in_column, in_row, in_splitter
from guiapp.kit.widgets.notices import dropped_files

LEFT, Key, Modifier = Qt.MouseButton.LeftButton, Qt.Key, Qt.KeyboardModifier


def test_contents_give_way_to_a_sentence_and_the_focus_goes_along(show, qtbot):
    page, inside, helps = QWidget(), QLineEdit(), QPushButton("Help")
    contents = Contents(page, inside, helps)
    in_column(contents, on=page)
    contents.show_inside(inside)
    show(page)
    page.setFocus()
    assert (contents.currentWidget(), inside.hasFocus(), contents.message.isVisible()) == (
        inside,
        True,
        False,
    )
    contents.show_message("There is nothing.", helps=True)
    assert (contents.message.text(), contents.message.alignment()) == (
        "There is nothing.",
        Qt.AlignmentFlag.AlignCenter,
    )
    assert contents.message.isVisible()
    assert helps.isVisible()
    assert (helps.hasFocus(), page.focusProxy()) == (True, helps)
    other = QPushButton("other", page)
    other.show()
    other.setFocus()
    contents.show_message("Still nothing.")
    assert (page.focusProxy(), helps.isVisible(), other.hasFocus()) == (contents.message, False, True)
    contents.show_message("Nothing.", begin=other)
    assert page.focusProxy() is other
    contents.show_inside(inside)
    assert (page.focusProxy(), inside.hasFocus(), inside.isVisible()) == (inside, True, True)
    without = Contents(page, QWidget())
    without.show_message("Nothing.", helps=True)
    assert page.focusProxy() is without.message
    qtbot.addWidget(without)


@pytest.mark.parametrize(
    ("key", "modifiers", "repeats", "is_taken"),
    [
        (Key.Key_Return, Modifier.NoModifier, False, True),
        (Key.Key_Enter, Modifier.KeypadModifier, False, True),
        (Key.Key_Return, Modifier.NoModifier, True, True),
        (Key.Key_Return, Modifier.ControlModifier, False, False),
        (Key.Key_Space, Modifier.NoModifier, False, False),
    ],
)
def test_return_presses_a_button_once_and_nothing_else(show, key, modifiers, repeats, is_taken):
    window, done = QWidget(), []
    button, box, line = push_button("Go", lambda: done.append(1)), QCheckBox("Box"), QLineEdit()
    in_row(button, box, line, on=window)
    show(window)
    for focused, presses in ((button, is_taken), (box, False), (line, False)):
        focused.setFocus()
        event = QKeyEvent(QKeyEvent.Type.KeyPress, key, modifiers, "", repeats)
        assert presses_button(event, window) is presses
    assert done == [1] * (is_taken and not repeats)
    assert not box.isChecked()


class FakeSearch:
    def __init__(self):
        self.told = []

    def set_query(self, query):
        self.told.append(query)

    def step(self, by):
        self.told.append(by)

    def end(self):
        self.told.append("end")


def test_a_search_receives_letters_steps_and_its_end(show, qtbot):
    page, search = QWidget(), FakeSearch()
    field, other = SearchField(search), QPushButton("other")
    in_row(field, other, on=page)
    field.come_by_keys(page)
    show(page)
    assert (field.width(), field.placeholderText(), field.accessibleName()) == (
        SEARCH_PX,
        SEARCH_HINT,
        "Search tokens",
    )
    assert field.isClearButtonEnabled()
    other.setFocus()
    qtbot.keyClick(other, Key.Key_F, Modifier.ControlModifier)
    assert field.hasFocus()
    qtbot.keyClicks(field, "ab")
    for key in (Key.Key_Return, Key.Key_Enter, Key.Key_Down, Key.Key_Up, Key.Key_Escape, Key.Key_Left):
        qtbot.keyClick(field, key)
    qtbot.keyClick(field, Key.Key_Return, Modifier.ShiftModifier)
    assert search.told == ["a", "ab", 1, 1, 1, -1, "end", -1]
    search.told.clear()
    field.show_query("other")
    assert (field.text(), search.told) == ("other", [])
    field.setCursorPosition(2)
    field.show_query("other")
    assert field.cursorPosition() == 2
    other.setFocus()
    qtbot.keyClick(other, Key.Key_F, Modifier.ControlModifier)
    assert field.selectedText() == "other"
    qtbot.keyClicks(field, "c")
    assert search.told == ["c"]
    free = SearchField(search, "hint", "tip", None)
    qtbot.addWidget(free)
    assert (free.placeholderText(), free.toolTip(), free.maximumWidth() > 9999) == ("hint", "tip", True)


def test_one_goes_from_find_to_find_and_sees_where_one_is(show):
    back, on, done = QAction("Previous"), QAction("Next"), []
    back.setShortcut("Shift+F8")
    on.setShortcut("F8")
    back.triggered.connect(lambda: done.append("back"))
    on.triggered.connect(lambda: done.append("on"))
    walk = WalkButtons(back, on, "Difference")
    show(walk)
    before, after = walk.findChildren(QToolButton)
    assert [before.toolTip(), after.toolTip()] == ["Previous (Shift+F8)", "Next (F8)"]
    assert [label.text() for label in walk.findChildren(QLabel)][1:] == ["F8"]
    assert (before.text(), after.text(), walk.index_label.accessibleName()) == ("‹", "›", "Difference")
    assert before.x() < walk.index_label.x() < after.x()
    for index, n_all, shown_text in (
        (None, 3, "3 differences"),
        (0, 3, "1 of 3"),
        (1999, 2000, "2,000 of 2,000"),
        (None, 0, "0 differences"),
        (0, 1, "1 of 1"),
    ):
        walk.show_index(index, n_all)
        assert (walk.index_label.text(), walk.isEnabled()) == (shown_text, n_all > 0)
    before.click()
    after.click()
    assert done == ["back", "on"]
    walk.show_text("so many", False)
    assert (walk.index_label.text(), before.isEnabled()) == ("so many", False)


def test_only_files_of_this_machine_are_taken_and_copied(show):
    class Box(QWidget):
        def __init__(self):
            super().__init__()
            self.setAcceptDrops(True)
            self.files = []

        def dragEnterEvent(self, event):
            event.ignore()
            self.files.append(dropped_files(event))

    box = show(Box())
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/a"), QUrl.fromLocalFile("/b"), QUrl.fromLocalFile("/c d")])
    actions = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    entered = QDragEnterEvent(QPoint(1, 1), actions, mime, LEFT, Modifier.NoModifier)
    QApplication.sendEvent(box, entered)
    assert [str(path) for path in box.files[0]] == ["/b", "/c d"]
    assert (entered.isAccepted(), entered.dropAction()) == (True, Qt.DropAction.CopyAction)
    mime.setUrls([QUrl("https://example.org/a")])
    assert not drop(box, QPoint(1, 1), mime)
    assert box.files[1:] == [[]]


def test_a_small_splitter_that_grows_again_is_as_it_was(qtbot):
    splitter = in_splitter(
        QWidget(), QWidget(), on=RoomySplitter(Qt.Orientation.Horizontal), sizes=(900, 330)
    )
    qtbot.addWidget(splitter)
    splitter.resize(1231, 200)
    splitter.show()
    before = splitter.sizes()
    for width in (700, 690, 1231):
        splitter.resize(width, 200)
        assert (splitter.sizes() == before) == (width == 1231)
