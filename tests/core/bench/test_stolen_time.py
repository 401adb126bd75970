"""How much processor time a host gave to others."""

import pytest

from guiapp.core.bench import stolen_time
from guiapp.core.bench.stolen_time import StolenTime


@pytest.fixture
def statistics(tmp_path, monkeypatch):
    """The system's file, which a test writes."""
    file = tmp_path / "stat"
    monkeypatch.setattr(stolen_time, "STATISTICS", file)
    return file


def test_it_is_a_share_of_the_time_that_was_asked_for(statistics):
    statistics.write_text("cpu  100 10 20 5000 30 0 5 50 7 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n")
    stolen = StolenTime()
    statistics.write_text("cpu  150 15 30 9000 90 0 10 80 57 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n")
    assert stolen.share() == pytest.approx(30 / (50 + 5 + 10 + 5 + 30))


def test_where_nothing_was_asked_for_nothing_was_stolen(statistics):
    statistics.write_text("cpu  1 2 3 4 5 6 7 8 9 10\n")
    assert StolenTime().share() == 0


@pytest.mark.parametrize("text", ["", "cpu 1 2 3 4\n", "processors: two\n"])
def test_systems_that_do_not_tell(statistics, text):
    statistics.write_text(text)
    assert StolenTime().share() is None
    statistics.unlink()
    assert StolenTime().share() is None


def test_its_ticks_are_counted(statistics):
    statistics.write_text("cpu  100 10 20 5000 30 0 5 50 7 0\n")
    stolen = StolenTime()
    assert stolen.n_ticks == 0
    statistics.write_text("cpu  150 15 30 9000 90 0 10 53 57 0\n")
    assert stolen.n_ticks == 3
    statistics.unlink()
    assert stolen.n_ticks == 0
