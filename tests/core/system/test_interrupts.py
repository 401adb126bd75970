"""Ctrl+C ends every command soon, without a traceback, whatever it does or waits for."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

SOON_S = 2.5  # a second, on a busy machine
PATIENCE_S = 60.0
TEXT = "It was the best of times, it was the worst of times: café 東京 12345.\n" * 400_000
FILES = {
    "text": TEXT,
    "a": "a" * 3_000_000,
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


@pytest.mark.parametrize("what", STUCK)
@pytest.mark.parametrize("whole_group", [True, False])
def test_what_waits_for_something_else_ends_soon(what, whole_group, folder):
    code = f"def wait(_arguments):\n    {STUCK[what]}\n    time.sleep(60)\nguiapp.cli.run = wait\nmain()"
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
