"""Fonts for all scripts, found before a text needs them."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QFont, QTextLayout

SAMPLES = tuple("αяאعअকதไខབაԱአ汉あ한😀∑⠁→")
TURN_MS = 100
WIDTH_PX = 100


class FontSearch(QObject):
    """Lays out one character at a time, with pauses between.

    The first character of a script takes Qt some 10 ms to find a font for.  A page in ten scripts that
    came into sight while someone scrolled took 100.
    """

    def __init__(self, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._font = font
        self._waiting = list(SAMPLES)
        self._turn = QTimer(self, interval=TURN_MS)
        self._turn.timeout.connect(self._search)
        self._turn.start()

    @property
    def is_done(self) -> bool:
        return not self._waiting

    def _search(self) -> None:
        layout = QTextLayout(self._waiting.pop(0), self._font)
        layout.beginLayout()
        layout.createLine().setLineWidth(WIDTH_PX)
        layout.endLayout()
        if self.is_done:
            self._turn.stop()
