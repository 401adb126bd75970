"""The picture of what an encoder knows at a step."""

from itertools import pairwise
from math import log

import pytest
from pictures import badly_placed, paintings_of
from PySide6.QtCore import QRectF

from guiapp.core.trace.operations import STAGE_NAMES
from guiapp.viewmodels.steps.diagrams import lattice
from guiapp.widgets.shared.theme import TEXT_FONT_PX
from guiapp.widgets.steps.views import STAGE_MEANINGS

PAIRS = {"ab": "a + b → ab", "ac": "a + c → ac", "cb": "c + b → cb"}
RANKS = {"ab": "0", "ac": "2", "cb": "1"}
NO_SPACE = 0.6  # of a pixel


def near(number):
    return pytest.approx(number, abs=NO_SPACE)


def inks(page):
    """The colours of the texts that the step is about, that are gone, and of others with their figures."""
    theme = page.trace.picture._theme_source.theme
    return {
        "bold": (theme.text.name(), theme.accent.name()),
        "bold struck": (theme.faint.name(), theme.faint.name()),
        "struck": (theme.faint.name(), theme.faint.name()),
        "": (theme.text.name(), theme.dim.name()),
    }


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
    assert title in titles
    assert titles[0] == titles[-1] == "the way of a text"


@pytest.mark.parametrize("size", [(500, 400), (120, 150)])
def test_stages_are_ticked_off_one_after_the_other(make_steps_page, size):
    page = make_steps_page("wordpiece", b"the lions")
    picture, model = page.trace.picture, page.model
    picture.resize(*size)
    ink, raised = inks(page), picture._theme_source.theme.raised.name()
    seen = set()
    for position in range(model.n_steps + 1):
        model.go_to(position)
        trace = model.debugger.trace
        if trace.piece_at(position) >= 0:
            continue
        now = STAGE_NAMES.index(trace.stage(position)) if position < model.n_steps else len(STAGE_NAMES)
        seen.add(now)
        paintings = paintings_of(picture)
        rows = [shape.place for shape in paintings.drawn]
        names = [text for text in paintings.written if text.text.removeprefix("✓ ") in STAGE_NAMES]
        meanings = [text for text in paintings.written if text not in names]
        assert [name.text for name in names] == [
            f"{'✓ ' if number < now else ''}{name}" for number, name in enumerate(STAGE_NAMES)
        ]
        assert [name.look for name in names] == ["bold" * (number == now) for number in range(5)]
        assert [name.pen for name in names] == [ink[""][number > now] for number in range(5)]
        fills = [shape.brush for shape in paintings.drawn]
        assert len(set(fills) | {raised}) == (3 if now < 5 else 2)
        assert now == 5 or fills.count(fills[now]) == 1
        assert rows[0].top() == 0
        assert all(row.left() == 0 and row.width() == near(picture.width()) for row in rows)
        assert len({round(row.height(), 3) for row in rows}) == 1
        assert all(row.contains(name.place) for row, name in zip(rows, names, strict=True))
        assert all(upper.bottom() < lower.top() for upper, lower in pairwise(rows))
        assert [meaning.text for meaning in meanings] == [text for text in STAGE_MEANINGS if size[0] > 300]
        assert badly_placed(picture) == []
    assert len(seen) == 4


def assert_written(texts, expected, page, area):
    """That texts and figures stand below each other, each pair in its colours, and figures at the right."""
    ink = inks(page)
    assert [(mark.text, mark.look, mark.pen) for mark in texts] == [
        (text, look, ink[look][at])
        for text, figure, look in expected
        for at, text in enumerate((text, figure))
    ]
    for text, figure in zip(texts[::2], texts[1::2], strict=True):
        assert text.place.center().y() == near(figure.place.center().y())
        assert 0 < area.right() - figure.place.right() == near(text.place.left() - area.left())


def assert_list(paintings, rows, page):
    """That the pairs stand in the list in this order, with bars as long as their ranks are high."""
    width = page.trace.picture.width()
    texts = [mark for mark in paintings.written if "→" in mark.text]
    top = texts[0].place.top()
    listed = sorted(
        (mark for mark in paintings.written if mark.place.top() >= top - 4),
        key=lambda mark: (mark.place.center().y().__round__(), mark.place.left()),
    )
    expected = [(PAIRS[made], RANKS[made], look) for made, look in rows]
    assert_written(listed, expected, page, QRectF(0, 0, width, 1))
    accent = page.trace.picture._theme_source.theme.accent.name()
    shapes = [shape for shape in paintings.drawn if shape.place.top() >= top - 8]
    bars = [shape for shape in shapes if shape.place.height() < 5]
    highest = max(int(RANKS[made]) for made, _ in rows)
    for bar, mark, (made, look) in zip(bars, listed[::2], rows, strict=True):
        assert mark.place.bottom() <= bar.place.top() < mark.place.bottom() + 8
        assert bar.place.left() == 0
        assert bar.place.width() == pytest.approx(
            width * log(1 + int(RANKS[made])) / max(1, log(1 + highest)), abs=1
        )
        assert (bar.brush == accent) is ("bold" in look)
    marked = [shape.place for shape in shapes if shape not in bars]
    now = [mark.place for mark in listed[::2] if "bold" in mark.look]
    assert len(marked) == len(now)
    assert all(
        ground.contains(text) and ground.width() == near(width)
        for ground, text in zip(marked, now, strict=True)
    )


