"""What is compared, and in a few lines how far it is the same; a click on a count lists what was counted."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QMenu, QToolButton, QWidget

from guiapp.core.text.figures import percent
from guiapp.core.text.visible_text import isolate
from guiapp.kit.session.choice import summary as model_summary
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, FittingRow, clear, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.painting import Marker
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, plain_label, set_role
from guiapp.pages.compare.vocabularies import ComparedVocabularies
from guiapp.pages.compare.vocabulary_verdict import Respect, VerdictPart, summary, title

NAME_PX = 190
LEFT_PX = 430
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute  # a menu button is laid out from the right
MOST_LEFT_SHARE = 0.36  # of a narrow window
PART_PADDING_PX = 10  # as far as the text of a button is from its edges
SHORT = 30  # characters that there is always room for
SIGNS = {
    True: ("✓", "the same", "good"),
    False: ("≠", "not the same", "warning"),
    None: ("?", "not compared in all", "dim"),
}
"""Of a respect that is equal, is not, or cannot be compared: a sign, its words and its looks."""


class PairHead(QFrame):
    """Both models and the verdict at the left; at the right the respects in which they are compared.

    Signals:
        chosen(str): the target of a part that was clicked.
        model_wanted(QWidget): somebody wants another model for B, to be chosen under this widget.
    """

    chosen = Signal(str)
    model_wanted = Signal(object)

    def __init__(self, model: ComparedVocabularies, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        set_role(self, "bar")
        self._title = set_role(QLabel(), "title")
        self._summary = plain_label("dim", wraps=True)
        self._markers = Marker(theme_source, 0), Marker(theme_source, 1)
        self._name = plain_label("strong")
        self.second = MenuButton(theme_source)
        self.second.fill_on_open(self._list_choices)
        self._facts = FittedLabel(), FittedLabel()
        self._respects = QGridLayout()
        self._build_layout()
        model.pair_changed.connect(self._on_pair_changed)
        model.comparison_changed.connect(self._on_comparison_changed)
        model.filter_changed.connect(self._on_filter_changed)
        self._on_pair_changed()
        self._on_comparison_changed()

    def _build_layout(self) -> None:
        pair = QGridLayout()
        pair.setHorizontalSpacing(GAP_PX)
        pair.setVerticalSpacing(UNIT_PX)
        pair.setColumnStretch(3, 1)
        names: tuple[QWidget, QWidget] = self._name, self.second
        for row, (letter, name) in enumerate(zip("AB", names, strict=True)):
            parts = self._markers[row], set_role(QLabel(letter), "dim"), name, self._facts[row]
            set_role(self._facts[row], "dim")
            for column, part in enumerate(parts):
                pair.addWidget(part, row, column)
            pair.setAlignment(name, LEFT)
        self._name.setContentsMargins(PART_PADDING_PX, 0, 0, 0)  # level with the text of the button below
        left = self._left = QWidget()
        in_column(self._title, self._summary, UNIT_PX, pair, STRETCH, on=left, spacing=UNIT_PX)
        self._respects.setHorizontalSpacing(GAP_PX)
        self._respects.setVerticalSpacing(0)
        self._respects.setColumnStretch(2, 1)
        right = in_column(self._respects, STRETCH)
        margins = MARGIN_PX, 3 * UNIT_PX, MARGIN_PX, 3 * UNIT_PX
        in_row(left, (right, 1), on=self, margins=margins, spacing=MARGIN_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._left.setFixedWidth(min(LEFT_PX, round(MOST_LEFT_SHARE * self.width())))
        super().resizeEvent(event)

    # Both models

    def _on_pair_changed(self) -> None:
        model = self._model
        self._markers[1].show_number(model.second_index)
        self._name.setText(self._shown(session_name(model.first)))
        self._name.setToolTip(plain_tip(session_name(model.first)))
        second = model.second
        self.second.setText("" if second is None else self._shown(session_name(second)).replace("&", "&&"))
        self.second.setToolTip("" if second is None else plain_tip(session_name(second)))
        self.second.setAccessibleName(f"B: {'none' if second is None else session_name(second)}")
        self._show_facts()

    def _shown(self, name: str) -> str:
        return isolate(self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, NAME_PX))

    def _list_choices(self, menu: QMenu) -> None:
        for session in self._model.choices:
            name, is_chosen = isolate(session_name(session)), session is self._model.second
            add_choice(menu, name, is_chosen, partial(self._model.choose_second, session))
        menu.addSeparator()
        menu.addAction("Another model…", self._ask_for_model).setEnabled(self._model.can_add)

    def _ask_for_model(self) -> None:
        self.model_wanted.emit(self.second)

    def _show_facts(self) -> None:
        comparison, sessions = self._model.comparison, (self._model.first, self._model.second)
        for side, (label, session) in enumerate(zip(self._facts, sessions, strict=True)):
            opened = None if session is None else session.loader.model
            texts = [] if opened is None else [model_summary(opened)]
            if comparison is not None and opened is not None:
                share = percent(len(comparison.both) / max(1, len(opened.tokenizer.vocabulary)))
                texts = [f"{texts[0]} · {share} also in {'BA'[side]}", f"{share} also in {'BA'[side]}"]
            label.set_texts([*texts, ""])

    # What was found

    def _on_comparison_changed(self) -> None:
        compared = self._model.compared
        self._show_facts()
        clear(self._respects)
        if compared is None:
            self._title.setText("")
            self._summary.setText("")
            return
        self._title.setText(title(compared.comparison))
        set_role(self._title, "good title" if compared.comparison.is_identical else "title")
        self._summary.setText(summary(compared.respects))
        for row, respect in enumerate(compared.respects):
            self._add(row, respect)
        self._on_filter_changed()

    def _add(self, row: int, respect: Respect) -> None:
        text, words, role = SIGNS[respect.is_equal]
        sign = set_role(QLabel(text), role)
        sign.setAccessibleName(f"{respect.name}: {words}")
        parts = FittingRow(list(map(self._part, respect.parts)))
        for column, widget in enumerate((sign, set_role(QLabel(respect.name), "strong"), parts)):
            self._respects.addWidget(widget, row, column)

    def _part(self, part: VerdictPart) -> QWidget:
        if not part.target:
            label = set_role(QLabel(part.text), "dim")
            label.setContentsMargins(PART_PADDING_PX, GAP_PX, PART_PADDING_PX, GAP_PX)
            return label
        button = set_role(QToolButton(), "quiet")
        button.setText(part.text)
        if len(part.text) > SHORT:  # there may be no room for all of it
            button.setToolTip(plain_tip(part.text))
        button.setCheckable(True)
        button.setProperty("target", part.target)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(self._on_part_clicked)
        return button

    def _on_part_clicked(self) -> None:
        self.chosen.emit(self.sender().property("target"))
        self._on_filter_changed()

    def _on_filter_changed(self) -> None:
        for button in self.findChildren(QToolButton):
            if (target := button.property("target")) is not None:
                button.setChecked(target == self._model.filter.group)


def session_name(session: ModelSession) -> str:
    """What to call the model of a session, also while it is being opened."""
    return session.loader.title or "No model"
