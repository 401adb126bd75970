"""The causes of a hunt as a list, and one mismatch: both tokenizations, the reason, and where it occurs."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from guiapp.analysis.hunt.mismatches import Find, LineOffset
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.side_by_side.details import ItemDetails, sentence_spans
from guiapp.kit.side_by_side.grid import GridRow
from guiapp.kit.side_by_side.head import LETTERS
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import TipWatch, plain_tip
from guiapp.kit.widgets.layouts import (
    STRETCH,
    WrappingRow,
    card,
    framed,
    in_column,
    in_row,
    take_away,
)
from guiapp.kit.widgets.painting import (
    LEFT,
    RIGHT,
    Painted,
    PaintedButton,
    bold,
    color_of,
    elided,
    fill,
    ring,
    write,
)
from guiapp.kit.widgets.tables import ROW_PX, PaintedRows
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.hunt.model import HuntModel, letters, plain, texts_of, title_of, where

HEAD_PX = 34
CHIP_PX, CHIP_FONT_PX = 32, 15
LONGEST_CHIP = 24  # in characters
MORE_PX = 84  # for "5,111 more"
SHARE_PX = 130
BAR_PX, LEAST_BAR_PX = 116, 3
EVERY_TEXT = "each text"
LEAST_PX = 250
SHOWN_LOCATIONS = 5
EMPTY = "Select a mismatch to see how both cut it, why, and where your texts contain it."
CONTEXT_CHARACTERS, LINE_CHARACTERS = 14, 60
LOCATION_PX, NUMBER_PX = 24, 48


class FindPanel(ItemDetails):
    """The selected mismatch; the page connects the buttons that show it elsewhere."""

    def __init__(self, model: HuntModel, export: QWidget, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Mismatch", LEAST_PX, model.walk, "mismatch")
        self._model = model
        self._shown_row: Find | None = None
        self.reason.setAccessibleName("Why")
        self.where = plain_label("dim", wraps=True)
        self.copy_button = push_button("Copy report", model.report, role="primary")
        self.compare_button = push_button("Open in Compare")
        self.step_button = push_button("Step", role="quiet")
        self._n_lines = set_role(QLabel(), "dim")
        self.location_buttons: list[LocationButton] = []
        self._location_column = in_column(spacing=0)
        self._more = set_role(QLabel(), "dim")
        self._more.setIndent(NUMBER_PX + GAP_PX)
        self._hint = set_role(QLabel(EMPTY, wordWrap=True), "dim")
        buttons: list[QWidget] = [self.copy_button, self.compare_button, self.step_button]
        of_lines = in_row(heading("In your texts"), self._n_lines, (STRETCH, 1), spacing=GAP_PX)
        self._lines = framed(in_column(GAP_PX, of_lines, self._location_column, self._more, spacing=GAP_PX))
        self._find = QWidget()
        in_column(
            self.head,
            card(self.grid, self.reason, self.where),
            WrappingRow(buttons),
            in_row(set_role(export, "quiet"), STRETCH),
            self._lines,
            on=self._find,
        )
        self.arrange(self._hint, self._find, (STRETCH, 1))
        for signal in (model.state_changed, model.walk.changed, theme_source.changed):
            signal.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        find, state = self._model.selected, self._model.state
        self._hint.setVisible(find is None)
        self._find.setVisible(find is not None)
        if find is None or state is None:
            return
        theme, row = self._theme_source.theme, self._model.finds[self._model.selected_row]
        texts = [each.text for each in texts_of(row)]
        number = f"Text {texts.index(find.text) + 1:,} of {len(texts):,}"
        self.title.set_texts([f"{number} · {title_of(find.reason.kind)}".upper(), number.upper()])
        self.grid.setVisible(find.token_ids != (None, None))  # a difference of vocabularies has no ids
        sides = zip(LETTERS, range(2), find.token_ids, find.spans, strict=True)
        self.grid.show_rows([GridRow(name, at, find.text, ids, spans) for name, at, ids, spans in sides])
        names = letters(state.subjects)
        colors = {name: (letter, color_of(LETTERS.index(letter), theme)) for name, letter in names.items()}
        self.show_reason([*sentence_spans(find.reason.clause, theme, colors)])
        self.where.setText(where(find))
        self._show_locations(row)
        hunted = self._model.hunted
        library = hunted[1].title if hunted is not None and hunted[1].is_library else ""
        self.compare_button.setEnabled(not library)
        self.step_button.setEnabled(not library and bool(find.text))
        for button in (self.compare_button, self.step_button):
            button.setToolTip(plain_tip(f"{library} is a library and cannot be a column" if library else ""))

    def _show_locations(self, row: Find) -> None:
        """Show the first of the user's lines with this mismatch."""
        state = self._model.state
        if row is self._shown_row or state is None:
            return
        self._shown_row = row
        take_away(*self.location_buttons)
        self.location_buttons = [
            self._location_button(location) for location in row.locations[:SHOWN_LOCATIONS]
        ]
        for button in self.location_buttons:
            self._location_column.addWidget(button)
        self._lines.setVisible(state.n_lines > 0)
        self._n_lines.setText(f"{row.n_lines:,} of {counted(state.n_lines, 'line')}")
        n_more = row.n_lines - len(self.location_buttons)
        self._more.setText(f"{n_more:,} more")
        self._more.setVisible(bool(self.location_buttons) and n_more > 0)

    def _location_button(self, location: LineOffset) -> LocationButton:
        named = "your text" if self._model.is_in_text(location) else quoted(location.line.file, 200)
        button = LocationButton(location, named, self._theme_source)
        button.clicked.connect(partial(self._model.point_out, location))
        return button