@pytest.mark.parametrize(
    ("position", "rows"),
    [
        (2, [("ab", "bold")]),
        (3, [("ab", ""), ("ac", "bold")]),
        (6, [("cb", "bold"), ("ac", "")]),
        (12, [("ab", "bold"), ("cb", ""), ("ac", "")]),
        (13, [("cb", "bold"), ("ac", "")]),
        (14, [("ac", "bold struck")]),
    ],
)
def test_the_queue_is_a_heap_over_a_list(make_steps_page, position, rows):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    page.model.go_to(position)
    picture = page.trace.picture
    paintings, theme = paintings_of(picture), picture._theme_source.theme
    lines = [shape.place for shape in paintings.drawn if not shape.brush]
    nodes = [shape for shape in paintings.drawn if shape.brush and shape.pen]
    nodes.sort(key=lambda node: (node.place.top(), node.place.left()))
    ink = inks(page)
    for node, (made, look) in zip(nodes, rows, strict=True):
        is_now, is_stale = "bold" in look, "struck" in look
        assert node.pen == (theme.accent if is_now else theme.line).name()
        assert (node.brush == theme.panel.name()) is not is_now
        assert node.look == "dashed" * is_stale
        upper, lower = sorted(
            (mark for mark in paintings.written if node.place.contains(mark.place)),
            key=lambda mark: mark.place.top(),
        )
        assert (upper.text, upper.look, upper.pen) == (made, look, ink[look][0])
        assert (lower.text, lower.look, lower.pen) == (RANKS[made], "struck" * is_stale, ink[look][1])
        assert upper.place.center().x() == near(lower.place.center().x()) == near(node.place.center().x())
    root = nodes[0].place
    assert root.center().x() == near(picture.width() / 2)
    for line, child in zip(lines, nodes[1:], strict=True):
        ends = sorted((root.center().x(), child.place.center().x()))
        assert (line.top(), line.bottom()) == (near(root.bottom()), near(child.place.top()))
        assert (line.left(), line.right()) == (near(ends[0]), near(ends[1]))
    assert_list(paintings, rows, page)


@pytest.mark.parametrize(
    ("position", "in_text", "rows"),
    [
        (1, ["ab", "ac", "cb"], [("ab", "bold"), ("cb", ""), ("ac", "")]),
        (2, ["ac", "cb"], [("cb", "bold"), ("ac", "")]),
    ],
)
def test_what_is_scanned_are_bars_in_the_order_of_the_text(make_steps_page, position, in_text, rows):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.go_to(position)
    picture = page.trace.picture
    paintings, theme = paintings_of(picture), picture._theme_source.theme
    (ground,) = [shape.place for shape in paintings.drawn if shape.place.height() == 0]
    assert (ground.left(), ground.right()) == (0, near(picture.width()))
    bars = [shape for shape in paintings.drawn if shape.place.bottom() < ground.top()]
    assert all(one.place.right() < other.place.left() for one, other in pairwise(bars))
    tallest = max(bar.place.height() for bar in bars)
    for bar, made in zip(bars, in_text, strict=True):
        is_now = (made, "bold") in rows
        assert (bar.brush == theme.accent.name()) is is_now
        assert ground.top() - bar.place.bottom() == near(1)
        if made != "ab":  # whose rank is 0
            assert bar.place.height() == pytest.approx(tallest * log(1 + int(RANKS[made])) / log(3))
        beside = [
            mark for mark in paintings.written if mark.place.center().x() == near(bar.place.center().x())
        ]
        below = next(mark for mark in beside if mark.place.top() > ground.top())
        above = next(mark for mark in beside if mark.place.bottom() < bar.place.top() + 1)
        assert (below.text, below.look, below.pen) == (made, "bold" * is_now, theme.text.name())
        assert (above.text, above.pen) == (RANKS[made], (theme.accent if is_now else theme.dim).name())
        assert bar.place.top() - above.place.bottom() < 8
    assert_list(paintings, rows, page)
    picture.resize(150, 300)
    assert badly_placed(picture) == []


