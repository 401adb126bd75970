"""What works in the background of the debugger ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on
from instant_recorder import InstantRecorder

from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.race import RaceModel
from guiapp.pages.steps.recording import Recording, TraceRecorder
from guiapp.pages.steps.walk_model import TrainingModel

OWNERS = {
    "steps": lambda session: (made := StepsModel(session, None, InstantRecorder()), made.stop),
    "recorder": lambda session: (made := TraceRecorder(), made.stop),
    "recording": lambda session: (made := Recording(session, InstantRecorder()), made.stop),
    "race": lambda session: (recorder := InstantRecorder(), RaceModel(session, recorder).stop),
    "training": lambda session: (made := TrainingModel(), made.stop),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_runs_after_closing(name, make_session):
    see_that_nothing_goes_on(*OWNERS[name](make_session()))
