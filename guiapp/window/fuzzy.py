"""Which texts people mean when they type some letters of them."""

from __future__ import annotations

import re

START_OF_WORD = 8
NEXT_LETTER = 4
FOUND = 1


def score(query: str, text: str) -> int | None:
    """How well the letters of `query`, in this order, fit `text`; None if they are not all there.

    Letters at the start of a word and letters side by side count more, long texts a little less.  A query
    that is a word of the text or begins one beats all that are scattered.
    """
    letters, text = query.casefold().replace(" ", ""), text.casefold()
    best: dict[int, int] = {-1: 0}  # the best score with the last letter at this place
    for letter in letters:
        here: dict[int, int] = {}
        for at, character in enumerate(text):
            if character == letter:
                reached = [
                    _worth(text, at, before) + points for before, points in best.items() if before < at
                ]
                if reached:
                    here[at] = max(reached)
        best = here
    return max(best.values()) + _bonus(query, text) - len(text) // 16 if best else None


def _bonus(query: str, text: str) -> int:
    typed = query.casefold().strip()
    whole = re.escape(typed)
    if not typed or not re.search(rf"(?<!\w){whole}", text):
        return 0
    is_word = re.search(rf"(?<!\w){whole}(?!\w)", text) is not None
    return START_OF_WORD * len(typed) * (2 if is_word else 1)


def _worth(text: str, at: int, before: int) -> int:
    if at == 0 or not text[at - 1].isalnum():
        return START_OF_WORD
    return NEXT_LETTER if before >= 0 and at == before + 1 else FOUND
