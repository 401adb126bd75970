"""The lists beside the steps: breakpoints, watches, and what was made."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton

from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.side import LEAST_WIDTH_PX, WIDEST_PX, WatchText


def test_the_list_of_what_was_made_says_that_nothing_was(make_steps_page):
    page = make_steps_page(encoder="heap")
    history = page.trace.side.history
    page.model.restart()
    assert history.accessibleDescription() == "Nothing is made yet. Step on."
    empty = history.grab().toImage()
    page.model.to_end()
    assert len(history.accessibleDescription().split("; ")) == len(history.entries) > 1
    history.entries = []
    assert history.grab().toImage() == empty
    history.nothing = ""
    assert history.grab().toImage() != empty


def test_long_values_and_messages_leave_the_lists_as_wide_as_they_are(make_steps_page, qtbot):
    page = make_steps_page(encoder="heap")
    side = page.trace.side
    page.model.breakpoints.add("rank < 500")
    page.model.restart()
    page.model.add_watch("1/0")
    page.model.add_watch("position * 1000 + end * 1000 + length * 1000")
    side.breakpoints.field.line.setText(f"difference {'long' * 30}")
    side.breakpoints.field.line.returnPressed.emit()
    page.set_text_size(2 * TEXT_FONT_PX)
    qtbot.waitUntil(lambda: side.breakpoints.field.error.isVisible())
    QApplication.processEvents()
    assert "divides by zero" in side.watches.shown_values[0]
    assert side.widget().minimumSizeHint().width() <= side.viewport().width()
    page.grab()
    name, value, remove = side.watches._rows.itemAt(0).widget().children()[1:]
    assert remove.geometry().right() < side.viewport().width()
    assert value.toolTip() == value.text()
    assert name.toolTip() == ""


def test_watches_are_typed_followed_and_forgotten(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb", "heap")
    watches, model = page.trace.side.watches, page.model
    line, error = watches.field.line, watches.field.error
    for text in ("length +", "length", "rank", "position +"):
        line.setText(text)
        qtbot.keyClick(line, Qt.Key.Key_Return)
        assert error.isVisible() is text.endswith("+")
        assert line.text() == (text if text.endswith("+") else "")
    for position in range(model.n_steps + 1):
        model.go_to(position)
        assert watches.shown_values == [model.watch_value(each) for each in model.watches]
    buttons = {button.accessibleName(): button for button in watches.findChildren(QToolButton)}
    assert list(buttons) == ["Forget length", "Forget rank"]
    qtbot.mouseClick(buttons["Forget length"], Qt.MouseButton.LeftButton)
    assert model.watches == ("rank",)
    qtbot.waitUntil(lambda: len(watches.findChildren(QToolButton)) == 1)
    assert [label.text() for label in watches.findChildren(WatchText)] == ["rank", *watches.shown_values]
    assert len(watches.shown_values) == 1
    model.go_to(2)
    page.kept_session.text.show(b"acb")
    qtbot.waitUntil(lambda: page.is_ready)
    assert watches.shown_values == [model.watch_value(each) for each in model.watches]


def test_the_lists_are_wider_for_large_text_up_to_a_limit(make_steps_page):
    side = make_steps_page().trace.side
    widths = []
    for factor in (1, 1.3, 3):
        side._zoom.set_factor(factor)
        widths.append(side.minimumWidth())
    assert widths == [LEAST_WIDTH_PX, round(1.3 * LEAST_WIDTH_PX), WIDEST_PX]
