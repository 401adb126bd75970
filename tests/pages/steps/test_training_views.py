"""What the pictures of a training show at each step."""

import math
from itertools import pairwise

import pytest
from pictures import badly_placed, paintings_of, without_badges, without_scale
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from guiapp.analysis.train.steps import EstimateStep, PruningStep
from guiapp.core.text.figures import percent
from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.training_views import AXIS_TITLES, CHIP_PX, DROPPED, KEPT, ROW_GAP_PX, arrange_words

TEXT = b"This is insane! This is impossible. How do lions sleep in this weather? " * 3


@pytest.fixture
def train(make_steps_page, qtbot):
    """A page with a training: its stage, its model, and the theme it is shown in."""

    def make(wish):
        page = make_steps_page(text=TEXT)
        page.begin_training(wish)
        qtbot.waitUntil(lambda: page.is_ready and page.training.model.record is not None)
        QApplication.processEvents()  # lays out what has just been shown
        return page, page.training.stage, page.training.model, page._drawing.theme_source.theme

    return make


def near(number):
    return pytest.approx(number, abs=0.6)


def assert_rows(paintings, width):
    """That there is a row for each text at the left, as wide as there is room, and all in it is inside."""
    texts = sorted(paintings.texts, key=lambda text: (round(text[1].center().y()), text[1].left()))
    rows = {}
    for text, place in texts:
        rows.setdefault(round(place.center().y()), []).append((text, place))
    for line, shape in zip(rows.values(), paintings.shapes, strict=True):
        assert 0 <= shape.left() <= 2  # a ring lies inside
        assert all(shape.top() <= place.top() and place.bottom() <= shape.bottom() for _, place in line)
        assert line[0][1].left() > width - line[-1][1].right() > 0  # where the winner's badge is
    assert all(one.bottom() < other.top() for one, other in pairwise(paintings.shapes))
    return [[text for text, _ in line] for line in rows.values()]


@pytest.mark.parametrize(("wish", "zoom"), [("bpe:280", 1), ("wordpiece:40", 2)])
def test_pairs_have_bars_as_long_as_they_are_worth(train, wish, zoom):
    page, stage, model, theme = train(wish)
    page.set_text_size(zoom * TEXT_FONT_PX)
    view = stage.pairs
    view.resize(400 * zoom, 260 * zoom)
    for position in range(0, model.n_steps + 1, 3):
        model.go_to(position)
        told = model.record.step(max(1, position))
        pairs = [((told.left, told.right), told.worth, "merged" if position else "next")]
        pairs += [(pair, told.worth, "tie") for pair in told.ties] + [(*rival, "") for rival in told.rivals]
        paintings = paintings_of(view)
        (badge,) = without_badges(paintings, theme)
        numbers = without_scale(paintings, "score, linear" if wish.startswith("w") else "times, linear")
        assert numbers[0] == 0
        assert all(one < other <= told.worth for one, other in pairwise(numbers))
        wanted = []
        for (left, right), worth, sign in pairs[: len(paintings.shapes)]:
            figure = f"{worth:,.0f}" if worth == int(worth) else f"{worth:.4g}"
            pair = " + ".join(map(model.record.write, (left, right)))
            wanted.append([pair, *filter(None, [sign]), figure])
        assert assert_rows(paintings, view.width()) == wanted
        assert len(wanted) == min(len(pairs), 9)
        winner, *others = paintings.drawn
        assert winner.place.contains(badge)
        assert (winner.pen, {other.pen for other in others}) == (
            theme.accent.name(),
            {""} if others else set(),
        )
        bold = {mark.text for mark in paintings.written if mark.look == "bold"}
        assert bold == set(wanted[0])
        for shape, (_, worth, _) in zip(paintings.drawn, pairs, strict=False):
            assert shape.place.width() == pytest.approx(view.width() * worth / told.worth, abs=5)
        signs = {mark.text: mark.pen for mark in paintings.written if mark.text in ("merged", "tie")}
        assert signs.get("merged", theme.accent.name()) == theme.accent.name()
        assert signs.get("tie", theme.dim.name()) == theme.dim.name()


def test_words_wider_than_a_row_leave_none_empty(qapp):
    laid_out = arrange_words([(("lions",), 1, False)] * 2, "", 10.0, QFontMetricsF(qapp.font()))
    assert [chip.rect.top() for chip in laid_out.chips] == [0, CHIP_PX + ROW_GAP_PX]


