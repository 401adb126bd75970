"""What is started for a benchmark gets no interrupts, and who starts it gets them afterwards."""

import signal

import pytest

from guiapp.analysis.bench.control import interrupts_held_back


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be held back here")
def test_an_interrupt_comes_when_it_is_no_longer_held_back():
    told = []
    before = signal.signal(signal.SIGINT, lambda *_: told.append("interrupt"))
    try:
        with interrupts_held_back():
            signal.raise_signal(signal.SIGINT)
            told.append("started")
    finally:
        signal.signal(signal.SIGINT, before)
    assert told == ["started", "interrupt"]
