"""Whole words: what stands between white space is looked up as it is, and unknown where it is no token.

What people try first, for comparison; any vocabulary can do it, none was made for it.  A word that follows a
space is looked up with that space first.  Without an unknown token, unknown words are left out.  O(n).
Native twin: native/words.cpp.
Source: the word-level models before Sennrich, Haddow & Birch 2016, https://aclanthology.org/P16-1162.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from guiapp.core.encode.reference.longest_match import Miss, Take

WORD = re.compile(rb"[^\t-\r ]+")
PIECE = re.compile(rb".+", re.DOTALL)  # where text has been split before


def steps(
    text: bytes,
    find: Callable[[bytes], int | None],
    unknown_id: int | None,
    word: re.Pattern[bytes] = WORD,
) -> Iterator[Take | Miss]:
    """Yield what each word of a text becomes."""
    for match in word.finditer(text):
        start, end = match.span()
        for first in (start - 1, start) if text[:start].endswith(b" ") else (start,):
            token = find(text[first:end])
            if token is not None:
                yield Take(token, first, end)
                break
            yield Miss(first, end)
        else:
            if unknown_id is not None:
                yield Take(unknown_id, start, end)
