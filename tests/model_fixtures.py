"""Fixtures for tests of view models."""

import pytest
from instant_recorder import InstantRecorder, load_once

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.settings import Settings
from guiapp.pages.steps.lesson_player import LessonPlayer
from guiapp.pages.steps.model import StepsModel


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def make_session(qtbot):
    """Makes sessions, optionally with a model open; closes them after the test."""
    made = []

    def make(text=b"", model=None):
        session = ModelSession(TextSession(text), load=load_once)
        made.append(session)
        if model is not None:
            with qtbot.waitSignal(session.spans.encoded):
                session.loader.open(model)
        return session

    yield make
    for session in made:
        session.close()


@pytest.fixture
def make_steps_model(qtbot, make_session, settings):
    made = []

    def make(name="bpe", text=b"How do lions sleep in New York?", encoder=None, recorder=None):
        session = make_session(text, f"demo:{name}")
        session.set_encoder(encoder)
        model = StepsModel(session, settings, recorder or InstantRecorder())
        model.kept_session = session
        made.append(model)
        with qtbot.waitSignal(model.recording.changed):
            model.watch(True)
        return model

    yield make
    for model in made:
        model.stop()


@pytest.fixture
def player(qtbot, settings):
    made = LessonPlayer(settings, InstantRecorder())
    made.steps.watch(True)
    yield made
    made.stop()
