"""What works in the background of the Bench page ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.bench.difference import DifferenceFinder
from guiapp.viewmodels.bench.forecast import BenchForecast
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession

OWNERS = {
    "bench": lambda session: (
        made := BenchModel(session),
        made.close,
        (made.kept._keeping, made.kept._renaming),  # kept runs are saved to the end
    ),
    "difference": lambda session: (made := DifferenceFinder(session), made.close),
    "forecast": lambda session: (made := BenchForecast(None), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot):
    session = ModelSession(TextSession(b""), load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](session))
    session.close()
