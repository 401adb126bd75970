"""A process of the program's own runs the package that the program runs."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import guiapp
from guiapp.analysis.search import in_tokens_worker
from guiapp.analysis.search.in_text_worker import request
from guiapp.core.interrupts import give_holes_back
from guiapp.core.processes import (
    ApartError,
    PersistentProcess,
    answer_of,
    command_of,
    environment,
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


class AbandonedError(Exception):
    """Raised in place of an answer that nobody wants any more."""


@pytest.mark.parametrize(
    ("complaint", "line"),
    [(b"", ""), (b"one", "one"), (b"one\n two \n\n  \n", "two"), (b"\xff\n", "\ufffd"), (b"a\r\nb\r\n", "b")],
)
def test_the_last_line_of_error_output_is_used(complaint, line):
    assert last_line(complaint) == line


def test_a_process_answers_a_waiting_caller():
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


def test_an_abandoned_process_is_ended():
    def stop(share):
        raise AbandonedError

    with pytest.raises(AbandonedError):
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


def test_a_persistent_process_answers_until_closed_and_restarts():
    retained = PersistentProcess(in_tokens_worker.__name__)
    tokens = in_tokens_worker.request(np.frombuffer(b"abab", np.uint8), np.array([0, 1, 2, 4]))
    assert not retained.is_running
    for _ in range(2):
        assert retained.answer(tokens, never_stop, 60.0) == b""
        assert retained.is_running
        answers = [retained.answer(pattern, never_stop, 60.0) for pattern in (b"a", b"b", b"c")]
        assert [np.frombuffer(each, np.int32).tolist() for each in answers] == [[0, 2], [1, 2], []]
        retained.close()
        assert not retained.is_running


def test_a_persistent_process_ends_on_abort_timeout_or_failure():
    def stop(share):
        raise AbandonedError

    tokens = in_tokens_worker.request(np.frombuffer(b"a" * 40, np.uint8), np.array([0, 40]))
    asked = (
        (AbandonedError, b"a", stop, 60.0),
        (TimeoutError, b"^(a+)+$b", never_stop, 0.1),
        (ApartError, b"(", never_stop, 60.0),
    )
    for error, pattern, progress, longest_s in asked:
        retained = PersistentProcess(in_tokens_worker.__name__)
        retained.answer(tokens, never_stop, 60.0)
        with pytest.raises(error):
            retained.answer(pattern, progress, longest_s)
        assert not retained.is_running


pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
    pytest.mark.slow,
]

SOON_S = 2.5  # a second, on a busy machine
PATIENCE_S = 60.0
TEXT = "It was the best of times, it was the worst of times: café 東京 12345.\n" * 400_000
FILES = {
    "text": TEXT,
    "a": "a" * 30_000_000,
    "endless.jinja": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "hi.json": json.dumps([{"role": "user", "content": "hi"}]),
}
COMMANDS = [
    "tokenize demo:bpe",  # waits for standard input, which stays open
    "tokenize demo:bpe -f a --encoder scan",
    "chat demo:bpe hi.json --template endless.jinja",
    "hunt demo:bpe tokenizers --seconds 60",
    "hunt demo:bpe demo:bpe --seconds 60",
    "bench demo:bpe --encoders fast,heap",
]
SLOW_COMMANDS = [
    "tokenize demo:bpe -f text --json",
    "compare demo:bpe demo:spm -f text",
    "step demo:bpe -f a --all",
    "train bpe --vocab-size 5000 -f text -o out.gguf",
    "bench field demo:bpe -o out.html",
    "screenshot --page hunt --beside demo:spm --hunt-seconds 60 -o out.png",
]
OFFSCREEN = "This plugin does not support propagateSizeHints()\n"
STUCK = {
    "native code": "import ctypes; lock = ctypes.create_string_buffer(99); at = ctypes.CDLL(None)\n"
    "    for _ in range(2): at.pthread_mutex_lock(lock)",
    "a thread": "import threading; threading.Thread(target=time.sleep, args=(60,)).start()",
    "its cleaning up": "\n    try: time.sleep(60)\n    finally: time.sleep(60)",
    "a process": "import subprocess\n"
    """    with subprocess.Popen(["sh", "-c", "trap '' INT; sleep 60"]): time.sleep(60)""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (made / name).write_text(text)
    return made


def started(arguments, folder):
    """A command that sees to its interrupts, as a terminal's: it leads a group of processes."""
    with (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            cwd=folder,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    deadline = time.monotonic() + PATIENCE_S
    while len(os.listdir(f"/proc/{process.pid}/task")) < 2:  # the other thread waits for interrupts
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


def in_session(process):
    """The ids of processes that a command has started and that are not yet dead, its own left out."""
    ids = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, session = file.read_text().rpartition(")")[2].split()[:4]
            if int(session) == process.pid and state not in "ZX":
                ids.append(int(file.parent.name))
    return sorted({*ids} - {process.pid})


def interrupted(process, folder, whole_group, times):
    """The exit status; fails where it does not end soon, tells a traceback, or leaves processes."""
    assert process.poll() is None
    began_s = time.monotonic()
    for _ in range(times):
        with suppress(ProcessLookupError):
            (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        time.sleep(0.05)
    try:
        status = process.wait(PATIENCE_S)
        assert time.monotonic() - began_s < SOON_S
        assert "Traceback" not in (folder / "stderr").read_text()
        return status
    finally:
        process.kill()
        process.wait()
        process.stdin.close()


@pytest.mark.parametrize(
    "command", [*COMMANDS, *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW_COMMANDS)]
)
def test_a_command_ends_soon(command, folder):
    process = started(["-m", "guiapp", *command.split()], folder)
    time.sleep(1.0)
    assert interrupted(process, folder, True, 4) in (130, 3)
    deadline = time.monotonic() + 10
    while left := in_session(process):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


@pytest.mark.parametrize("after_s", [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8])
def test_a_window_that_is_interrupted_while_it_starts_prints_nothing(after_s, folder):
    process = started(["-m", "guiapp"], folder)
    time.sleep(after_s)
    assert interrupted(process, folder, False, 1) in (130, -signal.SIGINT)
    assert (folder / "stderr").read_text() in ("", OFFSCREEN)


@pytest.mark.parametrize("what", STUCK)
@pytest.mark.parametrize("whole_group", [True, False])
def test_what_waits_for_something_else_ends_soon(what, whole_group, folder):
    code = f"def wait(_arguments):\n    {STUCK[what]}\n    time.sleep(60)\nguiapp.cli.main.run = wait\nmain()"
    process = started(
        ["-c", f"import time, guiapp.cli.main\nfrom guiapp.__main__ import main\n{code}"], folder
    )
    time.sleep(0.3)
    assert interrupted(process, folder, whole_group, 1) == 130
    for left in in_session(process):
        os.kill(left, signal.SIGKILL)


@pytest.mark.parametrize("command", COMMANDS[-2:])
def test_children_that_are_stopped_do_not_hold_up_their_parent(command, folder):
    process = started(["-m", "guiapp", *command.split()], folder)
    time.sleep(2.0)
    children = in_session(process)
    try:
        for child in children:
            os.kill(child, signal.SIGSTOP)
        assert len(children) > 1
        assert interrupted(process, folder, False, 1) in (130, 3)
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="another C library")
def test_holes_go_back():
    def resident_pages():
        return int(Path("/proc/self/statm").read_text().split()[1])

    blocks = [bytes(50_000) for _ in range(1_000)]
    retained, before = blocks[::10], resident_pages()
    del blocks
    give_holes_back()
    assert len(retained) == 100
    assert resident_pages() < before - 5_000
