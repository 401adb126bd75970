"""What stands in place of the steps while there are none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from guiapp.core.explain.figures import percent
from guiapp.viewmodels.steps.recording import Recording
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.shared.buttons import tool_button
from guiapp.widgets.shared.layouts import AS_AROUND, STRETCH, in_column, in_row
from guiapp.widgets.shared.theme import MARGIN_PX

BAR_WIDTH_PX = 220


class WaitingPanel(QWidget):
    """Progress, what it would cost, or why not."""

    def __init__(self, recording: Recording, workspace: Workspace) -> None:
        super().__init__()
        self._recording = recording
        self._workspace = workspace
        self.message = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        self.bar.setFixedWidth(BAR_WIDTH_PX)
        self.bar.setAccessibleName("Progress of the recording")
        self.cancel = tool_button("Cancel", recording.cancel, role="raised")
        self.selection = tool_button("Record the selection", recording.record_selection, role="raised")
        self.everything = tool_button("Record all of it", recording.record_all, role="raised")
        buttons = in_row(STRETCH, self.cancel, self.selection, self.everything, STRETCH)
        margins = 4 * MARGIN_PX, MARGIN_PX
        bar = in_row(STRETCH, self.bar, STRETCH)
        in_column(STRETCH, self.message, bar, buttons, STRETCH, on=self, margins=margins, spacing=AS_AROUND)
        recording.changed.connect(self._follow)
        workspace.statistics_changed.connect(self._follow)
        workspace.loader.loading_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        recording, document = self._recording, self._workspace.document
        asks = recording.cost is not None and not recording.is_busy
        self.message.setText(self._words())
        self.bar.setVisible(recording.is_busy)
        self.bar.setValue(round(recording.progress * 1000))
        self.cancel.setVisible(recording.is_busy)
        self.everything.setVisible(asks or bool(recording.failure))
        self.selection.setVisible(asks)
        self.selection.setEnabled(document.has_selection)

    def _words(self) -> str:
        recording = self._recording
        if recording.is_busy:
            return f"Recording every decision: {percent(recording.progress)}"
        if recording.failure:
            return recording.failure
        if recording.cost is not None:
            n_bytes = self._workspace.document.size
            return (
                f"The text has {n_bytes:,} bytes. Recording it would take about "
                f"{recording.cost.seconds:,.0f} s and {recording.cost.size_bytes / 1e6:,.0f} MB "
                f"for some {recording.cost.n_steps:,} steps.\n"
                "Select a part of it on the Inspect page to step through that, or record it all."
            )
        if self._workspace.tokenizer is None and self._workspace.loader.loading_name is None:
            return "Open a model, and the steps of its tokenizer appear here."
        return "Preparing …"
