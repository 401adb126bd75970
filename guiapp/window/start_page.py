"""The start page: what you can do, lessons, and recent items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from guiapp.core.demo import LESSONS, PREFIX, LessonHead
from guiapp.core.sources.locate import lasting_name
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.session.choice import Choice, model_rows, shown_path
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.layouts import STRETCH, clear, framed, head_row, in_column, in_row, scrolling
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.painting import CENTER, LEFT, RIGHT, Painted, PaintedButton, bold, fill, icon, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    RADIUS_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    set_role,
)
from guiapp.pages.steps.lesson_progress import LessonProgress

PICTURE_SIZE = QSize(240, 148)
CORNER_PX = 8
FONT_PX = 14
PICTURE_ROW_PX, BOX_PX = 29, 30
INDENT_PX = 20
SPACE = "·"

Draw = Callable[[QPainter, Theme, QRectF], None]

LINES = (
    ("U", "n", "b", "el", "ie", "v", "able", " token", "iz", "ation", ":"),
    ("t", "he", " cat", ",", " The", " cat", ","),
    (" ", "7", " ", "3", "65", " ", "3", "14", "1", "59"),
)
"""Tokens of demo:bpe, line by line."""

MERGED = ("un", "b", "el", "ie", "v", "ab", "le")
MERGE_RANK = 464
"""The tokens of `unbelievable` in demo:bpe before the last merge, which joins the last two."""

BESIDE_PICTURE = (
    ("BPE", ("   ", " return", " gr", "ö", "ß", "er")),
    ("Longest match", ("    ", "re", "tu", "rn", " g", "r", "ö", "ß", "er")),
)
"""The same text in demo:bpe and demo:rwkv."""

BARS = ((3, 1.0, 0.07), (0, 0.84, 0.05), (4, 0.05, 0.015))
"""Colour, length and whisker of illustrative bars, not of a measurement."""
ROW_PX = 31
MARK_PX = 16
LIT = 0.14  # the accent's share in the background
FULL_CIRCLE, TOP = 360 * 16, 90 * 16  # in QPainter's units, 1/16 degree
LEAST_DETAIL_PX, SHORT_DETAIL_PX = 60, 80
BETWEEN = " · "  # separates the parts of a detail
OUTSIDE_PX = 15  # of the letters of a button
GridSlot = tuple[int, int, int]
"""Row, column and column span."""

N_COLUMNS = 4
WIDE: tuple[GridSlot, ...] = ((0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 0, 2), (1, 2, 1), (1, 3, 1))
NARROW: tuple[GridSlot, ...] = ((0, 0, 2), (0, 2, 2), (1, 0, 2), (1, 2, 2), (2, 0, 4), (3, 0, 2), (3, 2, 2))
"""The positions of the four cards, lessons, models and texts."""

WIDEST_PX, ROOM_FOR_FOUR_PX = 1440, 1160
ROOM_FOR_PICTURES_PX = {True: 560, False: 800}
"""By whether the page is wide: the least height for lists below cards with pictures."""
CARD_HEIGHT_PX, HEAD_PX, COLUMN_GAP_PX = 292, 34, 6 * UNIT_PX
N_ROWS = 5
SAMPLE = "welcome"
BESIDE, INSTEAD = f"{PREFIX}rwkv", f"{PREFIX}bpe"
LOOKING = (
    "Look at a text",
    "See how a model cuts a text into tokens, and count them.",
    "Try the sample text",
)
LEARNING = "{} short lessons, step by step."
COMPARING = (
    "Compare models",
    "See two models side by side on the same text.",
    "Try two demo models",
)
MEASURING = "Measure", "Time encoders and libraries, and check that their ids agree.", "Run a quick benchmark"
OTHER_PAGES = {
    "chat": "Check a chat template",
    "doctor": "Examine a model file",
    "hunt": "Hunt for differences",
    "vocabulary": "Browse a vocabulary",
}
NO_TEXTS = "Texts, sessions and training data that you open or save are listed here."


class StartPage(Page):
    """Leaves when anything is opened. Escape leaves it, too."""

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
        self._build_layout()
        recent_items, loader = setting.recent_items, setting.session.loader
        for source in (recent_items.recent, recent_items.recent_texts, recent_items.installed):
            source.changed.connect(self._refresh_recent)
        loader.model_changed.connect(self._refresh_recent)
        loader.loading_changed.connect(self._on_loading_changed)
        setting.session.text.left.connect(self._give_way)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # so that Tab leads to the first card

    @property
    def panels(self) -> list[QWidget]:
        """The widgets that F6 cycles through."""
        sections = filter(None, (part.parentWidget() for part in (self.lessons, self.models, self.texts)))
        rows = ([row for row in each.findChildren(StartRow) if not row.isHidden()] for each in sections)
        return [self.looking.title, *(each[0] for each in rows if each)]

    @property
    def is_ready(self) -> bool:
        return not self._setting.recent_items.installed.is_looking

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh_lessons()
        self._refresh_recent()
        recent_items = self._setting.recent_items
        recent_items.recent.check_missing()
        recent_items.recent_texts.check_missing()
        recent_items.installed.scan()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._setting.requests.left.emit()
        else:
            super().keyPressEvent(event)

    def _cards(self) -> tuple[StartCard, ...]:
        actions, requests, themes = self._setting.actions, self._setting.requests, self._setting.theme_source
        inspect, learn = actions["inspect"].trigger, requests.lessons_wanted.emit
        compare, measure = actions["compare"].trigger, actions["bench"].trigger
        run = requests.measuring_wanted.emit
        return (
            StartCard(*LOOKING, draw_text, inspect, self._show_sample, themes),
            StartCard(
                "Learn", LEARNING.format(len(LESSONS)), "", draw_merge, learn, self._go_on_learning, themes
            ),
            StartCard(*COMPARING, draw_comparison, compare, self._compare_demos, themes),
            StartCard(*MEASURING, draw_bars, measure, run, themes),
        )

    def _build_layout(self) -> None:
        actions = self._setting.actions
        title = set_role(QLabel("What would you like to do?"), "welcome")
        hint = set_role(QLabel("Or drop a text, a model or a session anywhere in this window."), "dim")
        open_text = tool_button("Open…", actions["open_text"].trigger, role="link", name="Open text file")
        choose = tool_button("All…", actions["choose_model"].trigger, role="link", name="Choose model")
        own = (
            tool_button("Open…", actions["open_lesson"].trigger, role="link", name="Open lesson file"),
            tool_button("Write…", actions["write_lesson"].trigger, role="link", name="Write your own lesson"),
        )
        self._lists = (
            _section(
                in_row(heading("Lessons"), STRETCH, self._done, self.present, *own, spacing=MARGIN_PX),
                self.lessons,
            ),
            _section(head_row("Models", choose), self.models),
            _section(head_row("Recent texts, sessions and data", open_text), self.texts),
        )
        self.lessons.setHorizontalSpacing(GAP_PX)
        self._grid.setHorizontalSpacing(COLUMN_GAP_PX)
        self._grid.setVerticalSpacing(COLUMN_GAP_PX)
        for column in range(N_COLUMNS):
            self._grid.setColumnStretch(column, 1)
        self._arrange(WIDE)
        head = in_row(title, 3 * UNIT_PX, hint, STRETCH)
        links = [tool_button(text, actions[name].trigger, role="link") for name, text in OTHER_PAGES.items()]
        more = in_row(set_role(QLabel("Or"), "dim"), *links, STRETCH, spacing=GAP_PX)
        inner = framed(in_column(head, more, 2 * UNIT_PX, self._grid, margins=0))
        inner.setMaximumWidth(WIDEST_PX)
        around = framed(in_row((inner, 1), margins=(3 * MARGIN_PX, 2 * MARGIN_PX)))
        whole = in_column((STRETCH, 1), around, (STRETCH, 3))
        in_column(scrolling(framed(whole, "ground"), 0), on=self)

    def _arrange(self, slots: tuple[GridSlot, ...]) -> None:
        """Put cards and lists into the grid for this width of the window."""
        for part, slot in zip((*self.cards, *self._lists), slots, strict=True):
            row, column, span = slot
            side = Qt.AlignmentFlag.AlignTop if part in self._lists else Qt.AlignmentFlag(0)
            self._grid.addWidget(part, row, column, 1, span, side)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = event.size().width() >= ROOM_FOR_FOUR_PX
        if is_wide is not self._is_wide:
            self._is_wide = is_wide
            self._arrange(WIDE if is_wide else NARROW)
        has_pictures = event.size().height() >= ROOM_FOR_PICTURES_PX[is_wide]
        for card in self.cards:
            card.picture.setVisible(has_pictures)
            card.setMinimumHeight(CARD_HEIGHT_PX if has_pictures else 0)

    # Cards

    def _show_sample(self) -> None:
        self._setting.actions[f"sample:{SAMPLE}"].trigger()

    def _go_on_learning(self) -> None:
        self._setting.actions[f"lesson:{self._next_lesson.name}"].trigger()

    def _present_next(self) -> None:
        self._go_on_learning()
        self._setting.actions["lesson_present"].trigger()

    def _compare_demos(self) -> None:
        """Compare two demo models, replacing open ones if necessary."""
        compared, requests = self._setting.compared, self._setting.requests
        models = [session.loader.model for session in compared.sessions]
        names = ["" if model is None else model.name for model in models]
        if sum(name.startswith(PREFIX) for name in names) < 2:
            for session in compared.sessions[1:]:
                compared.remove(session)
            if not names[0].startswith(PREFIX):
                requests.model_chosen.emit(INSTEAD)
            compared.add(INSTEAD if names[0] == BESIDE else BESIDE)
        self._setting.actions["compare"].trigger()

    def _open_model(self, name: str) -> None:
        self._setting.requests.model_chosen.emit(name)
        self._setting.actions["inspect"].trigger()

    def _give_way(self) -> None:
        if self.isVisible():
            self._setting.actions["inspect"].trigger()

    def _on_loading_changed(self) -> None:
        """Leave the page when the user opens a model, not when the last one is opened at the start."""
        loader = self._setting.session.loader
        if loader.loading_name is not None and loader.model is not None:
            self._give_way()

    # Lists

    @property
    def _next_lesson(self) -> LessonHead:
        """The lesson that was started last, or else the first unfinished one."""
        last = next(reversed(self._progress.numbers), "")
        unfinished = [lesson for lesson in LESSONS if not self._is_finished(lesson)]
        begun = (lesson for lesson in unfinished if lesson.name == last)
        return next(begun, unfinished[0] if unfinished else LESSONS[0])

    def _is_finished(self, lesson: LessonHead) -> bool:
        return self._progress.is_finished(lesson.name, lesson.n_steps)

    def _refresh_lessons(self) -> None:
        following, n_done = self._next_lesson, sum(map(self._is_finished, LESSONS))
        self._done.setText(f"{n_done} of {len(LESSONS)} done")
        does = "Resume" if self._progress.reached(following.name, following.n_steps) else "Begin"
        self.learning.set_example(f"{does} lesson {LESSONS.index(following) + 1}")
        tip = f"Show lesson {LESSONS.index(following) + 1} full screen, in large type"
        self.present.setToolTip(tip)
        self.present.setAccessibleName(tip)
        n_rows = -(-len(LESSONS) // 2)
        clear(self.lessons)
        for at, lesson in enumerate(LESSONS):
            self.lessons.addWidget(self._lesson_row(lesson, lesson is following), at % n_rows, at // n_rows)

    def _lesson_row(self, lesson: LessonHead, is_next: bool) -> StartRow:
        reached = self._progress.reached(lesson.name, lesson.n_steps)
        detail = f"{reached + 1} of {lesson.n_steps}" if reached else counted(lesson.n_steps, "step")
        share = 1.0 if self._is_finished(lesson) else (reached + 1) / lesson.n_steps if reached else 0.0
        begin = self._setting.actions[f"lesson:{lesson.name}"].trigger
        themes = self._setting.theme_source
        return StartRow(lesson.title, detail, begin, themes, share=share, is_next=is_next)

    def _refresh_recent(self) -> None:
        if not self.isVisible():
            return
        texts = self._setting.recent_items.recent_texts
        models = list(islice(self._choices(), N_ROWS))
        paths = [(path, path not in texts.missing) for path in texts.paths[:N_ROWS]]
        if (models, paths) == self._listed:  # keeps a row that is being clicked
            return
        self._listed = models, paths
        clear(self.models)
        clear(self.texts)
        titles = Counter(choice.title for choice in models)
        for choice in models:
            self.models.addWidget(self._model_row(choice, titles[choice.title] == 1))
        for path, is_there in paths:
            self.texts.addWidget(self._text_row(path, is_there))
        if not paths:
            self.texts.addWidget(set_role(QLabel(NO_TEXTS, wordWrap=True), "dim"))

    def _choices(self) -> Iterator[Choice]:
        """Recent models, models on this machine, and demo models, without duplicates."""
        model, recent_items = self._setting.session.loader.model, self._setting.recent_items
        current = None if model is None else lasting_name(model.name)
        rows: Iterable[Choice] = model_rows(
            recent_items.recent.files, recent_items.recent.missing, recent_items.installed.rows, current
        )
        seen = set()
        for choice in rows:
            if (name := lasting_name(choice.name)) not in seen and choice.is_there:
                seen.add(name)
                yield choice

    def _model_row(self, choice: Choice, is_only: bool) -> StartRow:
        """A row for a model; with its file if another model has the same title."""
        is_demo = choice.name.startswith(PREFIX)
        title, detail = (f"Demo: {choice.title}", "") if is_demo else (choice.title, choice.detail)
        detail = detail if is_only else quoted(Path(choice.name).name)
        click, tip = partial(self._open_model, choice.name), "\n".join((choice.name, choice.detail))
        return StartRow(title, detail, click, self._setting.theme_source, icon_name="model", tip=tip)

    def _text_row(self, path: str, is_there: bool) -> StartRow:
        name, folder = quoted(Path(path).name), shown_path(Path(path).parent)
        click = partial(self._setting.requests.text_chosen.emit, Path(path))
        detail, themes = folder if is_there else "not found", self._setting.theme_source
        row = StartRow(name, detail, click, themes, tip=quoted(path, len(path)))
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


make_page = StartPage


class StartCard(QFrame):
    """A card. A click anywhere opens it; the button at the bottom runs the example."""

    def __init__(
        self,
        title: str,
        about: str,
        example_title: str,
        draw: Draw,
        open_: Callable[[], object],
        example: Callable[[], object],
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        set_role(self, "door")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._open = open_
        self.title = tool_button(title, open_, role="door")
        words = set_role(QLabel(about, wordWrap=True), "dim")
        words.setIndent(OUTSIDE_PX)
        self.example = tool_button("", example)
        self.set_example(example_title)
        for button in (self.title, self.example):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        parts = in_row(self.title, STRETCH), words, STRETCH, in_row(self.example, STRETCH)
        side = INDENT_PX - OUTSIDE_PX
        below = in_column(*parts, margins=(side, 3 * UNIT_PX, INDENT_PX, 2 * UNIT_PX), spacing=UNIT_PX)
        self.picture = CardPicture(draw, theme_source)
        in_column(self.picture, (below, 1), on=self, spacing=0)

    def set_example(self, text: str) -> None:
        self.example.setText(f"▸  {text}")
        self.example.setAccessibleName(text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # so that the release arrives here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._open()


class StartRow(PaintedButton):
    """An icon, a title, and details on the right.

    share  the completed share of a lesson, drawn as a ring and at the end as a tick; None if there is an icon
    """

    radius_px = RADIUS_PX

    def __init__(
        self,
        title: str,
        detail: str,
        clicked: Callable[[], object],
        theme_source: ThemeSource,
        *,
        share: float | None = None,
        icon_name: str = "",
        is_next: bool = False,
        tip: str = "",
    ) -> None:
        super().__init__(theme_source)
        self._detail = detail
        self._share = share
        self._icon_name = icon_name
        self._is_next = is_next
        self.setText(title)
        self.setToolTip(plain_tip(tip))
        progress = "finished" if share == 1 else f"step {detail}" if share else detail
        self.setAccessibleName(", ".join(filter(None, (title, progress))))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(clicked)

    def sizeHint(self) -> QSize:
        return QSize(200, ROW_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def ground(self, theme: Theme) -> QColor | None:
        if self._is_next:
            return blend(theme.background, theme.accent, LIT)
        return theme.raised if self.underMouse() else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        inner = QRectF(self.rect()).adjusted(GAP_PX + 0.5, 0.5, -GAP_PX - 0.5, -0.5)
        self._paint_mark(painter, theme, inner)
        has_mark = self._share is not None or self._icon_name
        self._paint_texts(painter, theme, inner.adjusted(MARK_PX + GAP_PX + 2 if has_mark else 0, 0, 0, 0))

    def _paint_mark(self, painter: QPainter, theme: Theme, inner: QRectF) -> None:
        mark = QRectF(inner.left(), inner.center().y() - MARK_PX / 2, MARK_PX, MARK_PX)
        if self._icon_name:
            icon(self._icon_name, theme.dim).paint(painter, mark.toRect())
        elif self._share == 1:
            fill(painter, mark, theme.good, MARK_PX / 2)
            icon("check", theme.background).paint(painter, mark.adjusted(2, 2, -2, -2).toRect())
        elif self._share is not None:
            ring = mark.adjusted(1, 1, -1, -1)
            painter.setPen(QPen(theme.faint, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(ring)
            painter.setPen(QPen(theme.accent, 1.8))
            painter.drawArc(ring, TOP, -round(FULL_CIRCLE * self._share))

    def _paint_texts(self, painter: QPainter, theme: Theme, area: QRectF) -> None:
        """A short detail is painted first, then the title. A long one gets the rest, as many parts as fit."""
        font, small = Theme.ui_font(UI_FONT_PX), Theme.ui_font(SMALL_FONT_PX)
        metrics, detail_metrics = QFontMetricsF(font), QFontMetricsF(small)
        detail_px = detail_metrics.horizontalAdvance(self._detail) + GAP_PX
        room = area.width() - (detail_px if detail_px <= SHORT_DETAIL_PX else 0)
        title = metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)
        color = theme.text if self.isEnabled() and self._share != 1 else theme.dim
        write(painter, area, title, color, LEFT, font)
        rest = area.adjusted(metrics.horizontalAdvance(title) + GAP_PX, 0, 0, 0)
        detail = self._detail
        while BETWEEN in detail and detail_metrics.horizontalAdvance(detail) > rest.width():
            detail = detail.rpartition(BETWEEN)[0]
        if rest.width() >= min(detail_metrics.horizontalAdvance(detail), LEAST_DETAIL_PX):
            detail = detail_metrics.elidedText(detail, Qt.TextElideMode.ElideRight, rest.width())
            write(painter, rest, detail, theme.dim, RIGHT, small)


# Small pictures for the cards, with tokens of the demo models


class CardPicture(Painted):
    """One of the drawings below, in the upper half of a card."""

    def __init__(self, draw: Draw, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._draw = draw
        self.setFixedHeight(PICTURE_SIZE.height())
        self.setMinimumWidth(PICTURE_SIZE.width())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        area = QRectF(self.rect()).adjusted(1, 1, -1, 0)
        ground = QPainterPath()
        ground.addRoundedRect(area.adjusted(0, 0, 0, CORNER_PX), CORNER_PX - 1, CORNER_PX - 1)
        painter.setClipRect(self.rect())
        painter.fillPath(ground, theme.raised)
        painter.fillRect(QRectF(0, area.bottom() - 1, self.width(), 1), theme.line)
        self._draw(painter, theme, area.adjusted(INDENT_PX, 0, -INDENT_PX, 0))


def draw_text(painter: QPainter, theme: Theme, area: QRectF) -> None:
    """Draw coloured tokens, line by line."""
    top, tint = area.center().y() - PICTURE_ROW_PX * len(LINES) / 2, 0
    for tokens in LINES:
        _draw_tokens(painter, theme, QPointF(area.left(), top), tokens, tint)
        top, tint = top + PICTURE_ROW_PX, tint + len(tokens)


def draw_merge(painter: QPainter, theme: Theme, area: QRectF) -> None:
    """Draw two tokens that are merged, with the rank of their merge."""
    font = Theme.mono_font(FONT_PX)
    metrics, gap = QFontMetricsF(font), UNIT_PX + 1
    widths = [metrics.horizontalAdvance(token) + 2 * GAP_PX for token in MERGED]
    left = area.center().x() - (sum(widths) + gap * (len(widths) - 1)) / 2
    boxes = []
    for width in widths:
        boxes.append(QRectF(left, area.center().y() - BOX_PX / 2 + UNIT_PX, width, BOX_PX))
        left += width + gap
    for at, (box, token) in enumerate(zip(boxes, MERGED, strict=True)):
        is_joined = at >= len(boxes) - 2
        painter.setPen(QPen(theme.accent if is_joined else theme.line, 1.5 if is_joined else 1))
        painter.setBrush(theme.panel)
        painter.drawRoundedRect(box, 5, 5)
        write(painter, box, token, theme.text, CENTER, font)
    _draw_joint(painter, theme, boxes[-2], boxes[-1])


def _draw_joint(painter: QPainter, theme: Theme, one: QRectF, other: QRectF) -> None:
    """Draw the rank above two boxes, and the merged token below them."""
    ends, level = (one.center().x(), other.center().x()), one.top() - GAP_PX
    middle = sum(ends) / 2
    painter.setPen(QPen(theme.accent, 1.5))
    painter.drawLine(QPointF(ends[0], level), QPointF(ends[1], level))
    for end in ends:
        painter.drawLine(QPointF(end, level), QPointF(end, one.top() - 1))
    tag = QRectF(middle - 20, level - 21, 40, 20)
    fill(painter, tag, theme.accent, UNIT_PX)
    write(painter, tag, str(MERGE_RANK), theme.on_accent, CENTER, bold(Theme.mono_font(SMALL_FONT_PX)))
    below = QRectF(middle - 40, one.bottom() + UNIT_PX, 80, 20)
    write(painter, below, "".join(MERGED[-2:]), theme.dim, CENTER, Theme.mono_font(FONT_PX - 1))


def draw_comparison(painter: QPainter, theme: Theme, area: QRectF) -> None:
    """Draw one text in two models, with the number of tokens of each."""
    top = area.center().y() - PICTURE_ROW_PX * 2
    for name, tokens in BESIDE_PICTURE:
        line = QRectF(area.left(), top, area.width(), PICTURE_ROW_PX - UNIT_PX)
        write(painter, line, name, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))
        count = f"{len(tokens)} tokens"
        write(painter, line, count, theme.text, RIGHT, bold(Theme.mono_font(SMALL_FONT_PX)))
        _draw_tokens(painter, theme, QPointF(area.left(), top + PICTURE_ROW_PX - UNIT_PX), tokens, 0)
        top += 2 * PICTURE_ROW_PX


def draw_bars(painter: QPainter, theme: Theme, area: QRectF) -> None:
    """Draw bars with whiskers."""
    top = area.center().y() - PICTURE_ROW_PX * len(BARS) / 2
    for color, share, whisker in BARS:
        bar = QRectF(area.left(), top + 5, area.width() * 0.88 * share, PICTURE_ROW_PX - 10)
        fill(painter, bar, theme.contenders[color], 3)
        ends = [bar.right() + sign * area.width() * whisker for sign in (-1, 1)]
        painter.setPen(QPen(theme.text, 1.2))
        painter.drawLine(QPointF(ends[0], bar.center().y()), QPointF(ends[1], bar.center().y()))
        for end in ends:
            painter.drawLine(QPointF(end, bar.center().y() - 4), QPointF(end, bar.center().y() + 4))
        top += PICTURE_ROW_PX


def _draw_tokens(
    painter: QPainter, theme: Theme, corner: QPointF, tokens: Sequence[str], first_tint: int
) -> None:
    """Draw tokens side by side, as in the text; a middle dot stands for a space."""
    font = Theme.mono_font(FONT_PX)
    advance = QFontMetricsF(font).horizontalAdvance("x")
    left = corner.x()
    for tint, token in enumerate(tokens, first_tint):
        box = QRectF(left, corner.y() + 3, advance * len(token), PICTURE_ROW_PX - 7)
        fill(painter, box, theme.span_color(tint), 3)
        for at, sign in enumerate(_shown(token)):
            cell = QRectF(left + at * advance, box.top(), advance, box.height())
            write(painter, cell, sign, theme.faint if sign == SPACE else theme.span_text, CENTER, font)
        left = box.right()


def _shown(token: str) -> Iterable[str]:
    return token.replace(" ", SPACE)
