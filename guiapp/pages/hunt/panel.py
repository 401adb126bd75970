"""One find: how both cut it, why, what can be done with it, and where it is in the user's texts."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, QRectF, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from guiapp.analysis.hunt.mismatches import Find, LineOffset
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.find_picture import HEIGHT_PX, LETTERS, CutTwice, FindPicture
from guiapp.kit.widgets.labels import FittedLabel, Span, StyledText
from guiapp.kit.widgets.layouts import (
    STRETCH,
    card,
    framed,
    in_column,
    in_row,
    scroll_across,
    scroll_down,
    take_away,
)
from guiapp.kit.widgets.painting import LEFT, RIGHT, PaintedButton, color_of, fill, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.hunt.model import HuntModel
from guiapp.pages.hunt.words import sentence, title_of, where

LEAST_PX = 310
SHOWN_PLACES = 5
TOLD_MS = 6000
EMPTY = "Here each find is shown: how both cut it, why, and where it is in your texts."
BEFORE_PLACE, LINE_CHARACTERS = 14, 60
PLACE_PX, NUMBER_PX = 24, 48
SCROLL_BAR_PX = 12


class FindPanel(QFrame):
    """The find that is selected.

    Signals:
        step_wanted(): walk it through with both.
        compare_wanted(): show it in Compare.
        save_wanted(): ask for a file for the report.
    """

    step_wanted = Signal()
    compare_wanted = Signal()
    save_wanted = Signal()

    def __init__(self, model: HuntModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self.setMinimumWidth(LEAST_PX)
        self._model, self._theme_source = model, theme_source
        self._shown: tuple[Find, ...] = ()
        self.title = set_role(FittedLabel(), "heading")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.previous = tool_button("‹", partial(model.go, -1), tip="Previous find")
        self.next = tool_button("›", partial(model.go, 1), tip="Next find")
        self.picture = FindPicture(theme_source)
        picture_area = QScrollArea()
        scroll_across(picture_area, self.picture)
        picture_area.setFixedHeight(HEIGHT_PX + SCROLL_BAR_PX)
        self.why = StyledText(Theme.ui_font(UI_FONT_PX + 1), 8)
        self.why.setAccessibleName("Why")
        self.where = plain_label("dim", wraps=True)
        self._picture_area, self._views = picture_area, QStackedWidget()
        self._card = card(picture_area, self.why, self.where)
        self.copy_button = push_button("Copy report", model.report, role="primary")
        self.compare_button = push_button("Open in Compare", self.compare_wanted.emit)
        self.step_button = push_button("Step", self.step_wanted.emit, role="quiet")
        self.save_button = push_button("Save report…", self.save_wanted.emit, role="quiet")
        self._in_text = heading("In your texts")
        self._n_lines = set_role(QLabel(), "dim")
        self._message = plain_label("dim", wraps=True)
        self._forgets = later(self, TOLD_MS, self._message.clear)
        self.places: list[PlaceButton] = []
        self._place_column = in_column(spacing=0)
        self._more = set_role(QLabel(), "dim")
        self._more.setIndent(NUMBER_PX + GAP_PX)
        self._holds = plain_label("dim", wraps=True)
        self._build_layout()
        for signal in (model.state_changed, model.selected_changed):
            signal.connect(self._refresh)
        theme_source.changed.connect(self._color)
        self._refresh()

    def _build_layout(self) -> None:
        inner = QWidget()
        buttons = in_row(
            self.copy_button, self.compare_button, self.step_button, (STRETCH, 1), spacing=UNIT_PX
        )
        lines = in_row(self._in_text, self._n_lines, (STRETCH, 1), spacing=GAP_PX)
        in_column(
            in_row((self.title, 1), self.previous, self.next, spacing=0),
            self._card,
            buttons,
            in_row(self.save_button, (self._message, 1)),
            GAP_PX,
            lines,
            self._place_column,
            self._more,
            GAP_PX,
            heading("The report holds"),
            self._holds,
            (STRETCH, 1),
            on=inner,
            margins=MARGIN_PX,
            spacing=GAP_PX,
        )
        area = QScrollArea()
        scroll_down(area, inner)
        for part in (inner, area.viewport()):
            part.setAutoFillBackground(False)
        hint = set_role(QLabel(EMPTY, wordWrap=True), "dim")
        self._views.addWidget(framed(in_column(hint, (STRETCH, 1), margins=MARGIN_PX)))
        self._views.addWidget(area)
        in_column(self._views, on=self)

    def show_message(self, message: str) -> None:
        """Say for a while what was done."""
        self._message.setText(message)
        self._forgets.start()

    def _color(self) -> None:
        self._shown = ()
        self._refresh()

    def _refresh(self) -> None:
        find, state = self._model.selected, self._model.state
        self._views.setCurrentIndex(int(find is not None))
        if find is None or state is None:
            self._shown = ()
            return
        texts, row = self._model.all_texts, self._model.finds[self._model.selected_row]
        number = f"Find {texts.index(find) + 1:,} of {len(texts):,}"
        title = title_of(find.reason.kind)
        self.title.set_texts([f"{number} · {title}".upper(), number.upper()])
        if (find, row) == self._shown:
            return
        self._shown = find, row
        self._picture_area.setVisible(find.token_ids != (None, None))  # as of two vocabularies
        self.picture.show_find(CutTwice(find.text, find.token_ids, find.spans))
        self._show_reason(find)
        self._show_places(row)
        subject = self._model.hunted[1] if self._model.hunted is not None else None
        is_library = subject is not None and subject.is_library
        self.compare_button.setEnabled(not is_library)
        self.step_button.setEnabled(not is_library and bool(find.text))
        tip = f"{subject.title} is a library: it has no column" if is_library and subject is not None else ""
        for button in (self.compare_button, self.step_button):
            button.setToolTip(plain_tip(tip))
        self._holds.setText(
            f"versions and hashes of both, each text escaped, both lists of ids, where and why they part, "
            f"seed {state.seed}"
        )

    def _show_reason(self, find: Find) -> None:
        state, theme = self._model.state, self._theme_source.theme
        assert state is not None
        spans = []
        for segment in sentence(find, state.subjects):
            if segment.letter:
                spans.append(Span(segment.text, color_of(LETTERS.index(segment.letter), theme), is_bold=True))
            elif segment.is_code:
                spans.append(Span(f" {isolate(segment.text)} ", theme.span_text, theme.span_color(0)))
            else:
                spans.append(Span(segment.text, theme.text))
        self.why.set_spans(spans)
        self.where.setText(where(find))

    def _show_places(self, row: Find) -> None:
        """The first lines of the user's that differ so."""
        state = self._model.state
        assert state is not None
        take_away(*self.places)
        self.places = [self._place_button(place) for place in row.places[:SHOWN_PLACES]]
        for button in self.places:
            self._place_column.addWidget(button)
        has_lines = state.n_lines > 0
        self._in_text.setVisible(has_lines)
        self._n_lines.setVisible(has_lines)
        self._n_lines.setText(f"{row.n_lines:,} of {counted(state.n_lines, 'line')}")
        n_more = row.n_lines - len(self.places)
        self._more.setText(f"{n_more:,} more")
        self._more.setVisible(bool(self.places) and n_more > 0)

    def _place_button(self, place: LineOffset) -> PlaceButton:
        named = "your text" if self._model.is_in_text(place) else quoted(place.line.file, 200)
        button = PlaceButton(place, named, self._theme_source)
        button.clicked.connect(partial(self._model.point_out, place))
        return button


