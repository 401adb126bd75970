"""The picture of what an encoder knows at a step."""

from itertools import pairwise

import pytest
from pictures import in_words, paintings_of, without_badges
from PySide6.QtCore import QRectF, QSize

from guiapp.analysis.trace.replay import Candidate
from guiapp.pages.steps.cards import LARGEST, enlargement
from guiapp.pages.steps.flow import caption, lattice
from guiapp.pages.steps.picture_painting import (
    LEAST_GAP_PX,
    CandidateStatus,
    number_lines,
    shown_pairs,
    standings,
)
from guiapp.pages.steps.picture_view import arrange_heap


def near(number):
    return pytest.approx(number, abs=0.6)


def without_caption(paintings, debugger):
    """What is painted below the words at the top, where these have room."""
    told, read = caption(debugger), ""
    while paintings.marks[0].text and told.startswith(more := f"{read} {paintings.marks[0].text}".strip()):
        read = more
        del paintings.marks[0]
    assert read in ("", told)
    return paintings


def painted(page, position):
    """What the picture shows at a step: all, and the texts and shapes in words."""
    page.model.go_to(position)
    paintings, theme = paintings_of(page.trace.picture), page._drawing.theme_source.theme
    without_caption(paintings, page.model.debugger)
    return paintings, in_words(paintings.written, theme), in_words(paintings.drawn, theme)


def test_the_pair_that_enters_the_queue_is_counted_as_it_is_shown(make_steps_page):
    page = make_steps_page(text="café 😍".encode(), encoder="heap")
    page.model.restart()
    told = []
    for position in range(page.model.n_steps):
        page.model.go_to(position)
        told.append((page.model.debugger.trace.operation(position), page.trace.picture.title))
        assert page.trace.picture.accessibleDescription() == page.trace.picture.title
    assert [title for operation, title in told if operation == "push"] == ["queue: 1 could merge"] * 2
    assert [title for operation, title in told if operation == "merge"] == ["queue: 1 could merge"] * 2
    assert [title for operation, title in told if operation == "done"] == ["queue: 0 could merge"] * 2


def test_pairs_that_have_no_rule_are_missed_in_words(make_steps_page):
    page = make_steps_page("toy", b"abacb", "scan")
    paintings, texts, _ = painted(page, 3)
    assert texts == ["No two neighbours have a rule. dim"]
    assert paintings.texts[0][1].center().x() == near(page.trace.picture.width() / 2)


def test_what_is_taken_stands_beside_what_is_tried(make_steps_page):
    page = make_steps_page("toy", b"abacb", "backtrack")
    titles, first = ["taken so far dim", "tried for the next dim"], ["ab text", "0–2 dim"]
    for position, wanted, looks, n_winners in (
        (1, ["ab bold text", "taken dim"], "accent ?", 1),
        (3, [*first, "b text", "cannot follow dim", "ac text", "2–4 dim"], "span0|dotted accent ?|span1", 0),
        (6, [*first, "cb bold text", "taken dim", "a text", "2–3 dim"], "span0|accent ?|span1", 1),
    ):
        paintings, *_ = painted(page, position)
        theme = page._drawing.theme_source.theme
        badges = without_badges(paintings, theme)
        assert in_words(paintings.written, theme) == titles + wanted
        assert in_words(paintings.drawn, theme) == looks.split("|")
        assert len(badges) == n_winners
        half = page.trace.picture.width() / 2
        for row in paintings.shapes:
            text, note = (place for _, place in paintings.texts if row.contains(place))
            assert 0 < row.right() - note.right() < text.left() - row.left() + 3
            assert row.left() in (0, near(half), near(half + 1))
            assert all(row.left() < badge.x() < text.left() for badge in badges if row.contains(badge))


