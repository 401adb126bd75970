"""Training on the Steps page: its settings, the training step by step, and what to do with the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QRegularExpressionValidator, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from guiapp.analysis.trace.recorder import FIRST_BYTES, beginning
from guiapp.core.text.numbers_in_words import counted
from guiapp.errors import TokenloupeError
from guiapp.kit.document.document import TextDocument
from guiapp.kit.session.model_session import ComparedModels
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import ChoiceBox, push_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.file_dialogs import ask_to_save
from guiapp.kit.widgets.layouts import (
    RoomySplitter,
    WrappingRow,
    framed,
    in_column,
    in_row,
    in_splitter,
    scrolling,
)
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UI_FONT_PX, UNIT_PX, Theme, plain_label, set_role
from guiapp.pages.steps.cards import DrawingContext, SentenceView, card, title_line
from guiapp.pages.steps.side import EXAMPLES, SIDE_WIDTH_PX, BreakpointList, StepsSidePanel
from guiapp.pages.steps.timeline import PlayControls, Scrubber, walking_buttons
from guiapp.pages.steps.training_pictures import (
    LikelihoodPicture,
    PairsPicture,
    PiecesPicture,
    SymbolsPicture,
    WordsPicture,
)
from guiapp.pages.steps.walk_model import TrainingModel, TrainingWish

ALGORITHMS = {"Byte-pair encoding": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram"}
SOURCES = {"on the open text": False, "on your own text": True}
SYMBOLS = {"of bytes": False, "of characters, with word ends": True}
SYMBOLS_TIP = "Models use bytes. Textbooks use characters, with a mark at the end of each word."
MOST_TOKENS = 100_000
FIRST_SIZES = {"bpe": 360, "wordpiece": 200, "unigram": 200}
TEXTBOOK = "This is insane! This is impossible"
END_MARK_TEXT = (
    "In a model file, the space after a word is its mark. The last word of a text or a line has no mark, "
    "and repeated spaces are separate tokens. Everywhere else the file cuts words as the training did."
)
OWN_TEXT_PX = 74
SIZE_WIDTH_PX = 84
EMPTY_TEXT = "Choose an algorithm and a text, then press Train.\nEach step shows the winner and the reason."
STALE_TEXT = "These steps are from other settings or another text. Press Train again."
BESIDE_TIPS = {
    True: "Compare it with the open model, on the open text",
    False: "Compare is full: remove a model there first",
}
SCORES, COUNTS = "SCORE = n(ab) / (n(a)·n(b))", "NUMBER OF OCCURRENCES"
LEAST_WIDTH_PX = 480
FORMATS = {".gguf": "Model files (*.gguf)"}
OTHERS_TIP = "Others: tokens for single bytes and special tokens, which a model file has for all other text"
LOW_PX = 480  # below this height the form leaves no room for the steps


class TrainingStage(QWidget):
    """The training at one step: scrubber, words, and below them the competing pairs and the vocabulary."""

    def __init__(self, model: TrainingModel, actions: Actions, drawing: DrawingContext) -> None:
        super().__init__()
        self._model = model
        self.scrubber = Scrubber(model, drawing.of_controls)
        self.count = drawing.controls.fit(QLabel(), UI_FONT_PX, Theme.mono_font)
        self.words = WordsPicture("How the words are cut", model, drawing)
        self.sentence = SentenceView(drawing)
        self.pairs = PairsPicture("Competing pairs", model, drawing)
        self.symbols = SymbolsPicture("The vocabulary", model, drawing)
        self.curve = LikelihoodPicture("Likelihood of the text", model, drawing)
        self.pieces = PiecesPicture("The pieces", model, drawing)
        self._words_title, self._pairs_title = title_line(drawing), title_line(drawing)
        self._symbols_title, self._pieces_title = title_line(drawing), title_line(drawing)
        self._symbols_title.setToolTip(OTHERS_TIP)
        self._curve_title = title_line(drawing, "Log-likelihood of the text")
        self.cards = QStackedWidget()
        self._build_layout(actions, drawing.controls)
        model.changed.connect(self._refresh)
        model.changed.connect(self.scrubber.mark)
        model.position_changed.connect(self._refresh)
        self._refresh()

    def hideEvent(self, event: QEvent) -> None:
        self._model.clock.pause()

    def _build_layout(self, actions: Actions, zoom: TextZoom) -> None:
        play = PlayControls(self._model.clock, actions["debug_play"], zoom)
        bar = WrappingRow(
            [*walking_buttons(actions, zoom, self.scrubber, has_pieces=False), play], self.count
        )
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

    @property
    def _is_unigram(self) -> bool:
        record = self._model.record
        return record is not None and record.start.algorithm == "unigram"

    def set_covered(self, is_covered: bool) -> None:
        self.cards.setVisible(not is_covered)

    def set_dimmed(self, is_dimmed: bool) -> None:
        for picture in (self.words, self.pairs, self.symbols, self.curve, self.pieces):
            picture.set_dimmed(is_dimmed)

    def _refresh(self) -> None:
        model, record = self._model, self._model.record
        self.setVisible(record is not None)
        if record is None:
            return
        position = model.position
        sign = " …" if model.is_busy else ""
        self.count.setText(f"step {position:,} of {model.n_steps:,}{sign}")
        n_shown, n_words = len(record.start.words), record.start.n_words
        is_part, is_scored = n_shown < n_words, record.start.algorithm == "wordpiece"
        part = f"the first {n_shown} of {n_words:,} words"
        which = part if is_part else counted(n_words, "different word")
        self._words_title.set_texts([f"THE TEXT · {which.upper()}"])
        self._pairs_title.set_texts([f"PAIRS · {SCORES if is_scored else COUNTS}"])
        size, n_symbols = counted(record.n_tokens(position), "token"), record.n_symbols(position)
        others = f" + {n_others:,} others" if (n_others := record.start.n_other_tokens) else ""
        newest = f"VOCABULARY · {counted(n_symbols, 'symbol')}, newest first"
        self._symbols_title.set_texts([f"{newest}{others}".upper(), newest.upper()])
        self._pieces_title.set_texts([f"VOCABULARY · {size}, {counted(n_symbols, 'piece')}".upper()])
        is_merge = position > 0 and not self._is_unigram
        self.sentence.show_sentence(record.sentence(position), "Merged" if is_merge else "")
        self.cards.setCurrentIndex(int(self._is_unigram))


class YieldingColumn(QWidget):
    """A column of parts that asks for no more than its minimum height.

    A scroll area would give a plain widget its preferred height if it has labels that wrap.
    """

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        return layout.minimumHeightForWidth(width)


class TrainingView(RoomySplitter):
    """Form, steps, and buttons to save, open or compare the result; breakpoints at the side."""

    def __init__(
        self, model: TrainingModel, compared: ComparedModels, actions: Actions, drawing: DrawingContext
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.model = model
        self._compared = compared
        session = self._session = compared.sessions[0]
        self._compare = actions["compare"]
        self.breakpoints = BreakpointList(model, drawing)
        self.form = TrainingForm(model, session.document, drawing)
        self.stage = TrainingStage(model, actions, drawing)
        self.empty = set_role(QLabel(EMPTY_TEXT, alignment=Qt.AlignmentFlag.AlignCenter), "dim")
        self.save_button = push_button("Save as GGUF…", partial(self._ask, self.save))
        self.open_button = push_button("Save and open as model…", partial(self._ask, self.save_and_open))
        self.steps_button = push_button("Save steps…", actions["debug_save"].trigger)
        self.compare_button = push_button("Compare", self.open_comparison)
        self._is_presented = False
        self._is_awaited = False
        self._reveals = later(self, 0, self._reveal_steps)
        self._side = StepsSidePanel([self.breakpoints, QWidget()], drawing.controls)
        self._build_layout()
        form, boxes = self.form, (self.form.algorithm, self.form.source, self.form.symbols)
        choices = [box.currentIndexChanged for box in boxes]
        choices += [form.n_tokens.textChanged, form.own_text.textChanged, session.document.edited]
        for signal in (model.changed, compared.sessions_changed, *choices):
            signal.connect(self._refresh)
        form.button.clicked.connect(self._take_focus)
        self._refresh()

    def set_presented(self, is_presented: bool) -> None:
        self._is_presented = is_presented
        self._refresh()

    def _build_layout(self) -> None:
        self.stale = plain_label("warning", wraps=True)
        self._foot = WrappingRow([self.compare_button, self.steps_button, self.save_button, self.open_button])
        training = YieldingColumn()
        parts = self.form, self.stale, (self.empty, 1), (self.stage, 1)
        in_column(*parts, on=training, margins=(MARGIN_PX, 0, MARGIN_PX, GAP_PX))
        self._area = scrolling(training, LEAST_WIDTH_PX)
        foot = framed(in_row(self._foot, margins=(MARGIN_PX, 0, MARGIN_PX, GAP_PX)))
        left = framed(in_column((self._area, 1), foot))
        in_splitter(left, self._side, on=self, sizes=(1100, SIDE_WIDTH_PX))

    def save(self, path: Path) -> bool:
        try:
            self.model.save(path)
        except TokenloupeError as error:
            QMessageBox.warning(self, "Save as GGUF", str(error))
            return False
        return True

    def save_and_open(self, path: Path) -> None:
        """Save the result and open it; the previous model is among the recent ones."""
        if self.save(path):
            self._session.loader.open(str(path))

    def open_comparison(self) -> None:
        """Compare the result with the open model on the open text, or if that is empty, the training text."""
        model, document = self.model, self._session.document
        assert model.model_file is not None
        if not self._is_compared:
            self._compared.add(str(model.model_file))
            self._refresh()
        if not document.size and model.wish is not None:
            self._session.text.show(beginning(model.wish.text, FIRST_BYTES))
        self._compare.trigger()

    @property
    def _is_compared(self) -> bool:
        name = str(self.model.model_file)
        loaders = [session.loader for session in self._compared.sessions]
        return any(name in (each.loading_name, each.model and each.model.name) for each in loaders)

    def begin(self, wish: str) -> None:
        """Train as specified by algorithm, size and the step to show, such as "bpe:300:4"."""
        algorithm, size, *step = wish.split(":")
        self.form.choose(algorithm, int(size))
        self.model.train(self.form.wish, int(step[0]) if step else 1)

    def stop(self) -> None:
        self.model.stop()

    def _ask(self, save: Callable[[Path], object]) -> None:
        if path := ask_to_save(self, "Save as GGUF", "trained.gguf", FORMATS):
            save(path)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _take_focus(self) -> None:
        """Let arrow keys step once there is something to step through."""
        if self.form.button.hasFocus() and self.model.is_busy:
            self.stage.scrubber.setFocus()
            self._is_awaited = True

    def _reveal_steps(self) -> None:
        """In a low window, scroll from the form to the steps."""
        if self.height() < LOW_PX:
            self._area.verticalScrollBar().setValue(self.stage.y())

    @property
    def is_stale(self) -> bool:
        """Whether the steps are from other settings or another text than the form's."""
        model = self.model
        return model.record is not None and not model.is_busy and model.wish != self.form.wish

    def _refresh(self, *_: object) -> None:
        if not self.isVisible():
            return
        model, is_stale = self.model, self.is_stale
        if self._is_awaited and not model.is_busy:
            self._is_awaited = False
            self._reveals.start()
        self.stale.setText(STALE_TEXT)
        self.stale.setVisible(is_stale)
        self.stage.set_dimmed(is_stale)
        has_file = model.model_file is not None
        for part in (self.form, self._side, self._foot):
            part.setHidden(self._is_presented and model.record is not None)
        self.empty.setVisible(model.record is None)
        for made in (self.compare_button, self.save_button, self.open_button):
            made.setVisible(model.record is not None)
            made.setEnabled(has_file)
        has_room = self._compared.can_add or self._is_compared
        self.compare_button.setEnabled(has_file and has_room)
        self.compare_button.setToolTip(BESIDE_TIPS[has_room])
        self.steps_button.setVisible(model.n_steps > 0)
        self.breakpoints.field.line.setPlaceholderText(EXAMPLES[self.form.algorithm.currentData()])


