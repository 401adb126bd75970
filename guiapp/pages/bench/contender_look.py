"""How a contender looks in every chart: always the same colour and marker, so that either tells it."""

from __future__ import annotations

from zlib import crc32

from guiapp.analysis.libraries.contender import split_name
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.kit.charts.markers import MARKERS, Look
from guiapp.kit.widgets.theme import Theme

N_LOOKS = 84  # of 7 colours and 12 markers, each pair once
UNSPLIT_SHIFT = 42  # the same colour with another marker
FIRST = ("fast", "backtrack", "heap", "gigatoken", "tiktoken", "tokenizers", "llama.cpp", "sentencepiece")
ORDER = (*FIRST, *(name for name in (*ALGORITHMS, *PEERS) if name not in FIRST))
LEFT = [index for index in range(N_LOOKS) if index % UNSPLIT_SHIFT >= len(ORDER)]


def look_of(name: str, theme: Theme) -> Look:
    """The look of an encoder or library; other names have one of those that are left, by their letters."""
    base, is_split = split_name(name)
    index = ORDER.index(base) if base in ORDER else LEFT[crc32(base.encode()) % len(LEFT)]
    index += 0 if is_split else UNSPLIT_SHIFT
    return Look(theme.contenders[index % len(theme.contenders)], MARKERS[index % len(MARKERS)])
