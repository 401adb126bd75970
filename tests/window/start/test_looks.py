"""What the rows, the cards and the pictures of the start page show."""

from itertools import pairwise

import pytest
from pictures import Canvas, badly_placed, in_words, paintings_of
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel

from guiapp.kit.widgets.theme import DARK, LIGHT, ThemeSource, blend
from guiapp.window.start import pictures
from guiapp.window.start.page import StartCard, StartRow
from guiapp.window.start.pictures import CardPicture, draw_bars, draw_comparison, draw_merge, draw_text

LEFT, RIGHT, Key = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.Key


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.fixture
def make_row(qtbot, theme_source):
    def make(title="A title", detail="a detail", width=300, **more):
        done = []
        row = StartRow(title, detail, lambda: done.append(title), theme_source, **more)
        qtbot.addWidget(row)
        row.done = done
        row.resize(width, row.sizeHint().height())
        return row

    return make


def painted(row):
    canvas = Canvas(row)
    with QPainter(canvas) as painter:
        row.paint(painter, DARK)
    return canvas.paintings


def near(number, by=2.0):
    return pytest.approx(number, abs=by)


def test_a_row_has_its_title_at_the_left_and_the_detail_at_the_right(make_row):
    row = make_row()
    paintings = painted(row)
    told = [(mark.text, mark.pen) for mark in paintings.written]
    assert told == [("A title", DARK.text.name()), ("a detail", DARK.dim.name())]
    title, detail = (mark.place for mark in paintings.written)
    assert (title.left(), detail.right()) == (near(8), near(292))
    assert title.center().y() == near(row.height() / 2)
    assert detail.center().y() == near(row.height() / 2)
    assert row.accessibleName() == "A title, a detail"
    for name, share, told in (("", None, "A title, a detail"), ("", 1.0, "A title, finished")):
        assert make_row(share=share, icon_name=name).accessibleName() == told
    assert make_row(detail="").accessibleName() == "A title"
    assert "&lt;tip&gt;" in make_row(tip="<tip>").toolTip()


def test_how_much_of_a_lesson_is_done_is_a_ring_and_then_a_tick(make_row):
    for share, looks in (
        (0.0, ["faint"]),
        (0.5, ["faint", "accent"]),
        (1.0, ["good", "picture"]),
    ):
        paintings = painted(make_row(share=share))
        assert [in_words([mark], DARK)[0] or "picture" for mark in paintings.drawn] == looks
        marks = [mark.place for mark in paintings.drawn]
        assert marks[0].center().y() == near(15.5)
        assert all(7 <= mark.left() <= 12 and 12 < mark.right() <= 25 for mark in marks[:1])
        title = paintings.written[0]
        assert title.place.left() > marks[0].right() + 4
        assert title.pen == (DARK.dim if share == 1 else DARK.text).name()
    arcs = [painted(make_row(share=share)).drawn[1].place for share in (0.25, 0.5, 0.75)]
    ring = painted(make_row(share=0.5)).drawn[0].place
    middle = ring.center().x()
    assert [arc.left() >= middle - 1 for arc in arcs] == [True, True, False], "it begins at the top"
    assert [arc.bottom() > ring.center().y() + 2 for arc in arcs] == [False, True, True]
    icon = painted(make_row(icon_name="model"))
    assert len(icon.drawn) == 1
    assert icon.written[0].place.left() == painted(make_row(share=0.5)).written[0].place.left()
    disabled = make_row()
    disabled.setEnabled(False)
    assert painted(disabled).written[0].pen == DARK.dim.name()


def test_of_a_detail_as_many_parts_are_told_as_there_is_room_for(make_row):
    seen = {}
    for width in range(560, 30, -2):
        paintings = painted(make_row("A title", "one part of it · another part · the last of all", width))
        texts = [mark.text for mark in paintings.written]
        assert len(texts) == 1 or paintings.texts[0][1].right() + 8 < paintings.texts[1][1].left()
        seen.setdefault(tuple(texts), width)
    whole, two, one, *rest = seen
    assert whole == ("A title", "one part of it · another part · the last of all")
    assert two == ("A title", "one part of it · another part")
    assert one == ("A title", "one part of it")
    shortened = [texts for texts in rest if len(texts) == 2]
    assert shortened
    assert all(detail.endswith("…") and detail[:-1] in "one part of it" for _, detail in shortened)
    assert ("A title",) in rest
    assert "…" in rest[-1][0]


