"""Another encoder on the same text, in lock-step, and where the two part."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QFrame

from guiapp.core.explain.figures import counted
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.widgets.shared.layouts import STRETCH, in_column, in_row
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX
from guiapp.widgets.steps.cards import CARD_MARGINS, QuietButton
from guiapp.widgets.steps.drawing import Drawing
from guiapp.widgets.steps.flow import RivalFlowView
from guiapp.widgets.steps.lines import SentenceView, title_line


class RaceBox(QComboBox):
    """Chooses the encoder that runs beside."""

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
        names = self._model.race.encoders
        if [self.itemData(index) for index in range(self.count())] != ["", *names]:
            with QSignalBlocker(self):
                self.clear()
                self.addItem("no race", "")
                for name in names:
                    self.addItem(f"race {name}", name)
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, self.findData(self._model.race.encoder)))

    def _choose(self, index: int) -> None:
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
        self.setVisible(bool(race.encoder))
        if race.rival is None:
            self.title.show_text(f"RACE · {race.encoder.upper()}")
            self.verdict.show_sentence(race.failure or "Recording …")
            self.go.hide()
            return
        at = f"step {race.rival.position:,} of {race.rival.n_steps:,}"
        here = " · HERE THEY PART" if race.is_parting else ""
        self.title.show_text(f"RACE · {race.encoder.upper()} · {at.upper()}{here}")
        self.go.setVisible(race.difference is not None)
        same = f"Both give the same {counted(len(race.rival.trace.result.ids), 'token')}."
        self.verdict.show_sentence(same if race.difference is None else race.difference.reason)
