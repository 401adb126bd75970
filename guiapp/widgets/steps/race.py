"""Another encoder on the same text, in lock-step, and where the two part."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QFrame

from guiapp.core.explain.visible_text import isolate
from guiapp.core.vocab.quoting import quoted
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.widgets.shared.layouts import STRETCH, in_column, in_row
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX
from guiapp.widgets.steps.cards import CARD_MARGINS, QuietButton
from guiapp.widgets.steps.drawing import Drawing
from guiapp.widgets.steps.flow import RivalFlowView
from guiapp.widgets.steps.lines import SentenceView, title_line

LONGEST_NAME = 40
OTHER_MODEL = "other model"


class RaceBox(QComboBox):
    """Chooses the encoder that runs beside; another model is on the list as long as it does."""

    def __init__(self, model: StepsModel, session: ModelSession) -> None:
        super().__init__()
        self._model = model
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setAccessibleName("Race against another encoder")
        self.setToolTip("Let another encoder run beside, in lock-step")
        self.currentIndexChanged.connect(self._choose)
        session.options_changed.connect(self._fill)
        model.race.changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        race = self._model.race
        rows = {"no race": "", **{f"race {name}": name for name in race.encoders}}
        if race.other is not None:
            rows[f"race {quoted(race.name, LONGEST_NAME)}"] = OTHER_MODEL
        shown = [(self.itemText(index), self.itemData(index)) for index in range(self.count())]
        with QSignalBlocker(self):
            if shown != list(rows.items()):
                self.clear()
                for title, choice in rows.items():
                    self.addItem(title, choice)
            self.setCurrentIndex(max(0, self.findData(race.encoder if race.other is None else OTHER_MODEL)))

    def _choose(self, index: int) -> None:
        if self.itemData(index) != OTHER_MODEL:
            self._model.race.choose(self.itemData(index) or "")


class RaceCard(QFrame):
    """Shown while there is a rival."""

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
        super().__init__()
        self._model = model
        set_role(self, "card")
        self.title = title_line(drawing)
        self.flow = RivalFlowView(model, drawing)
        self.verdict = SentenceView(drawing, "How the two compare")
        self.go = QuietButton("go there", drawing.zoom)
        self.go.setStyleSheet(f"padding: 0px {GAP_PX}px")
        self.go.clicked.connect(model.to_difference)
        foot = in_row((self.verdict, 1), self.go)
        below = STRETCH  # in a low window the card is as high as the picture beside it
        in_column(self.title, (self.flow, 1), foot, below, on=self, margins=CARD_MARGINS)
        model.race.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        race = self._model.race
        self.setVisible(race.is_on)
        name = race.name.upper() if race.other is None else isolate(quoted(race.name, LONGEST_NAME))
        parts = ["RACE", name]
        if race.rival is not None:
            parts.append(f"STEP {race.rival.position:,} OF {race.rival.n_steps:,}")
        if race.is_parting:
            parts.append("HERE THEY PART")
        self.title.show_text(" · ".join(parts))
        self.go.setVisible(race.difference is not None)
        self.verdict.show_sentence(race.verdict)
