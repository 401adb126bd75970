"""Fonts for all scripts of a text, loaded before they are needed: each takes longer than a frame may."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QObject, QPointF, QTimer
from PySide6.QtGui import QFont, QPainter, QPixmap, QTextLayout

from guiapp.widgets.lone_glyphs import is_east_asian

BLOCK_BITS = 5  # characters so near to each other are mostly from the same font
SLICE_MS = 3  # after which events have their turn; a single font may take longer
N_CODES = 0x110000
USES = "{0} \u2068▁{0}\u2069 + {1} → ◌{0} 0"
"""Qt has a list of fonts for each script, and loads from it even what every font has: “▁”, digits, arrows."""

PLACES = (0, 0.25, 0.5, 0.75)  # between two pixels

Loader = Callable[[str], None]
"""Does once what painting these characters needs."""


class ScriptFonts(QObject):
    """Calls loaders for the characters of a text, a little at a time between events."""

    def __init__(self, loaders: Sequence[Loader], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loaders = tuple(loaders)
        self._known = np.zeros(N_CODES, np.bool_)
        self._waiting: deque[tuple[Loader, str]] = deque()
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._load_some)

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to load."""
        return not self._waiting

    def use(self, loaders: Sequence[Loader]) -> None:
        """Load by these from now on, such as for another size: nothing is known then."""
        self._loaders = tuple(loaders)
        self._known[:] = False
        self._waiting.clear()

    def prepare(self, text: bytes) -> None:
        """Begin to load what a text needs that no earlier one did."""
        found = characters_of(text) & ~self._known
        self._known |= found
        self._waiting += [(load, block) for block in blocks(found) for load in self._loaders]
        if self._waiting:
            self._turn.start()

    def _load_some(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        while self._waiting and clock.elapsed() < SLICE_MS:
            load, characters = self._waiting.popleft()
            load(characters)
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


def draw_once(font: QFont, text: str, scale: float = 1.0) -> None:
    """Lay out characters as they are used, and paint them, which draws them for all that are painted later.

    Those of small scripts are drawn for all places between two pixels that Qt tells apart.  `scale` is that
    of the painters.
    """
    layout = QTextLayout(USES.format(text, " ".join(text)), font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    picture = QPixmap(1, 1)
    with QPainter(picture) as painter:
        painter.scale(scale, scale)
        for place in PLACES[:1] if is_east_asian(text[0]) else PLACES:
            layout.draw(painter, QPointF(place / scale, 0))
