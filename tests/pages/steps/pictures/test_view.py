"""The picture of what an encoder knows at a step."""

from itertools import pairwise
from math import log

import pytest
from pictures import badly_placed, in_words, paintings_of, without_badges, without_scale

from guiapp.analysis.explain.code_marks import without_marks
from guiapp.analysis.trace.operations import STAGE_NAMES
from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.flow import caption, is_second_pass, lattice
from guiapp.pages.steps.picture_painting import DOT_PX, HEAD_PX
from guiapp.pages.steps.picture_view import STAGE_MEANINGS


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


@pytest.mark.parametrize(
    ("name", "encoder", "title"),
    [
        ("toy", "heap", "queue: 0 could merge, 1 stale"),
        ("toy", "scan", "pairs: 2 could merge"),
        ("toy", "greedy", "the walk down the token tree"),
        ("toy", "backtrack", "what is taken, and what is tried"),
        ("unigram", None, "the best way to each place"),
    ],
)
def test_the_title_says_what_is_shown(make_steps_page, name, encoder, title):
    page = make_steps_page(name, b"abacb", encoder)
    titles = []
    for position in range(page.model.n_steps + 1):
        page.model.go_to(position)
        titles.append(page.trace.picture.title)
        assert page.trace._picture_title.text() == titles[-1].upper()
        head, quote, rest = page.model.title.partition("“")
        assert page.trace._title.text() == head.upper() + quote + rest
        assert page.trace.sentence.text() == without_marks(page.model.debugger.sentence())
    assert title in titles
    assert titles[0] == titles[-1] == "the way of a text"


@pytest.mark.parametrize("size", [(500, 400), (120, 150)])
def test_stages_are_ticked_off_one_after_the_other(make_steps_page, size):
    page = make_steps_page("wordpiece", b"the lions")
    page.trace.picture.resize(*size)
    trace, seen = page.model.debugger.trace, set()
    for position in range(page.model.n_steps + 1):
        if trace.piece_at(position) >= 0:
            continue
        now = STAGE_NAMES.index(trace.stage(position)) if position < page.model.n_steps else 5
        seen.add(now)
        paintings, texts, grounds = painted(page, position)
        looks = ["✓ {} text"] * now + ["{} bold text"] + ["{} dim"] * 4
        wanted = [[look.format(name)] for look, name in zip(looks, STAGE_NAMES, strict=False)]
        if size[0] > 300:
            wanted = [[*one, f"{text} dim"] for one, text in zip(wanted, STAGE_MEANINGS, strict=True)]
        assert sorted(texts) == sorted(text for one in wanted for text in one)
        assert grounds == ["?" if number == now else "panel" for number in range(5)]
        rows, names = paintings.shapes, [place for _, place in paintings.texts][:: len(wanted[0])]
        assert rows[0].top() < 60  # below the words
        assert {(row.left(), near(row.width()) == size[0], round(row.height(), 3)) for row in rows} == {
            (0, True, round(rows[0].height(), 3))
        }
        assert all(row.contains(name) for row, name in zip(rows, names, strict=True))
        assert all(upper.bottom() < lower.top() for upper, lower in pairwise(rows))
        assert badly_placed(page.trace.picture) == []
    assert len(seen) == 4


def assert_bars(paintings, page, ranks, standing_at):
    """That bars of the list are as long as ranks are high; `standing_at`: what is bold of marked rows."""
    width, texts = page.trace.picture.width(), paintings.written
    pairs = [mark.place for mark in texts if "→" in mark.text]
    figures = [
        mark for mark in texts if mark.place.left() > width * 0.9 and mark.place.top() > pairs[0].top() - 4
    ]
    shapes = [shape.place for shape in paintings.drawn if shape.place.top() > pairs[0].top() - 8]
    bars = [shape for shape in shapes if shape.height() < 5]
    for pair, figure, bar, rank in zip(
        pairs, sorted(figures, key=lambda m: m.place.top()), bars, ranks, strict=True
    ):
        assert pair.left() > width - figure.place.right() > 0
        assert figure.place.center().y() == near(pair.center().y())
        assert pair.bottom() <= bar.top() < pair.bottom() + 8
        share = log(1 + rank) / max(1, log(1 + max(ranks)))
        assert (bar.left(), bar.width()) == (0, pytest.approx(width * share, abs=1))
    grounds = [shape for shape in shapes if shape.height() >= 5]
    assert all(abs(ground.width() - width) < 3 for ground in grounds)
    marked = [
        [mark.look.startswith("bold") for mark in texts if each.contains(mark.place)] for each in grounds
    ]
    assert marked == standing_at


