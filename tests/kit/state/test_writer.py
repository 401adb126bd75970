"""What is written in a thread is written in order, all of it, and whatever goes wrong is told."""

import subprocess
import sys
import threading
import time

from guiapp.kit.state.background import Writer


def test_all_is_done_in_order_before_finish_returns():
    writer, done = Writer("test"), []
    for number in range(200):
        writer.submit(done.append, number)
    writer.submit(time.sleep, 0.02)
    writer.submit(lambda *, number: done.append(number), number=-1)
    writer.finish()
    assert done == [*range(200), -1]


def test_it_goes_on_after_a_pause():
    writer, done = Writer("test"), []
    writer.finish()
    for number in range(3):
        writer.submit(done.append, number)
        writer.finish()
    assert done == [0, 1, 2]
    assert "test" not in [thread.name for thread in threading.enumerate()]


def test_many_threads_may_submit():
    writer, done = Writer("test"), []

    def submit():
        for _ in range(500):
            writer.submit(done.append, 1)

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.finish()
    assert len(done) == 2000


def test_a_mistake_is_told_and_the_rest_is_done(monkeypatch):
    told, done = [], []
    monkeypatch.setattr(threading, "excepthook", told.append)
    writer = Writer("test")
    writer.submit(int, "no number")
    writer.submit(done.append, 1)
    writer.finish()
    assert done == [1]
    assert [args.exc_type for args in told] == [ValueError]


def test_python_ends_when_all_is_done(tmp_path):
    place = tmp_path / "written"
    code = (
        "import sys, time; from pathlib import Path; from guiapp.kit.state.background import Writer; "
        "writer = Writer('test'); writer.submit(time.sleep, 0.2); "
        "writer.submit(Path(sys.argv[1]).write_text, 'all')"
    )
    subprocess.run([sys.executable, "-c", code, str(place)], check=True, timeout=60)
    assert place.read_text() == "all"