def test_a_row_is_lit_where_it_is_next_or_under_the_mouse(make_row, theme_source):
    row, following = make_row(), make_row(is_next=True)
    assert row.ground(DARK) is None
    row.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
    assert row.ground(DARK) == DARK.raised
    lit = following.ground(DARK)
    assert lit not in (DARK.raised, DARK.accent, DARK.background)
    assert lit == blend(DARK.background, DARK.accent, 0.14)
    assert row.cursor().shape() is Qt.CursorShape.PointingHandCursor


def test_a_row_is_opened_by_a_click_and_by_return(make_row, qtbot):
    row = make_row()
    row.show()
    qtbot.mouseClick(row, LEFT)
    for key in (Key.Key_Return, Key.Key_Enter, Key.Key_A):
        qtbot.keyClick(row, key)
    assert row.done == ["A title"] * 3


def test_a_card_opens_by_a_click_inside_and_its_button_runs_the_example(qtbot, theme_source):
    done = []
    card = StartCard(
        "Title", "About it", draw_text, lambda: done.append("open"), lambda: done.append("run"), theme_source
    )
    card.set_example("Try it")
    qtbot.addWidget(card)
    card.resize(280, 300)
    card.show()
    qtbot.waitExposed(card)
    assert (card.title.text(), card.example.text(), card.example.accessibleName()) == (
        "Title",
        "▸  Try it",
        "Try it",
    )
    assert [label.text() for label in card.findChildren(QLabel)] == ["About it"]
    assert card.property("role") == card.title.property("role") == "door"
    assert card.findChild(QLabel).property("role") == "dim"
    qtbot.mouseClick(card, LEFT, pos=QPoint(100, 60))
    qtbot.mouseClick(card, RIGHT, pos=QPoint(100, 60))
    qtbot.mousePress(card, LEFT, pos=QPoint(100, 60))
    qtbot.mouseRelease(card, LEFT, pos=QPoint(100, 400))
    assert done == ["open"]
    qtbot.mouseClick(card.title, LEFT)
    qtbot.mouseClick(card.example, LEFT)
    assert done == ["open", "open", "run"]
    assert card.cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert {card.title.focusPolicy(), card.example.focusPolicy()} == {Qt.FocusPolicy.StrongFocus}
    assert card.findChild(CardPicture).y() < card.title.mapTo(card, QPoint()).y()
    assert card.title.mapTo(card, QPoint()).y() < card.example.mapTo(card, QPoint()).y()


def picture(qtbot, theme_source, draw):
    made = CardPicture(draw, theme_source)
    qtbot.addWidget(made)
    made.resize(QSize(280, made.height()))
    paintings = paintings_of(made)
    ground, line, *rest = paintings.drawn
    assert (ground.brush, line.brush) == (theme_source.theme.raised.name(), theme_source.theme.line.name())
    assert (line.place.width(), line.place.height()) == (280, 1)
    assert line.place.bottom() == near(made.height(), 1)
    assert len(badly_placed(made)) == 1, "but for the ground, which has no round corners below"
    return made, paintings.written, rest


def rows_of(marks):
    rows = {}
    for mark in sorted(marks, key=lambda mark: (round(mark.place.center().y()), mark.place.left())):
        rows.setdefault(round(mark.place.center().y()), []).append(mark)
    return list(rows.values())


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_tokens_are_drawn_line_by_line_in_colours_that_go_on(qtbot, theme_source, theme):
    theme_source.choose(theme.name)
    made, written, drawn = picture(qtbot, theme_source, draw_text)
    boxes = rows_of(drawn)
    assert [len(row) for row in boxes] == [len(line) for line in pictures.LINES]
    colors = [box.brush for row in boxes for box in row]
    assert colors == [theme.span_color(at).name() for at in range(len(colors))]
    letters = ["".join(mark.text for mark in row) for row in rows_of(written)]
    assert letters == ["".join(line).replace(" ", "·") for line in pictures.LINES]
    assert {mark.text == "·": mark.pen for mark in written} == {
        True: theme.faint.name(),
        False: theme.span_text.name(),
    }
    for row in boxes:
        assert row[0].place.left() == near(21, 1)
        assert all(one.place.right() == near(other.place.left(), 0.1) for one, other in pairwise(row))
    tops = [row[0].place.center().y() for row in boxes]
    assert tops[1] == near(made.height() / 2, 3)
    assert tops[2] - tops[1] == tops[1] - tops[0] > boxes[0][0].place.height()


