"""What works in the background about the tree ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

from guiapp.kit.state.saving import FileSaving
from guiapp.pages.tree.model import TreeModel, TreeSearch, TreeWalk

OWNERS = {
    "tree": lambda session: (made := TreeModel(session), made.close),
    "search": lambda session: (made := TreeSearch(TreeModel(session)), made.close),
    "walk": lambda session: (made := TreeWalk(TreeModel(session), session), made.close),
    "saving": lambda session: (made := FileSaving(), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_runs_after_closing(name, make_session):
    see_that_nothing_goes_on(*OWNERS[name](make_session()))
