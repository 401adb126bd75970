"""What works in the background ends with its owner: no job is left at work, no timer runs."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.recent import RecentTexts
from guiapp.viewmodels.workspace import Workspace

OWNERS = {
    "workspace": lambda workspace, settings: (workspace, workspace.close),
    "recent": lambda workspace, settings: (made := RecentTexts(settings), made.stop),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot, settings):
    workspace = Workspace(b"", load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](workspace, settings))
    workspace.close()
