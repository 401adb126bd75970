"""What a lesson says about the present step, in large type, with its question and the keys to go on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QToolButton

from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.layouts import framed, in_column, in_row, scrolling
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, plain_label, set_role
from guiapp.pages.steps.cards import rich_text
from guiapp.pages.steps.drawing import DrawingContext
from guiapp.pages.steps.lesson_player import LessonPlayer
from guiapp.pages.steps.lines import title_line

NARRATION_PX = 18  # readable from the last row
MOST_OF_WINDOW = 0.4
OWN_TEXT = "A lesson has a text and a model of its own; what you have open stays as it is."
LESSON_ACTIONS = ("lesson_previous", "lesson_reveal", "lesson_next", "lesson_leave")


class LessonBar(QFrame):
    """Shown while a lesson is under way."""

    def __init__(self, player: LessonPlayer, actions: Actions, drawing: DrawingContext) -> None:
        super().__init__()
        self._theme_source, self._zoom, _ = drawing
        self._player = player
        set_role(self, "card")
        self.title = title_line(drawing)
        self.title.setToolTip(OWN_TEXT)
        self.narration = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.question = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.note = plain_label("warning", wraps=True)
        self._words = framed(in_column(self.narration, self.question, self.note, spacing=GAP_PX))
        self._words_area = scrolling(self._words, 0)
        slots = dict(
            zip(LESSON_ACTIONS, (player.go_back, player.reveal, player.go_on, player.leave), strict=True)
        )
        self.buttons = {name: self._button(actions[name]) for name in LESSON_ACTIONS}
        for name, slot in slots.items():
            actions[name].triggered.connect(partial(self._do, slot))
        present = actions["lesson_present"].trigger
        self.present_button = tool_button("Present", present, tip="This lesson on the whole screen")
        head = in_row((self.title, 1), self.present_button, *self.buttons.values())
        in_column(head, self._words_area, on=self, margins=(MARGIN_PX, GAP_PX, MARGIN_PX, MARGIN_PX))
        self._zoom.watch(self)
        self._zoom.changed.connect(self._refresh)
        player.changed.connect(self._refresh)
        self._theme_source.changed.connect(self._refresh)
        self._refresh()

    def _do(self, slot: Callable[[], None]) -> None:
        """Keys move through a lesson only while it is in sight."""
        if self.isVisible():
            slot()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _fit(self) -> None:
        """Be as high as the words need, but leave half of the window to what they are about."""
        needed = max(0, self._words.heightForWidth(self._words_area.width()))
        self._words_area.setFixedHeight(min(needed, round(self.window().height() * MOST_OF_WINDOW)))

    def _button(self, action: QAction) -> QToolButton:
        role = "next" if action.objectName() == "lesson_reveal" else "quiet"
        return tool_button(action.text(), action.trigger, role=role, tip=action.shortcut().toString())

    def _refresh(self) -> None:
        lesson, step = self._player.lesson, self._player.step
        self.setVisible(lesson is not None)
        if lesson is None or step is None:
            return
        theme = self._theme_source.theme
        for label in (self.narration, self.question, self.note):
            label.setFont(self._zoom.ui_font(NARRATION_PX))
        word, _, rest = step.setting.partition(" ")  # which is not what the bars of the window say
        setting = f"{word.upper()} {rest}"
        place = f"{self._player.number + 1} OF {len(lesson.steps)}"
        self.title.show_text(f"LESSON · {lesson.title.upper()} · {place} · {setting}")
        self.narration.setText(rich_text(step.say, theme.accent))
        self.question.setVisible(bool(step.ask or self._player.failure))
        answer = rich_text(f"→ {self._player.answer}", theme.accent) if self._player.is_revealed else ""
        self.question.setText(f"<b>{rich_text(step.ask, theme.accent)}</b>{answer}")
        if self._player.failure:
            self.question.setText(escape(self._player.failure))
        self.note.setText(self._player.note)
        self.note.setVisible(bool(self._player.note))
        is_open = bool(step.ask) and not self._player.is_revealed
        self.buttons["lesson_reveal"].setVisible(is_open)
        next_role = "quiet" if is_open else "next"  # one button is the one to press
        if self.buttons["lesson_next"].property("role") != next_role:
            set_role(self.buttons["lesson_next"], next_role)
        self.buttons["lesson_previous"].setEnabled(self._player.number > 0)
        self._fit()
