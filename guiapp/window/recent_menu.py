"""The menu of model, text and session files that were opened last."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from guiapp.core.sources.locate import is_plain, lasting_name
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.session.choice import shown_path
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.recent import RecentFiles, RecentTexts
from guiapp.kit.widgets.event_filters import plain_tip

LONGEST_NAME, LONGEST_FOLDER = 48, 40


class RecentMenu(QObject):
    """Lists models, then texts, above what the menu has; what is open has a mark, what is gone is grey.

    Signals:
        model_chosen(str): the path of a model to open.
        text_chosen(Path): a text or a session to open.
    """

    model_chosen = Signal(str)
    text_chosen = Signal(object)

    def __init__(self, menu: QMenu, session: ModelSession, models: RecentFiles, texts: RecentTexts) -> None:
        super().__init__(menu)
        self._menu = menu
        self._session = session
        self._models = models
        self._texts = texts
        self._first_of_menu = menu.actions()[0]
        self._listed: list[QAction] = []
        self._by_path: dict[str, QAction] = {}
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self._fill)
        models.changed.connect(self._refresh_missing)
        texts.changed.connect(self._refresh_missing)

    def _fill(self) -> None:
        for action in self._listed:
            self._menu.removeAction(action)
            action.deleteLater()
        self._by_path = {}
        groups = list(filter(None, (self._models_listed(), self._texts_listed())))
        groups = groups or [[QAction("None", self, enabled=False)]]
        self._listed = [action for group in groups for action in (*group, _separator(self))]
        self._menu.insertActions(self._first_of_menu, self._listed)
        self._refresh_missing()
        self._models.check_missing()
        self._texts.check_missing()

    def _models_listed(self) -> list[QAction]:
        model = self._session.loader.model
        opened = None if model is None else lasting_name(model.name)
        return [
            self._action(file.path, file.path == opened, partial(self.model_chosen.emit, file.path))
            for file in self._models.files
        ]

    def _texts_listed(self) -> list[QAction]:
        path = self._session.text.path
        opened = None if path is None else str(path.absolute())
        return [
            self._action(text, text == opened, partial(self.text_chosen.emit, Path(text)))
            for text in self._texts.paths
        ]

    def _action(self, path: str, is_open: bool, slot: Callable[[], object]) -> QAction:
        action = QAction(title_of(path), self, checkable=is_open, checked=is_open)
        action.triggered.connect(slot)
        action.setToolTip(plain_tip(quoted(path, len(path))))
        self._by_path[path] = action
        return action

    def _refresh_missing(self) -> None:
        missing = self._models.missing | self._texts.missing
        for path, action in self._by_path.items():
            action.setEnabled(path not in missing)


def title_of(named: str) -> str:
    """`words.txt – ~/texts`; of what is no path, all of it."""
    if not is_plain(named):
        return quoted(named, LONGEST_NAME + LONGEST_FOLDER).replace("&", "&&")
    path = Path(named)
    return f"{quoted(path.name, LONGEST_NAME)} – {_end(shown_path(path.parent))}".replace("&", "&&")


def _end(shown: str) -> str:
    return shown if len(shown) <= LONGEST_FOLDER else f"…{shown[1 - LONGEST_FOLDER :]}"


def _separator(parent: QObject) -> QAction:
    separator = QAction(parent)
    separator.setSeparator(True)
    return separator
