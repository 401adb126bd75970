"""The lessons to choose from."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QWidget

from guiapp.core.lessons.lesson import Lesson
from guiapp.viewmodels.steps.lesson_player import LessonPlayer
from guiapp.widgets.shared.layouts import STRETCH, framed, in_column, in_row, scroll_down
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.text_zoom import TextZoom
from guiapp.widgets.shared.theme import MARGIN_PX, UI_FONT_PX

LIST_WIDTH_PX = 900
KEYS_TEXT = (
    "Return begins a lesson. In it, Ctrl+PgDown goes on and Ctrl+PgUp back, Ctrl+Return shows the answer "
    "to a question, and ← and → step."
)


class BeginButton(QPushButton):
    """Is pressed by Return, too."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class LessonList(QScrollArea):
    """A card for each, with a button that begins or resumes; they are read when the list is first shown."""

    def __init__(self, player: LessonPlayer, zoom: TextZoom) -> None:
        super().__init__()
        self._player = player
        self._zoom = zoom
        self._words: list[tuple[QLabel, int]] = []
        self._inner: QWidget | None = None
        self.buttons: dict[str, BeginButton] = {}
        scroll_down(self)
        player.changed.connect(self._follow)
        zoom.changed.connect(self._follow_zoom)

    def fill(self) -> None:
        """Make the cards, the first time."""
        if self.widget() is not None:
            return
        cards = [self._card(number, lesson) for number, lesson in enumerate(self._player.lessons, 1)]
        failures = [
            set_role(QLabel(failure, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "dim")
            for failure in self._player.failures
        ]
        self._inner = QWidget()
        in_column(self._keys(), *cards, *failures, STRETCH, on=self._inner, margins=None)
        content = QWidget()
        in_row(self._inner, on=content, margins=None)
        self.setWidget(content)
        self._follow_zoom()
        self._follow()

    @property
    def first_choice(self) -> QWidget:
        """What the focus belongs to: the button of the lesson to go on with."""
        suggested = self._player.suggested
        return self if suggested is None else self.buttons.get(suggested.name, self)

    def offer(self) -> None:
        """Let Return go on with the lesson that comes next."""
        self.first_choice.setFocus()
        self.ensureWidgetVisible(self.first_choice)

    def _keys(self) -> QLabel:
        label = set_role(QLabel(KEYS_TEXT, wordWrap=True), "dim")
        self._words.append((label, UI_FONT_PX))
        return label

    def _follow_zoom(self) -> None:
        if self._inner is not None:
            self._inner.setMaximumWidth(self._zoom.scaled(LIST_WIDTH_PX))
        for label, size_px in self._words:
            label.setFont(self._zoom.ui_font(size_px))

    def _card(self, number: int, lesson: Lesson) -> QFrame:
        title, summary = QLabel(f"{number}.  {lesson.title}"), QLabel(lesson.summary, wordWrap=True)
        self._words += [(title, UI_FONT_PX + 3), (summary, UI_FONT_PX)]
        set_role(summary, "dim")
        button = BeginButton()
        button.clicked.connect(partial(self._player.begin, lesson.name))
        self.buttons[lesson.name] = button
        words = in_column(title, summary)
        return framed(in_row((words, 1), button, margins=(MARGIN_PX, MARGIN_PX - 4)), "card")

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
