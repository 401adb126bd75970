"""What works in the background about the tree ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.tree.findings import TreeFindings
from guiapp.viewmodels.tree.greedy_walk import TreeWalk
from guiapp.viewmodels.tree.model import TreeModel
from guiapp.viewmodels.tree.saving import TreeSaving
from guiapp.viewmodels.tree.search import TreeSearch
from guiapp.viewmodels.workspace import Workspace

OWNERS = {
    "tree": lambda workspace: (made := TreeModel(workspace), made.close),
    "search": lambda workspace: (made := TreeSearch(TreeModel(workspace)), made.close),
    "findings": lambda workspace: (made := TreeFindings(TreeModel(workspace), workspace), made.close),
    "walk": lambda workspace: (made := TreeWalk(TreeModel(workspace), workspace), made.close),
    "saving": lambda workspace: (made := TreeSaving(), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot):
    workspace = Workspace(b"", load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](workspace))
    workspace.close()