QUEUE = {  # texts and nodes of "abacb abacb", with ranks; which rows of the list are marked, and are bold
    2: ("ab bold text|0 accent", "a + b → ab bold text|0 bold accent", "accent ?", [0], [[True] * 2]),
    3: (
        "ab bold text|0 accent|ac text|2 dim",
        "a + b → ab bold text|0 bold accent|a + c → ac text|2 dim",
        "accent ?|dotted accent ?",
        [0, 2],
        [[True] * 2, [False] * 2],
    ),
    12: (
        "ab bold text|0 accent|cb dim|ac dim|1 dim|2 dim",
        "a + b → ab bold text|0 bold accent|c + b → cb dim|1 dim|a + c → ac dim|2 dim",
        "accent ?|line panel|line panel",
        [0, 1, 2],
        [[True] * 2],
    ),
    14: (
        "ac struck text|2 struck dim",
        "a + c → ac struck text|2 struck dim",
        "dotted accent ?",
        [2],
        [[False] * 2],
    ),
}


@pytest.mark.parametrize("position", QUEUE)
def test_the_queue_is_a_heap_over_a_list(make_steps_page, position):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    theme = page._drawing.theme_source.theme
    paintings, *_ = painted(page, position)
    badges, numbers = without_badges(paintings, theme), without_scale(paintings, "rank, logarithmic")
    in_nodes, in_list, looks, ranks, bold_rows = QUEUE[position]
    assert numbers == [0, max(1, *ranks)] if len(ranks) > 1 else numbers[0] == 0
    assert in_words(paintings.written, theme) == [*in_nodes.split("|"), *in_list.split("|")]
    first_row = next(mark.place.top() for mark in paintings.written if "→" in mark.text)
    nodes = [
        shape for shape in paintings.drawn if shape.brush and shape.pen and shape.place.bottom() < first_row
    ]
    assert in_words(nodes, theme) == looks.split("|")
    nodes = sorted((node.place for node in nodes), key=lambda node: (node.top(), node.left()))
    for node in nodes:
        inside = [place for _, place in paintings.texts if node.contains(place)]
        assert [place.center().x() for place in inside] == [near(node.center().x())] * 2
    lines = [shape.place for shape in paintings.drawn if not shape.brush]
    root = nodes[0].center().x()
    assert root == near(page.trace.picture.width() / 2)
    for line, child in zip(lines, nodes[1:], strict=True):
        assert (line.top(), line.bottom()) == (near(nodes[0].bottom()), near(child.top()))
        assert sorted((root, child.center().x())) == [near(line.left()), near(line.right())]
    assert_bars(paintings, page, ranks, bold_rows)
    winners = [mark.place for mark in paintings.written if mark.look == "bold" and not mark.text.isdecimal()]
    assert len(badges) == len(winners)
    assert all(badge.x() < winner.left() for badge, winner in zip(badges, winners, strict=True))


