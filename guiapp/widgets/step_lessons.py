"""The lessons to choose from."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from guiapp.core.lessons.lesson import Lesson
from guiapp.viewmodels.lesson_player import LessonPlayer
from guiapp.widgets.style_sheet import set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, UI_FONT_PX, Theme

LIST_WIDTH_PX = 900


class LessonList(QScrollArea):
    """A card for each, with a button that begins or resumes; they are read when the list is first shown."""

    def __init__(self, player: LessonPlayer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self.buttons: dict[str, QPushButton] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        player.changed.connect(self._follow)

    def fill(self) -> None:
        """Make the cards, the first time."""
        if self.widget() is not None:
            return
        content = QWidget()
        outer = QHBoxLayout(content)
        column = QVBoxLayout()
        column.setSpacing(GAP_PX)
        for number, lesson in enumerate(self._player.lessons, 1):
            column.addWidget(self._card(number, lesson))
        for failure in self._player.failures:
            label = QLabel(failure, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
            set_role(label, "dim")
            column.addWidget(label)
        column.addStretch()
        inner = QWidget()
        inner.setLayout(column)
        inner.setMaximumWidth(LIST_WIDTH_PX)
        outer.addWidget(inner)
        self.setWidget(content)
        self._follow()

    def _card(self, number: int, lesson: Lesson) -> QFrame:
        card = QFrame()
        set_role(card, "card")
        title, summary = QLabel(f"{number}.  {lesson.title}"), QLabel(lesson.summary, wordWrap=True)
        title.setFont(Theme.ui_font(UI_FONT_PX + 3))
        set_role(summary, "dim")
        button = QPushButton()
        button.clicked.connect(partial(self._player.begin, lesson.name))
        self.buttons[lesson.name] = button
        words = QVBoxLayout()
        words.addWidget(title)
        words.addWidget(summary)
        row = QHBoxLayout(card)
        row.setContentsMargins(MARGIN_PX, MARGIN_PX - 4, MARGIN_PX, MARGIN_PX - 4)
        row.addLayout(words, 1)
        row.addWidget(button)
        return card

    def _follow(self) -> None:
        for lesson in self._player.lessons if self.buttons else ():
            reached = self._player.reached(lesson)
            told = (
                f"Resume at {reached + 1} of {len(lesson.steps)}"
                if reached
                else f"Begin · {len(lesson.steps)} steps"
            )
            self.buttons[lesson.name].setText(told)
            self.buttons[lesson.name].setAccessibleName(f"{lesson.title}: {told}")
