"""Fonts of the scripts of a text, loaded before they are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QPainter, QPixmap, QTextLayout

from guiapp.kit.widgets.painting import in_shared_size

SAMPLES = tuple("αяאعअকதไខབაԱአ汉あ한😀∑⠁→")
TURN_MS = 100  # from one of these to the next
BLOCK_BITS = 5  # characters so near to each other are mostly from the same font
SLICE_MS = 3  # after which events have their turn; a single font may take longer
N_CODES = 0x110000
USES = "{0} \u2068▁{0}\u2069 + {1} → ◌{0} 0"
"""Qt has a list of fonts for each script, and loads from it even what every font has: “▁”, digits, arrows."""

JOINER = 0x200D
EMOJI_LOOK = "\ufe0f"
FIRST_PICTURE = "\U0001f000"
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
JOINING = np.zeros(N_CODES, np.bool_)
"""What makes one picture of several characters: joiners, flags, skin tones, tags."""

JOINING[[JOINER, 0x20E3, 0xFE0F, *FLAG_LETTERS, *range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080)]] = True

LONGEST_SEQUENCE, MOST_SEQUENCES = 16, 500  # of characters, and of those that are loaded
PART = 50_000  # bytes of a text that are looked through at once
LONGEST_CHARACTER = 4  # bytes
PLACES = (0, 0.25, 0.5, 0.75)  # between two pixels

Loader = Callable[[str], None]
"""Does once what painting these characters needs."""


class ScriptFonts(QObject):
    """Calls loaders for the characters of a text, a little at a time between events."""

    def __init__(self, loaders: Sequence[Loader], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loaders = tuple(loaders)
        self._known = np.zeros(N_CODES, np.bool_)
        self._known_sequences: set[str] = set()
        self._waiting: deque[tuple[Loader, str]] = deque()
        self._unread: deque[memoryview] = deque()
        self._found: list[NDArray[np.uint32]] = []
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._load_some)

    @property
    def is_ready(self) -> bool:
        return not self._waiting and not self._unread

    def use(self, loaders: Sequence[Loader]) -> None:
        """Load by these from now on, such as for another size: nothing is known then."""
        self._loaders = tuple(loaders)
        self._known[:] = False
        self._known_sequences.clear()
        self._waiting.clear()
        self._unread.clear()
        self._found.clear()

    def prepare(self, text: bytes) -> None:
        """Begin to load what a text needs that no earlier one did."""
        first, *others = parts_of(text)
        self._unread += others
        self._load_later(blocks(self._read(first)))
        if not self.is_ready:
            self._turn.start()

    def _load_later(self, new: list[str]) -> None:
        self._waiting += [(load, characters) for characters in new for load in self._loaders]

    def _load_some(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        while not self.is_ready and clock.elapsed() < SLICE_MS:
            if self._unread:
                self._found.append(self._read(self._unread.popleft()))
                if not self._unread:
                    self._load_later(blocks(np.sort(np.concatenate(self._found))))
                    self._found.clear()
            else:
                load, characters = self._waiting.popleft()
                load(characters)
        if self.is_ready:
            self._turn.stop()

    def _read(self, part: memoryview) -> NDArray[np.uint32]:
        """The characters of a part of a text that were in none before."""
        codes = codes_of(part)
        new = np.unique(codes[~self._known[codes]])
        self._known[new] = True
        self._load_sequences(codes)
        return new

    def _load_sequences(self, codes: NDArray[np.uint32]) -> None:
        room = max(0, MOST_SEQUENCES - len(self._known_sequences))
        new = sorted(sequences_of(codes) - self._known_sequences)[:room]
        self._known_sequences |= set(new)
        self._load_later(new)


def parts_of(text: bytes) -> Iterator[memoryview]:
    """All of a text, at least one part; none ends within a character."""
    view, start = memoryview(text), 0
    while len(text) - start > PART:
        end = start + PART
        while end > start + PART - LONGEST_CHARACTER and text[end] & 0xC0 == 0x80:
            end -= 1
        yield view[start:end]
        start = end
    yield view[start:]


def codes_of(text: bytes | memoryview) -> NDArray[np.uint32]:
    """Its code points; U+FFFD stands for what is no UTF-8."""
    return np.frombuffer(str(text, "utf-8", "replace").encode("utf-32-le"), np.uint32)


def sequences_of(codes: NDArray[np.uint32]) -> set[str]:
    """Neighbours that are drawn as one picture, such as 🇯🇵 and 👩🏽‍💻; several where they touch."""
    joining = np.flatnonzero(JOINING[codes])
    is_letter = (codes[joining] >= FLAG_LETTERS.start) & (codes[joining] < FLAG_LETTERS.stop)
    joined = joining[~is_letter] - 1, joining[codes[joining] == JOINER] + 1
    parts = np.unique(np.concatenate([joining, *joined]))
    parts = parts[(parts >= 0) & (parts < len(codes))]
    return {
        "".join(map(chr, codes[part[:LONGEST_SEQUENCE]].tolist()))
        for part in np.split(parts, np.flatnonzero(np.diff(parts) > 1) + 1)
        if len(part)
    }


def blocks(codes: NDArray[np.uint32]) -> list[str]:
    """These characters, which are sorted, the neighbours among them together.

    Without those that are told by their code: for one that no font has, Qt asks each, and keeps the answers.
    """
    edges = np.flatnonzero(np.diff(codes >> BLOCK_BITS)) + 1
    parts = np.split(codes, edges)
    texts = ("".join(filter(str.isprintable, map(chr, part.tolist()))) for part in parts)
    return [text for text in texts if text]


def is_picture(text: str) -> bool:
    """Whether it is drawn in colours of its own, or may be: emoji, and sequences of them."""
    return max(text, default="") >= FIRST_PICTURE or EMOJI_LOOK in text


def draw_once(
    font: QFont,
    text: str,
    scale: float = 1.0,
    colors: Sequence[QColor | Qt.GlobalColor] = (Qt.GlobalColor.black,),
) -> None:
    """Lay out characters as they are used, and paint them, which draws them for all that are painted later.

    They are drawn for all places between two pixels that Qt tells apart, pictures also for the colours of
    the pens: Qt draws them anew for each.  `scale` is that of the painters.
    """
    shared, factor = in_shared_size(font)
    layout = QTextLayout(USES.format(text, " ".join(text)), shared)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    picture = QPixmap(1, 1)
    with QPainter(picture) as painter:
        painter.scale(scale * factor, scale * factor)
        for color in colors if is_picture(text) else colors[:1]:
            painter.setPen(color)
            for place in PLACES:
                layout.draw(painter, QPointF(place / (scale * factor), 0))


def find_fonts(font: QFont, owner: QObject) -> None:
    """Find fonts for all scripts, before a text needs them: one at a time, with pauses between.

    The first character of a script takes Qt some 10 ms to find a font for.  A page in ten scripts that
    came into sight while someone scrolled took 100.
    """
    waiting, turn = list(SAMPLES), QTimer(owner, interval=TURN_MS)

    def search() -> None:
        layout = QTextLayout(waiting.pop(0), font)
        layout.beginLayout()
        layout.createLine().setLineWidth(100)
        layout.endLayout()
        if not waiting:
            turn.stop()

    turn.timeout.connect(search)
    turn.start()
