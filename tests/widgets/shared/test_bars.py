"""Bars in several parts, rows and columns: where they stand, what is written, what clicks and keys do."""

import numpy as np
import pytest
from hands import point_at
from pictures import in_words, paintings_of
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtWidgets import QApplication

from guiapp.widgets.shared.bars import Bars, ColumnBars, RowBars
from guiapp.widgets.shared.painting import fill
from guiapp.widgets.shared.theme import ThemeSource

PARTS = ("listed", "others")
COUNTS = np.array([[10, 0, 300, 0, 1], [90, 0, 100, 1, 0]])
NAMES = ("Latin", "Han", "Cyrillic", "Thai", "Greek")
LEFT, RIGHT, Key = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.Key
WIDTH = 500


def paint_part(painter, theme, place, part):
    fill(painter, place, (theme.accent, theme.faint)[part], 0)


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.fixture
def make(theme_source, qtbot):
    def make_one(kind, *more, counts=COUNTS, names=NAMES):
        bars = kind(theme_source, "Tokens", PARTS, paint_part, *more)
        bars.chosen_, bars.pointed = [], []
        bars.chosen.connect(lambda *given: bars.chosen_.append(given))
        bars.pointed_at.connect(bars.pointed.append)
        qtbot.addWidget(bars)
        bars.show_counts(counts, names)
        bars.resize(WIDTH, 130)
        bars.show()
        qtbot.waitExposed(bars)
        bars.activateWindow()
        qtbot.waitUntil(bars.isActiveWindow)
        return bars

    return make_one


def widths(place):
    return [part.width() for part in place.parts]


def test_rows_are_those_that_have_something_the_largest_first(make):
    bars = make(RowBars, False)
    assert bars.columns == [place.column for place in bars.places] == [2, 0, 3, 4]
    tops = [place.whole.top() for place in bars.places]
    height = bars.places[0].whole.height()
    assert tops == [row * height for row in range(4)]
    assert bars.sizeHint().height() == bars.minimumSizeHint().height() == 4 * height
    assert bars.minimumSizeHint().width() < bars.sizeHint().width()
    assert all(place.whole.width() == WIDTH for place in bars.places)
    for place in bars.places:
        for part in place.parts:
            assert part.center().y() == pytest.approx(place.whole.center().y())
            assert part.height() < height / 2
        assert place.parts[0].right() == pytest.approx(place.parts[1].left())
        assert place.parts[0].left() == bars.places[0].parts[0].left()
    bars.show_counts(np.zeros((2, 3), np.int64), ("a", "b", "c"))
    assert (bars.places, bars.sizeHint().height()) == ([], height)


def test_rows_are_as_wide_as_their_counts_or_share_out_all_there_is(make):
    counted, shared = make(RowBars, False), make(RowBars, True)
    most, other, *small = map(widths, counted.places)
    assert [width / sum(most) for width in (*most, *other)] == pytest.approx([0.75, 0.25, 0.025, 0.225])
    assert [sorted(each)[0] for each in small] == [0, 0]
    assert [sum(each) for each in small] == pytest.approx([sum(most) / 200] * 2, abs=2)
    assert min(sum(each) for each in small) > 1, "what has anything is seen"
    assert all(sum(each) == pytest.approx(sum(most)) for each in map(widths, shared.places))
    assert [widths(place)[0] / sum(most) for place in shared.places] == pytest.approx([0.75, 0.1, 0, 1])


def test_rows_tell_their_names_and_the_whole_or_the_first_part(make, theme_source):
    for is_shared_out, totals in ((True, ["400", "100", "1", "1"]), (False, ["300", "10", "0", "1"])):
        bars = make(RowBars, is_shared_out)
        bars.clearFocus()
        paintings, theme = paintings_of(bars), theme_source.theme
        names = ("Cyrillic", "Latin", "Thai", "Greek")
        pairs = ((f"{name} text", f"{total} dim") for name, total in zip(names, totals, strict=True))
        assert in_words(paintings.written, theme) == [text for pair in pairs for text in pair]
        drawn = [(mark.pen, mark.brush) for mark in paintings.drawn]
        assert drawn == [("", (theme.accent, theme.faint)[part].name()) for part in (0, 1, 0, 1, 1, 0)]
        bounds = [(part.left(), part.right()) for place in bars.places for part in place.parts]
        left, right = min(left for left, _ in bounds), max(right for _, right in bounds)
        for text, box in paintings.texts:
            assert box.left() > 1
            assert box.right() < left if text in NAMES else right < box.left()
            assert box.right() < WIDTH - 1