def test_the_walk_goes_down_a_line_for_each_token(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb", "greedy")
    qtbot.waitUntil(lambda: page.model.tree is not None)
    page.trace.picture.resize(560, 400)
    paintings, texts, _ = painted(page, 2)
    theme, places = page._drawing.theme_source.theme, dict(paintings.texts)
    assert texts == [
        *("taken so far dim", "a dim", "0 dim", "2 other ways: b c dim", "ab text"),
        *("ac bold text", "5 taken accent", "1 other way: b dim", "✕ b: no longer token dim"),
    ]
    (badge,) = without_badges(paintings, theme)
    assert places["ac"].right() < badge.x() < places["5 taken"].left()
    boxes = [shape for shape in paintings.drawn if shape.place.width() > 25 and shape.pen]
    assert [box.pen for box in boxes] == [theme.line.name(), theme.accent.name()]
    boxes = [box.place for box in boxes]
    assert boxes[0].contains(places["a"])
    assert boxes[1].contains(places["ac"])
    assert boxes[0].left() < boxes[1].left() < places["✕ b: no longer token"].left()
    for line in (["a", "0", "2 other ways: b c"], ["ac", "5 taken", "1 other way: b"]):
        assert all(places[one].right() < places[other].left() for one, other in pairwise(line))
    lines = [shape.place for shape in paintings.drawn if shape.pen == theme.accent.name()]
    upright = [line for line in lines if line.width() == 0]
    root = next(shape.place for shape in paintings.drawn if shape.brush == theme.text.name())
    assert root.center().y() == near(upright[0].top())
    assert upright[1].top() == near(boxes[0].bottom())
    level = [line for line in lines if line.height() == 0]
    for down, on, box in zip(upright, level, boxes, strict=True):
        assert (down.left(), down.bottom()) == (near(on.left()), near(on.top()))
        assert on.right() == pytest.approx(box.left(), abs=1.6)
        assert on.top() == pytest.approx(box.center().y(), abs=2)
    assert not any("✕" in text for text in painted(page, 3)[1])
    assert "No walk at this step. dim" in painted(page, 4)[1]
    page.trace.picture.resize(280, 60)
    assert {"a dim", "ac bold text"} < set(painted(page, 2)[1])


def test_a_narrow_lattice_leaves_out_what_the_step_is_not_about(make_steps_page):
    page = make_steps_page("unigram", b"lions")
    picture, model = page.trace.picture, page.model
    picture.resize(170, 400)
    n_lines = set()
    for position in range(model.n_steps):
        model.go_to(position)
        edges = lattice(model.debugger).edges
        marked = {edge.text for edge in edges if edge.kind in ("chosen", "now")}
        paintings = paintings_of(picture)
        if page.model.debugger.trace.piece_at(position) >= 0:
            assert {mark.text for mark in paintings.written if mark.look == "bold"} == marked
            n_lines.add(len({place.top() for text, place in paintings.texts if text.startswith("−")}))
    assert n_lines == {0, 1, 2}


@pytest.mark.parametrize(("width", "height"), [(200, 60), (430, 170), (430, 400), (1200, 600)])
@pytest.mark.parametrize("n_entries", [1, 2, 6, 31, 500])
def test_a_heap_stays_within_its_area_and_nothing_overlaps(width, height, n_entries):
    area = QRectF(10, 5, width, height)
    places = arrange_heap(n_entries, area)
    assert 1 <= len(places) <= min(n_entries, 31)
    for index, place in enumerate(places):
        assert area.contains(place)
        assert place.width() > 45
        assert not any(place.intersects(other) for other in places[:index])
        above = places[(index - 1) // 2]
        assert index == 0 or above.bottom() < place.top()


@pytest.mark.parametrize(
    ("room", "natural", "zoom", "factor"),
    [
        ((200, 100), (400, 300), 1, 1),
        ((500, 900), (400, 300), 1, 1.25),
        ((4000, 3000), (400, 300), 1, LARGEST),
        ((90, 400), (100, 100), 2, 2),  # even where it lacks the room
        ((250, 400), (100, 100), 2, 2.5),
        ((900, 900), (100, 100), 2, 2 * LARGEST),
    ],
)
def test_pictures_grow_with_zoom_and_room_up_to_a_limit(room, natural, zoom, factor):
    assert enlargement(QSize(*room), QSize(*natural), zoom) == factor


@pytest.mark.parametrize("width", [20, 200, 1000])
def test_pairs_are_shown_in_the_order_of_the_text_around_the_winner(width):
    pairs = [Candidate(1, 2, 3, float(rank), 7 * rank % 40, 0, 0, rank < 20) for rank in range(40)]
    shown = [candidate for candidate, _ in shown_pairs(standings(pairs, pairs[0][:7]), width)]
    places = [candidate.position for candidate in shown]
    assert places == sorted(places)
    assert len(shown) == max(1, min(40, width // 46))
    assert places[len(places) // 2] == 20


def test_the_first_that_can_merge_wins_whatever_the_step_is_about():
    pairs = [Candidate(1, 2, 3, float(rank), rank, 0, 0, rank == 0) for rank in range(4)]
    for present, told in (
        (2, "OUT WINNER NOW OTHER"),
        (0, "NOW WINNER OTHER OTHER"),
        (1, "OUT WINNER OTHER OTHER"),
    ):
        assert [standing.name for _, standing in standings(pairs, pairs[present][:7])] == told.split()
    assert standings(pairs[:1], ()) == [(pairs[0], CandidateStatus.OUT)]


@pytest.mark.parametrize(("step", "lines"), [(60, [0, 0, 0, 0]), (42, [0, 1, 0, 1]), (15, [0, 1, None, 0])])
def test_numbers_that_are_too_near_stand_in_a_second_line(step, lines):
    assert number_lines([(n * step, n * step + 38) for n in range(4)]) == lines


def test_numbers_of_a_line_keep_a_gap():
    assert number_lines([(0, 10), (10 + LEAST_GAP_PX, 30), (30, 40)]) == [0, 0, 1]