class PlaceButton(PaintedButton):
    """A line of the user's, with the place where it differs; a click shows it."""

    radius_px = UNIT_PX

    def __init__(self, place: LineOffset, named: str, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        (_, number, _, line), at = place
        before = line[:at].decode("utf-8", "replace")[-BEFORE_PLACE:]
        behind = line[at:].decode("utf-8", "replace")[:LINE_CHARACTERS]
        self._number = f"{number:,}"
        self._parts = [visible_text(part.encode()) for part in (before, behind[:1], behind[1:])]
        self.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(PLACE_PX)
        self.setAccessibleName(f"Line {number:,}: {''.join(self._parts)}")
        self.setToolTip(plain_tip(f"Show line {number:,} of {named}"))

    def edge(self, theme: Theme) -> QColor | None:
        return None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        font, metrics = self.font(), QFontMetricsF(self.font())
        write(painter, QRect(0, 0, NUMBER_PX, PLACE_PX), self._number, theme.dim, RIGHT, font)
        x = float(NUMBER_PX + GAP_PX)
        for part, is_place in zip(self._parts, (False, True, False), strict=True):
            width = metrics.horizontalAdvance(part)
            if is_place:
                fill(painter, QRectF(x, 3, width, PLACE_PX - 6), theme.span_color(4), 3)
            write(painter, QRectF(x, 0, width + 1, PLACE_PX), isolate(part), theme.text, LEFT, font)
            x += width
