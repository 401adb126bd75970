"""Whole hunts in real worker processes: they find, count, repeat themselves, stop, and outlive crashes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import planted
import pytest

from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt import searching as worker
from guiapp.analysis.hunt.engine import NO_WORKER, HuntPlan, hunt, likely_pre
from guiapp.analysis.hunt.mismatches import Find, Hunt
from guiapp.analysis.libraries.table import PEERS
from guiapp.errors import TokenloupeError

pytestmark = pytest.mark.slow


PATIENCE_S, OPENING_S = 120.0, 2.0


def last(plan: HuntPlan, shall_stop=lambda: False) -> Hunt:
    states = list(hunt(plan, shall_stop))
    assert states[-1].is_over
    assert not any(state.is_over for state in states[:-1])
    return states[-1]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Paths of two that cut numbers otherwise."""
    folder = tmp_path_factory.mktemp("pair")
    paths = planted.Plant("", "demo:bpe", "gguf", planted.set_part(pre="qwen2"), ()).write(folder)
    return tuple(map(str, paths))


def small_plan(pair, **more) -> HuntPlan:
    return HuntPlan(*pair, seconds=PATIENCE_S, **{"most_batches": 8, "n_workers": 1} | more)


def test_a_mismatch_is_found_and_differing_lines_are_counted(pair, tmp_path):
    texts = tmp_path / "own.txt"
    texts.write_bytes(b"It was 1984.\n\nno number\r\n12 x\n" + b"word " * 1000)
    state = last(small_plan(pair, files=(str(texts),)))
    find = next(find for find in state.finds if find.reason.subject == "digits")
    assert len(find.text) == 2
    assert (state.n_lines, state.n_differing_lines, find.n_lines) == (6, 2, 2)  # long ones in parts
    assert state.share(find) == pytest.approx(2 / 6)
    assert [(place.line.number, place.line.start, place.at) for place in find.locations] == [
        (1, 0, 7),
        (4, 25, 0),
    ]
    assert state.n_batches == 8
    assert state.tried > state.n_lines
    assert [subject.name for subject in state.subjects] == ["first.gguf", "second.gguf"]
    assert state.subjects[0].sha256 != state.subjects[1].sha256


def test_the_same_seed_gives_the_same_texts_and_mismatches(pair):
    states = [last(small_plan(pair, n_workers=n_workers)) for n_workers in (1, 2)]
    assert states[0].tried == states[1].tried
    assert states[0].n_differing == states[1].n_differing


def test_equal_models_have_no_mismatches():
    state = last(HuntPlan("demo:spm", "demo:spm", seconds=PATIENCE_S, most_batches=30))
    assert state.finds == ()
    assert state.tried > 10_000
    assert state.n_batches == 30


def test_a_library_takes_part(pair):
    if not PEERS["llama.cpp"].is_installed:
        pytest.skip("llama.cpp is not installed")
    state = last(HuntPlan(pair[0], "llama.cpp", seconds=PATIENCE_S, most_batches=20))
    assert state.finds == ()
    assert state.subjects[1].version == PEERS["llama.cpp"].version


def test_a_stopped_hunt_ends_at_once_and_keeps_its_mismatches(pair):
    stopped = threading.Event()
    for state in hunt(HuntPlan(*pair, seconds=PATIENCE_S), stopped.is_set):
        if state.finds and not stopped.is_set():
            stopped.set()
            stopped_s = time.monotonic()
    assert time.monotonic() - stopped_s < 10
    assert state.is_over
    assert state.finds


def test_opening_ends_when_interrupted(pair, monkeypatch):
    monkeypatch.setattr("guiapp.analysis.hunt.engine.serve", serve_never)
    started_s = time.monotonic()
    state = last(HuntPlan(*pair, seconds=PATIENCE_S), lambda: time.monotonic() > started_s + 1)
    assert time.monotonic() - started_s < 10
    assert (state.tried, state.finds) == (0, ())
    assert state.why_inconclusive