@pytest.mark.parametrize(
    ("position", "in_text", "in_list"),
    [
        (
            1,
            {"ab": 0, "ac": 2, "cb": 1},
            "a + b → ab bold text|0 bold accent|c + b → cb dim|1 dim|a + c → ac dim|2 dim",
        ),
        (2, {"ac": 2, "cb": 1}, "c + b → cb bold text|1 bold accent|a + c → ac dim|2 dim"),
    ],
)
def test_what_is_scanned_are_bars_in_the_order_of_the_text(make_steps_page, position, in_text, in_list):
    page = make_steps_page("toy", b"abacb", "scan")
    picture, theme = page.trace.picture, page._drawing.theme_source.theme
    paintings, *_ = painted(page, position)
    badges = without_badges(paintings, theme)
    paintings.marks.remove(next(mark for mark in paintings.written if mark.text == "rank, logarithmic"))
    assert without_scale(paintings, "rank, logarithmic")[0] == 0
    texts = in_words(paintings.written, theme)
    assert texts[-2 * len(in_text) :] == in_list.split("|")
    lines = [shape.place for shape in paintings.drawn if not shape.brush]
    bars = [shape for shape in paintings.drawn if shape.brush and shape.place.bottom() < lines[0].top() + 1]
    assert all(one.place.right() < other.place.left() for one, other in pairwise(bars))
    heights = {told: lines[0].top() - line.top() for told, line in zip((0, 2), lines, strict=True)}
    for bar, (made, rank) in zip(bars, in_text.items(), strict=True):
        is_winner = rank == min(in_text.values())
        assert (bar.brush == theme.accent.name()) is is_winner
        assert lines[0].top() == near(bar.place.bottom())
        if rank:
            assert bar.place.height() == pytest.approx(heights[2] * log(1 + rank) / log(3), abs=1)
        middle = near(bar.place.center().x())
        above, below = (
            mark
            for mark in sorted(paintings.written, key=lambda mark: mark.place.top())
            if mark.place.center().x() == middle
        )
        assert in_words([above, below], theme) == [
            f"{rank} {'accent' if is_winner else 'dim'}",
            f"{made} {'bold text' if is_winner else 'dim'}",
        ]
        assert -1 < bar.place.top() - above.place.bottom() < 8
        assert below.place.top() > lines[0].top()
        if is_winner:
            assert badges[0].x() == middle
            assert badges[0].y() < above.place.center().y()
    assert_bars(paintings, page, sorted(in_text.values()), [[True] * 2])
    picture.resize(150, 300)
    assert badly_placed(picture) == []


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


@pytest.mark.parametrize("zoom", [1, 2])
@pytest.mark.parametrize("encoder", ["heap", "scan"])
def test_a_queue_in_a_low_window_is_seen_whole(make_steps_page, encoder, zoom):
    page = make_steps_page(text=b"How do lions sleep?", encoder=encoder)
    page.set_text_size(zoom * TEXT_FONT_PX)
    picture, n_shown = page.trace.picture, []
    for height in (140, 150, 200, 300):
        picture.resize(400 * zoom, height * zoom)
        for position in range(0, page.model.n_steps, 5):
            n_shown.append(len(painted(page, position)[1]))
            assert badly_placed(picture) == []
    assert max(n_shown) > 10


def test_only_the_last_try_is_marked_and_as_many_are_shown_as_have_room(make_steps_page):
    page = make_steps_page("wordpiece", b"lions" * 6)
    picture, operation = page.trace.picture, page.model.debugger.trace.operation
    last_miss = next(step for step in range(page.model.n_steps) if operation(step) == "take") - 1
    for height in (90, 180, 260):
        picture.resize(500, height)
        paintings, _, grounds = painted(page, last_miss)
        n_tries = len(grounds)
        assert grounds == ["line panel"] * (n_tries - 1) + ["dotted accent ?"]
        assert badly_placed(picture) == []
        assert height - paintings.shapes[-1].bottom() < 3 * paintings.shapes[0].height()


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


