"""The head of a column: which model it is, how far that has got, what the text costs, and its menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QWidget

from guiapp.core.encode.catalogue import encoder_label
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.session.choice import joined, summary
from guiapp.kit.session.loader import file_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.side_by_side.head import NameButton, SideHead
from guiapp.kit.widgets.choice_list import PrePicker, can_choose
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import framed, in_row
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import Marker
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource, set_role
from guiapp.pages.compare.models import ComparedFigures, ComparedSpans

HEIGHT_PX = 80


class ColumnHead(SideHead):
    """Marker, name, kind, number of tokens, what these are more than the fewest, and both as a bar."""

    height_px = HEIGHT_PX
    bar_tip = "Tokens of this model. Amber: more than the model with the fewest."
    number = 0  # of the column, from the left

    def __init__(self, state: ColumnState, figures: ComparedFigures, theme_source: ThemeSource) -> None:
        self._state, self._figures, self._theme_source = state, figures, theme_source
        self.name_button = NameButton(theme_source)
        self._marker, self._cost = Marker(theme_source, 0), set_role(QLabel(), "more")
        self._file = set_role(FittedLabel(), "dim")
        self._file.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._cost.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.is_focused = False
        title = in_row(self._marker, self.name_button, (self._file, 1), spacing=UNIT_PX)
        super().__init__(theme_source, framed(title), self._cost)
        self._more.hide()  # it is told with the ratio
        state.changed.connect(self.refresh)
        figures.lines_changed.connect(self.refresh)

    def refresh(self) -> None:
        state, figures = self._state, self._figures
        cost = figures.cost(state.column)
        problem = state.problem if state.has_model else ""  # else it is told below
        self._marker.show_number(self.number)
        self.name_button.set_name(state.name)
        self.name_button.setAccessibleName(f"Model {self.number + 1}: {state.name}")
        self.name_button.setToolTip(plain_tip(state.tip))
        self._file.set_texts([state.file])
        self.show_size(problem or state.kind, role="bad" if problem else "dim")
        words = "" if cost is None or not figures.is_comparing else cost.words
        if words != self._cost.text():
            self._cost.setText(words)
            set_role(self._cost, "more" if cost is not None and (cost.more or cost.unknown_share) else "good")
        n_tokens, more = (0, 0) if cost is None else (cost.n_tokens, cost.more)
        self.show_counts(n_tokens, more if words else 0, n_tokens - more, max(figures.most_tokens, n_tokens))
        self.setAccessibleName(f"{state.name}: {counted(n_tokens, 'token')}, {words}" if cost else state.name)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_focused:
            QPainter(self).fillRect(0, 0, self.width(), 2, self._theme_source.theme.accent)


class ColumnState(QObject):
    """Name and kind of the model of a column, or why there is none.

    problem  why the model that was asked for last, or its text, came to nothing; "" where all is well

    Signals:
        changed(): something of it is new.
    """

    changed = Signal()

    def __init__(self, column: ComparedSpans) -> None:
        super().__init__()
        self.column = column
        self.session = column.session
        self._not_encoded = ""
        loader = self.session.loader
        of_loader = loader.loading_changed, loader.progress_changed, loader.refused_changed, loader.failed
        for signal in (*of_loader, self.session.options_changed, self.session.vocabulary_changed):
            signal.connect(self.changed)
        self.session.spans.failed.connect(self._fail_to_encode)
        self.session.spans.encoded.connect(self._encode)

    @property
    def problem(self) -> str:
        return self.session.loader.failure or self._not_encoded

    @property
    def has_model(self) -> bool:
        return self.session.tokenizer is not None

    @property
    def needs_pre(self) -> bool:
        return self.session.loader.refused is not None

    @property
    def progress(self) -> float | None:
        """How far opening has got, from 0 to 1; None where nothing is being opened."""
        loader = self.session.loader
        return None if loader.loading_name is None else loader.job.progress

    @property
    def name(self) -> str:
        return self.session.loader.title or "No model"

    @property
    def kind(self) -> str:
        """`BPE · llama-bpe · 128,256`, and what differs from what people expect."""
        loader, options = self.session.loader, self.session.options
        if loader.loading_name is not None:
            return f"Opening… {self.progress or 0:.0%}"
        if loader.model is None:
            return ""
        switches = [
            "" if options.encoder is None else options.encoder,
            "" if options.add_special else "none added",
            "" if options.parse_special else "special as text",
        ]
        return joined(*switches, summary(loader.model))

    @property
    def file(self) -> str:
        model = self.session.loader.model
        return "" if model is None else file_of(model)

    @property
    def tip(self) -> str:
        return joined(self.name, self.file, self.kind, self.problem)

    @property
    def message(self) -> str:
        """What is said in place of the text, "" where that can be shown."""
        loader = self.session.loader
        if loader.model is not None:
            return ""
        if loader.loading_name is not None:
            return f"Opening {self.name} …"
        return loader.problem or self._not_encoded or "No model is open."

    def _encode(self) -> None:
        self._fail_to_encode("")

    def _fail_to_encode(self, message: str) -> None:
        self._not_encoded = message
        self.changed.emit()


class ColumnMenu(QMenu):
    """The menu of one session.

    Signals:
        again_wanted(): the same model in one more column.
        removal_wanted(): this column is to go.
    """

    again_wanted = Signal()
    removal_wanted = Signal()

    def __init__(
        self, session: ModelSession, is_first: bool, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # its button runs to the left
        self._session = session
        self._requests = requests
        self._theme_source = theme_source
        self._pre_picker: PrePicker | None = None
        self._add("Other model…", self.choose_model)
        self._encoders = self.addMenu("Encoder")
        self._pre = self._add("Pre-tokenizer…", self.choose_pre)
        self._add_special = self._add("Add special tokens", session.set_add_special, is_checkable=True)
        self._parse_special = self._add("Parse special tokens", session.set_parse_special, is_checkable=True)
        self.addSeparator()
        self._again = self._add("The same model again", self.again_wanted.emit)
        if not is_first:
            self._add("Remove", self.removal_wanted.emit)
        self.can_add = True
        self.aboutToShow.connect(self._refresh)

    def choose_model(self) -> None:
        self._requests.model_wanted.emit(self._button, self._session.loader.open)

    def choose_pre(self) -> None:
        """Ask how the model that waits, or else the one that is open, splits text."""
        if self._pre_picker is None:
            self._pre_picker = PrePicker(self._session.loader, self._theme_source, self._button)
            self._pre_picker.chosen.connect(self._session.loader.use_pre)
        self._pre_picker.open_under(self._button)

    @property
    def _button(self) -> QWidget:
        button = self.parentWidget()
        assert button is not None
        return button

    def _add(self, text: str, slot: object, is_checkable: bool = False) -> QAction:
        action = self.addAction(text)
        action.setCheckable(is_checkable)
        action.triggered.connect(slot)
        return action

    def _refresh(self) -> None:
        session = self._session
        self._encoders.clear()
        for algorithm in session.encoders.values():
            mark = "exact" if algorithm.exact else "approximate"
            action = self._encoders.addAction(f"{encoder_label(algorithm.name)}: {algorithm.title} ({mark})")
            action.setCheckable(True)
            action.setChecked(session.algorithm is algorithm)
            action.triggered.connect(partial(session.set_encoder, algorithm.name))
        self._encoders.setEnabled(bool(session.encoders))
        self._pre.setEnabled(can_choose(session.loader))
        self._add_special.setChecked(session.options.add_special)
        self._parse_special.setChecked(session.options.parse_special)
        self._again.setEnabled(self.can_add and session.loader.model is not None)
