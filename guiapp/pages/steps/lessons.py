"""The list of lessons, the dialog for writing one, and the bar shown during one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QDesktopServices,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from guiapp.analysis.lessons.added_step import AddedStep, add_step, step_at
from guiapp.analysis.lessons.lesson import ENDING, Lesson, check, save_lesson
from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.demo import resources_folder
from guiapp.core.sources.files import replace_file
from guiapp.core.text.numbers_in_words import counted, printable, quoted
from guiapp.core.text.outside_json import FaultyFileError
from guiapp.errors import TokenloupeError, not_written
from guiapp.kit.state.background import LatestJob, Progress, later
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.file_dialogs import ask_to_open, ask_to_save
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, scroll_down, scrolling
from guiapp.kit.widgets.notices import announce, ask_to_fetch
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.steps.cards import DrawingContext, rich_text, title_line
from guiapp.pages.steps.lesson_player import LessonPlayer

NARRATION_PX = 18  # readable from the last row of a lecture room
MOST_OF_WINDOW, LEAST_BELOW_PX = 0.4, 430  # the text's share; room below the answer
OWN_TEXT = "A lesson brings its own text and model. Your text and model stay open."
LESSON_ACTIONS = ("lesson_previous", "lesson_reveal", "lesson_next", "lesson_leave")
SIZE_PX = (860, 640)
SAY_PX = (640, 260)  # wide enough for the name of a file in the title
MOST_FAULTS = 100  # reported at once
INTRODUCTION = (
    "A lesson is a text file. Save the template below, change it in any editor, and open it here. It is "
    "read again each time. The check runs every step with the real encoders and compares the results with "
    "your claims. It computes the answers to questions."
)
LESSON_FILTER = f"Lessons (*{ENDING})"
FORMATS = {
    ENDING: "Lesson to change (*.toml)",
    ".html": "Page to step through in a browser, or to print (*.html)",
}
LIST_WIDTH_PX = 900
ABOUT = "Click a lesson to begin. Each takes a few minutes, and brings its own text and model."


class BeginButton(QPushButton):
    """A button that Return presses, too; up and down move to the next one, past any other widgets."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            goes_on = event.key() == Qt.Key.Key_Down
            near: QWidget | None = self
            while near is not None and (near is self or not isinstance(near, BeginButton)):
                near = near.nextInFocusChain() if goes_on else near.previousInFocusChain()
            if near is not None:
                near.setFocus()
        else:
            super().keyPressEvent(event)


class LessonCard(QFrame):
    """A card that can be clicked like its main button."""

    def __init__(self, row: QHBoxLayout, click: Callable[[], None]) -> None:
        super().__init__()
        self._click = click
        set_role(self, "card").setLayout(row)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._click()


