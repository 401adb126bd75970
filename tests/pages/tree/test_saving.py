"""Files of the tree: what is told while one is written, afterwards, and when it is given up."""

import json
import threading
from functools import partial

import pytest
from conftest import PATIENCE_S
from PySide6.QtWidgets import QApplication

from guiapp.analysis.tree.reports import Subtree
from guiapp.errors import TokenloupeError
from guiapp.kit.state.saving import FileSaving, _write
from guiapp.pages.tree import saving_view as tree_saving


@pytest.fixture
def saving():
    made = FileSaving()
    yield made
    made.close()


@pytest.fixture
def told(saving):
    """What those see who listen, each time that they are told something."""
    seen = []
    saving.changed.connect(lambda: seen.append((saving.is_busy, saving.saved, saving.failure)))
    return seen


def refuse(progress):
    raise TokenloupeError("No room.")


def test_a_file_is_told_until_it_is_dismissed(saving, told, tmp_path, qtbot):
    path = tmp_path / "tree.txt"
    saving.save(path, lambda progress: b"all")
    assert told[-1] == (True, None, "")
    qtbot.waitUntil(lambda: not saving.is_busy)
    assert told[-1] == (False, path, "")
    assert path.read_bytes() == b"all"
    saving.dismiss()
    assert told[-1] == (False, None, "")


def test_a_failure_is_told_until_the_next_file(saving, told, tmp_path, qtbot):
    saving.save(tmp_path / "tree.txt", refuse)
    qtbot.waitUntil(lambda: not saving.is_busy)
    assert told[-1] == (False, None, "No room.")
    saving.save(tmp_path / "tree.txt", lambda progress: b"")
    assert told[-1] == (True, None, "")


def test_a_file_that_is_given_up_is_not_written(saving, told, tmp_path, qtbot):
    path, gate = tmp_path / "tree.txt", threading.Event()
    saving.save(path, lambda progress: progress(0.5) or (gate.wait(PATIENCE_S) and b"all"))
    qtbot.waitUntil(lambda: saving.progress == 0.5)
    saving.cancel()
    assert told[-1] == (False, None, "")
    gate.set()
    saving._job.finish(PATIENCE_S)
    QApplication.processEvents()
    assert not path.exists()
    assert saving.saved is None


@pytest.mark.parametrize(("form", "begins"), [("json", "{"), ("dot", "digraph")])
def test_a_branch_is_written_as_asked(saving, model, tmp_path, qtbot, form, begins):
    path = tmp_path / "tree"
    saving.save(path, partial(tree_saving.data_of, Subtree(model.picture.vocabulary), form))
    qtbot.waitUntil(lambda: saving.saved == path)
    assert path.read_text().startswith(begins)
    assert path.read_text().endswith("}\n")
    if form == "json":
        assert json.loads(path.read_text())


def test_each_step_of_saving_is_told(saving, told, tmp_path, qtbot):
    path = tmp_path / "tree.txt"
    assert (saving.is_busy, saving.progress, saving.saved, saving.failure) == (False, 0.0, None, "")
    saving.save(path, lambda progress: b"all")
    qtbot.waitUntil(lambda: saving.saved == path)
    assert told[:2] == [(True, None, "")] * 2
    assert told[-1] == (False, path, "")
    told.clear()
    saving.save(path, refuse)
    assert told[-1] == (True, None, "")
    qtbot.waitUntil(lambda: bool(saving.failure))
    assert told[-1] == (False, None, "No room.")
    saving.dismiss()
    assert told[-1] == (False, None, "")


def test_progress_of_a_branch_goes_to_the_whole(model, monkeypatch):
    monkeypatch.setattr(tree_saving, "AT_ONCE_S", 0.0)
    monkeypatch.setattr(tree_saving, "PAUSE_S", 0.0)
    branch = Subtree(model.picture.vocabulary)
    for form, (lines_of, per_token) in tree_saving.FORMATS.items():
        shares = []
        data = tree_saving.data_of(branch, form, shares.append)
        lines = list(lines_of(branch))
        assert data == ("\n".join(lines) + "\n").encode()
        whole = per_token * len(branch.tokens) + 1
        assert shares == [min(1.0, (at + 1) / whole) for at in range(len(lines))]


def test_a_file_that_is_written_is_the_last_chance_to_give_up(tmp_path):
    path, shares = tmp_path / "tree", []
    assert _write(path, lambda progress: progress(0.5) or b"all", shares.append) == path
    assert (shares, path.read_bytes()) == ([0.5, 1.0], b"all")
