"""How a contender looks in every chart: always the same colour and marker, so that either tells it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor

from guiapp.core.bench.contenders.contender import split_name
from guiapp.core.bench.contenders.table import PEERS
from guiapp.core.catalogue import ALGORITHMS
from guiapp.widgets.shared.theme import Theme

MARKERS = ("o", "s", "t1", "d", "+", "star", "t", "x", "h", "p", "t2", "t3")  # pyqtgraph's names
UNSPLIT_SHIFT = 6  # another marker, and of no contender that has the same colour
FIRST = ("fast", "backtrack", "heap", "gigatoken", "tiktoken", "tokenizers", "llama.cpp", "sentencepiece")
ORDER = (*FIRST, *(name for name in (*ALGORITHMS, *PEERS) if name not in FIRST))


class Look(NamedTuple):
    color: QColor
    marker: str

    def brush(self, is_exact: bool) -> QBrush:
        """Solid, or hatched where ids deviate."""
        return QBrush(self.color, Qt.BrushStyle.SolidPattern if is_exact else Qt.BrushStyle.BDiagPattern)


def look_of(name: str, theme: Theme) -> Look:
    """The look of an encoder or peer; names beyond the table share a neutral one."""
    base, is_split = split_name(name)
    if base not in ORDER:
        return Look(theme.faint, "o")
    index = ORDER.index(base)
    marker = index if is_split else index + UNSPLIT_SHIFT
    return Look(theme.contenders[index % len(theme.contenders)], MARKERS[marker % len(MARKERS)])
