"""What is painted of a presentation: letters, boxes, marks and numbers."""

from itertools import pairwise

import pytest
from pictures import Canvas, Paintings
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from guiapp.viewmodels.presentation.letters import letters_of
from guiapp.viewmodels.presentation.scene import Around, Block, Mark, Scene
from guiapp.viewmodels.steps.flow import Element, Part, Role
from guiapp.viewmodels.steps.lattice import Edge, Lattice, Place
from guiapp.widgets.presentation.arcs import lay_out_places, paint_arcs
from guiapp.widgets.presentation.around import lay_out_around, paint_around
from guiapp.widgets.presentation.paint_strip import cell_width, paint_strip
from guiapp.widgets.presentation.strip import lay_out
from guiapp.widgets.shared.theme import DARK, LIGHT

AREA = QRectF(96, 60, 1728, 600)


@pytest.fixture
def paint(qtbot):
    """What is painted on a screen of 1920 to 1080."""

    def paint_on_screen(draw) -> Paintings:
        screen = QWidget()
        qtbot.addWidget(screen)
        screen.resize(1920, 1080)
        canvas = Canvas(screen)
        with QPainter(canvas) as painter:
            draw(painter)
        return canvas.paintings

    return paint_on_screen


def blocks_of(*texts, part=Part.TOKEN, marked=(), joined=(), below=()):
    blocks, at = [], 0
    for number, text in enumerate(texts):
        end = at + len(text.encode())
        under = below[number] if below else ""
        blocks.append(
            Block(letters_of(text, at, end), part, number, under, number in marked, number in joined)
        )
        at = end
    return blocks


def shown(paint, *, theme=DARK, room=AREA, **scene):
    scene = Scene(**({"is_one_row": True} | scene))
    strip = lay_out(scene, room, cell_width)
    return strip, paint(lambda painter: paint_strip(painter, theme, scene, strip, room))


def texts(paintings):
    return [mark.text for mark in paintings.written]


def near(number, by=2.0):
    return pytest.approx(number, abs=by)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_letters_stand_in_boxes_that_tell_what_they_are(paint, theme):
    for part, colors, ink in (
        (Part.TOKEN, (theme.line.name(), theme.raised.name(), ""), theme.text),
        (Part.FINISHED, ("", theme.span_color(0).name(), ""), theme.span_text),
        (Part.CONTROL, (theme.warning.name(), theme.warning.name(), ""), theme.span_text),
        (Part.USER_DEFINED, (theme.text.name(), theme.span_color(0).name(), "dotted"), theme.span_text),
        (Part.TEXT, None, theme.dim),
    ):
        strip, paintings = shown(paint, theme=theme, blocks=blocks_of("ab", part=part))
        assert texts(paintings) == ["a", "b"]
        assert {mark.pen for mark in paintings.written} == {ink.name()}
        for mark, placed in zip(paintings.written, strip.letters, strict=True):
            assert mark.place.center().x() == near(placed.cell.center().x())
            assert mark.place.center().y() == near(placed.cell.center().y(), 6)
        drawn = [(mark.pen, mark.brush, mark.look) for mark in paintings.drawn]
        assert drawn == ([] if colors is None else [colors])
        assert colors is None or paintings.shapes == [strip.boxes[0].rect]
    strip, paintings = shown(paint, theme=theme, blocks=blocks_of("Ġ", "x·", "▁"))
    assert [mark.pen for mark in paintings.written] == [
        (theme.text if text == "x" else theme.dim).name() for text in texts(paintings)
    ]


def test_what_a_step_is_about_is_framed_with_what_comes_of_it_over_a_bracket(paint):
    blocks = blocks_of("un", "b", "el", marked=(1, 2), joined=(2,))
    for mark, colors, ink in (
        (Mark("rank 7", succeeds=True), ("", DARK.accent.name()), DARK.on_accent),
        (Mark("no token", succeeds=False), (DARK.accent.name(), DARK.background.name()), DARK.text),
        (Mark("rank 7", succeeds=True, wins=True), ("", DARK.accent.name()), DARK.on_accent),
    ):
        strip, paintings = shown(paint, blocks=blocks, mark=mark)
        plain, marked = strip.boxes
        frames = [each for each in paintings.drawn if each.place in (plain.rect, marked.rect)]
        assert [each.pen for each in frames] == [DARK.line.name(), DARK.accent.name()]
        assert frames[1].brush not in (frames[0].brush, DARK.accent.name())
        (seam,) = [each for each in paintings.drawn if each.look == "dotted"]
        assert seam.place.left() == near(strip.letters[3].cell.left())
        assert marked.rect.top() < seam.place.top() < seam.place.bottom() < marked.rect.bottom()
        (label,) = [each for each in paintings.written if each.text == mark.label]
        assert label.pen == ink.name()
        bubble = next(
            each for each in paintings.drawn if each.place.contains(label.place) and each.place.height() < 90
        )
        assert (bubble.pen, bubble.brush) == colors
        assert bubble.place.bottom() < marked.rect.top()
        assert bubble.place.center().x() == near(marked.rect.center().x(), 60)
        lines = [
            each.place
            for each in paintings.drawn
            if each.pen == DARK.accent.name() and not each.brush and not each.look
        ]
        bracket = [
            place for place in lines if marked.rect.top() - 60 < place.center().y() < marked.rect.top()
        ]
        assert bracket
        middles = (
            strip.letters[2].cell.center().x(),
            (strip.letters[3].cell.left() + strip.letters[4].cell.right()) / 2,
        )
        assert min(place.left() for place in bracket) == near(middles[0], 4)
        assert max(place.right() for place in bracket) == near(middles[1], 4)
        discs = [each for each in paintings.drawn if each.pen == DARK.raised.name()]
        assert len(discs) == mark.wins
        for disc in discs:
            assert bubble.place.contains(disc.place.center())
            assert disc.place.right() < label.place.left() + 2
    strip, paintings = shown(paint, blocks=blocks)
    assert texts(paintings) == list("unbel")


