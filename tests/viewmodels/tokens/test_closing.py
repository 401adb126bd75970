"""What works in the background about tokens ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.tokens.decode import DecodeModel
from guiapp.viewmodels.tokens.details import TokenDetailsModel
from guiapp.viewmodels.workspace import Workspace

OWNERS = {
    "decode": lambda workspace: (made := DecodeModel(workspace), made.wait),
    "details": lambda workspace: (made := TokenDetailsModel(workspace), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot):
    workspace = Workspace(b"", load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](workspace))
    workspace.close()
