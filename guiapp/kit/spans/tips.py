"""What the mouse is told about a place in the text: the characters behind a chip, and the bytes of any."""

from __future__ import annotations

import numpy as np

from guiapp.analysis.explain.characters import code_points
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import Confusable
from guiapp.kit.document.document import TextDocument
from guiapp.kit.tokens.layout import SpanSource

BYTES_IN_TIP, LINES_IN_TIP = 32, 20


def character_tip(document: TextDocument, source: SpanSource, start: int, about_token: str = "") -> str:
    """What there is to say about the token of the character that begins at a byte, else its own bytes.

    The bytes are told with both where several tokens share the character.
    """
    end = document.next_grapheme(start)
    is_torn = end - start > 1 and len(source.spans_in(start + 1, end - 1).ids) > 1
    shown = bytes_in_tokens(document, source, start, end) if is_torn or not about_token else ""
    return "\n".join(filter(None, (about_token, shown)))


def passing_tip(letter: Confusable) -> str:
    """What a letter is, and what it passes for."""
    return f"{code_points(letter.letter, 1)[0]} passes for {letter.passes_for}"


def chip_tip(document: TextDocument, source: SpanSource, start: int, end: int) -> str:
    """What stands in a chip: how much, the names of its characters, its bytes."""
    lines = []
    text = document.slice(start, end).decode("utf-8", "ignore")
    if len(text) > 1:
        spans = source.spans_in(start, end)
        n_tokens = int(np.count_nonzero((spans.starts < end) & (spans.ends > start)))
        lines.append(f"{counted(len(text), 'character')}, {counted(n_tokens, 'token')}")
    shown = bytes_in_tokens(document, source, start, end)
    return "\n".join((*lines, *code_points(text, LINES_IN_TIP), shown))


def bytes_in_tokens(
    document: TextDocument, source: SpanSource, start: int, end: int, most: int = BYTES_IN_TIP
) -> str:
    """The first bytes of a stretch, with bars where tokens begin."""
    shown_end = min(end, start + most)
    starts = set(source.spans_in(start, shown_end).starts.tolist())
    parts = [
        ("| " if at > start and at in starts else "") + f"{byte:02X}"
        for at, byte in enumerate(document.slice(start, shown_end), start)
    ]
    return " ".join(parts) + (" …" if shown_end < end else "")
