"""What works in the background of the Bench page ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.bench.difference import DifferenceFinder
from guiapp.viewmodels.bench.forecast import BenchForecast
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.workspace import Workspace

OWNERS = {
    "bench": lambda workspace: (
        made := BenchModel(workspace),
        made.close,
        (made.kept._keeping, made.kept._renaming),  # kept runs are saved to the end
    ),
    "difference": lambda workspace: (made := DifferenceFinder(workspace), made.close),
    "forecast": lambda workspace: (made := BenchForecast(None), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot):
    workspace = Workspace(b"", load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](workspace))
    workspace.close()