def test_a_long_name_is_cut_to_end_before_the_bars(make):
    bars = make(RowBars, True, names=("Latin", "Han", "i" * 80, "Thai", "Greek"))
    (name, box), *_ = paintings_of(bars).texts
    assert name == f"{'i' * (len(name) - 1)}…"
    assert 6 < bars.places[0].parts[0].left() - box.right() < 14


def test_columns_stand_on_one_line_in_their_order(make):
    bars = make(ColumnBars, 0)
    assert [place.column for place in bars.places] == [0, 1, 2, 3, 4]
    assert [place.whole.left() for place in bars.places] == [0, 100, 200, 300, 400]
    assert {(place.whole.top(), place.whole.width(), place.whole.height()) for place in bars.places} == {
        (0, 100, 130)
    }
    feet = {place.parts[0].bottom() for place in bars.places}
    assert len(feet) == 1
    assert 100 < feet.pop() < 120
    heights = [[part.height() for part in place.parts] for place in bars.places]
    whole = sum(heights[2])
    assert 80 < whole < 112, "the highest leaves a gap"
    assert bars.places[2].parts[1].top() > 0
    assert [each / whole for each in heights[0]] == pytest.approx([10 / 400, 90 / 400])
    assert [each / whole for each in heights[2]] == pytest.approx([300 / 400, 100 / 400])
    assert heights[1] == [0, 0]
    for lone in (heights[3][::-1], heights[4]):
        assert lone[1] == 0
        assert 1 < lone[0] < 2, "what has anything is seen"
    for place in bars.places:
        assert all(place.whole.left() < part.left() for part in place.parts)
        assert all(part.right() < place.whole.right() for part in place.parts)
        assert place.parts[1].bottom() == pytest.approx(place.parts[0].top())


def test_columns_before_the_first_are_left_out_and_of_nothing_there_are_none(make):
    bars = make(ColumnBars, 3)
    assert [place.column for place in bars.places] == [3, 4]
    assert [place.whole.left() for place in bars.places] == [0, WIDTH / 2]
    assert [place.parts[0].height() > 20 for place in bars.places] == [False, True]
    bars.show_counts(np.array([[9, 9, 9, 0, 0], [0] * 5]), NAMES)
    assert bars.places == []
    assert bars.minimumSizeHint().height() == bars.sizeHint().height() > 100
    assert bars.minimumSizeHint().width() < bars.sizeHint().width()
    assert [place.column for place in make(ColumnBars).places] == [0, 1, 2, 3, 4]


def test_labels_stand_below_the_middle_of_their_columns_and_never_beyond_the_edges(make, theme_source):
    bars = make(ColumnBars)
    bars.labels = {0: "a very long label of the first", 2: "mid", 4: "a very long label of the last"}
    paintings = paintings_of(bars)
    assert in_words(paintings.written, theme_source.theme) == [f"{text} dim" for text in bars.labels.values()]
    first, middle, last = (box for _, box in paintings.texts)
    assert middle.center().x() == pytest.approx(250, abs=1.5)
    assert first.left() == pytest.approx(0, abs=1.5)
    assert last.right() == pytest.approx(WIDTH, abs=1.5)
    feet = bars.places[0].parts[0].bottom()
    assert all(feet - 1 < box.top() < box.bottom() <= 131 for box in (first, middle, last))


def test_a_part_is_what_is_drawn_at_the_point_and_a_bar_is_all_that_is_around(make):
    rows, columns = make(RowBars, True), make(ColumnBars)
    place = rows.places[1]
    (first, second), y = place.parts, place.whole.bottom() - 1
    assert rows.part_at(QPointF(first.left(), y)) == (0, 0)
    assert rows.part_at(QPointF(first.right() - 0.1, y)) == (0, 0)
    assert rows.part_at(QPointF(second.left() + 0.1, y)) == (0, 1)
    assert rows.part_at(QPointF(second.right() + 1, y)) == rows.part_at(QPointF(2, y)) == (0, None)
    assert rows.part_at(QPointF(9, 4 * place.whole.height() + 1)) is None
    place = columns.places[2]
    (first, second), x = place.parts, place.whole.left() + 0.2
    assert columns.part_at(QPointF(x, first.bottom() - 0.1)) == (2, 0)
    assert columns.part_at(QPointF(x, first.top() + 0.1)) == (2, 0)
    assert columns.part_at(QPointF(x, second.bottom() - 0.1)) == (2, 1)
    assert columns.part_at(QPointF(x, 0.5)) == columns.part_at(QPointF(x, 129)) == (2, None)
    assert columns.part_at(QPointF(x, 140)) is None


