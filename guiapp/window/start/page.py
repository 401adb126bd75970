"""The start page: the ways in, lessons, and what can be opened again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QVBoxLayout, QWidget

from guiapp.analysis.sessions.name import is_session
from guiapp.core.demo import LESSONS, PREFIX, LessonHead
from guiapp.core.sources.locate import lasting_name
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.models.choice import model_rows, shown_path
from guiapp.kit.models.choices import Choice
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.layouts import STRETCH, clear, framed, head_row, in_column, in_row
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.style_sheet import heading, set_role
from guiapp.kit.widgets.theme import MARGIN_PX, UNIT_PX
from guiapp.kit.widgets.wrapping_row import scrolling
from guiapp.pages.steps.lesson_progress import LessonProgress
from guiapp.window.start.cards import StartCard
from guiapp.window.start.pictures import draw_bars, draw_beside, draw_merge, draw_text
from guiapp.window.start.rows import StartRow

Place = tuple[int, int, int]
"""Row, column and how many columns."""

N_COLUMNS = 4
WIDE: tuple[Place, ...] = ((0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 0, 2), (1, 2, 1), (1, 3, 1))
NARROW: tuple[Place, ...] = ((0, 0, 2), (0, 2, 2), (1, 0, 2), (1, 2, 2), (2, 0, 4), (3, 0, 2), (3, 2, 2))
"""The four cards, lessons, models and texts."""

WIDEST_PX, ROOM_FOR_FOUR_PX = 1440, 1160
CARD_HEIGHT_PX, HEAD_PX, COLUMN_GAP_PX = 292, 34, 6 * UNIT_PX
N_ROWS = 5
SAMPLE = "welcome"
BESIDE, INSTEAD = f"{PREFIX}rwkv", f"{PREFIX}bpe"
N_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
NO_TEXTS = "Texts and sessions that you open or save are listed here."


class StartPage(Page):
    """Gives way to whatever is opened; Escape leaves it."""

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self._setting = setting
        self._progress = LessonProgress(setting.settings)
        self.looking, self.learning, self.comparing, self.measuring = self.cards = self._cards()
        self._done = set_role(QLabel(), "dim")
        self.present = tool_button("Present", self._present_next, role="link")
        self.lessons, self.models, self.texts = QGridLayout(), QVBoxLayout(), QVBoxLayout()
        self._grid, self._is_wide = QGridLayout(), True
        self._listed: tuple[list[Choice], list[tuple[str, bool]]] | None = None
        self._lay_out()
        shelf, loader = setting.shelf, setting.session.loader
        for source in (shelf.recent, shelf.recent_texts, shelf.installed):
            source.changed.connect(self._follow_shelf)
        loader.model_changed.connect(self._follow_shelf)
        loader.loading_changed.connect(self._follow_loader)
        setting.session.text.left.connect(self._give_way)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # Tab leads to the first card

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        sections = filter(None, (part.parentWidget() for part in (self.lessons, self.models, self.texts)))
        rows = ([row for row in each.findChildren(StartRow) if not row.isHidden()] for each in sections)
        return [self.looking.title, *(each[0] for each in rows if each)]

    @property
    def is_ready(self) -> bool:
        return not self._setting.shelf.installed.is_looking

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow_lessons()
        self._follow_shelf()
        shelf = self._setting.shelf
        shelf.recent.look_for_missing()
        shelf.recent_texts.look_for_missing()
        shelf.installed.look()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._setting.requests.left.emit()
        else:
            super().keyPressEvent(event)

    def _cards(self) -> tuple[StartCard, ...]:
        actions, themes = self._setting.actions, self._setting.theme_source
        compare, measure = actions["compare"].trigger, actions["bench"].trigger
        n_lessons = N_WORDS[len(LESSONS)] if len(LESSONS) < len(N_WORDS) else str(len(LESSONS))
        cards = (
            StartCard(
                "Look at a text",
                "See which pieces of a text a model gets, and how many they are.",
                draw_text,
                actions["inspect"].trigger,
                self._show_sample,
                themes,
            ),
            StartCard(
                "Learn",
                f"{n_lessons} short lessons, each one a run that you step through.",
                draw_merge,
                self._setting.requests.lessons_wanted.emit,
                self._go_on_learning,
                themes,
            ),
            StartCard(
                "Compare models",
                "Put two vocabularies beside each other on the same text.",
                draw_beside,
                compare,
                self._compare_demos,
                themes,
            ),
            StartCard(
                "Measure",
                "Time encoders and libraries here, and check that their ids agree.",
                draw_bars,
                measure,
                self._setting.requests.measuring_wanted.emit,
                themes,
            ),
        )
        for card, text in zip(
            cards, ("Try the sample text", "", "Try two demo models", "Run a quick look"), strict=True
        ):
            card.set_example(text)
        return cards

    def _lay_out(self) -> None:
        actions = self._setting.actions
        title = set_role(QLabel("What would you like to do?"), "welcome")
        hint = set_role(QLabel("Or drop a text, a model or a session anywhere in this window."), "dim")
        open_text = tool_button("Open…", actions["open_text"].trigger, role="link", name="Open text file")
        choose = tool_button("All…", actions["choose_model"].trigger, role="link", name="Choose model")
        own = (
            tool_button("Open…", actions["open_lesson"].trigger, role="link", name="Open lesson file"),
            tool_button(
                "Write…", actions["write_lesson"].trigger, role="link", name="Write a lesson of your own"
            ),
        )
        for card in self.cards:
            card.setMinimumHeight(CARD_HEIGHT_PX)
        self._lists = (
            _section(
                in_row(heading("Lessons"), STRETCH, self._done, self.present, *own, spacing=MARGIN_PX),
                self.lessons,
            ),
            _section(head_row("Models", choose), self.models),
            _section(head_row("Recent texts and sessions", open_text), self.texts),
        )
        self.lessons.setHorizontalSpacing(COLUMN_GAP_PX)
        self._grid.setHorizontalSpacing(COLUMN_GAP_PX)
        self._grid.setVerticalSpacing(COLUMN_GAP_PX)
        for column in range(N_COLUMNS):
            self._grid.setColumnStretch(column, 1)
        self._arrange(WIDE)
        head = in_row(title, 3 * UNIT_PX, hint, STRETCH)
        inner = framed(in_column(head, 4 * UNIT_PX, self._grid, margins=0))
        inner.setMaximumWidth(WIDEST_PX)
        around = framed(in_row((inner, 1), margins=(3 * MARGIN_PX, 2 * MARGIN_PX)))
        whole = in_column((STRETCH, 1), around, (STRETCH, 3))
        in_column(scrolling(framed(whole, "ground"), 0), on=self)

    def _arrange(self, places: tuple[Place, ...]) -> None:
        """Put cards and lists where they belong in a window of this width."""
        for part, place in zip((*self.cards, *self._lists), places, strict=True):
            row, column, span = place
            side = Qt.AlignmentFlag.AlignTop if part in self._lists else Qt.AlignmentFlag(0)
            self._grid.addWidget(part, row, column, 1, span, side)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = event.size().width() >= ROOM_FOR_FOUR_PX
        if is_wide is not self._is_wide:
            self._is_wide = is_wide
            self._arrange(WIDE if is_wide else NARROW)

    # Ways in

    def _show_sample(self) -> None:
        self._setting.actions[f"sample:{SAMPLE}"].trigger()
        self._setting.actions["inspect"].trigger()

    def _go_on_learning(self) -> None:
        self._setting.actions[f"lesson:{self._next_lesson.name}"].trigger()

    def _present_next(self) -> None:
        self._go_on_learning()
        self._setting.actions["lesson_present"].trigger()

    def _compare_demos(self) -> None:
        """Put a demo model beside the one that is open, unless one is there already."""
        compared = self._setting.compared
        if len(compared.sessions) == 1:
            model = self._setting.session.loader.model
            compared.add(INSTEAD if model is not None and model.name == BESIDE else BESIDE)
        self._setting.actions["compare"].trigger()

    def _open_model(self, name: str) -> None:
        self._setting.requests.model_chosen.emit(name)
        self._setting.actions["inspect"].trigger()

    def _open_text(self, path: str) -> None:
        self._setting.requests.text_chosen.emit(Path(path))
        if not is_session(Path(path)):  # which brings its own page to the front
            self._setting.actions["inspect"].trigger()

    def _give_way(self) -> None:
        if self.isVisible():
            self._setting.actions["inspect"].trigger()

    def _follow_loader(self) -> None:
        """The model of the last time, which the program opens by itself, moves nobody."""
        loader = self._setting.session.loader
        if loader.loading_name is not None and loader.model is not None:
            self._give_way()

    # What is listed

    @property
    def _next_lesson(self) -> LessonHead:
        """The one begun last, or else the first that is not finished."""
        last = next(reversed(self._progress.numbers), "")
        unfinished = [lesson for lesson in LESSONS if not self._is_finished(lesson)]
        begun = (lesson for lesson in unfinished if lesson.name == last)
        return next(begun, unfinished[0] if unfinished else LESSONS[0])

    def _is_finished(self, lesson: LessonHead) -> bool:
        return self._progress.is_finished(lesson.name, lesson.n_steps)

    def _follow_lessons(self) -> None:
        following, n_done = self._next_lesson, sum(map(self._is_finished, LESSONS))
        self._done.setText(f"{n_done} of {len(LESSONS)} done")
        does = "Go on with" if self._progress.reached(following.name, following.n_steps) else "Begin"
        self.learning.set_example(f"{does} lesson {LESSONS.index(following) + 1}")
        tip = f"Show lesson {LESSONS.index(following) + 1} on the whole screen, in large type"
        self.present.setToolTip(tip)
        self.present.setAccessibleName(tip)
        n_rows = -(-len(LESSONS) // 2)
        clear(self.lessons)
        for at, lesson in enumerate(LESSONS):
            self.lessons.addWidget(self._lesson_row(lesson, lesson is following), at % n_rows, at // n_rows)

    def _lesson_row(self, lesson: LessonHead, is_next: bool) -> StartRow:
        reached = self._progress.reached(lesson.name, lesson.n_steps)
        detail = f"step {reached + 1} of {lesson.n_steps}" if reached else counted(lesson.n_steps, "step")
        share = 1.0 if self._is_finished(lesson) else (reached + 1) / lesson.n_steps if reached else 0.0
        begin = self._setting.actions[f"lesson:{lesson.name}"].trigger
        themes = self._setting.theme_source
        return StartRow(lesson.title, detail, begin, themes, share=share, is_next=is_next)

    def _follow_shelf(self) -> None:
        if not self.isVisible():
            return
        texts = self._setting.shelf.recent_texts
        models = list(islice(self._choices(), N_ROWS))
        paths = [(path, path not in texts.missing) for path in texts.paths[:N_ROWS]]
        if (models, paths) == self._listed:  # a row that is being clicked stays
            return
        self._listed = models, paths
        clear(self.models)
        clear(self.texts)
        for choice in models:
            self.models.addWidget(self._model_row(choice))
        for path, is_there in paths:
            self.texts.addWidget(self._text_row(path, is_there))
        if not paths:
            self.texts.addWidget(set_role(QLabel(NO_TEXTS, wordWrap=True), "dim"))

    def _choices(self) -> Iterator[Choice]:
        """Recent models, those on this machine, and the demo models, none twice."""
        model, shelf = self._setting.session.loader.model, self._setting.shelf
        current = None if model is None else lasting_name(model.name)
        rows: Iterable[Choice] = model_rows(
            shelf.recent.files, shelf.recent.missing, shelf.installed.rows, current
        )
        seen = set()
        for choice in rows:
            if (name := lasting_name(choice.name)) not in seen and choice.is_there:
                seen.add(name)
                yield choice

    def _model_row(self, choice: Choice) -> StartRow:
        is_demo = choice.name.startswith(PREFIX)
        title, detail = (f"Demo: {choice.title}", "") if is_demo else (choice.title, choice.detail)
        click, tip = partial(self._open_model, choice.name), "\n".join((choice.name, choice.detail))
        return StartRow(title, detail, click, self._setting.theme_source, icon_name="model", tip=tip)

    def _text_row(self, path: str, is_there: bool) -> StartRow:
        name, folder = quoted(Path(path).name), shown_path(Path(path).parent)
        click, themes = partial(self._open_text, path), self._setting.theme_source
        row = StartRow(name, folder if is_there else "not found", click, themes, tip=quoted(path, len(path)))
        row.setEnabled(is_there)
        return row


def _section(head: QLayout, rows: QLayout) -> QWidget:
    """A heading, a hairline, and rows."""
    hairline = framed(in_row(), "hairline")
    hairline.setFixedHeight(1)
    rows.setSpacing(0)
    rows.setContentsMargins(0, 0, 0, 0)
    line = framed(head)
    line.setFixedHeight(HEAD_PX)
    return framed(in_column(line, hairline, rows, spacing=UNIT_PX))


def make_page(setting: PageSetting) -> StartPage:
    return StartPage(setting)
