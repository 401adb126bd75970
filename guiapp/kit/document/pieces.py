"""The pieces of the text near where it shows, and the rules that cut them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.edges import certain, patterns_of, piece_ends, rule_of
from guiapp.core.text.character_starts import decode
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.session.model_session import ModelSession

REACH_BYTES = 2048  # how far pieces are followed
CUT_OUT = Attribute.CONTROL | Attribute.USER_DEFINED
NONE = np.zeros(0, np.int64)


class TextPieces:
    """Those of a session; none where its model knows no patterns, or the text is no valid UTF-8 there."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session

    def ends_in(self, start: int, end: int) -> NDArray[np.int64]:
        """The ends of pieces, in order, from the one behind `start` to the one behind `end`."""
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
        """The piece that a byte is in, and what cut it, to show as it stands; "" where that is not known."""
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
        rule = rule_of(patterns_of(vocabulary), whole, len(before), len(before) + len(piece))
        shown = visible_text(document.slice(start, end), 40)
        return f"Piece “{shown}”" + (f": {rule}" if rule else "")

    def _parts(self, first: int, last: int) -> list[int]:
        """Where special tokens begin and end, which no piece crosses, and the end; counted from the first."""
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
