"""Widgets that are shown, in a dark theme."""

import pytest

from guiapp.kit.widgets.theme import ThemeSource


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.fixture
def show(qtbot):
    def show_and_wait(widget, width=400, height=300):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        widget.activateWindow()
        qtbot.waitUntil(widget.isActiveWindow)
        return widget

    return show_and_wait
