"""Recent files: whether they are still there."""

import threading
from dataclasses import replace

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer

from guiapp.kit.state.recent import KEPT, RecentFile, RecentFiles, RecentTexts
from guiapp.kit.state.settings import Settings

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def make_recent(tmp_path):
    made = []

    def make(paths, *is_there):
        settings = Settings(tmp_path / "settings.ini")
        made.append(RecentFiles(settings, *is_there))
        made[-1].settings = settings
        for path in paths:
            made[-1].add(path, FakeTokenizer().vocabulary)
        return made[-1]

    yield make
    for recent in made:
        recent.close()


def test_files_that_are_gone_or_cannot_exist_are_missing(make_recent, qtbot, tmp_path):
    there, gone, impossible = tmp_path / "there", tmp_path / "gone", tmp_path / ("x" * 5000)
    there.touch()
    recent = make_recent([there, gone, impossible])
    assert not recent.missing
    recent.check_missing()
    qtbot.waitUntil(lambda: recent.missing == {str(gone), str(impossible)})
    gone.touch()
    recent.check_missing()
    qtbot.waitUntil(lambda: recent.missing == {str(impossible)})


def test_a_disk_that_does_not_answer_does_not_block(make_recent, qtbot, tmp_path):
    may_answer = threading.Event()

    def is_there(path):
        return not path.endswith("far") or not may_answer.wait(PATIENCE_S)

    recent = make_recent([tmp_path / "far"], is_there)
    recent.check_missing()
    assert not recent.missing
    with qtbot.waitSignal(recent.changed):
        may_answer.set()
    assert recent.missing == {str(tmp_path / "far")}


@pytest.mark.parametrize("spoiled", ["", "{", "7", "null", "[1, [2]]", "[" * 100_000])
def test_a_spoiled_list_is_an_empty_one(tmp_path, spoiled):
    settings = Settings(tmp_path / "settings.ini")
    settings.recent_texts = spoiled
    assert RecentTexts(settings).paths == ()
    settings.recent_files = spoiled
    assert RecentFiles(settings).files == ()


def test_the_number_of_recent_texts_is_limited(tmp_path):
    recent = RecentTexts(Settings(tmp_path / "settings.ini"))
    for number in range(KEPT + 3):
        recent.add(tmp_path / str(number))
    assert len(recent.paths) == KEPT
    assert recent.paths[0].endswith(str(KEPT + 2))


def test_the_last_opened_file_comes_first_and_is_saved(make_recent, qtbot, tmp_path):
    first, second = (str(tmp_path / name) for name in ("first", "second"))
    recent = make_recent([tmp_path / "first", tmp_path / "second", tmp_path / "first"])
    assert recent.paths == (first, second)
    with qtbot.assertNotEmitted(recent.changed):
        recent.add(tmp_path / "first", FakeTokenizer().vocabulary)
    vocabulary = replace(FakeTokenizer().vocabulary, chosen_pre="qwen2")
    with qtbot.waitSignal(recent.changed):
        recent.add(tmp_path / "second", vocabulary, "my name")
    assert recent.files[0] == RecentFile(
        second, "my name", vocabulary.type.value, "", len(vocabulary), "qwen2"
    )
    again = RecentFiles(recent.settings)
    assert again.files == recent.files
    assert [again.chosen_pre(path) for path in (second, first, "third")] == ["qwen2", None, None]
    with qtbot.waitSignal(again.changed):
        again.clear()
    assert again.paths == RecentFiles(recent.settings).paths == ()
