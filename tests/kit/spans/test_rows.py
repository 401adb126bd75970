"""Where the rows of a text lie, whatever is scrolled, edited and made larger."""

import random

import pytest

from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.block import TextMetrics
from guiapp.kit.spans.rows import MARGIN_PX, SpanRows
from guiapp.kit.widgets.theme import Theme

HEIGHT, WIDTH = 300, 400


@pytest.fixture
def laid_out(qapp):
    """A function that lays a text out, following its document."""

    def make_rows(data):
        document = TextDocument(data)
        rows = SpanRows(document, TextMetrics.of(Theme.mono_font()))
        document.edited.connect(rows.apply)
        rows.set_size(WIDTH, HEIGHT)
        rows.clamp_scroll()
        return rows, document

    return make_rows


def tops(rows):
    return {block.start: block.y for block in rows.visible()}


def check(rows, document, height):
    """All that can be asked about what shows agrees."""
    row_px, visible = rows.metrics.row_height, rows.visible()
    assert 0 <= rows.scroll_y <= max(0, rows.content_height - height)
    if visible[0].start:
        assert visible[0].y <= 0
    else:
        assert visible[0].y == round(rows.position_of(0).y)
    for above, below in zip(visible, [*visible[1:], None], strict=True):
        end = above.start + above.layout.size
        assert above.layout.data == document.slice(above.start, end)
        assert above.bottom == above.y + above.layout.n_rows * row_px
        assert (above.bottom, end) == (below.y, below.start) if below else True
    assert visible[-1].bottom >= height or end == document.size
    if end == document.size:
        assert rows.text_end_y == visible[-1].bottom
    for block in visible:
        for row in range(block.layout.n_rows):
            y = block.y + row * row_px
            number, row_in_block = rows.row_at(y + 1)
            assert rows.row_at(y + row_px - 1) == (number, row) == (number, row_in_block)
            start, last = rows.row_span(number, row)
            assert rows.block_span(number) == (block.start, block.start + block.layout.size)
            place = rows.position_of(start)
            assert (place.block, place.row, place.y) == (number, row, y)
            assert rows.shows(start) == (-row_px < y < height)
            assert start == block.start + block.layout.row_span(row)[0]
            assert rows.caret_at(number, row, place.x)[0] == start
            if row:
                assert rows.position_of(start, at_row_end=True)[:2] == (number, row - 1)
                assert rows.caret_at(number, row - 1, WIDTH) == (start, True)
            if last > start:
                assert rows.byte_at(number, row, place.x + 1) == start
                assert rows.byte_at(number, row, place.x + 10 * WIDTH) == -1


@pytest.mark.parametrize("seed", range(6))
def test_rows_lie_below_each_other_and_fill_the_window(laid_out, seed):
    rng = random.Random(seed)

    def text(n_lines):
        return "\n".join("word 字 " * rng.choice((0, 1, 3, 20)) for _ in range(n_lines)).encode()

    rows, document = laid_out(text(rng.choice((3, 60))))
    height, header, footer = HEIGHT, 0, 0
    for _ in range(60):
        row_px, before, scrolled = rows.metrics.row_height, tops(rows), rows.scroll_y
        act = rng.choice(("edit", "far edit", "by", "to", "end", "reveal", "size", "frame", "font", "reset"))
        if act in ("edit", "far edit"):
            at = rows.visible()[0].start if act == "edit" else rng.randrange(document.size + 1)
            at = document.caret_stop(at)
            document.replace(at, min(document.size, document.next_grapheme(at)), text(rng.randrange(3)))
            rows.clamp_scroll()
        elif act == "by":
            distance = rng.choice((-1500, -400, -31, 7, 31, 400, 1500))
            rows.scroll_by(distance)
            after = tops(rows)
            if 0 < rows.scroll_y < rows.content_height - height - 1:
                assert {before[start] - after[start] for start in before.keys() & after.keys()} <= {distance}
        elif act == "to":
            rows.scroll_to(rng.choice((0, 500, 3000)))
        elif act == "end":
            rows.scroll_to_end()
            assert rows.scroll_y == max(0, rows.content_height - height)
            last = rows.visible()[-1]
            assert last.start + last.layout.size == document.size
            if rows.scroll_y:
                assert last.bottom == height - MARGIN_PX - footer
        elif act == "reveal":
            offset = document.caret_stop(rng.randrange(document.size + 1))
            y = rows.position_of(offset).y
            rows.reveal(offset)
            now = rows.position_of(offset).y
            lowest = height - row_px
            assert 0 <= now <= lowest
            if 0 <= y <= lowest:
                assert (now, rows.scroll_y) == (y, scrolled)
            elif -height < y < 2 * height:
                assert now == (0 if y < 0 else lowest)
            elif 0 < rows.scroll_y < rows.content_height - height - 1:
                assert now == height // 3
        elif act == "size":
            height = rng.choice((100, HEIGHT))
            rows.set_size(rng.choice((200, WIDTH)), height)
            rows.clamp_scroll()
        elif act == "frame":
            was_at_top = rows.scroll_y == 0
            header, footer = rng.choice(((0, 0), (31, 31), (31, 0), (0, 31)))
            rows.set_frame(header, footer)
            rows.clamp_scroll()
            if was_at_top:
                assert rows.scroll_y == 0
            elif 0 < rows.scroll_y < rows.content_height - height - 1:
                assert tops(rows).items() >= {(start, y) for start, y in before.items() if start}
        elif act == "font":
            top = rows.visible()[0].start
            rows.set_metrics(TextMetrics.of(Theme.mono_font(rng.choice((12, 16, 24)))))
            rows.clamp_scroll()
            if scrolled > MARGIN_PX + header and rows.scroll_y < rows.content_height - height - 1:
                assert rows.visible()[0].start == top
        else:
            document.edited.disconnect(rows.apply)
            document.set_text(text(40))
            document.edited.connect(rows.apply)
            rows.reset()
            assert rows.scroll_y == 0
        check(rows, document, height)
    n_rows = sum(rows.layout(block).n_rows for block in range(len(rows)))
    row_px = rows.metrics.row_height
    assert rows.content_height == 2 * MARGIN_PX + header + footer + n_rows * row_px
    rows.scroll_to(0)
    assert tops(rows)[0] == MARGIN_PX + header


def test_rows_in_a_window_without_height_have_a_first_one(laid_out):
    rows, document = laid_out(b"one\n" * 50)
    rows.set_size(WIDTH, 0)
    rows.clamp_scroll()
    rows.reveal(document.size)
    (block,) = rows.visible()
    assert document.slice(block.start, block.start + block.layout.size) == block.layout.data
    rows.scroll_to_end()
    rows.scroll_by(-50)
    assert len(rows.visible()) == 1


@pytest.mark.parametrize("line", range(2, 20))
def test_a_row_below_lines_that_turn_out_to_be_wrapped_is_revealed(laid_out, line):
    rows, document = laid_out(b"A line that is a bit longer than a row is wide\n" * 60)  # guessed to fit
    rows.reveal(document.line_start(line))
    assert 0 <= rows.position_of(document.line_start(line)).y <= HEIGHT - rows.metrics.row_height
    rows.show_at(document.line_start(30 - line), 100)
    assert rows.position_of(document.line_start(30 - line)).y == 100
