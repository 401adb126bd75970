"""One line while something is being saved, and to say how that went."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from guiapp.core.text.figures import percent
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.painting import ShareBar
from guiapp.kit.widgets.style_sheet import plain_label
from guiapp.kit.widgets.theme import MARGIN_PX, UNIT_PX, ThemeSource

BAR_WIDTH_PX = 220


class Saving(Protocol):
    """One file that is being written, was written to `saved`, or was not because of `failure`."""

    saved: Path | None
    failure: str

    @property
    def changed(self) -> SignalInstance: ...

    @property
    def is_busy(self) -> bool: ...

    @property
    def progress(self) -> float:
        """0 to 1."""

    def cancel(self) -> None: ...

    def dismiss(self) -> None: ...


class SavingBar(QWidget):
    """Shows how far it is, to be cancelled; then the file, or why there is none."""

    def __init__(self, saving: Saving, theme_source: ThemeSource) -> None:
        super().__init__()
        self._saving = saving
        self._theme_source = theme_source
        self.message = plain_label(wraps=True)
        self.bar = ShareBar("Progress of saving", BAR_WIDTH_PX)
        self.button = tool_button("", self._cancel_or_dismiss, role="raised")
        in_row((self.message, 1), self.bar, self.button, on=self, margins=(MARGIN_PX, UNIT_PX))
        saving.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def _cancel_or_dismiss(self) -> None:
        if self._saving.is_busy:
            self._saving.cancel()
        else:
            self._saving.dismiss()

    def _refresh(self) -> None:
        saving, theme = self._saving, self._theme_source.theme
        self.setVisible(saving.is_busy or saving.saved is not None or bool(saving.failure))
        self.bar.setVisible(saving.is_busy)
        self.bar.show_share(saving.progress)
        self.button.setText("Cancel" if saving.is_busy else "Dismiss")
        told = f"Saved {saving.saved}" if saving.saved is not None else f"Saving: {percent(saving.progress)}"
        self.message.setText(saving.failure or told)
        self.message.setStyleSheet(f"color: {(theme.bad if saving.failure else theme.text).name()}")
