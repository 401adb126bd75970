"""What the tests of the debugger's view models share."""

import pytest
from instant_recorder import InstantRecorder, load_once

from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.text_session import TextSession


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.json")


@pytest.fixture
def make_steps_model(qtbot, settings):
    made = []

    def make(name="bpe", text=b"How do lions sleep in New York?", encoder=None, recorder=None):
        session = ModelSession(TextSession(text), load=load_once)
        with qtbot.waitSignal(session.tokens_changed):
            session.loader.open(f"demo:{name}")
        session.set_encoder(encoder)
        model = StepsModel(session, settings, recorder or InstantRecorder())
        made.append((model, session))
        with qtbot.waitSignal(model.recording.changed):
            model.watch(True)
        return model

    yield make
    for model, session in made:
        model.stop()
        session.close()
