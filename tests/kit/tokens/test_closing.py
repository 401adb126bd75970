"""What works in the background about tokens ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

from guiapp.kit.tokens.decode import DecodeModel
from guiapp.kit.tokens.details import TokenDetailsModel

OWNERS = {
    "decode": lambda session: (made := DecodeModel(session), made.wait),
    "details": lambda session: (made := TokenDetailsModel(session), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, make_session):
    see_that_nothing_goes_on(*OWNERS[name](make_session()))
