"""Fonts for all scripts of a text, loaded before they are needed: each takes longer than a frame may."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QObject, QPointF, QTimer
from PySide6.QtGui import QFont, QPainter, QPixmap, QTextLayout

BLOCK_BITS = 5  # characters so near to each other are mostly from the same font
SLICE_MS = 3  # after which events have their turn; a single font may take longer
N_CODES = 0x110000


class ScriptFonts(QObject):
    """Loads what some fonts borrow from others for a text, a little at a time between events."""

    def __init__(self, fonts: Sequence[QFont], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fonts = tuple(fonts)
        self._known = np.zeros(N_CODES, np.bool_)
        self._waiting: deque[tuple[QFont, str]] = deque()
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._load_some)

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to load."""
        return not self._waiting

    def prepare(self, text: bytes) -> None:
        """Begin to load what a text needs that no earlier one did."""
        found = characters_of(text) & ~self._known
        self._known |= found
        self._waiting += [(font, block) for block in blocks(found) for font in self._fonts]
        if self._waiting:
            self._turn.start()

    def _load_some(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        while self._waiting and clock.elapsed() < SLICE_MS:
            font, characters = self._waiting.popleft()
            _shape(characters, font)
        if not self._waiting:
            self._turn.stop()


def characters_of(text: bytes) -> NDArray[np.bool_]:
    """For each code point whether a text has it; U+FFFD stands for what is no UTF-8."""
    found = np.zeros(N_CODES, np.bool_)
    found[np.frombuffer(text.decode("utf-8", "replace").encode("utf-32-le"), np.uint32)] = True
    return found


def blocks(found: NDArray[np.bool_]) -> list[str]:
    """These characters, the neighbours among them together."""
    codes = np.flatnonzero(found)
    edges = np.flatnonzero(np.diff(codes >> BLOCK_BITS)) + 1
    return ["".join(map(chr, part.tolist())) for part in np.split(codes, edges) if len(part)]


def _shape(text: str, font: QFont) -> None:
    """Lay out a line and paint it, which draws its letters for all that are painted later."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    picture = QPixmap(1, 1)
    with QPainter(picture) as painter:
        layout.draw(painter, QPointF())