class TrainingForm(QWidget):
    """A row of choices with the button that begins or stops, a field for the user's own text, a message."""

    def __init__(self, model: TrainingModel, document: TextDocument, drawing: DrawingContext) -> None:
        super().__init__()
        self._model = model
        self._document = document
        self._problem = ""
        self._theme_source, self._zoom, _ = drawing
        self.algorithm = ChoiceBox("Algorithm", ALGORITHMS)
        self.source = ChoiceBox("Training text", SOURCES)
        self.n_tokens = QLineEdit(str(FIRST_SIZES["bpe"]))
        self.n_tokens.setValidator(QRegularExpressionValidator("[0-9]{0,6}", self))
        self.n_tokens.setFixedWidth(SIZE_WIDTH_PX)
        self.symbols = ChoiceBox("Symbols of words", SYMBOLS, SYMBOLS_TIP)
        self.own_text = QPlainTextEdit(TEXTBOOK)
        self.button = push_button("Train", self._begin_or_stop, role="primary")
        self.end_mark_note = QLabel(END_MARK_TEXT, wordWrap=True)
        self.message = plain_label(wraps=True)
        self._build_layout()
        self.algorithm.currentIndexChanged.connect(self._choose_algorithm)
        self.source.currentIndexChanged.connect(self._refresh)
        self.symbols.currentIndexChanged.connect(self._refresh)
        self.n_tokens.returnPressed.connect(self.button.click)
        model.changed.connect(self._refresh)
        self._theme_source.changed.connect(self._refresh)
        self._zoom.watch(self.own_text.viewport())
        self._zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()
        self._refresh()

    @property
    def wish(self) -> TrainingWish:
        is_own = self.source.currentData()
        text = self.own_text.toPlainText().encode() if is_own else self._document.text()
        algorithm, n_tokens = self.algorithm.currentData(), int(self.n_tokens.text() or 0)
        return TrainingWish(algorithm, text, n_tokens, self._has_end_marks)

    @property
    def _has_end_marks(self) -> bool:
        return self.algorithm.currentData() == "bpe" and self.symbols.currentIndex() == 1

    def choose(self, algorithm: str, n_tokens: int) -> None:
        self.algorithm.setCurrentIndex(self.algorithm.findData(algorithm))
        self.n_tokens.setText(str(n_tokens))

    def _build_layout(self) -> None:
        size_title = set_role(QLabel("tokens in all"), "dim")
        size_title.setBuddy(self.n_tokens)
        set_role(self.end_mark_note, "dim")
        size = framed(in_row(size_title, self.n_tokens, spacing=GAP_PX))
        row = WrappingRow([self.button, self.algorithm, self.symbols, self.source, size])
        self.n_tokens.setAccessibleName("Size of the vocabulary")
        self.own_text.setAccessibleName("Text to train on")
        self.own_text.setTabChangesFocus(True)
        in_column(row, self.own_text, self.end_mark_note, self.message, on=self)

    def _on_zoom_changed(self) -> None:
        self.own_text.setFont(self._zoom.mono_font(UI_FONT_PX))
        self.own_text.setFixedHeight(self._zoom.scaled(OWN_TEXT_PX))

    def _choose_algorithm(self) -> None:
        self.n_tokens.setText(str(FIRST_SIZES[self.algorithm.currentData()]))
        self._refresh()

    def _begin_or_stop(self) -> None:
        if self._model.is_busy:
            self._model.cancel()
            return
        wish = self.wish
        is_possible = 1 <= wish.n_tokens <= MOST_TOKENS
        self._problem = "" if is_possible else f"Choose a size from 1 to {MOST_TOKENS:,} tokens."
        if is_possible:
            self._model.train(wish)
        self._refresh()

    def _refresh(self) -> None:
        model = self._model
        self.symbols.setVisible(self.algorithm.currentData() == "bpe")
        self.end_mark_note.setVisible(self._has_end_marks)
        self.own_text.setVisible(self.source.currentIndex() == 1)
        self.button.setText("Stop" if model.is_busy else "Train")
        theme = self._theme_source.theme
        message = f"{model.shortfall} Train on a longer text for more." if model.shortfall else ""
        failure = self._problem or model.failure
        self.message.setText(failure or message)
        self.message.setVisible(bool(self.message.text()))
        self.message.setStyleSheet(f"color: {(theme.bad if failure else theme.warning).name()}")
