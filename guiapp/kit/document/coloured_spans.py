"""The tokens on screen, coloured by token, cost, kind or rarity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.explain.characters import KINDS, RARITIES, TokenClasses
from guiapp.core.encode.counting.cost import STEPS, word_costs
from guiapp.core.text.normalized import decode
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.layout import DIFFERS, FIRST_SHADE, PIECE_END, SpanWindow
from guiapp.kit.spans.source import TokenizedText

CUT_OUT = Attribute.CONTROL | Attribute.USER_DEFINED
NONE = np.zeros(0, np.int64)
COLORINGS = {"token": "token", "cost": "cost", "kind": "kind", "rarity": "rarity"}
WHITE = b" ", b"\n", b"\t"
MOST_COST_BYTES = 1 << 22  # between the first and the last visible token
REACH_BYTES = 2048  # context on each side of the visible text that is used to find word boundaries
COST_SHADE = FIRST_SHADE
RARITY_SHADE = COST_SHADE + len(STEPS)
KIND_SHADE = RARITY_SHADE + len(RARITIES)
N_SHADES = KIND_SHADE + len(KINDS) - FIRST_SHADE
PLAIN_SHADE = FIRST_SHADE + N_SHADES  # in a prompt: text that the template writes …
CONTROL_SHADE = PLAIN_SHADE + 1  # … a control token in that text …
ORIGIN_SHADE = CONTROL_SHADE + 1  # … and content, two shades for each hue


class _Made(NamedTuple):
    """The cached spans of the bytes [start, end].

    version  compares equal while the cache is valid
    """

    version: object
    start: int
    end: int
    window: SpanWindow


class ColouredSpans(TokenizedText):
    """The tokens of a session in one of COLORINGS.

    coloring  one of COLORINGS

    Signals:
        coloring_changed(): `coloring` or `legend` is new.
    """

    coloring_changed = Signal()

    def __init__(self, session: ModelSession, coloring: str = "token", parent: QObject | None = None) -> None:
        super().__init__(session.document, session, session.spelling, parent=parent)
        self._session = session
        self.coloring = coloring
        self._classes: TokenClasses | None = None
        self._pieces: TextPieces | None = None  # while piece ends are marked
        self._made: _Made | None = None
        session.tokens_changed.connect(self.tokens_changed)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)
        session.exact.encoded.connect(self.notify)
        self._on_vocabulary_changed()

    def set_coloring(self, coloring: str) -> None:
        if coloring != self.coloring:
            self.coloring = coloring
            self.coloring_changed.emit()
            self.notify()

    def set_shows_pieces(self, shows: bool) -> None:
        if shows != (self._pieces is not None):
            self._pieces = TextPieces(self._session) if shows else None
            self.notify()

    def note_at(self, offset: int) -> str:
        """The rule that ended the piece at a byte; "" unless pieces are marked."""
        return "" if self._pieces is None else self._pieces.rule_at(offset)

    @property
    def legend(self) -> tuple[str, dict[str, int]]:
        """The title of the legend, and the tint of each entry; empty if colours only separate tokens."""
        if self.coloring == "cost":
            return "Characters per token", _tints(STEPS, COST_SHADE)
        if self.coloring == "kind":
            return "", _tints(KINDS, KIND_SHADE)
        if self.coloring == "rarity":
            is_by_score = self._classes is not None and self._classes.is_by_score
            return ("By score" if is_by_score else "By id"), _tints(RARITIES, RARITY_SHADE)
        return "", {}

    def spans_in(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap or touch the bytes [start, end]."""
        session, made = self._session, self._made
        exact = session.exact.version
        if (self.coloring == "token" or self._classes is None) and self._pieces is None and exact is None:
            return session.spans_in(start, end)
        looks = self.coloring, self._classes, self._pieces
        version = session.tokens, session.tokens.replaced.n_changes, exact, looks
        if made is None or made.version != version or not made.start <= start <= end <= made.end:
            is_same_text = made is not None and made.version == version
            reach = REACH_BYTES if is_same_text else 0  # more for scrolling; after an edit only what shows
            first, last = max(start - reach, 0), max(end, min(end + reach, session.document.size))
            made = self._made = _Made(version, first, last, self._made_for(first, last))
        return made.window.within(start, end)

    def tints(self, first: int, last: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """The colours of the tokens [first, last) in the text, without marks."""
        ids, starts, ends, tints = self._session.tokens.between(first, last)
        window = SpanWindow(first, ids, starts, ends, tints)
        return self._tints(window, int(starts.min(initial=0)), int(ends.max(initial=0)))

    def _made_for(self, start: int, end: int) -> SpanWindow:
        window = self._session.spans_in(start, end)
        if not len(window.ids):
            return window
        tints = self._tints(window, start, end)
        if self._pieces is not None:
            is_end = np.isin(window.ends, self._pieces.ends_in(start, end)) & (window.ends > window.starts)
            tints = tints | np.where(is_end, np.uint8(PIECE_END), np.uint8(0))
        if self._session.exact.is_known:
            tints = tints | np.where(self._session.exact.differing(window), np.uint8(DIFFERS), np.uint8(0))
        return window._replace(tints=tints)

    def _tints(self, window: SpanWindow, start: int, end: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
        if self.coloring == "token" or self._classes is None or not len(window.ids):
            return window.tints
        if self.coloring == "cost":
            return self._steps(window, start, end) + np.uint8(COST_SHADE)
        if self.coloring == "kind":
            return self._classes.kinds(window.ids) + np.uint8(KIND_SHADE)
        return self._classes.rarities(window.ids) + np.uint8(RARITY_SHADE)

    def _steps(self, window: SpanWindow, start: int, end: int) -> NDArray[np.uint8]:
        """The cost step of the word that each token is in; of the last word if there are several."""
        if end - start > MOST_COST_BYTES:  # tokens of a deleted text, until the new one is encoded
            return np.zeros(len(window.ids), np.uint8)
        first, last = self._whole_words(start, end)
        around = self._session.spans_in(first, last)
        text = np.frombuffer(self._session.document.slice(first, last), np.uint8)
        words = word_costs(text, around.starts - first, around.ends - first)
        if not len(words.starts):
            return np.zeros(len(window.ids), np.uint8)
        at = np.searchsorted(words.starts, window.ends - first) - 1
        is_in_word = (at >= 0) & (words.ends[at] > window.starts - first)
        return np.where(is_in_word, words.steps[at], np.uint8(0))

    def _whole_words(self, start: int, end: int) -> tuple[int, int]:
        """Extend a span to whole words, by at most REACH_BYTES on each side."""
        document = self._session.document
        first, last = max(start - REACH_BYTES, 0), min(end + REACH_BYTES, document.size)
        before, after = document.slice(first, start), document.slice(end, last)
        begin = max(before.rfind(sign) for sign in WHITE)
        found = [at for sign in WHITE if (at := after.find(sign)) >= 0]
        return first + max(begin, 0), end + min(found) if found else last

    def _on_vocabulary_changed(self) -> None:
        vocabulary = self._session.vocabulary
        self._classes = None if vocabulary is None else TokenClasses(vocabulary)
        self.coloring_changed.emit()


def _tints(names: tuple[str, ...], first: int) -> dict[str, int]:
    return {name: first + at for at, name in enumerate(names)}


class TextPieces:
    """The pieces of a session; none if its model has no known patterns, or the text there is not UTF-8."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session

    def ends_in(self, start: int, end: int) -> NDArray[np.int64]:
        """The ends of pieces, in order, from the first one after `start` to the first one after `end`."""
        from guiapp.core.pretokenize.edges import certain, patterns_of, piece_ends

        document, vocabulary = self._session.document, self._session.vocabulary
        patterns = () if vocabulary is None else patterns_of(vocabulary)
        first = document.character_start(max(start - REACH_BYTES, 0))
        last = document.character_start(min(end + REACH_BYTES, document.size))
        text = document.slice(first, last)
        if not patterns or not text or not _is_valid(text):
            return NONE
        low, high = certain(patterns, text)
        ends = piece_ends(patterns, text, self._parts(first, last))
        ends = ends[(ends >= (low if first else 0)) & (ends <= (high if last < document.size else len(text)))]
        return ends + first

    def rule_at(self, offset: int) -> str:
        """The piece at a byte and the rule that ended it, as a message; "" if unknown."""
        document, vocabulary = self._session.document, self._session.vocabulary
        ends = self.ends_in(offset, offset)
        at = int(np.searchsorted(ends, offset, side="right"))
        if vocabulary is None or at >= len(ends):
            return ""
        start, end = int(ends[at - 1]) if at else 0, int(ends[at])
        if offset - start > REACH_BYTES:
            return ""
        first = document.character_start(max(start - 1, 0))
        last = document.character_start(min(end + REACH_BYTES, document.size))
        before, piece = decode(document.slice(first, start)), decode(document.slice(start, end))
        whole = decode(document.slice(first, last))
        from guiapp.core.pretokenize.edges import patterns_of, rule_of

        rule = rule_of(patterns_of(vocabulary), whole, len(before), len(before) + len(piece))
        shown = visible_text(document.slice(start, end), 40)
        return f"Piece “{shown}”" + (f": {rule}" if rule else "")

    def _parts(self, first: int, last: int) -> list[int]:
        """The start and end offsets of special tokens, which no piece crosses, and `last`; minus `first`."""
        window = self._session.spans_in(first, last)
        is_special = (self._session.attributes_of(window.ids) & CUT_OUT) > 0
        is_special &= window.ends > window.starts
        bounds = np.concatenate((window.starts[is_special], window.ends[is_special]))
        inside = bounds[(bounds > first) & (bounds < last)]
        return [*np.unique(np.append(inside, last) - first).tolist()]


def _is_valid(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
