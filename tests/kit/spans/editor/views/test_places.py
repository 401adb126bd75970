"""Where each sign that is painted on the text lies, and what it covers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage
from span_fakes import BYTE, UNKNOWN, USER, WORD

from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.kit.spans.painter import DEAR_CHIP_TOKENS, GAP_PX, LANE_PX, RADIUS_PX
from guiapp.kit.spans.view import SIDE_PX
from guiapp.kit.widgets.theme import DARK

BLANK = DARK.background.getRgb()[:3]


@pytest.fixture
def shown(opened):
    """A function that opens an editor without caret and signs for blanks."""

    def show(text, width=700):
        editor = opened(text, width)
        editor.clearFocus()
        editor.set_shows_whitespace(False)
        return editor

    return show


def colors_of(editor):
    """What is seen, as an array of colours."""
    image = editor.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return lines[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)


def change_by(editor, act):
    """Where what is seen differs after something was done."""
    before = colors_of(editor)
    act()
    return (colors_of(editor) != before).any(axis=2)


def bounds(mask):
    ys, xs = np.nonzero(mask)
    return QRect(QPoint(xs.min(), ys.min()), QPoint(xs.max(), ys.max())) if len(xs) else QRect()


def is_near(found, expected, most_px=1):
    """Whether two places are the same, but for what is rounded at their sides."""
    apart = [abs(a - b) for a, b in zip(found.getCoords(), expected.getCoords(), strict=True)]
    return max(apart[::2]) <= most_px and max(apart[1::2]) <= max(most_px - 1, 0)


def inside(mask, rect):
    return mask[rect.top() : rect.bottom() + 1, rect.left() : rect.right() + 1]


def span_rect(editor, start, end):
    """The background of some bytes of one row."""
    first, last = editor.rows.place_of(start), editor.rows.place_of(end, at_row_end=True)
    assert first.y == last.y
    left, right = sorted((round(SIDE_PX + first.x), round(SIDE_PX + last.x)))
    height = editor.rows.metrics.row_height - GAP_PX
    return QRect(left, round(first.y) + GAP_PX // 2, right - left, height)


def retokenized(editor, word, kind):
    editor.spans.special = {word: kind}
    editor.spans.tokenize()


def nearly(color, wanted, most=30):
    return bool((np.abs(np.asarray(color) - wanted.getRgb()[:3]) <= most).all())


def rows_of(editor):
    """The stretch of bytes of each row that shows."""
    for block in editor.rows.visible():
        for row in range(block.layout.n_rows):
            start, end = block.layout.row_span(row)
            yield (
                block.start + start,
                block.start + end - (row == block.layout.n_rows - 1) * block.layout.n_newlines,
            )


def test_each_token_has_its_colour_from_edge_to_edge_and_round_corners_where_it_ends(shown):
    editor = shown("one two three four " * 4 + "x" * 70 + "\nseven", width=330)
    seen, spans, n_seen = colors_of(editor), editor.spans, 0
    for start, end in rows_of(editor):
        for token in np.flatnonzero((spans.starts < end) & (spans.ends > start)).tolist():
            first, last = max(start, int(spans.starts[token])), min(end, int(spans.ends[token]))
            rect, wanted = span_rect(editor, first, last), DARK.span_color(token % N_TINTS)
            radius, below_text = round(RADIUS_PX), rect.bottom() - round(RADIUS_PX) - 1
            for x in range(rect.left() + radius, rect.right() - radius):
                assert nearly(seen[rect.top(), x], wanted, 0)
                assert nearly(seen[rect.bottom(), x], wanted, 0)
                assert tuple(seen[rect.top() - 1, x]) == tuple(seen[rect.bottom() + 1, x]) == BLANK
            assert nearly(seen[below_text, rect.left()], wanted, 0)
            assert nearly(seen[below_text, rect.right()], wanted, 0)
            for x, is_round in (
                (rect.left(), first == spans.starts[token]),
                (rect.right(), last == spans.ends[token]),
            ):
                assert nearly(seen[rect.top(), x], wanted, 0) is not is_round
            n_seen += 1
    assert n_seen > 20


def test_a_user_defined_token_has_a_line_around_it(shown):
    editor = shown("one two three")
    changed = change_by(editor, lambda: retokenized(editor, b" two", USER))
    rect = span_rect(editor, 3, 7)
    assert is_near(bounds(changed), rect)
    assert not inside(changed, rect.adjusted(3, 3, -3, -3)).any()
    edge = inside(changed, rect)[0]
    assert 0.3 < edge.mean() < 1  # dots


def test_a_byte_has_two_dots_below_it(shown):
    editor = shown("one . three")
    changed = change_by(editor, lambda: retokenized(editor, b".", BYTE))
    rect = span_rect(editor, 4, 5)
    dots = QRect(rect.center().x() - 2, rect.bottom() - LANE_PX, 5, LANE_PX)
    assert is_near(bounds(changed), dots)
    assert inside(changed, bounds(changed)).all(axis=0).tolist() == [True, True, False, True, True]


def test_an_unknown_token_has_a_wave_below_it(shown):
    editor = shown("one two three")
    changed = change_by(editor, lambda: retokenized(editor, b" two", UNKNOWN))
    rect, found = span_rect(editor, 3, 7), bounds(changed)
    assert is_near(found, QRect(rect.left(), rect.bottom() - 4, rect.width(), 5), 2)
    tops = [np.flatnonzero(column).min() for column in inside(changed, rect).T if column.any()]
    turns = np.flatnonzero(np.diff(np.sign(np.diff(tops))[np.diff(tops) != 0]))
    assert len(turns) >= 4  # up and down


def test_a_control_token_in_the_text_is_outlined_and_not_filled(shown):
    editor = shown("one<|x|>two")
    seen, rect = colors_of(editor), span_rect(editor, 3, 8)
    for place in ((rect.top(), rect.center().x()), (rect.bottom(), rect.center().x())):
        assert nearly(seen[place], DARK.warning)
    fill = seen[rect.top() + 3, rect.center().x()]
    assert not nearly(fill, DARK.warning, 90)
    assert min(abs(fill - color.getRgb()[:3]).max() for color in DARK.span_colors) > 8
    assert fill[2] < fill[0]  # a breath of amber


@pytest.mark.parametrize("start", [4, 19, 5701])
def test_what_is_marked_is_covered_exactly(shown, start):
    editor = shown("one two three four " * 300 + "\nlast one", width=330)
    editor.reveal(start, start)
    token = int(np.searchsorted(editor.spans.ends, start, side="right"))
    end = int(editor.spans.ends[token])
    of_token = span_rect(editor, int(editor.spans.starts[token]), end)
    changed = change_by(editor, lambda: editor.document.select(start, end))
    assert is_near(bounds(changed), span_rect(editor, start, end))
    assert inside(changed, bounds(changed)).mean() > 0.97
    changed = change_by(editor, lambda: editor.set_hovered_token(token))
    assert is_near(bounds(changed), of_token, 2)  # lines may be half a pixel outside
    assert inside(changed, of_token).mean() > 0.7
    changed = change_by(editor, lambda: editor.set_selected_token(token))
    assert is_near(bounds(changed), of_token.adjusted(-2, -2, 2, 2))
    assert not inside(changed, of_token.adjusted(2, 2, -2, -2)).any()
    assert nearly(colors_of(editor)[of_token.top() - 1, of_token.center().x()], DARK.accent)


def test_a_token_of_several_rows_is_marked_in_all_of_them(shown):
    editor = shown("x" * 100, width=330)
    changed = change_by(editor, lambda: editor.set_selected_token(1))
    rings = [bounds(inside(changed, span_rect(editor, *row))) for row in rows_of(editor)]
    assert len(rings) > 2
    assert not any(ring.isEmpty() for ring in rings)


def test_blanks_have_signs_in_their_places_and_nothing_else(shown):
    text = "one two\tthree four five six seven\n\neight"
    editor = shown(text, width=200)
    changed = change_by(editor, lambda: editor.set_shows_whitespace(True))
    char_px = round(editor.rows.metrics.char_width)
    for start, end in rows_of(editor):
        for at in range(start, end):
            here = inside(changed, span_rect(editor, at, at + 1)).any()
            assert here == (text[at] in " \t"), at
    row_px, found = editor.rows.metrics.row_height, []
    for line in range(3):
        place = editor.rows.place_of(editor.document.line_span(line)[1], at_row_end=True)
        left, top = round(SIDE_PX + place.x), round(place.y)
        assert not inside(changed, QRect(left + char_px + 1, top, 60, row_px)).any()
        found.append(bool(inside(changed, QRect(left, top, char_px + 1, row_px)).any()))
    assert found == [True, True, False]
    tab = bounds(inside(changed, span_rect(editor, 7, 8)))
    assert tab.right() <= char_px  # at the beginning of its room
    space = bounds(inside(changed, span_rect(editor, 3, 4)))
    assert abs(space.center().x() - char_px / 2) <= 1


def test_each_token_that_shares_a_character_has_its_part_of_the_lane(shown):
    editor = shown("a字b")  # whose bytes are of two tokens: two and one
    seen, rect = colors_of(editor), span_rect(editor, 1, 4)
    lane = inside(seen, QRect(rect.left(), rect.bottom() - LANE_PX, rect.width(), LANE_PX))
    marked = (lane.min(axis=2) > 130).all(axis=0)
    cut = round(rect.width() * 2 / 3)
    expected = np.ones(rect.width(), bool)
    expected[[0, cut - 1, cut, rect.width() - 1]] = False
    assert np.count_nonzero(marked != expected) <= 2
    for y in (rect.bottom() - LANE_PX - 1, rect.bottom()):
        assert (seen[y, rect.left() : rect.right()].min(axis=1) > 130).mean() < 0.3


def test_characters_that_tokens_tear_apart_are_hatched(shown):
    editor = shown("a字b")
    seen, rect = colors_of(editor), span_rect(editor, 1, 4)
    part = seen[rect.top() + 2 : rect.top() + 5, rect.left() + 2 : rect.left() + rect.width() * 2 // 3 - 3]
    assert abs(part[1:, :-1] - part[:-1, 1:]).max() <= 2  # slanted
    for row in (part[0], seen[rect.bottom(), rect.left() + 4 : rect.left() + 9]):
        assert np.ptp(row, axis=0).max() > 15
    for beside in (span_rect(editor, 0, 1), span_rect(editor, 4, 5)):
        middle = seen[beside.top() + 2, beside.left() + 4 : beside.right() - 3]
        assert len({tuple(color) for color in middle}) == 1


def test_a_chip_has_a_line_around_what_it_says(shown):
    editor = shown("a\x01b")
    seen, rect = colors_of(editor), span_rect(editor, 1, 2)
    heights = rect.top() + 2, rect.top() + 4, rect.top() + 7, rect.bottom() - 2
    tile, line, fill, below = (seen[y, rect.left() + 4] for y in heights)
    edge = seen[rect.center().y(), rect.left() + 1]
    assert tuple(tile) == tuple(below)
    assert line.sum() > tile.sum() > fill.sum()
    assert line.max() < 190
    assert edge.sum() > tile.sum()
    digits = abs(inside(seen, rect.adjusted(3, 6, -3, -6)) - fill).max(axis=2) > 60
    assert is_near(bounds(digits), bounds(np.ones_like(digits)), 4)


@pytest.mark.parametrize("n_hidden", [1, 3, 4, 6])
def test_a_chip_that_costs_many_tokens_is_filled(shown, n_hidden):
    editor = shown("a" + "".join(chr(0xE0100 + at) for at in range(n_hidden)) + "b")  # two tokens each
    seen, rect = colors_of(editor), span_rect(editor, 1, 1 + 4 * n_hidden)
    is_expensive = 2 * n_hidden >= DEAR_CHIP_TOKENS
    for y in (rect.top() + 7, rect.bottom() - 7):
        assert nearly(seen[y, rect.left() + 4], DARK.warning, 8) is is_expensive
    digits = inside(seen, rect.adjusted(4, 6, -4, -6)).min(axis=2).max()
    assert bool(digits < 150) is is_expensive  # dark ones


@pytest.mark.parametrize("text", ["one two three", "." * 60], ids=["within a row", "between two"])
def test_a_token_that_came_from_no_text_is_a_wedge_over_its_place(shown, text):
    editor = shown(text, width=330)
    spans, at = editor.spans, 7 if " " in text else list(rows_of(editor))[1][0]

    def insert_empty():
        new = int(np.searchsorted(spans.starts, at))
        for name, value in (("ids", WORD), ("starts", at), ("ends", at), ("tints", 0)):
            setattr(spans, name, np.insert(getattr(spans, name), new, value))
        spans.tokens_changed.emit(None, None)

    changed = change_by(editor, insert_empty)
    rect = span_rect(editor, at, at + 1)
    top = rect.top() - GAP_PX // 2
    assert is_near(bounds(changed), QRect(rect.left() - 3, top, 6, 5))
    widths = [row.sum() for row in inside(changed, bounds(changed))]
    assert widths == sorted(widths, reverse=True)
    assert nearly(colors_of(editor)[top + 1, rect.left()], DARK.dim)


def test_added_tokens_are_chips_above_and_below_that_can_be_marked(shown):
    editor = shown("one two")
    last_token = len(editor.spans.ids) - 1
    for at, mark in enumerate(
        (partial(editor.set_selected_token, 0), partial(editor.set_hovered_token, last_token))
    ):
        rect = editor._chips()[at].rect.toRect()
        changed = change_by(editor, mark)
        ring = 0 if at else 2
        assert is_near(bounds(changed), rect.adjusted(-ring, -ring, ring, ring), 2)
        assert inside(changed, rect.adjusted(4, 4, -4, -4)).any() == bool(at)
    first, last = (chip.rect for chip in editor._chips())
    row_px = editor.rows.metrics.row_height
    assert round(last.top() - first.top()) == 2 * row_px
    assert first.left() == last.left() == SIDE_PX


def test_the_caret_is_a_bar_between_characters_and_only_while_keys_go_there(opened):
    editor = opened("one two " * 20, width=330)
    end_of_row = next(rows_of(editor))[1]
    for offset, at_row_end in ((0, False), (5, False), (end_of_row, False), (end_of_row, True)):
        editor.document.set_caret(0)
        editor.document.set_caret(offset)
        if at_row_end:
            editor.document.set_caret(5)
            editor._moves.row_end(extend=False)
        place = editor.rows.place_of(offset, at_row_end)
        changed = change_by(editor, editor.clearFocus)
        bar = QRect(round(SIDE_PX + place.x) - 1, round(place.y) + 1, 2, editor.rows.metrics.row_height - 2)
        assert is_near(bounds(changed), bar)
        editor.setFocus()
        assert nearly(colors_of(editor)[bar.center().y(), bar.left() + 1], DARK.accent)


def test_an_empty_text_says_what_it_is_for(opened):
    editor = opened("")
    changed = change_by(editor, lambda: editor.set_placeholder("Type here"))
    top = round(editor.rows.place_of(0).y)
    assert QRect(SIDE_PX + 2, top, 110, editor.rows.metrics.row_height).contains(bounds(changed))
    colors = colors_of(editor)[changed]
    assert any(nearly(color, DARK.faint, 25) for color in colors)
    assert not any(nearly(color, DARK.text, 40) for color in colors)
    editor.type_text("a")
    assert not change_by(editor, lambda: editor.set_placeholder("Else")).any()
