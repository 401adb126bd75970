"""The left column of the Bench page: who takes part, with what texts, and the buttons that start and stop."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QIcon, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QWidget,
)

from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.explain.figures import counted
from guiapp.viewmodels.bench.entrants import Entrant
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.presets import PRESETS, TEXTS
from guiapp.widgets.bench.contender_look import Look, look_of, outline
from guiapp.widgets.shared.buttons import push_button
from guiapp.widgets.shared.choice_box import ChoiceBox
from guiapp.widgets.shared.layouts import AS_AROUND, STRETCH, in_column, in_row, scroll_down
from guiapp.widgets.shared.painting import clear_pixmap
from guiapp.widgets.shared.plain_tip import plain_tip
from guiapp.widgets.shared.style_sheet import heading, set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource

SETTLING_MS = (
    600  # for which the button does nothing when what it does has changed: longer than a double click
)
SWATCH_PX = 12
ESTIMATED = "From contenders, texts, sizes and budget, and from what earlier runs with this model took"
REASON_INDENT_PX = 20  # the room of a box to tick
CORES = os.cpu_count() or 1
LIMITS: dict[str, tuple[str, dict[str, Any]]] = {
    "time_budget_s": (
        "Time for measuring, besides loading and the first rounds",
        {
            "10 s": 10.0,
            "20 s": 20.0,
            "40 s": 40.0,
            "1 min": 60.0,
            "3 min": 180.0,
            "4 min": 240.0,
            "15 min": 900.0,
        },
    ),
    "threads": (
        "Numbers of threads for the scenario “threads”",
        {"1 thread": (1,), f"1 and {CORES} threads": Plan.threads, "all numbers": tuple(range(1, CORES + 1))},
    ),
    "largest_bytes": (
        "The longest text of scenarios that go through lengths",
        {"all sizes": None, "≤ 1 MB": 1 << 20, "≤ 100 kB": 100_000, "≤ 10 kB": 10_000},
    ),
}


class PlanPanel(QFrame):
    """Shows and changes the plan of a `BenchModel`."""

    def __init__(self, model: BenchModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self._model = model
        self._theme_source = theme_source
        self.presets = ChoiceBox("Preset", {preset.title: preset.title for preset in PRESETS})
        self.presets.activated.connect(self._choose_preset)
        self.limits = {name: self._limit_box(name) for name in LIMITS}
        self.run_button = push_button("Run", self._run_or_stop, role="primary")
        self._was_running, self._is_stopping = False, False
        self._settling = QTimer(self, interval=SETTLING_MS, singleShot=True)
        self._settling.timeout.connect(self._follow_run)
        self.pause_button = push_button("Pause", model.toggle_pause)
        self.estimate = set_role(QLabel(wordWrap=True), "dim")
        self.estimate.setToolTip(ESTIMATED)
        self.boxes: list[QCheckBox] = []
        self.reasons: list[QLabel] = []
        self._is_ticked: list[Callable[[], bool]] = []  # for each box
        self._listed: tuple[object, ...] = ()
        self._list = in_column(margins=MARGIN_PX, spacing=UNIT_PX)
        self._lay_out()
        for signal in (model.plan_changed, model.running_changed):
            signal.connect(self._follow)
        model.forecast.changed.connect(self._follow_estimate)
        theme_source.changed.connect(self._follow)
        self._follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow_estimate()  # the text may have another length now

    def _lay_out(self) -> None:
        inner = set_role(QWidget(), "panel")
        inner.setLayout(self._list)
        area = QScrollArea()
        scroll_down(area, inner)
        bottom = in_column(
            in_row((self.presets, 1), self.limits["time_budget_s"]),
            in_row((self.limits["threads"], 1), self.limits["largest_bytes"]),
            in_row((self.run_button, 1), self.pause_button),
            self.estimate,
            margins=(MARGIN_PX, GAP_PX, MARGIN_PX, MARGIN_PX),
        )
        in_column((area, 1), bottom, on=self, spacing=AS_AROUND)

    def _follow(self) -> None:
        model = self._model
        self.presets.show_choice(model.preset.title)
        for name, box in self.limits.items():
            _show_limit(box, getattr(model.preset, name))
            box.setEnabled(not model.is_running)
        self._follow_run()
        self.pause_button.setEnabled(model.is_running)
        self.pause_button.setText("Resume" if model.is_paused else "Pause")
        self._follow_estimate()
        self._fill()

    def _follow_estimate(self) -> None:
        """How long it will take, or what is still missing."""
        model = self._model
        if not model.ours:
            self.estimate.setText("Open a model to begin.")
        elif n_contenders := len(model.contenders):
            self.estimate.setText(f"{counted(n_contenders, 'contender')}, {model.estimate}")
        else:
            self.estimate.setText("Tick a contender to begin.")

    def _follow_run(self) -> None:
        """What the button does now; right after that has changed, it does nothing and says why it did."""
        model = self._model
        if model.is_running != self._was_running:
            self._was_running, self._is_stopping = model.is_running, False
            self._settling.start()
        settled = "Stopping …" if self._is_stopping else "Stop" if model.is_running else "Run"
        settling = "Starting …" if model.is_running else "Done"
        self.run_button.setText(settling if self._settling.isActive() else settled)
        self.run_button.setEnabled(model.is_running or model.can_run)

    def _fill(self) -> None:
        """Tick what is chosen; lists are made anew where other things are in them: that takes long."""
        model = self._model
        listed = (model.ours, model.peers, model.texts, model.is_running, self._theme_source.theme)
        if listed != self._listed:
            self._listed = listed
            self._make_lists()
        for box, is_ticked in zip(self.boxes, self._is_ticked, strict=True):
            with QSignalBlocker(box):
                box.setChecked(is_ticked())

    def _make_lists(self) -> None:
        focused = next((box.accessibleName() for box in self.boxes if box.hasFocus()), "")
        _empty(self._list)
        self.boxes, self.reasons, self._is_ticked = [], [], []
        peers = self._model.peers
        if self._model.ours:
            self._add_section("Encoders")
        for each in self._model.ours:
            self._add_entrant(each)
        self._add_section("Libraries")
        for each in sorted(peers, key=lambda peer: bool(peer.reason)):
            self._add_entrant(each)
        self._add_section("Texts")
        for name in self._model.texts:
            self._add_text(name)
        self._list.addLayout(self._buttons_for_texts())
        self._add_section("Scenarios")
        for name in SCENARIOS:
            self._add_scenario(name)
        self._list.addStretch(1)
        for box in self.boxes:
            if box.accessibleName() == focused:
                box.show()  # what is not yet shown gets no focus
                box.setFocus()

    def _add_section(self, title: str) -> None:
        label = heading(title)
        label.setContentsMargins(0, GAP_PX if self.boxes else 0, 0, UNIT_PX)
        self._list.addWidget(label)

    def _add_entrant(self, entrant: Entrant) -> None:
        """A box, and below it why, where it cannot take part."""
        name, reason = entrant.name, entrant.reason
        box = self._add_box(
            name if reason else f"{name}  {entrant.note}".strip(),
            name,
            partial(self._takes_part, entrant),
            partial(self._model.set_takes_part, name),
        )
        box.setIcon(swatch(look_of(name, self._theme_source.theme)))
        box.setToolTip(reason or entrant.note)
        if not reason:
            return
        box.setEnabled(False)
        label = set_role(QLabel(reason, wordWrap=True), "dim")
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setContentsMargins(REASON_INDENT_PX, 0, 0, UNIT_PX)
        self._list.addWidget(label)
        self.reasons.append(label)

    def _takes_part(self, entrant: Entrant) -> bool:
        return self._model.takes_part(entrant.name) and not entrant.reason

    def _add_text(self, name: str) -> None:
        title = name if name in TEXTS else Path(name).name
        is_ticked, tick = partial(self._model.has_text, name), partial(self._model.set_text, name)
        self._add_box(title, name, is_ticked, tick).setToolTip(plain_tip(name))

    def _add_scenario(self, name: str) -> None:
        is_ticked, tick = partial(self._has_scenario, name), partial(self._model.set_scenario, name)
        self._add_box(name, f"Scenario {name}", is_ticked, tick).setToolTip(SCENARIOS[name].title)

    def _has_scenario(self, name: str) -> bool:
        return name in self._model.preset.scenarios

    def _buttons_for_texts(self) -> QHBoxLayout:
        buttons = []
        for title, add in (("Files…", self._add_files), ("Folder…", self._add_folder)):
            button = push_button(title, add, role="quiet")
            button.setEnabled(not self._model.is_running)
            buttons.append(button)
        return in_row(*buttons, (STRETCH, 1))

    def _add_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Texts to encode")
        for name in names:
            self._model.add_text(Path(name))

    def _add_folder(self) -> None:
        if name := QFileDialog.getExistingDirectory(self, "A folder of texts"):
            self._model.add_text(Path(name))

    def _limit_box(self, name: str) -> QComboBox:
        """A choice of what a run may take at most."""
        title, choices = LIMITS[name]
        box = ChoiceBox(title, choices, tip=title)
        box.activated.connect(partial(self._choose_limit, name))
        return box

    def _choose_limit(self, name: str, index: int) -> None:
        self._model.adjust(**{name: self.limits[name].itemData(index)})

    def _add_box(
        self, text: str, name: str, is_ticked: Callable[[], bool], tick: Callable[[bool], None]
    ) -> QCheckBox:
        box = QCheckBox(text)
        box.setAccessibleName(name)
        box.setEnabled(not self._model.is_running)
        box.toggled.connect(tick)
        self._list.addWidget(box)
        self.boxes.append(box)
        self._is_ticked.append(is_ticked)
        return box

    def _choose_preset(self, index: int) -> None:
        self._model.choose_preset(PRESETS[index])

    def _run_or_stop(self) -> None:
        if self._settling.isActive():
            self._settling.start()  # it waits until whoever meant what it did before has let go
        elif self._model.is_running:
            self._is_stopping = True
            self._model.stop()
            self._follow_run()
        else:
            self._model.run()


def _show_limit(box: QComboBox, value: object) -> None:
    """Choose the value in a list, added to it where it is none of the usual ones."""
    with QSignalBlocker(box):
        values = [box.itemData(index) for index in range(box.count())]
        if value not in values:
            box.addItem(f"{value:g} s", value)
            values.append(value)
        box.setCurrentIndex(values.index(value))


def _empty(layout: QLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            _empty(inner)


def swatch(look: Look) -> QIcon:
    """The marker of a contender in its colour, for buttons; disabled ones have it too: it is a legend."""
    picture = clear_pixmap(SWATCH_PX, SWATCH_PX, 1)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(
            outline(look.marker, SWATCH_PX - 1).translated(SWATCH_PX / 2, SWATCH_PX / 2), look.color
        )
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Disabled)
    return icon
