"""Jobs off the GUI thread."""

import subprocess
import sys
import threading
import time

import pytest
import shiboken6
from conftest import PATIENCE_S

from guiapp.errors import TokenloupeError
from guiapp.kit.state import background
from guiapp.kit.state.background import (
    Background,
    LatestJob,
    NotReadyError,
    Working,
    Writer,
    is_any_job_running,
)
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


def test_a_hanging_job_blocks_neither_the_next_one_nor_the_exit(job, qtbot, monkeypatch):
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


def test_a_job_may_be_deleted_while_its_thread_reports(qtbot, monkeypatch):
    """As a check of the thread's would be too late: what it then uses is gone, and the program crashes."""
    asking, is_valid = [], shiboken6.isValid
    reported, jobs = threading.Event(), [LatestJob[object]() for _ in range(20)]
    monkeypatch.setattr(
        shiboken6, "isValid", lambda each: asking.append(threading.current_thread()) or is_valid(each)
    )
    for job in jobs:
        job.start(lambda progress: [progress(share / 100) for share in range(100)])
    endings = [job._has_ended for job in jobs]
    for job in jobs[1:]:
        shiboken6.delete(job)
    jobs[0].done.connect(reported.set)
    assert all(ending.wait(PATIENCE_S) for ending in endings)
    qtbot.waitUntil(reported.is_set)
    assert set(asking) == {threading.main_thread()}


def test_all_is_done_in_order_before_finish_returns():
    writer, done = Writer("test"), []
    for number in range(200):
        writer.submit(done.append, number)
    writer.submit(time.sleep, 0.02)
    writer.submit(lambda *, number: done.append(number), number=-1)
    writer.finish()
    assert done == [*range(200), -1]


def test_an_exception_is_reported_and_later_tasks_are_done(monkeypatch):
    reported, done = [], []
    monkeypatch.setattr(threading, "excepthook", reported.append)
    writer = Writer("test")
    writer.submit(int, "no number")
    writer.submit(done.append, 1)
    writer.finish()
    assert done == [1]
    assert [args.exc_type for args in reported] == [ValueError]


def test_python_ends_when_all_is_done(tmp_path):
    place = tmp_path / "written"
    code = (
        "import sys, time; from pathlib import Path; from guiapp.kit.state.background import Writer; "
        "writer = Writer('test'); writer.submit(time.sleep, 0.2); "
        "writer.submit(Path(sys.argv[1]).write_text, 'all')"
    )
    subprocess.run([sys.executable, "-c", code, str(place)], check=True, timeout=60)
    assert place.read_text() == "all"


class Inputs:
    """What a value is computed from, and how often that was begun."""

    def __init__(self):
        self.number, self.is_ready, self.n_prepared, self.gate = 1, True, 0, threading.Event()
        self.gate.set()

    def prepare(self):
        if not self.is_ready:
            raise NotReadyError
        self.n_prepared += 1
        number = self.number
        return None if number is None else lambda progress: self.doubled(number)

    def doubled(self, number):
        self.gate.wait(PATIENCE_S)
        if number < 0:
            raise TokenloupeError("Choose another number.")
        return 2 * number


@pytest.fixture
def inputs():
    return Inputs()


@pytest.fixture
def value(inputs, qapp):
    made = Background[int](None, inputs.prepare)
    yield made
    inputs.gate.set()
    made.close()


def test_a_value_is_computed_and_updated_only_while_watched(inputs, value, qtbot):
    value.refresh()
    assert (inputs.n_prepared, value.is_busy, value.value) == (0, False, None)
    value.watch(True)
    qtbot.waitUntil(lambda: value.value == 2)
    value.watch(True)
    assert (inputs.n_prepared, value.is_busy, value.is_current) == (1, False, True)
    inputs.number = 3
    value.refresh(20)
    assert (value.value, value.is_current, value.is_busy) == (2, False, True)  # the old one until then
    qtbot.waitUntil(lambda: value.value == 6)
    value.watch(False)
    inputs.number = 4
    value.refresh()
    assert (value.is_busy, value.is_current) == (False, False)
    value.watch(True)
    qtbot.waitUntil(lambda: value.value == 8)


def test_the_newest_inputs_win_and_the_longest_pause_counts(inputs, value, qtbot):
    value.watch(True)
    inputs.gate.clear()
    inputs.number = 5
    value.refresh(1)
    qtbot.waitUntil(lambda: inputs.n_prepared == 2)
    inputs.number = 6
    value.refresh(30)
    value.refresh(1)
    assert inputs.n_prepared == 2
    inputs.gate.set()
    qtbot.waitUntil(lambda: value.is_current)
    assert (value.value, inputs.n_prepared) == (12, 3)


def test_there_may_be_no_value_yet_or_none_at_all_or_a_reason_for_that(inputs, value, qtbot):
    inputs.is_ready = False
    value.watch(True)
    assert (value.is_busy, value.is_current) == (False, False)
    inputs.is_ready, inputs.number = True, -1
    value.refresh()
    qtbot.waitUntil(lambda: value.is_current)
    assert (value.value, value.problem) == (None, "Choose another number.")
    inputs.number = 1
    value.refresh()
    qtbot.waitUntil(lambda: value.is_current)
    assert (value.value, value.problem) == (2, "")
    inputs.number = None
    value.refresh()
    qtbot.waitUntil(lambda: value.is_current)
    assert value.value is None
    value.forget()
    assert (value.is_current, value.is_busy) == (False, False)


def test_a_value_ends_with_its_owner(inputs, qtbot):
    owner = Working()
    value = Background[int](owner, inputs.prepare, is_watched=True)
    value.refresh(10_000)
    owner.close()
    assert not value.is_busy
