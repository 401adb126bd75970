"""What one asks a model to find out whether it knows a token: to repeat it, as it did many times before."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.errors import EncodeError

N_EXAMPLES = 8
OPENING = "An echo gives back what it hears, letter by letter.\n"
LINE = "Heard: «{0}» Given back: «{0}»\n"
LAST = "Heard: «{0}» Given back: «"


class Prompt(NamedTuple):
    """A text to be gone on with.

    holds_token  whether the token stands in it as it is encoded; else the text tells nothing about it
    """

    text: str
    holds_token: bool


def repeating_prompt(tokenizer: Tokenizer, token_id: int) -> Prompt | None:
    """A text that a model which knows the token goes on with by it; None where it is no whole characters."""
    try:
        token = tokenizer.vocabulary.token_bytes(token_id).decode()
    except UnicodeDecodeError:
        return None
    text = OPENING + N_EXAMPLES * LINE.format(token) + LAST.format(token)
    try:
        found = tokenizer.encode(text, add_special=False, parse_special=False).token_ids
    except EncodeError:
        return Prompt(text, False)
    return Prompt(text, int((found == token_id).sum()) > N_EXAMPLES)
