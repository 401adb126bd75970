"""What works in the background about the text ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.text.check import TextCheck
from guiapp.viewmodels.text.live_spans import LiveSpans
from guiapp.viewmodels.text.search import TextSearch
from guiapp.viewmodels.text.utf16 import Utf16Text
from guiapp.viewmodels.workspace import Workspace

OWNERS = {
    "check": lambda workspace: (made := TextCheck(lambda given, progress: None), made.wait),
    "spans": lambda workspace: (made := LiveSpans(workspace.document), made.close),
    "search": lambda workspace: (made := TextSearch(workspace), made.stop),
    "UTF-16": lambda workspace: (made := Utf16Text(workspace.document), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot):
    workspace = Workspace(b"", load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](workspace))
    workspace.close()
