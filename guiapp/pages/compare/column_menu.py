"""What people can do with a column: another model, another way to encode, once more, away with it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.choice_list import PrePicker, can_choose
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.theme import ThemeSource


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
        """Show what is chosen now, as the menu opens."""
        session = self._session
        self._encoders.clear()
        for algorithm in session.encoders.values():
            mark = "exact" if algorithm.exact else "approximate"
            action = self._encoders.addAction(f"{algorithm.name}: {algorithm.title} ({mark})")
            action.setCheckable(True)
            action.setChecked(session.algorithm is algorithm)
            action.triggered.connect(partial(session.set_encoder, algorithm.name))
        self._encoders.setEnabled(bool(session.encoders))
        self._pre.setEnabled(can_choose(session.loader))
        self._add_special.setChecked(session.options.add_special)
        self._parse_special.setChecked(session.options.parse_special)
        self._again.setEnabled(self.can_add and session.loader.model is not None)
