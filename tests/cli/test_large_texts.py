"""Commands read and print long texts a part at a time: their memory does not grow with the text."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from guiapp.core.demo import sample_text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it does not tell memory so")
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
COMMAND = sys.executable, "-m", "guiapp"


PEAK = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True)" + (
    "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
)


def peak_bytes(words, input_path, output_path):
    """By a small process: those that a large one starts count its memory as theirs."""
    with open(input_path, "rb") as stdin, open(output_path, "wb") as stdout:
        words = [sys.executable, "-c", PEAK, *COMMAND, *words]
        completed = subprocess.run(words, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, check=True)
    return int(completed.stderr) * (1 if sys.platform == "darwin" else 1024)


def write_text(path, n_bytes):
    unit = sample_text("languages") + sample_text("code")
    path.write_bytes(unit * (n_bytes // len(unit) + 1))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("form", ["ids", "json"])
def test_four_times_the_text_takes_no_more_memory(form, tmp_path):
    peaks = [
        peak_bytes(
            ["tokenize", "demo:bpe", "--format", form],
            write_text(tmp_path / "text", size << 20),
            tmp_path / "out",
        )
        for size in (4, 16)
    ]
    assert peaks[1] - peaks[0] < 4 << 20


def test_endless_input_ends_on_a_closed_pipe_or_an_interrupt():
    for signal_number, status in ((None, 0), (signal.SIGINT, 130)):
        with (
            subprocess.Popen(["yes", "lions and cubs"], stdout=subprocess.PIPE) as yes,
            subprocess.Popen([*COMMAND, "tokenize", "demo:spm"], stdin=yes.stdout, **PIPES) as tokenize,
        ):
            assert tokenize.stdout.read(1 << 20).startswith(b"1 ")
            started = time.monotonic()
            if signal_number is None:
                tokenize.stdout.close()
            else:
                tokenize.send_signal(signal_number)
                tokenize.stdout.read()
            assert (tokenize.wait(10), tokenize.stderr.read()) == (status, b"")
            assert time.monotonic() - started < 5
            yes.kill()
