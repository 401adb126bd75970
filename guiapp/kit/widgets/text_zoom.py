"""How large text, ids and bytes are shown, in all panels of a page alike."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import QWidget

from guiapp.kit.widgets.theme import Theme


class TextZoom(QObject):
    """A factor for the sizes of fonts.

    Signals:
        changed(): `factor` is new.
        stepped(int): somebody turned the wheel over a panel: one step larger, or smaller by -1.
    """

    changed = Signal()
    stepped = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._factor = 1.0

    @property
    def factor(self) -> float:
        return self._factor

    def set_factor(self, factor: float) -> None:
        if factor != self._factor:
            self._factor = factor
            self.changed.emit()

    def scaled(self, size_px: int) -> int:
        """A length that grows with the text."""
        return round(size_px * self._factor)

    def mono_font(self, size_px: int) -> QFont:
        return Theme.mono_font(self.scaled(size_px))

    def ui_font(self, size_px: int) -> QFont:
        return Theme.ui_font(self.scaled(size_px))

    def watch(self, widget: QWidget) -> None:
        """Let the wheel zoom over a widget while Ctrl is held."""
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_for_us = isinstance(event, QWheelEvent) and self.take(event)
        return is_for_us or super().eventFilter(watched, event)

    def take(self, event: QWheelEvent) -> bool:
        """Zoom if Ctrl is held while the wheel turns; whether that is so."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if turned := event.angleDelta().y():
            self.stepped.emit(1 if turned > 0 else -1)
        return True
