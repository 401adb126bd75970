"""The buttons that walk stay where they are while they are used."""

from PySide6.QtWidgets import QApplication

from guiapp.widgets.steps.transport import PlayControls


def test_play_is_as_wide_as_pause(make_steps_page):
    page = make_steps_page()
    controls = page.trace.findChild(PlayControls)
    places = []
    for _ in range(2):
        page.actions_["debug_play"].trigger()
        QApplication.processEvents()
        places.append((controls.button.geometry(), controls.speed.geometry()))
        assert controls.button.width() >= controls.button.sizeHint().width()
    assert places[0] == places[1]
