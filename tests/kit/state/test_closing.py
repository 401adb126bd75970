"""What works in the background ends with its owner: no job is left at work, no timer runs."""

import pytest
from closing import see_that_nothing_goes_on

from guiapp.kit.state.recent import RecentTexts

OWNERS = {
    "session": lambda session, settings: (session, session.close),
    "recent": lambda session, settings: (made := RecentTexts(settings), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, make_session, settings):
    see_that_nothing_goes_on(*OWNERS[name](make_session(), settings))
