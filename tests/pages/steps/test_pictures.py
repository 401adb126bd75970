"""The picture of what an encoder knows at a step."""

import pytest
from PySide6.QtCore import QRectF

from guiapp.analysis.trace.replay import Candidate
from guiapp.pages.steps.canvas import CandidateStatus
from guiapp.pages.steps.pictures import arrange_heap, shown_pairs, standings


def test_the_pair_that_enters_the_queue_is_counted_as_it_is_shown(make_steps_page):
    page = make_steps_page(text="café 😍".encode(), encoder="heap")
    page.model.restart()
    statuses = []
    for position in range(page.model.n_steps):
        page.model.go_to(position)
        statuses.append((page.model.debugger.trace.operation(position), page.trace.picture.title))
        assert page.trace.picture.accessibleDescription() == page.trace.picture.title
    assert [title for operation, title in statuses if operation == "push"] == ["queue: 1 could merge"] * 2
    assert [title for operation, title in statuses if operation == "merge"] == ["queue: 1 could merge"] * 2
    assert [title for operation, title in statuses if operation == "done"] == ["queue: 0 could merge"] * 2


@pytest.mark.parametrize(("width", "height"), [(200, 60), (430, 170), (430, 400), (1200, 600)])
@pytest.mark.parametrize("n_entries", [1, 2, 6, 31, 500])
def test_a_heap_fits_its_area_without_overlaps(width, height, n_entries):
    area = QRectF(10, 5, width, height)
    places = arrange_heap(n_entries, area)
    assert 1 <= len(places) <= min(n_entries, 31)
    for index, place in enumerate(places):
        assert area.contains(place)
        assert place.width() > 45
        assert not any(place.intersects(other) for other in places[:index])
        above = places[(index - 1) // 2]
        assert index == 0 or above.bottom() < place.top()


@pytest.mark.parametrize("n_shown", [1, 4, 21, 50])
def test_pairs_next_to_the_winner_are_shown_in_text_order(n_shown):
    pairs = [Candidate(1, 2, 3, float(rank), 7 * rank % 40, 0, 0, rank < 20) for rank in range(40)]
    shown = [candidate for candidate, _ in shown_pairs(standings(pairs, pairs[0][:7]), n_shown)]
    places = [candidate.position for candidate in shown]
    assert places == sorted(places)
    assert len(shown) == min(40, n_shown)
    assert places[len(places) // 2] == 20


def test_the_first_that_can_merge_wins_whatever_the_step_is_about():
    pairs = [Candidate(1, 2, 3, float(rank), rank, 0, 0, rank == 0) for rank in range(4)]
    for present, statuses in (
        (2, "OUT WINNER NOW OTHER"),
        (0, "NOW WINNER OTHER OTHER"),
        (1, "OUT WINNER OTHER OTHER"),
    ):
        assert [standing.name for _, standing in standings(pairs, pairs[present][:7])] == statuses.split()
    assert standings(pairs[:1], ()) == [(pairs[0], CandidateStatus.OUT)]
