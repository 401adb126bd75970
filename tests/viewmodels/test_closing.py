"""What works in the background ends with its owner: no job is left at work, no timer runs."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.recent import RecentTexts
from guiapp.viewmodels.text_session import TextSession

OWNERS = {
    "session": lambda session, settings: (session, session.close),
    "recent": lambda session, settings: (made := RecentTexts(settings), made.stop),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot, settings):
    session = ModelSession(TextSession(b""), load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](session, settings))
    session.close()