def test_a_label_never_leaves_the_room(paint):
    label = "a label that is much wider than its letters"
    for at in (0, 9):
        blocks = blocks_of(*"abcdefghij", marked=(at,))
        _, paintings = shown(paint, blocks=blocks, mark=Mark(label, succeeds=True))
        (mark,) = [each for each in paintings.written if each.text == label]
        assert AREA.left() <= mark.place.left() < mark.place.right() <= AREA.right()


def test_ranks_stand_over_the_gaps_of_their_pairs_as_far_as_there_is_room(paint):
    blocks = blocks_of("un", "b", "el")
    strip, paintings = shown(paint, blocks=blocks, ranks={1: "12", 2: "345", 3: "never"})
    ranks = [mark for mark in paintings.written if mark.text.isdigit()]
    assert [mark.text for mark in ranks] == ["12", "345"]
    assert {mark.pen for mark in ranks} == {DARK.dim.name()}
    for mark, one, other in zip(ranks, strip.boxes, strip.boxes[1:], strict=False):
        assert mark.place.center().x() == near((one.rect.right() + other.rect.left()) / 2)
        assert one.rect.top() - 60 < mark.place.top() < mark.place.bottom() < one.rect.top()
    _, paintings = shown(paint, blocks=blocks, ranks={1: "1" * 12, 2: "2" * 12})
    assert texts(paintings)[-1] == "1" * 12


def test_ids_stand_below_their_tokens_and_do_not_run_into_each_other(paint):
    strip, paintings = shown(
        paint, blocks=blocks_of("abc", "d", "e", below=("1" * 7, "2" * 9, "3" * 9)), is_one_row=False
    )
    ids = [mark for mark in paintings.written if mark.text.isdigit()]
    assert [mark.text[0] for mark in ids] in (["1", "2"], ["1", "3"])
    assert {mark.pen for mark in ids} == {DARK.dim.name()}
    for mark in ids:
        box = strip.boxes[int(mark.text[0]) - 1].rect
        assert mark.place.center().x() == near(box.center().x())
        assert box.bottom() - 4 <= mark.place.top() < mark.place.bottom() < box.bottom() + 60


def test_where_a_row_goes_on_out_of_sight_it_fades_and_its_box_is_open(paint):
    for at, n_cuts in ((0, 1), (39, 2), (77, 1)):
        strip, paintings = shown(
            paint, blocks=blocks_of(*"abcdefghijklmnopqrstuvwxyz" * 3, marked=(at,)), mark=Mark("x1", True)
        )
        dots = [mark for mark in paintings.written if mark.text == "…"]
        assert len(dots) == sum(strip.cuts) == n_cuts
        assert [mark.place.center().x() < AREA.center().x() for mark in dots] == [
            is_left for is_left, is_cut in ((True, strip.cuts[0]), (False, strip.cuts[1])) if is_cut
        ]
        assert all(AREA.left() <= mark.place.left() < mark.place.right() <= AREA.right() for mark in dots)
    strip, paintings = shown(paint, blocks=blocks_of("a" * 80, marked=(0,)), mark=Mark("x1", True))
    (box,) = [each.place for each in paintings.drawn if each.place.width() > 1000]
    sides = [
        (AREA.left(), strip.boxes[0].rect.left()),
        (AREA.right(), strip.boxes[0].rect.right()),
    ]
    ends = [opened if is_cut else closed for is_cut, (opened, closed) in zip(strip.cuts, sides, strict=True)]
    assert [box.left(), box.right()] == near(ends)


