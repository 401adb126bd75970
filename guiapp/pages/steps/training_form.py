"""What to train, and on which text."""

from __future__ import annotations

from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QWidget

from guiapp.kit.document.document import TextDocument
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.choice_box import ChoiceBox
from guiapp.kit.widgets.layouts import framed, in_column, in_row
from guiapp.kit.widgets.style_sheet import plain_label, set_role
from guiapp.kit.widgets.theme import GAP_PX, UI_FONT_PX
from guiapp.kit.widgets.wrapping_row import WrappingRow
from guiapp.pages.steps.drawing import Drawing
from guiapp.pages.steps.training import TrainingModel, TrainingWish

ALGORITHMS = {"Byte-pair encoding": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram"}
SOURCES = {"on the open text": False, "on a text of one's own": True}
SYMBOLS = {"of bytes": False, "of characters, with end-of-word marks": True}
SYMBOLS_TIP = "Models use bytes; textbooks use characters, and a mark at each word's end."
MOST_TOKENS = 100_000
FIRST_SIZES = {"bpe": 400, "wordpiece": 200, "unigram": 200}
TEXTBOOK = "This is insane! This is impossible"
END_MARK_TEXT = (
    "In a model file, a word's mark is the space behind it. The last word of a text or of a line has none "
    "there, and runs of spaces are tokens of their own: elsewhere the file cuts words as the training did."
)
OWN_TEXT_PX = 74
SIZE_WIDTH_PX = 84


class TrainingForm(QWidget):
    """One row of choices with the button that begins or stops, a field for one's own text, a message."""

    def __init__(self, model: TrainingModel, document: TextDocument, drawing: Drawing) -> None:
        super().__init__()
        self._model = model
        self._document = document
        self._problem = ""
        self._theme_source, self._zoom, _ = drawing
        self.algorithm = ChoiceBox("What to train", ALGORITHMS)
        self.source = ChoiceBox("What to train on", SOURCES)
        self.n_tokens = QLineEdit(str(FIRST_SIZES["bpe"]))
        self.n_tokens.setValidator(QRegularExpressionValidator("[0-9]{0,6}", self))
        self.n_tokens.setFixedWidth(SIZE_WIDTH_PX)
        self.symbols = ChoiceBox("What words are made of", SYMBOLS, SYMBOLS_TIP)
        self.own_text = QPlainTextEdit(TEXTBOOK)
        self.button = push_button("Train", self._begin_or_stop, role="primary")
        self.end_mark_note = QLabel(END_MARK_TEXT, wordWrap=True)
        self.message = plain_label(wraps=True)
        self._lay_out()
        self.algorithm.currentIndexChanged.connect(self._choose_algorithm)
        self.source.currentIndexChanged.connect(self._follow)
        self.symbols.currentIndexChanged.connect(self._follow)
        self.n_tokens.returnPressed.connect(self.button.click)
        model.changed.connect(self._follow)
        self._theme_source.changed.connect(self._follow)
        self._zoom.watch(self.own_text.viewport())
        self._zoom.changed.connect(self._follow_zoom)
        self._follow_zoom()
        self._follow()

    @property
    def wish(self) -> TrainingWish:
        """What is chosen."""
        is_own = self.source.currentData()
        text = self.own_text.toPlainText().encode() if is_own else self._document.text()
        algorithm, n_tokens = self.algorithm.currentData(), int(self.n_tokens.text() or 0)
        return TrainingWish(algorithm, text, n_tokens, self._has_end_marks)

    @property
    def _has_end_marks(self) -> bool:
        return self.algorithm.currentData() == "bpe" and self.symbols.currentIndex() == 1

    def choose(self, algorithm: str, n_tokens: int) -> None:
        """Set what to train, on the document's text."""
        self.algorithm.setCurrentIndex(self.algorithm.findData(algorithm))
        self.n_tokens.setText(str(n_tokens))

    def _lay_out(self) -> None:
        size_title = set_role(QLabel("tokens in all"), "dim")
        size_title.setBuddy(self.n_tokens)
        set_role(self.end_mark_note, "dim")
        size = framed(in_row(size_title, self.n_tokens, spacing=GAP_PX))
        row = WrappingRow([self.algorithm, self.symbols, self.source, size], self.button)
        self.n_tokens.setAccessibleName("Size of the vocabulary")
        self.own_text.setAccessibleName("Text to train on")
        self.own_text.setTabChangesFocus(True)
        in_column(row, self.own_text, self.end_mark_note, self.message, on=self)

    def _follow_zoom(self) -> None:
        self.own_text.setFont(self._zoom.mono_font(UI_FONT_PX))
        self.own_text.setFixedHeight(self._zoom.scaled(OWN_TEXT_PX))

    def _choose_algorithm(self) -> None:
        self.n_tokens.setText(str(FIRST_SIZES[self.algorithm.currentData()]))
        self._follow()

    def _begin_or_stop(self) -> None:
        if self._model.is_busy:
            self._model.cancel()
            return
        wish = self.wish
        is_possible = 1 <= wish.n_tokens <= MOST_TOKENS
        self._problem = "" if is_possible else f"Choose a size from 1 to {MOST_TOKENS:,} tokens."
        if is_possible:
            self._model.train(wish)
        self._follow()

    def _follow(self) -> None:
        model = self._model
        self.symbols.setVisible(self.algorithm.currentData() == "bpe")
        self.end_mark_note.setVisible(self._has_end_marks)
        self.own_text.setVisible(self.source.currentIndex() == 1)
        self.button.setText("Stop" if model.is_busy else "Train")
        theme = self._theme_source.theme
        told = f"{model.shortfall} Train on a longer text for more." if model.shortfall else ""
        failure = self._problem or model.failure
        self.message.setText(failure or told)
        self.message.setVisible(bool(self.message.text()))
        self.message.setStyleSheet(f"color: {(theme.bad if failure else theme.warning).name()}")
