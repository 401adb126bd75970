"""A run, a training or a lesson on the whole screen, in type that is read from the last row.

All is laid out for a screen that is 1080 high and drawn as much larger or smaller as this one is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from guiapp.core.explain.code_marks import without_marks
from guiapp.viewmodels.later import later
from guiapp.viewmodels.presentation.deck import Deck
from guiapp.widgets.presentation.picture import Picture, pictures
from guiapp.widgets.presentation.words import Column, lay_out_words, paint_words
from guiapp.widgets.shared.painting import CENTER, Painted, fill, ring, write
from guiapp.widgets.shared.theme import Theme, ThemeSource

HEIGHT_PX, LEAST_WIDTH_PX = 1080, 1280
MARGIN_PX, TOP_PX = 96, 56
COLUMN_PX = 1500
WORDS_TOP_PX, WORDS_BOTTOM_PX = 716, 990  # where words begin if they are few, and end at the latest
LEAST_PICTURE_PX = 356
ABOVE_WORDS_PX = 56
PROGRESS_PX, DASH_PX, DASH_GAP_PX, DASH_LINE_PX = 1029, 40, 12, 4
MOST_DASHES, LONG_DASH_PX = 24, 640
NEAR_PX = 24  # of a dash, for a click on it
BUTTON_PX, BUTTON_HEIGHT_PX = 132, 60
MOVE_MS = 160
STILL_MS = 2000  # without the pointer being moved, until it hides
NOTCH = 120  # that a wheel turns by
BACK_SHARE = 1 / 3  # of the width, at the left
Key = Qt.Key
ON_KEYS = (Key.Key_Space, Key.Key_Right, Key.Key_Down, Key.Key_PageDown, Key.Key_Return, Key.Key_Enter)
ONCE_KEYS = (Key.Key_Space, Key.Key_Return, Key.Key_Enter, Key.Key_Backspace)
"""Held down, they do not run through everything; arrow keys do."""

BACK_KEYS = (Key.Key_Backspace, Key.Key_Left, Key.Key_Up, Key.Key_PageUp)


class Presentation(Painted):
    """Shows the slides of a deck, until Escape.

    Signals:
        left(): it is over; where people were is as they left it.
    """

    ground = "background"
    left = Signal()

    def __init__(self, deck: Deck, theme_source: ThemeSource, is_animated: bool, parent: QWidget) -> None:
        super().__init__(theme_source, "Presentation", parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle("Presentation – Tokenloupe")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._deck = deck
        self._is_animated = is_animated
        self._is_pointing = False
        self._turned = 0
        self._before: list[Picture] = []
        self.pictures: list[Picture] = []
        self.column = Column([], 0, None)
        self.words_top = 0.0
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=MOVE_MS)
        self._motion.valueChanged.connect(self.update)
        self._still = later(self, STILL_MS, self._hide_pointer)
        self._keys = self._key_table()
        deck.changed.connect(self._follow)
        theme_source.changed.connect(self._follow)

    def open(self) -> None:
        """On the whole of the screen that the window is on."""
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.screen().geometry())
        self.showFullScreen()
        self.activateWindow()
        self.setFocus()

    def _key_table(self) -> dict[int, Callable[[], None]]:
        deck = self._deck
        table: dict[int, Callable[[], None]] = dict.fromkeys(ON_KEYS, deck.go_on)
        table |= dict.fromkeys(BACK_KEYS, deck.go_back)
        table |= {Key.Key_Home: partial(deck.go_to, 0), Key.Key_End: self._to_last}
        table |= {Key.Key_P: deck.toggle_play, Key.Key_F10: partial(deck.step, 1), Key.Key_Escape: self.leave}
        return table

    def _to_last(self) -> None:
        self._deck.go_to(self._deck.n_slides - 1)

    def leave(self) -> None:
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._deck.walk.clock.pause()
        self._motion.stop()
        super().closeEvent(event)
        self.left.emit()

    # What there is, and where

    @property
    def scale(self) -> float:
        return min(self.height() / HEIGHT_PX, self.width() / LEAST_WIDTH_PX)

    @property
    def room(self) -> QRectF:
        """The screen in the lengths that all is laid out in."""
        return QRectF(0, 0, self.width() / self.scale, self.height() / self.scale)

    @property
    def targets(self) -> dict[str, QRectF]:
        """What can be clicked on besides the two sides of the screen."""
        found = {}
        if self.column.target is not None:
            found["reveal"] = self.column.target.translated(0, self.words_top)
        if self._is_pointing:
            y, right = self.room.height() - BUTTON_HEIGHT_PX - 24, self.room.width() - 24
            places = {"back": 24.0, "on": 24.0 + BUTTON_PX, "play": right - 2 * BUTTON_PX}
            places["leave"] = right - BUTTON_PX
            found |= {name: QRectF(x, y, BUTTON_PX, BUTTON_HEIGHT_PX) for name, x in places.items()}
        return found

    def _follow(self) -> None:
        before = self.pictures
        self._lay_out()
        if [picture.strip for picture in before] != [picture.strip for picture in self.pictures]:
            self._move_from(before)
        words = self._deck.words
        told = [words.say, words.ask, words.answer if words.is_revealed else "", words.more]
        self.setAccessibleDescription("\n".join(without_marks(text) for text in told if text))
        self.update()

    def _move_from(self, before: list[Picture]) -> None:
        """Let letters go to their places from where they were."""
        moves = self._is_animated and self.isVisible() and len(before) == len(self.pictures)
        self._motion.stop()
        self._before = before if moves else []
        if moves:
            self._motion.start()

    def _lay_out(self) -> None:
        deck, room, theme = self._deck, self.room, self._theme_source.theme
        bottom = WORDS_BOTTOM_PX + room.height() - HEIGHT_PX
        width = min(COLUMN_PX, room.width() - 2 * MARGIN_PX)
        most = bottom - TOP_PX - LEAST_PICTURE_PX - ABOVE_WORDS_PX
        self.column = lay_out_words(deck.words, theme, room.center().x(), width, most)
        self.words_top = min(WORDS_TOP_PX, bottom - self.column.height)
        height = self.words_top - ABOVE_WORDS_PX - TOP_PX
        area = QRectF(MARGIN_PX, TOP_PX, room.width() - 2 * MARGIN_PX, height)
        self.pictures = pictures(deck.walk, deck.is_covered, area) if deck.is_ready else []

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()
        self._before = []

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._still.start()

    # Painting

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.scale(self.scale, self.scale)
        share = self._motion.currentValue() if self._before else 1.0
        eased = 1 - (1 - float(share)) ** 3
        for at, picture in enumerate(self.pictures):
            shown = picture.on_the_way(self._before[at], eased) if self._before else picture
            shown.paint(painter, theme)
        paint_words(painter, self.column, self.words_top)
        self._paint_targets(painter, theme)
        self._paint_progress(painter, theme)

    def _paint_targets(self, painter: QPainter, theme: Theme) -> None:
        for name, rect in self.targets.items():
            if name == "reveal":
                _paint_reveal(painter, theme, rect)
                continue
            is_playing = self._deck.walk.clock.is_playing
            word = {"back": "‹", "on": "›", "leave": "Leave"}.get(name, "Pause" if is_playing else "Play")
            font = Theme.ui_font(30 if len(word) > 1 else 44)
            write(painter, rect, word, theme.dim, CENTER, font)

    def _paint_progress(self, painter: QPainter, theme: Theme) -> None:
        number = self._deck.number
        for at, rect in enumerate(self._dashes()):
            color = theme.dim if at < number else theme.accent if at == number else theme.line
            fill(painter, rect, theme.line if self._is_long else color, DASH_LINE_PX / 2)
            if self._is_long:
                rect.setWidth(rect.width() * number / (self._deck.n_slides - 1))
                fill(painter, rect, theme.accent, DASH_LINE_PX / 2)

    @property
    def _is_long(self) -> bool:
        return self._deck.n_slides > MOST_DASHES

    def _dashes(self) -> list[QRectF]:
        """A dash for each slide, or a single line where there are many."""
        n_dashes = 1 if self._is_long else self._deck.n_slides
        length = LONG_DASH_PX if self._is_long else DASH_PX
        step = length + DASH_GAP_PX
        left = self.room.center().x() - (n_dashes * step - DASH_GAP_PX) / 2
        y = PROGRESS_PX + self.room.height() - HEIGHT_PX
        return [QRectF(left + at * step, y, length, DASH_LINE_PX) for at in range(n_dashes)]

    # Keys and pointer

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat() and event.key() in ONCE_KEYS:
            return
        if event.key() == Key.Key_F10 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._deck.step(-1)
        elif (do := self._keys.get(event.key())) is not None:
            do()
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.unsetCursor()
        self._still.start()
        if not self._is_pointing:
            self._is_pointing = True
            self.update()

    def _hide_pointer(self) -> None:
        self.setCursor(Qt.CursorShape.BlankCursor)
        self._is_pointing = False
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.RightButton:
            self._deck.go_back()
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        inverted, _ = QTransform.fromScale(self.scale, self.scale).inverted()
        self._click(inverted.map(event.position()))

    def _click(self, place: QPointF) -> None:
        deck = self._deck
        acts = {"back": deck.go_back, "on": deck.go_on, "play": deck.toggle_play, "leave": self.leave}
        acts["reveal"] = deck.go_on
        for name, rect in self.targets.items():
            if rect.contains(place):
                acts[name]()
                return
        for at, rect in enumerate(self._dashes()):
            if rect.adjusted(-DASH_GAP_PX / 2, -NEAR_PX, DASH_GAP_PX / 2, NEAR_PX).contains(place):
                share = max(0.0, min((place.x() - rect.left()) / rect.width(), 1.0))
                deck.go_to(round(share * (deck.n_slides - 1)) if self._is_long else at)
                return
        if place.x() < self.room.width() * BACK_SHARE:
            deck.go_back()
        else:
            deck.go_on()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A notch is a slide."""
        self._turned += event.angleDelta().y()
        while abs(self._turned) >= NOTCH:
            is_on = self._turned < 0
            self._turned += NOTCH if is_on else -NOTCH
            (self._deck.go_on if is_on else self._deck.go_back)()


def _paint_reveal(painter: QPainter, theme: Theme, rect: QRectF) -> None:
    """A key, and what it does."""
    fill(painter, rect, theme.panel, 16)
    ring(painter, rect, theme.line, 16)
    cap = QRectF(rect.left() + 26, rect.top() + 20, 116, rect.height() - 40)
    ring(painter, cap, theme.line, 8)
    write(painter, cap, "Space", theme.dim, CENTER, Theme.ui_font(28))
    words = rect.adjusted(cap.width() + 34, 0, -16, 0)
    write(painter, words, "Show the answer", theme.text, CENTER, Theme.ui_font(32))