def test_rows_that_go_on_out_of_sight_have_dots_above_or_below(paint):
    word = "abcdefghijklmnopqrstuvwxyz"
    for at, ends in ((0, [False, True]), (50, [True, True]), (99, [True, False])):
        blocks = blocks_of(*[word] * 100, marked=(at,))
        strip, paintings = shown(paint, blocks=blocks, is_one_row=False)
        assert list(strip.cuts) == ends
        dots = [mark for mark in paintings.written if mark.text == "⋯"]
        assert len(dots) == sum(ends)
        middle = strip.letters[len(strip.letters) // 2].cell.center().y()
        assert [mark.place.center().y() > middle for mark in dots] == [
            is_below for is_below in (False, True) if ends[is_below]
        ]
        assert all(mark.place.center().x() == near(AREA.center().x()) for mark in dots)


def test_the_text_around_is_told_in_one_line_with_the_piece_underlined(paint):
    done = [
        Element("one", "", 0, 3, Part.FINISHED, Role.NONE, 2),
        Element("two", "", 3, 6, Part.FINISHED, Role.NONE, 3),
    ]
    around = Around(done, "now", "to come")
    line = lay_out_around(around, AREA)
    paintings = paint(lambda painter: paint_around(painter, DARK, line))
    marks = sorted(paintings.written, key=lambda mark: mark.place.left())
    assert [(mark.text, mark.pen) for mark in marks] == [
        ("one", DARK.span_text.name()),
        ("two", DARK.span_text.name()),
        ("now", DARK.text.name()),
        ("to come", DARK.dim.name()),
    ]
    left, right = marks[0].place.left(), marks[-1].place.right()
    assert (left + right) / 2 == near(AREA.center().x(), 8)
    for one, other in pairwise(marks):
        assert 0 <= other.place.left() - one.place.right() < 24
    colors = {mark.brush: mark.place for mark in paintings.drawn}
    assert set(colors) == {DARK.span_color(2).name(), DARK.span_color(3).name(), DARK.accent.name()}
    assert colors[DARK.span_color(2).name()].contains(marks[0].place.center())
    assert colors[DARK.span_color(3).name()].contains(marks[1].place.center())
    under = colors[DARK.accent.name()]
    assert (under.left(), under.right()) == (near(marks[2].place.left()), near(marks[2].place.right()))
    assert marks[2].place.center().y() < under.top() < AREA.top() + 60
    many = [Element("token", "", at, at + 5, Part.FINISHED, Role.NONE, at) for at in range(60)]
    line = lay_out_around(Around(many, "now", "and more " * 40), AREA)
    assert AREA.left() - 2 <= min(each.rect.left() for each in line)
    assert max(each.rect.right() for each in line) <= AREA.right() + 2
    assert [each.text.strip("\u2068\u2069").endswith("…") for each in line].count(True) == 1
    assert sum(each.is_now for each in line) == 1


def ways(*edges, n=4):
    places = [Place("abcd"[at : at + 1], f"-{at}.5" if at else "", is_reached=at < 3) for at in range(n + 1)]
    return Lattice(places, list(edges))


def test_ways_are_arcs_with_their_tokens_over_letters_and_their_worth_below(paint):
    lattice = ways(
        Edge(0, 1, "a", "way"),
        Edge(0, 2, "ab", "chosen"),
        Edge(1, 3, "bc", "worse"),
        Edge(2, 4, "cd", "now"),
    )
    places = lay_out_places(lattice, AREA)
    paintings = paint(lambda painter: paint_arcs(painter, DARK, lattice, places, AREA))
    letters = [mark for mark in paintings.written if mark.text in "abcd" and mark.pen == DARK.text.name()]
    assert [mark.text for mark in letters] == list("abcd")
    for mark, cell in zip(letters, places.cells, strict=True):
        assert mark.place.center().x() == near(cell.center().x())
    labels = {mark.text: mark for mark in paintings.written if mark not in letters}
    assert {text: (mark.pen, mark.look) for text, mark in labels.items() if "." not in text} == {
        "a": (DARK.dim.name(), ""),
        "ab": (DARK.good.name(), "bold"),
        "bc": (DARK.accent.name(), "bold"),
        "cd": (DARK.on_accent.name(), "bold"),
    }
    for text, first, last in (("ab", 0, 2), ("bc", 1, 3), ("cd", 2, 4)):
        assert labels[text].place.center().x() == near((places.edges[first] + places.edges[last]) / 2)
        assert AREA.top() <= labels[text].place.top() < labels[text].place.bottom() < places.top
    assert labels["a"].place.center().y() > labels["ab"].place.center().y(), "long tokens have high arcs"
    worths = {text: mark for text, mark in labels.items() if "." in text}
    assert list(worths) == ["-1.5", "-2.5", "-3.5", "-4.5"]
    for number, mark in enumerate(worths.values(), 1):
        assert mark.place.center().x() == near(places.edges[number])
        assert places.cells[0].bottom() < mark.place.top() < mark.place.bottom() <= AREA.bottom()
        assert mark.pen == DARK.dim.name()
    dots = [mark for mark in paintings.drawn if 10 < mark.place.width() < 18 and mark.place.height() < 18]
    dots = [mark for mark in dots if mark.brush in (DARK.text.name(), DARK.line.name())]
    assert [mark.brush == DARK.text.name() for mark in dots] == [True, True, True, False, False]
    assert [mark.place.center().x() for mark in dots] == near(places.edges)
    looks = [(mark.pen, mark.look) for mark in paintings.drawn if mark.pen and not mark.brush][:4]
    assert looks[1:] == [(DARK.good.name(), ""), (DARK.accent.name(), "dashed"), (DARK.accent.name(), "")]
    assert looks[0][0] not in (DARK.good.name(), DARK.accent.name())
