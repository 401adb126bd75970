"""How a contender looks in every chart: always the same colour and marker, so that either tells it."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import NamedTuple
from zlib import crc32

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath, QTransform

from guiapp.core.bench.contenders.contender import split_name
from guiapp.core.bench.contenders.table import PEERS
from guiapp.core.catalogue import ALGORITHMS
from guiapp.widgets.shared.theme import Theme

N_LOOKS = 84  # of 7 colours and 12 markers, each pair once
UNSPLIT_SHIFT = 42  # the same colour with another marker
FIRST = ("fast", "backtrack", "heap", "gigatoken", "tiktoken", "tokenizers", "llama.cpp", "sentencepiece")
ORDER = (*FIRST, *(name for name in (*ALGORITHMS, *PEERS) if name not in FIRST))
LEFT = [index for index in range(N_LOOKS) if index % UNSPLIT_SHIFT >= len(ORDER)]


class Look(NamedTuple):
    color: QColor
    marker: str

    def brush(self, is_exact: bool) -> QBrush:
        """Solid, or hatched where ids deviate."""
        return QBrush(self.color, Qt.BrushStyle.SolidPattern if is_exact else Qt.BrushStyle.BDiagPattern)


def look_of(name: str, theme: Theme) -> Look:
    """The look of an encoder or library; other names have one of those that are left, by their letters."""
    base, is_split = split_name(name)
    index = ORDER.index(base) if base in ORDER else LEFT[crc32(base.encode()) % len(LEFT)]
    index += 0 if is_split else UNSPLIT_SHIFT
    return Look(theme.contenders[index % len(theme.contenders)], MARKERS[index % len(MARKERS)])


@lru_cache(maxsize=256)
def outline(marker: str, size_px: float) -> QPainterPath:
    """A marker of this size around the origin."""
    path: QPainterPath = QTransform.fromScale(size_px, size_px).map(_OUTLINES[marker])
    return path


def _polygon(*corners: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon([QPointF(x, y) for x, y in corners])
    path.closeSubpath()
    return path


def _regular(n_corners: int, inner: float = 0.0) -> QPainterPath:
    """With a corner on top; with `inner`, a star whose notches are so far from the middle."""
    radii = (0.5, inner) if inner else (0.5,)
    n = n_corners * len(radii)
    angles = [2 * pi * index / n - pi / 2 for index in range(n)]
    return _polygon(
        *(
            (radii[i % len(radii)] * cos(angle), radii[i % len(radii)] * sin(angle))
            for i, angle in enumerate(angles)
        )
    )


def _circle() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(0, 0), 0.5, 0.5)
    return path


def _turned(path: QPainterPath, degrees: float) -> QPainterPath:
    turned: QPainterPath = QTransform().rotate(degrees).map(path)
    return turned


_TRIANGLE = _polygon((-0.5, 0.5), (0.0, -0.5), (0.5, 0.5))
_PLUS = _polygon(
    *((-0.5, -0.12), (-0.12, -0.12), (-0.12, -0.5), (0.12, -0.5), (0.12, -0.12), (0.5, -0.12)),
    *((0.5, 0.12), (0.12, 0.12), (0.12, 0.5), (-0.12, 0.5), (-0.12, 0.12), (-0.5, 0.12)),
)
_OUTLINES = {
    "circle": _circle(),
    "square": _polygon((-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45)),
    "up": _TRIANGLE,
    "diamond": _polygon((0.0, -0.55), (0.42, 0.0), (0.0, 0.55), (-0.42, 0.0)),
    "plus": _PLUS,
    "right": _turned(_TRIANGLE, 90),
    "down": _turned(_TRIANGLE, 180),
    "cross": _turned(_PLUS, 45),
    "hexagon": _regular(6),
    "pentagon": _regular(5),
    "star": _regular(5, 0.2),
    "left": _turned(_TRIANGLE, 270),
}
MARKERS = tuple(_OUTLINES)
