"""DNA within text, as `hybriddna` models write it: <dna>ACGTAC…</dna>, a token for each six bases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encoding import FragmentTokens
from guiapp.core.pipelines.watcher import UNWATCHED, Watcher, watch_whole
from guiapp.core.vocab.vocabulary import Vocabulary

OPENING, CLOSING, UNKNOWN = b"<dna>", b"</dna>", b"<oov>"
GROUP_BYTES = 6
FILLER = b"A"
SUFFIX = "\ue000".encode()  # sets groups apart from words that are spelled alike


Cut = Callable[[NDArray[np.uint8], int], int]


@dataclass(frozen=True)
class DnaTokens:
    """The tokens that stretches of DNA begin, end and are filled with."""

    vocabulary: Vocabulary
    opening: int
    closing: int
    unknown: int

    def encode(
        self,
        fragment: bytes,
        encode_text: Callable[[int, int], FragmentTokens],
        watcher: Watcher = UNWATCHED,
    ) -> FragmentTokens:
        """The tokens of a fragment; `encode_text(start, end)` gives those of what is not DNA."""
        parts = [FragmentTokens(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64))]
        for start, end, is_dna in _stretches(fragment):
            if is_dna:
                parts.append(tokens := self._encode_dna(fragment, start, end))
                columns = (tokens.ids, tokens.starts - start, tokens.ends - start)
                watch_whole(watcher, fragment[start:end], None, start)
                watcher.end_piece(list(zip(*(column.tolist() for column in columns), strict=True)))
            elif start < end:
                tokens = encode_text(start, end)
                parts.append(FragmentTokens(tokens.ids, tokens.starts + start, tokens.ends + start))
        ids, starts, ends = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return FragmentTokens(ids, starts, ends)

    def cut_before(self, fragment: NDArray[np.uint8], position: int, cut_text: Cut) -> int:
        """See `Pipeline`; `cut_text(text, position)` finds a cut in text without DNA."""
        known = fragment[:position].tobytes()
        start = _last_text_start(known)
        if (opening := known.find(OPENING, start)) >= 0:
            return opening
        end = max(start, position - len(OPENING) + 1)  # a mark may begin behind that
        return start + cut_text(fragment[start:end], end - start)

    def cut_after(self, fragment: NDArray[np.uint8], position: int, cut_text: Cut) -> int:
        """See `Pipeline`; only behind a closing mark is it sure that text follows."""
        behind = fragment[position:].tobytes()
        closing = behind.find(CLOSING)
        if closing < 0:
            return len(fragment)
        start = closing + len(CLOSING)
        opening = behind.find(OPENING, start)
        text = fragment[position + start : position + opening if opening >= 0 else len(fragment)]
        return position + start + cut_text(text, 0)

    def _encode_dna(self, fragment: bytes, start: int, end: int) -> FragmentTokens:
        first = start + len(OPENING)
        is_closed = fragment.endswith(CLOSING, first, end)
        last = end - len(CLOSING) if is_closed else end
        starts = [start, *range(first, last, GROUP_BYTES)]
        ends = [first, *(min(at + GROUP_BYTES, last) for at in starts[1:])]
        ids = [self.opening, *(self._group(fragment[a:b]) for a, b in zip(starts[1:], ends[1:], strict=True))]
        if is_closed:
            ids, starts, ends = [*ids, self.closing], [*starts, last], [*ends, end]
        return FragmentTokens(np.array(ids, np.int32), np.array(starts), np.array(ends))

    def _group(self, bases: bytes) -> int:
        token = self.vocabulary.find(bases.upper().ljust(GROUP_BYTES, FILLER) + SUFFIX)
        return self.unknown if token is None else token


def dna_tokens(vocabulary: Vocabulary) -> DnaTokens | None:
    """None where the vocabulary knows no DNA; its text is plain then."""
    if vocabulary.model != "hybriddna":
        return None
    found = [vocabulary.find(text) for text in (OPENING, CLOSING, UNKNOWN)]
    ids = [token for token in found if token is not None]
    return DnaTokens(vocabulary, *ids) if len(ids) == len(found) else None


def _last_text_start(data: bytes) -> int:
    """Where the last DNA that is closed ends; 0 where there is none."""
    end = len(data)
    while (closing := data.rfind(CLOSING, 0, end)) >= 0:
        before = data.rfind(CLOSING, 0, closing)
        if data.find(OPENING, max(before, 0), closing) >= 0:
            return closing + len(CLOSING)
        end = closing
    return 0


def _stretches(fragment: bytes) -> Iterator[tuple[int, int, bool]]:
    """Start and end of what is DNA, with its marks, and of what is not."""
    at = 0
    while (start := fragment.find(OPENING, at)) >= 0:
        yield at, start, False
        closing = fragment.find(CLOSING, start + len(OPENING))
        at = len(fragment) if closing < 0 else closing + len(CLOSING)
        yield start, at, True
    yield at, len(fragment), False
