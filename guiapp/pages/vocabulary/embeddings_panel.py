"""The embeddings panel: a button to read them, the progress; then a chart, figures and warnings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen
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
from guiapp.kit.charts.curves import MARK_PX, DensityChart, DensityData, DensityMark
from guiapp.kit.charts.markers import outline
from guiapp.kit.charts.scales import Scale, tick_text
from guiapp.kit.spans.legend import Draw, LegendEntry, characters
from guiapp.kit.token_table.vocabulary import VocabularyModel
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.painting import ShareBar
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
    sentence,
    set_role,
)
from guiapp.pages.vocabulary.embeddings import ACROSS, UNTRAINED, EmbeddingsModel, EmbeddingsPlot

Key = Qt.Key
STEPS = {Key.Key_Left: -1, Key.Key_Up: -1, Key.Key_Right: 1, Key.Key_Down: 1}
COLUMN_NAMES = {"norm": "norm", "cosine": "cosine distance", "length": "length in bytes"}
ABOUT_CHART = "{:,} tokens by {} and {}. Arrow keys go through the tokens that look untrained."
SIDE_PX, BAR_PX, LINE_PX = 264, 220, 640
ABOUT = (
    "A token that no training text contained keeps its initial embedding, or one close to other untrained "
    "tokens. Read the embeddings to see which tokens look untrained. This takes seconds, or a minute for "
    "the largest models. Nothing is sent anywhere, and the model does not run."
)
SOURCE = (
    "The method is from Land & Bartolo 2024, “Fishing for Magikarp” (arXiv 2405.05417). It gives a ranking, "
    "not a proof: rare and fine-tuned tokens are near the limit too. Parts of characters and tokens that no "
    "text reaches are untrained by design and do no harm. To be sure, ask the model, as the paper does."
)
HOW_TO_ASK = "Select a token and give your model the prompt. A model that knows the token repeats it."
NO_PROMPT = "This token is part of a character: no prompt can contain it."
NOT_HELD = (
    "Copied, but encoding the prompt does not give this token, so the answer does not tell you about it."
)
COPIED = "A model that knows the token writes it, then »."
TRYING = "Checking whether text can reach them …"
HOVER = "Point at a token, or click it."


class EmbeddingsPanel(QFrame):
    """Shows one of three views: an explanation, the progress, or the results."""

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
        self.list = tool_button("List", embeddings.list_suspects, is_checkable=True)
        self.known = plain_label("dim", wraps=True)
        self.compare = MenuButton(
            theme_source, "Compare with", tip="Read again and compare with other tokens"
        )
        self.compare.fill_on_open(self._list_known)
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
        self.chart.pointed_at.connect(self._on_pointed_at)
        self._refresh()
        self._on_chosen_changed()

    @property
    def focus(self) -> QWidget:
        """The widget of the current view that takes keys."""
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
            heading("Ask the model"),
            sentence(HOW_TO_ASK),
            in_row(self.ask, STRETCH),
            self.asked,
            GAP_PX,
            heading("Limits of the method"),
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

    # Display

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
        reached = f"□ Text does not reach {n_unreached:,}" if n_unreached else "Text reaches all"
        self.unreached.setText(untold if n_unreached is None else reached)
        self.known.setText("" if found.known is None else f"○ Compared with {_title(found.known)}.")
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

    def _on_pointed_at(self, point: int | None) -> None:
        self._describe_token(self.chart.token_of(point))

    def _describe_token(self, token: int | None) -> None:
        """Show the values of the token under the mouse, or else of the chosen one."""
        shown = self._model.chosen if token is None else token
        source = self._model.source
        if shown is None or source is None:
            self.pointed.setText(HOVER)
            return
        word = BY_NAME["token"].text(source, shown, self._model.session.spelling.now)
        values = "   ".join(f"{name} {value}" for name, value in self._embeddings.values(shown).items())
        self.pointed.setText(f"{shown}   {word}   {values}")
        self.pointed.setToolTip(plain_tip(self.pointed.text()))

    # Choices

    def _list_known(self, menu: QMenu) -> None:
        found = self._embeddings.indicators
        if found is None:
            return
        for group in found.groups:
            add_choice(menu, _title(group), group is found.known, partial(self._embeddings.read, group.rows))
        menu.addSeparator()
        selected = self._selected()
        title = f"The selected tokens in the list ({len(selected):,})"
        action = menu.addAction(title, partial(self._embeddings.read, selected))
        action.setEnabled(len(selected) > 1)

    def _copy_prompt(self) -> None:
        prompt = self._embeddings.prompt()
        if prompt is not None:
            copy_text(self, prompt.text, "the prompt")
        self.asked.setText(NO_PROMPT if prompt is None else COPIED if prompt.holds_token else NOT_HELD)


def _title(group: KnownUnused) -> str:
    return f"{len(group.rows):,} {group.why}"


class EmbeddingsChart(DensityChart):
    """A scatter plot of two columns; tokens not listed are grey.  Arrow keys select suspects."""

    def __init__(
        self, model: VocabularyModel, embeddings: EmbeddingsModel, theme_source: ThemeSource
    ) -> None:
        super().__init__(theme_source, "Norm and distance of the tokens' embeddings")
        self._model, self._embeddings = model, embeddings
        self.setMinimumSize(160, 120)
        for signal in (embeddings.changed, model.shown_changed, model.chosen_changed, theme_source.changed):
            signal.connect(self._refresh)
        self.clicked.connect(self._choose)

    def sizeHint(self) -> QSize:
        return QSize(480, 240)

    def _refresh(self) -> None:
        self.show_data(None if (picture := self._embeddings.picture) is None else self._data_of(picture))

    def _data_of(self, picture: EmbeddingsPlot) -> DensityData:
        shown = np.asarray(self._model.shown.rows, np.int32)  # may belong to the next model already
        chosen, suspects, theme = self._model.chosen, picture.is_suspect, self.theme
        at = np.flatnonzero(picture.tokens == (-1 if chosen is None else chosen))
        return DensityData(
            picture.x,
            picture.y,
            np.isin(picture.tokens, shown),
            (Scale(COLUMN_NAMES[ACROSS], tick_text), Scale(COLUMN_NAMES[picture.up], tick_text)),
            ABOUT_CHART.format(len(picture.tokens), ACROSS, picture.up),
            (picture.limit_across, picture.limit_up),
            (
                DensityMark(picture.is_known, theme.dim, "o", True),
                DensityMark(suspects & picture.is_unreached, theme.warning, "s", True),
                DensityMark(suspects & ~picture.is_unreached, theme.warning, "s"),
            ),
            int(at[0]) if len(at) else None,
        )

    def token_of(self, point: int | None) -> int | None:
        picture = self._embeddings.picture
        return None if point is None or picture is None else int(picture.tokens[point])

    def _choose(self, point: int | None, _part: object) -> None:
        if (token := self.token_of(point)) is not None:
            self._model.choose(token)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = STEPS.get(Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self._embeddings.step(step)


def _mark(color: str, marker: str, is_hollow: bool = False) -> Draw:
    """Return a function that draws the marker of a point, for the legend."""

    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        painter.setPen(QPen(getattr(theme, color), 1))
        painter.setBrush(theme.panel if is_hollow else getattr(theme, color))
        painter.drawPath(outline(marker, MARK_PX).translated(box.center()))

    return draw


LEGEND = (
    LegendEntry(characters("<E2 82>"), "Bytes that are not a whole character"),
    LegendEntry(_mark("warning", "square"), "Embedding looks untrained; the dashed line is the limit"),
    LegendEntry(_mark("warning", "square", True), "The same, and no tried text gives this token"),
    LegendEntry(_mark("dim", "circle", True), "Known to be unused, such as a reserved token"),
)
