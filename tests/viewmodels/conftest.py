"""What the tests of the debugger's view models share."""

import pytest
from instant_recorder import InstantRecorder

import guiapp
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.workspace import Workspace


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.json")


@pytest.fixture
def make_steps_model(qtbot, settings):
    made = []

    def make(name="bpe", text=b"How do lions sleep in New York?", encoder=None, recorder=None):
        workspace = Workspace(text, load=lambda model, pre, progress: guiapp.open_model(model))
        with qtbot.waitSignal(workspace.tokens_changed):
            workspace.loader.open(f"demo:{name}")
        workspace.set_encoder(encoder)
        model = StepsModel(workspace, settings, recorder or InstantRecorder())
        made.append((model, workspace))
        with qtbot.waitSignal(model.recording.changed):
            model.watch(True)
        return model

    yield make
    for model, workspace in made:
        model.stop()
        workspace.close()
