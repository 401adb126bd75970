"""The lists beside the steps: breakpoints, watches, and what was made."""

from PySide6.QtWidgets import QApplication

from guiapp.widgets.shared.theme import TEXT_FONT_PX


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
    side.breakpoints.field.entered.emit(f"difference {'long' * 30}")
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
