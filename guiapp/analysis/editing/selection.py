"""The exact number of tokens of a selected part of a text that is being edited, fast enough to wait for.

A short part is encoded.  Of a long one only the ends are: up to a certain cut near each end; between the cuts
the tokens are those of the whole text, which are at hand.  See `interval` for a text that stays the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.editing.token_store import TokenStore
from guiapp.core.encode.counting.certain_cuts import CertainCuts

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

SHORT_BYTES = 1 << 15
WINDOW_BYTES = 1 << 12  # at each end, in which a cut is looked for


def count_selection(
    tokenizer: Tokenizer,
    text: NDArray[np.uint8],
    tokens: TokenStore,
    parse_special: bool,
    start: int,
    end: int,
) -> int | None:
    """The tokens of text[start:end] by itself, none being put around it; None where no cut is near.

    tokens  those of the whole text, from an exact encoder and with the same `parse_special`
    Raises EncodeError where the vocabulary cannot express the part.
    """
    cuts = CertainCuts(tokenizer, parse_special)
    if end - start <= SHORT_BYTES:
        return len(cuts.encode(text[start:end], begins_text=True).ids)
    if tokenizer.special_tokens.drops_white_space:
        return None  # what happens far away may matter here
    left, right = _first_cut(cuts, text, tokens, start), _last_cut(cuts, text, tokens, end)
    if left is None or right is None:
        return None
    n_first = len(cuts.encode(text[start:left], begins_text=True).ids)
    n_last = len(cuts.encode(text[right:end], begins_text=False).ids)
    return n_first + tokens.first_from(right) - tokens.first_from(left) + n_last


def _first_cut(cuts: CertainCuts, text: NDArray[np.uint8], tokens: TokenStore, start: int) -> int | None:
    begin = max(0, start - cuts.margin)
    window = text[begin : start + WINDOW_BYTES + cuts.margin]
    clusters, at, stop = cuts.clusters(window), start - begin, start + WINDOW_BYTES - begin
    while at < stop:
        at = cuts.first(window, clusters, at, stop)
        if at < stop and _parts(tokens, begin + at):
            return begin + at
    return None


def _last_cut(cuts: CertainCuts, text: NDArray[np.uint8], tokens: TokenStore, end: int) -> int | None:
    begin = end - WINDOW_BYTES - cuts.margin
    window = text[max(0, begin) : end + cuts.margin]
    begin = max(0, begin)
    clusters, at, stop = cuts.clusters(window), end - begin, end - WINDOW_BYTES - begin
    while at > stop:
        at = cuts.last(window, clusters, stop, at)
        if at > stop and _parts(tokens, begin + at):
            return begin + at
        at -= 1
    return None


def _parts(tokens: TokenStore, cut: int) -> bool:
    """Whether each token clearly lies on one side of the cut."""
    return tokens.covering(cut) is None and not tokens.has_empty_at(cut)
