"""The exact encoding of a text that is being edited: only the neighbourhood of an edit is encoded again.

An edit is in a window between two *cuts*: positions where the encoding of the whole text is the
concatenation of the encodings of both parts, independent of more distant text.  Tokens before the window
stay, tokens after it are moved, tokens inside are replaced.  Three conditions must hold at a cut:

- for the pipeline, a piece ends there, and no token can cross it;
- no special token, present or possible, crosses it;
- the text after it follows a special token after the edit if and only if it did before the edit.

If neither the old nor the new text has a DNA mark, the pipeline without DNA finds more cuts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.editing.token_store import Options, TokenStore
from guiapp.core.encode.counting.certain_cuts import CertainCuts, Clusters
from guiapp.core.encode.encoding import Encoding, FragmentTokens
from guiapp.core.encode.families.dna import OPENING, dna_tokens
from guiapp.core.encode.families.words import WORDS
from guiapp.core.text.special_tokens import WHITESPACE, Partition
from guiapp.native.checkpoint import checkpoint

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

SHORT_BYTES = 1 << 15
WINDOW_BYTES = 1 << 12  # at each end, in which a cut is searched for


@dataclass(frozen=True)
class Window:
    """The span [start, end) of the new text to encode again, and by how much the text after it moved."""

    start: int
    end: int
    shift: int


class LiveEncoding:
    """The tokens of one document with one tokenizer, exact after each edit.

    tokens  all tokens; BOS, EOS and similar ones have empty spans at the ends of the text
    """

    def __init__(self, tokenizer: Tokenizer, encoding: Encoding, options: Options) -> None:
        """Start from the encoding of the whole text, which was made with these `options`."""
        self._tokenizer = tokenizer
        self._special_tokens = tokenizer.special_tokens
        self._options = options
        before, after = tokenizer.special_affixes() if options.add_special else ([], [])
        self._n_before, self._n_after = len(before), len(after)
        n_bytes, (starts, ends) = len(encoding.text_bytes), encoding.spans.T
        checkpoint()
        self.tokens = TokenStore(FragmentTokens(encoding.token_ids, starts, ends), n_bytes)
        checkpoint()
        text = np.frombuffer(bytearray(encoding.text_bytes), np.uint8)
        found = self._special_tokens.partition(text, options.parse_special)
        self._special = TokenStore(_moved(found, 0), n_bytes)
        self._dna = dna_tokens(tokenizer.vocabulary)
        self._cutter = tokenizer.pipeline_of(encoding.encoder)

    def window(self, text: NDArray[np.uint8], start: int, removed: int, added: int) -> Window:
        """The window that must be encoded again after an edit.

        `removed` bytes at `start` were replaced by `added` others; `text` is the new text.
        """
        shift = added - removed
        if self._dna is not None and self._options.encoder != WORDS:
            has_dna = OPENING in text.tobytes() or self.tokens.has_id(self._dna.opening)
            pipeline = self._tokenizer.pipeline
            self._cutter = pipeline if has_dna else pipeline.without_dna()
        left = self._cut_before(text, start)
        right = self._cut_after(text, start + added, shift)
        while right < len(text) and self._ends_in_special(text[left:right]):
            right = self._cut_after(text, right + 1, shift)
        return Window(left, right, shift)

    def update(self, text: NDArray[np.uint8], window: Window) -> None:
        """Encode the window again and replace the old tokens by the result."""
        segment = text[window.start : window.end]
        found = self._special_tokens.partition(segment, self._options.parse_special)
        begins = window.start == 0 or (
            self._special.ends_at(window.start) and self._tokenizer.pipeline.begins_after_special
        )
        options = self._options
        tokens = self._tokenizer.encode_segment(segment, None, begins, options.encoder, options.parse_special)
        old_end = window.end - window.shift
        is_last = window.end == len(text)
        first, last = self._special.first_from(window.start), self._special.first_from(old_end)
        self._special.replace(first, last, _moved(found, window.start), window.shift)
        first = self._n_before if window.start == 0 else self.tokens.first_from(window.start)
        last = len(self.tokens) - self._n_after if is_last else self.tokens.first_from(old_end)
        self.tokens.replace(first, last, _moved(tokens, window.start), window.shift)

    def _cut_before(self, text: NDArray[np.uint8], position: int) -> int:
        """The last cut at or before `position` that does not depend on the text after `position`."""
        while position > 0:
            fragment = self._special.last_end_until(position)
            cut = fragment + self._cutter.cut_before(text[fragment:position], position - fragment)
            across = self._reach_across(text, cut)
            if across is not None:
                position = across[0]
            elif (covering := self.tokens.covering(cut)) is not None:
                position = covering[0]
            elif cut == 0 or self._splits_cleanly(text, cut, cut):
                return cut
            else:
                position = cut - 1
        return 0

    def _cut_after(self, text: NDArray[np.uint8], position: int, shift: int) -> int:
        """The first cut at or after `position` that does not depend on the text before `position`."""
        while position < len(text):
            fragment = min(
                self._special.first_start_from(position - shift, len(text) - shift) + shift, len(text)
            )
            cut = position + self._cutter.cut_after(text[position:fragment], 0)
            across = self._reach_across(text, cut)
            if across is not None:
                position = across[1]
            elif (covering := self.tokens.covering(cut - shift)) is not None:
                position = covering[1] + shift
            elif cut == len(text) or (
                not self._special.ends_at(cut - shift) and self._splits_cleanly(text, cut, cut - shift)
            ):
                return cut
            else:
                position = cut + 1
        return len(text)

    def _splits_cleanly(self, text: NDArray[np.uint8], cut: int, old_cut: int) -> bool:
        """Whether each token is clearly on one side, and no white space is dropped across the cut."""
        follows_special = self._special.ends_at(old_cut)
        if self._special_tokens.drops_white_space and (follows_special or text[cut - 1] in WHITESPACE):
            return False
        return follows_special or not self.tokens.has_empty_at(old_cut)

    def _reach_across(self, text: NDArray[np.uint8], cut: int) -> tuple[int, int] | None:
        """The span of special tokens that might cross `cut`; None if there are none."""
        return self._special_tokens.reach_across(text, cut, self._options.parse_special)

    def _ends_in_special(self, segment: NDArray[np.uint8]) -> bool:
        found = self._special_tokens.partition(segment, self._options.parse_special)
        return len(found.ends) > 0 and bool(found.ends[-1] == len(segment))


def _moved(tokens: FragmentTokens | Partition, by: int) -> FragmentTokens:
    return FragmentTokens(tokens.ids, tokens.starts + by, tokens.ends + by)


# Count the tokens of a selection without a noticeable delay


def count_selection(
    tokenizer: Tokenizer,
    text: NDArray[np.uint8],
    tokens: TokenStore,
    parse_special: bool,
    start: int,
    end: int,
) -> int | None:
    """The number of tokens of text[start:end] alone, without added ones; None if no cut is near its ends.

    tokens  of the whole text, from an exact encoder and with the same `parse_special`
    Raises EncodeError if the vocabulary cannot encode the selection.
    """
    cuts = CertainCuts(tokenizer, parse_special)
    if end - start <= SHORT_BYTES:
        return len(cuts.encode(text[start:end], begins_text=True).ids)
    if tokenizer.special_tokens.drops_white_space:
        return None  # distant text may affect the tokens
    left = _cut_near(cuts, text, tokens, start, start + WINDOW_BYTES, cuts.first_clean)
    right = _cut_near(cuts, text, tokens, end - WINDOW_BYTES, end, cuts.last_clean)
    if left is None or right is None:
        return None
    n_first = len(cuts.encode(text[start:left], begins_text=True).ids)
    n_last = len(cuts.encode(text[right:end], begins_text=False).ids)
    return n_first + tokens.first_from(right) - tokens.first_from(left) + n_last


def _cut_near(
    cuts: CertainCuts,
    text: NDArray[np.uint8],
    tokens: TokenStore,
    start: int,
    end: int,
    find: Callable[[NDArray[np.uint8], Clusters, int, int, Callable[[int], bool]], int],
) -> int | None:
    """A certain cut in (start, end) with each token clearly on one side; None if there is none."""
    begin = max(0, start - cuts.margin)
    window = text[begin : end + cuts.margin]

    def parts(cut: int) -> bool:
        return tokens.covering(begin + cut) is None and not tokens.has_empty_at(begin + cut)

    cut = begin + find(window, cuts.clusters(window), start - begin, end - begin, parts)
    return cut if start < cut < end else None
