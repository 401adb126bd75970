"""What the tests of the Bench page's models share."""

from __future__ import annotations

import pytest

from guiapp.viewmodels.bench.choice import ENGLISH
from guiapp.viewmodels.bench.history import RunHistory
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.runner import BenchRunner
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession


@pytest.fixture
def session(qtbot):
    session = ModelSession(TextSession(b"some text"))
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    yield session
    session.close()


@pytest.fixture
def make_model(session):
    models: list[BenchModel] = []

    def make(runner: BenchRunner | None = None, history: RunHistory | None = None) -> BenchModel:
        models.append(BenchModel(session, runner, history))
        if history is None:  # nowhere to keep what is typed
            models[-1].choice.set_texts([ENGLISH])
        return models[-1]

    yield make
    for model in models:
        model.close()
