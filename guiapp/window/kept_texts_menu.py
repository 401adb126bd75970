"""The menu of texts that are in no file: those that another text took the place of, or a window left."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QDateTime, QLocale, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.document.kept_texts import KeptTextHead, KeptTexts
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.widgets.questions import Questions

LONGEST_BEGINNING = 48
MOST_SHOWN = 20


class KeptTextsMenu(QObject):
    """Lists them above what the menu has already, as often as it opens; the one that is shown has a mark."""

    def __init__(self, menu: QMenu, kept_texts: KeptTexts, text: TextSession, questions: Questions) -> None:
        super().__init__(menu)
        self._menu = menu
        self._kept_texts = kept_texts
        self._text = text
        self._questions = questions
        self._first_of_menu = menu.actions()[0]
        self._listed: list[QAction] = []
        menu.aboutToShow.connect(self._fill)

    def delete_all(self) -> None:
        """Delete all of them, if people say so."""
        heads = self._kept_texts.others()
        if heads and self._questions.delete_kept_texts(len(heads)):
            self._kept_texts.delete(heads)

    def _fill(self) -> None:
        for action in self._listed:
            self._menu.removeAction(action)
            action.deleteLater()
        heads = self._kept_texts.others()
        self._listed = [self._action(head) for head in heads[:MOST_SHOWN]]
        if not heads:
            self._listed.append(QAction("None", self, enabled=False))
        separator = QAction(self)
        separator.setSeparator(True)
        self._listed.append(separator)
        self._menu.insertActions(self._first_of_menu, self._listed)

    def _action(self, head: KeptTextHead) -> QAction:
        is_shown = self._is_shown(head)
        action = QAction(title_of(head), self, checkable=is_shown, checked=is_shown)
        action.triggered.connect(partial(self._show, head))
        return action

    def _is_shown(self, head: KeptTextHead) -> bool:
        document = self._text.document
        if (head.size_bytes, head.beginning) != (document.size, document.slice(0, len(head.beginning))):
            return False
        kept = self._kept_texts.read(head)
        return kept is not None and kept.data == document.text()

    def _show(self, head: KeptTextHead) -> None:
        kept = self._kept_texts.read(head)
        if kept is not None:
            self._text.show_kept(kept.data, kept.path)


def title_of(head: KeptTextHead) -> str:
    """`words.txt: Its first words (21/11/26 20:15)`"""
    words = quoted(b" ".join(head.beginning.split()), LONGEST_BEGINNING)
    name = "" if head.path is None else f"{quoted(head.path.name)}: "
    when = QDateTime.fromSecsSinceEpoch(int(head.time_s))
    time = QLocale().toString(when, QLocale.FormatType.ShortFormat)
    return f"{name}{words} ({time})".replace("&", "&&")