class LessonList(QScrollArea):
    """A card for each lesson, with a button that begins or resumes it; built when the list is first shown.

    A lesson from a file is read again when it begins, as it may still be edited.  `present` shows the current
    lesson full screen.
    """

    def __init__(self, player: LessonPlayer, zoom: TextZoom, present: Callable[[], None]) -> None:
        super().__init__()
        self._present = present
        self._player = player
        self._zoom = zoom
        self._inner: QWidget | None = None
        self._shown: list[Lesson] = []
        self.buttons: dict[str, BeginButton] = {}
        self.present_buttons: dict[str, QToolButton] = {}
        self._saving = LatestJob[str](self, partial(announce, self), partial(self._complain, "Save lesson"))
        scroll_down(self)
        player.changed.connect(self._refresh)
        zoom.changed.connect(self._on_zoom_changed)

    def fill(self) -> None:
        if self.widget() is not None and self._shown == self._player.lessons:
            return
        self._shown, self.buttons, self.present_buttons = list(self._player.lessons), {}, {}
        cards = [self._card(number, lesson) for number, lesson in enumerate(self._shown, 1)]
        failures = [
            set_role(QLabel(failure, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "dim")
            for failure in self._player.failures
        ]
        self._inner = QWidget()
        write = push_button("Write a lesson…", self.show_author)
        about = self._zoom.fit(set_role(QLabel(ABOUT, wordWrap=True), "dim"), UI_FONT_PX)
        head = in_row((about, 1), write, push_button("Open lesson file…", self.ask_and_open))
        in_column(head, *cards, *failures, STRETCH, on=self._inner, margins=None)
        content = QWidget()
        in_row(self._inner, on=content, margins=None)
        self.setWidget(content)
        self._on_zoom_changed()
        self._refresh()

    def ask_and_open(self) -> None:
        if path := ask_to_open(self, "Open lesson", LESSON_FILTER):
            self.open(path)

    def open(self, path: Path, number: int | None = None) -> bool:
        """Begin a lesson from a file, at a step; return False if it is faulty or its download is declined."""
        try:
            return self._player.open(path, self._may_fetch, number)
        except FaultyFileError as error:
            self._complain("Open lesson", str(error))
            return False

    def _may_fetch(self, models: list[str]) -> bool:
        listed = ", ".join(quoted(model, 200) for model in models)
        return ask_to_fetch(self, f"This lesson uses models from the web: {listed}")

    def ask_and_save(self, lesson: Lesson) -> None:
        if path := ask_to_save(self, "Save a copy", lesson.path.name, FORMATS):
            self.save(lesson, path)

    def save(self, lesson: Lesson, path: Path) -> None:
        self._saving.start(partial(_save, lesson, path))

    def show_author(self) -> None:
        self.author.show()
        self.author.raise_()
        self.author.activateWindow()

    @cached_property
    def author(self) -> AuthorDialog:
        return AuthorDialog(self.open, self)

    def stop(self) -> None:
        self._saving.wait()
        if "author" in self.__dict__:
            self.author.stop()

    def _complain(self, title: str, message: str) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, title, message, parent=self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.exec()
        box.deleteLater()

    @property
    def first_choice(self) -> QWidget:
        suggested = self._player.suggested
        return self if suggested is None else self.buttons.get(suggested.name, self)

    def offer(self) -> None:
        self.first_choice.setFocus()
        self.ensureWidgetVisible(self.first_choice)

    def _on_zoom_changed(self) -> None:
        if self._inner is not None:
            self._inner.setMaximumWidth(self._zoom.scaled(LIST_WIDTH_PX))

    def _card(self, number: int, lesson: Lesson) -> QFrame:
        plain = Qt.TextFormat.PlainText
        title = QLabel(f"{number}.  {lesson.title}", textFormat=plain)
        summary = QLabel(lesson.summary, wordWrap=True, textFormat=plain)
        for label, size_px in ((title, UI_FONT_PX + 3), (summary, UI_FONT_PX)):
            self._zoom.fit(label, size_px)
        set_role(summary, "dim")
        button = BeginButton()
        button.clicked.connect(partial(self._begin, lesson))
        self.buttons[lesson.name] = button
        copy = tool_button("Save a copy…", partial(self.ask_and_save, lesson))
        copy.setAccessibleName(f"Save a copy of {lesson.title}")
        show = self.present_buttons[lesson.name] = tool_button(
            "Present", partial(self._begin_and_present, lesson), name=f"Present {lesson.title}"
        )
        words = in_column(title, summary)
        row = in_row((words, 1), copy, show, button, margins=(MARGIN_PX, MARGIN_PX - 4))
        return LessonCard(row, button.click)

    def _begin(self, lesson: Lesson) -> None:
        is_ours = lesson.name == lesson.path.stem
        if is_ours:
            self._player.begin(lesson.name)
        else:
            self.open(lesson.path)

    def _begin_and_present(self, lesson: Lesson) -> None:
        self._begin(lesson)
        if self._player.lesson is not None:
            self._present()

    def _refresh(self) -> None:
        for lesson in self._shown:
            status = _begin_text(lesson, self._player.reached(lesson), self._player.is_finished(lesson))
            self.buttons[lesson.name].setText(status)
            self.buttons[lesson.name].setAccessibleName(f"{lesson.title}: {status}")


def _begin_text(lesson: Lesson, reached: int, is_finished: bool) -> str:
    """The label of a lesson's button, such as `✓ Begin again` for a finished lesson."""
    n_steps = len(lesson.steps)
    if reached:
        status = f"Resume at {reached + 1} of {n_steps}"
    else:
        status = "Begin again" if is_finished else f"Begin · {counted(n_steps, 'step')}"
    return f"✓ {status}" if is_finished else status


def _save(lesson: Lesson, path: Path, _: Progress) -> str:
    save_lesson(lesson, path)
    return f"Saved {path}"


class AuthorDialog(QDialog):
    """Template and check for authors of lessons; stays open until the lesson plays.

    `play` begins a lesson from a file, and returns whether it did.
    """

    def __init__(self, play: Callable[[Path], bool], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Write your own lesson")
        self.resize(*SIZE_PX)
        self._play = play
        self._path: Path | None = None
        self.template = QPlainTextEdit(template().decode(), readOnly=True)
        self.template.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.template.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.template.setAccessibleName("Lesson template")
        self.found = QPlainTextEdit(readOnly=True)
        self.found.setAccessibleName("Result of the check")
        self.found.hide()
        self.status = plain_label(wraps=True)
        self.status.hide()
        self.save_button = push_button("Save template…", self.ask_and_save, role="primary")
        self.edit_button = push_button("Open in editor", self._edit)
        self.check_button = push_button("Check lesson file…", self.ask_and_check)
        self.play_button = push_button("Play", self._begin)
        self._checking = LatestJob[str](self, self._show_status, self._show_status)
        self._build_layout()
        self._refresh()

    def ask_and_save(self) -> None:
        if (path := ask_to_save(self, "Save template", "my lesson.toml", {ENDING: LESSON_FILTER})) is None:
            return
        try:
            replace_file(path, template())
        except OSError as error:
            self._show_status(not_written(path, error))
            return
        self._take(path)
        self._show_status(
            f"Saved as {path}. Change it, then check it: `tokenloupe lesson check` does the same."
        )

    def ask_and_check(self) -> None:
        if path := ask_to_open(self, "Check lesson", LESSON_FILTER, str(self._path or "")):
            self.check(path)

    def check(self, path: Path) -> None:
        self._take(path)
        self._show_status(f"Checking {path.name} …")
        self._checking.start(partial(_checked, path))

    def stop(self) -> None:
        self._checking.wait()

    def _build_layout(self) -> None:
        words = set_role(QLabel(INTRODUCTION, wordWrap=True), "dim")
        close = push_button("Close", self.close)
        buttons = in_row(
            self.save_button, self.edit_button, self.check_button, self.play_button, STRETCH, close
        )
        parts = words, heading("The template explains every entry"), (self.template, 3), self.status
        in_column(*parts, (self.found, 1), buttons, on=self, margins=MARGIN_PX, spacing=2 * UNIT_PX)

    def _take(self, path: Path) -> None:
        self._path = path
        self._refresh()

    def _refresh(self) -> None:
        for button in (self.edit_button, self.play_button):
            button.setEnabled(self._path is not None)

    def _show_status(self, status: str) -> None:
        head, _, rest = printable(status).partition("\n")
        self.status.setText(head)
        self.status.show()
        self.found.setPlainText(rest)
        self.found.setVisible(bool(rest))

    def _edit(self) -> None:
        if self._path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path)))

    def _begin(self) -> None:
        if self._path is not None and self._play(self._path):
            self.close()


