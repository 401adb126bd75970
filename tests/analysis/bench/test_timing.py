from __future__ import annotations

from guiapp.analysis.bench.operations import MOST_CALLS, Clock, TimedOperation, calls_per_sample, take_sample


class FakeTime:
    """Time that passes only when the operation runs: so much on the wall, half of it on the processor."""

    def __init__(self, call_ns: int) -> None:
        self.now_ns = 0
        self.call_ns = call_ns
        self.clock = Clock(lambda: self.now_ns, lambda: self.now_ns // 2)

    def call(self) -> None:
        self.now_ns += self.call_ns


def test_a_sample_is_the_mean_of_its_calls_per_unit():
    time = FakeTime(1_000)
    sample = take_sample(TimedOperation(time.call, units=4), 10, time.clock)
    assert sample == (250e-9, 125e-9, (), False)


def test_short_calls_are_repeated_until_the_clock_is_fine_enough():
    time = FakeTime(10_000)
    assert calls_per_sample(TimedOperation(time.call, units=3), time.clock) == 512
    assert calls_per_sample(TimedOperation(FakeTime(10**9).call), time.clock) == MOST_CALLS
    slow = FakeTime(10**9)
    assert calls_per_sample(TimedOperation(slow.call), slow.clock) == 1


def test_an_interrupted_call_does_not_stand_for_the_others_either():
    time = FakeTime(10_000)
    times_ns = [10_000, 10_000, 40_000_000]  # the last one was interrupted
    time.clock = Clock(lambda: time.now_ns, lambda: time.now_ns - 10_000 * time.n_interrupted)
    time.n_interrupted = 0

    def call() -> None:
        time.call_ns = times_ns.pop(0) if times_ns else 10_000
        time.n_interrupted += (time.call_ns - 10_000) // 10_000
        time.call()

    assert calls_per_sample(TimedOperation(call), time.clock) == 256
