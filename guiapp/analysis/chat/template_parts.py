"""Which part of a template wrote what: strings, text between tags, and expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from guiapp.analysis.chat.chat import Chat
from guiapp.analysis.chat.traced import TEMPLATE

EXPRESSION = re.compile(r"\w*(?:\s*\.\s*\w+|\s*\[[^][]*\]|\([^()]*\)|\s*\|\s*\w+)*")
OWNER, LONGEST_NAME = re.compile(r"(?<![\w.)\]])[^\W\d]\w*\Z"), 100


class TemplateSpelling(NamedTuple):
    """How a template spells what it writes.

    places  of each character, and where the last ends
    quote   of a string, "" for what stands between tags
    """

    places: Sequence[int]
    quote: str


def spelling_of(chat: Chat, row: int) -> TemplateSpelling | None:
    """The text of a run; None where the template says something else in its place."""
    start, end = chat.runs.bounds[row : row + 2].tolist()
    source, place = chat.template.source_text, chat.rendering.runs[row].origin.place
    written = chat.text[start:end]
    if source.startswith(written, place):
        return TemplateSpelling(range(place, place + len(written) + 1), "")
    said, places = chat.template.string_at(place)
    return TemplateSpelling(places, source[place]) if said == written else None


def owner_before(source: str, place: int) -> str:
    """The plain variable before the dot or bracket of an entry; "" for none."""
    found = OWNER.search(source[max(place - LONGEST_NAME, 0) : place])
    return found[0] if found else ""


def part_that_wrote(chat: Chat, first: int, last: int) -> tuple[int, int] | None:
    """The characters of the template that wrote these of the prompt, or the first content in them.

    They are of `source_text`, as far as they are on one line; None if unknown.
    """
    row, last_row = chat.runs.rows_at(np.array((first, max(first, last - 1)))).tolist()
    row = chat.runs.first_content(row, last_row + 1)
    origin, source = chat.rendering.runs[row].origin, chat.template.source_text
    start = origin.place
    if start < 0:
        return None
    if origin.kind == TEMPLATE and not origin.field:
        found = spelling_of(chat, row)
        end = start + 1 if found is None else found.places[-1] + len(found.quote)
    else:
        expression = EXPRESSION.match(source, start)
        end = expression.end() if expression else start
        start -= len(owner_before(source, start))
    line_end = source.find("\n", start)
    return start, end if line_end < 0 else min(end, line_end)