def serve_never(connection, task) -> None:
    time.sleep(PATIENCE_S)


def test_a_failing_side_is_named_and_makes_the_hunt_inconclusive(pair, monkeypatch):
    monkeypatch.setattr("guiapp.analysis.hunt.engine.serve", serve_and_crash)
    monkeypatch.setattr("guiapp.analysis.hunt.engine.MOST_LOSSES", 2)
    state = last(HuntPlan(*pair, seconds=PATIENCE_S, n_workers=1))
    assert state.is_incomplete
    assert "second.gguf" in " ".join(state.notes)
    assert replace(state, finds=(), tried=20_000).why_inconclusive


def serve_and_crash(connection, task) -> None:
    """A worker that dies of each text, so that none is to blame."""
    worker.HuntWorker._texts = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    worker.serve(connection, task)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("demo:none", "demo:bpe", "demo:none"),
        ("llama.cpp", "demo:bpe", "Give the model file first"),
        ("demo:bpe", "rs-bpe", "only the vocabulary o200k_base"),
        ("demo:rwkv", "tiktoken", "no RWKV vocabularies"),
    ],
)
def test_an_impossible_hunt_is_refused_before_it_starts(first, second, message):
    if second in PEERS and not PEERS[second].is_installed:
        pytest.skip(f"{second} is not installed")
    with pytest.raises(TokenloupeError, match=message):
        list(hunt(HuntPlan(first, second, seconds=5)))


def test_a_crash_is_reported_with_its_text_and_the_hunt_continues(pair, monkeypatch):
    """As if llama.cpp did not survive a text; in a process of its own."""
    monkeypatch.setattr("guiapp.analysis.hunt.engine.serve", serve_until_digits)
    monkeypatch.setattr("guiapp.analysis.hunt.engine.MOST_LOSSES", 3)
    state = last(HuntPlan(*pair, seconds=PATIENCE_S, most_batches=2, n_workers=1))
    crash = next(find for find in state.finds if find.reason.subject == "crash")
    assert crash.reason.cause is Cause.REFUSED
    assert "SIGKILL" in crash.reason.sentence
    assert b"7" in crash.text
    assert state.tried > 0


def serve_until_digits(connection, task) -> None:
    """A worker that dies of a text with a 7."""
    search = worker.Searcher.search

    def dying(self, texts, generator):
        if any(b"7" in text for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        return search(self, texts, generator)

    worker.Searcher.search = dying
    worker.serve(connection, task)


def test_a_script_without_a_main_guard_gets_a_clear_error(pair, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import guiapp\nguiapp.hunt({str(pair[0])!r}, {str(pair[1])!r}, seconds=20)\n")
    (folder := tmp_path / "temporary").mkdir()
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert done.returncode == 1
    assert not list(folder.iterdir())
    assert done.stderr.rstrip().endswith(f"HuntError: {NO_WORKER}")


DIGITS = Reason(Cause.PIECES, "digits", "")
MISMATCHES = (Find(b"12", ((), ()), 1, DIGITS, others=(Find(b"4567", ((), ()), 1, DIGITS),)),)
DROPPED = planted.gguf_parts("demo:bpe")["merges"][300:]


@pytest.mark.parametrize(
    ("changes", "second", "name"),
    [
        ({"pre": "qwen2"}, "", "qwen2"),
        ({"pre": "qwen2", "merges": DROPPED}, "", ""),
        ({"pre": "qwen2"}, "tokenizers", ""),
    ],
)
def test_the_pre_tokenizer_is_named_with_which_nothing_differs(changes, second, name, tmp_path):
    plant = planted.Plant("", "demo:bpe", "gguf", planted.set_part(**changes), ())
    first, other = map(str, plant.write(tmp_path))
    word = Find(b"the letters", ((), ()), 0, Reason(Cause.MERGE, "order", ""))
    assert likely_pre(HuntPlan(first, second or other), (*MISMATCHES, word)) == name
