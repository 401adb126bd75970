"""The causes that were found: what they are, their shortest texts, how many of the user's lines differ so."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen

from guiapp.analysis.hunt.mismatches import Find
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.widgets.event_filters import TipWatch, plain_tip
from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, bold, elided, fill, ring, write
from guiapp.kit.widgets.tables import ROW_PX, PaintedRows
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource, blend
from guiapp.pages.hunt.model import HuntModel
from guiapp.pages.hunt.words import plain, sentence, texts_of, title_of

HEAD_PX = 34
CHIP_PX, CHIP_FONT_PX = 32, 15
LONGEST_CHIP = 24  # characters
MORE_PX = 66  # for "+5,111"
SHARE_PX = 130
BAR_PX, LEAST_BAR_PX = 116, 3
NEW_S = 3.0  # a cause is new for so long
EVERY_TEXT = "each text"


class CauseColumns(NamedTuple):
    """Where the columns begin, and how wide they are."""

    cause: tuple[int, int]
    texts: tuple[int, int]
    share: tuple[int, int]


def columns(width: int) -> CauseColumns:
    cause = min(max(width // 4, 190), 300)
    texts = width - cause - SHARE_PX - 4 * MARGIN_PX
    return CauseColumns(
        (MARGIN_PX, cause),
        (2 * MARGIN_PX + cause, texts),
        (width - MARGIN_PX - SHARE_PX, SHARE_PX),
    )


class ListHead(Painted):
    """The titles of the columns."""

    def __init__(self, model: HuntModel, below: CauseList, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Titles of the columns")
        self._model, self._below = model, below.viewport()
        self.setFixedHeight(HEAD_PX)
        model.state_changed.connect(self.update)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        width = self._below.width()
        places, font = columns(width), bold(Theme.ui_font(SMALL_FONT_PX))
        painter.fillRect(QRect(0, self.height() - 1, self.width(), 1), theme.line)
        titles = ("CAUSE", places.cause, LEFT), ("SHORTEST TEXTS", places.texts, LEFT)
        for title, (x, wide), side in titles:
            write(painter, QRect(x, 0, wide, self.height()), title, theme.dim, side, font)
        right = QRect(0, 0, width - MARGIN_PX, self.height())
        write(painter, right, self._of_what(), theme.dim, RIGHT, font)

    def _of_what(self) -> str:
        state = self._model.state
        if state is None:
            return ""
        if state.n_lines:
            return f"OF YOUR {counted(state.n_lines, 'line')}".upper()
        return f"OF {counted(state.tried, 'text')}".upper()


class CauseList(PaintedRows):
    """A row for each cause; a click or the arrow keys choose one of its texts."""

    def __init__(self, model: HuntModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Causes")
        self._model = model
        self._chip_font = Theme.mono_font(CHIP_FONT_PX)
        self._metrics = QFontMetricsF(self._chip_font)
        TipWatch(self.viewport(), self._tip)
        model.state_changed.connect(self.fit_rows)
        model.selected_changed.connect(self._on_selected_changed)
        self.fit_rows()

    # Where things are

    @property
    def n_rows(self) -> int:
        return len(self._model.kinds)

    @property
    def chosen_row(self) -> int:
        return self._model.selected_row

    def chips(self, row: int) -> list[tuple[QRectF, str]]:
        """The places of the texts that a row has room for, and what is seen of them."""
        place, (x, width) = self.row_at(row), columns(self.viewport().width()).texts
        top = place.center().y() - CHIP_PX / 2
        placed: list[tuple[QRectF, str]] = []
        left = float(x)
        for find in texts_of(self._model.finds[row]):
            label = _label(find)
            wide = self._metrics.horizontalAdvance(label) + 2 * GAP_PX
            if placed and left + wide > x + width - MORE_PX:
                break
            placed.append((QRectF(left, top, min(wide, width - MORE_PX), CHIP_PX), label))
            left += wide + GAP_PX
        return placed

    # Following the model

    def _on_selected_changed(self) -> None:
        self.show_chosen()
        find = self._model.selected
        told = "" if find is None else f"{title_of(find.reason.kind)}: {visible_text(find.text)}"
        self.setAccessibleDescription(told)

    # What people do

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, chip = self._at(event.position().toPoint())
        if row is not None:
            self._model.select(self._model.kinds[row], chip or 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, find = self._model.selected_row, self._model.selected
        if find is None:
            super().keyPressEvent(event)
            return
        chip = [each.text for each in texts_of(self._model.finds[row])].index(find.text)
        match event.key():
            case Qt.Key.Key_Up:
                self._choose(row - 1, 0)
            case Qt.Key.Key_Down:
                self._choose(row + 1, 0)
            case Qt.Key.Key_Left:
                self._choose(row, chip - 1)
            case Qt.Key.Key_Right:
                self._choose(row, chip + 1)
            case Qt.Key.Key_Home:
                self._choose(0, 0)
            case Qt.Key.Key_End:
                self._choose(self.n_rows - 1, 0)
            case _:
                super().keyPressEvent(event)

    def _choose(self, row: int, chip: int) -> None:
        """A text that there is."""
        if 0 <= row < self.n_rows and 0 <= chip < len(texts_of(self._model.finds[row])):
            self._model.select(self._model.kinds[row], chip)

    def _at(self, place: QPoint) -> tuple[int | None, int | None]:
        """The row and the text at a place."""
        row = self.row_under(place.y())
        if not 0 <= row < self.n_rows:
            return None, None
        chips = self.chips(row)
        return row, next((at for at, (chip, _) in enumerate(chips) if chip.contains(place)), None)

    def _tip(self, place: QPoint) -> str:
        row, chip = self._at(place)
        if row is None or self._model.state is None:
            return ""
        find = self._model.finds[row]
        if chip is None:
            return plain_tip(plain(sentence(find, self._model.state.subjects)))
        return plain_tip(visible_text(texts_of(find)[chip].text))

    # What is seen

    def _amount(self, find: Find) -> int:
        """How often it comes in the user's lines, or in all texts where there are none."""
        state = self._model.state
        return find.n_lines if state is not None and state.n_lines else find.n_texts

    def paint_row(self, painter: QPainter, theme: Theme, row: int, place: QRect) -> None:
        finds, places = self._model.finds, columns(place.width())
        find = finds[row]
        self._paint_cause(painter, theme, find, QRect(places.cause[0], place.top(), places.cause[1], ROW_PX))
        right = self._paint_chips(painter, theme, row, find)
        self._paint_more(painter, theme, find, len(self.chips(row)), right, place)
        share = QRect(places.share[0], place.top(), places.share[1], ROW_PX)
        if self._model.state is not None and self._model.state.tried:
            most = max(map(self._amount, finds))
            self._paint_share(painter, theme, self._amount(find), most, share)

    def _paint_cause(self, painter: QPainter, theme: Theme, find: Find, place: QRect) -> None:
        assert self._model.state is not None
        upper, lower = place.adjusted(0, 12, 0, -ROW_PX // 2), place.adjusted(0, ROW_PX // 2, 0, -12)
        small, large = Theme.ui_font(SMALL_FONT_PX), bold(Theme.ui_font())
        title = elided(title_of(find.reason.kind), large, place.width())
        write(painter, upper, title, theme.text, LEFT, large)
        if self._is_new(find):
            at = upper.adjusted(painter.fontMetrics().horizontalAdvance(title) + GAP_PX, 0, 0, 0)
            write(painter, at, "new", theme.accent, LEFT, small)
        told = plain(sentence(find, self._model.state.subjects))
        write(painter, lower, isolate(elided(told, small, place.width())), theme.dim, LEFT, small)

    def _is_new(self, find: Find) -> bool:
        state = self._model.state
        if state is None or state.is_over:
            return False
        return state.seconds - self._model.found_at[find.reason.kind] < NEW_S

    def _paint_chips(self, painter: QPainter, theme: Theme, row: int, find: Find) -> float:
        """Where the last one ends."""
        selected, right = self._model.selected, 0.0
        is_lit = row == self._model.selected_row
        ground = blend(theme.raised, theme.text, 0.07) if is_lit else theme.raised
        for text, (chip, label) in zip(texts_of(find), self.chips(row), strict=False):
            is_selected = text == selected
            fill(painter, chip, blend(ground, theme.accent, 0.24) if is_selected else ground, 6)
            if is_selected:
                ring(painter, chip, QPen(theme.accent, 2), 6)
            font = self._chip_font if text.text else Theme.ui_font(SMALL_FONT_PX)
            inner = chip.adjusted(GAP_PX, 0, 0, 0)
            write(painter, inner, label, theme.text if text.text else theme.dim, LEFT, font)
            right = chip.right()
        return right

    def _paint_more(
        self, painter: QPainter, theme: Theme, find: Find, n_shown: int, right: float, place: QRect
    ) -> None:
        more = find.n_texts - n_shown
        if more > 0 and find.text:
            at = QRectF(right + GAP_PX + UNIT_PX, place.top(), MORE_PX, ROW_PX)
            write(painter, at, f"+{more:,}", theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))

    def _paint_share(self, painter: QPainter, theme: Theme, amount: int, most: int, place: QRect) -> None:
        number = place.adjusted(0, 14, 0, -ROW_PX // 2 + 4)
        font = Theme.mono_font(14)
        told, color = (f"{amount:,}", theme.text) if amount else ("none", theme.dim)
        write(painter, number, told, color, RIGHT, font)
        if amount:
            wide = max(BAR_PX * amount / most, LEAST_BAR_PX)
            bar = QRectF(place.right() - wide + 1, place.top() + ROW_PX / 2 + 9, wide, 4)
            fill(painter, bar, theme.warning, 2)


def _label(find: Find) -> str:
    return isolate(visible_text(find.text, LONGEST_CHIP)) if find.text else EVERY_TEXT