def test_pairs_that_have_no_rule_are_missed_in_words(make_steps_page):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.go_to(3)
    paintings = paintings_of(page.trace.picture)
    assert [text for text, _ in paintings.texts] == ["No two neighbours have a rule."]
    assert paintings.texts[0][1].center().x() == near(page.trace.picture.width() / 2)


@pytest.mark.parametrize(
    ("position", "taken", "tries"),
    [
        (1, [], [("ab", "taken")]),
        (3, [("ab", "0–2"), ("ac", "2–4")], [("b", "cannot follow")]),
        (6, [("ab", "0–2"), ("a", "2–3")], [("cb", "taken")]),
    ],
)
def test_what_is_taken_stands_beside_what_is_tried(make_steps_page, position, taken, tries):
    page = make_steps_page("toy", b"abacb", "backtrack")
    page.model.go_to(position)
    picture = page.trace.picture
    paintings, theme = paintings_of(picture), picture._theme_source.theme
    half, texts = picture.width() / 2, paintings.written
    for left, title, rows in ((0, "taken so far", taken), (half, "tried for the next", tries)):
        here = [mark for mark in texts if left <= mark.place.left() < left + half]
        shapes = [shape for shape in paintings.drawn if left <= shape.place.left() < left + half]
        assert (here[0].text, here[0].pen, here[0].place.left()) == (title, theme.dim.name(), near(left))
        bolds = "" if left == 0 else "bold"
        for number, ((text, note), shape) in enumerate(zip(rows, shapes, strict=True)):
            one, other = here[2 * number + 1 : 2 * number + 3]
            assert (one.text, one.look, one.pen) == (text, bolds, theme.text.name())
            verdict = theme.good if note == "taken" else theme.dim
            assert (other.text, other.look, other.pen) == (note, "", verdict.name())
            assert shape.place.contains(one.place)
            assert shape.place.contains(other.place)
            assert shape.place.right() - other.place.right() == near(one.place.left() - shape.place.left())
            assert (shape.brush == theme.span_color(number).name()) is (left == 0)
            assert shape.brush not in (theme.panel.name(), theme.raised.name())


def test_only_the_last_try_is_marked_and_as_many_are_shown_as_have_room(make_steps_page):
    page = make_steps_page("wordpiece", b"lions" * 6)
    picture, panel = page.trace.picture, page.trace.picture._theme_source.theme.panel.name()
    steps = page.model.debugger.trace
    page.model.go_to(next(step for step in range(len(steps)) if steps.operation(step) == "take") - 1)
    for height in (90, 180, 260):
        picture.resize(500, height)
        paintings = paintings_of(picture)
        tries = [mark for mark in paintings.written if mark.text == "no token"]
        looks = [mark.look for mark in paintings.written[2::2]]
        assert looks == [""] * (len(tries) - 1) + ["bold"]
        assert [shape.brush == panel for shape in paintings.drawn] == [True] * (len(tries) - 1) + [False]
        assert badly_placed(picture) == []
        assert height - paintings.drawn[-1].place.bottom() < 3 * paintings.drawn[0].place.height()


