"""The views of a race: the choice of the other encoder, both runs in lock-step, their differences."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QEnterEvent, QFocusEvent, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QFrame, QStyledItemDelegate, QStyleOptionViewItem

from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.visible_text import isolate
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX, set_role
from guiapp.pages.steps.canvas import ROW_PX, SCALE_PX, BarScale, CandidateRow, CandidateStatus, StepCanvas
from guiapp.pages.steps.cards import (
    CARD_MARGINS,
    DrawingContext,
    SentenceView,
    ZoomedView,
    quiet_button,
    title_line,
)
from guiapp.pages.steps.flow_view import FlowView
from guiapp.pages.steps.model import StepsModel

LONGEST_NAME, MOST_EXPECTED = 40, 30
OTHER_MODEL = "other model"
NOBODY, NO_RACE = "Race against …", "no race"
DESCRIPTION_ROLE = Qt.ItemDataRole.UserRole + 1
BOX_PX, ARROW_PX = 190, 46
LANES_PX = 2 * ROW_PX + SCALE_PX
WAITS = "waits for the next piece"
TIP = (
    "An operation looks up a pair or a token, goes one byte down the token tree, or adds to or removes from "
    "a queue. The number of steps says little about speed: some steps do much more than others. "
    "Both go piece by piece: an encoder that has finished a piece waits for the other one."
)


class _ProposalDelegate(QStyledItemDelegate):
    """Shows the description of an encoder after its name."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if description := index.data(DESCRIPTION_ROLE):
            option.text = f"{option.text}: {description}"


class RaceBox(QComboBox):
    """Chooses the encoder to race against; lists a competing model during its race.

    The runs of the encoders are recorded when the mouse or the focus enters, to describe them.
    """

    def __init__(self, model: StepsModel, session: ModelSession) -> None:
        super().__init__()
        self._model = model
        self.setMinimumWidth(BOX_PX)
        self.setItemDelegate(_ProposalDelegate(self))
        self.setAccessibleName("Race against another encoder")
        self.setToolTip("Run another encoder step by step, and see where the two differ")
        self.currentIndexChanged.connect(self._choose)
        session.options_changed.connect(self._fill)
        model.race.changed.connect(self._fill)
        model.race.proposals_changed.connect(self._fill)
        self._fill()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._model.race.scout()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._model.race.scout()

    def showPopup(self) -> None:
        self._model.race.scout()
        super().showPopup()
        self._widen()

    def _widen(self) -> None:
        """Widen the popup to show whole descriptions, and keep it on the screen."""
        view, screen = self.view(), self.screen().availableGeometry()
        list_, width = view.window(), view.sizeHintForColumn(0) + 4 * GAP_PX
        list_.resize(min(max(width, list_.width()), screen.width()), list_.height())
        list_.move(max(screen.left(), min(list_.x(), screen.right() + 1 - list_.width())), list_.y())

    def _fill(self) -> None:
        race, items = self._model.race, self.model()
        assert isinstance(items, QStandardItemModel)
        proposals = race.proposals
        rows = {NO_RACE if race.is_on else NOBODY: ""}
        rows |= {f"race {each.encoder}": each.encoder for each in proposals}
        if race.other is not None:
            rows[self._elided(f"race {quoted(race.names[1] or race.name, LONGEST_NAME)}")] = OTHER_MODEL
        with QSignalBlocker(self):
            if [self.itemData(index) for index in range(self.count())] != list(rows.values()):
                self.clear()
                for choice in rows.values():
                    self.addItem("", choice)
            for index, title in enumerate(rows):
                self.setItemText(index, title)
            for row, each in enumerate(proposals, 1):
                self.setItemData(row, each.description, DESCRIPTION_ROLE)
                items.item(row).setEnabled(each.differs or each.encoder == race.encoder)
            self.setCurrentIndex(max(0, self.findData(race.encoder if race.other is None else OTHER_MODEL)))
        if self.view().isVisible():
            self._widen()

    def _elided(self, title: str) -> str:
        """The title, elided to the box: a box with a style sheet would clip it within a letter."""
        return self.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, BOX_PX - ARROW_PX)

    def _choose(self, index: int) -> None:
        if self.itemData(index) != OTHER_MODEL:
            self._model.race.choose(self.itemData(index) or "")


