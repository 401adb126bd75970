"""The Text page: the text with its tokens, their ids below, and details of one token on the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import QMenu, QSplitter, QWidget

from guiapp.analysis.explain.id_lists import holds_numbers
from guiapp.kit.document.coloured_spans import COLORINGS, ColouredSpans
from guiapp.kit.document.statistics import MostExpensiveModel, TokenBudget
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import TokenDetails, TokenDetailsModel, WhyModel, hover_text
from guiapp.kit.spans.editor import EditorLink, SpanEditor
from guiapp.kit.spans.frame import shading
from guiapp.kit.spans.layout import FIRST_SHADE
from guiapp.kit.spans.legend import LegendEntry, characters, token, upright
from guiapp.kit.spans.painter import draw_roofed, piece_end
from guiapp.kit.spans.token_menu import TokenMenu
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import TabbedPanels, WalkButtons
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.layouts import RoomySplitter, framed, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.notices import SWITCHED_OFF, NoticeArea, announce
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.painting import LEFT, Painted, fill, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    TEXT_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    set_role,
)
from guiapp.kit.widgets.token_card import TokenCard
from guiapp.pages.text.ids_panel import IdsPanel, TokenStrip
from guiapp.pages.text.side import ExpensivePanel, WhyPanel
from guiapp.pages.text.text_panel import BudgetBar, TextPanel

if TYPE_CHECKING:
    from guiapp.kit.widgets.page_base import Actions
    from guiapp.pages.text.decode_dialog import DecodeDialog
    from guiapp.pages.text.token_table import TextTokenTable

HEIGHT_PX = 28
BOX_PX = 12
SHORT_UNITS = {"Characters per token": "chars/token"}
BOX_RADIUS_PX = 3
SUBJECT = "special"  # of notices
SWITCHES = "shows_line_numbers", "shows_line_tokens", "shows_pieces", "shows_budget"  # settings
CUTTING = {  # methods of the budget bar, and the names of the actions that call them
    "select_rest": "budget_select",
    "cut_here": "budget_cut",
    "copy_beginning": "budget_copy",
    "split": "chunks",
}
CARD_WIDTH_PX = 340
IDS_HEIGHT_PX, LOW_PX = 170, 500  # in a page lower than the latter, the text gets most of the room
FRAME_MS, FIRST_FRAMES_MS = 8.0, 5.0  # to draw new rows of the text
STRIP_MS, FIRST_STRIPS_MS = 4.0, 2.0  # to draw new chips of ids
PLACEHOLDER = "Type or paste a text, or drop a file here."


def _piece_end(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.fillRect(piece_end(round(box.right()), round(box.top()), round(box.height())), theme.text)


def _shared(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.fillRect(box, shading(theme))


IN_COLORS = (
    LegendEntry(token("word", _piece_end), "End of a piece of the pre-tokenizer: no token crosses it"),
    LegendEntry(characters("49", "warning"), "Tokens per line; amber: few characters per token"),
    LegendEntry(upright, "End of the token budget, or start of a chunk"),
    LegendEntry(token("word", _shared), "Text that two chunks share: the overlap"),
)


class InspectPage(Page):
    """Builds the panels and links them through the session."""

    legend = {**Page.legend, "Turned on in the menu “Colour by”": IN_COLORS}

    def __init__(
        self, session: ModelSession, settings: Settings, actions: Actions, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self._session = session
        self._settings = settings
        self._theme_source = theme_source
        self._details = TokenDetailsModel(session, self)
        self.spans = ColouredSpans(session, settings.coloring, self)
        self.editor = SpanEditor(session.document, self.spans, theme_source)
        self.editor.set_placeholder(PLACEHOLDER)
        self.editor.set_note(self.spans.note_at)
        self.text_panel = TextPanel(self.editor, session, theme_source)
        self._zoom = TextZoom(self)
        strip = TokenStrip(session, theme_source, self._zoom, self.spans)
        self.ids_panel = IdsPanel(session, strip, self._make_table, theme_source)
        self._be_at_ease()
        self._until_at_ease = QTimer(self, singleShot=True)
        self._until_at_ease.timeout.connect(self._be_at_ease)
        self.card = TokenCard(self._details, theme_source, self._zoom, tint_of=self._tint_of)
        self.spans.coloring_changed.connect(self.card.show_details)
        self.card.setAccessibleName("Selected token")
        self._most_expensive = MostExpensiveModel(session, self)
        self.expensive_panel = ExpensivePanel(self._most_expensive, theme_source)
        self.expensive_panel.chosen.connect(self.editor.reveal)
        self._why = WhyModel(session, self)
        self.why_panel = WhyPanel(self._why, theme_source, self._zoom)
        panels = {"Token": self.card, "Why": self.why_panel, "Most expensive": self.expensive_panel}
        self.side = TabbedPanels(panels)
        self.notices = NoticeArea(theme_source)
        DoubledHint(self.notices, session)
        cutting = {name: actions[action] for name, action in CUTTING.items()}
        for action in cutting.values():  # connected first, so that the bar shows before it acts
            action.triggered.connect(self._show_budget)
        self._budget, self._budget_action = TokenBudget(session, settings, self), actions["budget"]
        self.budget_bar = BudgetBar(session, self._budget, self.editor, cutting, theme_source)
        self.color_legend = ColorLegend(self.spans, theme_source)
        self._tools = self._make_tools(actions)
        actions["why"].triggered.connect(self.show_why)
        self._build_layout()
        self._zoom.stepped.connect(self.editor.zoom)
        self.editor.zoom_changed.connect(self._on_editor_zoom_changed)
        EditorLink(self.editor, session)
        self.editor.set_token_tip(self._hover_text)
        session.text.reading.done.connect(self._on_text_read)
        self.notices.watch_files(session.text)

    def _make_tools(self, actions: Actions) -> InspectTools:
        colorings = {name: actions[f"color:{name}"] for name in COLORINGS}
        for name, action in colorings.items():
            action.setChecked(name == self.spans.coloring)
            action.triggered.connect(partial(self._color_by, name))
        switches = tuple(actions[name.removeprefix("shows_")] for name in SWITCHES)
        margins = self.text_panel.line_numbers.setVisible, self.text_panel.margin.setVisible
        shows = *margins, self.spans.set_shows_pieces, self.budget_bar.setVisible
        for name, action, show in zip(SWITCHES, switches, shows, strict=True):
            is_on = getattr(self._settings, name)
            action.setChecked(is_on)
            show(is_on)
            action.triggered.connect(partial(self._switch, name, action, show))
        walk = actions["inexact_previous"], actions["inexact_next"]
        inexact = InexactWalk(self._session, *walk, self._theme_source)
        return InspectTools(self.spans, inexact, list(colorings.values()), switches, self._theme_source)

    def _color_by(self, coloring: str) -> None:
        self._settings.coloring = coloring
        self.spans.set_coloring(coloring)

    def _switch(self, name: str, action: QAction, show: Callable[[bool], None]) -> None:
        setattr(self._settings, name, action.isChecked())
        show(action.isChecked())

    def set_budget(self, n_tokens: int) -> None:
        """Set the budget to this number of tokens, and show it."""
        self._budget.choose(n_tokens)
        self._show_budget()

    def _show_budget(self) -> None:
        if not self._budget_action.isChecked():
            self._budget_action.trigger()

    def _make_table(self) -> TextTokenTable:
        from guiapp.pages.text.token_table import TextTokenTable

        return TextTokenTable(self._session, self._settings, self._theme_source, self._zoom, self.spans)

    def _tint_of(self, details: TokenDetails) -> int:
        """The colour in the text, if it still has the token: details arrive later than the text."""
        index = details.index
        if index is None or not len(tints := self.spans.tints(index, index + 1)):
            return details.tint
        return int(tints[0])

    def _hover_text(self, index: int) -> str:
        return hover_text(self._session, self._details.explainer, index)

    def _on_text_read(self, read: tuple[Path, bytes]) -> None:
        """Focus the editor after a text was opened."""
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def panels(self) -> list[QWidget]:
        ids = self.ids_panel.strip if self.ids_panel.strip.isVisible() else self.ids_panel.table.view
        return [self.editor, ids, self.side.current]

    @property
    def tools(self) -> InspectTools:
        return self._tools

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"inspect": self.splitter, "inspect_text": self.text_splitter}

    @property
    def is_ready(self) -> bool:
        is_painted = self.editor.is_painted and self.ids_panel.strip.is_painted
        is_told = not (self._details.is_preparing or self._why.is_busy or self._most_expensive.is_busy)
        return is_painted and is_told

    def begin_gently(self, wait_ms: int) -> None:
        """For some time, paint less in each frame, and postpone the tables for token details.

        At the start of the program, background threads take half the time of each frame.
        """
        self._details.put_off(wait_ms)
        self.editor.set_frame_time(FIRST_FRAMES_MS, goes_gently=True)
        self.ids_panel.strip.set_frame_time(FIRST_STRIPS_MS)
        self._until_at_ease.start(wait_ms)

    def _be_at_ease(self) -> None:
        self.editor.set_frame_time(FRAME_MS)
        self.ids_panel.strip.set_frame_time(STRIP_MS)

    def stop(self) -> None:
        self._details.close()
        self._most_expensive.close()
        self._why.close()
        self.ids_panel.stop()
        self.text_panel.search.stop()
        self.text_panel.margin.costs.close()
        self.budget_bar.stop()
        if "_decoder" in self.__dict__:
            self._decoder.decoded.close()

    def show_why(self) -> None:
        self.side.turn_to("Why")

    @cached_property
    def _decoder(self) -> DecodeDialog:
        """Created when the user first decodes ids."""
        from guiapp.pages.text.decode_dialog import DecodeDialog

        made = DecodeDialog(self._session, self._theme_source, self)
        made.insert_requested.connect(self._session.document.insert)
        made.replace_requested.connect(self._session.text.show)
        return made

    def show_decoder(self) -> None:
        """Open the dialog that decodes ids, with the ids in the clipboard, if any."""
        if holds_numbers(QGuiApplication.clipboard().text()):
            self._decoder.paste()
        else:
            self._decoder.show()
            self._decoder.raise_()

    def set_presented(self, is_presented: bool) -> None:
        for part in (self.side, self.ids_panel.header):
            part.setHidden(is_presented)

    def _build_layout(self) -> None:
        parts = (self.text_panel, 1), self.color_legend, self.budget_bar
        text = framed(in_column(*parts, spacing=0))
        low = RoomySplitter(Qt.Orientation.Vertical, LOW_PX)
        self.text_splitter = in_splitter(text, self.ids_panel, on=low, sizes=(600, IDS_HEIGHT_PX))
        self.splitter = in_splitter(self.text_splitter, self.side, sizes=(1100, CARD_WIDTH_PX))
        in_column(self.notices, (self.splitter, 1), on=self, spacing=0)
        self.setFocusProxy(self.editor)

    def _on_editor_zoom_changed(self) -> None:
        self._zoom.set_factor(self.editor.font_px / TEXT_FONT_PX)


def make_page(setting: PageSetting) -> InspectPage:
    page = InspectPage(setting.session, setting.settings, setting.actions, setting.theme_source)
    page.why_panel.step_wanted.connect(setting.requests.step_wanted)
    TokenMenu(page.editor, setting.session, setting.requests, page.text_panel.search)
    return page


class DoubledHint(QObject):
    """Shows a hint about doubled special tokens while it applies; once dismissed, only for another case."""

    def __init__(self, area: NoticeArea, session: ModelSession) -> None:
        super().__init__(area)
        self._area = area
        self._session = session
        self._doubled: str | None = None
        self._remedy = QAction("Remove it", self)
        self._remedy.triggered.connect(self._switch_off)
        session.tokens_changed.connect(self._refresh)

    def _refresh(self) -> None:
        if self._session.is_encoding or (doubled := self._find_doubled()) == self._doubled:
            return
        self._doubled = doubled
        if doubled is None:
            self._area.clear_notice(SUBJECT)
        else:
            self._area.show_notice(SUBJECT, doubled, remedy=self._remedy, is_hint=True)

    def _switch_off(self) -> None:
        self._session.set_add_special(False)
        announce(self._area.window(), SWITCHED_OFF)

    def _find_doubled(self) -> str | None:
        session, n_tokens = self._session, len(self._session.tokens)
        if session.tokenizer is None or not session.options.add_special:
            return None
        head = session.tokens.ids(0, min(2, n_tokens))
        tail = session.tokens.ids(max(0, n_tokens - 2), n_tokens)
        from guiapp.analysis.explain.reports import doubled_special

        return doubled_special(session.tokenizer, head.tolist(), tail.tolist())


class ColorLegend(Painted):
    """A title, if there is room for it, and a sample of each colour with its meaning."""

    ground = "panel"

    def __init__(self, spans: ColouredSpans, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._spans = spans
        self.setFixedHeight(HEIGHT_PX)
        spans.coloring_changed.connect(self._refresh)
        self._refresh()

    def _needed_px(self, *words: str) -> int:
        metrics, samples = QFontMetrics(Theme.ui_font(SMALL_FONT_PX)), len(self._spans.legend[1])
        words_px = sum(metrics.horizontalAdvance(word) for word in words)
        return words_px + samples * (BOX_PX + UNIT_PX + GAP_PX + UNIT_PX) + 2 * MARGIN_PX

    def paint(self, painter: QPainter, theme: Theme) -> None:
        font, (title, tints) = Theme.ui_font(SMALL_FONT_PX), self._spans.legend
        metrics, x = QFontMetrics(font), MARGIN_PX
        room_px = self.width() - GAP_PX - UNIT_PX
        titles = title, SHORT_UNITS.get(title, "")
        shown = next((each for each in titles if each and self._needed_px(each, *tints) <= room_px), "")
        if shown:
            write(painter, QRectF(x, 0, self.width(), HEIGHT_PX), shown, theme.dim, LEFT, font)
            x += metrics.horizontalAdvance(shown) + GAP_PX + UNIT_PX
        for word, tint in tints.items():
            box = QRectF(x, (HEIGHT_PX - BOX_PX) / 2, BOX_PX, BOX_PX)
            fill(painter, box, theme.shades[tint - FIRST_SHADE], BOX_RADIUS_PX)
            painter.setPen(theme.line)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), BOX_RADIUS_PX, BOX_RADIUS_PX)
            x += BOX_PX + UNIT_PX
            write(painter, QRectF(x, 0, self.width(), HEIGHT_PX), word, theme.dim, LEFT, font)
            x += metrics.horizontalAdvance(word) + GAP_PX + UNIT_PX

    def _refresh(self) -> None:
        title, tints = self._spans.legend
        self.setAccessibleName(f"{title or 'Colours'}: {', '.join(tints)}")
        self.setMinimumWidth(self._needed_px(*tints))
        self.setVisible(bool(tints))
        self.update()


class _BracketSample(Painted):
    """A sample of a token that differs, drawn as in the text."""

    ground = "panel"

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Bracket above a token")
        self.setFixedSize(2 * BOX_PX, HEIGHT_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        draw_roofed(painter, theme, QRectF(0, (HEIGHT_PX - BOX_PX) / 2 + 1, 2 * BOX_PX, BOX_PX))


class InexactWalk(QWidget):
    """`⎴ ‹ 152 differ › F8`, while an approximate encoder is in use; counted when typing pauses."""

    def __init__(self, session: ModelSession, back: QAction, on: QAction, theme_source: ThemeSource) -> None:
        super().__init__()
        self._session = session
        self.walking = WalkButtons(back, on, "Tokens that differ from the exact encoder")
        self.walking.setToolTip("Tokens that differ from the exact encoder have a bracket.")
        in_row(_BracketSample(theme_source), self.walking, on=self, spacing=UNIT_PX)
        session.options_changed.connect(self._refresh)
        session.encoder_check.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        algorithm, agreement = self._session.algorithm, self._session.encoder_check.value
        is_approximate = algorithm is not None and not algorithm.exact
        if not is_approximate:
            self.walking.show_text("…", False)
        elif agreement is not None:  # while the user types, the last number remains
            self.walking.show_text(f"{agreement.n_differing:,} differ", agreement.n_differing > 0)
        self.setVisible(is_approximate)


class InspectTools(QWidget):
    """`Colour by cost ⌄`; uses the actions of the window's menu."""

    def __init__(
        self,
        spans: ColouredSpans,
        inexact: InexactWalk,
        colorings: Sequence[QAction],
        switches: Sequence[QAction],
        themes: ThemeSource,
    ) -> None:
        super().__init__()
        self._spans = spans
        self.inexact = inexact
        self.button = set_role(MenuButton(themes), "quiet")
        menu = QMenu(self.button)
        menu.addActions(colorings)
        menu.addSeparator()
        menu.addActions(switches)
        self.button.setMenu(menu)
        in_row(self.button, inexact, on=self, spacing=GAP_PX)
        spans.coloring_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self.button.setText(f"Colour by {COLORINGS[self._spans.coloring]}")
