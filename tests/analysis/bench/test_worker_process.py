"""Real worker processes: they answer, crash, hang and are gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from functools import partial

import pytest

from guiapp import open_model
from guiapp.analysis.bench.worker import OPENS, READS, WRITES, Worker, _answer
from guiapp.analysis.bench.worker_process import ContenderFailed, Stopped, WorkerLost, WorkerProcess
from guiapp.analysis.libraries.table import PEERS
from guiapp.analysis.libraries.written_models import RanksAndPattern

FIRST_WORKER = """
import os, signal
from guiapp.analysis.bench.worker_process import WorkerProcess
process = WorkerProcess("demo:bpe", "fast", 1, lambda: False)
os.kill(process._process.pid, signal.SIGINT)
assert process.ask(60, "load")
process.end()
"""
TEXT = b"the quick brown fox " * 20


def worker(name: str = "fast", shall_stop=lambda: False) -> WorkerProcess:
    return WorkerProcess("demo:bpe", name, 1, shall_stop)


@pytest.fixture(scope="module")
def process():
    process = worker()
    loaded = process.ask(120, "load")
    assert loaded.memory_bytes > 0
    process.ask(120, "prepare", "encode", (TEXT,), 1)
    yield process
    process.end()


def test_a_worker_prepares_and_samples(process):
    tokens = process.ask(120, "prepare", "encode", (TEXT,), 1)
    assert tokens.spans[-1, 1] == len(TEXT)
    sample = process.ask(60, "sample", "encode")
    assert 0 < sample.wall_s < 1
    assert process.ask(60, "memory", (TEXT,)) >= 0


@pytest.mark.parametrize("name", ["backtrack (unsplit)", "tokenizers (unsplit)"])
def test_a_contender_without_splitting_gives_the_ids_of_one_piece(name):
    if "tokenizers" in name:
        pytest.importorskip("tokenizers")
    worker = Worker("demo:bpe", name)
    worker.load()
    text = b"one two, three don't 12345 the  end\n\n of it"
    tokens = worker.prepare("encode", (text,), 1)
    whole = open_model("demo:bpe").without_splitting()
    wanted = whole.encode(text, add_special=False, parse_special=False).token_ids
    assert tokens.ids.tolist() == wanted.tolist()


def test_a_contender_splits_as_was_chosen():
    worker = Worker("demo:bpe", "fast", "qwen2")
    worker.load()
    text = b"12345 apples"
    tokens = worker.prepare("encode", (text,), 1)
    chosen = open_model("demo:bpe", "qwen2")
    wanted = chosen.encode(text, add_special=False, parse_special=False).token_ids.tolist()
    assert tokens.ids.tolist() == wanted
    assert wanted != open_model("demo:bpe").encode(text, False, False).token_ids.tolist()


def test_what_a_contender_raises_is_told_and_the_worker_lives_on(process):
    with pytest.raises(ContenderFailed, match="KeyError"):
        process.ask(60, "prepare", "dream", (TEXT,), 1)
    assert process.ask(60, "sample", "encode").wall_s > 0


def test_so_is_that_a_library_in_rust_panics():
    pytest.importorskip("tiktoken")
    worker = Worker("demo:bpe", "tiktoken")
    worker._build = partial(PEERS["tiktoken"].open, RanksAndPattern(r".", {b"a": 0}))
    worker._contender = worker._build()
    outcome, told = _answer(worker, "prepare", ["encode", (b"b c",), 1])
    assert outcome == "failed"
    assert told.startswith("PanicException: ")


def test_a_worker_ends_quietly_when_its_pipe_is_closed():
    process = worker()
    process.ask(120, "load")
    process._pipe.close()
    process._process.join(60)
    assert process._process.exitcode == 0
    assert process._process.daemon  # and with its parent in any case


def test_a_worker_that_dies_is_told_by_the_signal():
    process = worker()
    process.ask(120, "load")
    os.kill(process._process.pid, signal.SIGSEGV)
    with pytest.raises(WorkerLost, match="SIGSEGV"):
        process.ask(60, "sample", "encode")
    process.end()


def test_a_worker_that_hangs_is_ended_in_time():
    process = worker()
    process.ask(120, "load")
    os.kill(process._process.pid, signal.SIGSTOP)
    with pytest.raises(WorkerLost, match=r"within 0\.2 s"):
        process.ask(0.2, "sample")
    assert not process._process.is_alive()
    process.end()


def test_stopping_does_not_wait_for_the_answer():
    stopped = threading.Event()
    process = worker(shall_stop=stopped.is_set)
    process.ask(120, "load")
    os.kill(process._process.pid, signal.SIGSTOP)
    stopped.set()
    with pytest.raises(Stopped):
        process.ask(60, "sample", "encode")
    assert not process._process.is_alive()


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs signal masks")
def test_an_interrupt_while_a_worker_starts_is_none_of_its_business(capfd):
    process = worker()
    os.kill(process._process.pid, signal.SIGINT)  # before it can ignore it
    assert process.ask(120, "load")
    process.end()
    assert "KeyboardInterrupt" not in capfd.readouterr().err
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs signal masks")
def test_neither_is_one_while_the_first_worker_of_a_process_starts():
    ended = subprocess.run([sys.executable, "-c", FIRST_WORKER], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_it_does_is_told_before_it_answers_and_other_things_can_be_done_meanwhile():
    pytest.importorskip("tiktoken")
    process, stages = worker("tiktoken"), set()
    process.begin(120, "load")
    while not process.is_answered(0.001):
        stages.add(process.stage)
    assert process.answer().version
    assert process.stage == READS
    assert stages <= {"", OPENS, WRITES, READS}
    process.end()
