"""Lists of steps beside the present one; a click goes to one of them."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.shaped_texts import LEFT, RIGHT
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, Theme
from guiapp.pages.steps.cards import QuietButton, head_row
from guiapp.pages.steps.drawing import Drawing
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.tries import Made, made_so_far

ROW_PX = 24


class StepRows(Painted):
    """One line for each: its number, what it made or says, what that is worth."""

    ground = "panel"
    nothing = ""  # said where there are none

    def __init__(self, name: str, n_rows: int, model: StepsModel, drawing: Drawing) -> None:
        super().__init__(drawing.theme_source, name)
        self._model = model
        self._zoom = drawing.zoom
        self._texts = drawing.texts.of(SMALL_FONT_PX + 1)
        self._n_rows = n_rows
        self.entries: list[Made] = []
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        model.trace_changed.connect(self.follow)
        self._zoom.changed.connect(self._fit)
        self._fit()

    @abstractmethod
    def present(self) -> list[Made]:
        """What to show, the newest last."""

    def _fit(self) -> None:
        self.setFixedHeight(self._zoom.scaled(self._n_rows * ROW_PX))
        self.update()

    def follow(self) -> None:
        self.entries = self.present()
        told = "; ".join(entry.text for entry in self.entries)
        self.setAccessibleDescription(told or self.nothing)
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        texts, scale = self._texts, self._zoom.factor
        painter.scale(scale, scale)
        width = self.width() / scale
        if not self.entries:
            painter.setPen(theme.faint)
            texts.draw_in(painter, 0, width, ROW_PX / 2, texts.elided(self.nothing, width), LEFT)
            return
        self._paint_entries(painter, theme, width)

    def _paint_entries(self, painter: QPainter, theme: Theme, width: float) -> None:
        texts, middles = self._texts, [(number + 0.5) * ROW_PX for number in range(len(self.entries))]
        rows = list(zip(self.entries, middles, strict=True))
        left = texts.width(f"{self._model.n_steps:,}") + GAP_PX
        painter.setPen(theme.faint)
        texts.draw_all(painter, [(0, 0, middle, f"{entry.step:,}") for entry, middle in rows], LEFT)
        painter.setPen(theme.dim)
        texts.draw_all(painter, [(0, width, middle, entry.worth) for entry, middle in rows], RIGHT)
        shown = []
        for entry, middle in rows:
            room = width - left - (texts.width(entry.worth) + GAP_PX if entry.worth else 0)
            shown.append((left, 0, middle, texts.elided(entry.text, room)))
        texts.draw_all(painter, shown[:-1], LEFT)
        painter.setPen(theme.text)
        texts.draw_all(painter, shown[-1:], LEFT)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = int(event.position().y() / self._zoom.factor // ROW_PX)
        if 0 <= index < len(self.entries):
            self._model.go_to(self.entries[index].step)


class History(StepRows):
    """What the last steps made."""

    N_ROWS = 10
    nothing = "Nothing is made yet. Step on."

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
        super().__init__("Made so far", self.N_ROWS, model, drawing)
        model.position_changed.connect(self.follow)
        self.follow()

    def present(self) -> list[Made]:
        debugger = self._model.debugger
        return [] if debugger is None else made_so_far(debugger, self.N_ROWS)


class Notes(StepRows):
    """The last messages of log points."""

    N_ROWS = 8

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
        super().__init__("Messages of log points", self.N_ROWS, model, drawing)
        model.notes_changed.connect(self.follow)
        self.follow()

    def present(self) -> list[Made]:
        found = [Made(step, text, "") for step, text in self._model.notes[-self.N_ROWS :]]
        self._n_rows = max(1, len(found))
        self._fit()
        return found


class NotesList(QWidget):
    """Shown once there are messages; they can be thrown away."""

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
        super().__init__()
        self._model = model
        self.rows = Notes(model, drawing)
        self.clear_button = QuietButton("clear", drawing.zoom)
        self.clear_button.setAccessibleName("Throw the messages away")
        self.clear_button.clicked.connect(model.forget_notes)
        in_column(head_row("Messages", self.clear_button, drawing.zoom), self.rows, on=self)
        model.notes_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.setVisible(bool(self._model.notes))
