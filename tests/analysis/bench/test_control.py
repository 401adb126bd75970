"""How a run is held back and stopped, and what interrupts do to what it starts."""

import signal

import pytest

from guiapp.analysis.bench import control as bench_control
from guiapp.analysis.bench.control import Control, interrupts_held_back


def test_a_run_that_is_held_back_is_stopped_at_once(monkeypatch):
    monkeypatch.setattr(bench_control, "QUIET_S", 60.0)
    control = Control()
    control.hold()
    control.stop()
    control.wait_while_paused()
    assert control.held_s < 1.0


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be held back here")
def test_an_interrupt_comes_when_it_is_no_longer_held_back():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append("interrupt"))
    try:
        with interrupts_held_back():
            signal.raise_signal(signal.SIGINT)
            calls.append("started")
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls == ["started", "interrupt"]
