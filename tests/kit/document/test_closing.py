"""What works in the background about the text ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

from guiapp.kit.document.check import TextCheck
from guiapp.kit.document.live_spans import LiveSpans
from guiapp.kit.document.search import TextSearch
from guiapp.kit.document.utf16 import Utf16Text

OWNERS = {
    "check": lambda session: (made := TextCheck(), made.wait),
    "spans": lambda session: (made := LiveSpans(session.document), made.close),
    "search": lambda session: (made := TextSearch(session), made.stop),
    "UTF-16": lambda session: (made := Utf16Text(session.document), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, make_session):
    see_that_nothing_goes_on(*OWNERS[name](make_session()))
