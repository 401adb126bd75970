"""What the tests of the Bench page's models share."""

from __future__ import annotations

import pytest

from guiapp.viewmodels.bench.history import RunHistory
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.runner import BenchRunner
from guiapp.viewmodels.workspace import Workspace


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(b"some text")
    with qtbot.waitSignal(workspace.vocabulary_changed):
        workspace.loader.open("demo:bpe")
    yield workspace
    workspace.close()


@pytest.fixture
def make_model(workspace):
    models: list[BenchModel] = []

    def make(runner: BenchRunner | None = None, history: RunHistory | None = None) -> BenchModel:
        models.append(BenchModel(workspace, runner, history))
        return models[-1]

    yield make
    for model in models:
        model.close()
