"""Tries texts on a pair of tokenizers, and makes finds of those that differ: shrunk, one for each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from guiapp.core.compare.reasons import Cause, Reason
from guiapp.core.hunt.finds import Batch, Find
from guiapp.core.hunt.pair import Pair
from guiapp.core.hunt.shrinking import shrunk

MOST_LOOKED_AT = 12  # differing texts of a batch of which the reason is asked
MOST_LINES_LOOKED_AT = 200
MOST_KINDS = 100
MOST_OF_A_CAUSE = 20
SHORT = 48  # characters of which the reason is soon told
AROUND_PLACE = (24, 24)  # bytes before and behind the place where a long text first differs


class Searcher:
    """Knows which kinds of differences it has told already."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._known: dict[tuple[Cause, str], int] = {}  # how many bytes the shortest text has

    def around(self) -> tuple[Find, ...]:
        """The find that other tokens are put around texts, if that is so."""
        reason = self._pair.around()
        return () if reason is None else (self._find(b"", reason, ""),)

    def search(self, texts: Sequence[bytes], generator: str) -> Batch:
        """What differs among texts; of a kind that is known, only a shorter text is told."""
        differing = self._pair.differing(texts)
        step = max(1, len(differing) // MOST_LOOKED_AT)
        finds = []
        for at in differing[::step][: MOST_LOOKED_AT + 1]:
            _, find = self._look_at(texts[at], generator)
            finds += [find] if find else []
        return Batch(len(texts), len(differing), tuple(finds))

    def search_lines(self, lines: Sequence[bytes]) -> Batch:
        """The same for the user's own lines, each counted by its kind.

        Where very many differ, the reason is asked of some, which stand for the others.
        """
        differing = self._pair.differing(lines)
        step = -(-len(differing) // MOST_LINES_LOOKED_AT) or 1
        kinds: Counter[tuple[Cause, str]] = Counter()
        finds = []
        for at in range(0, len(differing), step):
            kind, find = self._look_at(lines[differing[at]], "your own texts")
            kinds[kind] += min(step, len(differing) - at)
            finds += [find] if find else []
        return Batch(len(lines), len(differing), tuple(finds), True, tuple(kinds.items()))

    def _look_at(self, text: bytes, generator: str) -> tuple[tuple[Cause, str], Find | None]:
        """The kind of a text that differs, and a find if that kind is new."""
        text = self._narrowed(text)
        reason = self._pair.reason(text)
        if reason is None:
            return (Cause.UNTOLD, ""), None
        if len(text) >= self._known.get(reason.kind, len(text) + self._has_room(reason.cause)):
            return reason.kind, None
        smallest, found = self._smallest(text, reason)
        if len(smallest) >= self._known.get(found.kind, len(smallest) + 1):
            return reason.kind, None
        self._known[found.kind] = len(smallest)
        return reason.kind, self._find(smallest, found, generator)

    def _smallest(self, text: bytes, reason: Reason) -> tuple[bytes, Reason]:
        """The smallest text of a kind, or of another one if a long text is of that when it is shortened."""
        if len(text) > SHORT:
            text = shrunk(text, self._differs)
            reason = self._pair.reason(text) or reason

        def is_alike(some: bytes) -> bool:
            other = self._pair.reason(some) if some else None
            return other is not None and other.kind == reason.kind

        text = shrunk(text, is_alike)
        return text, self._pair.reason(text) or reason

    def _differs(self, text: bytes) -> bool:
        return text != b"" and self._pair.differs(text)

    def _has_room(self, cause: Cause) -> bool:
        """Whether one more kind may be told."""
        return (
            len(self._known) < MOST_KINDS and sum(each is cause for each, _ in self._known) < MOST_OF_A_CAUSE
        )

    def _narrowed(self, text: bytes) -> bytes:
        """The surroundings of the place where a long text first differs, if they differ by themselves."""
        if len(text) <= AROUND_PLACE[0] + AROUND_PLACE[1]:
            return text
        at = self._pair.first_difference(text)
        part = text[max(at - AROUND_PLACE[0], 0) : at + AROUND_PLACE[1]].decode("utf-8", "ignore").encode()
        return part if self._differs(part) else shrunk(text, self._differs)

    def _find(self, text: bytes, reason: Reason, generator: str) -> Find:
        mine, other = (None if ids is None else tuple(ids) for ids in self._pair.ids(text))
        at = self._pair.first_difference(text) if text else 0
        return Find(text, (mine, other), at, reason, generator)
