"""Who loads when, what is told meanwhile, and who is ready."""

from fake_workers import AnswersAtOnce

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.engine import ContenderLoader
from guiapp.analysis.bench.worker import OPENS, READS, LoadedContender
from guiapp.analysis.bench.worker_process import Workers


class Nursery:
    """Workers that are ready at a time of a clock that only the test moves.

    at_s  by contender; an error instead is raised when one looks
    """

    def __init__(self, **at_s) -> None:
        self.now_s, self.at_s, self.started = 100.0, at_s, []

    def start(self, name, threads):
        self.started.append(name)
        return Child(self, name)

    def loading(self, *names, n_at_once=2, control=None) -> ContenderLoader:
        self.workers = Workers(self.start)
        return ContenderLoader(self.workers, names, 1, control or Control(), lambda: self.now_s, n_at_once)


class Child(AnswersAtOnce):
    def __init__(self, nursery, name) -> None:
        self._nursery, self._at_s, self.is_ended = nursery, nursery.at_s[name], False

    @property
    def stage(self):
        return OPENS if self._nursery.now_s < 101.0 else READS

    def is_answered(self, wait_s):
        if isinstance(self._at_s, Exception):
            raise self._at_s
        return self._nursery.now_s >= self._at_s

    def ask(self, limit_s, command):
        return LoadedContender("1.0", "", 5)

    def end(self):
        self.is_ended = True


def told(loading):
    return [(event["event"], event["contender"]) for event in loading.events()]


def test_the_quickest_known_begin_and_no_more_at_once_than_was_said():
    nursery = Nursery(transformers=101.0, tiktoken=101.0, fast=101.0)
    loading = nursery.loading("transformers", "tiktoken", "fast")
    list(loading.events())
    assert nursery.started == ["fast", "tiktoken"]
    assert (loading.ready, loading.is_done) == ([], False)
    nursery.now_s = 101.5
    expected = [("loading", "transformers"), ("loaded", "fast"), ("loaded", "tiktoken")]
    assert told(loading) == expected  # the next one begins before whoever is ready takes turns
    assert told(loading)[-1] == ("loaded", "transformers")
    assert (loading.ready, loading.is_done) == (["transformers", "tiktoken", "fast"], True)
    assert told(loading) == []


def test_what_one_does_is_told_with_a_share_that_only_grows():
    nursery = Nursery(fast=109.0)
    loading = nursery.loading("fast")
    events = []
    for tenths in range(80):
        nursery.now_s = 100.0 + tenths / 10
        events += loading.events()
    stages, shares = [[event[key] for event in events] for key in ("stage", "share")]
    assert list(dict.fromkeys(stages)) == ["starts", OPENS, READS]
    assert shares == sorted(shares)
    assert 0.0 == shares[0] < 0.9 < shares[-1] < 1.0
    assert len(events) < 50
    assert (events[0]["number"], events[0]["of"]) == (1, 1)
    nursery.now_s = 109.0
    (loaded,) = loading.events()
    assert (loaded["loading_s"], loaded["memory_bytes"], loading.latest_s) == (9.0, 5, 109.0)
