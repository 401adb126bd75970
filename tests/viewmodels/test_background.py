"""Jobs off the GUI thread."""

import threading

import pytest
from conftest import PATIENCE_S

from guiapp.core.errors import TokenloupeError
from guiapp.core.system.checkpoint import checkpoint
from guiapp.viewmodels import background
from guiapp.viewmodels.background import LatestJob, is_any_job_running


@pytest.fixture
def job(qapp):
    made = LatestJob[object]()
    yield made
    made.wait()


def test_a_result_arrives_in_the_thread_of_the_caller(job, qtbot):
    threads = []
    job.done.connect(lambda result: threads.append((result, threading.get_ident())))
    with qtbot.waitSignal(job.done):
        job.start(lambda progress: threading.get_ident())
    assert threads[0][0] != threading.get_ident()
    assert threads[0][1] == threading.get_ident()


def test_only_the_newest_of_several_jobs_delivers(job, qtbot):
    may_end = threading.Event()
    results = []
    job.done.connect(results.append)

    def slow(progress):
        may_end.wait(PATIENCE_S)
        return "old"

    job.start(slow)
    job.start(lambda progress: "never runs")
    job.start(lambda progress: "new")
    with qtbot.waitSignal(job.done):
        may_end.set()
    assert results == ["new"]


def test_a_superseded_job_stops_at_its_next_report(job, qtbot):
    has_begun, may_go_on, stopped = threading.Event(), threading.Event(), threading.Event()

    def obsolete(progress):
        has_begun.set()
        may_go_on.wait(PATIENCE_S)
        try:
            progress(0.5)
        finally:
            stopped.set()
        raise AssertionError("it went on")

    job.start(obsolete)
    assert has_begun.wait(PATIENCE_S)
    job.cancel()
    may_go_on.set()
    assert stopped.wait(PATIENCE_S)
    assert not job.is_busy


def test_an_error_of_the_user_becomes_a_sentence(job, qtbot):
    def fail(progress):
        raise TokenloupeError("Choose another file.")

    with qtbot.waitSignal(job.failed) as failed:
        job.start(fail)
    assert failed.args == ["Choose another file."]
    assert not job.is_busy


def test_a_mistake_of_ours_reaches_the_excepthook(job, qtbot):
    def fail(progress):
        raise ZeroDivisionError("a mistake")

    with qtbot.capture_exceptions() as caught:
        job.start(fail)
        qtbot.waitUntil(lambda: bool(caught))
    assert caught[0][0] is ZeroDivisionError
    assert not job.is_busy


def test_progress_is_reported_while_the_job_runs(job, qtbot):
    may_end = threading.Event()

    def work(progress):
        progress(0.25)
        may_end.wait(PATIENCE_S)

    with qtbot.waitSignal(job.progress_changed):
        job.start(work)
    assert job.progress == 0.25
    with qtbot.waitSignal(job.done):
        may_end.set()


def test_a_job_that_hangs_keeps_neither_the_next_one_nor_the_end_waiting(job, qtbot, monkeypatch):
    monkeypatch.setattr(background, "PATIENCE_S", 0.01)
    monkeypatch.setattr(background, "PATIENCE_AT_THE_END_S", 0.01)
    has_begun, may_end, results = threading.Event(), threading.Event(), []
    job.done.connect(results.append)

    def hang(progress):
        has_begun.set()
        return may_end.wait(PATIENCE_S)

    job.start(hang)
    assert has_begun.wait(PATIENCE_S)
    with qtbot.waitSignal(job.done):
        job.start(lambda progress: "of the next")
    job.start(hang)
    job.wait()
    assert is_any_job_running()
    may_end.set()
    qtbot.waitUntil(lambda: not is_any_job_running())
    assert results == ["of the next"]


def test_a_cancelled_job_stops_at_its_next_checkpoint(job):
    has_begun, may_go_on, went_on = threading.Event(), threading.Event(), []

    def work(progress):
        has_begun.set()
        may_go_on.wait(PATIENCE_S)
        checkpoint()
        went_on.append(True)

    job.start(work)
    assert has_begun.wait(PATIENCE_S)
    job.cancel()
    may_go_on.set()
    job.wait()
    assert not is_any_job_running()
    assert went_on == []