def test_the_walk_goes_down_a_line_for_each_token(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb", "greedy")
    qtbot.waitUntil(lambda: page.model.tree is not None)
    picture, theme = page.trace.picture, page.trace.picture._theme_source.theme
    page.model.go_to(2)
    paintings = paintings_of(picture)
    text, dim, faint, accent = (color.name() for color in (theme.text, theme.dim, theme.faint, theme.accent))
    assert [(mark.text, mark.pen, mark.look) for mark in paintings.written] == [
        ("taken so far", dim, ""),
        ("ab", text, ""),
        ("a", text, ""),
        ("0", dim, ""),
        ("2 other ways: b c", faint, ""),
        ("ac", text, "bold"),
        ("5 taken", accent, ""),
        ("1 other way: b", faint, ""),
        ("✕ b: no longer token", dim, ""),
    ]
    places = [place for _, place in paintings.texts]
    boxes = [shape for shape in paintings.drawn if shape.place.width() > 25 and shape.pen]
    assert [box.pen for box in boxes] == [theme.line.name(), accent]
    assert all(box.place.contains(place) for box, place in zip(boxes, (places[2], places[5]), strict=True))
    assert boxes[0].place.left() < boxes[1].place.left() < places[8].left()
    for first in (2, 5):  # what stands in a line
        assert all(one.right() < other.left() for one, other in pairwise(places[first : first + 3]))
    upright = [shape.place for shape in paintings.drawn if shape.pen == accent and shape.place.width() == 0]
    level = [shape.place for shape in paintings.drawn if shape.pen == accent and shape.place.height() == 0]
    root = next(shape for shape in paintings.drawn if shape.brush == text)
    assert root.place.center().y() == near(upright[0].top())
    assert upright[1].top() == near(boxes[0].place.bottom())
    for down, on, box in zip(upright, level, boxes, strict=True):
        assert (down.left(), down.bottom()) == (near(on.left()), near(on.top()))
        assert (on.right(), on.top()) == (
            near(box.place.left()),
            pytest.approx(box.place.center().y(), abs=2),
        )
    page.model.go_to(3)
    assert not any("✕" in text for text, _ in paintings_of(picture).texts)
    page.model.go_to(4)
    assert paintings_of(picture).texts[-1][0] == "No walk at this step."
    picture.resize(280, 60)
    page.model.go_to(2)
    assert {"a", "ac"} < {text for text, _ in paintings_of(picture).texts}


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
        dots = [shape for shape in paintings.drawn if shape.brush and shape.place.width() < 12 * zoom]
        xs, base = [dot.place.center().x() for dot in dots], dots[0].place.center().y()
        step = picture.width() / len(shown.places)
        assert xs == [pytest.approx(step * (number + 0.5)) for number in range(len(shown.places))]
        reached = [number == 0 or place.is_reached for number, place in enumerate(shown.places)]
        assert [dot.brush for dot in dots] == [
            (theme.text if each else theme.line).name() for each in reached
        ]
        arcs = [shape for shape in paintings.drawn if shape.pen]
        marked = {edge.kind: colors[edge.kind].name() for edge in shown.edges if edge.kind != "way"}
        drawn = [(arc.pen if arc.pen in marked.values() else "", arc.look) for arc in arcs]
        ends = [(near(xs[edge.first]), near(xs[edge.last])) for edge in shown.edges]
        looks = [(marked.get(edge.kind, ""), "dashed" * (edge.kind == "worse")) for edge in shown.edges]
        found = zip([(arc.place.left(), arc.place.right()) for arc in arcs], drawn, strict=True)
        wanted = list(zip(ends, looks, strict=True))
        assert len(wanted) == len(arcs)
        assert all(each in wanted for each in found)
        assert [bool(color) for color, _ in drawn] == sorted(bool(color) for color, _ in drawn)  # on top
        heights = sorted((round(arc.place.width()), arc.place.height()) for arc in arcs)
        assert heights == sorted(heights, key=lambda pair: pair[1])
        assert all(arc.place.bottom() == near(base) for arc in arcs)
        texts = [mark for mark in paintings.written if mark.place.center().y() < base]
        for edge in shown.edges:
            if edge.kind != "way":
                label = next(mark for mark in texts if mark.text == edge.text and mark.look == "bold")
                assert label.pen == marked[edge.kind]
                assert label.place.center().x() == near((xs[edge.first] + xs[edge.last]) / 2)
                top = max(arc.place.height() for arc in arcs if arc.place.left() == near(xs[edge.first]))
                assert 0.4 * top / 1.3 < base - label.place.center().y() < top / 1.2
        assert [mark.pen for mark in texts if not mark.look] == [theme.dim.name()] * (
            len(texts) - sum(bool(mark.look) for mark in texts)
        )
        grounds = [shape.place for shape in paintings.drawn if shape.brush == theme.raised.name()]
        assert len(grounds) == len(texts)
        assert all(ground.contains(mark.place) for ground, mark in zip(grounds, texts, strict=True))
        below = [mark for mark in paintings.written if mark.place.center().y() > base]
        letters = [place.text for place in shown.places if place.text]
        assert [mark.text for mark in below[: len(letters)]] == letters
        for at, mark in enumerate(below[: len(letters)]):
            assert mark.place.center().x() == near(xs[at] + step / 2)
        worths = [(near(x), place.worth) for x, place in zip(xs, shown.places, strict=True) if place.worth]
        assert [(mark.place.center().x(), mark.text) for mark in below[len(letters) :]] == worths
        assert badly_placed(picture) == []


def test_a_narrow_lattice_leaves_out_what_the_step_is_not_about(make_steps_page):
    page = make_steps_page("unigram", b"lions")
    picture, model = page.trace.picture, page.model
    picture.resize(170, 400)
    n_lines = set()
    for position in range(model.n_steps):
        model.go_to(position)
        marked = {edge.text for edge in lattice(model.debugger).edges if edge.kind != "way"}
        paintings = paintings_of(picture)
        if page.model.debugger.trace.piece_at(position) >= 0:
            assert {mark.text for mark in paintings.written if mark.look == "bold"} == marked
            n_lines.add(len({place.top() for text, place in paintings.texts if text.startswith("−")}))
    assert n_lines == {0, 1, 2}
