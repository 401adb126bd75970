"""What the embeddings tell: a button that reads them, how far that is; then a chart, figures and doubts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from guiapp.analysis.vocabulary_list.columns import BY_NAME
from guiapp.analysis.vocabulary_list.embeddings.known_unused import KnownUnused
from guiapp.analysis.vocabulary_list.figures import Ids
from guiapp.analysis.vocabulary_list.filters import has
from guiapp.core.text.figures import counted
from guiapp.kit.widgets.buttons import push_button, tool_button
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.share_bar import ShareBar
from guiapp.kit.widgets.style_sheet import heading, plain_label, sentence, set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource
from guiapp.pages.vocabulary.embeddings import UNTRAINED, UPWARDS, EmbeddingsModel
from guiapp.pages.vocabulary.embeddings_chart import COLUMN_NAMES, EmbeddingsChart
from guiapp.pages.vocabulary.model import VocabularyModel

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
COPIED = "Copied. A model that knows the token goes on with it, and then »."
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
        self.read = push_button("Read embeddings", self._read, role="primary")
        self.problem = plain_label("dim", wraps=True)
        self.progress = ShareBar("Progress of reading the embeddings", BAR_PX)
        self.cancel = push_button("Cancel", embeddings.reading.cancel)
        self.count = plain_label("strong", wraps=True)
        self.unreached, self.limit = (plain_label("dim", wraps=True) for _ in range(2))
        self.list = tool_button("List them", embeddings.list_suspects)
        self.list.setCheckable(True)
        self.known = plain_label("dim", wraps=True)
        self.compare = MenuButton(theme_source, "Compare with", tip="Read again, and compare with other rows")
        self.compare.list_anew(self._list_known)
        self.up = MenuButton(theme_source, tip="What the height of a point is")
        self.up.list_anew(self._list_up)
        self.pointed = plain_label("dim")
        self.pointed.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.remarks = plain_label("dim", wraps=True)
        self.ask = tool_button("Copy a prompt", self._copy_prompt, role="raised")
        self.asked = plain_label("dim", wraps=True)
        self._stack = QStackedWidget()
        for page in (self._asking(), self._waiting(), self._result()):
            self._stack.addWidget(page)
        in_column(self._stack, on=self, spacing=0)
        self.setMinimumHeight(150)
        embeddings.changed.connect(self._follow)
        embeddings.reading.progress_changed.connect(self._follow_progress)
        model.wanted_changed.connect(self._follow_filter)
        model.chosen_changed.connect(self._follow_chosen)
        self.chart.pointed_at.connect(self._tell)
        self._follow()
        self._follow_chosen()

    @property
    def focus(self) -> QWidget:
        """What keys are for, of what is shown."""
        return (self.read, self.cancel, self.chart)[self._stack.currentIndex()]

    def _asking(self) -> QWidget:
        about = sentence(ABOUT)
        about.setMaximumWidth(LINE_PX)
        row = in_row(self.read, (self.problem, 1), spacing=MARGIN_PX)
        return framed(in_column(STRETCH, about, row, STRETCH, margins=MARGIN_PX, spacing=GAP_PX))

    def _waiting(self) -> QWidget:
        row = in_row(self.progress, self.cancel, STRETCH, spacing=GAP_PX)
        words = sentence("Reading the embeddings …")
        return framed(in_column(STRETCH, words, row, STRETCH, margins=MARGIN_PX, spacing=GAP_PX))

    def _result(self) -> QWidget:
        side = QWidget()
        in_column(
            heading("Looks untrained"),
            in_row((self.count, 1), self.list),
            self.unreached,
            self.limit,
            self.known,
            self.remarks,
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
        return framed(in_row((chart, 1), area, spacing=0))

    # What is shown

    def _follow(self) -> None:
        found, had_focus = self._embeddings.indicators, self.focus.hasFocus()
        page = 1 if self._embeddings.reading.is_busy else 0 if found is None else 2
        self._stack.setCurrentIndex(page)
        self.problem.setText(self._embeddings.problem)
        self.read.setVisible(not self._embeddings.is_without)
        self.read.setEnabled(self._model.prepared is not None)
        if had_focus:
            self.focus.setFocus()
        self._follow_progress()
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
        self.remarks.setText("\n".join(found.remarks))
        self.remarks.setVisible(bool(found.remarks))
        self._tell(None)
        self._follow_filter()

    def _follow_progress(self) -> None:
        self.progress.show_share(self._embeddings.reading.progress)

    def _follow_filter(self) -> None:
        self.list.setChecked(has(self._model.query, UNTRAINED))

    def _follow_chosen(self) -> None:
        self.ask.setEnabled(self._model.chosen is not None)
        self.asked.setText("")
        self._tell(None)

    def _tell(self, token: int | None) -> None:
        """The values of the token under the mouse, or of the chosen one."""
        shown = self._model.chosen if token is None else token
        prepared = self._model.prepared
        if shown is None or prepared is None:
            self.pointed.setText(HOVER)
            return
        word = BY_NAME["token"].text(prepared.figures, shown, self._model.session.spelling.now)
        values = "   ".join(f"{name} {value}" for name, value in self._embeddings.values(shown).items())
        self.pointed.setText(f"{shown}   {word}   {values}")
        self.pointed.setToolTip(self.pointed.text())

    # What is chosen

    def _read(self) -> None:
        self._embeddings.read()

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
            QGuiApplication.clipboard().setText(prompt.text)
        self.asked.setText(NO_PROMPT if prompt is None else COPIED if prompt.holds_token else NOT_HELD)


def _title(group: KnownUnused) -> str:
    return f"{len(group.rows):,} {group.why}"
