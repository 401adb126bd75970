"""What works in the background of the Bench page ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

from guiapp.pages.bench.choice import BenchChoice
from guiapp.pages.bench.model import BenchModel, DifferenceFinder

OWNERS = {
    "bench": lambda session: (
        made := BenchModel(session),
        made.close,
        (made.saved._keeping, made.saved._renaming),  # kept runs are saved to the end
    ),
    "difference": lambda session: (made := DifferenceFinder(session), made.close),
    "choice": lambda session: (made := BenchChoice(session), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, make_session):
    see_that_nothing_goes_on(*OWNERS[name](make_session()))
