"""A trace at one step: transport, timeline, the text, the picture of the encoder, its code, and the lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QSplitter, QStackedWidget, QWidget

from guiapp.analysis.lessons.places import labels_now
from guiapp.analysis.trace.debugger import Debugger, Granularity
from guiapp.core.text.figures import percent
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.document.document import TextDocument
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import SeenWatch, TextZoom
from guiapp.kit.widgets.layouts import (
    AS_AROUND,
    STRETCH,
    WrappingRow,
    framed,
    in_column,
    in_row,
    in_splitter,
    scrolling,
)
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.painting import ShareBar, bold
from guiapp.kit.widgets.shaped_texts import Loader, MonoTexts, ScriptFonts, draw_once
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    TEXT_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    plain_label,
    set_role,
)
from guiapp.pages.steps.boxes import TOKEN_FONT_PX
from guiapp.pages.steps.captions import step_back, step_on
from guiapp.pages.steps.cards import card
from guiapp.pages.steps.code import CodeView
from guiapp.pages.steps.drawing import DrawingContext
from guiapp.pages.steps.flow_view import FlowView
from guiapp.pages.steps.gutter import ID_FONT_PX
from guiapp.pages.steps.lines import SentenceView, TextLine, title_line
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.pictures.view import LATTICES, PictureView
from guiapp.pages.steps.race_view import RaceBox, RaceCard
from guiapp.pages.steps.recording import Recording
from guiapp.pages.steps.side import SIDE_WIDTH_PX, TraceSide
from guiapp.pages.steps.timeline import Timeline
from guiapp.pages.steps.transport import GranularityBox, PlayControls, walking_buttons

BAR_WIDTH_PX = 220
HINT = "What happens next is covered. Make up your mind, then press Reveal."
MOST_TOKENS = 400
MOST_CHARACTERS = 2000
NARROW_PX = 680  # picture and code are one below the other then
LEAST_WIDTH_PX = 480
LEAST_RACE_PX = 700  # high enough for two encoders with a picture and the code
LEAST_LANES_PX = 800, 600  # for the bars of both, too: below the first, or in place of the code
LEAST_PRESENTED_PX = 325  # for the picture, too
SIZES_PX = (TOKEN_FONT_PX, TEXT_FONT_PX, UI_FONT_PX, SMALL_FONT_PX + 1, SMALL_FONT_PX, ID_FONT_PX)


class TraceView(QSplitter):
    """Follows the debugger of the model; without a trace it says why."""

    def __init__(
        self, model: StepsModel, session: ModelSession, actions: Actions, drawing: DrawingContext
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._model = model
        theme_source, zoom, texts = self._theme_source, self._zoom, self._texts = drawing
        self.fonts = ScriptFonts(_loaders(texts, zoom, theme_source.theme), self)
        self.timeline = Timeline(model, theme_source)
        self.flow = FlowView(model, drawing)
        self.picture = PictureView(model, drawing)
        self.code = CodeView(model, drawing)
        self.side = TraceSide(model, drawing)
        self.race_card = RaceCard(model, actions["race_parting"], drawing)
        self.waiting = WaitingPanel(model.recording, session)
        self.cover = Cover(drawing)
        self._is_covered = self._is_presented = False
        self.part_bar = PartBar(model.recording, session.document, self)
        self.sentence = SentenceView(drawing)
        self.number = TextLine(Theme.mono_font(UI_FONT_PX), drawing, is_right=True)
        self._title, self._picture_title = title_line(drawing), title_line(drawing)
        self._code_title = title_line(drawing, "What it is doing")
        boxes = GranularityBox(model), RaceBox(model, session)
        self.boxes = framed(in_row(*boxes, margins=(0, 0, MARGIN_PX, 0), spacing=GAP_PX))
        self._main = QStackedWidget()
        play = PlayControls(model.clock, actions["debug_play"])
        tells = {
            "debug_step": partial(self._describe, step_on),
            "debug_back": partial(self._describe, step_back),
        }
        self._transport = WrappingRow([*walking_buttons(actions, tells), play])
        self._build_layout()
        for signal in (model.position_changed, model.recording.changed):
            signal.connect(self._refresh)
        model.race.changed.connect(self._make_room_for_race)
        model.trace_changed.connect(self._begin)
        zoom.changed.connect(self._turn)
        for look in (zoom, theme_source):
            look.changed.connect(self._on_style_changed)
        self.splitterMoved.connect(self._turn)
        SeenWatch(self, model.watch)
        self._begin()

    def _describe(self, describe: Callable[[Debugger, Granularity], str]) -> str:
        """What a button does at the present step."""
        debugger = self._model.debugger
        return "" if debugger is None else describe(debugger, self._model.granularity)

    def set_covered(self, is_covered: bool) -> None:
        """Show only what there is, and nothing of what happens then."""
        self._is_covered = is_covered
        self._hide_side()
        self._refresh()

    def set_presented(self, is_presented: bool, has_buttons: bool) -> None:
        """Show the steps without the code and the lists beside them, and where there is room the picture."""
        self._is_presented = is_presented
        height = QSizePolicy.Policy.Ignored if is_presented else QSizePolicy.Policy.Preferred
        self.picture.setSizePolicy(QSizePolicy.Policy.Preferred, height)
        self._transport.setHidden(is_presented and not has_buttons)
        self._hide_side()
        self._turn()

    def _hide_side(self) -> None:
        self.side.setHidden(self._is_covered or self._is_presented)

    def _build_layout(self) -> None:
        head = framed(in_row((self._title, 1), self.number))
        flow = card([head, self.flow, self.sentence], self.flow)
        for upper in (flow, self.race_card):
            upper.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._picture_card = card([self._picture_title, self.picture], self.picture)
        self.code_card = card([self._code_title, self.code], self.code)
        self._lower = in_row((self._picture_card, 1), (self.code_card, 2), spacing=GAP_PX + UNIT_PX)
        parts = (
            self.part_bar,
            self._transport,
            self.timeline,
            (flow, 3),
            (self.race_card, 2),
            (framed(self._lower), 4),
        )
        self._column = in_column(*parts, margins=(MARGIN_PX, 0, MARGIN_PX, GAP_PX), spacing=GAP_PX)
        self._main.addWidget(scrolling(framed(self._column), LEAST_WIDTH_PX))
        self._main.addWidget(self.waiting)
        self._main.addWidget(
            scrolling(framed(in_column(self.cover, margins=(MARGIN_PX, 0, MARGIN_PX, GAP_PX))), 0)
        )
        in_splitter(self._main, self.side, on=self, sizes=(1100, SIDE_WIDTH_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        """Put picture and code side by side where there is room for both."""
        is_narrow = not self._is_presented and self._main.width() < NARROW_PX * max(1.0, self._zoom.factor)
        directions = QHBoxLayout.Direction
        self._lower.setDirection(directions.TopToBottom if is_narrow else directions.LeftToRight)
        self._make_room_for_race()

    def _make_room_for_race(self) -> None:
        """In a low window the other encoder takes the place of the code, else it stands below the first."""
        is_bare, height = self._is_presented, self._main.height() / max(1.0, self._zoom.factor)
        is_inside = (is_bare or height < LEAST_RACE_PX) and self._model.race.is_on
        least = LEAST_LANES_PX[is_inside]
        self.race_card.make_room(height >= least)
        self.code_card.setHidden(is_bare or is_inside)
        self._picture_card.setHidden(is_bare and height < LEAST_PRESENTED_PX)
        if is_inside != (self._lower.indexOf(self.race_card) >= 0):
            if is_inside:
                self._lower.addWidget(self.race_card, 2)
            else:
                self._column.insertWidget(self._column.count() - 1, self.race_card, 2)
            policy = QSizePolicy.Policy.Preferred if is_inside else QSizePolicy.Policy.Maximum
            self.race_card.setSizePolicy(QSizePolicy.Policy.Preferred, policy)

    def _begin(self) -> None:
        """Make room for what the new trace will say."""
        self.sentence.forget_height()
        self.number.reserve(f"step {self._model.n_steps:,} of {self._model.n_steps:,}")
        self._load_fonts()
        self._refresh()

    def _on_style_changed(self) -> None:
        """Load fonts for the size in which they are painted, and pictures for the colours of the pens."""
        self.fonts.use(_loaders(self._texts, self._zoom, self._theme_source.theme))
        self._load_fonts()
        self._refresh()

    def _load_fonts(self) -> None:
        if self._model.debugger is not None:
            self.fonts.prepare(self._model.debugger.trace.text)

    def _refresh(self) -> None:
        model = self._model
        debugger = model.debugger
        self._main.setCurrentIndex(1 if debugger is None else 2 if self._is_covered else 0)
        if debugger is None:
            return
        if self._is_covered:
            self.cover.show_state(debugger)
        self._lower.setStretch(0, 3 if debugger.trace.reference_name in LATTICES else 2)
        self._title.show_text(_capitals(model.title))
        self._picture_title.show_text(_capitals(self.picture.title))
        self.number.show_text(f"step {model.position:,} of {model.n_steps:,}")
        self.sentence.show_sentence(debugger.sentence(), "Next:" if model.position < model.n_steps else "")


def _loaders(texts: MonoTexts, zoom: TextZoom, theme: Theme) -> list[Loader]:
    """For the fonts in which parts of the text are painted: by us, by Qt at a scale, and in other sizes."""
    struck = [texts.of(size, is_struck=True) for size in (UI_FONT_PX, SMALL_FONT_PX - 1)]
    heavy = [texts.of(UI_FONT_PX, is_bold=True, is_struck=is_struck) for is_struck in (False, True)]
    kinds = [*map(texts.of, SIZES_PX), *struck, *heavy]
    pens = {
        texts.of(TEXT_FONT_PX): (theme.faint, theme.span_text),
        texts.of(TOKEN_FONT_PX): (theme.span_text,),
        texts.of(SMALL_FONT_PX + 1): (theme.dim, theme.text),
    }
    title = zoom.ui_font(SMALL_FONT_PX)
    title.setWeight(QFont.Weight.DemiBold)
    code, words = bold(zoom.mono_font(UI_FONT_PX + 2)), zoom.ui_font(UI_FONT_PX + 2)
    return [
        *(partial(kind.learn, scale=zoom.factor, colors=pens.get(kind, (theme.text,))) for kind in kinds),
        *(partial(draw_once, font, colors=(theme.dim,)) for font in (title, words)),
        partial(draw_once, code, colors=(theme.text,)),
    ]


def _capitals(title: str) -> str:
    """Headings are in capitals, but not what stands in quotes."""
    head, quote, rest = title.partition("“")
    return head.upper() + quote + rest


class Cover(QLabel):
    """Lies over an encoder: the text, and the tokens there are so far."""

    def __init__(self, drawing: DrawingContext) -> None:
        super().__init__(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self._theme_source, self._zoom, _ = drawing
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setMargin(MARGIN_PX)
        set_role(self, "card")

    def show_state(self, debugger: Debugger) -> None:
        """Of the place where a debugger is."""
        theme = self._theme_source.theme
        self.setFont(self._zoom.mono_font(TEXT_FONT_PX + 9))
        text = escape(isolate(visible_text(debugger.trace.text, MOST_CHARACTERS)))
        colors = [color.name() for color in theme.span_colors]
        tokens = "  ".join(
            f"<span style='background-color:{colors[at % len(colors)]}; white-space:pre'>"
            f"&nbsp;{escape(isolate(label))}&nbsp;</span>"
            for at, label in enumerate(labels_now(debugger)[:MOST_TOKENS])
        )
        dim, family = theme.dim.name(), theme.ui_font(UI_FONT_PX).family()
        hint = f"color:{dim}; font-family:'{family}'; font-size:{self._zoom.scaled(UI_FONT_PX)}px"
        self.setText(f'<p style="color:{dim}">{text}</p><p>{tokens}</p><p style="{hint}">{HINT}</p>')


class WaitingPanel(QWidget):
    """How far the recording is, or why there is none."""

    def __init__(self, recording: Recording, session: ModelSession) -> None:
        super().__init__()
        self._recording = recording
        self._session = session
        self.message = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = ShareBar("Progress of the recording", BAR_WIDTH_PX)
        self.cancel = tool_button("Cancel", recording.cancel, role="raised")
        self.selection = tool_button("Record the selection", recording.record_selection, role="raised")
        self.everything = tool_button("Record all of it", recording.record_all, role="raised")
        self.part = tool_button("Record a part", recording.record_part, role="raised")
        buttons = in_row(STRETCH, self.cancel, self.part, self.selection, self.everything, STRETCH)
        margins = 4 * MARGIN_PX, MARGIN_PX
        bar = in_row(STRETCH, self.bar, STRETCH)
        in_column(STRETCH, self.message, bar, buttons, STRETCH, on=self, margins=margins, spacing=AS_AROUND)
        recording.changed.connect(self._refresh)
        session.statistics_changed.connect(self._refresh)
        session.loader.loading_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        recording = self._recording
        has_choice = bool(recording.failure) and not recording.is_busy
        self.message.setText(self._words())
        self.bar.setVisible(recording.is_busy)
        self.bar.show_share(recording.progress)
        self.cancel.setVisible(recording.is_busy)
        self.everything.setVisible(has_choice)
        for button in (self.part, self.selection):
            button.setVisible(has_choice and recording.is_long)
        self.selection.setEnabled(self._session.document.has_selection)

    def _words(self) -> str:
        recording = self._recording
        if recording.is_busy:
            return f"Recording every decision: {percent(recording.progress)}"
        if recording.failure:
            return recording.failure
        if self._session.tokenizer is None and self._session.loader.loading_name is None:
            return "Open a model, and the steps of its tokenizer appear here."
        return "Preparing …"


class PartBar(QWidget):
    """Says which part of a text these are the steps of, and offers more; hidden where they are of all."""

    def __init__(self, recording: Recording, document: TextDocument, parent: QWidget) -> None:
        super().__init__(parent)  # from the start: what is shown without one is a window
        self._recording = recording
        self._document = document
        self.message = plain_label("dim", wraps=True)
        self.selection = tool_button("Record the selection", recording.record_selection, role="raised")
        self.everything = tool_button("Record all of it", recording.record_all, role="raised")
        in_row((self.message, 1), self.selection, self.everything, on=self, spacing=AS_AROUND)
        recording.changed.connect(self._refresh)
        document.selection_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        recording, n_bytes = self._recording, self._document.size
        self.setVisible(recording.is_part)
        if recording.is_part:
            self.message.setText(
                f"Bytes {recording.text_start:,}–{recording.text_end:,} of {n_bytes:,} are shown, as a text "
                f"of their own. All of it would take about {recording.cost.seconds:,.0f} s and "
                f"{recording.cost.size_bytes / 1e6:,.0f} MB."
            )
        self.selection.setEnabled(self._document.has_selection)