def test_what_a_step_made_is_marked_in_words_and_vocabulary(train):
    _, stage, model, theme = train("bpe:280")
    words, symbols = stage.words, stage.symbols
    new, on_new = theme.accent.name(), theme.on_accent.name()
    for position in range(0, model.n_steps + 1, 2):
        model.go_to(position)
        record = model.record
        told = record.step(position) if position else None
        made = told.left + told.right if told else None
        for height in (70, 100, 400):
            words.resize(420, height)
            paintings = paintings_of(words)
            counts = [mark for mark in paintings.written if mark.text.startswith("×")]
            chips = [mark for mark in paintings.written if mark not in counts]
            assert {mark.pen for mark in counts} <= {theme.dim.name()}
            is_new = [shape.brush == new for shape in paintings.drawn]
            assert [mark.pen for mark in chips] == [
                (on_new if each else theme.span_text.name()) for each in is_new
            ]
            cuts = [(cut, changed) for cut, _, changed in record.words(position)]
            all_chips = [
                (record.write(part), changed and part == made) for cut, changed in cuts for part in cut
            ]
            shown = [(mark.text, each) for mark, each in zip(chips, is_new, strict=True)]
            assert any(all_chips[at : at + len(shown)] == shown for at in range(len(all_chips)))
            assert (len(shown) == len(all_chips)) is (height == 400)
            assert not any(each for _, each in all_chips) or any(is_new)  # the first of them is in sight
            assert all(
                place.contains(mark.place) for place, mark in zip(paintings.shapes, chips, strict=True)
            )
            assert paintings.shapes[0].top() == near(0)
            assert badly_placed(words) == []
            colors = [shape.brush for shape in paintings.drawn if shape.brush != new]
            assert set(colors) <= {color.name() for color in theme.span_colors}
            assert all(one != other for one, other in pairwise(colors) if not any(is_new))
        assert [mark.text for mark in counts] == [f"×{n}" for _, n, _ in record.words(position) if n > 1]
        paintings = paintings_of(symbols)
        shown = [mark.text for mark in paintings.written]
        newest = map(record.write, record.newest_symbols(position, 400))
        assert shown == list(newest)[: len(shown)]
        looks = [(shape.pen, shape.brush) for shape in paintings.drawn]
        assert looks == [("", new)] * bool(position) + [(theme.line.name(), theme.panel.name())] * (
            len(shown) - bool(position)
        )
        inks = [mark.pen for mark in paintings.written]
        assert inks == [on_new] * bool(position) + [theme.text.name()] * (len(shown) - bool(position))
        assert badly_placed(symbols) == []
        boxes = paintings.shapes
        assert all(box.contains(mark.place) for box, mark in zip(boxes, paintings.written, strict=True))
        assert all(one.right() < other.left() or one.bottom() < other.top() for one, other in pairwise(boxes))
        assert symbols.height() - boxes[-1].bottom() < 2 * boxes[0].height()
        lefts = [box.left() for box in boxes]
        assert lefts.count(min(lefts)) > 2


def test_the_words_have_as_much_room_as_they_need_at_first(train):
    page, stage, model, _ = train("bpe:280")
    words = stage.words
    model.go_to(0)
    for factor in (1, 2):
        page.set_text_size(factor * TEXT_FONT_PX)
        for width in (300, 420):
            words.resize(width, 50)
            assert words.sizeHint().height() <= words.maximumHeight()
            words.resize(width, words.maximumHeight())
            shapes = paintings_of(words).shapes
            assert len(shapes) == sum(len(cut) for cut, _, _ in model.record.words(0))
            assert words.maximumHeight() - shapes[-1].bottom() < 2


