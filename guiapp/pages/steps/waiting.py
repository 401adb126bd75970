"""What stands in place of the steps while there are none, and above those of a part of the text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.core.text.figures import percent
from guiapp.kit.document.document import TextDocument
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.layouts import AS_AROUND, STRETCH, in_column, in_row
from guiapp.kit.widgets.share_bar import ShareBar
from guiapp.kit.widgets.style_sheet import plain_label
from guiapp.kit.widgets.theme import MARGIN_PX
from guiapp.pages.steps.recording import Recording

BAR_WIDTH_PX = 220


class WaitingPanel(QWidget):
    """How far the recording is, or why there is none."""

    def __init__(self, recording: Recording, session: ModelSession) -> None:
        super().__init__()
        self._recording = recording
        self._session = session
        self.message = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = ShareBar("Progress of the recording", BAR_WIDTH_PX)
        self.cancel = tool_button("Cancel", recording.cancel, role="raised")
        self.selection = tool_button("Record the selection", recording.record_selection, role="raised")
        self.everything = tool_button("Record all of it", recording.record_all, role="raised")
        self.part = tool_button("Record a part", recording.record_part, role="raised")
        buttons = in_row(STRETCH, self.cancel, self.part, self.selection, self.everything, STRETCH)
        margins = 4 * MARGIN_PX, MARGIN_PX
        bar = in_row(STRETCH, self.bar, STRETCH)
        in_column(STRETCH, self.message, bar, buttons, STRETCH, on=self, margins=margins, spacing=AS_AROUND)
        recording.changed.connect(self._follow)
        session.statistics_changed.connect(self._follow)
        session.loader.loading_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        recording = self._recording
        has_choice = bool(recording.failure) and not recording.is_busy
        self.message.setText(self._words())
        self.bar.setVisible(recording.is_busy)
        self.bar.show_share(recording.progress)
        self.cancel.setVisible(recording.is_busy)
        self.everything.setVisible(has_choice)
        for button in (self.part, self.selection):
            button.setVisible(has_choice and recording.is_long)
        self.selection.setEnabled(self._session.document.has_selection)

    def _words(self) -> str:
        recording = self._recording
        if recording.is_busy:
            return f"Recording every decision: {percent(recording.progress)}"
        if recording.failure:
            return recording.failure
        if self._session.tokenizer is None and self._session.loader.loading_name is None:
            return "Open a model, and the steps of its tokenizer appear here."
        return "Preparing …"


class PartBar(QWidget):
    """Says which part of a text these are the steps of, and offers more; hidden where they are of all."""

    def __init__(self, recording: Recording, document: TextDocument, parent: QWidget) -> None:
        super().__init__(parent)  # from the start: what is shown without one is a window
        self._recording = recording
        self._document = document
        self.message = plain_label("dim", wraps=True)
        self.selection = tool_button("Record the selection", recording.record_selection, role="raised")
        self.everything = tool_button("Record all of it", recording.record_all, role="raised")
        in_row((self.message, 1), self.selection, self.everything, on=self, spacing=AS_AROUND)
        recording.changed.connect(self._follow)
        document.selection_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        recording, n_bytes = self._recording, self._document.size
        self.setVisible(recording.is_part)
        if recording.is_part:
            self.message.setText(
                f"Bytes {recording.text_start:,}–{recording.text_end:,} of {n_bytes:,} are shown, as a text "
                f"of their own. All of it would take about {recording.cost.seconds:,.0f} s and "
                f"{recording.cost.size_bytes / 1e6:,.0f} MB."
            )
        self.selection.setEnabled(self._document.has_selection)
