"""What works in the background about models ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

from guiapp.kit.models.loader import ModelLoader

OWNERS = {
    "loader": lambda session: (made := ModelLoader(), made.wait),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, make_session):
    see_that_nothing_goes_on(*OWNERS[name](make_session()))
