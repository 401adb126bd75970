"""What a lesson says about the present step, in large type, with its question and the keys to go on."""

from __future__ import annotations

import re
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from guiapp.viewmodels.lesson_player import LessonPlayer
from guiapp.widgets.actions import Actions
from guiapp.widgets.style_sheet import heading, set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource

NARRATION_PX = 18  # readable from the last row
LESSON_ACTIONS = ("lesson_previous", "lesson_reveal", "lesson_next", "lesson_leave")


class LessonButton(QToolButton):
    """Lists the lessons; they are read when the list is first opened."""

    def __init__(self, player: LessonPlayer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self.setText("lessons")
        self.setToolTip("Step through a lesson")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        set_role(self, "raised")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)

    def _fill(self) -> None:
        self._menu.clear()
        for number, lesson in enumerate(self._player.lessons, 1):
            action = QAction(f"{number}. {lesson.title}", self._menu)
            action.setToolTip(lesson.summary)
            action.triggered.connect(partial(self._player.begin, lesson.name))
            self._menu.addAction(action)


class LessonBar(QFrame):
    """Shown while a lesson is under way."""

    def __init__(
        self, player: LessonPlayer, actions: Actions, theme_source: ThemeSource, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._player = player
        self._theme_source = theme_source
        set_role(self, "card")
        self._title = heading("")
        self.narration = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.question = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        for label in (self.narration, self.question):
            label.setFont(Theme.ui_font(NARRATION_PX))
        slots = dict(
            zip(LESSON_ACTIONS, (player.go_back, player.reveal, player.go_on, player.leave), strict=True)
        )
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch()
        self.buttons = {name: self._button(actions[name]) for name in LESSON_ACTIONS}
        for name, slot in slots.items():
            actions[name].triggered.connect(slot)
            head.addWidget(self.buttons[name])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN_PX, GAP_PX, MARGIN_PX, MARGIN_PX)
        layout.setSpacing(GAP_PX)
        layout.addLayout(head)
        layout.addWidget(self.narration)
        layout.addWidget(self.question)
        player.changed.connect(self._follow)
        theme_source.changed.connect(self._follow)
        self._follow()

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton()
        button.setText(action.text())
        button.setToolTip(action.shortcut().toString())
        button.clicked.connect(action.trigger)
        set_role(button, "next" if action.objectName() == "lesson_next" else "quiet")
        return button

    def _follow(self) -> None:
        lesson, step = self._player.lesson, self._player.step
        self.setVisible(lesson is not None)
        if lesson is None or step is None:
            return
        theme = self._theme_source.theme
        self._title.setText(
            f"LESSON · {lesson.title.upper()} · {self._player.number + 1} OF {len(lesson.steps)}"
        )
        told = [step.say, *(merge.sentence for merge in step.training()[-1:])] if step.train else [step.say]
        self.narration.setText(_rich("\n\n".join(told), theme))
        self.question.setVisible(bool(step.ask))
        answer = f"\n\n→ {step.answer}" if self._player.is_revealed else ""
        self.question.setText(_rich(f"? {step.ask}{answer}", theme))
        self.buttons["lesson_reveal"].setVisible(bool(step.ask) and not self._player.is_revealed)
        self.buttons["lesson_previous"].setEnabled(self._player.number > 0)


def _rich(text: str, theme: Theme) -> str:
    """Paragraphs, `code` and *emphasis* as Qt's rich text."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    family = Theme.mono_font().family()
    code = re.sub(
        "`([^`]+)`", rf"<b style=\"font-family:'{family}'; color:{theme.accent.name()}\">\1</b>", escaped
    )
    emphasis = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", code)
    return "".join(f"<p style='margin:0 0 8px 0'>{paragraph}</p>" for paragraph in emphasis.split("\n\n"))
