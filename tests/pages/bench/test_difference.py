"""From a result whose ids differ to the place in the session's text."""

import pytest
from bench_runs import record

from guiapp.analysis.bench.differences import DifferenceLocation
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.pages.bench import model as bench_difference
from guiapp.pages.bench.model import DifferenceFinder

PLAN = Plan("demo:bpe", ("sample:english",), ("greedy",))
RESULT = record("throughput", "greedy", 10_000, 1e-3, 0.9)


@pytest.fixture
def finder(session):
    made = DifferenceFinder(session)
    made.told = []
    made.failed.connect(made.told.append)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "start", "end", "pointed"),
    [(b"some text", 5, 7, (5, 7)), (b"some text", 5, 5, (5, 6)), ("a世b".encode(), 1, 2, (1, 4))],
)
def test_the_place_is_shown_in_its_text(finder, session, monkeypatch, qtbot, text, start, end, pointed):
    monkeypatch.setattr(
        bench_difference, "first_difference", lambda *given: DifferenceLocation(text, start, end)
    )
    left = []
    session.text.left.connect(lambda: left.append(True))
    with qtbot.waitSignal(session.text.pointed_out) as shown:
        finder.open(RESULT, PLAN)
    assert tuple(shown.args) == pointed
    assert (session.document.text(), len(left)) == (text, int(text != b"some text"))


def test_what_is_no_longer_known_is_told(finder, monkeypatch, qtbot):
    def refuse(*given):
        raise BenchError("It is no longer known.")

    monkeypatch.setattr(bench_difference, "first_difference", refuse)
    with qtbot.waitSignal(finder.failed):
        finder.open(RESULT, PLAN)
    assert finder.told == ["It is no longer known."]