def test_a_click_chooses_a_bar_and_its_part_and_keys_go_on_from_there(make, qtbot):
    bars = make(RowBars, True)
    qtbot.mouseClick(bars, RIGHT, pos=bars.places[0].parts[0].center().toPoint())
    qtbot.mouseClick(bars, LEFT, pos=QPoint(9, 120))
    assert bars.chosen_ == []
    qtbot.mouseClick(bars, LEFT, pos=bars.places[1].parts[1].center().toPoint())
    qtbot.mouseClick(bars, LEFT, pos=QPoint(3, round(bars.places[2].whole.center().y())))
    assert bars.chosen_ == [(0, 1), (3, None)]
    bars.setFocus()
    qtbot.keyClick(bars, Key.Key_Down)
    assert bars.pointed[-1] == 4


@pytest.mark.parametrize(("on", "back"), [(Key.Key_Down, Key.Key_Up), (Key.Key_Right, Key.Key_Left)])
def test_keys_go_from_bar_to_bar_and_stay_at_the_ends(make, qtbot, on, back):
    bars = make(RowBars, False)
    bars.clearFocus()
    bars.pointed.clear()
    bars.setFocus()
    for _ in range(4):
        qtbot.keyClick(bars, on)
    for _ in range(5):
        qtbot.keyClick(bars, back)
    assert bars.pointed == [2, 0, 3, 4, 4, 3, 0, 2, 2, 2]
    assert bars.chosen_ == []
    qtbot.keyClick(bars, on)
    for key in (Key.Key_Return, Key.Key_Enter, Key.Key_Space, Key.Key_A):
        qtbot.keyClick(bars, key)
    assert bars.chosen_ == [(0, None)] * 3
    bars.show_counts(COUNTS, NAMES)
    assert bars.hasFocus()
    qtbot.keyClick(bars, on)
    assert bars.pointed[-1] == 3, "other figures of the same bars change nothing"
    bars.show_counts(COUNTS, ("Latin", "Han", "Cyrillic", "Thai", "Other"))
    qtbot.keyClick(bars, Key.Key_Return)
    assert len(bars.chosen_) == 3, "there is no present bar among others"


def test_the_bar_under_the_mouse_is_told_before_that_of_the_keyboard(make):
    bars = make(RowBars, True)
    bars.clearFocus()
    bars.pointed.clear()
    second, nowhere = bars.places[1].whole.center().toPoint(), QPoint(9, 120)
    hand, arrow = Qt.CursorShape.PointingHandCursor, Qt.CursorShape.ArrowCursor
    for place, shape in ((second, hand), (second, hand), (nowhere, arrow)):
        point_at(bars, place)
        assert bars.cursor().shape() is shape
    assert bars.pointed == [0, None]
    assert bars.accessibleDescription() == ""
    bars.setFocus()
    assert (bars.pointed[-1], bars.accessibleDescription()) == (2, "Cyrillic: 300 listed, 100 others")
    point_at(bars, second)
    assert (bars.pointed[-1], bars.accessibleDescription()) == (0, "Latin: 10 listed, 90 others")
    QApplication.sendEvent(bars, QEvent(QEvent.Type.Leave))
    assert bars.pointed[-1] == 2
    bars.clearFocus()
    assert (bars.pointed[-1], bars.accessibleDescription()) == (None, "")


def test_bars_that_are_pointed_at_chosen_and_reached_by_keys_look_so(make, theme_source):
    bars, theme = make(RowBars, True), theme_source.theme
    bars.clearFocus()

    def lit():
        drawn = paintings_of(bars).drawn
        return [(mark.place.center().y(), mark.pen, mark.brush) for mark in drawn if mark.place.width() > 490]

    middles = [place.whole.center().y() for place in bars.places]
    assert lit() == []
    point_at(bars, bars.places[1].whole.center().toPoint())
    assert lit() == [(middles[1], "", theme.raised.name())]
    bars.select(3)
    (hovered, (middle, pen, chosen)) = lit()
    assert hovered == (middles[1], "", theme.raised.name())
    assert (middle, pen) == (middles[2], "")
    assert chosen not in (theme.raised.name(), "")
    bars.select(0)
    assert lit() == [(middles[1], "", chosen)], "what is chosen looks so under the mouse, too"
    bars.setFocus()
    assert lit() == [(middles[0], theme.accent.name(), ""), (middles[1], "", chosen)]
    bars.select(None)
    assert [fill for *_, fill in lit()] == ["", theme.raised.name()]


def test_nothing_is_pointed_at_where_there_are_no_bars(make, qtbot):
    bars = make(ColumnBars, counts=np.zeros((2, 0), np.int64), names=())
    bars.setFocus()
    qtbot.keyClick(bars, Key.Key_Down)
    qtbot.keyClick(bars, Key.Key_Return)
    assert (set(bars.pointed), bars.chosen_) == ({None}, [])
    assert isinstance(bars, Bars)
    assert bars.size() == QSize(WIDTH, 130)
