"""Headers of columns of tokens: model names and buttons, token counts, and how much two texts share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QSizePolicy, QWidget

from guiapp.core.text.numbers_in_words import elided
from guiapp.core.text.visible_text import isolate
from guiapp.kit.session.choice import about
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.painting import Marker, Painted, fill
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    set_role,
)

COUNT_FONT_PX = 22
BAR_PX = 4
LEAST_NAME_PX, MOST_NAME_PX = 120, 300
AROUND_NAME_PX = 48  # arrow and padding
LETTERS = "AB"
LONGEST_ABOUT = 80  # characters in a menu


class PrefixBar(Painted):
    """A bar for the number of tokens of a text, relative to another text.

    Dark for the common prefix, amber for the tokens that this text has more than the other one.
    """

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._shares = (0.0, 0.0, 0.0)
        self.setFixedHeight(BAR_PX)

    def show_shares(self, common: float, least: float, length: float) -> None:
        """Set the parts as shares of the whole width; `least` is the smaller number of tokens."""
        if self._shares != (common, least, length):
            self._shares = (common, least, length)
            self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        common, least, length = (share * self.width() for share in self._shares)
        for width, color in ((length, theme.warning), (least, theme.line), (common, theme.dim)):
            fill(painter, QRectF(0, 0, width, BAR_PX), color, BAR_PX / 2)


class NameButton(MenuButton):
    """`name ▾`, elided in the middle if it does not fit."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, role="name")
        self._name = ""
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_name(self, name: str) -> None:
        if name != self._name:
            self._name = name
            self._fit()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        width = min(self.fontMetrics().horizontalAdvance(self._name), MOST_NAME_PX)
        return QSize(AROUND_NAME_PX + width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(LEAST_NAME_PX, self.sizeHint().width()), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = max(self.width() - AROUND_NAME_PX, 0) + 2  # tolerance for rounded widths
        shown = self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, room)
        if shown.replace("&", "&&") != self.text():
            self.setText(shown.replace("&", "&&"))


class SideButton(QWidget):
    """Marker, letter and name of one of two models, its summary, and a button to choose another one."""

    def __init__(self, theme_source: ThemeSource, letter: str) -> None:
        super().__init__()
        self._letter = letter
        self.button = NameButton(theme_source)
        self.about = set_role(FittedLabel(), "dim")
        self.about.setFont(Theme.ui_font(SMALL_FONT_PX))
        column = in_column(in_row(self.button, (STRETCH, 1)), in_row(UNIT_PX + 3, (self.about, 1)), spacing=0)
        self.marker = Marker(theme_source, LETTERS.index(letter))
        marks = in_row(self.marker, set_role(QLabel(letter), "dim"), spacing=UNIT_PX)
        in_row(marks, (column, 1), on=self, spacing=UNIT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_side(self, name: str, *about: str, tip: str = "") -> None:
        """Show the name, and the longest of the summaries `about` that fits."""
        parts = about[-1].split(" · ")
        shorter = [" · ".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]
        self.about.set_texts([*about, *shorter, ""])
        self.button.setToolTip(plain_tip(tip))
        self.button.setAccessibleName(f"{self._letter}: {name}, {about[0]}")
        self.button.set_name(name)


def list_models(
    menu: QMenu,
    sessions: Sequence[ModelSession],
    chosen: ModelSession | None,
    choose: Callable[[ModelSession], object],
) -> None:
    """Fill a menu with the models of the Compare page, to choose B."""
    for session in sessions:
        loader = session.loader
        description = (loader.problem or "opening …") if loader.model is None else about(loader.model)
        title = isolate(f"{loader.title}  {elided(description, LONGEST_ABOUT)}")
        add_choice(menu, title, session is chosen, partial(choose, session))


class SideHead(QFrame):
    """The header of a side: two rows and a bar; the page provides `title` and `tools`."""

    height_px = 92
    bar_tip = "Dark: tokens that both texts begin with. Amber: how many more tokens this text has."

    def __init__(self, theme_source: ThemeSource, title: QWidget, *tools: QWidget) -> None:
        super().__init__()
        set_role(self, "bar")
        self._count = set_role(QLabel(), "number")
        self._count.setFont(Theme.mono_font(COUNT_FONT_PX))
        self._count.setAccessibleName("Tokens")
        self._more = set_role(FittedLabel(), "more")
        self._size = set_role(FittedLabel(), "dim")
        self._bar = PrefixBar(theme_source)
        self._bar.setToolTip(plain_tip(self.bar_tip))
        first = in_row((title, 1), self._more, self._count, spacing=GAP_PX)
        second = in_row((self._size, 1), *tools, spacing=UNIT_PX)
        in_column(first, second, self._bar, on=self, margins=(MARGIN_PX, GAP_PX), spacing=2)
        self.setFixedHeight(self.height_px)  # both texts begin at the same height

    def show_counts(
        self, n_tokens: int, n_more: int, n_common: int, n_most: int, is_known: bool = True
    ) -> None:
        """Show the tokens of this side, how many more than the other, and the common prefix."""
        self._count.setText(f"{n_tokens:,}" if is_known else "")
        self._more.set_texts([f"+{n_more:,}" if n_more > 0 else ""])
        least = n_tokens - max(n_more, 0)
        self._bar.show_shares(*(n / max(n_most, 1) for n in (n_common, least, n_tokens)))

    def show_size(self, *texts: str, role: str = "dim") -> None:
        """Show the size of the text and more: the first of `texts` that fits, so the longest first."""
        if role != self._size.property("role"):
            set_role(self._size, role)
        self._size.set_texts(list(texts))
