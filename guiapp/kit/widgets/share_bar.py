"""How much of something is done."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar

WHOLE = 1000


class ShareBar(QProgressBar):
    """A bar without words; `name` is for screen readers."""

    def __init__(self, name: str, width_px: int | None = None) -> None:
        super().__init__(textVisible=False, maximum=WHOLE)
        self.setAccessibleName(name)
        if width_px is not None:
            self.setFixedWidth(width_px)

    def show_share(self, share: float) -> None:
        """From 0 to 1."""
        self.setValue(round(share * WHOLE))
