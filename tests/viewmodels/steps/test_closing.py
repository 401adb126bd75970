"""What works in the background of the debugger ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on
from instant_recorder import InstantRecorder

import guiapp
from guiapp.viewmodels.steps.exporter import StepExporter
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.steps.race import RaceModel
from guiapp.viewmodels.steps.recording import Recording
from guiapp.viewmodels.steps.trace_recorder import TraceRecorder
from guiapp.viewmodels.steps.training import TrainingModel
from guiapp.viewmodels.steps.training_beside import TrainingBeside
from guiapp.viewmodels.workspace import Workspace

OWNERS = {
    "steps": lambda workspace: (made := StepsModel(workspace, None, InstantRecorder()), made.stop),
    "recorder": lambda workspace: (made := TraceRecorder(), made.stop),
    "recording": lambda workspace: (made := Recording(workspace, InstantRecorder()), made.stop),
    "race": lambda workspace: (recorder := InstantRecorder(), RaceModel(workspace, recorder).stop),
    "exporter": lambda workspace: (made := StepExporter(), made.stop),
    "training": lambda workspace: (made := TrainingModel(), made.stop),
    "beside": lambda workspace: (made := TrainingBeside(None, workspace), made.stop),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot):
    workspace = Workspace(b"", load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](workspace))
    workspace.close()