def template() -> bytes:
    return (resources_folder() / "templates" / "lesson.toml").read_bytes()


def _checked(path: Path, _: Progress) -> str:
    faults = check(path)
    if not faults:
        return f"{path.name}: all claims are correct."
    lines = [f"line {fault.line}: {fault.reason}".replace("\n", " ") for fault in faults[:MOST_FAULTS]]
    return "\n".join([f"{path.name}: {counted(len(faults), 'fault')}", *lines])


class AddedStepBar(QWidget):
    """Plays or undoes the step that was last added to a lesson."""

    def __init__(self, lessons: LessonList) -> None:
        super().__init__()
        self._lessons = lessons
        self._added: AddedStep | None = None
        self.message = plain_label(wraps=True)
        self.play = tool_button("Play", self._play, role="raised")
        self.undo = tool_button("Undo", self._take_back, role="raised", tip="Restore the file")
        dismiss = tool_button("Dismiss", self.hide, role="raised")
        buttons = self.play, self.undo, dismiss
        in_row((self.message, 1), *buttons, on=self, margins=(MARGIN_PX, UNIT_PX))
        self.hide()

    def ask_and_add(self, debugger: Debugger, model: str, parse_special: bool) -> None:
        """Ask for a lesson file, new or existing, and for a text; add the present step with this text."""
        suggested = "my lesson.toml" if self._added is None else str(self._added.path)
        appends = QFileDialog.Option.DontConfirmOverwrite
        path = ask_to_save(self, "Add this step to a lesson", suggested, {ENDING: LESSON_FILTER}, appends)
        if path is None:
            return
        sentence = debugger.sentence()
        title = f"Add this step to {path.name}"
        dialog = QInputDialog(self)
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setWindowTitle(title)
        dialog.setLabelText("Text of this step:")
        dialog.setTextValue(sentence)
        dialog.resize(*SAY_PX)
        if dialog.exec():
            self.add(path, debugger, model, parse_special, dialog.textValue())
        dialog.deleteLater()

    def add(self, path: Path, debugger: Debugger, model: str, parse_special: bool, say: str) -> None:
        try:
            self._added = added = add_step(path, step_at(debugger, model, parse_special, say))
        except TokenloupeError as error:
            self.show_message(str(error))
        else:
            self.show_message(f"Added as step {added.number} to {added.path}", True)

    def _play(self) -> None:
        if self._added is not None and self._lessons.open(self._added.path, self._added.number - 1):
            self.hide()

    def _take_back(self) -> None:
        assert self._added is not None
        try:
            self._added.take_back()
        except TokenloupeError as error:
            self.show_message(str(error))
        else:
            self.hide()

    def show_message(self, message: str, is_added: bool = False) -> None:
        self.message.setText(message)
        for button in (self.play, self.undo):
            button.setVisible(is_added)
        self.show()