def test_a_merge_is_drawn_with_its_rank_over_it_and_its_token_below(qtbot, theme_source):
    _, written, drawn = picture(qtbot, theme_source, draw_merge)
    (top, middle, bottom), theme = rows_of(written), theme_source.theme
    assert [(mark.text, mark.look, mark.pen) for mark in top] == [
        (str(pictures.MERGE_RANK), "bold", theme.on_accent.name())
    ]
    assert [mark.text for mark in middle] == list(pictures.MERGED)
    assert [(mark.text, mark.pen) for mark in bottom] == [("able", theme.dim.name())]
    boxes = [mark for mark in drawn if mark.brush == theme.panel.name()]
    assert [mark.pen for mark in boxes] == [theme.line.name()] * 5 + [theme.accent.name()] * 2
    assert all(box.place.contains(mark.place) for box, mark in zip(boxes, middle, strict=True))
    assert {round(other.place.left() - one.place.right(), 2) for one, other in pairwise(boxes)} == {5}
    assert (boxes[0].place.left() + boxes[-1].place.right()) / 2 == near(140)
    joint = (boxes[-2].place.center().x() + boxes[-1].place.center().x()) / 2
    assert top[0].place.center().x() == near(joint)
    assert bottom[0].place.center().x() == near(joint)
    lines = [mark.place for mark in drawn if mark not in boxes and not mark.brush]
    across, *down = lines
    ends = [box.place.center().x() for box in boxes[-2:]]
    assert [across.left(), across.right()] == near(ends)
    assert [line.left() for line in down] == near(ends)
    for line in down:
        assert line.top() == across.top()
        assert line.bottom() == near(boxes[-1].place.top())
    (tag,) = [mark for mark in drawn if mark.brush == theme.accent.name()]
    assert tag.place.contains(top[0].place.center())
    assert tag.place.bottom() < across.top()


def test_two_models_stand_below_each_other_with_how_many_tokens_they_make(qtbot, theme_source):
    _, written, drawn = picture(qtbot, theme_source, draw_comparison)
    theme, lines = theme_source.theme, rows_of(written)
    assert [[mark.text for mark in line] for line in lines[::2]] == [
        [name, f"{len(tokens)} tokens"] for name, tokens in pictures.BESIDE
    ]
    for name, count in lines[::2]:
        assert (name.pen, count.pen, count.look) == (theme.dim.name(), theme.text.name(), "bold")
        assert (name.place.left(), count.place.right()) == (near(21), near(259))
    boxes = rows_of(drawn)
    assert [[mark.brush for mark in row] for row in boxes] == [
        [theme.span_color(at).name() for at in range(len(tokens))] for _, tokens in pictures.BESIDE
    ]
    heights = [line[0].place.center().y() for line in lines]
    assert heights == sorted(heights)


def test_bars_have_whiskers_around_their_ends(qtbot, theme_source):
    made, written, drawn = picture(qtbot, theme_source, draw_bars)
    theme = theme_source.theme
    assert written == []
    bars = [mark for mark in drawn if mark.brush]
    assert [bar.brush for bar in bars] == [theme.contenders[color].name() for color, *_ in pictures.BARS]
    longest = bars[0].place.width()
    assert [bar.place.width() / longest for bar in bars] == near(
        [share for _, share, _ in pictures.BARS], 0.01
    )
    assert {bar.place.left() for bar in bars} == {21}
    assert bars[1].place.center().y() == near(made.height() / 2)
    whiskers = [mark for mark in drawn if not mark.brush]
    assert {mark.pen for mark in whiskers} == {theme.text.name()}
    for number, (bar, (_, _, half)) in enumerate(zip(bars, pictures.BARS, strict=True)):
        across, *ends = (mark.place for mark in whiskers[3 * number : 3 * number + 3])
        reach = 238 * half
        assert [across.left(), across.right()] == near([bar.place.right() - reach, bar.place.right() + reach])
        assert [end.left() for end in ends] == near([across.left(), across.right()], 0.1)
        assert across.top() == near(bar.place.center().y())
        assert {round(end.height()) for end in ends} == {8}
        assert {round(end.center().y() - across.top()) for end in ends} == {0}
