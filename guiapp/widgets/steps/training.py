"""Training on the Steps page: what to train on, the training step by step, and what to do with the result."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMessageBox,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from guiapp.core.errors import TokenloupeError
from guiapp.core.explain.figures import counted
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.steps.training import TrainingModel
from guiapp.viewmodels.steps.training_beside import LONGEST_TEXT, TrainingBeside
from guiapp.widgets.shared.buttons import push_button
from guiapp.widgets.shared.layouts import framed, in_column, in_row, in_splitter
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, UI_FONT_PX, UNIT_PX
from guiapp.widgets.shared.wrapping_row import WrappingRow, scrolling
from guiapp.widgets.steps.breakpoint_list import BreakpointList
from guiapp.widgets.steps.cards import card
from guiapp.widgets.steps.drawing import Drawing
from guiapp.widgets.steps.lines import SentenceView, title_line
from guiapp.widgets.steps.side import SIDE_WIDTH_PX, SidePanel
from guiapp.widgets.steps.timeline import Scrubber
from guiapp.widgets.steps.training_beside import BesideCard
from guiapp.widgets.steps.training_form import TrainingForm
from guiapp.widgets.steps.training_views import (
    LikelihoodPicture,
    PairsPicture,
    PiecesPicture,
    SymbolsPicture,
    WordsPicture,
)
from guiapp.widgets.steps.transport import PlayControls, walking_buttons
from guiapp.widgets.window.actions import Actions

EMPTY_TEXT = "Choose what to train and on which text, and press Train:\neach step shows what won, and why."
BESIDE_TEXTS = {False: "Open beside", True: "Close comparison"}
LEAST_WIDTH_PX = 480
COMPARING_MS = 150
KINDS = (0, 1)  # the cards of merges, and of Unigram
MODEL_FILTER = "Model files (*.gguf)"


class TrainingStage(QWidget):
    """The training at one step: scrubber, words, and what competes and what was learned below."""

    def __init__(self, model: TrainingModel, actions: Actions, drawing: Drawing) -> None:
        super().__init__()
        self._model = model
        self._zoom = drawing.zoom
        self.scrubber = Scrubber(model, drawing.theme_source)
        self.count = QLabel()
        self.words = WordsPicture("The words as they are cut", model, drawing)
        self.sentence = SentenceView(drawing)
        self.pairs = PairsPicture("The pairs that compete", model, drawing)
        self.symbols = SymbolsPicture("The vocabulary", model, drawing)
        self.curve = LikelihoodPicture("Likelihood of the text", model, drawing)
        self.pieces = PiecesPicture("The pieces", model, drawing)
        self._words_title, self._pairs_title = title_line(drawing), title_line(drawing)
        self._symbols_title = title_line(drawing)
        self._pieces_title = title_line(drawing)
        self._curve_title = title_line(drawing, "Likelihood")
        self.cards = QStackedWidget()
        self._lay_out(actions)
        model.changed.connect(self._follow)
        model.changed.connect(self.scrubber.mark)
        model.position_changed.connect(self._follow)
        drawing.zoom.changed.connect(self._follow_zoom)
        self._follow_zoom()
        self._follow()

    def hideEvent(self, event: QEvent) -> None:
        self._model.clock.pause()

    def _follow_zoom(self) -> None:
        self.count.setFont(self._zoom.mono_font(UI_FONT_PX))

    def _lay_out(self, actions: Actions) -> None:
        play = PlayControls(self._model.clock, actions["debug_play"])
        bar = WrappingRow([*walking_buttons(actions, has_pieces=False), play], self.count)
        words = card([self._words_title, self.words, self.sentence], self.words)
        words.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        for titled in (
            {self._pairs_title: self.pairs, self._symbols_title: self.symbols},
            {self._curve_title: self.curve, self._pieces_title: self.pieces},
        ):
            pair = [(card([title, picture], picture), 1) for title, picture in titled.items()]
            self.cards.addWidget(framed(in_row(*pair, spacing=GAP_PX + UNIT_PX)))
        policy = self.cards.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.cards.setSizePolicy(policy)
        in_column(bar, self.scrubber, (words, 3), (self.cards, 4), on=self)

    def set_covered(self, is_covered: bool) -> None:
        """Show only the words, and nothing of what could happen to them."""
        self.cards.setVisible(not is_covered)

    def show_kind(self) -> None:
        """Pairs and symbols for merges, curve and pieces for Unigram."""
        record = self._model.record
        self.cards.setCurrentIndex(KINDS[record is not None and record.start.algorithm == "unigram"])

    def _follow(self) -> None:
        model, record = self._model, self._model.record
        self.setVisible(record is not None)
        if record is None:
            return
        position = model.position
        sign = " …" if model.is_busy else ""
        self.count.setText(f"step {position:,} of {model.n_steps:,}{sign}")
        n_shown, n_words = len(record.start.words), record.start.n_words
        which = (
            f"{n_words:,} different words"
            if n_shown == n_words
            else f"the first {n_shown} of {n_words:,} words"
        )
        self._words_title.show_text(f"THE TEXT · {which.upper()}")
        worth = (
            "SCORE = n(ab) / (n(a)·n(b))" if record.start.algorithm == "wordpiece" else "HOW OFTEN THEY OCCUR"
        )
        self._pairs_title.show_text(f"PAIRS · {worth}")
        size, n_symbols = counted(record.n_tokens(position), "token"), record.n_symbols(position)
        self._symbols_title.show_text(f"VOCABULARY · {size}, newest first".upper())
        self._pieces_title.show_text(f"VOCABULARY · {size}, {counted(n_symbols, 'piece')}".upper())
        told = record.step(position).sentence if position else _beginning(record.start.algorithm)
        self.sentence.show_sentence(told)
        if self.cards.currentIndex() in KINDS:  # what is opened beside stays
            self.show_kind()


def _beginning(algorithm: str) -> str:
    if algorithm == "unigram":
        return "At the start every frequent substring is a piece: far too many."
    return "At the start each word is cut into the smallest symbols. Count which two stand side by side."


class YieldingColumn(QWidget):
    """Parts one below the other, that ask for no more height than they need at least.

    A scroll area gives what it shows its usual height where lines of a label depend on the width.
    """

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        return layout.minimumHeightForWidth(width)


class TrainingView(QSplitter):
    """Form, stage, and the result: to save, to open, to see beside the open model; breakpoints beside."""

    def __init__(
        self, model: TrainingModel, session: ModelSession, actions: Actions, drawing: Drawing
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self.model = model
        self._session = session
        self.breakpoints = BreakpointList(model, drawing)
        self.beside = TrainingBeside(model, session, self)
        self.form = TrainingForm(model, session.document, drawing)
        self.stage = TrainingStage(model, actions, drawing)
        self.beside_card = BesideCard(self.beside, drawing)
        self.stage.cards.addWidget(self.beside_card)
        self.empty = set_role(QLabel(EMPTY_TEXT, alignment=Qt.AlignmentFlag.AlignCenter), "dim")
        self.save_button = push_button("Save as GGUF…", self._ask_and_save)
        self.open_button = push_button("Save and open as model…", self._ask_save_and_open)
        self.steps_button = push_button("Save steps…", actions["debug_save"].trigger)
        self.beside_button = QPushButton(BESIDE_TEXTS[False])
        self.beside_button.setCheckable(True)
        self._lay_out(SidePanel([self.breakpoints], drawing.zoom))
        self.beside_button.toggled.connect(self._show_beside)
        self._comparing = QTimer(self, singleShot=True, interval=COMPARING_MS)
        self._comparing.timeout.connect(self._compare)
        model.changed.connect(self._follow)
        session.vocabulary_changed.connect(self._compare_soon)
        self.form.text_changed.connect(self._compare_soon)
        self._follow()

    def _lay_out(self, side: QWidget) -> None:
        foot = WrappingRow([self.beside_button, self.steps_button, self.save_button, self.open_button])
        training = YieldingColumn()
        parts = self.form, (self.empty, 1), (self.stage, 1), foot
        in_column(*parts, on=training, margins=(MARGIN_PX, 0, MARGIN_PX, GAP_PX))
        in_splitter(self, scrolling(training, LEAST_WIDTH_PX), side, sizes=(1100, SIDE_WIDTH_PX))

    def save(self, path: Path) -> bool:
        """Save the result; says so where that fails."""
        try:
            self.model.save(path)
        except TokenloupeError as error:
            QMessageBox.warning(self, "Save as GGUF", str(error))
            return False
        return True

    def save_and_open(self, path: Path) -> None:
        """Save the result and make it the model; the one before is among the recent ones."""
        if self.save(path):
            self._session.loader.open(str(path))

    @property
    def is_busy(self) -> bool:
        """Whether something is on its way."""
        is_comparing = self._comparing.isActive() or self.beside.is_busy
        return self.model.is_busy or (self.beside_button.isChecked() and is_comparing)

    def begin(self, wish: str) -> None:
        """Train as a word says: algorithm, size, and the step to show, such as "bpe:300:4"."""
        algorithm, size, *place = wish.split(":")
        self.form.choose(algorithm, int(size))
        self.model.train(self.form.wish, int(place[0]) if place else 1)

    def stop(self) -> None:
        """End all work in the background."""
        self.beside.stop()
        self.model.stop()

    def _ask_and_save(self) -> None:
        if (path := self._ask()) is not None:
            self.save(path)

    def _ask_save_and_open(self) -> None:
        if (path := self._ask()) is not None:
            self.save_and_open(path)

    def _ask(self) -> Path | None:
        chosen, _ = QFileDialog.getSaveFileName(self, "Save as GGUF", "trained.gguf", MODEL_FILTER)
        return Path(chosen) if chosen else None

    def _show_beside(self, is_shown: bool) -> None:
        self.beside_button.setText(BESIDE_TEXTS[is_shown])
        if is_shown:
            self.stage.cards.setCurrentWidget(self.beside_card)
            self._compare()
        else:
            self.beside.forget()
            self.stage.show_kind()

    def showEvent(self, event: QShowEvent) -> None:
        """Text and model may be others than when this was hidden."""
        super().showEvent(event)
        self._compare()

    def _compare_soon(self) -> None:
        """Text or model are others; those who type get there first."""
        if self.isVisible():
            self._comparing.start()

    def _compare(self) -> None:
        if self.beside_button.isChecked():
            self.beside.compare(self.form.beginning(LONGEST_TEXT))

    def _follow(self) -> None:
        model = self.model
        has_file = model.model_file is not None
        self.empty.setVisible(model.record is None)
        if not has_file:
            self.beside_button.setChecked(False)
        for made in (self.beside_button, self.save_button, self.open_button):
            made.setVisible(model.record is not None)
            made.setEnabled(has_file)
        self.steps_button.setVisible(model.n_steps > 0)