class RaceLanes(ZoomedView):
    """The total and finished work of both, on one scale."""

    usual, least_px, is_fixed = QSize(0, LANES_PX), LANES_PX, True

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__("Work of both", drawing)
        self.setToolTip(TIP)
        self._model = model
        model.race.changed.connect(self.update)
        self._on_zoom_changed()

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        race = self._model.race
        runs = [run for run in (race.leader, race.competitor) if run is not None]
        if len(runs) < 2:
            return
        totals = [int(work[-1]) for work in race.work]
        scale = BarScale(max(totals))
        rows = []
        for name, run, work, total in zip(race.names, runs, race.work, totals, strict=True):
            done = int(work[run.position])
            share, part = scale.share(total), scale.share(done)
            waits = f"{WAITS} · " if run is race.competitor and race.waits else ""
            worth = f"{waits}{done:,} of {total:,}"
            rows.append(CandidateRow(name, worth, CandidateStatus.OTHER, share=share, done=part))
        end = canvas.rows(area, rows)
        name = f"operations before step {race.leader.position:,}" if race.leader else ""
        canvas.scale(QRectF(0, end, area.width(), SCALE_PX), scale, name)


class RaceCard(QFrame):
    """The run of the competitor and its differences; hidden if there is none."""

    def __init__(self, model: StepsModel, action: QAction, drawing: DrawingContext) -> None:
        super().__init__()
        self._model = model
        self._has_room = True
        set_role(self, "card")
        self.title = title_line(drawing)
        self.flow = FlowView(model, drawing, is_competitor=True)
        self.lanes = RaceLanes(model, drawing)
        self.verdict = SentenceView(drawing, "Difference")
        self.outcome = SentenceView(drawing, "Result of the race")
        self.go = quiet_button(f"next  {action.shortcut().toString()}", drawing.controls)
        self.go.setToolTip(action.text())
        self.go.setStyleSheet(f"padding: 0px {GAP_PX}px")
        self.go.clicked.connect(model.to_difference)
        where = in_row((self.verdict, 1), self.go)
        below = STRETCH  # in a low window the card is as high as the picture next to it
        parts = self.title, (self.flow, 1), where, self.lanes, self.outcome, below
        in_column(*parts, on=self, margins=CARD_MARGINS, spacing=UNIT_PX)
        model.race.changed.connect(self._refresh)
        self._refresh()

    def make_room(self, has_room: bool) -> None:
        """Leave the bars out in a low window: the title and the result have the numbers."""
        if has_room != self._has_room:
            self._has_room = has_room
            self._refresh()

    def _refresh(self) -> None:
        race = self._model.race
        self.setVisible(race.is_on)
        name = race.name.upper() if race.other is None else isolate(quoted(race.names[1], LONGEST_NAME))
        parts = ["RACE", name]
        if race.competitor is not None and not self._has_room:
            work = race.work[1]  # operations, as the steps of the two differ in size
            waits = f", {WAITS.upper()}" if race.waits else ""
            parts.append(f"{work[race.competitor.position]:,} OF {work[-1]:,} OPERATIONS{waits}")
        if race.is_at_difference:
            numbers = {step: number for number, step in enumerate(race.stops, 1)}
            number = numbers.get(race.difference_step or 0, 0) if len(numbers) > 1 else 0
            parts.append(f"DIFFERENCE {number} OF {len(numbers)}" if number else "FIRST DIFFERENCE")
        self.title.set_texts([" · ".join(parts), " · ".join([*parts[:2], *parts[3:]])])
        self.go.setVisible(race.difference_step is not None)
        self.lanes.setVisible(self._has_room and race.competitor is not None)
        self.verdict.expect([each.reason for each in race.differences[: MOST_EXPECTED * self._has_room]])
        self.verdict.show_sentence(race.verdict)
        self.outcome.setVisible(bool(race.outcome))
        self.outcome.show_sentence(race.outcome)