@pytest.mark.parametrize("zoom", [1, 2])
def test_arcs_of_a_lattice_lead_from_place_to_place(make_steps_page, zoom):
    page = make_steps_page("unigram", b"the lions")
    page.set_text_size(zoom * TEXT_FONT_PX)
    picture, model = page.trace.picture, page.model
    picture.resize(420 * zoom, 400 * zoom)
    theme = picture._theme_source.theme
    colors = {"chosen": theme.good, "now": theme.accent, "worse": theme.accent}
    for position in range(model.n_steps):
        model.go_to(position)
        if model.debugger.trace.piece_at(position) < 0:
            continue
        shown, paintings = lattice(model.debugger), paintings_of(picture)
        badges = without_badges(without_caption(paintings, model.debugger), theme)
        scale = picture._scale()
        small = [shape for shape in paintings.drawn if shape.brush and shape.place.height() < 14 * scale]
        dots = [shape for shape in small if shape.place.width() == near(2 * DOT_PX * scale)]
        heads = [shape for shape in small if shape.place.width() == near(2 * HEAD_PX * scale)]
        xs, base = [dot.place.center().x() for dot in dots], dots[0].place.center().y()
        step = picture.width() / len(shown.places)
        assert xs == [pytest.approx(step * (number + 0.5)) for number in range(len(shown.places))]
        reached = [number == 0 or place.is_reached for number, place in enumerate(shown.places)]
        assert [dot.brush for dot in dots] == [
            (theme.text if each else theme.line).name() for each in reached
        ]
        arcs = [shape for shape in paintings.drawn if shape.pen and not shape.brush]
        marked = [edge for edge in shown.edges if edge.kind != "way"]
        looks = {edge: (colors[edge.kind].name(), "dotted" * (edge.kind == "worse")) for edge in marked}
        ends = [(near(xs[edge.first]), near(xs[edge.last])) for edge in shown.edges]
        wanted = list(zip(ends, [looks.get(edge, ("", "")) for edge in shown.edges], strict=True))
        drawn = [(arc.pen if arc.pen in dict(looks.values()) else "", arc.look) for arc in arcs]
        assert len(wanted) == len(arcs)
        found = zip([(arc.place.left(), arc.place.right()) for arc in arcs], drawn, strict=True)
        assert all(each in wanted for each in found)
        assert [bool(color) for color, _ in drawn] == sorted(bool(color) for color, _ in drawn)  # on top
        heights = sorted((round(arc.place.width()), arc.place.height()) for arc in arcs)
        assert heights == sorted(heights, key=lambda pair: pair[1])
        assert all(arc.place.bottom() == near(base) for arc in arcs)
        is_second = is_second_pass(model.debugger)
        assert {edge.is_left for edge in marked} <= {is_second}
        pointed = sorted(xs[edge.first if edge.is_left else edge.last] for edge in marked)
        assert sorted(head.place.center().x() for head in heads) == [near(x) for x in pointed]
        texts = [mark for mark in paintings.written if mark.place.center().y() < base]
        winners = [edge for edge in marked if edge.kind != "worse"]
        assert len(badges) == len(winners)
        for edge in marked:
            is_winner = edge in winners
            label = next(mark for mark in texts if (mark.text, mark.look) == (edge.text, "bold" * is_winner))
            box = next(
                each.place for each in paintings.drawn if each.brush and each.place.contains(label.place)
            )
            assert label.pen == theme.text.name()
            assert box.center().x() == near((xs[edge.first] + xs[edge.last]) / 2)
            assert any(box.contains(badge) for badge in badges) is is_winner
        grounds = [shape.place for shape in paintings.drawn if shape.brush == theme.raised.name()]
        assert len(grounds) == len(texts)
        assert all(ground.contains(mark.place) for ground, mark in zip(grounds, texts, strict=True))
        below = [mark for mark in paintings.written if mark.place.center().y() > base]
        letters = [place.text for place in shown.places if place.text]
        assert [mark.text for mark in below[: len(letters)]] == letters
        for at, mark in enumerate(below[: len(letters)]):
            assert mark.place.center().x() == near(xs[at] + step / 2)
        worths = [(x, place.worth) for x, place in zip(xs, shown.places, strict=True) if place.worth]
        assert [mark.text for mark in below[len(letters) :]] == [worth for _, worth in worths]
        for mark, (x, _) in zip(below[len(letters) :], worths, strict=True):
            assert mark.place.center().x() == near(x) or mark.place.right() == pytest.approx(
                picture.width(), abs=4
            )
        assert badly_placed(picture) == []


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
