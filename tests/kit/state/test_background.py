"""Jobs off the GUI thread."""

import threading

import pytest
import shiboken6
from conftest import PATIENCE_S
from told import told_by

from guiapp.errors import TokenloupeError
from guiapp.kit.state import background
from guiapp.kit.state.background import LatestJob, is_any_job_running
from guiapp.native.checkpoint import checkpoint


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


def test_a_new_job_has_told_nothing_and_is_told_once_as_busy(job, qtbot):
    told = told_by(job)
    assert (job.is_busy, job.progress) == (False, 0.0)
    gate = threading.Event()
    job.start(lambda progress: progress(0.5) or gate.wait(PATIENCE_S))
    qtbot.waitUntil(lambda: job.progress == 0.5)
    assert told == ["busy_changed", "progress_changed"]
    job.start(lambda progress: progress(0.5) or 7)
    assert (job.progress, job.is_busy) == (0.0, True)
    assert told == ["busy_changed", "progress_changed"]
    gate.set()
    with qtbot.waitSignal(job.done) as done:
        pass
    assert done.args == [7]
    assert told == ["busy_changed", "progress_changed", "progress_changed", "busy_changed", "done"]
    job.cancel()
    assert told[-1] == "done"


def test_less_than_a_thousandth_is_not_told_and_nothing_goes_back(job, qtbot):
    shares = []
    job.progress_changed.connect(lambda: shares.append(job.progress))

    def work(progress):
        for share in (0.0, 0.0005, 0.001, 0.0015, 0.5, 0.25, 0.5, 1.0):
            progress(share)

    with qtbot.waitSignal(job.done):
        job.start(work)
    assert shares == [0.001, 0.5, 1.0]


def test_late_reports_are_not_told(job, qtbot):
    told = told_by(job)
    job._note_progress(job._generation, 500)
    assert (job.progress, told) == (0.0, [])
    job.start(lambda progress: None)
    job._note_progress(job._generation - 1, 500)
    assert (job.progress, told) == (0.0, ["busy_changed"])
    job._finish(job._generation - 1, "late", None)
    assert told == ["busy_changed"]


def test_the_next_job_begins_when_the_one_before_has_ended(job, qtbot):
    order, gate = [], threading.Event()
    job.start(lambda progress: gate.wait(PATIENCE_S) and order.append("first"))
    job.start(lambda progress: order.append("second"))
    gate.set()
    with qtbot.waitSignal(job.done):
        pass
    assert order[-1] == "second"


def test_finishing_waits_and_gives_nothing_up(job, qtbot):
    gate, results = threading.Event(), []
    job.done.connect(results.append)
    job.start(lambda progress: gate.wait(PATIENCE_S) and "all")
    threading.Timer(0.05, gate.set).start()
    job.finish(PATIENCE_S)
    assert not is_any_job_running()
    qtbot.waitUntil(lambda: results == ["all"])


def test_a_job_that_is_given_up_before_it_began_is_not_done(job, qtbot):
    gate, done = threading.Event(), []
    job.start(lambda progress: gate.wait(PATIENCE_S))
    job.start(lambda progress: done.append(True))
    job.cancel()
    gate.set()
    job.wait()
    assert done == []


def test_an_object_that_is_gone_is_told_nothing(qapp):
    gate, job = threading.Event(), LatestJob[object]()
    job.start(lambda progress: gate.wait(PATIENCE_S))
    has_ended = job._has_ended
    shiboken6.delete(job)
    gate.set()
    assert has_ended.wait(PATIENCE_S)


def test_a_job_may_be_deleted_at_the_very_moment_at_which_its_thread_tells_something(qtbot, monkeypatch):
    """As a check of the thread's would be too late: what it then uses is gone, and the program crashes."""
    asking, is_valid = [], shiboken6.isValid
    told, jobs = threading.Event(), [LatestJob[object]() for _ in range(20)]
    monkeypatch.setattr(
        shiboken6, "isValid", lambda each: asking.append(threading.current_thread()) or is_valid(each)
    )
    for job in jobs:
        job.start(lambda progress: [progress(share / 100) for share in range(100)])
    endings = [job._has_ended for job in jobs]
    for job in jobs[1:]:
        shiboken6.delete(job)
    jobs[0].done.connect(told.set)
    assert all(ending.wait(PATIENCE_S) for ending in endings)
    qtbot.waitUntil(told.is_set)
    assert set(asking) == {threading.main_thread()}
