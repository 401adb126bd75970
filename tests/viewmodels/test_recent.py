"""Recent files: whether they are still there."""

import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer

from guiapp.viewmodels.recent import RecentFiles
from guiapp.viewmodels.settings import Settings

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def make_recent(tmp_path):
    made = []

    def make(paths, *is_there):
        made.append(RecentFiles(Settings(tmp_path / "settings.json"), *is_there))
        for path in paths:
            made[-1].add(path, FakeTokenizer().vocabulary)
        return made[-1]

    yield make
    for recent in made:
        recent.stop()


def test_files_that_are_gone_or_cannot_be_looked_for_are_missing(make_recent, qtbot, tmp_path):
    there, gone, impossible = tmp_path / "there", tmp_path / "gone", tmp_path / ("x" * 5000)
    there.touch()
    recent = make_recent([there, gone, impossible])
    assert not recent.missing
    recent.look_for_missing()
    qtbot.waitUntil(lambda: recent.missing == {str(gone), str(impossible)})
    gone.touch()
    recent.look_for_missing()
    qtbot.waitUntil(lambda: recent.missing == {str(impossible)})


def test_a_disk_that_does_not_answer_keeps_nobody_waiting(make_recent, qtbot, tmp_path):
    may_answer = threading.Event()

    def is_there(path):
        return not path.endswith("far") or not may_answer.wait(PATIENCE_S)

    recent = make_recent([tmp_path / "far"], is_there)
    recent.look_for_missing()
    assert not recent.missing
    with qtbot.waitSignal(recent.changed):
        may_answer.set()
    assert recent.missing == {str(tmp_path / "far")}