class LocationButton(PaintedButton):
    """A line of the user's text and the position of the mismatch. A click shows it."""

    radius_px = UNIT_PX

    def __init__(self, location: LineOffset, named: str, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        (_, number, _, line), at = location
        before = line[:at].decode("utf-8", "replace")[-CONTEXT_CHARACTERS:]
        after = line[at:].decode("utf-8", "replace")[:LINE_CHARACTERS]
        self._number = f"{number:,}"
        self._parts = [visible_text(part.encode()) for part in (before, after[:1], after[1:])]
        self.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(LOCATION_PX)
        self.setAccessibleName(f"Line {number:,}: {''.join(self._parts)}")
        self.setToolTip(plain_tip(f"Show line {number:,} of {named}"))

    def edge(self, theme: Theme) -> QColor | None:
        return None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        font, metrics = self.font(), QFontMetricsF(self.font())
        write(painter, QRect(0, 0, NUMBER_PX, LOCATION_PX), self._number, theme.dim, RIGHT, font)
        x = float(NUMBER_PX + GAP_PX)
        for part, is_marked in zip(self._parts, (False, True, False), strict=True):
            width = metrics.horizontalAdvance(part)
            if is_marked:
                fill(painter, QRectF(x, 3, width, LOCATION_PX - 6), theme.span_color(4), 3)
            write(painter, QRectF(x, 0, width + 1, LOCATION_PX), isolate(part), theme.text, LEFT, font)
            x += width


def columns(width: int) -> tuple[tuple[int, int], ...]:
    """The left edges and widths of the columns of causes, texts and shares."""
    cause = min(max(width * 3 // 8, 190), 460)
    texts = width - cause - SHARE_PX - 4 * MARGIN_PX
    return (MARGIN_PX, cause), (2 * MARGIN_PX + cause, texts), (width - MARGIN_PX - SHARE_PX, SHARE_PX)


class ListHead(Painted):
    """The column titles."""

    def __init__(self, model: HuntModel, below: CauseList, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Column titles")
        self._model, self._below = model, below.viewport()
        self.setFixedHeight(HEAD_PX)
        model.state_changed.connect(self.update)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        width = self._below.width()
        font = bold(Theme.ui_font(SMALL_FONT_PX))
        painter.fillRect(QRect(0, self.height() - 1, self.width(), 1), theme.line)
        for title, (x, wide) in zip(("CAUSE", "SHORTEST TEXTS"), columns(width), strict=False):
            write(painter, QRect(x, 0, wide, self.height()), title, theme.dim, LEFT, font)
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
    """A row for each cause. A click or the arrow keys select one of its texts."""

    def __init__(self, model: HuntModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Causes")
        self._model = model
        self._chip_font = Theme.mono_font(CHIP_FONT_PX)
        self._metrics = QFontMetricsF(self._chip_font)
        TipWatch(self.viewport(), self._tip)
        model.state_changed.connect(self.fit_rows)
        model.walk.moved.connect(self._on_selected_changed)
        model.walk.changed.connect(self.viewport().update)
        self.fit_rows()

    @property
    def n_rows(self) -> int:
        return len(self._model.kinds)

    @property
    def chosen_row(self) -> int:
        return self._model.selected_row

    def chips(self, row: int) -> list[tuple[QRectF, str]]:
        """The rectangles and labels of the texts that fit in a row."""
        rect, (_, (x, width), _) = self.row_at(row), columns(self.viewport().width())
        top = rect.center().y() - CHIP_PX / 2
        shown: list[tuple[QRectF, str]] = []
        left = float(x)
        for find in texts_of(self._model.finds[row]):
            label = _label(find)
            wide = self._metrics.horizontalAdvance(label) + 2 * GAP_PX
            if shown and left + wide > x + width - MORE_PX:
                break
            shown.append((QRectF(left, top, min(wide, width - MORE_PX), CHIP_PX), label))
            left += wide + GAP_PX
        return shown

    def _on_selected_changed(self) -> None:
        self.show_chosen()
        find = self._model.selected
        description = "" if find is None else f"{title_of(find.reason.kind)}: {visible_text(find.text)}"
        self.setAccessibleDescription(description)

    # User input

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
        targets = {
            Qt.Key.Key_Up: (row - 1, 0),
            Qt.Key.Key_Down: (row + 1, 0),
            Qt.Key.Key_Left: (row, chip - 1),
            Qt.Key.Key_Right: (row, chip + 1),
            Qt.Key.Key_Home: (0, 0),
            Qt.Key.Key_End: (self.n_rows - 1, 0),
        }
        if (target := targets.get(Qt.Key(event.key()))) is None:
            super().keyPressEvent(event)
        else:
            self._choose(*target)

    def _choose(self, row: int, chip: int) -> None:
        if 0 <= row < self.n_rows and 0 <= chip < len(texts_of(self._model.finds[row])):
            self._model.select(self._model.kinds[row], chip)

    def _at(self, point: QPoint) -> tuple[int | None, int | None]:
        row = self.row_under(point.y())
        if not 0 <= row < self.n_rows:
            return None, None
        chips = self.chips(row)
        return row, next((at for at, (chip, _) in enumerate(chips) if chip.contains(point)), None)

    def _tip(self, point: QPoint) -> str:
        row, chip = self._at(point)
        if row is None or self._model.state is None:
            return ""
        find = self._model.finds[row]
        if chip is None:
            listed = f"The shortest {len(texts_of(find)):,} of {find.n_texts:,} texts can be looked at."
            return plain_tip(f"{plain(find, self._model.state.subjects)}\n{listed}")
        return plain_tip(visible_text(texts_of(find)[chip].text))

    # Painting

    def _amount(self, find: Find) -> int:
        """The number of the user's lines with this cause, or of all texts if the user gave no lines."""
        state = self._model.state
        return find.n_lines if state is not None and state.n_lines else find.n_texts

    def paint_row(self, painter: QPainter, theme: Theme, row: int, rect: QRect) -> None:
        finds = self._model.finds
        cause, _, share = (QRect(x, rect.top(), wide, ROW_PX) for x, wide in columns(rect.width()))
        self._paint_cause(painter, theme, finds[row], cause)
        self._paint_chips(painter, theme, row, finds[row], rect)
        if self._model.state is not None and self._model.state.tried:
            most = max(map(self._amount, finds))
            self._paint_share(painter, theme, self._amount(finds[row]), most, share)

    def _paint_cause(self, painter: QPainter, theme: Theme, find: Find, rect: QRect) -> None:
        assert self._model.state is not None
        upper, lower = rect.adjusted(0, 12, 0, -ROW_PX // 2), rect.adjusted(0, ROW_PX // 2, 0, -12)
        small, large = Theme.ui_font(SMALL_FONT_PX), bold(Theme.ui_font())
        title = elided(title_of(find.reason.kind), large, rect.width())
        write(painter, upper, title, theme.text, LEFT, large)
        words = plain(find, self._model.state.subjects)
        write(painter, lower, isolate(elided(words, small, rect.width())), theme.dim, LEFT, small)

    def _paint_chips(self, painter: QPainter, theme: Theme, row: int, find: Find, rect: QRect) -> None:
        """Paint the texts that fit, and the number of further texts."""
        chips, right = self.chips(row), 0.0
        is_lit = row == self._model.selected_row
        ground = blend(theme.raised, theme.text, 0.07) if is_lit else theme.raised
        small = Theme.ui_font(SMALL_FONT_PX)
        for text, (chip, label) in zip(texts_of(find), chips, strict=False):
            is_selected = text == self._model.selected
            fill(painter, chip, blend(ground, theme.accent, 0.24) if is_selected else ground, 6)
            if is_selected:
                ring(painter, chip, QPen(theme.accent, 2), 6)
            color, font = (theme.text, self._chip_font) if text.text else (theme.dim, small)
            write(painter, chip.adjusted(GAP_PX, 0, 0, 0), label, color, LEFT, font)
            right = chip.right()
        more = find.n_texts - len(chips)
        if more > 0 and find.text:
            at = QRectF(right + GAP_PX + UNIT_PX, rect.top(), MORE_PX, ROW_PX)
            write(painter, at, f"{more:,} more", theme.dim, LEFT, small)

    def _paint_share(self, painter: QPainter, theme: Theme, amount: int, most: int, rect: QRect) -> None:
        number = rect.adjusted(0, 14, 0, -ROW_PX // 2 + 4)
        font = Theme.mono_font(14)
        shown, color = (f"{amount:,}", theme.text) if amount else ("none", theme.dim)
        write(painter, number, shown, color, RIGHT, font)
        if amount:
            wide = max(BAR_PX * amount / most, LEAST_BAR_PX)
            bar = QRectF(rect.right() - wide + 1, rect.top() + ROW_PX / 2 + 9, wide, 4)
            fill(painter, bar, theme.warning, 2)


def _label(find: Find) -> str:
    return isolate(visible_text(find.text, LONGEST_CHIP)) if find.text else EVERY_TEXT
