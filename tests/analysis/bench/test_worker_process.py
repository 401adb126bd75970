"""Real worker processes: they answer, take what was chosen, and know what they hold."""

from __future__ import annotations

import time

import pytest

from guiapp import open_model
from guiapp.analysis.bench.worker import (
    ContenderFailed,
    TookTooLong,
    Worker,
    WorkerProcess,
)
from guiapp.analysis.libraries.custom import CustomContender
from guiapp.core import processes as memory

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
    expected = whole.encode(text, add_special=False, parse_special=False).token_ids
    assert tokens.ids.tolist() == expected.tolist()


def test_a_contender_splits_as_was_chosen():
    worker = Worker("demo:bpe", "fast", "qwen2")
    worker.load()
    text = b"12345 apples"
    tokens = worker.prepare("encode", (text,), 1)
    chosen = open_model("demo:bpe", "qwen2")
    expected = chosen.encode(text, add_special=False, parse_special=False).token_ids.tolist()
    assert tokens.ids.tolist() == expected
    assert expected != open_model("demo:bpe").encode(text, False, False).token_ids.tolist()


def test_the_limit_is_for_one_call_not_for_all_that_prepare(tmp_path):
    module = tmp_path / "slow_module.py"
    module.write_text(
        "import time\n"
        "def encode(text):\n"
        "    time.sleep(0.4 if text == 'slow' else 60 if text == 'endless' else 0)\n"
        "    return [1]\n"
    )
    function = CustomContender("slow", "python", f"{tmp_path}/slow_module:encode")
    process = WorkerProcess("demo:bpe", "slow", 1, lambda: False, None, function)
    process.ask(60, "load")
    process.ask(1.0, "prepare", "encode", (b"slow",), 1)  # three calls of it
    started = time.monotonic()
    with pytest.raises(TookTooLong, match=r"within 1 s\."):
        process.ask(1.0, "prepare", "encode", (b"endless",), 1)
    assert time.monotonic() - started < 5
    process.end()


def test_a_library_error_is_reported_and_the_worker_continues(process):
    with pytest.raises(ContenderFailed, match="KeyError"):
        process.ask(60, "prepare", "dream", (TEXT,), 1)
    assert process.ask(60, "sample", "encode").wall_s > 0


@pytest.fixture
def system(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "STATUS", tmp_path / "status")
    monkeypatch.setattr(memory, "CLEAR_REFS", tmp_path / "clear")
    (tmp_path / "status").write_text("Name:\tpython\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\nVmRSSX: 1 kB\n")
    return tmp_path


def test_current_and_peak_memory_are_reported_in_bytes(system):
    assert memory.held_bytes() == 200 * 1024
    called = []
    assert memory.peak_bytes_during(lambda: called.append((system / "clear").read_text())) == 300 * 1024
    assert called == ["5"]
