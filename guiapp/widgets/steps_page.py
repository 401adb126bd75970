"""The Steps page: a debugger for the tokenization of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.export import run_json, run_markdown, run_svg, step_json, step_markdown
from guiapp.viewmodels.lesson_player import LessonPlayer
from guiapp.viewmodels.steps_model import StepsModel
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.actions import Actions
from guiapp.widgets.lesson_bar import LessonBar, LessonButton
from guiapp.widgets.pages import Page
from guiapp.widgets.step_code import CodeView
from guiapp.widgets.step_flow import FlowView
from guiapp.widgets.step_race import RaceBox, RaceCard
from guiapp.widgets.step_side import SidePanel
from guiapp.widgets.step_timeline import Timeline
from guiapp.widgets.step_transport import BUTTONS, GranularityBox, PlayControls, button
from guiapp.widgets.step_views import LATTICES, PictureView
from guiapp.widgets.step_waiting import WaitingPanel
from guiapp.widgets.style_sheet import heading, set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource

SIDE_WIDTH_PX = 320
EXPORTS = {".md": run_markdown, ".json": run_json, ".svg": run_svg}
SAVE_FILTER = "Markdown (*.md);;JSON (*.json);;Drawing (*.svg);;Picture of the page (*.png)"


class StepsPage(Page):
    """Puts transport, timeline, pictures and lists together, and links them through the model."""

    def __init__(
        self,
        model: StepsModel,
        player: LessonPlayer,
        workspace: Workspace,
        actions: Actions,
        theme_source: ThemeSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.model = model
        self.player = player
        self._workspace = workspace
        self.lesson_bar = LessonBar(player, actions, theme_source)
        self._theme_source = theme_source
        self._connect(actions)
        self.timeline = Timeline(model, theme_source)
        self.flow = FlowView(model, theme_source)
        self.picture = PictureView(model, theme_source)
        self.code = CodeView(model, theme_source)
        self.side = SidePanel(model, theme_source)
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.sentence.setFont(Theme.ui_font(UI_FONT_PX + 2))
        self.sentence.setAccessibleName("What happens")
        self._title, self.count = heading(""), QLabel()
        self._picture_title, self._code_title = heading(""), heading("What it is doing")
        self.waiting = WaitingPanel(model.recording, workspace)
        self._lower = QHBoxLayout()
        self.trace_part = QWidget()
        self._main = QStackedWidget()
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._lay_out(actions)
        for signal in (model.position_changed, model.trace_changed, model.recording.changed):
            signal.connect(self._follow)
        player.changed.connect(self._follow)
        theme_source.changed.connect(self._follow)
        self._follow()

    @property
    def panels(self) -> list[QWidget]:
        return [self.timeline, self.side.breakpoints.field.line, self.side.watches.field.line]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"steps": self.splitter}

    @property
    def is_ready(self) -> bool:
        model = self.model
        if model.debugger is None:
            return model.recording.cost is not None or bool(model.recording.failure)
        return self.player.is_ready and model.race.is_ready

    def begin(self, rival: str, lesson: str) -> None:
        """Begin a race, and a lesson at a step of it ("name:3"), where they are not empty."""
        if lesson:
            name, _, number = lesson.partition(":")
            self.player.begin(name, max(0, int(number or 1) - 1))
        if rival:
            self.model.race.choose(rival)

    def stop_at(self, place: str) -> None:
        """Set a breakpoint and run to its first hit, where it is not empty."""
        if place:
            self.model.restart()
            self.model.add_breakpoint(place)
            self.model.run()

    def stop(self) -> None:
        self.model.stop()

    def showEvent(self, event: QEvent) -> None:
        self.model.watch(True)

    def hideEvent(self, event: QEvent) -> None:
        self.model.watch(False)

    def _connect(self, actions: Actions) -> None:
        model = self.model
        slots: dict[str, Callable[[], object]] = {
            "debug_run": model.run,
            "debug_reverse": model.reverse,
            "debug_step": model.step,
            "debug_back": model.back,
            "debug_into": model.into,
            "debug_out": model.out,
            "debug_caret": model.to_caret,
            "debug_breakpoint": model.toggle_breakpoint,
            "debug_restart": model.restart,
            "debug_end": model.to_end,
            "debug_play": self._toggle_play,
            "debug_copy": self.copy_markdown,
            "debug_copy_json": self.copy_json,
            "debug_save": self._ask_and_save,
        }
        for name, slot in slots.items():
            actions[name].triggered.connect(slot)

    def copy_markdown(self) -> None:
        """Put the present step into the clipboard."""
        self._copy(step_markdown)

    def copy_json(self) -> None:
        self._copy(step_json)

    def _copy(self, write: Callable[[Debugger], str]) -> None:
        if self.model.debugger is not None:
            QGuiApplication.clipboard().setText(write(self.model.debugger))

    def save_run(self, path: Path) -> bool:
        """Save all steps, or a picture of the page, as the ending of the file says; whether that worked."""
        debugger = self.model.debugger
        if debugger is None:
            return False
        if path.suffix.lower() == ".png":
            return self.grab().save(str(path))
        write = EXPORTS.get(path.suffix.lower(), run_markdown)
        try:
            path.write_text(write(debugger), encoding="utf-8")
        except OSError:
            return False
        return True

    def _ask_and_save(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, "Save run", "run.md", SAVE_FILTER)
        if chosen and not self.save_run(Path(chosen)):
            QMessageBox.warning(self, "Save run", f"{chosen} cannot be written. Choose another place.")

    def _toggle_play(self) -> None:
        if self.model.is_playing:
            self.model.pause()
        else:
            self.model.play()

    def _lay_out(self, actions: Actions) -> None:
        steps = QWidget()
        column = QVBoxLayout(steps)
        column.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        column.setSpacing(GAP_PX)
        column.addWidget(self.lesson_bar)
        self._lay_out_trace(actions)
        column.addWidget(self.trace_part, 1)
        column.addStretch()
        self._main.addWidget(steps)
        self._main.addWidget(self.waiting)
        self.splitter.addWidget(self._main)
        self.splitter.addWidget(self.side)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setSizes([1100, SIDE_WIDTH_PX])
        self.splitter.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self.setFocusProxy(self.timeline)

    def _lay_out_trace(self, actions: Actions) -> None:
        column = QVBoxLayout(self.trace_part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP_PX)
        column.addLayout(self._transport(actions))
        column.addWidget(self.timeline)
        flow = _card([self._head(), self.flow, self.sentence], self.flow)
        flow.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        column.addWidget(flow, 3)
        self.race_card = RaceCard(self.model, self._theme_source)
        self.race_card.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        column.addWidget(self.race_card, 2)
        lower = self._lower
        lower.setSpacing(GAP_PX + UNIT_PX)
        lower.addWidget(_card([self._picture_title, self.picture], self.picture), 1)
        lower.addWidget(_card([self._code_title, self.code], self.code), 2)
        column.addLayout(lower, 4)

    def _head(self) -> QWidget:
        """Which piece is shown, and the number of the step."""
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._title, 1)
        self.count.setFont(Theme.mono_font(UI_FONT_PX))
        row.addWidget(self.count)
        return head

    def _transport(self, actions: Actions) -> QHBoxLayout:
        bar = QHBoxLayout()
        bar.setSpacing(GAP_PX)
        for text, name, meaning in BUTTONS:
            made = button(text, meaning, actions[name])
            set_role(made, "next" if name == "debug_step" else "raised")
            bar.addWidget(made)
        bar.addSpacing(GAP_PX)
        bar.addWidget(PlayControls(self.model, actions["debug_play"]))
        bar.addWidget(GranularityBox(self.model))
        bar.addWidget(RaceBox(self.model, self._workspace))
        bar.addWidget(LessonButton(self.player))
        bar.addStretch()
        return bar

    def _follow(self) -> None:
        model = self.model
        debugger = model.debugger
        is_training = self.player.step is not None and bool(self.player.step.train)
        self._main.setCurrentIndex(0 if debugger is not None or is_training else 1)
        self.trace_part.setVisible(not is_training)  # training has no trace; another one would confuse
        self.side.setVisible(not is_training)
        if debugger is None:
            return
        is_wide = debugger.trace.encoder in LATTICES
        self._lower.setStretch(0, 3 if is_wide else 2)
        self._title.setText(_capitals(model.title))
        self._picture_title.setText(_capitals(self.picture.title))
        number = min(model.position + 1, model.n_steps)
        self.count.setText(f"step {number:,} of {model.n_steps:,}")
        self.sentence.setText(_with_code(debugger.sentence(), self._theme_source.theme))


def _capitals(title: str) -> str:
    """Headings are in capitals, but not what stands in quotes."""
    head, quote, rest = title.partition("“")
    return head.upper() + quote + rest


def _with_code(sentence: str, theme: Theme) -> str:
    """A sentence whose `quoted` parts are set in bold monospace."""
    escaped = sentence.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    family = Theme.mono_font().family()
    code = rf'<b style="font-family:\'{family}\'; color:{theme.text.name()}">\1</b>'
    return f'<span style="color:{theme.dim.name()}">{re.sub("`([^`]+)`", code, escaped)}</span>'


def _card(widgets: list[QWidget], stretched: QWidget) -> QFrame:
    card = QFrame()
    set_role(card, "card")
    layout = QVBoxLayout(card)
    layout.setContentsMargins(MARGIN_PX - 2, MARGIN_PX - 4, MARGIN_PX - 2, MARGIN_PX - 4)
    layout.setSpacing(GAP_PX)
    for widget in widgets:
        layout.addWidget(widget, 1 if widget is stretched else 0)
    return card
