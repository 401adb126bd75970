"""What works in the background ends with its owner: no job is left at work, no timer runs."""

import threading

import pytest
from conftest import PATIENCE_S
from instant_recorder import InstantRecorder
from PySide6.QtCore import QTimer

import guiapp
from guiapp.viewmodels.background import LatestJob
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.recent import RecentTexts
from guiapp.viewmodels.steps.exporter import StepExporter
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.steps.training import TrainingModel
from guiapp.viewmodels.steps.training_beside import TrainingBeside
from guiapp.viewmodels.text.search import TextSearch
from guiapp.viewmodels.text.utf16 import Utf16Text
from guiapp.viewmodels.tokens.decode import DecodeModel
from guiapp.viewmodels.tokens.details import TokenDetailsModel
from guiapp.viewmodels.tree.findings import TreeFindings
from guiapp.viewmodels.tree.greedy_walk import TreeWalk
from guiapp.viewmodels.tree.model import TreeModel
from guiapp.viewmodels.tree.saving import TreeSaving
from guiapp.viewmodels.tree.search import TreeSearch
from guiapp.viewmodels.workspace import Workspace

OWNERS = {
    "workspace": lambda workspace, settings: (workspace, workspace.close),
    "recent": lambda workspace, settings: (made := RecentTexts(settings), made.stop),
    "text search": lambda workspace, settings: (made := TextSearch(workspace), made.stop),
    "UTF-16": lambda workspace, settings: (made := Utf16Text(workspace.document), made.close),
    "decode": lambda workspace, settings: (made := DecodeModel(workspace), made.wait),
    "details": lambda workspace, settings: (made := TokenDetailsModel(workspace), made.close),
    "tree": lambda workspace, settings: (made := TreeModel(workspace), made.close),
    "tree search": lambda workspace, settings: (made := TreeSearch(TreeModel(workspace)), made.close),
    "tree findings": lambda workspace, settings: (
        made := TreeFindings(TreeModel(workspace), workspace),
        made.close,
    ),
    "tree walk": lambda workspace, settings: (made := TreeWalk(TreeModel(workspace), workspace), made.close),
    "tree saving": lambda workspace, settings: (made := TreeSaving(), made.close),
    "bench": lambda workspace, settings: (made := BenchModel(workspace), made.close),
    "steps": lambda workspace, settings: (
        made := StepsModel(workspace, settings, InstantRecorder()),
        made.stop,
    ),
    "exporter": lambda workspace, settings: (made := StepExporter(), made.stop),
    "training": lambda workspace, settings: (made := TrainingModel(), made.stop),
    "beside": lambda workspace, settings: (made := TrainingBeside(None, workspace), made.stop),
}
GOES_ON = {"_keeping", "_renaming"}  # kept runs are saved to the end


@pytest.mark.parametrize("name", OWNERS)
def test_nothing_goes_on_behind_the_end(name, qtbot, settings):
    workspace = Workspace(b"", load=lambda model, pre, progress: guiapp.open_model(model))
    owner, close = OWNERS[name](workspace, settings)
    may_end = threading.Event()
    saving = {getattr(getattr(owner, "kept", None), each, None) for each in GOES_ON}
    jobs = [job for job in owner.findChildren(LatestJob) if job not in saving]
    timers = owner.findChildren(QTimer)
    assert jobs or timers
    for job in jobs:
        job.start(lambda _: may_end.wait(PATIENCE_S))
    for timer in timers:
        timer.start(60_000)
    threading.Timer(0.05, may_end.set).start()
    close()
    assert [job for job in jobs if job.is_busy or not job._has_ended.is_set()] == []
    assert [timer for timer in timers if timer.isActive()] == []
    workspace.close()