class LessonBar(QFrame):
    """Text, question and buttons of the current lesson; hidden if there is none."""

    def __init__(self, player: LessonPlayer, actions: Actions, drawing: DrawingContext) -> None:
        super().__init__()
        self._theme_source, self._zoom, self._controls = drawing
        self._player = player
        set_role(self, "card")
        self.title = title_line(drawing)
        self.title.setToolTip(OWN_TEXT)
        self.narration = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.question = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.note = plain_label("warning", wraps=True)
        for label in (self.narration, self.question, self.note):
            self._zoom.fit(label, NARRATION_PX)
        self._words = framed(in_column(self.narration, self.question, self.note, spacing=GAP_PX))
        self._words_area = scrolling(self._words, 0)
        self._reveals = later(self, 0, self._scroll_to_answer)
        slots = dict(
            zip(LESSON_ACTIONS, (player.go_back, player.reveal, self._go_on, player.leave), strict=True)
        )
        self.buttons = {name: self._button(actions[name]) for name in LESSON_ACTIONS}
        self.keys: list[QShortcut] = []
        for key in ("Right", "Left"):  # which would otherwise move the focus between the buttons
            step = QShortcut(QKeySequence(key), self.buttons["lesson_reveal"])
            step.setContext(Qt.ShortcutContext.WidgetShortcut)
            self.keys.append(step)
            if key == "Right":
                step.activated.connect(player.reveal)
        for name, slot in slots.items():
            actions[name].triggered.connect(partial(self._do, slot))
        present = actions["lesson_present"].trigger
        self.present_button = tool_button("Present", present, tip="Show this lesson full screen")
        head = in_row((self.title, 1), self.present_button, *self.buttons.values())
        in_column(head, self._words_area, on=self, margins=(MARGIN_PX, GAP_PX, MARGIN_PX, MARGIN_PX))
        self._zoom.watch(self)
        self._zoom.changed.connect(self._refresh)
        player.changed.connect(self._refresh)
        self._theme_source.changed.connect(self._refresh)
        self._refresh()

    def _do(self, slot: Callable[[], None]) -> None:
        """Keys of lessons work only while one is visible."""
        if self.isVisible():
            slot()

    def _go_on(self) -> None:
        lesson = self._player.lesson
        self._player.go_on()
        if lesson is not None and self._player.lesson is None:
            announce(self, f"Lesson finished: {lesson.title}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _fit(self) -> None:
        """Take the height that the text needs, but leave most of the window to the steps below."""
        needed = max(0, self._words.heightForWidth(self._words_area.width()))
        height, is_revealed = self.window().height(), self._player.is_revealed
        most = min(MOST_OF_WINDOW * height, height - LEAST_BELOW_PX * is_revealed)
        self._words_area.setFixedHeight(min(needed, round(most)))
        if is_revealed:
            self._reveals.start()

    def _scroll_to_answer(self) -> None:
        self._words_area.ensureVisible(0, self._words.height(), 0, 0)

    def _button(self, action: QAction) -> QToolButton:
        role = "next" if action.objectName() == "lesson_reveal" else "quiet"
        button = tool_button(action.text(), action.trigger, role=role, tip=action.shortcut().toString())
        return self._controls.fit(button, UI_FONT_PX)

    def _refresh(self) -> None:
        lesson, step = self._player.lesson, self._player.step
        self.setVisible(lesson is not None)
        if lesson is None or step is None:
            return
        theme = self._theme_source.theme
        word, _, rest = step.setting.partition(" ")  # of the lesson, not of the window's bars
        setting = f"{word.upper()} {rest}"
        position = f"{self._player.number + 1} OF {len(lesson.steps)}"
        self.title.set_texts([f"LESSON · {lesson.title.upper()} · {position} · {setting}"])
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
        next_role = "quiet" if is_open else "next"  # exactly one button is highlighted
        if self.buttons["lesson_next"].property("role") != next_role:
            set_role(self.buttons["lesson_next"], next_role)
        self.buttons["lesson_next"].setText(
            "Next" if self._player.number + 1 < len(lesson.steps) else "Finish"
        )
        self.buttons["lesson_previous"].setEnabled(self._player.number > 0)
        self._fit()
