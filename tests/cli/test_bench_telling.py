"""What `tokenloupe bench` tells while and after it measures; nothing is measured here."""

import signal
from collections.abc import Iterator

import pytest
from bench_runs import record

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.run_results import BenchRun
from guiapp.cli.bench import _measure


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_a_run_and_means_what_it_meant_before_when_it_ends(number, monkeypatch):
    def interrupted(plan: Plan, control: Control) -> Iterator[dict]:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)  # there is nothing yet that could be lost
        yield {"event": "result", **record("short", "fast", 10, 1.0)}
        signal.raise_signal(number)
        assert control.shall_stop()

    monkeypatch.setattr("guiapp.analysis.bench.engine.run", interrupted)
    before, measured = signal.getsignal(number), BenchRun()
    _measure(Plan("demo:bpe"), measured)
    assert signal.getsignal(number) is before
    assert len(measured.finished) == 1
