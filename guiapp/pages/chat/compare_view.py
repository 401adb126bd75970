"""The prompt with another one beside it: what it is compared with, counts, and two columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QSizePolicy, QWidget

from guiapp.analysis.chat.chat import Chat
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.visible_text import isolate
from guiapp.kit.spans.painter import RADIUS_PX, faded
from guiapp.kit.state.settings import SharedSpelling
from guiapp.kit.widgets.controls import WalkButtons, tool_button
from guiapp.kit.widgets.event_filters import TipWatch, plain_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import framed, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import CENTER, LEFT, RIGHT, fill, ring, width_of, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    Theme,
    ThemeSource,
    plain_label,
    set_role,
)
from guiapp.pages.chat.counterpart import (
    CellPosition,
    ComparedPrompts,
    ComparedTurn,
    Counterpart,
    PromptComparison,
    PromptVariant,
    TokenCell,
    TurnDifference,
    differences,
    flowed,
)
from guiapp.pages.chat.template_panel import ask_for_template

SIDE_PX, BETWEEN_PX, EDGE_PX = 48, 28, 16
LINE_PX, LINE_X = 3, 14
ROW_PX, BOX_PX, TURN_GAP_PX = 28, 22, 20
FONT_PX, PADDING_PX = 14, 2
QUIET_ALPHA = 110  # of what both have
RING_PX, RING_ALPHA = 1.25, 180
LONGEST_LABEL = 60
VEIL_ALPHA = 140
LONGEST_NAME = 28
RIGHT_PX = 30  # with the scrollbar


class CompareMenu(MenuButton):
    """Lists what a prompt can be compared with.

    Signals:
        chosen(Counterpart | None): one of them; None for nothing.
    """

    chosen = Signal(object)

    def __init__(self, counterpart: PromptComparison, requests: PageRequests, themes: ThemeSource) -> None:
        super().__init__(themes, "Compare…", tip="Put another prompt of these messages beside")
        self._beside, self._requests = counterpart, requests
        self.fill_on_open(self._list)

    def _list(self, menu: QMenu) -> None:
        model, now = self._beside.model, self._beside.counterpart
        own = model.settings.add_generation_prompt
        self._add(menu, "Content as text", Counterpart(PromptVariant.AS_TEXT))
        with_or_without = f"{'Without' if own else 'With'} generation prompt"
        self._add(menu, with_or_without, Counterpart(PromptVariant.NO_PROMPT))
        self._add(menu, "llama.cpp's own prompt", Counterpart(PromptVariant.LLAMA_CPP))
        menu.addSeparator()
        shown = None if model.result is None or model.result.template is None else model.result.template.name
        for name in (template.name for template in model.templates if template.name != shown):
            counterpart = Counterpart(PromptVariant.TEMPLATE, name)
            self._add(menu, f"Template {quoted(name, LONGEST_NAME)}", counterpart)
        menu.addAction("A template's file…", self._ask_for_file)
        menu.addAction("Another model…", self._ask_for_model)
        if now is not None:
            menu.addSeparator()
            menu.addAction("Nothing", partial(self.chosen.emit, None))

    def _add(self, menu: QMenu, title: str, counterpart: Counterpart) -> None:
        is_chosen = counterpart == self._beside.counterpart
        add_choice(menu, title, is_chosen, partial(self.chosen.emit, counterpart))

    def _ask_for_file(self) -> None:
        if name := ask_for_template(self):
            self.chosen.emit(Counterpart(PromptVariant.TEMPLATE, name))

    def _ask_for_model(self) -> None:
        self._requests.model_wanted.emit(self, self._take_model)

    def _take_model(self, name: str, pre: str | None) -> None:
        self.chosen.emit(Counterpart(PromptVariant.MODEL, name, pre))


class CompareView(QFrame):
    """A head, two columns, and the selected token below; `menu` stands wherever the page puts it.

    Signals:
        left(): people have seen enough.
    """

    left = Signal()

    def __init__(self, counterpart: PromptComparison, requests: PageRequests, themes: ThemeSource) -> None:
        super().__init__()
        self.counterpart, self._requests = counterpart, requests
        self.menu = CompareMenu(counterpart, requests, themes)
        self.menu.chosen.connect(counterpart.choose)
        self.columns = SideBySide(themes, counterpart.model.session.spelling)
        self.names = FittedLabel(), FittedLabel()
        self.counts = set_role(FittedLabel(), "dim")
        self.description = plain_label("dim", wraps=True)
        self.token = set_role(FittedLabel(), "number")
        back = self._action("Previous difference", "Shift+F8", -1)
        self.walk = WalkButtons(back, self._action("Next difference", "F8", 1), "Difference")
        self.close_button = tool_button("×", self.left.emit, tip="End the comparison (Escape)")
        margins = MARGIN_PX, GAP_PX
        parts = (self.description, 1), self.walk, self.close_button
        head = in_row(*parts, margins=margins, spacing=GAP_PX)
        for label in self.names:
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        sides = SIDE_PX, 0, RIGHT_PX, 0
        titles = in_row((self.names[0], 1), (self.names[1], 1), margins=sides, spacing=BETWEEN_PX)
        counts = in_row((self.counts, 1), margins=margins)
        self.tree = tool_button("Show in tree", self._show_in_tree, tip="Show this token in the token tree")
        above = framed(in_column(head, titles, counts, spacing=0), "bar")
        below = framed(in_row((self.token, 1), self.tree, margins=margins), "status")
        in_column(above, (self.columns, 1), below, on=self, spacing=0)
        end = QAction("End the comparison", self)
        end.setShortcut(Qt.Key.Key_Escape)
        end.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        end.triggered.connect(self.left)
        for part in (self, self.menu):  # which has the focus again when its menu has closed
            part.addAction(end)
        self.setFocusProxy(self.columns)
        counterpart.changed.connect(self._refresh)
        counterpart.model.result_changed.connect(self._refresh)
        self.columns.selected_changed.connect(self._on_selected_changed)
        self._refresh()

    def _action(self, text: str, keys: str, by: int) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(partial(self.columns.step, by))
        self.addAction(action)
        return action

    def _refresh(self) -> None:
        compared, counterpart = self.counterpart.compared, self.counterpart.counterpart
        self.columns.show_compared(compared, self.counterpart.is_busy or self.counterpart.model.is_outdated)
        self.menu.setText("Compare…" if counterpart is None else f"Beside: {name_of(counterpart)}")
        if compared is None:
            waits = "Comparing…" if self.counterpart.is_busy else "There is no prompt yet."
            self.description.setText(quoted(self.counterpart.failure or waits, 300))
            for label in (*self.names, self.counts):
                label.set_texts([""])
        else:
            self._show_comparison(compared)
        self._on_selected_changed()

    def _show_comparison(self, compared: ComparedPrompts) -> None:
        comparison = compared.comparison
        if compared.description:
            alike = compared.description
        elif comparison.has_same_ids:
            is_of_llama = compared.counterpart.way is PromptVariant.LLAMA_CPP
            alike = "Equal to llama.cpp ✓" if is_of_llama else "The same ids"
        else:
            first, second = (int((~shared).sum()) for shared in comparison.is_shared)
            alike = f"{counted(first, 'token')} only at the left, {second:,} only at the right"
        n_shown, n_turns = len(compared.turns), len(comparison.turns)
        rest = "" if n_shown == n_turns else f" – the first {n_shown:,} of {n_turns:,} turns are shown"
        self.description.setText(alike + rest)
        names = names_of(compared.counterpart, self.counterpart.model.settings.add_generation_prompt)
        sizes = len(comparison.first.encoding), len(comparison.second.encoding)
        for label, name, n_tokens in zip(self.names, names, sizes, strict=True):
            label.set_texts([f"{name}   {counted(n_tokens, 'token')}", counted(n_tokens, "token")])
        parts = [
            f"{quoted(name, LONGEST_NAME)} {first:,}"
            + (f" → {second:,} ({second - first:+,})".replace("-", "−") if first != second else "")
            for name, first, second in comparison.counts
            if first or second
        ]
        differing = [part for part in parts if "→" in part]
        self.counts.set_texts(["     ".join(parts), "     ".join(differing) or "all counts are the same"])

    def _on_selected_changed(self) -> None:
        """A token of what the page shows is selected there, too."""
        columns, model = self.columns, self.counterpart.model
        self.walk.show_place(columns.number, len(columns.differences))
        parts = columns.description(columns.selected) or ("Choose a token to see where it is from.",)
        texts = parts, (*parts[:2], *parts[3:]), parts[:2]
        self.token.set_texts(["   ".join(each) for each in texts])
        chat = columns.chat
        self.tree.setVisible(chat is not None and chat.tokenizer is model.session.tokenizer)
        if columns.selected is not None and chat is not None and chat.encoding is model.encoding:
            model.select_token(columns.selected[1])

    def _show_in_tree(self) -> None:
        if self.columns.selected is not None and (chat := self.columns.chat) is not None:
            self._requests.token_wanted.emit(int(chat.token_ids[self.columns.selected[1]]))


def name_of(counterpart: Counterpart) -> str:
    """What something is compared with, on a button."""
    if counterpart.way in (PromptVariant.TEMPLATE, PromptVariant.MODEL):
        return quoted(Path(counterpart.name).name or counterpart.name, LONGEST_NAME)
    return {
        PromptVariant.AS_TEXT: "content as text",
        PromptVariant.NO_PROMPT: "generation prompt",
        PromptVariant.LLAMA_CPP: "llama.cpp",
    }[counterpart.way]


def names_of(counterpart: Counterpart, has_prompt: bool) -> tuple[str, str]:
    other = name_of(counterpart)
    without = "Without generation prompt", "With generation prompt"
    return {
        PromptVariant.AS_TEXT: ("As the model reads it", "Content as text"),
        PromptVariant.NO_PROMPT: ("With generation prompt", "Without") if has_prompt else without,
        PromptVariant.TEMPLATE: ("This template", f"Template {other}"),
        PromptVariant.MODEL: ("This model", other),
        PromptVariant.LLAMA_CPP: ("Tokenloupe", "llama.cpp"),
    }[counterpart.way]


class CellPlace(NamedTuple):
    """A cell of a side, 0 or 1, in the whole picture."""

    side: int
    cell: TokenCell
    rect: QRectF


class SideBySide(QAbstractScrollArea):
    """Keys go from token to token, and to the next difference; `selected` is a side and a token.

    Signals:
        selected_changed(): `selected` is new.
    """

    selected_changed = Signal()

    def __init__(self, themes: ThemeSource, spelling: SharedSpelling) -> None:
        super().__init__()
        self._themes, self._spelling = themes, spelling
        self.compared: ComparedPrompts | None = None
        self.selected: tuple[int, int] | None = None
        TipWatch(self.viewport(), self._tip)
        self.is_outdated = False
        self.differences: list[TurnDifference] = []
        self._tops: list[int] = []  # of each turn
        self._places: list[tuple[list[CellPosition], list[CellPosition]]] = []
        self._labels = cache(self._label_of)
        self._widths = cache(lambda label: width_of(label, Theme.mono_font(FONT_PX)))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_role(self, "tokens")
        self.setAccessibleName("Two prompts side by side")
        self.setViewport(QWidget())
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        themes.changed.connect(self.viewport().update)
        spelling.changed.connect(self._rebuild_layout)

    def show_compared(self, compared: ComparedPrompts | None, is_outdated: bool) -> None:
        """Show this one; `is_outdated` while a newer one is on its way."""
        is_new, self.is_outdated = compared is not self.compared, is_outdated
        self.compared = compared
        if is_new:
            self.select(None)
            self.differences = differences(self.turns)
            self._rebuild_layout()
        self.viewport().update()

    @property
    def turns(self) -> tuple[ComparedTurn, ...]:
        return () if self.compared is None else self.compared.turns

    @property
    def chat(self) -> Chat | None:
        """The prompt that the selected token is of."""
        return None if self.selected is None else self._chat_of(self.selected[0])

    def _chat_of(self, side: int) -> Chat:
        assert self.compared is not None
        return (self.compared.comparison.first, self.compared.comparison.second)[side]

    @property
    def column_px(self) -> float:
        return max(120.0, (self.viewport().width() - SIDE_PX - BETWEEN_PX - EDGE_PX) / 2)

    def left_of(self, side: int) -> float:
        return SIDE_PX + side * (self.column_px + BETWEEN_PX)

    # Selection

    def select(self, token: tuple[int, int] | None) -> None:
        if token != self.selected:
            self.selected = token
            self.setAccessibleDescription("   ".join(self.description(token)))
            self.selected_changed.emit()
            self.viewport().update()

    def description(self, token: tuple[int, int] | None) -> tuple[str, ...]:
        """A token in words: text, id, where it is from, and who has it; () for none."""
        if token is None or self.compared is None:
            return ()
        side, index = token
        chat = self._chat_of(side)
        token_id, origin = int(chat.token_ids[index]), chat.origins[index]
        owner = "" if origin.message is None else f", message {origin.message + 1}"
        kind = (quoted(origin.field) or "content") if origin.is_content else origin.kind
        line = f", line {origin.line} of the template" if origin.line else ""
        is_shared = self.compared.comparison.is_shared[side][index]
        shared = "in both" if is_shared else "only here"
        return isolate(self._labels(side, token_id)), str(token_id), f"{kind}{owner}{line}", shared

    def step(self, by: int) -> None:
        """Select the first token of the next stretch that is not in both, or of the one before."""
        differences = self.differences
        if not differences:
            return
        at = self.number if self.number is not None else -1 if by > 0 else 0
        _, _, side, token = differences[(at + by) % len(differences)]
        self.go_to(side, token)

    @property
    def number(self) -> int | None:
        """Which of `differences` the selected token is the first of, or the last one before it."""
        if self.selected is None:
            return None
        at = bisect_right(self.differences, (*self._place_of(self.selected), 2))
        return at - 1 if at else None

    def _place_of(self, token: tuple[int, int]) -> tuple[int, int]:
        """The turn of a token, and how many tokens that both have are before it there."""
        side, index = token
        for at in range(len(self.turns) - 1, -1, -1):
            cells = self.turns[at].sides[side]
            if cells and cells[0].token <= index:
                return at, sum(cell.n_shared for cell in cells if cell.token < index)
        return 0, 0

    def go_to(self, side: int, token: int) -> None:
        self.select((side, token))
        place = next((each for each in self._cells() if (each.side, each.cell.token) == (side, token)), None)
        if place is not None:
            bar, height = self.verticalScrollBar(), self.viewport().height()
            top = place.rect.top() - ROW_PX
            if not bar.value() <= top <= bar.value() + height - 3 * ROW_PX:
                bar.setValue(round(top - height / 3))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        if key not in ways or self.compared is None:
            super().keyPressEvent(event)
            return
        side, token = self.selected or (0, -1)
        cells = [cell.token for turn in self.turns for cell in turn.sides[side] if not cell.n_more]
        if cells:
            at = bisect_left(cells, token) + ways[key] if self.selected else 0
            self.go_to(side, cells[min(max(at, 0), len(cells) - 1)])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            place = self._place_at(event.position())
            self.select(None if place is None else (place.side, place.cell.token))

    def _tip(self, point: QPoint) -> str:
        place = self._place_at(QPointF(point))
        return (
            "" if place is None else plain_tip("   ".join(self.description((place.side, place.cell.token))))
        )

    def _place_at(self, point: QPointF) -> CellPlace | None:
        point += QPointF(0, self.verticalScrollBar().value())
        found = (each for each in self._cells(point.y(), point.y()) if each.rect.contains(point))
        return next((each for each in found if not each.cell.n_more), None)

    # Layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(700, 400)

    def _rebuild_layout(self) -> None:
        self._labels.cache_clear()
        self._widths.cache_clear()
        self._arrange()
        self.viewport().update()

    def _arrange(self) -> None:
        self._places, self._tops, top = [], [], TURN_GAP_PX / 2
        for turn in self.turns:
            sides = [self._flow(side, cells) for side, cells in enumerate(turn.sides)]
            self._places.append((sides[0], sides[1]))
            self._tops.append(round(top))
            top += ROW_PX * max(_n_rows(places) for places in sides) + TURN_GAP_PX
        height = self.viewport().height()
        self.verticalScrollBar().setPageStep(height)
        self.verticalScrollBar().setSingleStep(ROW_PX)
        self.verticalScrollBar().setRange(0, max(0, round(top) - height))

    def _flow(self, side: int, cells: tuple[TokenCell, ...]) -> list[CellPosition]:
        labels = [self._text_of(side, cell) for cell in cells]
        widths = [self._widths(label) + 2 * PADDING_PX + 1 for label in labels]
        return flowed(widths, [label.endswith(("↵", "\n")) for label in labels], self.column_px)

    def _text_of(self, side: int, cell: TokenCell) -> str:
        return f" … {counted(cell.n_more, 'token')} … " if cell.n_more else self._labels(side, cell.token_id)

    def _label_of(self, side: int, token_id: int) -> str:
        return self._spelling.now.token(self._chat_of(side).tokenizer.vocabulary, token_id, LONGEST_LABEL)

    def _cells(self, top: float = 0, bottom: float = float("inf")) -> Iterator[CellPlace]:
        """Those of the turns that reach into a part of the picture."""
        first = max(0, bisect_right(self._tops, top) - 1)
        for at in range(first, len(self._tops)):
            if self._tops[at] > bottom:
                return
            turn = self.turns[at]
            for side, cells in enumerate(turn.sides):
                left = self.left_of(side)
                for cell, place in zip(cells, self._places[at][side], strict=True):
                    y = self._tops[at] + place.row * ROW_PX
                    if y + ROW_PX >= top and y <= bottom:
                        rect = QRectF(left + place.left, y + (ROW_PX - BOX_PX) / 2, place.width - 1, BOX_PX)
                        yield CellPlace(side, cell, rect)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._themes.theme
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), theme.background)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            above = self.verticalScrollBar().value()
            painter.translate(0, -above)
            between = self.left_of(1) - BETWEEN_PX / 2 - LINE_X / 2
            painter.fillRect(QRectF(between, above, 1, self.viewport().height()), theme.line)
            self._draw_turns(painter, theme, above, above + self.viewport().height())
            for place in self._cells(above, above + self.viewport().height()):
                self._draw_cell(painter, theme, place)
            if self.is_outdated:
                painter.fillRect(event.rect().translated(0, above), faded(theme.background, VEIL_ALPHA))

    def _draw_turns(self, painter: QPainter, theme: Theme, top: float, bottom: float) -> None:
        first = max(0, bisect_right(self._tops, top) - 1)
        for at, turn in list(enumerate(self.turns))[first:]:
            if self._tops[at] > bottom:
                return
            color = theme.line if turn.hue < 0 else theme.roles[turn.hue]
            number = str(turn.number) if turn.number else "…" if turn.hue >= 0 else ""
            place = QRectF(0, self._tops[at], SIDE_PX - 20, ROW_PX)
            write(painter, place, number, theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))
            for side, places in enumerate(self._places[at]):
                left = self.left_of(side)
                if places:
                    line = QRectF(left - LINE_X, self._tops[at] + 2, LINE_PX, ROW_PX * _n_rows(places) - 4)
                    fill(painter, line, color, LINE_PX / 2)
                else:
                    missing = QRectF(left, self._tops[at], self.column_px, ROW_PX)
                    write(painter, missing, turn.absence, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))

    def _draw_cell(self, painter: QPainter, theme: Theme, place: CellPlace) -> None:
        side, cell, rect = place
        text, color = self._text_of(side, cell), theme.span_text if cell.hue >= 0 else theme.dim
        if cell.n_more:
            write(painter, rect, text, theme.dim, CENTER, Theme.ui_font(SMALL_FONT_PX))
            return
        if cell.hue >= 0:
            filled = theme.origins[2 + 2 * cell.hue + cell.step]
            fill(painter, rect, faded(filled, QUIET_ALPHA) if cell.is_shared else filled, RADIUS_PX)
        if cell.became_control:
            ring(painter, rect, QPen(theme.bad, 1.5), RADIUS_PX)
        elif not cell.is_shared:
            color = theme.span_text if cell.hue >= 0 else theme.text
            ring(painter, rect, QPen(faded(theme.text, RING_ALPHA), RING_PX), RADIUS_PX)
        elif cell.is_control:
            ring(painter, rect, QPen(theme.line, 1), RADIUS_PX)
        if (side, cell.token) == self.selected:
            ring(painter, rect.adjusted(-1, -1, 1, 1), QPen(theme.accent, 2), RADIUS_PX)
        painter.save()
        painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
        inside = rect.adjusted(PADDING_PX, 0, 0, 0)
        write(painter, inside, text, QColor(color), LEFT, Theme.mono_font(FONT_PX))
        painter.restore()


def _n_rows(places: list[CellPosition]) -> int:
    return places[-1].row + 1 if places else 1
