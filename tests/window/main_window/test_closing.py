"""Closing the real window: when it asks, and what it waits for."""

import os

import pytest
from main_window_driver import Answers

from guiapp.kit.state.background import Background, LatestJob
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.notices import SaveAnswer
from guiapp.window.app import build

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("answer", list(SaveAnswer))
def test_closing_asks_only_about_a_changed_file(shell, qtbot, tmp_path, answer):
    path = tmp_path / "words.txt"
    assert shell.session.text.save(path)
    shell.session.document.replace(0, 3, b"two")
    shell.window.questions.closing = answer
    assert shell.window.close() is (answer is not SaveAnswer.CANCEL)
    assert path.read_bytes() == (b"two two three" if answer is SaveAnswer.SAVE else b"one two three")


@pytest.fixture
def unkept(shell, tmp_path):
    """No text can be kept."""
    (tmp_path / "texts").touch()


@pytest.mark.parametrize("answer", list(SaveAnswer))
def test_closing_asks_about_a_text_that_cannot_be_autosaved(shell, tmp_path, unkept, answer):
    path = tmp_path / "words.txt"
    shell.session.document.insert(b"words ")
    shell.window.questions.closing, shell.window.questions.save_place = answer, path
    assert shell.window.close() is (answer is not SaveAnswer.CANCEL)
    assert path.exists() is (answer is SaveAnswer.SAVE)


def test_closing_does_not_ask_where_no_folder_can_be_written(shell, unkept, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    shell.session.document.insert(b"words ")
    assert shell.window.close()


def test_an_autosaved_text_closes_without_a_question(shell):
    shell.session.document.insert(b"word ")
    assert shell.window.close()


def test_no_place_to_save_is_no_reason_to_close(shell, unkept):
    shell.session.document.insert(b"words ")
    shell.window.questions.closing = SaveAnswer.SAVE
    assert not shell.window.close()


def test_a_sample_without_a_file_closes_without_a_question(shell):
    shell.window.actions_table["sample:english"].trigger()
    assert shell.window.close()


def test_closing_asks_if_the_autosave_folder_is_unusable(make_shell, qtbot, tmp_path):
    (tmp_path / "texts").touch()  # no folder
    shell = make_shell()
    qtbot.keyClicks(shell.window.inspect_page.editor, "typed ")
    assert not shell.window.close()
    assert any("cannot be autosaved" in notice.message for notice in shell.window.notices.notices)
    shell.window.questions.closing = SaveAnswer.DISCARD
    assert shell.window.close()


def test_closing_waits_for_all_background_work(qapp, qtbot, tmp_path, monkeypatch):
    started, waited = set(), set()
    start, wait = LatestJob.start, LatestJob.wait
    monkeypatch.setattr(LatestJob, "start", lambda job, work: (started.add(job), start(job, work)))
    monkeypatch.setattr(LatestJob, "wait", lambda job: (waited.add(job), wait(job)))
    shell = build(qapp, Settings(tmp_path / "settings.ini"), b"text", questions=Answers())
    qtbot.addWidget(shell.window)
    shell.window.show()
    shell.session.loader.open("demo:toy")
    for page in ("tree", "steps", "bench"):
        shell.window.actions_table[page].trigger()
    qtbot.waitUntil(lambda: "TokenDetailsModel" in owners(started))
    shell.stop()
    assert owners(started - waited) == set()


def owners(jobs):
    """The names of their parents' classes, and of those of background values."""
    parents = [job.parent() for job in jobs]
    parents += [each.parent() for each in parents if isinstance(each, Background)]
    return {type(each).__name__ for each in parents}
