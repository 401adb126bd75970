"""What the tests of the Bench page's models share."""

from __future__ import annotations

import pytest
from instant_recorder import load_once

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.bench.choice import ENGLISH
from guiapp.pages.bench.history import RunHistory
from guiapp.pages.bench.model import BenchModel, BenchRunner


@pytest.fixture
def session(qtbot):
    session = ModelSession(TextSession(b"some text"), load=load_once)
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
