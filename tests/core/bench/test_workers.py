"""Who is started when, and who is not started again."""

import pytest
from fake_workers import AnswersAtOnce

from guiapp.core.bench.worker import Loaded
from guiapp.core.bench.worker_process import ContenderFailed, TookTooLong, WorkerLost
from guiapp.core.bench.workers import LOAD_LIMIT_S, Workers


class Office:
    """Starts workers that only say they are loaded, or raise an error; knows what became of them."""

    def __init__(self) -> None:
        self.log = []
        self.error = None
        self.n_started = 0

    def start(self, name, threads):
        self.n_started += 1
        self.log.append(("start", name, threads))
        return OfficeWorker(self, f"{name} {threads}", Loaded(f"{self.n_started}", "", 0))


class OfficeWorker(AnswersAtOnce):
    def __init__(self, office, title, loaded):
        self._office, self._title, self._loaded = office, title, loaded

    def ask(self, limit_s, command):
        self._office.log.append((command, self._title, limit_s))
        if self._office.error is not None:
            raise self._office.error
        return self._loaded

    def end(self):
        self._office.log.append(("end", self._title))


def test_each_is_started_and_loaded_once_for_each_number_of_threads():
    office = Office()
    workers = Workers(office.start)
    assert not workers.is_loaded("fast", 1)
    first = workers.get("fast", 1)
    assert workers.get("fast", 1) is first
    assert workers.get("fast", 2) is not first
    assert [workers.is_loaded(*key) for key in (("fast", 1), ("fast", 2), ("heap", 1))] == [True, True, False]
    assert office.log == [
        ("start", "fast", 1), ("load", "fast 1", LOAD_LIMIT_S),
        ("start", "fast", 2), ("load", "fast 2", LOAD_LIMIT_S),
    ]  # fmt: skip
    assert workers.loaded == {"fast": Loaded("1", "", 0)}


def test_those_with_other_threads_end_and_in_the_end_all_do():
    office = Office()
    workers = Workers(office.start)
    for key in (("fast", 1), ("heap", 2), ("scan", 1)):
        workers.get(*key)
    office.log.clear()
    workers.end_others(2)
    assert office.log == [("end", "fast 1"), ("end", "scan 1")]
    assert workers.is_loaded("heap", 2)
    assert not workers.is_loaded("fast", 1)
    workers.get("fast", 2)
    office.log.clear()
    workers.end()
    workers.end()
    assert office.log == [("end", "heap 2"), ("end", "fast 2")]
    assert not workers.is_loaded("heap", 2)


@pytest.mark.parametrize("error", [ContenderFailed("No."), WorkerLost("Gone."), TookTooLong("Late.")])
def test_who_fails_while_loading_is_ended_and_the_error_told(error):
    office = Office()
    office.error = error
    workers = Workers(office.start)
    with pytest.raises(type(error), match=str(error)):
        workers.get("fast", 1)
    assert office.log[-1] == ("end", "fast 1")
    workers.lose("fast", 1, error)
    assert office.log.count(("end", "fast 1")) == 1
    assert workers.loaded == {}
    assert not workers.is_loaded("fast", 1)


@pytest.mark.parametrize(
    ("error", "n_starts"), [(WorkerLost("Gone."), 3), (ContenderFailed("No."), 3), (TookTooLong("Late."), 6)]
)
def test_who_crashes_three_times_is_not_started_again(error, n_starts):
    office = Office()
    workers = Workers(office.start)
    for threads in range(n_starts):
        workers.get("fast", threads)
        workers.lose("fast", threads, error)
    if n_starts == 3:
        with pytest.raises(ContenderFailed, match=r"^It crashed 3 times\.$"):
            workers.get("fast", 1)
    assert office.n_started == n_starts
    workers.get("heap", 1)
    assert office.n_started == n_starts + 1