def test_pieces_are_told_and_those_dropped_are_struck_out(train):
    _, stage, model, theme = train("unigram:30")
    view = stage.pieces
    model.go_to(0)
    assert [text for text, _ in paintings_of(view).texts] == ["All frequent substrings compete. Step on."]
    kinds = set()
    for position in range(1, model.n_steps + 1):
        model.go_to(position)
        told, paintings = model.record.step(position), paintings_of(view)
        titles = [mark for mark in paintings.written if mark.text in (*DROPPED, *KEPT)]
        is_pruning = isinstance(told, PruningStep)
        assert [mark.text for mark in titles] == [*(DROPPED if is_pruning else ()), *KEPT]
        paintings.marks = [mark for mark in paintings.marks if mark not in titles]
        kinds.add(type(told))
        shapes = [shape.place for shape in paintings.drawn if not shape.pen]
        half = view.width() / 2 if isinstance(told, PruningStep) else 0
        dropped = [mark for mark in paintings.written if mark.place.left() < half]
        best = [mark for mark in paintings.written if mark.place.left() >= half]
        kept = [(model.record.write(piece), percent(math.exp(score), 2)) for piece, score in told.best]
        lost = [(model.record.write(piece), f"−{loss:,.2f}") for piece, loss in told.dropped] if half else []
        for marks, rows, looks in (
            (dropped, lost, [("struck", theme.dim), ("", theme.bad)]),
            (best, kept, [("", theme.text), ("", theme.dim)]),
        ):
            n_rows = min(len(rows), int(view.height() // shapes[0].height() - 1))
            assert [mark.text for mark in marks] == [text for row in rows for text in row][: len(marks)]
            assert n_rows <= len(marks) / 2 + 2
            assert [(mark.look, mark.pen) for mark in marks] == [
                (look, color.name()) for _ in marks[::2] for look, color in looks
            ]
        rows = [shape for shape in shapes if shape.left() >= half]
        for shape, text, figure in zip(rows, best[::2], best[1::2], strict=True):
            assert shape.contains(text.place)
            assert shape.contains(figure.place)
            assert shape.right() - figure.place.right() == near(text.place.left() - shape.left())
        assert rows[0].right() == near(view.width())
        assert (
            rows[0].top()
            == min(shape.top() for shape in shapes)
            > max(each.place.bottom() for each in titles) - 3
        )
        others = [shape for shape in shapes if shape.left() < half]
        assert not half or others[0].left() == near(0)
        assert not half or 8 < rows[0].left() - others[0].right() < 32
        assert {shape.width() for shape in others} <= {rows[0].width()}
        assert badly_placed(view) == []
    assert kinds == {EstimateStep, PruningStep}


def test_the_curve_has_a_dot_for_each_estimate_and_a_line_for_each_pruning(train):
    _, stage, model, theme = train("unigram:30")
    view = stage.curve
    view.resize(500, 300)
    curve = model.record.likelihoods(model.n_steps)
    steps = [step for step, _ in curve]
    values = [value for _, value in curve]
    for position in range(model.n_steps + 1):
        model.go_to(position)
        paintings = paintings_of(view)
        dots = [shape for shape in paintings.drawn if shape.pen == theme.raised.name()]
        xs = [dot.place.center().x() for dot in dots]
        ys = [dot.place.center().y() for dot in dots]
        left = xs[0] - (xs[1] - xs[0]) / (steps[1] - steps[0]) * steps[0]
        unit = (xs[1] - xs[0]) / (steps[1] - steps[0])
        assert xs == [near(left + unit * step) for step in steps]
        low, high = min(values), max(values)
        bottom, top = max(ys), min(ys)
        assert ys == [near(bottom - (bottom - top) * (value - low) / (high - low)) for value in values]
        assert [dot.brush == theme.accent.name() for dot in dots] == [step == position for step in steps]
        sizes = [dot.place.width() for dot in dots]
        assert all(
            (size == max(sizes)) is (step == position or position not in steps)
            for size, step in zip(sizes, steps, strict=True)
        )
        lines = [shape for shape in paintings.drawn if shape.place.width() == 0]
        pruned = [step for step in range(1, model.n_steps + 1) if step not in steps]
        dashed = [line for line in lines if line.look == "dashed"]
        assert [line.place.left() for line in dashed] == [near(left + unit * step) for step in pruned]
        (now,) = [line for line in lines if line.pen == theme.accent.name()]
        assert now.place.left() == near(left + unit * position)
        axis, *_ = [line for line in lines if line not in dashed and line != now]
        assert axis.place.left() == near(left)
        for line in (*dashed, now, axis):
            assert (line.place.top(), line.place.bottom()) == (near(top), near(bottom))
        ground, *ticks = [shape.place for shape in paintings.drawn if shape.place.height() == 0]
        assert (ground.left(), ground.top()) == (near(left), near(bottom))
        assert ground.right() == near(left + unit * model.n_steps)
        (path,) = [shape for shape in paintings.drawn if shape.pen == theme.contenders[0].name()]
        assert (path.place.left(), path.place.right()) == (near(xs[0]), near(xs[-1]))
        beside = [mark for mark in paintings.written if mark.place.right() < left]
        assert len(beside) == len(ticks) >= 2
        for mark, tick in zip(beside, ticks, strict=True):
            value = float(mark.text.replace("−", "-").replace(",", ""))
            assert (
                tick.top() == near(bottom - (bottom - top) * (value - low) / (high - low)) or abs(value) > 10
            )
            assert mark.place.center().y() == near(tick.top())
        assert {f"{value:,.0f}".replace("-", "−") for value in (high, low)} <= {mark.text for mark in beside}
        *below, title = [mark for mark in paintings.written if mark not in beside]
        for mark in below:
            assert mark.place.center().x() == pytest.approx(left + unit * int(mark.text), abs=1.5)
        assert title.text in AXIS_TITLES
        assert title.place.top() > bottom
        assert badly_placed(view) == []
