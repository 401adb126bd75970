"""DNA within text, as `hybriddna` models write it: <dna>ACGTAC…</dna>, one token per six bases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens
from guiapp.core.encode.families.pipeline import NO_TRACE, Tracer, tokens_from_steps, trace_whole
from guiapp.core.vocabulary.vocabulary import Vocabulary

OPENING, CLOSING, UNKNOWN = b"<dna>", b"</dna>", b"<oov>"
GROUP_BYTES = 6
FILLER = b"A"
SUFFIX = "\ue000".encode()  # distinguishes groups from words with the same spelling


Cut = Callable[[NDArray[np.uint8], int], int]


@dataclass(frozen=True)
class DnaTokens:
    """The tokens of the tags around DNA, and the one for unknown groups."""

    vocabulary: Vocabulary
    opening: int
    closing: int
    unknown: int

    def encode(
        self,
        fragment: bytes,
        encode_text: Callable[[int, int], FragmentTokens],
        tracer: Tracer = NO_TRACE,
    ) -> FragmentTokens:
        """The tokens of a fragment; `encode_text(start, end)` encodes a part that is not DNA."""
        parts = [tokens_from_steps([])]
        for start, end, is_dna in _segments(fragment):
            if is_dna:
                tokens = self._encode_dna(fragment[start:end])
                trace_whole(tracer, fragment[start:end], None, start)
                tracer.end_piece(tokens)
                parts.append(tokens_from_steps(tokens).moved(start))
            elif start < end:
                parts.append(encode_text(start, end).moved(start))
        return join_tokens(parts)

    def cut_before(self, fragment: NDArray[np.uint8], position: int, cut_text: Cut) -> int:
        """See `Pipeline`; `cut_text(text, position)` finds a cut in text without DNA."""
        known = fragment[:position].tobytes()
        start = _last_text_start(known)
        if (opening := known.find(OPENING, start)) >= 0:
            return opening
        end = max(start, position - len(OPENING) + 1)  # a tag may begin after that
        return start + cut_text(fragment[start:end], end - start)

    def cut_after(self, fragment: NDArray[np.uint8], position: int, cut_text: Cut) -> int:
        """See `Pipeline`; only after a closing tag is it certain that text follows."""
        rest = fragment[position:].tobytes()
        closing = rest.find(CLOSING)
        if closing < 0:
            return len(fragment)
        start = closing + len(CLOSING)
        opening = rest.find(OPENING, start)
        text = fragment[position + start : position + opening if opening >= 0 else len(fragment)]
        return position + start + cut_text(text, 0)

    def _encode_dna(self, segment: bytes) -> list[tuple[int, int, int]]:
        """Token, start and end of the tags, and of each group between them."""
        last = len(segment) - len(CLOSING) if segment.endswith(CLOSING) else len(segment)
        tokens = [(self.opening, 0, len(OPENING))]
        for start in range(len(OPENING), last, GROUP_BYTES):
            end = min(start + GROUP_BYTES, last)
            tokens.append((self._group(segment[start:end]), start, end))
        return tokens if last == len(segment) else [*tokens, (self.closing, last, len(segment))]

    def _group(self, bases: bytes) -> int:
        token = self.vocabulary.find(bases.upper().ljust(GROUP_BYTES, FILLER) + SUFFIX)
        return self.unknown if token is None else token


def dna_tokens(vocabulary: Vocabulary) -> DnaTokens | None:
    """The DNA tokens, or None if the vocabulary has no DNA; all text is plain then."""
    if vocabulary.model != "hybriddna":
        return None
    mark_ids = [vocabulary.find(text) for text in (OPENING, CLOSING, UNKNOWN)]
    ids = [token for token in mark_ids if token is not None]
    return DnaTokens(vocabulary, *ids) if len(ids) == len(mark_ids) else None


def _last_text_start(data: bytes) -> int:
    """The end of the last closed DNA; 0 if there is none."""
    end = len(data)
    while (closing := data.rfind(CLOSING, 0, end)) >= 0:
        before = data.rfind(CLOSING, 0, closing)
        if data.find(OPENING, max(before, 0), closing) >= 0:
            return closing + len(CLOSING)
        end = closing
    return 0


def _segments(fragment: bytes) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each part, and whether it is DNA with its tags."""
    at = 0
    while (start := fragment.find(OPENING, at)) >= 0:
        yield at, start, False
        closing = fragment.find(CLOSING, start + len(OPENING))
        at = len(fragment) if closing < 0 else closing + len(CLOSING)
        yield start, at, True
    yield at, len(fragment), False
