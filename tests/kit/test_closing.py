"""What works in the background ends with its owner: no job is left at work, no timer runs."""

import pytest
from closing import see_that_nothing_goes_on

from guiapp.kit.document.live_spans import LiveSpans
from guiapp.kit.document.search import TextSearch
from guiapp.kit.session.loader import ModelLoader
from guiapp.kit.session.token_details import TokenDetailsModel
from guiapp.kit.state.recent import RecentTexts

OWNERS = {
    "details": lambda session, settings: (made := TokenDetailsModel(session), made.close),
    "loader": lambda session, settings: (made := ModelLoader(), made.wait),
    "recent": lambda session, settings: (made := RecentTexts(settings), made.close),
    "search": lambda session, settings: (made := TextSearch(session), made.stop),
    "session": lambda session, settings: (session, session.close),
    "spans": lambda session, settings: (made := LiveSpans(session.document), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_no_work_continues_after_closing(name, make_session, settings):
    see_that_nothing_goes_on(*OWNERS[name](make_session(), settings))
