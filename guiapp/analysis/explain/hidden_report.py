"""What hides in a text, and what it costs a model: for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guiapp.core.text.visible_text import decoded, hidden_places, kinds_of, without

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer


class HiddenPlace(NamedTuple):
    """One place where characters hide.

    start, end  in bytes
    line        from 1
    tokens      that hold some of its bytes
    kinds       what the characters are, the most frequent first
    says        what tags or selectors spell, "" for nothing
    """

    start: int
    end: int
    line: int
    characters: int
    tokens: int
    kinds: list[str]
    says: str


class HiddenReport(NamedTuple):
    """All places, and the tokens of the text with and without them."""

    tokens: int
    tokens_without: int
    characters: int
    places: list[HiddenPlace]


def hidden_report(tokenizer: Tokenizer, text: bytes, add_special: bool, parse_special: bool) -> HiddenReport:
    """Look at a text; it is encoded twice where anything hides."""
    encoding = tokenizer.encode(text, add_special, parse_special)
    hits = hidden_places(text)
    if not hits.n_characters:
        return HiddenReport(len(encoding.token_ids), len(encoding.token_ids), 0, [])
    starts, ends = encoding.spans[:, 0], encoding.spans[:, 1]
    tokens = np.searchsorted(starts, hits.ends) - np.searchsorted(ends, hits.starts, "right")
    newlines = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    lines = np.searchsorted(newlines, hits.starts) + 1
    places = []
    for start, end, line, count, n_tokens in zip(
        *(column.tolist() for column in (hits.starts, hits.ends, lines, hits.counts, tokens)), strict=True
    ):
        hidden = text[start:end].decode()
        places.append(HiddenPlace(start, end, line, count, n_tokens, kinds_of(hidden), decoded(hidden)))
    rest = tokenizer.encode(without(text, hits), add_special, parse_special)
    return HiddenReport(len(encoding.token_ids), len(rest.token_ids), hits.n_characters, places)
