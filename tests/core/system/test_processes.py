"""A process of the program's own runs the package that the program runs."""

import io
import os
import signal
import subprocess
import sys
import tempfile

import numpy as np
import pytest

import guiapp
from guiapp.analysis.search import in_tokens_worker
from guiapp.analysis.search.in_text_worker import request
from guiapp.core.processes import (
    ApartError,
    PersistentProcess,
    answer_of,
    command_of,
    environment,
    how_it_ended,
    last_line,
    limit_memory,
    read_frame,
    write_frame,
)


def test_a_package_of_the_same_name_in_the_present_folder_is_not_taken(tmp_path):
    (tmp_path / "guiapp").mkdir()
    (tmp_path / "guiapp" / "__init__.py").write_text("raise SystemExit('the wrong one')\n")
    command = [*command_of("guiapp"), "--version"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert ran.stdout.split() == ["tokenloupe", guiapp.__version__]


def never_stop(share):
    """Somebody who goes on waiting."""


class NobodyWaitsError(Exception):
    """Raised in place of an answer that nobody wants any more."""


def test_a_process_is_python_with_the_same_packages(monkeypatch):
    assert command_of("a.b") == (sys.executable, "-P", "-m", "a.b")
    monkeypatch.setattr(sys, "path", ["", "one", "two"])
    monkeypatch.setenv("PYTHONPATH", "three")
    monkeypatch.setattr(tempfile, "tempdir", "own")
    own = {"PYTHONPATH": os.pathsep.join(["one", "two"]), "TMPDIR": "own"}
    assert environment() == {**os.environ, **own}


@pytest.mark.parametrize(
    ("complaint", "line"),
    [(b"", ""), (b"one", "one"), (b"one\n two \n\n  \n", "two"), (b"\xff\n", "\ufffd"), (b"a\r\nb\r\n", "b")],
)
def test_of_a_complaint_the_last_line_tells(complaint, line):
    assert last_line(complaint) == line


def test_a_process_answers_while_somebody_waits():
    shares = []
    answer = answer_of("guiapp.analysis.search.in_text_worker", request("^a", True, 9, b"ab"), shares.append)
    assert np.frombuffer(answer, np.int64).tolist() == [0, 1]
    assert set(shares) == {0.0}


def test_a_process_that_takes_too_long_is_ended():
    message = request("^(a+)+$b", True, 9, b"a" * 40)
    with pytest.raises(TimeoutError):
        answer_of("guiapp.analysis.search.in_text_worker", message, never_stop, 0.1)


def test_memory_is_limited_by_what_is_asked(monkeypatch):
    resource = pytest.importorskip("resource")
    limits = []
    monkeypatch.setattr(resource, "setrlimit", lambda what, limit: limits.append((what, limit)))
    limit_memory(b"1234")
    assert limits == [(resource.RLIMIT_AS, ((1 << 30) + 48, (1 << 30) + 48))]


def test_a_process_that_nobody_waits_for_is_ended():
    def stop(share):
        raise NobodyWaitsError

    with pytest.raises(NobodyWaitsError):
        answer_of("guiapp.analysis.tree.trials", b"", stop)
    with pytest.raises(ApartError, match="JSONDecodeError"):
        answer_of("guiapp.analysis.tree.trials", b"", never_stop)


def test_frames_are_read_as_they_were_written_and_none_where_the_stream_ends_within_one():
    stream = io.BytesIO()
    for data in (b"one", b"", b"two" * 100):
        write_frame(stream, data)
    whole = stream.getvalue()
    stream.seek(0)
    assert [read_frame(stream) for _ in range(4)] == [b"one", b"", b"two" * 100, None]
    assert [read_frame(io.BytesIO(whole[:size])) for size in (0, 1, 7, 10)] == [None] * 4
    assert read_frame(io.BytesIO(whole[:11])) == b"one"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (0, "It ended with status 0."),
        (3, "It ended with status 3."),
        (-signal.SIGTERM, "It crashed: SIGTERM."),
        (-9999, "It crashed: signal 9999."),
    ],
)
def test_how_a_process_ended_is_a_sentence(status, said):
    assert how_it_ended(status) == said


def test_a_kept_process_answers_again_and_again_until_it_is_closed_and_then_anew():
    kept = PersistentProcess(in_tokens_worker.__name__)
    tokens = in_tokens_worker.request(np.frombuffer(b"abab", np.uint8), np.array([0, 1, 2, 4]))
    assert not kept.is_running
    for _ in range(2):
        assert kept.answer(tokens, never_stop, 60.0) == b""
        assert kept.is_running
        found = [kept.answer(pattern, never_stop, 60.0) for pattern in (b"a", b"b", b"c")]
        assert [np.frombuffer(each, np.int32).tolist() for each in found] == [[0, 2], [1, 2], []]
        kept.close()
        assert not kept.is_running


def test_a_kept_process_is_ended_where_nobody_waits_where_it_takes_too_long_and_where_it_fails():
    def stop(share):
        raise NobodyWaitsError

    tokens = in_tokens_worker.request(np.frombuffer(b"a" * 40, np.uint8), np.array([0, 40]))
    asked = (
        (NobodyWaitsError, b"a", stop, 60.0),
        (TimeoutError, b"^(a+)+$b", never_stop, 0.1),
        (ApartError, b"(", never_stop, 60.0),
    )
    for error, pattern, progress, longest_s in asked:
        kept = PersistentProcess(in_tokens_worker.__name__)
        kept.answer(tokens, never_stop, 60.0)
        with pytest.raises(error):
            kept.answer(pattern, progress, longest_s)
        assert not kept.is_running
