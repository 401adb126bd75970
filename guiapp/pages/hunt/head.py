"""The head of the Hunt page: the two tokenizers, the texts to try, and the progress of the hunt."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QAction, QIntValidator, QPainter
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QMenu, QSizePolicy, QWidget

from guiapp.analysis.hunt.generators import ALL_NAMES
from guiapp.core.text.numbers_in_words import capitalized, counted, percent, quoted
from guiapp.kit.side_by_side.head import LETTERS, SideButton, list_models
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import TipWatch, plain_tip
from guiapp.kit.widgets.file_dialogs import ask_for_folder, ask_to_open_several
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, fill, write
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, Theme, ThemeSource, set_role
from guiapp.pages.hunt.model import SECONDS, HuntModel, title_of

HEIGHT_PX, BAR_TOP_PX, BAR_PX = 40, 8, 6
TICK_PX, TICK_HEIGHT_PX = 2, 14
NEAR_PX = 5.0  # the distance from a tick within which the mouse points at it
LONGEST_PATH = 400
MOST_SEED = 1_000_000_000 - 1
FIGURE_PX = 20
DIFFERS, DECODED = ("differs", "differ"), ("decodes differently", "decode differently")
FIGURES = ("text tried", "texts tried"), ("per second", "per second"), DIFFERS, ("cause", "causes")
"""What each figure counts, in the singular and the plural."""
GENERATORS_TIP = "Generators of the texts to try"
TEXTS_TIP = "Your texts: the hunt tries each line, and variants of it"
RIGHT_SIDE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute  # menu buttons extend to the left


class HuntHead(QFrame):
    """A against B on the left, the texts to try on the right."""

    def __init__(self, model: HuntModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "bar")
        self._model = model
        self.sides = [SideButton(theme_source, letter) for letter in LETTERS]
        self.other = QAction("Another model…", self)
        self.generators = MenuButton(theme_source, role="quiet", tip=GENERATORS_TIP)
        self.texts = MenuButton(theme_source, role="quiet", tip=TEXTS_TIP)
        first, second = self.sides
        first.button.setPopupMode(MenuButton.ToolButtonPopupMode.DelayedPopup)
        second.button.fill_on_open(self._list_competitors)
        self.generators.fill_on_open(self._list_generators)
        self.texts.fill_on_open(self._list_texts)
        against = set_role(FittedLabel(), "dim")
        against.set_texts(["against", ""])
        choices = in_column(self.generators, self.texts, spacing=0)
        for button in (self.generators, self.texts):
            choices.setAlignment(button, RIGHT_SIDE)
        parts = first, against, second, (STRETCH, 1), choices
        in_row(*parts, on=self, margins=(MARGIN_PX, GAP_PX), spacing=GAP_PX)
        model.sides.changed.connect(self._on_sides_changed)
        model.changed.connect(self._on_choices_changed)
        self._on_sides_changed()
        self._on_choices_changed()

    def _on_sides_changed(self) -> None:
        first, second = self._model.sides.first, self._model.sides.second
        empty = ("No model", "open one"), ("Choose B", "a model, or an installed library")
        for button, side, (name, to_do) in zip(self.sides, (first, second), empty, strict=True):
            if side is None:
                button.show_side(name, to_do)
            else:
                button.show_side(side.title, side.about, tip=quoted(side.name, LONGEST_PATH))

    def _on_choices_changed(self) -> None:
        choices, state = self._model.choices, self._model.state
        n_all, n_chosen = len(ALL_NAMES), len(choices.generators)
        some = "" if n_chosen == n_all else f"{n_chosen} of "
        self.generators.setText(f"texts of {some}{n_all} generators")
        taken = [Path(name).name for name, is_taken in choices.own_texts if is_taken]
        names = ["your text"] * choices.takes_text + taken
        shown = "none of your texts" if not names else quoted(names[0], 24)
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        lines = f" · {counted(state.n_lines, 'line')}" if state is not None and state.n_lines else ""
        plus = "and " if names else ""
        self.texts.setText(f"{plus}{shown}{more}{lines}".replace("&", "&&"))
        self.texts.setToolTip(plain_tip(f"{TEXTS_TIP}\n{shown}{more}{lines}"))  # the label may be cut off
        for button in (self.generators, self.texts, self.sides[1].button):
            button.setEnabled(not self._model.is_running)

    def _list_competitors(self, menu: QMenu) -> None:
        model = self._model
        menu.setToolTipsVisible(True)
        sides, second = model.sides, model.sides.second
        if sides.models:
            list_models(menu, sides.models, sides.partner, sides.choose_model)
            menu.addSeparator()
        for side, reason in sides.libraries.items():
            title = f"{side.title}  {side.about}".strip()
            action = add_choice(menu, title, side == second, partial(sides.choose_library, side))
            if reason:
                action.setEnabled(False)
                short = reason.partition(". ")[0].rstrip(".")
                action.setText(f"{action.text()}: {short}".replace("&", "&&"))
                action.setToolTip(plain_tip(reason))
        menu.addSeparator()
        menu.addAction(self.other)

    def _list_generators(self, menu: QMenu) -> None:
        chosen = self._model.choices.generators
        menu.addAction("All", partial(self._choose_generators, ALL_NAMES)).setEnabled(chosen != ALL_NAMES)
        menu.addSeparator()
        for name in ALL_NAMES:
            others = tuple(each for each in ALL_NAMES if (each in chosen) != (each == name))
            choose = partial(self._choose_generators, others)
            add_choice(menu, capitalized(name), name in chosen, choose)

    def _choose_generators(self, names: tuple[str, ...]) -> None:
        self._model.choose(replace(self._model.choices, generators=names))

    def _list_texts(self, menu: QMenu) -> None:
        choices, choose = self._model.choices, self._model.choose
        menu.setToolTipsVisible(True)
        toggled = replace(choices, takes_text=not choices.takes_text)
        add_choice(menu, "The open text", choices.takes_text, partial(choose, toggled))
        for name, is_taken in choices.own_texts:
            take = partial(choose, choices.with_own(name, not is_taken))
            action = add_choice(menu, quoted(Path(name).name), is_taken, take)
            action.setToolTip(plain_tip(quoted(name, LONGEST_PATH)))
        menu.addSeparator()
        menu.addAction("Add files…", self._add_files)
        menu.addAction("Add a folder…", self._add_folder)

    def _add_files(self) -> None:
        for path in ask_to_open_several(self, "Choose texts to try"):
            self._model.choose(self._model.choices.with_own(str(path), True))

    def _add_folder(self) -> None:
        if folder := ask_for_folder(self, "Choose a folder of texts to try"):
            self._model.choose(self._model.choices.with_own(str(folder), True))


class HuntStatus(QWidget):
    """Figures, time and seed, the Start/Stop button, and the time bar."""

    def __init__(self, model: HuntModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self.figures = [Figure() for _ in FIGURES]
        self.time = MenuButton(theme_source, role="quiet", tip="Length of the hunt")
        self.time.setFont(Theme.mono_font(FIGURE_PX))
        self.time.list_choices({_duration(seconds): seconds for seconds in SECONDS})
        self.time.menu().triggered.connect(self._choose_seconds)
        self.seed = QLineEdit()
        self.seed.setValidator(QIntValidator(0, MOST_SEED, self.seed))
        self.seed.setFixedWidth(self.seed.fontMetrics().horizontalAdvance(str(MOST_SEED)) + 4 * GAP_PX)
        self.seed.setAccessibleName("Seed")
        self.seed.setToolTip("The same seed gives the same texts")
        self.seed.textEdited.connect(self._choose_seed)
        self.button = push_button("Start", model.run_or_stop, role="primary")
        self.button.setMinimumWidth(72)
        self.bar = TimeBar(model, theme_source)
        self._figures = framed(in_row(*self.figures, STRETCH, spacing=MARGIN_PX))
        choices = (
            set_role(QLabel("time"), "dim"),
            self.time,
            STRETCH,
            set_role(QLabel("seed"), "dim"),
            self.seed,
            self.button,
        )
        margins = MARGIN_PX, MARGIN_PX, MARGIN_PX, 0
        in_column(
            in_row(*choices, spacing=GAP_PX),
            self._figures,
            self.bar,
            on=self,
            margins=margins,
            spacing=GAP_PX,
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        model.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        model, state = self._model, self._model.state
        tried, seconds = (0, 0.0) if state is None else (state.tried, state.seconds)
        n_differing = 0 if state is None else state.n_differing
        values = (tried, round(tried / seconds) if seconds else 0, n_differing, len(model.kinds))
        for figure, value, words in zip(self.figures, values, FIGURES, strict=True):
            figure.show_value(value, *(DECODED if words == DIFFERS and model.differs_in_decoding else words))
        for part in (self._figures, self.bar):
            part.setVisible(not model.unlike)
        whole = model.hunted_s if model.is_running else model.choices.seconds
        self.time.setText(f"{_clock(seconds)} of {_clock(whole)}")
        self.time.check(model.choices.seconds)
        self.time.setEnabled(not model.is_running)
        if self.seed.text() != str(model.choices.seed) and not self.seed.hasFocus():
            self.seed.setText(str(model.choices.seed))
        self.seed.setEnabled(not model.is_running)
        self.button.setText("Stop" if model.is_running else "Start")
        role = "raised" if model.is_running or model.kinds else "primary"  # then the report is primary
        if self.button.property("role") != role:
            set_role(self.button, role)
        self.button.setEnabled(model.is_running or not model.why_not)
        self.button.setToolTip(plain_tip("" if model.is_running else model.why_not))

    def _choose_seconds(self, action: QAction) -> None:
        self._model.choose(replace(self._model.choices, seconds=action.data()))

    def _choose_seed(self, text: str) -> None:
        self._model.choose(replace(self._model.choices, seed=int(text or 0)))


class Figure(QWidget):
    """A number, with its unit below it."""

    def __init__(self) -> None:
        super().__init__()
        self._name = set_role(QLabel(), "dim")
        self.number = QLabel("0")
        self.number.setFont(Theme.mono_font(FIGURE_PX))
        self.number.setMinimumWidth(self.number.fontMetrics().horizontalAdvance("999,999"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        in_column(self.number, self._name, on=self, spacing=2)

    def show_value(self, value: int, one: str, several: str) -> None:
        name = one if value == 1 else several
        self.number.setText(f"{value:,}")
        self._name.setText(name)
        self.setAccessibleName(f"{value:,} {name}")


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"


def _duration(seconds: float) -> str:
    return f"{seconds:g} seconds" if seconds < 60 else counted(round(seconds / 60), "minute")


class TimeBar(Painted):
    """A time line of the causes found. The tick under the mouse shows its cause."""

    def __init__(self, model: HuntModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Time")
        self._model = model
        self.setFixedHeight(HEIGHT_PX)
        self.setMouseTracking(True)
        TipWatch(self, self._tip)
        model.changed.connect(self._refresh)
        self._refresh()

    @property
    def ticks(self) -> list[tuple[float, str]]:
        return [
            (self._x(seconds), f"{title_of(kind)}, after {seconds:.1f} s")
            for kind, seconds in self._model.found_at.items()
        ]

    @property
    def captions(self) -> tuple[str, str]:
        """The captions below the bar, at the left and at the right."""
        state, first = self._model.state, min(self._model.found_at.values(), default=None)
        left = "" if first is None else f"first cause after {first:.1f} s"
        if not self._model.is_running:
            share = state.n_differing / state.tried if state is not None and state.tried else 0
            differ = (DECODED if self._model.differs_in_decoding else DIFFERS)[1]
            return left, f"{percent(share, 1)} of all texts {differ}" if share else ""
        return left, f"trying: {state.trying}" if state is not None and state.trying else "opening both …"

    def _x(self, seconds: float) -> float:
        state = self._model.state
        whole_s = max(self._model.hunted_s, state.seconds if state is not None else 0.0)
        return self.width() * seconds / whole_s if whole_s else 0.0

    def _refresh(self) -> None:
        state = self._model.state
        seconds = "" if state is None else f"{state.seconds:.0f} s"
        self.setAccessibleDescription(", ".join(filter(None, (seconds, *self.captions))))
        self.update()

    def _tip(self, point: QPoint) -> str:
        return "\n".join(caption for x, caption in self.ticks if abs(x - point.x()) <= NEAR_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        state = self._model.state
        fill(painter, QRectF(0, BAR_TOP_PX, self.width(), BAR_PX), theme.raised, BAR_PX / 2)
        if state is not None:
            done = QRectF(0, BAR_TOP_PX, max(self._x(state.seconds), BAR_PX), BAR_PX)
            fill(painter, done, theme.dim if state.is_over else theme.accent, BAR_PX / 2)
        top = BAR_TOP_PX - (TICK_HEIGHT_PX - BAR_PX) / 2
        for x, _ in self.ticks:
            tick = QRectF(min(x, self.width() - TICK_PX), top, TICK_PX, TICK_HEIGHT_PX)
            painter.fillRect(tick.adjusted(-1, 0, 1, 0), theme.background)
            painter.fillRect(tick, theme.text)
        below = QRectF(0, BAR_TOP_PX + BAR_PX + 6, self.width(), 20)
        painter.setFont(Theme.ui_font(SMALL_FONT_PX))
        for caption, side in zip(self.captions, (LEFT, RIGHT), strict=True):
            write(painter, below, caption, theme.dim, side)
