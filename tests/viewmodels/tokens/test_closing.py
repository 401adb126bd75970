"""What works in the background about tokens ends with its owner: no job, no timer."""

import pytest
from closing import see_that_nothing_goes_on

import guiapp
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession
from guiapp.viewmodels.tokens.decode import DecodeModel
from guiapp.viewmodels.tokens.details import TokenDetailsModel

OWNERS = {
    "decode": lambda session: (made := DecodeModel(session), made.wait),
    "details": lambda session: (made := TokenDetailsModel(session), made.close),
}


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot):
    session = ModelSession(TextSession(b""), load=lambda model, pre, progress: guiapp.open_model(model))
    see_that_nothing_goes_on(*OWNERS[name](session))
    session.close()
