"""What is painted around the picture of a presentation: dashes, buttons, questions and names."""

from itertools import pairwise

import pytest
from hands import point_at
from pictures import paintings_of
from PySide6.QtCore import QPoint, Qt

from guiapp.widgets.shared.theme import DARK

Key = Qt.Key


def texts(paintings):
    return [mark.text for mark in paintings.written]


def near(number, by=2.0):
    return pytest.approx(number, abs=by)


def dashes(presented):
    marks = [mark for mark in paintings_of(presented).drawn if mark.place.height() == near(4, 0.5)]
    return [mark for mark in marks if mark.place.center().y() == near(1031, 1)]


def test_a_dash_for_each_slide_tells_where_one_is(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.restart()
    presented = present(page)
    n_slides = page.model.n_steps + 1
    for number in range(n_slides):
        page.model.go_to(number)
        marks = dashes(presented)
        assert [mark.brush for mark in marks] == [
            *[DARK.dim.name()] * number,
            DARK.accent.name(),
            *[DARK.line.name()] * (n_slides - number - 1),
        ]
    lefts = [mark.place.left() for mark in marks]
    assert lefts == [near(lefts[0] + at * 52) for at in range(n_slides)]
    assert (lefts[0] + marks[-1].place.right()) / 2 == near(960)
    for at in (2, 0):
        qtbot.mouseClick(presented, Qt.MouseButton.LeftButton, pos=QPoint(round(lefts[at]) + 5, 1031 + 20))
        assert page.model.position == at
    qtbot.mouseClick(presented, Qt.MouseButton.LeftButton, pos=QPoint(round(lefts[3]) + 5, 1031 + 30))
    assert page.model.position == 1, "below the dashes a click leads on"


def test_many_slides_are_one_line_that_is_filled_up_to_where_one_is(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb" * 20, "scan")
    presented = present(page)
    n_steps = page.model.n_steps
    assert n_steps > 24
    for position in (0, n_steps // 2, n_steps):
        page.model.go_to(position)
        ground, *filled = dashes(presented)
        assert (ground.brush, ground.place.center().x()) == (DARK.line.name(), near(960))
        assert {mark.brush for mark in filled} <= {DARK.accent.name()}
        widths = sum(mark.place.width() for mark in filled)
        assert widths == near(ground.place.width() * position / n_steps, 3)
    left, right = ground.place.left(), ground.place.right()
    for x, position in ((left + 1, 0), ((left + right) / 2, round(n_steps / 2)), (right + 4, n_steps)):
        qtbot.mouseClick(presented, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 1031))
        assert page.model.position == pytest.approx(position, abs=1)


def test_buttons_show_with_the_pointer_and_say_whether_it_plays(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.restart()
    presented = present(page)
    before = texts(paintings_of(presented))
    point_at(presented, QPoint(640, 300))

    def buttons():
        return {mark.text: mark for mark in paintings_of(presented).written if mark.text not in before}

    assert list(buttons()) == ["‹", "›", "Play", "Leave"]
    for mark, name in zip(buttons().values(), ("back", "on", "play", "leave"), strict=True):
        assert mark.pen == DARK.dim.name()
        target = presented.targets[name]
        assert mark.place.center().x() == near(target.center().x())
        assert presented.room.contains(target)
        assert target.center().y() > 980
    lefts = [presented.targets[name].left() for name in ("back", "on", "play", "leave")]
    assert [right - left for left, right in pairwise(lefts)][::2] == [132, 132]
    assert (lefts[0], presented.targets["leave"].right()) == (24, 1920 - 24)
    qtbot.keyClick(presented, Key.Key_P)
    assert "Pause" in buttons()
    qtbot.keyClick(presented, Key.Key_P)
    assert "Pause" not in buttons()


def test_a_question_is_asked_in_bold_over_a_key_that_shows_the_answer(make_steps_page, present, qtbot):
    page = make_steps_page()
    page.player.begin("4-encoding-by-merges", 0)
    qtbot.waitUntil(lambda: page.player.is_ready)
    presented = present(page)
    target = presented.targets["reveal"]
    paintings = paintings_of(presented)
    inside = [mark for mark in paintings.written if target.contains(mark.place)]
    assert [(mark.text, mark.pen) for mark in inside] == [
        ("Space", DARK.dim.name()),
        ("Show the answer", DARK.text.name()),
    ]
    frames = [mark for mark in paintings.drawn if target.adjusted(-1, -1, 1, 1).contains(mark.place)]
    assert [(mark.pen, mark.brush) for mark in frames] == [
        ("", DARK.panel.name()),
        (DARK.line.name(), ""),
        (DARK.line.name(), ""),
    ]
    assert frames[2].place.contains(inside[0].place)
    assert frames[2].place.right() < inside[1].place.left()
    bold = [mark for mark in paintings.written if mark.look == "bold"]
    assert bold
    assert all(mark.place.bottom() < target.top() for mark in bold)
    assert {mark.pen for mark in bold} == {DARK.text.name()}
    asked = presented.accessibleDescription()
    qtbot.keyClick(presented, Key.Key_Space)
    paintings = paintings_of(presented)
    assert "Space" not in texts(paintings)
    assert presented.accessibleDescription().startswith(asked)
    assert presented.accessibleDescription() != asked


def test_both_sides_of_a_race_have_their_names_over_them(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "heap")
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.model.race.is_ready)
    presented = present(page)
    written = {mark.text: mark for mark in paintings_of(presented).written}
    for picture in presented.pictures:
        name = written[picture.name]
        assert name.pen == DARK.dim.name()
        assert name.place.left() == near(picture.area.left(), 4)
        assert picture.area.top() - 50 < name.place.top() < name.place.bottom() <= picture.area.top() + 2
