"""The positions of blocks of the text in the window, and the layouts of the visible ones.

Only visible blocks are laid out; the row counts of all others are estimates.  Therefore the scroll position
is stored as the block at the top of the window, not as a distance from the beginning, and nothing on screen
jumps when an estimate is corrected.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.editing.text_buffer import TextBlocks, TextEdit, Unbroken
from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.block import BlockLayout, Preedit, TextMetrics

MARGIN_PX = 16  # above the first row and below the last
MOST_LAYOUTS = 512
LAYOUTS_BYTES = 1 << 15  # of text: a few screens; a layout takes three hundred times as much
CHARACTERS_PER_BYTE = 0.85  # a guess, for texts that are mostly ASCII
SETTLING_ROUNDS = 10


class VisibleBlock(NamedTuple):
    """A visible block: its first byte, the top and bottom of its rows in the window, and its layout."""

    start: int
    y: float
    bottom: float
    layout: BlockLayout


class CaretPosition(NamedTuple):
    """The position of an offset: its block, the row in it, and the coordinates in the window."""

    block: int
    row: int
    x: float
    y: float


class SpanRows:
    """The rows of a document at one width, and their scroll position."""

    def __init__(
        self, document: TextDocument, metrics: TextMetrics, blocks: TextBlocks | None = None
    ) -> None:
        """Without `blocks`, a row begins after each newline."""
        self._document = document
        self._blocks = TextBlocks(document.buffer) if blocks is None else blocks
        self._layouts: OrderedDict[tuple[bytes, Unbroken], BlockLayout] = OrderedDict()
        self._n_laid_out = 0  # bytes in all cached layouts
        self.metrics = metrics
        self._width = 600.0
        self._height = 400.0
        self._header_px = 0
        self._footer_px = 0
        self._preedit: Preedit | None = None
        self._anchor = 0  # the block at the top of the window …
        self._offset = -float(MARGIN_PX)  # … and how much of it is above; negative if it begins lower
        self._n_rows = self._estimate(0, len(self._blocks))
        self._rows_before: NDArray[np.int64] | None = None
        self._visible: tuple[tuple[float, ...], list[VisibleBlock]] | None = None

    @property
    def content_height(self) -> float:
        rows = int(self._before()[-1])
        return self._top() + rows * self.metrics.row_height + self._footer_px + MARGIN_PX

    @property
    def has_header(self) -> bool:
        """Whether there is a row above the text."""
        return self._header_px > 0

    @property
    def scroll_y(self) -> float:
        return self._y_of_block(self._anchor) + self._offset

    @property
    def text_end_y(self) -> float:
        """The y in the window where the rows of text end."""
        return self.content_height - MARGIN_PX - self._footer_px - self.scroll_y

    # Changes of the rows

    def apply(self, edit: TextEdit) -> None:
        self._visible = None
        splice = self._blocks.apply(edit)
        after = splice.first + splice.removed
        fresh = self._estimate(splice.first, splice.first + splice.added)
        kept = min(splice.removed, splice.added)
        fresh[:kept] = self._n_rows[splice.first : splice.first + kept]
        if splice.removed == splice.added:
            self._n_rows[splice.first : after] = fresh
        else:
            self._n_rows = np.concatenate((self._n_rows[: splice.first], fresh, self._n_rows[after:]))
            self._rows_before = None
        if self._anchor >= after:
            self._anchor += splice.added - splice.removed
        elif self._anchor >= splice.first + splice.added:
            self._anchor, self._offset = splice.first + splice.added - 1, 0.0

    def invalidate(self) -> None:
        """Follow new tokens of the same text: other spans may be unbroken."""
        self._visible = None

    def reset(self) -> None:
        """Start again at the top of another text."""
        self._blocks.reset()
        self._forget()
        self.scroll_to(0)

    def set_metrics(self, metrics: TextMetrics) -> None:
        share = self._offset / self.metrics.row_height
        self.metrics = metrics
        self._forget()
        self._offset = round(share * metrics.row_height) if self._anchor or share > 0 else self._offset

    def set_size(self, width: float, height: float) -> None:
        self._height = height
        if width != self._width:
            self._width = width
            self._forget()

    def set_frame(self, header_px: int, footer_px: int) -> None:
        """Reserve space above the first block and below the last one."""
        if (header_px, footer_px) == (self._header_px, self._footer_px):
            return
        at_top = self.scroll_y <= 0
        if self._anchor == 0 and self._offset < 0:
            self._offset += self._header_px - header_px
        self._header_px, self._footer_px = header_px, footer_px
        if at_top:
            self.scroll_to(0)

    def set_preedit(self, preedit: Preedit | None) -> None:
        """Show preedit text, at an offset of the document."""
        self._visible = None
        self._preedit = preedit

    # Layout

    def layout(self, block: int) -> BlockLayout:
        start, end = self._blocks.start(block), self._blocks.end(block)
        data = self._document.slice(start, end)
        found = self._with_preedit(block, start, data)
        if found is None:
            unbroken = self._blocks.unbroken(block)
            key = data, unbroken
            found = self._layouts.get(key)
            if found is None:
                found = self._layouts[key] = BlockLayout(data, self.metrics, self._width, unbroken=unbroken)
                self._n_laid_out += len(data)
                self._forget_oldest()
            self._layouts.move_to_end(key)
        if self._n_rows[block] != found.n_rows:
            self._n_rows[block] = found.n_rows
            self._rows_before = None
        return found

    def _forget_oldest(self) -> None:
        """Evict the oldest layouts from the cache; keep at least the newest."""
        while len(self._layouts) > 1 and (
            len(self._layouts) > MOST_LAYOUTS or self._n_laid_out > LAYOUTS_BYTES
        ):
            self._n_laid_out -= len(self._layouts.popitem(last=False)[0][0])

    def visible(self) -> list[VisibleBlock]:
        """The visible blocks from top to bottom, at least one; do not modify."""
        key = (self._anchor, self._offset, self._height)
        if self._visible is None or self._visible[0] != key:
            self._visible = key, self._visible_blocks()
        return self._visible[1]

    def _visible_blocks(self) -> list[VisibleBlock]:
        found = list[VisibleBlock]()
        y, block = -self._offset, self._anchor
        while block < len(self._blocks) and (y < self._height or not found):
            layout = self.layout(block)
            bottom = y + layout.n_rows * self.metrics.row_height
            found.append(VisibleBlock(self._blocks.start(block), y, bottom, layout))
            y, block = bottom, block + 1
        return found

    # Scrolling

    def scroll_by(self, distance: float) -> None:
        """Scroll by pixels, laying out the blocks that come into view."""
        if abs(distance) > 3 * self._height:
            self.scroll_to(self.scroll_y + distance)
            return
        self._offset += round(distance)
        while self._offset < 0 and self._anchor > 0:
            self._anchor -= 1
            self._offset += self.layout(self._anchor).n_rows * self.metrics.row_height
        while self._anchor + 1 < len(self._blocks):
            height = self.layout(self._anchor).n_rows * self.metrics.row_height
            if self._offset < height:
                break
            self._offset -= height
            self._anchor += 1
        self.clamp_scroll()

    @property
    def top(self) -> tuple[int, float]:
        """The scroll position: the block at the top of the window, and how much of that is above it."""
        return self._anchor, self._offset

    def show_from(self, top: tuple[int, float]) -> None:
        """Scroll to the `top` of other rows of the same text; to the end if these rows have fewer blocks."""
        block, offset = top
        last = len(self._blocks) - 1
        self._anchor, self._offset = (block, offset) if block <= last else (last, 0.0)
        self.clamp_scroll()

    def scroll_to(self, y: float) -> None:
        """Scroll to a distance from the top of the text, by the current estimates."""
        self._jump(y)
        self.clamp_scroll()

    def scroll_to_end(self) -> None:
        """Scroll to the end of the text; laying it out may move the end, so this takes several rounds."""
        for _ in range(SETTLING_ROUNDS):
            self._jump(self._limit())
            self.visible()
            if self.scroll_y == self._limit():
                return

    def clamp_scroll(self) -> None:
        """Lay out the visible blocks, and scroll back into the text."""
        for _ in range(SETTLING_ROUNDS):
            self.visible()
            y, limit = self.scroll_y, self._limit()
            if 0 <= y <= limit:
                return
            self._jump(min(max(y, 0.0), limit))

    def shows(self, offset: int) -> bool:
        """Whether the row of an offset is at least partly visible."""
        return -self.metrics.row_height < self.position_of(offset).y < self._height

    def reveal(self, offset: int, at_row_end: bool = False) -> None:
        """Scroll the row of an offset into view, as little as possible, or to the middle if it is far."""
        row_px = self.metrics.row_height
        for _ in range(SETTLING_ROUNDS):  # newly visible blocks may differ from their estimated heights
            before, position = self.top, self.position_of(offset, at_row_end)
            if 0 <= position.y <= self._height - row_px:
                return
            if -self._height < position.y < 2 * self._height:
                lowest = self._height - row_px
                self.scroll_by(position.y if position.y < 0 else position.y - lowest)
            else:
                self._anchor, self._offset = position.block, position.row * row_px - self._height // 3
                self.scroll_by(0)
            if self.top == before:
                return

    def show_at(self, offset: int, y: float) -> None:
        """Scroll the row of an offset to a y in the window, as far as the text permits."""
        self.reveal(offset)
        for _ in range(SETTLING_ROUNDS):
            before = self.top
            self.scroll_by(self.position_of(offset).y - y)
            if self.top == before:
                return

    # Positions

    def position_of(self, offset: int, at_row_end: bool = False) -> CaretPosition:
        block = self._blocks.block_at(offset)
        if at_row_end and block and offset == self._blocks.start(block):
            block -= 1
        layout = self.layout(block)
        within = offset - self._blocks.start(block)
        row = layout.row_of(within, at_row_end)
        y = self._y_of_block(block) - self.scroll_y + row * self.metrics.row_height
        return CaretPosition(block, row, layout.caret_x(within, row), y)

    def row_at(self, y: float) -> tuple[int, int]:
        """The block and row nearest to a y in the window."""
        block, top = self._anchor, -self._offset
        row_px = self.metrics.row_height
        while block > 0 and y < top:
            block -= 1
            top -= self.layout(block).n_rows * row_px
        while block + 1 < len(self._blocks) and y >= top + self.layout(block).n_rows * row_px:
            top += self.layout(block).n_rows * row_px
            block += 1
        last = self.layout(block).n_rows - 1
        return block, int(min(max((y - top) // row_px, 0), last))

    def caret_at(self, block: int, row: int, x: float) -> tuple[int, bool]:
        """The offset nearest to x in a row, and whether it is the end of a wrapped row."""
        offset, at_row_end = self.layout(block).caret_at(row, x)
        return self._blocks.start(block) + offset, at_row_end

    def shares_of(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scroll positions of the blocks at some offsets, from 0 to 1, by the current estimates."""
        blocks = np.searchsorted(self._blocks.starts, offsets, side="right") - 1
        middles = self._top() + (self._before()[blocks] + 0.5) * self.metrics.row_height
        return (middles / max(self.content_height, self._height)).astype(np.float64)

    def byte_at(self, block: int, row: int, x: float) -> int:
        """The byte at a position; -1 outside the text."""
        found = self.layout(block).byte_at(row, x)
        return self._blocks.start(block) + found if found >= 0 else -1

    def chip_span(self, offset: int) -> tuple[int, int] | None:
        """The bytes of the chip that includes the byte at `offset`; None if no chip does."""
        block = self._blocks.block_at(offset)
        start = self._blocks.start(block)
        found = self.layout(block).chip_span(offset - start)
        return None if found is None else (start + found[0], start + found[1])

    def row_span(self, block: int, row: int) -> tuple[int, int]:
        start = self._blocks.start(block)
        first, last = self.layout(block).row_span(row)
        return start + first, start + last

    def n_rows_between(self, start: int, end: int) -> int:
        """The rows of the bytes [start, end), which begin and end at blocks; an estimate in a long text."""
        first, last = self._blocks.block_at(start), int(np.searchsorted(self._blocks.starts, end))
        if self._document.size > LAYOUTS_BYTES:
            return int(self._n_rows[first:last].sum())
        return sum(self.layout(block).n_rows for block in range(first, last))

    def block_span(self, block: int) -> tuple[int, int]:
        return self._blocks.start(block), self._blocks.end(block)

    def __len__(self) -> int:
        return len(self._blocks)

    def _limit(self) -> float:
        return max(0.0, self.content_height - self._height)

    def _top(self) -> int:
        return MARGIN_PX + self._header_px

    def _before(self) -> NDArray[np.int64]:
        """The number of rows before each block, and the total."""
        if self._rows_before is None:
            self._rows_before = np.concatenate((np.zeros(1, np.int64), np.cumsum(self._n_rows)))
        return self._rows_before

    def _y_of_block(self, block: int) -> float:
        return float(self._top() + int(self._before()[block]) * self.metrics.row_height)

    def _jump(self, y: float) -> None:
        below = round(y) - self._top()
        before = self._before()
        block = int(np.searchsorted(before, below / self.metrics.row_height, side="right")) - 1
        self._anchor = min(max(block, 0), len(self._blocks) - 1)
        self._offset = below - int(before[self._anchor]) * self.metrics.row_height

    def _forget(self) -> None:
        self._layouts.clear()
        self._n_laid_out = 0
        self._visible = None
        self._n_rows = self._estimate(0, len(self._blocks))
        self._rows_before = None

    def _estimate(self, first: int, last: int) -> NDArray[np.int64]:
        ends = np.append(self._blocks.starts[first + 1 : last + 1], self._document.size)
        lengths = ends[: last - first] - self._blocks.starts[first:last]
        columns = max(self._width / self.metrics.char_width, 4)
        rows: NDArray[np.int64] = np.maximum(np.ceil(lengths * (CHARACTERS_PER_BYTE / columns)), 1).astype(
            np.int64
        )
        return rows

    def _with_preedit(self, block: int, start: int, data: bytes) -> BlockLayout | None:
        if self._preedit is None or self._blocks.block_at(self._preedit.offset) != block:
            return None
        within = Preedit(self._preedit.offset - start, self._preedit.text, self._preedit.caret)
        return BlockLayout(data, self.metrics, self._width, within)
