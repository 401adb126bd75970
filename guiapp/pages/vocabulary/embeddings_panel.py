"""What the embeddings tell: a button that reads them, how far that is; then a chart, figures and doubts."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QFrame,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from guiapp.analysis.vocabulary_list.columns import BY_NAME
from guiapp.analysis.vocabulary_list.embeddings import KnownUnused
from guiapp.analysis.vocabulary_list.filters import has
from guiapp.analysis.vocabulary_list.listing import Ids
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.charts.chart import NUMBER, SUBTITLE, Chart, Word
from guiapp.kit.charts.scales import Scale, tick_text
from guiapp.kit.spans.legend import Draw, LegendEntry, characters
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.painting import ShareBar, ring
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    plain_label,
    sentence,
    set_role,
)
from guiapp.pages.vocabulary.embeddings import ACROSS, UNTRAINED, UPWARDS, EmbeddingsModel, EmbeddingsPlot
from guiapp.pages.vocabulary.model import VocabularyModel

Pixels = NDArray[np.int64]
Key = Qt.Key
STEPS = {Key.Key_Left: -1, Key.Key_Up: -1, Key.Key_Right: 1, Key.Key_Down: 1}
NEAR_PX = 8  # of a point that a click means
FEW, LARGE_PX, SMALL_PX = 40_000, 3, 2  # up to so many tokens, points are large
MARK_PX, KNOWN_PX = 5, 7
RING_PX, FREE = 15, 1.03  # around the chosen token; beyond the highest value
FAINTEST = 0.3  # the strength of a single point; where most lie in one pixel it is 1
OTHERS = 0.35  # how far others are from the panel's colour to that of dim words
COLUMN_NAMES = {
    "norm": "norm",
    "cosine": "cosine distance",
    "residual": "cosine without component",
    "distance": "distance",
    "length": "length in bytes",
}
ABOUT_CHART = "{:,} tokens by {} and {}. Arrow keys go through those that look untrained."
SIDE_PX, BAR_PX, LINE_PX = 264, 220, 640
ABOUT = (
    "A token that no training text held keeps a row in the embeddings as it was at first, or one pushed away "
    "with others like it. Reading them tells which tokens look so: seconds, for the largest models a minute. "
    "Nothing is sent anywhere, and the model is not run."
)
SOURCE = (
    "As in Land & Bartolo 2024, “Fishing for Magikarp” (arXiv 2405.05417). It is a ranking, no verdict: rare "
    "tokens and fine-tuned ones stand near the limit, too. Parts of characters and tokens that no text "
    "reaches are untrained for good reason and harm nobody. The paper asks the model about each."
)
HOW_TO_ASK = "Choose a token, and give your model a prompt that one which knows it goes on with."
NO_PROMPT = "This token is no whole characters: no prompt holds it."
NOT_HELD = (
    "Copied, but another spelling is what the prompt is encoded with: it tells nothing about the token."
)
COPIED = "A model that knows the token goes on with it, and then »."
TRYING = "Whether text reaches them is being tried …"
HOVER = "Point at a token, or click it."


class EmbeddingsPanel(QFrame):
    """One of three: what to do, what is being done, what was found."""

    def __init__(
        self,
        model: VocabularyModel,
        embeddings: EmbeddingsModel,
        selected: Callable[[], Ids],
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        self._model = model
        self._embeddings = embeddings
        self._selected = selected
        set_role(self, "panel")
        self.chart = EmbeddingsChart(model, embeddings, theme_source)
        self.read = push_button("Read embeddings", lambda: embeddings.read(), role="primary")
        self.problem = plain_label("dim", wraps=True)
        self.progress = ShareBar("Progress of reading the embeddings", BAR_PX)
        self.cancel = push_button("Cancel", embeddings.reading.cancel)
        self.count = plain_label("strong", wraps=True)
        self.unreached, self.limit = (plain_label("dim", wraps=True) for _ in range(2))
        self.list = tool_button("List them", embeddings.list_suspects)
        self.list.setCheckable(True)
        self.known = plain_label("dim", wraps=True)
        self.compare = MenuButton(theme_source, "Compare with", tip="Read again, and compare with other rows")
        self.compare.fill_on_open(self._list_known)
        self.up = MenuButton(theme_source, tip="What the height of a point is")
        self.up.fill_on_open(self._list_up)
        self.pointed = plain_label("dim")
        self.pointed.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.notes = plain_label("dim", wraps=True)
        self.ask = tool_button("Copy a prompt", self._copy_prompt, role="raised")
        self.asked = plain_label("dim", wraps=True)
        self._stack = QStackedWidget()
        self._build_layout()
        embeddings.changed.connect(self._refresh)
        embeddings.reading.progress_changed.connect(self._on_progress_changed)
        model.request_changed.connect(self._on_filter_changed)
        model.chosen_changed.connect(self._on_chosen_changed)
        self.chart.pointed_at.connect(self._describe_token)
        self._refresh()
        self._on_chosen_changed()

    @property
    def focus(self) -> QWidget:
        """What keys are for, of what is shown."""
        return (self.read, self.cancel, self.chart)[self._stack.currentIndex()]

    def _build_layout(self) -> None:
        about = sentence(ABOUT)
        about.setMaximumWidth(LINE_PX)
        read = in_row(self.read, (self.problem, 1), spacing=MARGIN_PX)
        wait = in_row(self.progress, self.cancel, STRETCH, spacing=GAP_PX)
        for words, row in ((about, read), (sentence("Reading the embeddings …"), wait)):
            column = in_column(STRETCH, words, row, STRETCH, margins=MARGIN_PX, spacing=GAP_PX)
            self._stack.addWidget(framed(column))
        side = QWidget()
        in_column(
            heading("Looks untrained"),
            in_row((self.count, 1), self.list),
            self.unreached,
            self.limit,
            self.known,
            self.notes,
            in_row(self.compare, STRETCH),
            GAP_PX,
            heading("Height of a point"),
            in_row(self.up, STRETCH),
            GAP_PX,
            heading("Ask the model"),
            sentence(HOW_TO_ASK),
            in_row(self.ask, STRETCH),
            self.asked,
            GAP_PX,
            heading("Doubts"),
            sentence(SOURCE),
            STRETCH,
            on=side,
            margins=(GAP_PX, GAP_PX, MARGIN_PX, GAP_PX),
            spacing=UNIT_PX,
        )
        area = QScrollArea()
        scroll_down(area, side)
        area.setFixedWidth(SIDE_PX)
        chart = in_column((self.chart, 1), self.pointed, margins=(GAP_PX, GAP_PX, 0, UNIT_PX), spacing=0)
        self._stack.addWidget(framed(in_row((chart, 1), area, spacing=0)))
        in_column(self._stack, on=self, spacing=0)
        self.setMinimumHeight(150)

    # What is shown

    def _refresh(self) -> None:
        found, had_focus = self._embeddings.indicators, self.focus.hasFocus()
        page = 1 if self._embeddings.reading.is_busy else 0 if found is None else 2
        self._stack.setCurrentIndex(page)
        self.problem.setText(self._embeddings.problem)
        self.read.setEnabled(self._model.source is not None)
        if had_focus:
            self.focus.setFocus()
        self._on_progress_changed()
        if found is None:
            return
        self.count.setText(f"■ {counted(len(found.suspects), 'token')}")
        self.limit.setText(f"{found.title[0].upper()}{found.title[1:]} up to {found.limit:.3g}.")
        n_unreached, untold = self._embeddings.n_unreached, self._model.problem or TRYING
        n_told = f"{n_unreached:,}" if n_unreached else "none"
        self.unreached.setText(untold if n_unreached is None else f"□ {n_told} of them out of reach of text")
        self.known.setText("" if found.known is None else f"○ Compared with {_title(found.known)}.")
        picture = self._embeddings.picture
        self.up.setText(COLUMN_NAMES[self._embeddings.up if picture is None else picture.up])
        self.notes.setText("\n".join(found.notes))
        self.notes.setVisible(bool(found.notes))
        self._describe_token(None)
        self._on_filter_changed()

    def _on_progress_changed(self) -> None:
        self.progress.show_share(self._embeddings.reading.progress)

    def _on_filter_changed(self) -> None:
        self.list.setChecked(has(self._model.query, UNTRAINED))

    def _on_chosen_changed(self) -> None:
        self.ask.setEnabled(self._model.chosen is not None)
        self.asked.setText("")
        self._describe_token(None)

    def _describe_token(self, token: int | None) -> None:
        """The values of the token under the mouse, or of the chosen one."""
        shown = self._model.chosen if token is None else token
        source = self._model.source
        if shown is None or source is None:
            self.pointed.setText(HOVER)
            return
        word = BY_NAME["token"].text(source, shown, self._model.session.spelling.now)
        values = "   ".join(f"{name} {value}" for name, value in self._embeddings.values(shown).items())
        self.pointed.setText(f"{shown}   {word}   {values}")
        self.pointed.setToolTip(self.pointed.text())

    # What is chosen

    def _list_known(self, menu: QMenu) -> None:
        found = self._embeddings.indicators
        if found is None:
            return
        for group in found.groups:
            add_choice(menu, _title(group), group is found.known, partial(self._embeddings.read, group.rows))
        menu.addSeparator()
        selected = self._selected()
        title = f"The selected rows of the list ({len(selected):,})"
        action = menu.addAction(title, partial(self._embeddings.read, selected))
        action.setEnabled(len(selected) > 1)

    def _list_up(self, menu: QMenu) -> None:
        for name in UPWARDS:
            is_up = name == self._embeddings.up
            add_choice(menu, COLUMN_NAMES[name], is_up, partial(self._embeddings.set_up, name))

    def _copy_prompt(self) -> None:
        prompt = self._embeddings.prompt()
        if prompt is not None:
            copy_text(self, prompt.text, "the prompt")
        self.asked.setText(NO_PROMPT if prompt is None else COPIED if prompt.holds_token else NOT_HELD)


def _title(group: KnownUnused) -> str:
    return f"{len(group.rows):,} {group.why}"


class EmbeddingsChart(Chart):
    """What is listed has colour, the rest is grey.

    Signals:
        pointed_at(int | None): the token under the mouse.
    """

    ground = "panel"
    n_head_lines = 1
    pointed_at = Signal(object)

    def __init__(
        self, model: VocabularyModel, embeddings: EmbeddingsModel, theme_source: ThemeSource
    ) -> None:
        self._model, self._embeddings = model, embeddings
        self._density = pg.ImageItem(axisOrder="row-major")
        super().__init__(theme_source, "Norm and distance of the tokens' embeddings")
        self.box.addItem(self._density, ignoreBounds=True)
        self.setMinimumSize(160, 120)
        embeddings.changed.connect(self.redraw)
        model.shown_changed.connect(self.redraw)
        model.chosen_changed.connect(self._update)
        self.clicked.connect(self._choose)

    def sizeHint(self) -> QSize:
        return QSize(480, 240)

    def draw(self) -> None:
        if (picture := self._embeddings.picture) is None:
            return
        self.set_titles([""])
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(ABOUT_CHART.format(len(picture.tokens), ACROSS, picture.up))
        scales = Scale(COLUMN_NAMES[ACROSS], tick_text), Scale(COLUMN_NAMES[picture.up], tick_text)
        self.frame(2 * GAP_PX + self.width_px("0000", NUMBER), GAP_PX, scales)
        right, top = (float(values.max(initial=0)) or 1.0 for values in (picture.x, picture.y))
        self.show_range((0.0, right * FREE), (0.0, top * FREE))

    def place(self) -> None:
        if (picture := self._embeddings.picture) is not None:
            at = QPointF(self.area.left(), self.head_px - self.line_px / 2)
            self.words.append(Word(f"↑ {COLUMN_NAMES[picture.up]}", at, self.theme.dim, SUBTITLE))
            self._draw_density(picture)

    def _pixels(self, picture: EmbeddingsPlot) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the points are, from the lower left corner of the plot."""
        (left, right), (bottom, top) = self.box.viewRange()
        x = (picture.x - left) / (right - left) * self.area.width()
        return x, (picture.y - bottom) / (top - bottom) * self.area.height()

    def _draw_density(self, picture: EmbeddingsPlot) -> None:
        """The points by pixel of the screen: the more lie there, the stronger it is."""
        ratio, (x, y) = self.devicePixelRatioF(), self._pixels(picture)
        width, height = (max(1, round(side * ratio)) for side in (self.area.width(), self.area.height()))
        size = round((LARGE_PX if len(x) <= FEW else SMALL_PX) * ratio)
        columns, rows = (x * ratio).astype(np.int64), (y * ratio).astype(np.int64)
        is_seen = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        shown = np.asarray(self._model.shown.rows, np.int32)  # of the next model already, perhaps
        is_listed = np.zeros(max(picture.tokens.max(initial=0), shown.max(initial=0)) + 1, np.bool_)
        is_listed[shown] = True
        listed, at = is_listed[picture.tokens], rows * width + columns
        pixels = np.zeros((height, width, 4), np.uint8)
        colors = blend(self.theme.panel, self.theme.dim, OTHERS), self.theme.contenders[0]
        for color, flags in zip(colors, (~listed, listed), strict=True):
            counts = np.bincount(at[flags & is_seen], minlength=width * height).reshape(height, width)
            there = (counts := _spread(counts, size)) > 0
            crowd = np.log(counts[there])
            most = float(crowd.max(initial=0))
            strength = FAINTEST + (1 - FAINTEST) * (crowd / most if most else np.ones(len(crowd)))
            pixels[there, :3] = color.red(), color.green(), color.blue()
            pixels[there, 3] = (strength * 255).astype(np.uint8)
        (left, right), (bottom, top) = self.box.viewRange()
        self._density.setImage(pixels, autoLevels=False, levels=None)
        self._density.setRect(QRectF(left, bottom, right - left, top - bottom))

    def token_at(self, position: QPointF) -> int | None:
        """The nearest token, those before others that look untrained or are known to be unused."""
        if (picture := self._embeddings.picture) is None or not len(picture.tokens):
            return None
        x, y = self._pixels(picture)
        away = np.hypot(x + self.area.left() - position.x(), self.area.bottom() - y - position.y())
        away -= np.where(picture.is_suspect | picture.is_known, NEAR_PX / 2, 0)
        nearest = int(away.argmin())
        return int(picture.tokens[nearest]) if away[nearest] <= NEAR_PX else None

    def place_of(self, token: int) -> QPointF | None:
        picture = self._embeddings.picture
        if picture is None or not len(rows := np.flatnonzero(picture.tokens == token)):
            return None
        return self.pixel(float(picture.x[rows[0]]), float(picture.y[rows[0]]))

    def paint_front(self, painter: QPainter) -> None:
        if (picture := self._embeddings.picture) is None:
            return
        painter.save()
        painter.setClipRect(self.area.adjusted(-UNIT_PX, -UNIT_PX, UNIT_PX, UNIT_PX))
        painter.setPen(QPen(self.theme.warning, 1, Qt.PenStyle.DashLine))
        area = self.area
        if picture.limit_across is not None:
            x = self.pixel(picture.limit_across, 0).x()
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        if picture.limit_up is not None:
            y = self.pixel(0, picture.limit_up).y()
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        for draw, flags in (
            (draw_known, picture.is_known),
            (draw_hollow, picture.is_suspect & picture.is_unreached),
            (draw_suspects, picture.is_suspect & ~picture.is_unreached),
        ):
            points = zip(picture.x[flags], picture.y[flags], strict=True)
            draw(painter, self.theme, [self.pixel(x, y) for x, y in points])
        if self._model.chosen is not None and (at := self.place_of(self._model.chosen)) is not None:
            rect = QRectF(at.x() - RING_PX / 2, at.y() - RING_PX / 2, RING_PX, RING_PX)
            ring(painter, rect, QPen(self.theme.accent, 2), RING_PX / 2)
        painter.restore()
        if self.hasFocus():
            ring(painter, self.rect(), self.theme.accent, UNIT_PX)
        super().paint_front(painter)

    # Mouse and keys

    def key_at(self, position: QPointF) -> Hashable:
        return self.token_at(position)

    def _on_mouse_moved(self, position: QPointF) -> None:
        super()._on_mouse_moved(position)
        self.pointed_at.emit(self.token_at(position))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed_at.emit(None)

    def _choose(self, token: int | None, _part: object) -> None:
        if token is not None:
            self._model.choose(token)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = STEPS.get(Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self._embeddings.step(step)


def _spread(counts: Pixels, size: int) -> Pixels:
    """Each count on a square of so many pixels."""
    for axis in (0, 1):
        wide = counts.copy()
        for by in range(1, size):
            ahead, behind = [slice(None)] * 2, [slice(None)] * 2
            ahead[axis], behind[axis] = slice(by, None), slice(None, -by)
            wide[tuple(ahead)] += counts[tuple(behind)]
        counts = wide
    return counts


# How the chart marks tokens, and its legend


def draw_suspects(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    painter.setPen(QPen(theme.warning, MARK_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
    painter.drawPoints(QPolygonF(places))


def draw_hollow(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Squares of what looks untrained, and is not reached by text either."""
    painter.setPen(QPen(theme.warning, 1))
    painter.setBrush(theme.panel)
    for at in places:
        painter.drawRect(QRectF(at.x() - MARK_PX / 2, at.y() - MARK_PX / 2, MARK_PX, MARK_PX))


def draw_known(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    painter.setPen(QPen(theme.dim, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for at in places:
        painter.drawEllipse(at, KNOWN_PX / 2, KNOWN_PX / 2)


def _one(draw: Callable[[QPainter, Theme, list[QPointF]], None]) -> Draw:
    return lambda painter, theme, box: draw(painter, theme, [box.center()])


LEGEND = (
    LegendEntry(characters("<E2 82>"), "Bytes that are not a whole character"),
    LegendEntry(_one(draw_suspects), "Embedding looks untrained; the dashed line is the limit"),
    LegendEntry(_one(draw_hollow), "The same, and no text that was tried gives this token"),
    LegendEntry(_one(draw_known), "Known to be unused, such as a reserved token"),
)
